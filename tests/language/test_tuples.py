"""Tuples: as arguments, values, variables, results, with constant subscripts, and loops that are written out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.language.bench import assert_same, launch

import headwater as hw
from headwater.errors import CompileError

COUNT = 40


@dataclass(frozen=True)
class Line:
    slope: Any
    shift: float


@hw.kernel(contract=False)
def combined(out, arrays, factors, line):
    i = hw.grid(1)
    if i < len(out):
        a, b, _ = arrays
        x, y = factors
        total = x * a[i] + y * b[i] + arrays[2][i, 0] + arrays[-1][i, 1]
        out[i] = line[0].slope * total + line[0].shift + line[1][1].y


def test_tuples_as_arguments(device: hw.Device) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 50, (2, COUNT)).astype(np.float32)
    pair = rng.integers(0, 50, (COUNT, 2))
    arrays = tuple(map(device.array, (a, b, pair)))
    out = device.zeros(COUNT)
    line = (Line(np.float32(0.5), 3.0), (1, hw.vec2f(7, 9)))
    combined.forall(COUNT)(out, arrays, (2, 0.25), line)
    total = 2 * a + np.float32(0.25) * b + pair.sum(1).astype(np.float32)
    assert_same(out.numpy(), np.float32(0.5) * total + np.float32(12))


@hw.kernel
def summed(out, arrays, weights):
    i = hw.grid(1)
    if i < len(out):
        total = 0
        for a in arrays:
            total += a[i]
        for k in hw.static_range(len(arrays)):
            total += weights[k] * arrays[k][i]
        out[i] = total


@pytest.mark.parametrize("count", [1, 2, 5])
def test_loops_over_tuples_of_arrays(device: hw.Device, count: int) -> None:
    given = np.random.default_rng(2).integers(0, 100, (count, COUNT), dtype=np.int32)
    out = device.zeros(COUNT, hw.int32)
    weights = tuple(range(1, count + 1))
    summed.forall(COUNT)(out, tuple(map(device.array, given)), weights)
    expected = sum((1 + w) * row for w, row in zip(weights, given, strict=True))
    assert_same(out.numpy(), np.asarray(expected, np.int32))


@hw.kernel
def filled(arrays):
    i = hw.grid(1)
    for a in arrays:
        if i < len(a):
            a[i] += i
            hw.atomic.add(a, 0, 1)


def test_arrays_in_tuples_are_written(device: hw.Device) -> None:
    arrays = device.zeros(5, hw.int32), device.zeros(3, hw.int32)
    filled[1, 32](arrays)
    assert arrays[0].numpy().tolist() == [5, 1, 2, 3, 4]
    assert arrays[1].numpy().tolist() == [3, 1, 2]


@hw.function
def extremes(a, i):
    low, high = a[i], a[i]
    for k in range(3):
        value = a[(i + k) % len(a)]
        if value < low:
            low = value
        if value > high:
            high = value
    return low, high


@hw.function
def sorted_pair(pair):
    if pair[0] > pair[1]:
        return pair[1], pair[0]
    return pair


@hw.function
def described(pair):
    return pair, (pair[1] - pair[0], pair[0] < 0)


@hw.kernel
def results(out, a):
    i = hw.grid(1)
    if i < len(a):
        (low, high), rest = described(sorted_pair(extremes(a, i)))
        out[i, 0] = low
        out[i, 1] = high
        out[i, 2] = rest[0]
        if rest[1]:
            out[i, 2] = -rest[0]
        nested = (i, (low, high))
        out[i, 3] = nested[1][0] + nested[0] + len(nested[1])


def test_tuples_as_results(device: hw.Device) -> None:
    a = np.random.default_rng(3).integers(-50, 50, COUNT, dtype=np.int32)
    out, _ = launch(results.forall(COUNT), device, np.zeros((COUNT, 4), np.int32), a)
    window = np.stack([np.roll(a, -k) for k in range(3)])
    low, high = window.min(0), window.max(0)
    span = np.where(low < 0, low - high, high - low)
    expected = [low, high, span, low + np.arange(COUNT) + 2]
    assert_same(out, np.stack(expected, axis=1).astype(np.int32))


@hw.kernel
def varied(out, a, given):
    i = hw.grid(1)
    if i < len(a):
        best = (a[i], i)
        state = (0, 0.0)
        for k in range(len(a)):
            if a[k] > best[0]:
                best = (a[k], k)
            state = (state[0] + 1, state[1] + 0.5)
        best = best if best[1] > 3 else (a[0], 100)
        given = (given[1], given[0])
        out[i, 0] = best[0]
        out[i, 1] = best[1] + given[0]
        out[i, 2] = state[1] + state[0]


def test_variables_hold_tuples(device: hw.Device) -> None:
    a = np.array([3, 1, 4, 1, 5, 9, 2, 6], np.float32)
    out = device.zeros((8, 3))
    varied.forall(8)(out, device.array(a), (1, 2))
    assert_same(out.numpy(), np.repeat(np.array([[9, 7, 12]], np.float32), 8, axis=0))


SHAPE = (4, 8)
NESTED = ((1, 2.5), (True, np.float64(0.1)))


@hw.kernel
def captured(out):
    tile = hw.shared.array(SHAPE, hw.int32)
    bias = hw.local.array(SHAPE[1:], hw.float32)
    t = hw.threadIdx.x
    tile[t // SHAPE[1], t % SHAPE[1]] = t
    bias[3] = 0.5
    hw.syncthreads()
    out[t] = tile[3 - t // 8, 7 - t % 8] + bias[3] + NESTED[0][0] + NESTED[1][1]
    if NESTED[1][0]:
        out[t] += len(SHAPE) + len(NESTED[0])


def test_captured_tuples(device: hw.Device) -> None:
    (out,) = launch(captured[1, 32], device, np.zeros(32))
    assert_same(out, 31 - np.arange(32) + 0.5 + 1 + 0.1 + 4)


class Range(NamedTuple):
    low: Any
    high: Any = 10


class Mode(IntEnum):
    add = 1
    subtract = 2


class Face(Enum):
    left = "l"
    right = 2.5


LIMITS = Range(2)


@hw.function
def widened(limits, by):
    return Range(limits.low - by, high=limits.high + by)


@hw.kernel
def named(out, given, mode: hw.constexpr):
    i = hw.grid(1)
    limits = widened(given, i) if i < 2 else widened(LIMITS, i)
    if i > 1:
        limits = Range(limits[0], 0)
    low, high = limits
    out[i, 0] = limits.low + low
    out[i, 1] = limits.high + high + len(limits)
    if mode == Mode.add:
        out[i, 2] = Mode.subtract
    else:
        out[i, 2] = Face.right.value


def test_named_tuples_and_enumerations(device: hw.Device) -> None:
    for mode, value in ((Mode.add, 2), (Mode.subtract, 2.5)):
        out = device.zeros((3, 3))
        named[1, 3](out, Range(2, 10), mode)
        assert out.numpy().tolist() == [[4, 22, value], [2, 24, value], [0, 2, value]]


@hw.function
def both(a, b):
    """Arrays in a tuple that is the only result."""
    return a[1:], (b, len(a))


@hw.kernel
def of_arrays(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        tail, (other, n) = both(a, b)
        out[i] = tail[i] + other[i] + n


def test_a_result_may_hold_arrays(device: hw.Device) -> None:
    a, b = np.arange(5, dtype=np.int32), np.arange(10, 15, dtype=np.int32)
    out, *_ = launch(of_arrays.forall(4), device, np.zeros(4, np.int32), a, b)
    assert_same(out, a[1:] + b[:4] + np.int32(5))


# --- what is wrong --------------------------------------------------------------------------------


@hw.kernel
def runtime_subscript(out, pair):
    out[0] = pair[hw.int32(out[0])]


@hw.kernel
def beyond(out, pair):
    out[0] = pair[2]


@hw.kernel
def changed(out, pair):
    pair[0] = 1


@hw.kernel
def too_many(out, pair):
    a, b, c = pair
    out[0] = a + b + c


@hw.kernel
def longer(out, pair):
    t = pair
    if out[0] > 0:
        t = (1, 2, 3)
    out[0] = t[0]


@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        (runtime_subscript, "the index must be an integer that is known when compiling"),
        (beyond, "the index 2 is outside of 2 entries"),
        (changed, "cannot be changed"),
        (too_many, "3 names take 2 values"),
        (
            longer,
            "'t' is assigned types that do not join: 'a tuple of 2' before, a tuple of 3 here",
        ),
    ],
)
def test_wrong_tuples(kernel: hw.Kernel, sentence: str) -> None:
    device = hw.device("reference")
    with pytest.raises(CompileError, match=sentence):
        kernel[1, 1](device.zeros(1), (1, 2))
