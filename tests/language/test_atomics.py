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


# --- the other updates ----------------------------------------------------------------------------

WHOLE = ("int32", "uint32", "int64", "uint64")


@hw.kernel
def every_update(out, old, start, a):
    """Thread 0 of each block updates its own element once in each way, so the order is known."""
    block = hw.blockIdx.x
    if hw.threadIdx.x == 0:
        for k in range(out.shape[1]):
            out[block, k] = start[block]
        old[block, 0] = hw.atomic.sub(out, (block, 0), a[block])
        old[block, 1] = hw.atomic.and_(out, (block, 1), a[block])
        old[block, 2] = hw.atomic.or_(out, (block, 2), a[block])
        old[block, 3] = hw.atomic.xor(out, (block, 3), a[block])
        old[block, 4] = hw.atomic.exch(out, (block, 4), a[block])
        old[block, 5] = hw.atomic.cas(out, (block, 5), start[block], a[block])
        old[block, 6] = hw.atomic.cas(out, (block, 6), a[block], a[block])


@pytest.mark.parametrize("kind", WHOLE)
def test_each_update_once(device: hw.Device, kind: str) -> None:
    values = edges(kind)
    start, a = np.repeat(values, len(values)), np.tile(values, len(values))
    n = len(start)
    zeros = np.zeros((n, 7), kind)
    out, old, *_ = launch(every_update[n, 2], device, zeros, zeros, start, a)
    with np.errstate(over="ignore"):
        columns = [start - a, start & a, start | a, start ^ a, a, a, start]
    assert_same(out, np.stack(columns, axis=1))
    assert_same(old, np.repeat(start[:, None], 7, axis=1))


@pytest.mark.parametrize("kind", ["uint32", "uint64"])
def test_increments_and_decrements_wrap(device: hw.Device, kind: str) -> None:
    @hw.kernel
    def count(out, limit):
        i = hw.grid(1)
        if i < 100:
            hw.atomic.inc(out, 0, limit)
            hw.atomic.dec(out, 1, limit)

    (out,) = launch(count[4, 32], device, np.array([0, 0, 5], kind), 6)
    # Seven values each: 100 steps up from 0, and 100 down.
    assert_same(out, np.array([100 % 7, -100 % 7, 5], kind))


@pytest.mark.parametrize("kind", ["uint32", "uint64"])
def test_increments_start_above_the_limit(device: hw.Device, kind: str) -> None:
    @hw.kernel
    def one(out, a, limit):
        i = hw.grid(1)
        if i < len(a):
            hw.atomic.inc(out, (0, i), limit)
            hw.atomic.dec(out, (1, i), limit)

    a = np.array([0, 1, 8, 9, 10, 2**32 - 1], kind)
    out, *_ = launch(one[1, 32], device, np.stack([a, a]), a, 9)
    assert_same(out, np.array([[1, 2, 9, 0, 0, 0], [9, 0, 7, 8, 9, 9]], kind))


@pytest.mark.parametrize("kind", ["int32", "uint32", "int64", "float32", "float64"])
def test_exactly_one_thread_wins(device: hw.Device, kind: str) -> None:
    @hw.kernel
    def race(cell, winners, seen):
        i = hw.grid(1)
        before = hw.atomic.compare_and_swap(cell, 0, i + 1)
        seen[i] = before
        if before == 0:
            hw.atomic.add(winners, 0, 1)

    cell, winners, seen = launch(
        race[3, 40], device, np.zeros(1, kind), np.zeros(1, np.int32), np.full(120, -1 % 200, kind)
    )
    assert winners[0] == 1
    winner = int(cell[0]) - 1
    expected = np.full(120, cell[0], kind)
    expected[winner] = 0
    assert_same(seen, expected)


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_compare_and_swap_of_floats_compares_values(device: hw.Device, kind: str) -> None:
    @hw.kernel
    def swap(out, compare):
        i = hw.grid(1)
        if i < len(out):
            hw.atomic.cas(out, i, compare[i], 5)

    start = np.array([0.0, -0.0, np.nan, 1.0, np.inf], kind)
    compare = np.array([-0.0, 0.0, np.nan, 2.0, np.inf], kind)
    out, _ = launch(swap[1, 32], device, start, compare)
    assert_same(out, np.array([5, 5, np.nan, 1, 5], kind))


@pytest.mark.parametrize("kind", ["int32", "uint32", "int64", "float32", "float64"])
def test_updates_of_shared_arrays(device: hw.Device, kind: str) -> None:
    @hw.kernel
    def histogram(out, a):
        bins = hw.shared.array(8, out.dtype)
        t, i = hw.threadIdx.x, hw.grid(1)
        if t < 8:
            bins[t] = 0
        hw.syncthreads()
        if i < len(a):
            hw.atomic.add(bins, a[i] % 8, 1)
            hw.atomic.max(bins, 7, 2)
        hw.syncthreads()
        if t < 8:
            hw.atomic.add(out, t, bins[t])

    a = (np.arange(200, dtype=np.int32) * 13) % 7
    out, _ = launch(histogram[4, 64], device, np.zeros(8, kind), a)
    expected = np.bincount(a % 8, minlength=8)
    expected[7] = 2 * 4
    assert_same(out, expected.astype(kind))


def test_an_exchange_in_a_loop_loses_nothing(device: hw.Device) -> None:
    """Adding by compare and swap, as people write it where there is no atomic of their own."""

    @hw.kernel
    def multiply(cell, factor):
        old = cell[0]
        done = False
        while not done:
            found = hw.atomic.cas(cell, 0, old, (old * factor) % 1009)
            done = found == old
            old = found

    (out,) = launch(multiply[2, 33], device, np.ones(1, np.int32), 5)
    assert out[0] == pow(5, 66, 1009)
