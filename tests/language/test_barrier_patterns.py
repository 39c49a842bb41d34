"""Reductions and scans of a block: every legal pattern of the usual samples, in blocks of any size and shape.

`test_barrier_tiles` has the tiled patterns, `test_barrier_orders` the sorts, histograms, exits and fences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.language.bench import assert_same, launch
from tests.language.blocks import SHAPES, THREADS, fits, next_power, number

import headwater as hw

FULL = 0xFFFFFFFF


def values(n: int) -> np.ndarray:
    return np.random.default_rng(n).integers(-1000, 1000, n).astype(np.int32)


def sums(a: np.ndarray, block: int, blocks: int) -> np.ndarray:
    """The sum of what each block of a launch holds."""
    padded = np.zeros(block * blocks, np.int32)
    padded[: min(len(a), len(padded))] = a[: len(padded)]
    return padded.reshape(blocks, block).sum(axis=1, dtype=np.int32)


# --- reductions: each a function of the block size that gives a kernel (out, a) -------------------


def interleaved(block: int) -> Any:
    """Neighbours first; the threads that go on lie apart."""

    @hw.kernel
    def reduce(out, a):
        tile = hw.shared.array(block, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        tile[t] = a[i] if i < len(a) else 0
        hw.syncthreads()
        step = 1
        while step < block:
            if t % (2 * step) == 0 and t + step < block:
                tile[t] += tile[t + step]
            hw.syncthreads()
            step *= 2
        if t == 0:
            out[hw.blockIdx.x] = tile[0]

    return reduce


def interleaved_packed(block: int) -> Any:
    """Neighbours first; the first threads go on, at strided places."""

    @hw.kernel
    def reduce(out, a):
        tile = hw.shared.array(block, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        tile[t] = a[i] if i < len(a) else 0
        hw.syncthreads()
        step = 1
        while step < block:
            place = 2 * step * t
            if place + step < block:
                tile[place] += tile[place + step]
            hw.syncthreads()
            step *= 2
        if t == 0:
            out[hw.blockIdx.x] = tile[0]

    return reduce


def sequential(block: int) -> Any:
    """The halves on each other, for any size: an odd one keeps its middle."""

    @hw.kernel
    def reduce(out, a):
        tile = hw.shared.array(block, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        tile[t] = a[i] if i < len(a) else 0
        hw.syncthreads()
        left = hw.blockDim.x
        while left > 1:
            half = (left + 1) // 2
            if t < left // 2:
                tile[t] += tile[t + half]
            hw.syncthreads()
            left = half
        if t == 0:
            out[hw.blockIdx.x] = tile[0]

    return reduce


def warp_synchronous(block: int) -> Any:
    """The last 32 values without barriers: lanes see each other's writes after syncwarp."""
    padded, lanes = max(64, next_power(block)), min(block, 32)

    @hw.kernel
    def reduce(out, a):
        tile = hw.shared.array(padded, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        for k in range(t + block, padded, block):
            tile[k] = 0
        tile[t] = a[i] if i < len(a) else 0
        hw.syncthreads()
        half = padded // 2
        while half > 32:
            for k in range(t, half, block):
                tile[k] += tile[k + half]
            hw.syncthreads()
            half //= 2
        if t < 32:
            while half > 0:
                for k in range(t, half, lanes):
                    tile[k] += tile[k + half]
                hw.syncwarp()
                half //= 2
            if t == 0:
                out[hw.blockIdx.x] = tile[0]

    return reduce


def shuffled(block: int) -> Any:
    """Warps by shuffles, their sums by the first warp."""
    warps = -(-block // 32)

    @hw.kernel
    def reduce(out, a):
        partial = hw.shared.array(32, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        v = a[i] if i < len(a) else 0
        for k in hw.static_range(5):
            other = hw.shfl_down_sync(FULL, v, 16 >> k)
            if t + (16 >> k) < block:
                v += other
        if hw.laneid == 0:
            partial[t // 32] = v
        hw.syncthreads()
        if t < 32:
            v = partial[t] if t < warps else 0
            offset = 16
            while offset > 0:
                other = hw.shfl_down_sync(FULL, v, offset)
                if t + offset < block:
                    v += other
                offset //= 2
            if t == 0:
                out[hw.blockIdx.x] = v

    return reduce


def exchanged(block: int) -> Any:
    """Butterflies: the first lane, at least, has the sum of its warp; atomics add the warps up."""

    @hw.kernel
    def reduce(out, a):
        total = hw.shared.array(1, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        if t == 0:
            total[0] = 0
        hw.syncthreads()
        v = a[i] if i < len(a) else 0
        for k in hw.static_range(5):
            other = hw.shfl_xor_sync(FULL, v, 1 << k)
            v += other if t ^ (1 << k) < block else 0
        if hw.laneid == 0:
            hw.atomic.add(total, 0, v)
        hw.syncthreads()
        if t == block - 1:
            out[hw.blockIdx.x] = total[0]

    return reduce


REDUCTIONS: list[Callable[[int], Any]] = [
    interleaved,
    interleaved_packed,
    sequential,
    warp_synchronous,
    shuffled,
    exchanged,
]


@pytest.mark.parametrize("block", THREADS)
@pytest.mark.parametrize("pattern", REDUCTIONS, ids=[f.__name__ for f in REDUCTIONS])
def test_reductions(device: hw.Device, pattern: Callable[[int], Any], block: int) -> None:
    fits(device, block)
    n = 2 * block + block // 2 + 1
    out, _ = launch(pattern(block)[3, block], device, np.zeros(3, np.int32), values(n))
    assert_same(out, sums(values(n), block, 3))


def grid_stride(block: int) -> Any:
    """Each thread adds up what lies a whole launch apart, then the block reduces."""

    @hw.kernel
    def reduce(out, a):
        tile = hw.shared.array(block, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        total = 0
        while i < len(a):
            total += a[i]
            i += hw.gridsize(1)
        tile[t] = total
        hw.syncthreads()
        left = block
        while left > 1:
            half = (left + 1) // 2
            if t + half < left:
                tile[t] += tile[t + half]
            left = half
            hw.syncthreads()
        if t == 0:
            hw.atomic.add(out, 0, tile[0])

    return reduce


@pytest.mark.parametrize("block", THREADS)
@pytest.mark.parametrize("n", [0, 1, 1000])
def test_a_reduction_that_strides_over_the_grid(device: hw.Device, block: int, n: int) -> None:
    fits(device, block)
    out, _ = launch(grid_stride(block)[2, block], device, np.zeros(1, np.int32), values(n))
    assert_same(out, np.array([values(n).sum()], np.int32))


@hw.kernel
def reduce_any_shape(out, a):
    """Threads of two or three axes by their linear index."""
    tile = hw.shared.array(1024, hw.int32)
    t = number()
    size = hw.blockDim.x * hw.blockDim.y * hw.blockDim.z
    block = hw.blockIdx.x + hw.gridDim.x * hw.blockIdx.y
    tile[t] = a[block * size + t]
    hw.syncthreads()
    left = size
    while left > 1:
        half = (left + 1) // 2
        if t < left // 2:
            tile[t] += tile[t + half]
        hw.syncthreads()
        left = half
    # The lane numbers follow the linear index too.
    if hw.laneid == t % 32:
        hw.atomic.add(out, (block, 1), 1)
    if t == 0:
        out[block, 0] = tile[0]


@pytest.mark.parametrize("shape", SHAPES)
def test_reductions_in_blocks_of_any_shape(device: hw.Device, shape: tuple[int, int, int]) -> None:
    threads = int(np.prod(shape))
    fits(device, threads)
    a = values(6 * threads)
    kernel = reduce_any_shape[(3, 2), shape]
    out, _ = launch(kernel, device, np.zeros((6, 2), np.int32), a)
    assert_same(out, np.stack([sums(a, threads, 6), np.full(6, threads, np.int32)], axis=1))


# --- scans: each a function of the block size that gives a kernel (out, a) ------------------------


def two_barriers(block: int) -> Any:
    """Hillis and Steele in one array: a barrier between reading and writing."""

    @hw.kernel
    def scan(out, a):
        tile = hw.shared.array(block, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        tile[t] = a[i] if i < len(a) else 0
        hw.syncthreads()
        step = 1
        while step < block:
            before = tile[t - step] if t >= step else 0
            hw.syncthreads()
            tile[t] += before
            hw.syncthreads()
            step *= 2
        if i < len(out):
            out[i] = tile[t]

    return scan


def two_halves(block: int) -> Any:
    """Hillis and Steele in two arrays by turns: one barrier a step."""

    @hw.kernel
    def scan(out, a):
        tile = hw.shared.array((2, block), hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        side = 0
        tile[side, t] = a[i] if i < len(a) else 0
        hw.syncthreads()
        step = 1
        while step < block:
            other = 1 - side
            tile[other, t] = tile[side, t]
            if t >= step:
                tile[other, t] += tile[side, t - step]
            side = other
            step *= 2
            hw.syncthreads()
        if i < len(out):
            out[i] = tile[side, t]

    return scan


def up_and_down(block: int) -> Any:
    """Blelloch: sums up a tree and down again, in an array of a power of two."""
    size = next_power(block)

    @hw.kernel
    def scan(out, a):
        tile = hw.shared.array(size, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        own = a[i] if i < len(a) else 0
        tile[t] = own
        if t + block < size:
            tile[t + block] = 0
        offset, nodes = 1, size // 2
        while nodes > 0:
            hw.syncthreads()
            if t < nodes:
                tile[offset * (2 * t + 2) - 1] += tile[offset * (2 * t + 1) - 1]
            offset *= 2
            nodes //= 2
        hw.syncthreads()
        if t == 0:
            tile[size - 1] = 0
        nodes = 1
        while nodes < size:
            offset //= 2
            hw.syncthreads()
            if t < nodes:
                left, right = offset * (2 * t + 1) - 1, offset * (2 * t + 2) - 1
                kept = tile[left]
                tile[left] = tile[right]
                tile[right] += kept
            nodes *= 2
        hw.syncthreads()
        if i < len(out):
            out[i] = tile[t] + own

    return scan


def by_shuffles(block: int) -> Any:
    """Warps by shuffles; the sums of the warps by one more shuffled scan."""
    warps = -(-block // 32)

    @hw.kernel
    def scan(out, a):
        partial = hw.shared.array(32, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        lane, warp = hw.laneid, t // 32
        v = a[i] if i < len(a) else 0
        step = 1
        while step < 32:
            before = hw.shfl_up_sync(FULL, v, step)
            if lane >= step:
                v += before
            step *= 2
        if lane == 31 or t == block - 1:
            partial[warp] = v
        hw.syncthreads()
        if warp == 0:
            w = partial[lane] if lane < warps else 0
            for k in hw.static_range(5):
                before = hw.shfl_up_sync(FULL, w, 1 << k)
                if lane >= 1 << k:
                    w += before
            # With fewer lanes than warps the first warp could not do it; there never are.
            if lane < warps:
                partial[lane] = w
        hw.syncthreads()
        if warp > 0:
            v += partial[warp - 1]
        if i < len(out):
            out[i] = v

    return scan


SCANS: list[Callable[[int], Any]] = [two_barriers, two_halves, up_and_down, by_shuffles]


@pytest.mark.parametrize("block", THREADS)
@pytest.mark.parametrize("pattern", SCANS, ids=[f.__name__ for f in SCANS])
def test_scans(device: hw.Device, pattern: Callable[[int], Any], block: int) -> None:
    fits(device, block)
    n = 2 * block + block // 2 + 1
    a = values(n)
    out, _ = launch(pattern(block)[3, block], device, np.zeros(n, np.int32), a)
    expected = [np.cumsum(a[start : start + block]) for start in range(0, n, block)]
    assert_same(out, np.concatenate(expected).astype(np.int32))


@pytest.mark.parametrize("block", [25, 32, 64, 256])
def test_a_scan_of_many_blocks(device: hw.Device, block: int) -> None:
    """Scan blocks, scan their sums in one block, add."""
    fits(device, block)

    @hw.kernel
    def add(out, scanned, totals):
        i = hw.grid(1)
        if i < len(out):
            before = totals[hw.blockIdx.x - 1] if hw.blockIdx.x > 0 else 0
            out[i] = scanned[i] + before

    @hw.kernel
    def last(totals, scanned):
        b = hw.grid(1)
        if b < len(totals):
            totals[b] = scanned[min((b + 1) * block, len(scanned)) - 1]

    blocks = block - 1
    n = (blocks - 1) * block + 3
    a, scan = values(n), two_barriers(block)
    source, scanned, out = device.array(a), device.zeros(n, hw.int32), device.zeros(n, hw.int32)
    totals, sums_before = device.zeros(blocks, hw.int32), device.zeros(blocks, hw.int32)
    scan[blocks, block](scanned, source)
    last.forall(blocks)(totals, scanned)
    scan[1, block](sums_before, totals)
    add[blocks, block](out, scanned, sums_before)
    assert_same(out.numpy(), np.cumsum(a).astype(np.int32))


@pytest.mark.parametrize("block", [32, 64, 256])
def test_walsh_transform(device: hw.Device, block: int) -> None:
    """Butterflies over shared memory, two values a thread, a barrier before each step."""
    fits(device, block)
    size = 2 * block

    @hw.kernel
    def transform(out, a):
        tile = hw.shared.array(size, hw.int32)
        t = hw.threadIdx.x
        base = hw.blockIdx.x * size
        tile[t] = a[base + t]
        tile[t + block] = a[base + t + block]
        stride = block
        while stride >= 1:
            hw.syncthreads()
            low = t & (stride - 1)
            first = 2 * t - low
            x, y = tile[first], tile[first + stride]
            tile[first] = x + y
            tile[first + stride] = x - y
            stride //= 2
        hw.syncthreads()
        out[base + t] = tile[t]
        out[base + t + block] = tile[t + block]

    a = values(3 * size)
    out, _ = launch(transform[3, block], device, np.zeros(3 * size, np.int32), a)
    hadamard = np.ones((1, 1), np.int64)
    while len(hadamard) < size:
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
    assert_same(out, (a.reshape(3, size) @ hadamard).ravel().astype(np.int32))
