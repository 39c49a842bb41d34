"""enumerate, zip, reversed, and sum, all, any, min and max of tuples: against the same code in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.language.bench import assert_same, launch

import headwater as hw


def numbered(a, b, n):
    total = 0
    for k, x in enumerate(a):
        if x == n:
            continue
        total += k * x
        if k > 3:
            break
    for k, (x, y) in enumerate(((n, 2), (3, n + 1)), start=5):
        total += k * x - y
    return total


def numbered_from(a, b, n):
    total = 0
    for k, x in enumerate(reversed(a), n):
        total = total * 3 + k * x
    for k, x in enumerate(range(10, n, -3), -2):
        total += k * x
    return total


def side_by_side(a, b, n):
    total = 0
    for x, y in zip(a, b):  # noqa: B905 (strict is no part of the language)
        total += x * y
    for x, y, k in zip(b[1:], reversed(a), range(n, 40, 4)):  # noqa: B905
        total = total * 2 + x * k - y
    for x, (y, z) in zip((1, 2, n), ((3, 4), (n, 5), (6, 7))):  # noqa: B905
        total += x * y + z
    return total


def backwards(a, b, n):
    total = 0
    for k in reversed(range(n, 20, 7)):
        total = total * 2 + k
    for k in reversed(range(20, n, -3)):
        total = total * 2 + k
    for k in reversed((n, 2, 5)):
        total = total * 3 + k
    for k, (x, y) in enumerate(zip(a, b)):  # noqa: B905
        total += k * x - y
    return total


def of_tuples(a, b, n):
    t = (a[0], n, b[1], 7)
    total = sum(t) + sum((), n) + sum((n, 2), start=10)
    total += max(t) * 1000 - min(t) * 100 + max((n,))
    if all((n > 0, a[0] != n)):
        total += 1
    if any((n > 3, b[0] == n, False)) and not all((n, 0)) and all(()) and not any(()):
        total += 100000
    return total


CASES: list[Callable[..., Any]] = [numbered, numbered_from, side_by_side, backwards, of_tuples]


@pytest.mark.parametrize("function", CASES, ids=[case.__name__ for case in CASES])
@pytest.mark.parametrize("sizes", [(6, 6), (6, 4), (2, 9)], ids=str)
def test_as_python_does(
    device: hw.Device, function: Callable[..., Any], sizes: tuple[int, int]
) -> None:
    compiled = hw.function(function)

    @hw.kernel
    def kernel(out, a, b, n):
        i = hw.grid(1)
        if i < len(n):
            out[i] = compiled(a, b, n[i])

    rng = np.random.default_rng(1)
    a, b = (rng.integers(-9, 10, size).astype(np.int32) for size in sizes)
    n = np.arange(-4, 24, dtype=np.int32)
    expected = [function(a.tolist(), b.tolist(), int(each)) for each in n]
    out, *_ = launch(kernel[1, 32], device, np.zeros_like(n), a, b, n)
    assert_same(out, np.array(expected, np.int64).astype(np.int32))


def test_rows_of_an_array_are_views(device: hw.Device) -> None:
    @hw.kernel
    def kernel(out, a, w):
        for k, (row, weight) in enumerate(zip(a, w)):  # noqa: B905
            total = 0
            for x in reversed(row):
                total += x * weight
                row[k] = -1
            out[k] = total

    a = np.arange(12, dtype=np.int32).reshape(4, 3)
    w = np.array([3, -1, 2], np.int32)
    out, changed, _ = launch(kernel[1, 1], device, np.zeros(4, np.int32), a, w)
    rows = a.copy()
    expected = []
    for k in range(3):
        total = 0
        for j in reversed(range(3)):
            total += int(rows[k, j] * w[k])
            rows[k, k] = -1
        expected.append(total)
    assert_same(out, np.array([*expected, 0], np.int32))
    assert_same(changed, rows)


def test_vectors_are_summed_component_by_component(device: hw.Device) -> None:
    @hw.kernel
    def kernel(out, v):
        i = hw.grid(1)
        if i < len(v):
            total = sum((v[i], v[0], v[i] * 2.0))
            out[i] = sum(total) + max(v[i]) - min(v[i])

    v = np.arange(15, dtype=np.float32).reshape(5, 3) ** 2
    out, _ = launch(kernel.over(5), device, np.zeros(5, np.float32), ("vec", v))
    total = v * 3 + v[0]
    assert_same(out, total.sum(1) + v.max(1) - v.min(1))
