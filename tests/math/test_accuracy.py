"""Every function at samples, special values and hard points on every device, against NumPy, SciPy and `long double`.

The whole measurement is `python -m validation.mathematics`; its rows and oracles serve here too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from validation.mathematics import points
from validation.mathematics.functions import FUNCTIONS, Function
from validation.mathematics.long_double import PRECISION
from validation.mathematics.measure import Measurement

import headwater as hw

ROWS = [pytest.param(row, id=row.label or row.name) for row in FUNCTIONS]
KINDS = [
    "float32",
    pytest.param(
        "float64",
        marks=pytest.mark.skipif(PRECISION < 64, reason="no long double of 64 bits as oracle"),
    ),
]


def parts(function: Function, kind: str, count: int) -> Iterator[tuple[np.ndarray[Any, Any], ...]]:
    return points.selected(function, points.arguments(function, np.dtype(kind), count, seed=5))


def few(function: Function, kind: str) -> Iterator[tuple[np.ndarray[Any, Any], ...]]:
    """The special values and a few others, so few that the interpreter can do them."""
    for part in parts(function, kind, 10):
        step = max(1, len(part[0]) // 40)
        yield tuple(x[::step] for x in part)


def check(
    device: hw.Device,
    function: Function,
    kind: str,
    chosen: Iterator[tuple[np.ndarray[Any, Any], ...]],
    contract: bool,
) -> None:
    oracle = function.float32 if kind == "float32" else function.float64
    task = Measurement(
        device, function.name, oracle, floor=function.absolute_below, contract=contract
    )
    worst = task.all(chosen, workers=1)
    assert not worst.wrong, worst.first_wrong
    slack = task.arithmetic.slack if kind == "float32" else 0.0
    assert worst.error <= function.bound + slack, (worst.error, worst.at, worst.found)


@pytest.mark.compiled
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", ROWS)
def test_the_error_is_below_its_bound(device: hw.Device, function: Function, kind: str) -> None:
    check(device, function, kind, parts(function, kind, 20_000), contract=True)


@pytest.mark.compiled
@pytest.mark.parametrize("function", ROWS)
def test_the_error_is_below_its_bound_without_contraction(
    device: hw.Device, function: Function
) -> None:
    check(device, function, "float32", parts(function, "float32", 5_000), contract=False)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", ROWS)
def test_the_interpreter_computes_them_too(
    oracle: hw.Device, function: Function, kind: str
) -> None:
    check(oracle, function, kind, few(function, kind), contract=True)
