"""Shared arrays and barriers: reductions, scans, transposes, and early return."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.language.bench import SIZES, assert_same, blocks_for, launch

import headwater as hw

BLOCK = 64


@hw.kernel(contract=False)
def block_sum(out, a):
    tile = hw.shared.array(BLOCK, hw.float32)
    t = hw.threadIdx.x
    i = hw.grid(1)
    tile[t] = a[i] if i < len(a) else 0.0
    hw.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if t < step:
            tile[t] += tile[t + step]
        hw.syncthreads()
        step //= 2
    if t == 0:
        out[hw.blockIdx.x] = tile[0]


def tree_sum(values: np.ndarray) -> np.float32:
    step = len(values) // 2
    values = values.copy()
    while step > 0:
        values[:step] += values[step : 2 * step]
        step //= 2
    return values[0]


@pytest.mark.parametrize("n", SIZES)
def test_block_reduction(device: hw.Device, n: int) -> None:
    a = np.random.default_rng(n).standard_normal(n).astype(np.float32)
    blocks = blocks_for(n, BLOCK)
    out, _ = launch(block_sum[blocks, BLOCK], device, np.zeros(blocks, np.float32), a)
    padded = np.zeros(blocks * BLOCK, np.float32)
    padded[:n] = a
    assert_same(out, np.array([tree_sum(row) for row in padded.reshape(blocks, BLOCK)]))


def scan_of(block: int):
    @hw.kernel(contract=False)
    def block_scan(out, a):
        """Hillis and Steele, with two barriers in each round."""
        tile = hw.shared.array(block, hw.int32)
        t = hw.threadIdx.x
        i = hw.grid(1)
        tile[t] = a[i] if i < len(a) else 0
        hw.syncthreads()
        step = 1
        while step < block:
            value = tile[t]
            if t >= step:
                value += tile[t - step]
            hw.syncthreads()
            tile[t] = value
            hw.syncthreads()
            step *= 2
        if i < len(out):
            out[i] = tile[t]

    return block_scan


@pytest.mark.parametrize("block", [1, 25, 32, 33, 64, 256])
def test_block_scan(device: hw.Device, block: int) -> None:
    n = 257
    a = np.arange(n, dtype=np.int32) * 7 % 31
    out, _ = launch(scan_of(block)[blocks_for(n, block), block], device, np.zeros(n, np.int32), a)
    expected = [np.cumsum(a[start : start + block]) for start in range(0, n, block)]
    assert_same(out, np.concatenate(expected).astype(np.int32))


TILE_X, TILE_Y = 8, 5


@hw.kernel(contract=False)
def transpose(out, a):
    tile = hw.shared.array((TILE_Y, TILE_X), hw.float64)
    x, y = hw.grid(2)
    if y < a.shape[0] and x < a.shape[1]:
        tile[hw.threadIdx.y, hw.threadIdx.x] = a[y, x]
    hw.syncthreads()
    # The thread's number, read along the other axis of the tile.
    number = hw.threadIdx.x + TILE_X * hw.threadIdx.y
    column = number // TILE_Y
    row = number % TILE_Y
    from_y = hw.blockIdx.y * TILE_Y + row
    from_x = hw.blockIdx.x * TILE_X + column
    if from_y < a.shape[0] and from_x < a.shape[1]:
        out[from_x, from_y] = tile[row, column]


@pytest.mark.parametrize("shape", [(5, 8), (10, 16), (13, 21), (1, 1), (6, 9)])
def test_transpose_through_a_tile(device: hw.Device, shape: tuple[int, int]) -> None:
    a = np.random.default_rng(0).standard_normal(shape)
    grid = (blocks_for(shape[1], TILE_X), blocks_for(shape[0], TILE_Y))
    out, _ = launch(transpose[grid, (TILE_X, TILE_Y)], device, np.zeros(shape[::-1]), a)
    assert_same(out, a.T)


@hw.kernel(contract=False)
def rounds(out, n, trips):
    """Each thread takes its neighbour's value in each round; threads past n have left."""
    tile = hw.shared.array(33, hw.int32)
    t = hw.threadIdx.x
    tile[t] = t * 10
    hw.syncthreads()
    if t >= n:
        return
    for k in range(trips):
        value = tile[(t + 1) % 33]
        hw.syncthreads()
        tile[t] = value + k
        hw.syncthreads()
    out[t] = tile[t]


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 32, 33])
@pytest.mark.parametrize("trips", [0, 1, 4])
def test_threads_that_left_keep_what_they_wrote(device: hw.Device, n: int, trips: int) -> None:
    (out,) = launch(rounds[1, 33], device, np.full(33, -1, np.int32), n, trips)
    tile = np.arange(33, dtype=np.int32) * 10
    for k in range(trips):
        moved = np.roll(tile, -1) + k
        tile[:n] = moved[:n]
    assert_same(out, np.where(np.arange(33) < n, tile, -1).astype(np.int32))


@hw.kernel(contract=False)
def leave_in_a_round(out, a, trips):
    """A thread leaves in the round that its value names; the others go on."""
    tile = hw.shared.array(25, hw.int32)
    t = hw.threadIdx.x
    tile[t] = 0
    out[t] = -1
    for k in range(trips):
        hw.syncthreads()
        if a[t] == k:
            out[t] = tile[(t + 1) % 25] * 100 + k
            return
        hw.syncthreads()
        tile[t] += 1
    out[t] = tile[t]


def test_return_inside_a_loop_with_barriers(device: hw.Device) -> None:
    a = (np.arange(25, dtype=np.int32) * 3) % 8
    out, _ = launch(leave_in_a_round[1, 25], device, np.zeros(25, np.int32), a, 5)
    seen = np.minimum(np.roll(a, -1), a)  # the neighbour counts its rounds until it leaves
    assert_same(out, np.where(a < 5, seen * 100 + a, 5).astype(np.int32))


@hw.kernel(contract=False)
def while_after_return(out, n, trips):
    tile = hw.shared.array(17, hw.int32)
    t = hw.threadIdx.x
    tile[t] = t
    hw.syncthreads()
    if t >= n:
        return
    left = trips
    while left > 0:
        left -= 1
        value = tile[(t + 1) % 17]
        hw.syncthreads()
        tile[t] = value
        hw.syncthreads()
    out[t] = tile[t]


@pytest.mark.parametrize("n", [0, 9, 16, 17])
def test_while_with_barriers_after_a_return(device: hw.Device, n: int) -> None:
    (out,) = launch(while_after_return[1, 17], device, np.full(17, -1, np.int32), n, 3)
    tile = np.arange(17, dtype=np.int32)
    for _ in range(3):
        moved = np.roll(tile, -1)
        tile[:n] = moved[:n]
    assert_same(out, np.where(np.arange(17) < n, tile, -1).astype(np.int32))


@hw.kernel(contract=False)
def uniform_branches(out, flags):
    """Barriers under an if that all threads of a block take alike."""
    tile = hw.shared.array(32, hw.int32)
    t = hw.threadIdx.x
    tile[t] = t
    if flags[hw.blockIdx.x] > 0:
        hw.syncthreads()
        value = tile[31 - t]
    else:
        value = -t
    for k in range(hw.blockIdx.x):
        hw.syncthreads()
        tile[t] = value + k
        hw.syncthreads()
        if k == 1:
            break
        value = tile[(t + 1) % 32]
    out[hw.grid(1)] = value


def test_barriers_in_uniform_branches(device: hw.Device) -> None:
    flags = np.array([0, 1, 1, 0, 1], np.int32)
    out, _ = launch(uniform_branches[5, 32], device, np.zeros(160, np.int32), flags)
    expected = []
    for block, flag in enumerate(flags.tolist()):
        value = 31 - np.arange(32) if flag else -np.arange(32)
        for k in range(block):
            if k == 1:
                break
            value = np.roll(value + k, -1)
        expected.append(value)
    assert_same(out, np.concatenate(expected).astype(np.int32))


@hw.kernel(contract=False)
def values_across_barriers(out, a):
    """Scalars of every type live across barriers."""
    tile = hw.shared.array(33, hw.float32)
    t = hw.threadIdx.x
    i = hw.grid(1)
    whole = hw.int64(a[i]) * 1000000007
    flag = a[i] > 10
    double = hw.float64(a[i]) / 3.0
    count = hw.uint32(a[i])
    tile[t] = a[i] * 0.5
    hw.syncthreads()
    other = tile[32 - t]
    hw.syncthreads()
    tile[t] = other + 1.0
    hw.syncthreads()
    out[i, 0] = hw.float64(whole)
    out[i, 1] = double if flag else -double
    out[i, 2] = hw.float64(count << 30)
    out[i, 3] = hw.float64(tile[32 - t])


def test_values_live_across_barriers(device: hw.Device) -> None:
    a = np.arange(66, dtype=np.int32) % 29
    out, _ = launch(values_across_barriers[2, 33], device, np.zeros((66, 4)), a)
    third = a / 3.0
    columns = [a.astype(np.int64) * 1000000007, np.where(a > 10, third, -third)]
    columns += [(a.astype(np.uint32) << np.uint32(30)), a * 0.5 + 1.0]
    assert_same(out, np.stack(columns, axis=1).astype(np.float64))


@hw.kernel(contract=False)
def histogram(out, a):
    bins = hw.shared.array(5, hw.int32)
    t = hw.threadIdx.x
    if t < 5:
        bins[t] = 0
    hw.syncthreads()
    i = hw.grid(1)
    if i < len(a):
        hw.atomic.add(bins, a[i] % 5, 1)
    hw.syncthreads()
    if t < 5:
        hw.atomic.add(out, t, bins[t])


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("block", [25, 32, 64])
def test_shared_histogram(device: hw.Device, n: int, block: int) -> None:
    a = np.arange(n, dtype=np.int32) ** 2
    out, _ = launch(histogram[blocks_for(n, block), block], device, np.zeros(5, np.int32), a)
    assert_same(out, np.bincount(a % 5, minlength=5).astype(np.int32))


@hw.kernel(contract=False)
def matmul(c, a, b):
    """The tiled product of every CUDA tutorial, for sizes that fill no tile."""
    left = hw.shared.array((4, 4), hw.float32)
    right = hw.shared.array((4, 4), hw.float32)
    column, row = hw.grid(2)
    tx, ty = hw.threadIdx.x, hw.threadIdx.y
    total = hw.float32(0.0)
    for start in range(0, a.shape[1], 4):
        left[ty, tx] = a[row, start + tx] if row < a.shape[0] and start + tx < a.shape[1] else 0.0
        right[ty, tx] = (
            b[start + ty, column] if start + ty < b.shape[0] and column < b.shape[1] else 0.0
        )
        hw.syncthreads()
        for k in range(4):
            total += left[ty, k] * right[k, tx]
        hw.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


def test_tiled_matrix_product(device: hw.Device) -> None:
    rng = np.random.default_rng(5)
    a = rng.integers(-8, 8, (6, 7)).astype(np.float32)  # small integers: exact in any order
    b = rng.integers(-8, 8, (7, 9)).astype(np.float32)
    out, *_ = launch(matmul[(3, 2), (4, 4)], device, np.zeros((6, 9), np.float32), a, b)
    assert_same(out, a @ b)


@hw.kernel(contract=False)
def levels(out, a):
    t = hw.threadIdx.x
    k = 0
    while True:
        above = a[t] > k
        count = hw.syncthreads_count(above)
        if count == 0:
            break
        k += 1
        if above:
            out[t] += count


def test_a_loop_around_barriers_compiles_in_silence(
    device: hw.Device, cache_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """LLVM once took the note of the loop over groups for one of this loop, and wrote a warning."""
    a = np.random.default_rng(6).integers(0, 6, 40).astype(np.int32)
    out, _ = launch(levels[1, 40], device, np.zeros(40, np.int32), a)
    counts = np.array([(a > k).sum() for k in range(6)])
    assert_same(out, np.array([counts[:n].sum() for n in a], np.int32))
    assert "unroll" not in capfd.readouterr().err
