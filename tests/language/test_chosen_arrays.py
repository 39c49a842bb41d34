"""Names that stand for one array or another, as a condition says when the kernel runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from tests.language.bench import assert_same, launch

import headwater as hw

COUNT = 32


@hw.kernel(contract=False)
def heat(first, second, steps, k):
    """Two buffers that change roles; one block, so that a barrier is enough."""
    i = hw.threadIdx.x
    for step in range(steps):
        if step % 2 == 0:
            data = first
            following = second
        else:
            data = second
            following = first
        here = data[i]
        left = data[i - 1] if i > 0 else 0.0
        right = data[i + 1] if i < len(data) - 1 else 0.0
        following[i] = here + k * (left - 2 * here + right)
        hw.syncthreads()


@pytest.mark.parametrize("steps", [0, 1, 4, 5])
def test_buffers_that_change_roles(device: hw.Device, steps: int) -> None:
    a = np.random.default_rng(1).integers(0, 64, COUNT).astype(np.float32)
    found = launch(heat[1, COUNT], device, a, np.zeros_like(a), steps, 0.25)
    expected = a
    for _ in range(steps):
        padded = np.pad(expected, 1)
        change = padded[:-2] - 2 * expected + padded[2:]
        expected = expected + np.float32(0.25) * change
    assert_same(found[steps % 2], expected)


@hw.kernel
def scanned(out, a):
    """The rows of one shared array change roles."""
    rows = hw.shared.array((2, COUNT), hw.int32)
    t = hw.threadIdx.x
    rows[0, t] = a[t]
    hw.syncthreads()
    offset = 1
    step = 0
    while offset < COUNT:
        if step % 2 == 0:
            source, target = rows[0], rows[1]
        else:
            source, target = rows[1], rows[0]
        target[t] = source[t] + source[t - offset] if t >= offset else source[t]
        hw.syncthreads()
        offset *= 2
        step += 1
    out[t] = (rows[1] if step % 2 else rows[0])[t]


def test_rows_that_change_roles(device: hw.Device) -> None:
    a = np.random.default_rng(2).integers(0, 100, COUNT, dtype=np.int32)
    out, _ = launch(scanned[1, COUNT], device, np.zeros_like(a), a)
    assert_same(out, np.cumsum(a, dtype=np.int32))


@hw.function
def total(values):
    result = 0
    for k in range(len(values)):
        result += values[k]
    return result


@hw.kernel
def mixed(out, a, b, c, lengths):
    i = hw.grid(1)
    if i < len(out):
        n = lengths[i]
        if n == 0:
            part = a[1 : n + 3]
        elif n == 1:
            part = b
        elif n == 2:
            part = c[i % 3]
        else:
            return
        out[i, 0] = total(part)
        out[i, 1] = len(part)
        rest = part[1:]
        out[i, 2] = rest[0] + part[-1] + total(rest[::-1])
        side = a[n:] if lengths[i] > 0 else a[lengths[0] : 4]
        out[i, 3] = side[0] + len(side) + (a if n == 1 else b)[i % 4]
        if n == 1:
            row = c[i % 2, 1:]
        else:
            row = c[1, n:]
        out[i, 4] = row[0] + row[-1] * 10


def test_parts_of_several_arrays(device: hw.Device) -> None:
    a, b = np.arange(1, 7, dtype=np.int32), np.arange(10, 15, dtype=np.int32)
    c = np.arange(100, 112, dtype=np.int32).reshape(3, 4)
    lengths = np.arange(12, dtype=np.int32) % 4
    out = np.zeros((12, 5), np.int32)
    found, *_ = launch(mixed.forall(12), device, out, a, b, c, lengths)
    for i, n in enumerate(lengths.tolist()):
        if n == 3:
            continue
        part = (a[1 : n + 3], b, c[i % 3])[n]
        side = a[n:] if n > 0 else a[0:4]
        row = c[i % 2, 1:] if n == 1 else c[1, n:]
        out[i] = [
            part.sum(),
            len(part),
            part[1] + part[-1] + part[1:].sum(),
            0,
            row[0] + row[-1] * 10,
        ]
        out[i, 3] = side[0] + len(side) + (a if n == 1 else b)[i % 4]
    assert_same(found, out)


@hw.kernel
def written(a, b, which):
    i = hw.grid(1)
    if i < len(which):
        target = a if which[i] else b
        target[i, 0] += 10
        target[i, 1:] = 7
        pair = a.T if which[i] else b.T
        pair[0, i] *= 2


def test_what_is_written(device: hw.Device) -> None:
    a, b = np.arange(24, dtype=np.int32).reshape(8, 3), np.zeros((8, 3), np.int32)
    which = np.arange(8) % 3 == 0
    found = launch(written.forall(8), device, a, b, which)
    for target, rows in ((a, which), (b, ~which)):
        target[rows, 0] = (target[rows, 0] + 10) * 2
        target[rows, 1:] = 7
    assert_same(found[0], a)
    assert_same(found[1], b)


@dataclass(frozen=True)
class Body:
    x: hw.vec2f
    m: hw.float32


@hw.kernel
def of_structs(a, b, p, q):
    i = hw.grid(1)
    if i < len(a):
        bodies = a if i % 2 == 0 else b
        one = bodies[i]
        bodies[i].m = one.m + bodies[i].x.y
        bodies[i].x.x = -1.0
        bodies.m[i] += 1
        points = p if i < 3 else q
        points[i] = points[i] + one.x
        points[i].y *= 2


def test_structs_and_vectors(device: hw.Device) -> None:
    given = np.zeros(6, hw.types.record_type(Body).numpy)
    given["x"] = np.arange(12).reshape(6, 2)
    given["m"] = np.arange(6)
    points = np.arange(12, dtype=np.float32).reshape(6, 2)
    a, b = device.array(given, Body), device.array(given, Body)
    p, q = device.array(points, hw.vec2f), device.array(points, hw.vec2f)
    of_structs.forall(6)(a, b, p, q)
    moved = given.copy()
    moved["m"] += given["x"][:, 1] + 1
    moved["x"][:, 0] = -1
    even = np.arange(6) % 2 == 0
    assert_same(a.numpy(), np.where(even, moved, given))
    assert_same(b.numpy(), np.where(even, given, moved))
    added = (points + given["x"]) * np.float32([1, 2])
    low = np.arange(6)[:, None] < 3
    assert_same(p.numpy(), np.where(low, added, points))
    assert_same(q.numpy(), np.where(low, points, added))
