"""Views: partial subscripts, slices and transposes, in kernels and on the host, share memory with their array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.language.bench import assert_same, launch

import headwater as hw
from headwater.errors import CompileError

BLOCK = 32


@hw.function
def total(values):
    result = 0
    for k in range(len(values)):
        result += values[k]
    return result


@hw.kernel
def row_sums(out, a):
    i = hw.grid(1)
    if i < a.shape[0]:
        out[i, 0] = total(a[i])
        out[i, 1] = total(a[i, 1:])
        out[i, 2] = total(a[i][:2])
        out[i, 3] = total(a[:, i % a.shape[1]])
        out[i, 4] = total(a[i, ::2])
        out[i, 5] = total(a[i, ::-1][1:3])
        out[i, 6] = total(a[i, -2:])
        out[i, 7] = total(a[i, 1:-1])


@pytest.mark.parametrize("kind", ["int32", "int64", "float32", "uint8"])
def test_slices_as_arguments(device: hw.Device, kind: str) -> None:
    a = (np.arange(12 * 5) % 17).reshape(12, 5).astype(kind)
    out, _ = launch(row_sums.forall(12), device, np.zeros((12, 8), kind), a)
    expected = np.stack(
        [
            a.sum(1),
            a[:, 1:].sum(1),
            a[:, :2].sum(1),
            a.sum(0)[np.arange(12) % 5],
            a[:, ::2].sum(1),
            a[:, ::-1][:, 1:3].sum(1),
            a[:, -2:].sum(1),
            a[:, 1:-1].sum(1),
        ],
        axis=1,
    )
    assert_same(out, expected.astype(kind))


def bounds() -> list[tuple[int, int]]:
    """Starts and ends, inside and beyond an array of 7."""
    return [(s, e) for s in (0, 1, 3, 6, 7, 9) for e in (0, 1, 4, 7, 8, 20)]


@hw.kernel
def lengths(out, a, limits):
    i = hw.grid(1)
    if i < limits.shape[0]:
        s, e = limits[i, 0], limits[i, 1]
        out[i, 0] = len(a[s:e])
        out[i, 1] = len(a[s:])
        out[i, 2] = len(a[:e])
        out[i, 3] = len(a[s:e:2])
        out[i, 4] = len(a[s:e:3])
        out[i, 5] = len(a[e:s:-1])
        out[i, 6] = len(a[e::-2])
        out[i, 7] = len(a[:s:-1])
        out[i, 8] = len(a[-3:e])
        out[i, 9] = len(a[s:-2])
        out[i, 10] = len(a[-20:e])
        out[i, 11] = len(a[s:e][1:])
        out[i, 12] = len(a[:-9:-1])
        out[i, 13] = len(a[-9::-1])
        out[i, 14] = total(a[e::-1][::2])
        out[i, 15] = total(a[s:e:2][::-1])


def expected_lengths(a: np.ndarray) -> np.ndarray:
    rows = []
    for s, e in bounds():
        views = [a[s:e], a[s:], a[:e], a[s:e:2], a[s:e:3], a[e:s:-1], a[e::-2], a[:s:-1], a[-3:e]]
        views += [a[s:-2], a[-20:e], a[s:e][1:], a[:-9:-1], a[-9::-1]]
        rows.append([*map(len, views), a[e::-1][::2].sum(), a[s:e:2][::-1].sum()])
    return np.array(rows, np.int32)


def test_lengths_are_cut_off_as_in_python(device: hw.Device) -> None:
    a, limits = np.arange(1, 8, dtype=np.int32), np.array(bounds(), np.int32)
    out = np.zeros((len(limits), 16), np.int32)
    out, *_ = launch(lengths.forall(len(limits)), device, out, a, limits)
    assert_same(out, expected_lengths(a))


def test_lengths_of_small_and_wide_bounds(device: hw.Device) -> None:
    a = np.arange(1, 8, dtype=np.int32)
    for kind in (np.uint8, np.int64):
        limits = np.array(bounds(), kind)
        out = np.zeros((len(limits), 16), np.int32)
        out, *_ = launch(lengths.forall(len(limits)), device, out, a, limits)
        assert_same(out, expected_lengths(a))


@hw.function
def scale(values, factor):
    for k in range(values.shape[0]):
        values[k] *= factor


@hw.kernel
def written(a):
    i = hw.grid(1)
    if i < a.shape[0]:
        row = a[i]
        scale(row[1:3], 10)
        row[0] = row[-1]
        a[i, 3:][0] += 1
        last = a[i, ::-1]
        last[0] = -1
        hw.atomic.add(row[1:], 0, 5)


def test_what_is_written_through_a_view_is_in_the_array(device: hw.Device) -> None:
    a = np.arange(8 * 5, dtype=np.int32).reshape(8, 5)
    (found,) = launch(written.forall(8), device, a)
    a[:, 1:3] *= 10
    a[:, 0] = a[:, -1]
    a[:, 3] += 1
    a[:, -1] = -1
    a[:, 1] += 5
    assert_same(found, a)


@hw.kernel
def volume(out, a):
    x, y = hw.grid(2)
    if x < a.shape[2] and y < a.shape[1]:
        plane = a[1]
        column = a[:, y, x]
        out[y, x] = plane[y, x] + column[0] + a[..., x][0, y] + a[2, ...][y, x]
        out[y, x] += a[:, y][1, x] + a.T[x, y, 0] + a[1:, ::2][1, 0, x] + plane.T[x][y]


def test_three_dimensions(device: hw.Device) -> None:
    a = np.random.default_rng(1).integers(0, 1000, (3, 4, 5), dtype=np.int32)
    out, _ = launch(volume[(1, 1), (8, 8)], device, np.zeros((4, 5), np.int32), a)
    expected = a[1] * 1 + a[0] + a[0] + a[2] + a[1] + a[0] + a[2, 0] + a[1]
    assert_same(out, expected.astype(np.int32))


@hw.kernel
def four(out, a):
    i = hw.grid(1)
    if i < a.shape[3]:
        pair = (1, i)
        out[i] = total(a[1, :, 2, i]) + a[i % 2][0, 1][i] + a[:, :, :, i][1, 2, 3] + a.size
        out[i] += a[1, ..., pair][2] + a[pair[:1]][..., 0, i][1] + a[0, 1, 2, 3, ...]


def test_four_dimensions(device: hw.Device) -> None:
    a = np.random.default_rng(2).integers(0, 1000, (2, 3, 4, 5), dtype=np.int32)
    out, _ = launch(four.forall(5), device, np.zeros(5, np.int32), a)
    i = np.arange(5)
    expected = a[1, :, 2].sum(0) + a[i % 2, 0, 1, i] + a[1, 2, 3] + a.size
    expected += a[1, 2, 1, i] + a[1, 1, 0, i] + a[0, 1, 2, 3]
    assert_same(out, expected.astype(np.int32))


@hw.kernel
def halves(out, a):
    """Two parts of one shared array, and a matrix of its own."""
    tile = hw.shared.array(2 * BLOCK, hw.float32)
    square = hw.shared.array((4, 8), hw.int32)
    left, right = tile[:BLOCK], tile[BLOCK:]
    t = hw.threadIdx.x
    left[t] = a[t]
    right[BLOCK - 1 - t] = a[t]
    row = square[t // 8]
    row[t % 8] = t
    hw.syncthreads()
    out[t, 0] = tile[t] + tile[t + BLOCK] + len(right)
    out[t, 1] = square.T[t % 8, t // 8] + square[3, ::-1][t % 8]
    out[t, 2] = right.size + right[-1]


def test_views_of_shared_arrays(device: hw.Device) -> None:
    a = np.arange(BLOCK, dtype=np.float32)
    out, _ = launch(halves[1, BLOCK], device, np.zeros((BLOCK, 3), np.float32), a)
    t = np.arange(BLOCK)
    expected = [a + a[::-1] + BLOCK, t + (31 - t % 8), np.full(BLOCK, BLOCK + a[0])]
    assert_same(out, np.stack(expected, axis=1).astype(np.float32))


@hw.kernel
def filled(a, cube):
    i = hw.grid(1)
    if i < a.shape[0]:
        a[i, 1:3] = 7
        a[i, 3:] = a[i, 0] * 2
        cube[i] = 1.5
        cube[i, 0, ::2] = -1.0


def test_a_view_is_filled_with_one_value(device: hw.Device) -> None:
    a = np.arange(6 * 5, dtype=np.int32).reshape(6, 5)
    cube = np.zeros((6, 2, 3), np.float32)
    found, found_cube = launch(filled.forall(6), device, a, cube)
    a[:, 1:3] = 7
    a[:, 3:] = a[:, :1] * 2
    cube[:] = 1.5
    cube[:, 0, ::2] = -1.0
    assert_same(found, a)
    assert_same(found_cube, cube)


@hw.kernel
def moved(out, a, wide):
    i = hw.grid(1)
    if i < a.shape[0]:
        own = hw.local.array(4, hw.int32)
        own[:] = a[i]
        own[0] += 100
        out[i, ::-1] = own
        own[2:] = wide[:2, 0].T[::-1]
        out[i][:2] = own[2:]
        block = hw.local.array((2, 2), hw.int64)
        block[...] = wide[:2]
        wide[2 + i] = block[i % 2, ::-1]


def test_arrays_are_copied(device: hw.Device) -> None:
    a = np.arange(3 * 4, dtype=np.int32).reshape(3, 4)
    wide = np.arange(10, dtype=np.int32).reshape(5, 2)
    out, _, found = launch(moved.forall(3), device, np.zeros_like(a), a, wide)
    a[:, 0] += 100
    expected = a[:, ::-1].copy()
    expected[:, :2] = [2, 0]
    assert_same(out, expected)
    wide[2:] = [[1, 0], [3, 2], [1, 0]]
    assert_same(found, wide)


@hw.function
def pick(a, b, i):
    """A view as a result."""
    return a[i]


@hw.kernel
def reused(out, a, b):
    i = hw.grid(1)
    if i < a.shape[0]:
        sum_ = 0
        for k in range(2):
            row = a[(i + k) % a.shape[0]]
            sum_ += row[k]
        for k in range(2):
            row = b[i]
            sum_ += row[k] * 100
        row = pick(a, b, i)
        out[i] = sum_ + row[0] * 10000


def test_a_name_stands_for_several_views(device: hw.Device) -> None:
    a = np.arange(10, dtype=np.int32).reshape(5, 2)
    b = a[::-1] + np.int32(3)
    out, *_ = launch(reused.forall(5), device, np.zeros(5, np.int32), a, b)
    expected = a[:, 0] + np.roll(a[:, 1], -1) + 100 * b.sum(1) + 10000 * a[:, 0]
    assert_same(out, expected.astype(np.int32))


@hw.kernel
def of_vectors(out, p):
    i = hw.grid(1)
    if i < p.shape[0]:
        tail = p[i, 1:]
        tail[0].y = 9
        out[i] = tail[-1].x + p[i][0].z + p.T[0, i][1]


def test_views_of_vector_arrays(device: hw.Device) -> None:
    p = np.arange(4 * 3 * 3, dtype=np.float32).reshape(4, 3, 3)
    sent = device.array(p, hw.vec3f)
    out = device.zeros(4)
    of_vectors.forall(4)(out, sent)
    assert_same(out.numpy(), p[:, 2, 0] + p[:, 0, 2] + p[:, 0, 1])
    p[:, 1, 1] = 9
    assert_same(sent.numpy(), p)


# --- views of the host ----------------------------------------------------------------------------

HOST: dict[str, Any] = {
    "rows": lambda a: a[1:4],
    "columns": lambda a: a[:, 2:],
    "steps": lambda a: a[::2, ::3],
    "backwards": lambda a: a[::-1, ::-1],
    "transposed": lambda a: a.T,
    "part of a part": lambda a: a[1:, 1:][::2, :3],
}


@hw.kernel
def doubled(a):
    x, y = hw.grid(2)
    a[y, x] = a[y, x] * 2 + a[y, ::-1][a.shape[1] - 1 - x]


@pytest.mark.parametrize("name", HOST)
def test_a_view_of_the_host_is_an_argument(device: hw.Device, name: str) -> None:
    a = np.arange(6 * 7, dtype=np.int32).reshape(6, 7)
    sent = device.array(a)
    part = HOST[name](sent)
    doubled.over(part.shape[::-1])(part)
    HOST[name](a)[:] *= 3
    assert_same(sent.numpy(), a)


# --- what is wrong --------------------------------------------------------------------------------


@hw.kernel
def stepped(out, n):
    out[0] = len(out[::n])


@hw.kernel
def whole(out):
    out[:2] = out[2:]


@hw.kernel
def swapped(out):
    a, b = out[:2], out[2:]
    for _ in range(3):
        a = b
    a[0] = 1


@hw.kernel
def too_many(out):
    row = out[1:]
    row[0, 0] = 1


@pytest.mark.parametrize(
    ("kernel", "arguments", "sentence"),
    [
        (stepped, (2,), "the step of a slice must be an integer that is known when compiling"),
        (whole, (), "'out' and 'out' may share memory"),
        (swapped, (), "'a' would stand for another array in the next trip"),
        (too_many, (), "'out' has 1 dimension, but 2 indices were given"),
    ],
)
def test_wrong_views(kernel: hw.Kernel, arguments: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(CompileError, match=sentence):
        launch(kernel[1, 1], hw.device("reference"), np.zeros(4, np.int32), *arguments)
