"""Sorts, histograms, compactions, early exits and fences: what threads of a block decide together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.language.bench import assert_same, blocks_for, launch
from tests.language.blocks import THREADS, fits, next_power

import headwater as hw
from headwater.errors import CapabilityError

FULL = 0xFFFFFFFF


def values(n: int, most: int = 1000) -> np.ndarray:
    return np.random.default_rng(n).integers(-most, most, n).astype(np.int32)


# --- sorts of a block: each a function of the block size that gives a kernel (out, a) -------------


def bitonic(block: int) -> Any:
    """A power of two of values, the largest where there are none; a barrier after each step."""
    size = next_power(block)

    @hw.kernel
    def sort(out, a):
        tile = hw.shared.array(size, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        for k in range(t + block, size, block):
            tile[k] = 2147483647
        tile[t] = a[i] if i < len(a) else 2147483647
        hw.syncthreads()
        run = 2
        while run <= size:
            step = run // 2
            while step > 0:
                for k in range(t, size, block):
                    other = k ^ step
                    if other > k:
                        upwards = k & run == 0
                        x, y = tile[k], tile[other]
                        if (x > y) == upwards:
                            tile[k] = y
                            tile[other] = x
                hw.syncthreads()
                step //= 2
            run *= 2
        if i < len(out):
            out[i] = tile[t]

    return sort


def odd_even(block: int) -> Any:
    """Neighbours, as many rounds as there are values."""

    @hw.kernel
    def sort(out, a):
        tile = hw.shared.array(block, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        tile[t] = a[i] if i < len(a) else 2147483647
        for k in range(block):
            hw.syncthreads()
            if (t + k) % 2 == 0 and t + 1 < block and tile[t] > tile[t + 1]:
                kept = tile[t]
                tile[t] = tile[t + 1]
                tile[t + 1] = kept
        hw.syncthreads()
        if i < len(out):
            out[i] = tile[t]

    return sort


def odd_even_until_sorted(block: int) -> Any:
    """The threads vote whether to go on."""

    @hw.kernel
    def sort(out, a):
        tile = hw.shared.array(block, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        tile[t] = a[i] if i < len(a) else 2147483647
        hw.syncthreads()
        going = True
        while going:
            changed = False
            for k in hw.static_range(2):
                if t % 2 == k and t + 1 < block and tile[t] > tile[t + 1]:
                    kept = tile[t]
                    tile[t] = tile[t + 1]
                    tile[t + 1] = kept
                    changed = True
                hw.syncthreads()
            going = hw.syncthreads_or(changed)
        if i < len(out):
            out[i] = tile[t]

    return sort


def by_rank(block: int) -> Any:
    """Each thread counts what belongs before its value."""

    @hw.kernel
    def sort(out, a):
        tile = hw.shared.array((2, block), hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        own = a[i] if i < len(a) else 2147483647
        tile[0, t] = own
        hw.syncthreads()
        rank = 0
        for k in range(block):
            other = tile[0, k]
            if other < own or (other == own and k < t):
                rank += 1
        tile[1, rank] = own
        hw.syncthreads()
        if i < len(out):
            out[i] = tile[1, t]

    return sort


def by_digits(block: int) -> Any:
    """One bit after another: ballots give each value its place among zeros and ones."""
    warps = -(-block // 32)

    @hw.kernel
    def sort(out, a):
        tile = hw.shared.array(block, hw.uint32)
        zeros = hw.shared.array(33, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        warp = t // 32
        tile[t] = hw.uint32(a[i]) ^ 0x80000000 if i < len(a) else hw.uint32(FULL)
        for bit in range(32):
            hw.syncthreads()
            own = tile[t]
            zero = (own >> bit) & 1 == 0
            here = hw.ballot_sync(FULL, zero)
            if hw.laneid == 0:
                zeros[warp] = hw.int32(hw.popc(here))
            hw.syncthreads()
            before, total = 0, 0
            for w in range(warps):
                if w < warp:
                    before += zeros[w]
                total += zeros[w]
            before += hw.int32(hw.popc(here & hw.lanemask_lt()))
            place = before if zero else total + t - before
            tile[place] = own
        hw.syncthreads()
        if i < len(out):
            out[i] = hw.int32(tile[t] ^ 0x80000000)

    return sort


SORTS: list[Callable[[int], Any]] = [bitonic, odd_even, odd_even_until_sorted, by_rank, by_digits]


@pytest.mark.parametrize("block", THREADS)
@pytest.mark.parametrize("pattern", SORTS, ids=[f.__name__ for f in SORTS])
def test_sorts(device: hw.Device, pattern: Callable[[int], Any], block: int) -> None:
    fits(device, block)
    n = block + block // 2 + 1
    a = values(n, 50)
    kernel = pattern(block)[blocks_for(n, block), block]
    out, _ = launch(kernel, device, np.zeros(n, np.int32), a)
    parts = [np.sort(a[start : start + block]) for start in range(0, n, block)]
    assert_same(out, np.concatenate(parts))


# --- histograms and compactions -------------------------------------------------------------------

BINS = 20


@hw.kernel
def histogram_of_warps(out, a):
    """Each warp counts for itself; the block adds the warps up."""
    bins = hw.shared.array((32, BINS), hw.uint32)
    t, i = hw.threadIdx.x, hw.grid(1)
    warps = (hw.blockDim.x + 31) // 32
    for k in range(t, warps * BINS, hw.blockDim.x):
        bins[k // BINS, k % BINS] = 0
    hw.syncthreads()
    while i < len(a):
        hw.atomic.add(bins, (t // 32, a[i] % BINS), 1)
        i += hw.gridsize(1)
    hw.syncthreads()
    for k in range(t, BINS, hw.blockDim.x):
        total = hw.uint32(0)
        for w in range(warps):
            total += bins[w, k]
        hw.atomic.add(out, k, total)


@pytest.mark.parametrize("block", THREADS)
def test_histogram_of_warps(device: hw.Device, block: int) -> None:
    fits(device, block)
    a = values(700)
    out, _ = launch(histogram_of_warps[2, block], device, np.zeros(BINS, np.uint32), a)
    assert_same(out, np.bincount(a % BINS, minlength=BINS).astype(np.uint32))


@hw.kernel
def compact_by_count(out, ends, a):
    """The place of what is kept by a vote of the warp and a scan of the warps' counts."""
    counts = hw.shared.array(33, hw.int32)
    t, i = hw.threadIdx.x, hw.grid(1)
    kept = i < len(a) and a[i] > 0
    total = hw.syncthreads_count(kept)
    here = hw.ballot_sync(FULL, kept)
    if hw.laneid == 0:
        counts[t // 32 + 1] = hw.int32(hw.popc(here))
    if t == 0:
        counts[0] = 0
    hw.syncthreads()
    if t == 0:
        for w in range((hw.blockDim.x + 31) // 32):
            counts[w + 1] += counts[w]
    hw.syncthreads()
    if kept:
        place = counts[t // 32] + hw.int32(hw.popc(here & hw.lanemask_lt()))
        out[hw.blockIdx.x, place] = a[i]
    ends[i] = total


@pytest.mark.parametrize("block", THREADS)
def test_compaction(device: hw.Device, block: int) -> None:
    fits(device, block)
    n = 2 * block + block // 2
    a = values(n)
    start = np.full((3, block), -1, np.int32)
    out, ends, _ = launch(
        compact_by_count[3, block], device, start, np.zeros(3 * block, np.int32), a
    )
    for b in range(3):
        part = a[b * block : (b + 1) * block]
        part = part[part > 0]
        assert_same(out[b], np.concatenate([part, np.full(block - len(part), -1)]).astype(np.int32))
        assert (ends[b * block : (b + 1) * block] == len(part)).all()


# --- threads that leave early ---------------------------------------------------------------------


def leave_by_turns(block: int) -> Any:
    """In each round some threads return, in the middle of a loop with barriers and votes."""

    @hw.kernel
    def turns(out, left, a):
        tile = hw.shared.array(block, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        if i >= len(a):
            return
        tile[t] = 0
        for k in range(6):
            alive = hw.syncthreads_count(a[i] != k + 1)
            if t == 0:
                left[hw.blockIdx.x, k] = alive
            if a[i] == k:
                out[i] = tile[(t + 1) % block] + 100 * k
                return
            hw.syncthreads()
            tile[t] += 1
            hw.syncthreads()
        if hw.syncthreads_and(a[i] > 6):
            out[i] = -7
        if hw.syncthreads_or(a[i] == 9):
            out[i] -= 9

    return turns


@pytest.mark.parametrize("block", THREADS)
def test_exits_inside_a_loop_of_barriers(device: hw.Device, block: int) -> None:
    fits(device, block)
    n = 2 * block + block // 2
    a = np.random.default_rng(n).integers(0, 11, n).astype(np.int32)
    a[::block] = 10  # the first thread of a block stays, to write
    a[-1] = 10  # and so does the last one, whose neighbour was never there
    blocks = blocks_for(n, block)
    start = (np.zeros(n, np.int32), np.zeros((blocks, 6), np.int32))
    out, left, _ = launch(leave_by_turns(block)[blocks, block], device, *start, a)
    for b in range(blocks):
        part = a[b * block : (b + 1) * block]
        rounds = np.minimum(np.roll(part, -1), part)
        want = np.where(part < 6, rounds + 100 * part, 0)
        alive = part >= 6
        want[alive] += -7 * int((part[alive] > 6).all()) - 9 * int((part[alive] == 9).any())
        assert_same(out[b * block : b * block + len(part)], want.astype(np.int32))
        counts = [((part >= k) & (part != k + 1)).sum() for k in range(6)]
        assert_same(left[b], np.array(counts, np.int32))


# --- blocks that work for each other --------------------------------------------------------------


def last_block_adds(block: int) -> Any:
    """Each block leaves its sum, fences it and takes a number; the one with the last number adds the sums up."""

    @hw.kernel
    def total(out, partial, taken, a):
        tile = hw.shared.array(block, hw.int32)
        last = hw.shared.array(1, hw.int32)
        t, i = hw.threadIdx.x, hw.grid(1)
        mine = 0
        while i < len(a):
            mine += a[i]
            i += hw.gridsize(1)
        tile[t] = mine
        hw.syncthreads()
        left = block
        while left > 1:
            half = (left + 1) // 2
            if t < left // 2:
                tile[t] += tile[t + half]
            hw.syncthreads()
            left = half
        if t == 0:
            partial[hw.blockIdx.x] = tile[0]
            hw.threadfence()
            number = hw.atomic.inc(taken, 0, hw.uint32(hw.gridDim.x - 1))
            last[0] = 1 if number == hw.gridDim.x - 1 else 0
        hw.syncthreads()
        if hw.uniform(last[0]) == 1:
            hw.threadfence()
            if t == 0:
                total = 0
                for k in range(hw.gridDim.x):
                    total += partial[k]
                out[0] = total

    return total


@pytest.mark.parametrize("block", THREADS)
def test_the_last_block_adds_up(device: hw.Device, block: int) -> None:
    fits(device, block)
    a = values(500)
    start = (np.zeros(1, np.int32), np.zeros(7, np.int32), np.zeros(1, np.uint32))
    kernel = last_block_adds(block)[7, block]
    if not device.capabilities.device_fences:
        with pytest.raises(CapabilityError, match="fence that orders writes between blocks"):
            launch(kernel, device, *start, a)
        return
    out, _, taken, _ = launch(kernel, device, *start, a)
    assert_same(out, np.array([a.sum()], np.int32))
    assert taken[0] == 0  # it wraps, ready for the next launch
