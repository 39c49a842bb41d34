"""Tiles in shared memory: transposes, stencils with halos, products, convolutions, in blocks that fill no array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.language.bench import assert_same, blocks_for, launch
from tests.language.blocks import THREADS, fits

import headwater as hw

TILES = ((1, 1), (5, 5), (8, 8), (16, 16), (32, 32))


def numbers(*shape: int) -> np.ndarray:
    """Small whole numbers, so that sums are exact in any order."""
    return np.random.default_rng(sum(shape)).integers(-9, 10, shape).astype(np.float32)


def grid_for(shape: tuple[int, ...], block: tuple[int, ...]) -> tuple[int, ...]:
    """Blocks along x, y, ... for an array of this shape."""
    return tuple(blocks_for(n, b) for n, b in zip(reversed(shape), block, strict=True))


# --- transposes -----------------------------------------------------------------------------------


def square_transpose(size: int) -> Any:
    """A tile with a column more than it needs, read along the other axis."""

    @hw.kernel
    def transpose(out, a):
        tile = hw.shared.array((size, size + 1), hw.float32)
        tx, ty = hw.threadIdx.x, hw.threadIdx.y
        x, y = hw.grid(2)
        if y < a.shape[0] and x < a.shape[1]:
            tile[ty, tx] = a[y, x]
        hw.syncthreads()
        x = hw.blockIdx.y * size + tx
        y = hw.blockIdx.x * size + ty
        if y < out.shape[0] and x < out.shape[1]:
            out[y, x] = tile[tx, ty]

    return transpose


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("shape", [(1, 1), (33, 40), (7, 65)])
def test_transpose(device: hw.Device, tile: tuple[int, int], shape: tuple[int, int]) -> None:
    fits(device, tile[0] * tile[1])
    a = numbers(*shape)
    kernel = square_transpose(tile[0])[grid_for(shape, tile), tile]
    out, _ = launch(kernel, device, np.zeros(shape[::-1], np.float32), a)
    assert_same(out, a.T)


def rows_by_turns(rows: int) -> Any:
    """A tile of 32 x 32 for 32 x `rows` threads: each goes down its column."""

    @hw.kernel
    def transpose(out, a):
        tile = hw.shared.array((32, 33), hw.float32)
        tx, ty = hw.threadIdx.x, hw.threadIdx.y
        x = hw.blockIdx.x * 32 + tx
        y = hw.blockIdx.y * 32 + ty
        for j in range(0, 32, rows):
            if x < a.shape[1] and y + j < a.shape[0] and ty + j < 32:
                tile[ty + j, tx] = a[y + j, x]
        hw.syncthreads()
        x = hw.blockIdx.y * 32 + tx
        y = hw.blockIdx.x * 32 + ty
        for j in range(0, 32, rows):
            if x < out.shape[1] and y + j < out.shape[0] and ty + j < 32:
                out[y + j, x] = tile[tx, ty + j]

    return transpose


@pytest.mark.parametrize("rows", [1, 3, 8])
def test_transpose_by_columns(device: hw.Device, rows: int) -> None:
    fits(device, 32 * rows)
    a = numbers(50, 70)
    kernel = rows_by_turns(rows)[(3, 2), (32, rows)]
    out, _ = launch(kernel, device, np.zeros((70, 50), np.float32), a)
    assert_same(out, a.T)


@hw.kernel
def permute(out, a):
    """Axes (z, y, x) to (x, z, y), by way of a tile of three axes."""
    tile = hw.shared.array((4, 3, 2), hw.float32)
    tx, ty, tz = hw.threadIdx.x, hw.threadIdx.y, hw.threadIdx.z
    x, y, z = hw.grid(3)
    if z < a.shape[0] and y < a.shape[1] and x < a.shape[2]:
        tile[tz, ty, tx] = a[z, y, x]
    hw.syncthreads()
    if z < a.shape[0] and y < a.shape[1] and x < a.shape[2]:
        out[x, z, y] = tile[tz, ty, tx]


def test_permutation_of_three_axes(device: hw.Device) -> None:
    a = numbers(5, 7, 3)
    kernel = permute[grid_for(a.shape, (2, 3, 4)), (2, 3, 4)]
    out, _ = launch(kernel, device, np.zeros((3, 5, 7), np.float32), a)
    assert_same(out, a.transpose(2, 0, 1))


# --- stencils -------------------------------------------------------------------------------------


def line_stencil(block: int, radius: int) -> Any:
    """A halo on both sides, loaded by as many threads as it takes."""

    @hw.kernel
    def stencil(out, a):
        tile = hw.shared.array(block + 2 * radius, hw.float32)
        t, i = hw.threadIdx.x, hw.grid(1)
        first = hw.blockIdx.x * block - radius
        for k in range(t, block + 2 * radius, block):
            place = first + k
            tile[k] = a[place] if place >= 0 and place < len(a) else 0.0
        hw.syncthreads()
        if i < len(out):
            total = hw.float32(0.0)
            for k in range(-radius, radius + 1):
                total += tile[t + radius + k] * (k + 1)
            out[i] = total

    return stencil


@pytest.mark.parametrize("block", THREADS)
@pytest.mark.parametrize("radius", [1, 4])
def test_a_stencil_of_a_line(device: hw.Device, block: int, radius: int) -> None:
    fits(device, block)
    n = 2 * block + block // 3 + 2
    a = numbers(n)
    kernel = line_stencil(block, radius)[blocks_for(n, block), block]
    out, _ = launch(kernel, device, np.zeros(n, np.float32), a)
    padded = np.pad(a, radius)
    expected = sum(
        padded[radius + k : radius + k + n] * np.float32(k + 1) for k in range(-radius, radius + 1)
    )
    assert_same(out, np.asarray(expected, np.float32))


def relaxation(block: int) -> Any:
    """Steps inside a block: a barrier between reading and writing, and one after it."""

    @hw.kernel
    def relax(out, a, steps):
        tile = hw.shared.array(block, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        tile[t] = a[i] if i < len(a) else 0
        hw.syncthreads()
        for k in range(steps):
            left = tile[t - 1] if t > 0 else 0
            right = tile[t + 1] if t < block - 1 else 0
            hw.syncthreads()
            tile[t] = (left + 2 * tile[t] + right + k) // 4
            hw.syncthreads()
        if i < len(out):
            out[i] = tile[t]

    return relax


@pytest.mark.parametrize("block", THREADS)
@pytest.mark.parametrize("steps", [0, 1, 7])
def test_relaxation_in_a_loop_with_two_barriers(device: hw.Device, block: int, steps: int) -> None:
    fits(device, block)
    n = 2 * block - block // 4
    a = numbers(n).astype(np.int32) * 1000
    out, _ = launch(relaxation(block)[2, block], device, np.zeros(n, np.int32), a, steps)
    tiles = np.zeros(2 * block, np.int32)
    tiles[:n] = a
    tiles = tiles.reshape(2, block)
    for k in range(steps):
        padded = np.pad(tiles, ((0, 0), (1, 1)))
        tiles = (padded[:, :-2] + 2 * tiles + padded[:, 2:] + k) // 4
    assert_same(out, tiles.ravel()[:n].astype(np.int32))


def plane_stencil(width: int, height: int) -> Any:
    """A tile with a ring around it: the threads at the edges load the ring, corners too."""

    @hw.kernel
    def stencil(out, a):
        tile = hw.shared.array((height + 2, width + 2), hw.float32)
        tx, ty = hw.threadIdx.x, hw.threadIdx.y
        x, y = hw.grid(2)
        for j in range(ty, height + 2, height):
            for k in range(tx, width + 2, width):
                row = hw.blockIdx.y * height + j - 1
                column = hw.blockIdx.x * width + k - 1
                inside = row >= 0 and row < a.shape[0] and column >= 0 and column < a.shape[1]
                tile[j, k] = a[row, column] if inside else 0.0
        hw.syncthreads()
        if y < out.shape[0] and x < out.shape[1]:
            total = hw.float32(0.0)
            for j in hw.static_range(3):
                for k in hw.static_range(3):
                    total += tile[ty + j, tx + k] * (3 * j + k)
            out[y, x] = total

    return stencil


@pytest.mark.parametrize("tile", [(1, 1), (5, 5), (8, 4), (16, 16), (32, 32)])
def test_a_stencil_of_a_plane(device: hw.Device, tile: tuple[int, int]) -> None:
    fits(device, tile[0] * tile[1])
    shape = (9, 34)
    a = numbers(*shape)
    kernel = plane_stencil(*tile)[grid_for(shape, tile), tile]
    out, _ = launch(kernel, device, np.zeros(shape, np.float32), a)
    padded = np.pad(a, 1)
    parts = [
        padded[j : j + shape[0], k : k + shape[1]] * np.float32(3 * j + k)
        for j in range(3)
        for k in range(3)
    ]
    assert_same(out, np.sum(parts, axis=0, dtype=np.float32))


def marching_stencil(width: int, height: int) -> Any:
    """Seven points in space: planes go by in registers, the one in the middle through shared memory."""

    @hw.kernel
    def stencil(out, a):
        tile = hw.shared.array((height + 2, width + 2), hw.int32)
        tx, ty = hw.threadIdx.x + 1, hw.threadIdx.y + 1
        x, y = hw.grid(2)
        depth, rows, columns = a.shape
        inside = y < rows and x < columns
        behind = 0
        middle = a[0, y, x] if inside else 0
        for z in range(depth):
            ahead = a[z + 1, y, x] if inside and z + 1 < depth else 0
            tile[ty, tx] = middle
            if hw.threadIdx.x == 0:
                tile[ty, 0] = a[z, y, x - 1] if y < rows and x > 0 else 0
            if hw.threadIdx.x == width - 1:
                tile[ty, width + 1] = a[z, y, x + 1] if y < rows and x + 1 < columns else 0
            if hw.threadIdx.y == 0:
                tile[0, tx] = a[z, y - 1, x] if x < columns and y > 0 else 0
            if hw.threadIdx.y == height - 1:
                tile[height + 1, tx] = a[z, y + 1, x] if x < columns and y + 1 < rows else 0
            hw.syncthreads()
            if inside:
                around = tile[ty, tx - 1] + tile[ty, tx + 1] + tile[ty - 1, tx] + tile[ty + 1, tx]
                out[z, y, x] = around + behind + ahead - 6 * middle
            hw.syncthreads()
            behind, middle = middle, ahead

    return stencil


@pytest.mark.parametrize("tile", [(1, 1), (5, 5), (8, 4), (16, 16)])
def test_a_stencil_of_space(device: hw.Device, tile: tuple[int, int]) -> None:
    fits(device, tile[0] * tile[1])
    shape = (4, 9, 18)
    a = numbers(*shape).astype(np.int32)
    kernel = marching_stencil(*tile)[grid_for(shape[1:], tile), tile]
    out, _ = launch(kernel, device, np.zeros(shape, np.int32), a)
    p = np.pad(a, 1)
    c = slice(1, -1)
    expected = p[:-2, c, c] + p[2:, c, c] + p[c, :-2, c] + p[c, 2:, c] + p[c, c, :-2] + p[c, c, 2:]
    assert_same(out, expected - 6 * a)


# --- products and convolutions --------------------------------------------------------------------


def tiled_product(size: int) -> Any:
    """Square tiles of both factors, a barrier before and after each step along the sum."""

    @hw.kernel
    def product(c, a, b):
        left = hw.shared.array((size, size), hw.float32)
        right = hw.shared.array((size, size), hw.float32)
        tx, ty = hw.threadIdx.x, hw.threadIdx.y
        column, row = hw.grid(2)
        total = hw.float32(0.0)
        for step in range((a.shape[1] + size - 1) // size):
            k, j = step * size + tx, step * size + ty
            left[ty, tx] = a[row, k] if row < a.shape[0] and k < a.shape[1] else 0.0
            right[ty, tx] = b[j, column] if j < b.shape[0] and column < b.shape[1] else 0.0
            hw.syncthreads()
            for k in range(size):
                total += left[ty, k] * right[k, tx]
            hw.syncthreads()
        if row < c.shape[0] and column < c.shape[1]:
            c[row, column] = total

    return product


@pytest.mark.parametrize("size", [1, 5, 8, 16, 32])
def test_tiled_product(device: hw.Device, size: int) -> None:
    fits(device, size * size)
    a, b = numbers(11, 18), numbers(18, 35)
    kernel = tiled_product(size)[grid_for((11, 35), (size, size)), (size, size)]
    out, *_ = launch(kernel, device, np.zeros((11, 35), np.float32), a, b)
    assert_same(out, a @ b)


WEIGHTS = np.array([1, -2, 3, 5, 3, -2, 1], np.float32)


def convolve_rows(block: int) -> Any:
    """A row of the image with its apron, weights from constant memory."""
    radius = len(WEIGHTS) // 2

    @hw.kernel
    def convolve(out, a):
        weights = hw.const.array_like(WEIGHTS)
        tile = hw.shared.array(block + 2 * radius, hw.float32)
        t, x, y = hw.threadIdx.x, hw.grid(1), hw.blockIdx.y
        for k in range(t, block + 2 * radius, block):
            place = hw.blockIdx.x * block + k - radius
            tile[k] = a[y, place] if place >= 0 and place < a.shape[1] else 0.0
        hw.syncthreads()
        if x < out.shape[1]:
            total = hw.float32(0.0)
            for k in range(len(weights)):
                total += tile[t + k] * weights[k]
            out[y, x] = total

    return convolve


@pytest.mark.parametrize("block", THREADS)
def test_convolution_of_rows_and_then_of_columns(device: hw.Device, block: int) -> None:
    """The columns are the rows of the transpose, which is a view."""
    fits(device, block)
    rows, columns = 3, block + block // 2 + 1
    a = numbers(rows, columns)
    convolve = convolve_rows(block)
    source = device.array(a)
    between, out = device.zeros((rows, columns)), device.zeros((rows, columns))
    convolve[(2, rows), block](between, source)
    convolve[(blocks_for(rows, block), columns), block](out.T, between.T)
    along = np.stack([np.convolve(row, WEIGHTS, "same") for row in np.pad(a, ((0, 0), (3, 3)))])
    expected = np.stack([np.convolve(c, WEIGHTS)[3:-3] for c in along[:, 3:-3].T], axis=1)
    assert_same(between.numpy(), along[:, 3:-3].astype(np.float32))
    assert_same(out.numpy(), expected.astype(np.float32))


@hw.kernel
def cosine_blocks(out, a, table):
    """Squares of 8 x 8: along rows, a barrier, along columns."""
    tile = hw.shared.array((2, 8, 8), hw.int32)
    tx, ty = hw.threadIdx.x, hw.threadIdx.y
    x, y = hw.grid(2)
    tile[0, ty, tx] = a[y, x]
    hw.syncthreads()
    total = 0
    for k in range(8):
        total += tile[0, ty, k] * table[tx, k]
    tile[1, ty, tx] = total
    hw.syncthreads()
    total = 0
    for k in range(8):
        total += tile[1, k, tx] * table[ty, k]
    out[y, x] = total


def test_transform_of_squares(device: hw.Device) -> None:
    fits(device, 64 if device.name != "reference" else 1)
    a, table = numbers(16, 24).astype(np.int32), numbers(8, 8).astype(np.int32)
    out, *_ = launch(cosine_blocks[(3, 2), (8, 8)], device, np.zeros((16, 24), np.int32), a, table)
    expected = a.copy()
    for y in range(0, 16, 8):
        for x in range(0, 24, 8):
            expected[y : y + 8, x : x + 8] = table @ a[y : y + 8, x : x + 8] @ table.T
    assert_same(out, expected)


def all_pairs(block: int) -> Any:
    """The bodies go by in tiles; a barrier before and after each tile."""

    @hw.kernel
    def sums(out, x, m):
        tile = hw.shared.array((2, block), hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        own = x[i] if i < len(x) else 0
        total = 0
        for first in range(0, len(x), block):
            j = first + t
            tile[0, t] = x[j] if j < len(x) else 0
            tile[1, t] = m[j] if j < len(x) else 0
            hw.syncthreads()
            for k in range(block):
                total += tile[1, k] * abs(tile[0, k] - own)
            hw.syncthreads()
        if i < len(x):
            out[i] = total

    return sums


@pytest.mark.parametrize("block", THREADS)
def test_all_pairs_by_tiles(device: hw.Device, block: int) -> None:
    fits(device, block)
    n = block + block // 3 + 2
    x, m = numbers(n).astype(np.int32) * 50, numbers(n + 1)[:n].astype(np.int32)
    kernel = all_pairs(block)[blocks_for(n, block), block]
    out, *_ = launch(kernel, device, np.zeros(n, np.int32), x, m)
    assert_same(out, (m * np.abs(x[:, None] - x)).sum(axis=1).astype(np.int32))
