"""Atomic add, min and max on global arrays; results that do not depend on the order."""

from __future__ import annotations

import numpy as np
import pytest
from tests.language.bench import FLOATS, INTEGERS, NUMBERS, assert_same, edges, launch

import headwater as hw


@hw.kernel(contract=False)
def add_all(total, a, at):
    i = hw.grid(1)
    if i < len(a):
        hw.atomic.add(total, at[i], a[i])


@hw.kernel(contract=False)
def least(total, a, at):
    i = hw.grid(1)
    if i < len(a):
        hw.atomic.min(total, at[i], a[i])


@hw.kernel(contract=False)
def greatest(total, a, at):
    i = hw.grid(1)
    if i < len(a):
        hw.atomic.max(total, at[i], a[i])


@pytest.mark.parametrize("spread", [1, 3, 40])
@pytest.mark.parametrize("kind", INTEGERS)
def test_integer_atomics(device: hw.Device, kind: str, spread: int) -> None:
    values = edges(kind)
    a = np.tile(values, 9)
    at = np.arange(len(a), dtype=np.int32) * 7 % spread
    start = np.full(spread, 5, kind)
    added, low, high = start.copy(), start.copy(), start.copy()
    np.add.at(added, at, a)
    np.minimum.at(low, at, a)
    np.maximum.at(high, at, a)
    for kernel, expected in ((add_all, added), (least, low), (greatest, high)):
        out, *_ = launch(kernel[3, 64], device, start, a, at)
        assert_same(out, expected)


@pytest.mark.parametrize("spread", [1, 4])
@pytest.mark.parametrize("kind", FLOATS)
def test_float_atomic_add_of_exact_values(device: hw.Device, kind: str, spread: int) -> None:
    a = (np.arange(129) % 17 / 8 - 1).astype(kind)
    at = np.arange(129, dtype=np.int32) % spread
    expected = np.zeros(spread, kind)
    np.add.at(expected, at, a)
    out, *_ = launch(add_all[3, 64], device, np.zeros(spread, kind), a, at)
    assert_same(out, expected)


@pytest.mark.parametrize("kind", FLOATS)
def test_float_atomic_min_and_max_prefer_numbers(device: hw.Device, kind: str) -> None:
    a = np.array([3.5, np.nan, -2.0, np.inf, 7.0, np.nan], kind)
    at = np.array([0, 0, 0, 1, 1, 2], np.int32)
    start = np.array([np.nan, 0.5, 4.0], kind)
    low, *_ = launch(least[1, 32], device, start, a, at)
    high, *_ = launch(greatest[1, 32], device, start, a, at)
    assert_same(low, np.array([-2.0, 0.5, 4.0], kind))
    assert_same(high, np.array([3.5, np.inf, 4.0], kind))


@pytest.mark.parametrize("kind", NUMBERS)
def test_the_old_value_is_given_once(device: hw.Device, kind: str) -> None:
    """Tickets: every thread gets another number, and together all of them."""

    @hw.kernel(contract=False)
    def ticket(counter, seen):
        i = hw.grid(1)
        if i % 3 != 1:
            seen[i] = hw.atomic.add(counter, 0, 1)

    counter, seen = launch(ticket[3, 33], device, np.zeros(1, kind), np.full(99, 77, kind))
    assert counter[0] == 66
    taken = np.arange(99) % 3 != 1
    assert_same(np.sort(seen[taken]), np.arange(66).astype(kind))
    assert (seen[~taken] == 77).all()


def test_atomics_on_a_plane(device: hw.Device) -> None:
    @hw.kernel(contract=False)
    def count(table, n):
        i = hw.grid(1)
        if i < n:
            hw.atomic.add(table, (i % 3, i % 2), 1)

    (out,) = launch(count[2, 32], device, np.zeros((3, 2), np.int32), 50)
    expected = np.zeros((3, 2), np.int32)
    np.add.at(expected, (np.arange(50) % 3, np.arange(50) % 2), 1)
    assert_same(out, expected)


def test_atomics_in_divergent_loops(device: hw.Device) -> None:
    @hw.kernel(contract=False)
    def scatter(total, a):
        i = hw.grid(1)
        if i >= len(a):
            return
        for k in range(a[i] % 6):
            if k == 3 and a[i] % 2 == 0:
                continue
            hw.atomic.add(total, k, a[i])

    a = np.arange(100, dtype=np.int32) * 5 % 23
    out, _ = launch(scatter[4, 25], device, np.zeros(6, np.int32), a)
    expected = np.zeros(6, np.int32)
    for value in a.tolist():
        for k in range(value % 6):
            if not (k == 3 and value % 2 == 0):
                expected[k] += value
    assert_same(out, expected)
