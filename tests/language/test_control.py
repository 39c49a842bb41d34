"""Branches, loops and jumps that differ from thread to thread, against the same code in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.language.bench import BLOCKS, SIZES, assert_same, blocks_for, launch

import headwater as hw


@hw.kernel(contract=False)
def nested_if(out, a):
    i = hw.grid(1)
    if i < len(out):
        if a[i] % 2 == 0:
            if a[i] % 3 == 0:
                out[i] = 6
            else:
                out[i] = 2
        elif a[i] % 3 == 0:
            out[i] = 3
        elif a[i] > 40:
            pass
        else:
            out[i] = -a[i]


def nested_if_in_python(a: int, out: int) -> int:
    if a % 2 == 0:
        return 6 if a % 3 == 0 else 2
    if a % 3 == 0:
        return 3
    return out if a > 40 else -a


@hw.kernel(contract=False)
def varying_trips(out, a):
    i = hw.grid(1)
    if i < len(out):
        total = 0
        for k in range(a[i] % 7):
            for m in range(k, a[i] % 5):
                total += k * 10 + m
        out[i] = total


def varying_trips_in_python(a: int, out: int) -> int:
    return sum(k * 10 + m for k in range(a % 7) for m in range(k, a % 5))


@hw.kernel(contract=False)
def jumps(out, a):
    i = hw.grid(1)
    if i < len(out):
        total = 0
        for k in range(10):
            if k == a[i] % 4:
                continue
            if k > a[i] % 9:
                break
            total += k
        out[i] = total


def jumps_in_python(a: int, out: int) -> int:
    total = 0
    for k in range(10):
        if k == a % 4:
            continue
        if k > a % 9:
            break
        total += k
    return total


@hw.kernel(contract=False)
def collatz(out, a):
    i = hw.grid(1)
    if i < len(out):
        n = a[i] + 1
        steps = 0
        while n != 1 and steps < 50:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        out[i] = steps


def collatz_in_python(a: int, out: int) -> int:
    n, steps = a + 1, 0
    while n != 1 and steps < 50:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@hw.kernel(contract=False)
def while_with_jumps(out, a):
    i = hw.grid(1)
    if i >= len(out):
        return
    n = a[i]
    total = 0
    while True:
        n -= 3
        if n < 0:
            break
        if n % 5 == 0:
            continue
        total += n
        if total > 60:
            out[i] = -total
            return
    out[i] = total


def while_with_jumps_in_python(a: int, out: int) -> int:
    n, total = a, 0
    while True:
        n -= 3
        if n < 0:
            break
        if n % 5 == 0:
            continue
        total += n
        if total > 60:
            return -total
    return total


@hw.kernel(contract=False)
def return_in_nested_loops(out, a):
    i = hw.grid(1)
    if i >= len(out):
        return
    out[i] = -1
    for x in range(12):
        for y in range(x):
            if x * y == a[i]:
                out[i] = x * 100 + y
                return


def return_in_nested_loops_in_python(a: int, out: int) -> int:
    for x in range(12):
        for y in range(x):
            if x * y == a:
                return x * 100 + y
    return -1


@hw.kernel(contract=False)
def ranges(out, a):
    i = hw.grid(1)
    if i < len(out):
        total = 0
        for k in range(a[i], -3, -4):
            total += k
        for k in range(3, a[i] % 11, 2):
            total = total * 3 + k
        for _ in range(-5):
            total = 10**6
        out[i] = total


def ranges_in_python(a: int, out: int) -> int:
    total = sum(range(a, -3, -4))
    for k in range(3, a % 11, 2):
        total = total * 3 + k
    return total


@hw.kernel(contract=False)
def swaps(out, a):
    i = hw.grid(1)
    if i < len(out):
        x, y = 0, 1
        for _ in range(a[i] % 20):
            x, y = y, x + y
        out[i] = x


def swaps_in_python(a: int, out: int) -> int:
    x, y = 0, 1
    for _ in range(a % 20):
        x, y = y, x + y
    return x


@hw.kernel(contract=False)
def augmented(out, a):
    i = hw.grid(1)
    if i < len(out):
        x = a[i]
        x += 5
        x *= 3
        x -= a[i] // 2
        x //= 2
        x %= 100
        x <<= 2
        x >>= 1
        x |= 8
        x &= 1021
        x ^= 5
        out[i] += x
        out[i] *= 2


def augmented_in_python(a: int, out: int) -> int:
    x = ((a + 5) * 3 - a // 2) // 2 % 100
    x = ((((x << 2) >> 1) | 8) & 1021) ^ 5
    return (out + x) * 2


CASES: dict[str, tuple[Any, Any]] = {
    "nested if": (nested_if, nested_if_in_python),
    "loops of varying trips": (varying_trips, varying_trips_in_python),
    "break and continue": (jumps, jumps_in_python),
    "while": (collatz, collatz_in_python),
    "while with break, continue, return": (while_with_jumps, while_with_jumps_in_python),
    "return in nested loops": (return_in_nested_loops, return_in_nested_loops_in_python),
    "ranges": (ranges, ranges_in_python),
    "swaps": (swaps, swaps_in_python),
    "augmented assignment": (augmented, augmented_in_python),
}


def values(n: int) -> np.ndarray:
    return (np.arange(n, dtype=np.int32) * 37 + 11) % 67


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", CASES)
def test_every_size(device: hw.Device, name: str, n: int) -> None:
    kernel, meaning = CASES[name]
    out, _ = launch(kernel[blocks_for(n, 32), 32], device, np.full(n, 7, np.int32), values(n))
    assert_same(out, np.array([meaning(a, 7) for a in values(n).tolist()], np.int32))


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("name", CASES)
def test_every_block(device: hw.Device, name: str, block: int) -> None:
    kernel, meaning = CASES[name]
    n = 67
    out, _ = launch(kernel[blocks_for(n, block), block], device, np.full(n, 7, np.int32), values(n))
    assert_same(out, np.array([meaning(a, 7) for a in values(n).tolist()], np.int32))


# --- what is not evaluated ---


@hw.kernel(contract=False)
def guarded_reads(out, a, at):
    i = hw.grid(1)
    if i < len(out):
        if at[i] >= 0 and at[i] < len(a) and a[at[i]] > 0:
            out[i] = 1
        if at[i] < 0 or at[i] >= len(a) or a[at[i]] > 50:
            out[i] += 2
        out[i] += a[at[i]] * 10 if 0 <= at[i] < len(a) else 1000


def test_short_circuits_guard_subscripts(device: hw.Device) -> None:
    """The interpreter raises where a guarded subscript is evaluated all the same."""
    a = np.array([5, -5, 90, 0], np.int32)
    at = np.array([0, 1, 2, 3, 4, -1, 2**31 - 1, -(2**31), 100000], np.int32)
    out, *_ = launch(guarded_reads.forall(len(at)), device, np.zeros(len(at), np.int32), a, at)
    expected = []
    for j in at.tolist():
        inside = 0 <= j < 4
        expected.append(int(inside and a[j] > 0) + 2 * int(not inside or a[j] > 50))
        expected[-1] += int(a[j]) * 10 if inside else 1000
    assert_same(out, np.array(expected, np.int32))


@hw.kernel(contract=False)
def loop_bounds_are_fixed(out, n):
    i = hw.grid(1)
    if i < len(out):
        stop = n
        trips = 0
        for k in range(stop):
            stop = 0
            trips += k + 1
        out[i] = trips


def test_loop_bounds_are_fixed_at_entry(device: hw.Device) -> None:
    (out,) = launch(loop_bounds_are_fixed.forall(3), device, np.zeros(3, np.int32), 4)
    assert_same(out, np.full(3, 10, np.int32))


@hw.kernel(contract=False)
def bool_variables(out, a):
    i = hw.grid(1)
    if i < len(out):
        found = False
        for k in range(3):
            if a[i] == k:
                found = True
        small = a[i] < 2
        out[i] = found and not small


def test_bool_variables(device: hw.Device) -> None:
    a = np.arange(-2, 6, dtype=np.int32)
    out, _ = launch(bool_variables.forall(8), device, np.zeros(8, np.bool_), a)
    assert_same(out, a == 2)
