"""In a dialect where every negative subscript counts from the end, slices are cut off as in NumPy too."""

from __future__ import annotations

import numpy as np
import pytest
from tests.frontend.build import array, build

from headwater import ir
from headwater.backends.contract import ArrayArgument, Options
from headwater.backends.reference import backend
from headwater.frontend import Dialect
from headwater.types import FLOAT64, INT64

WRAPPING = Dialect("wrapping", INT64, FLOAT64, wrap_subscripts=True)
BOUNDS = (-9, -7, -3, -1, 0, 1, 3, 6, 7, 9)


def sliced(out, a, limits):
    s, e = limits[0], limits[1]
    out[0] = len(a[s:e])
    out[1] = len(a[s:])
    out[2] = len(a[:e])
    out[3] = len(a[s:e:2])
    out[4] = len(a[s:e:-1])
    out[5] = len(a[s::-2])
    out[6] = len(a[:e:-1])
    for v in a[s:e]:
        out[7] += v
    for v in a[s:e:-1]:
        out[8] += v
    for v in a[s:e:3][::-1]:
        out[9] = 10 * out[9] + v
    if len(a[s:e]) > 0:
        out[10] = a[s:e][-1]


def expected(a: np.ndarray, s: int, e: int) -> list[int]:
    views = [a[s:e], a[s:], a[:e], a[s:e:2], a[s:e:-1], a[s::-2], a[:e:-1]]
    digits = 0
    for value in a[s:e:3][::-1].tolist():
        digits = 10 * digits + value
    last = a[s:e][-1] if len(a[s:e]) else 0
    return [*map(len, views), a[s:e].sum(), a[s:e:-1].sum(), digits, last]


def run(kernel: ir.Kernel, arrays: list[np.ndarray]) -> list[np.ndarray]:
    driver = backend().open(0)
    arguments = []
    for values in arrays:
        memory = driver.allocate(values.nbytes)
        driver.write(memory, 0, memoryview(values).cast("B"))
        arguments.append(ArrayArgument(memory, 0, values.shape, (1,)))
    options = Options()
    driver.load(driver.compile(kernel, options)).launch((1, 1, 1), arguments)
    for argument, values in zip(arguments, arrays, strict=True):
        driver.read(argument.memory, 0, memoryview(values).cast("B"))
    return arrays


@pytest.mark.parametrize("start", BOUNDS)
@pytest.mark.parametrize("stop", BOUNDS)
def test_slices_of_computed_bounds(start: int, stop: int) -> None:
    kernel = build(
        sliced, array(INT64), array(INT64), array(INT64), block=(1, 1, 1), dialect=WRAPPING
    )
    a = np.arange(1, 8, dtype=np.int64)
    out, *_ = run(kernel, [np.zeros(11, np.int64), a.copy(), np.array([start, stop])])
    assert out.tolist() == expected(a, start, stop)
