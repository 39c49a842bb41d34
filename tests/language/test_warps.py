"""Functions of a warp and barriers that vote, against a model of 32 lanes in NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.language.bench import assert_same, launch

import headwater as hw

FULL = 0xFFFFFFFF
# Threads of a block, of several shapes; not all are whole warps.
SHAPES = [
    (1, 1, 1),
    (25, 1, 1),
    (32, 1, 1),
    (33, 1, 1),
    (64, 1, 1),
    (256, 1, 1),
    (8, 8, 1),
    (5, 3, 4),
]
KINDS = ("int32", "uint32", "int64", "float32", "float64", "int8", "uint16")


def lanes_of(count: int) -> np.ndarray:
    return np.arange(count) % 32


def grouped(values: np.ndarray, block: int) -> list[np.ndarray]:
    """The positions of each warp's threads, blocks of `block` threads one after the other."""
    positions = np.arange(len(values))
    starts = positions - positions % block + (positions % block) // 32 * 32
    return [np.flatnonzero(starts == start) for start in np.unique(starts)]


# --- shuffles -------------------------------------------------------------------------------------


@hw.kernel
def shuffle_all(out, a, lane, width: hw.constexpr):
    bx, by = hw.blockDim.x, hw.blockDim.y
    t = hw.threadIdx.x + bx * (hw.threadIdx.y + by * hw.threadIdx.z)
    i = hw.blockIdx.x * (bx * by * hw.blockDim.z) + t
    value = a[i]
    out[0, i] = hw.shfl_sync(0xFFFFFFFF, value, lane[i], width)
    out[1, i] = hw.shfl_up_sync(-1, value, lane[i] % 7, width=width)
    out[2, i] = hw.shfl_down_sync(-1, value, lane[i] % 7, width=width)
    out[3, i] = hw.shfl_xor_sync(mask=-1, value=value, lane_mask=lane[i] % 32, width=width)
    out[4, i] = hw.laneid


def shuffled(
    a: np.ndarray, lane: np.ndarray, width: int, block: int
) -> tuple[np.ndarray, np.ndarray]:
    """What each thread gets, and where it is defined: where its source is a thread of the block."""
    out = np.zeros((5, len(a)), a.dtype)
    known = np.zeros((5, len(a)), bool)
    for warp in grouped(a, block):
        for me, i in enumerate(warp):
            section = me // width * width
            delta, wanted = int(lane[i]) % 7, int(lane[i])
            up = me - delta if me - delta >= section else me
            down = me + delta if me + delta < section + width else me
            other = me ^ (wanted % 32)
            across = other if other < section + width else me
            for row, source in enumerate((section + wanted % width, up, down, across)):
                known[row, i] = source < len(warp)
                if known[row, i]:
                    out[row, i] = a[warp[source]]
            out[4, i] = me
            known[4, i] = True
    return out, known


@pytest.mark.parametrize("width", [1, 2, 8, 16, 32])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shuffles(device: hw.Device, shape: tuple[int, int, int], width: int) -> None:
    block = int(np.prod(shape))
    a = (np.arange(2 * block) * 37 % 101).astype(np.int32)
    lane = (np.arange(2 * block) * 5 % 32).astype(np.int32)
    out, *_ = launch(
        shuffle_all[2, shape], device, np.zeros((5, 2 * block), np.int32), a, lane, width
    )
    expected, known = shuffled(a, lane, width, block)
    assert_same(np.where(known, out, 0), np.where(known, expected, 0))


@pytest.mark.parametrize("kind", KINDS)
def test_shuffles_of_every_type(device: hw.Device, kind: str) -> None:
    a = (np.arange(64) * 37 % 101).astype(kind)
    lane = (np.arange(64) * 5 % 32).astype(np.int32)
    out, *_ = launch(shuffle_all[1, 64], device, np.zeros((5, 64), kind), a, lane, 32)
    expected, _ = shuffled(a, lane, 32, 64)
    assert_same(out, expected)


def test_vectors_and_bools_are_shuffled(device: hw.Device) -> None:
    @hw.kernel
    def shuffle(out, flags, a):
        i = hw.grid(1)
        v = hw.shfl_xor_sync(-1, hw.vec2(a[i], 2 * a[i]), 1)
        flags[i] = hw.shfl_down_sync(-1, a[i] > 30, 1)
        out[i] = v.x + v.y

    a = np.arange(64, dtype=np.float32)
    out, flags, _ = launch(shuffle[1, 64], device, np.zeros(64, np.float32), np.zeros(64, bool), a)
    assert_same(out, (a.reshape(-1, 2)[:, ::-1].ravel() * 3).astype(np.float32))
    source = np.where(lanes_of(64) == 31, np.arange(64), np.arange(64) + 1)
    assert_same(flags, a[source] > 30)


# --- votes ----------------------------------------------------------------------------------------


@hw.kernel
def vote(out, a, limit):
    i = hw.grid(1)
    holds = a[i] > limit
    out[0, i] = hw.ballot_sync(0xFFFFFFFF, holds)
    out[1, i] = hw.all_sync(0xFFFFFFFF, holds)
    out[2, i] = hw.any_sync(-1, holds)
    out[3, i] = hw.eq_sync(-1, holds)
    out[4, i] = hw.match_any_sync(-1, a[i] % 3)
    same, matched = hw.match_all_sync(-1, a[i] // 40)
    out[5, i] = same
    out[6, i] = matched
    out[7, i] = hw.lanemask_lt()


def voted(a: np.ndarray, limit: int, block: int) -> np.ndarray:
    out = np.zeros((8, len(a)), np.uint32)
    for warp in grouped(a, block):
        bits = np.uint64(1) << np.arange(len(warp), dtype=np.uint64)
        holds = a[warp] > limit
        out[0, warp] = bits[holds].sum()
        out[1, warp], out[2, warp] = holds.all(), holds.any()
        out[3, warp] = holds.all() or not holds.any()
        for me, i in enumerate(warp):
            out[4, i] = bits[a[warp] % 3 == a[i] % 3].sum()
            out[7, i] = bits[:me].sum()
        alike = (a[warp] // 40 == a[warp][0] // 40).all()
        out[5, warp], out[6, warp] = bits.sum() * alike, alike
    return out


@pytest.mark.parametrize("block", [1, 25, 32, 33, 64, 256])
def test_votes(device: hw.Device, block: int) -> None:
    a = (np.arange(2 * block) * 7 % 97).astype(np.int32)
    a[block:] = np.arange(block) // 32 * 40
    for limit in (-1, 50, 100):
        out, _ = launch(vote[2, block], device, np.zeros((8, 2 * block), np.uint32), a, limit)
        assert_same(out, voted(a, limit, block))


def test_a_mask_names_the_lanes_that_take_part(device: hw.Device) -> None:
    @hw.kernel
    def masked(out, a):
        i = hw.grid(1)
        if hw.laneid % 2 == 0:
            out[0, i] = hw.ballot_sync(0x55555555, a[i] > 9)
            out[1, i] = hw.shfl_sync(0x55555555, a[i], 4)
        elif hw.laneid < 16:
            out[0, i] = hw.ballot_sync(0x0000AAAA, a[i] > 9)
            out[1, i] = hw.shfl_sync(0x0000AAAA, a[i], 5)
        else:
            out[0, i] = hw.ballot_sync(0xAAAA0000, a[i] > 9)
            hw.syncwarp(0xAAAA0000)

    a = np.arange(64, dtype=np.int32)
    out, _ = launch(masked[1, 64], device, np.zeros((2, 64), np.uint32), a)
    lane = lanes_of(64)
    expected = np.zeros((2, 64), np.uint32)
    sets = [lane % 2 == 0, (lane % 2 == 1) & (lane < 16), (lane % 2 == 1) & (lane >= 16)]
    for warp in (np.arange(32), np.arange(32, 64)):
        for members, source in zip(sets, (4, 5, None), strict=True):
            inside = warp[members[warp]]
            holding = inside[a[inside] > 9]
            expected[0, inside] = (np.uint64(1) << lane[holding].astype(np.uint64)).sum()
            if source is not None:
                expected[1, inside] = a[warp[source]]
    assert_same(out, expected)


def test_warps_in_divergent_loops(device: hw.Device) -> None:
    """Each warp goes its own number of trips, and some lanes have returned."""

    @hw.kernel
    def loop(out, trips):
        i = hw.grid(1)
        if hw.laneid > 27:
            return
        warp = i // hw.warpsize
        total = 0
        for k in range(trips[warp]):
            total += hw.shfl_xor_sync(0x0FFFFFFF, i + k, 1)
            if hw.any_sync(0x0FFFFFFF, i * k > 200):
                break
        out[i] = total

    trips = np.array([3, 0, 5, 9], np.int32)
    out, _ = launch(loop[2, 64], device, np.full(128, -7, np.int32), trips)
    expected = np.full(128, -7, np.int32)
    for warp, count in enumerate(trips.tolist()):
        lanes = np.arange(warp * 32, warp * 32 + 28)
        totals = np.zeros(28, np.int32)
        for k in range(count):
            totals += (lanes ^ 1) + k
            if (lanes * k > 200).any():
                break
        expected[lanes] = totals
    assert_same(out, expected)


def test_lanes_that_are_here_together_are_among_those_that_can(device: hw.Device) -> None:
    @hw.kernel
    def together(out):
        i = hw.grid(1)
        if i % 3 == 0:
            out[i] = hw.activemask()

    (out,) = launch(together[1, 64], device, np.zeros(64, np.uint32))
    for i in range(0, 64, 3):
        possible = sum(1 << j % 32 for j in range(i // 32 * 32, i // 32 * 32 + 32) if j % 3 == 0)
        assert out[i] & ~np.uint32(possible) == 0
        assert out[i] >> (i % 32) & 1


def test_a_warp_hands_over_through_shared_memory(device: hw.Device) -> None:
    @hw.kernel
    def reverse(out, a):
        tile = hw.shared.array(128, hw.int32)
        t = hw.threadIdx.x
        tile[t] = a[t]
        hw.syncwarp()
        out[t] = tile[t // 32 * 32 + 31 - hw.laneid]

    a = np.arange(128, dtype=np.int32)
    out, _ = launch(reverse[1, 128], device, np.zeros(128, np.int32), a)
    assert_same(out, a.reshape(4, 32)[:, ::-1].ravel())


# --- sums, as the manuals write them --------------------------------------------------------------


@hw.function
def warp_sum_down(value):
    for step in hw.static_range(5):
        value += hw.shfl_down_sync(0xFFFFFFFF, value, 16 >> step)
    return value


@hw.function
def warp_sum_across(value):
    step = 16
    while step > 0:
        value += hw.shfl_xor_sync(0xFFFFFFFF, value, step)
        step //= 2
    return value


@pytest.mark.parametrize("total", [warp_sum_down, warp_sum_across], ids=["down", "across"])
def test_a_block_sums_by_warps(device: hw.Device, total: Callable[..., int]) -> None:
    @hw.kernel
    def reduce(out, a):
        partial = hw.shared.array(32, a.dtype)
        i, lane = hw.grid(1), hw.laneid
        warp = hw.threadIdx.x // hw.warpsize
        value = a[i] if i < len(a) else 0
        value = total(value)
        if lane == 0:
            partial[warp] = value
        hw.syncthreads()
        if warp == 0:
            value = partial[lane] if lane < hw.blockDim.x // hw.warpsize else 0
            value = total(value)
            if lane == 0:
                out[hw.blockIdx.x] = value

    a = (np.arange(1000) * 31 % 173).astype(np.int32)
    out, _ = launch(reduce[4, 256], device, np.zeros(4, np.int32), a)
    assert_same(out, np.add.reduceat(a, [0, 256, 512, 768]).astype(np.int32))


# --- barriers that vote ---------------------------------------------------------------------------


@pytest.mark.parametrize("block", [1, 25, 32, 33, 64, 256])
def test_barriers_vote(device: hw.Device, block: int) -> None:
    @hw.kernel
    def count(out, a):
        i, b = hw.grid(1), hw.blockIdx.x
        if hw.threadIdx.x % 5 == 4:
            return  # threads that are gone do not count
        n = hw.syncthreads_count(a[i] > 30)
        everyone = hw.syncthreads_and(a[i] > 30)
        someone = hw.syncthreads_or(a[i] > 30)
        if hw.threadIdx.x == 0:
            out[b, 0] = n
            out[b, 1] = everyone
            out[b, 2] = someone

    a = (np.arange(4 * block) * 7 % 61).astype(np.int32)
    a[block : 2 * block] = 31
    a[2 * block : 3 * block] = 3
    out, _ = launch(count[4, block], device, np.full((4, 3), -1, np.int32), a)
    rows = a.reshape(4, block)[:, np.arange(block) % 5 != 4] > 30
    assert_same(out, np.stack([rows.sum(1), rows.all(1), rows.any(1)], axis=1).astype(np.int32))


def test_a_vote_decides_a_loop(device: hw.Device) -> None:
    """All threads of a block leave together, as soon as nobody has work left."""

    @hw.kernel
    def drain(out, a):
        i = hw.grid(1)
        left, trips = a[i], 0
        while hw.syncthreads_or(left > 0):
            left -= hw.threadIdx.x % 3 + 1
            trips += 1
        out[i] = trips

    a = (np.arange(128) * 11 % 23).astype(np.int32)
    out, _ = launch(drain[2, 64], device, np.zeros(128, np.int32), a)
    step = np.arange(128) % 64 % 3 + 1
    trips = -(-a // step).reshape(2, 64)
    assert_same(out, np.repeat(trips.max(1), 64).astype(np.int32))


def test_fences_let_the_last_block_sum_up(device: hw.Device) -> None:
    """The pattern of the manuals: each block writes its part, and the one that comes last adds them."""

    @hw.kernel
    def total(out, parts, done, a):
        last = hw.shared.array(1, hw.int32)
        b = hw.blockIdx.x
        if hw.threadIdx.x == 0:
            part = 0
            for k in range(b * 32, b * 32 + 32):
                part += a[k]
            parts[b] = part
            hw.threadfence()
            last[0] = hw.atomic.inc(done, 0, hw.gridDim.x - 1)
        hw.syncthreads()
        if hw.threadIdx.x == 0 and last[0] == hw.gridDim.x - 1:
            result = 0
            for k in range(hw.gridDim.x):
                result += hw.atomic.add(parts, k, 0)
            out[0] = result
        hw.threadfence_block()

    if not device.capabilities.device_fences:
        with pytest.raises(hw.errors.CapabilityError):
            launch(total[4, 32], device, *last_block_arrays())
        return
    out, _, done, _ = launch(total[4, 32], device, *last_block_arrays())
    assert out[0] == np.arange(128).sum()
    assert done[0] == 0


def last_block_arrays() -> list[np.ndarray]:
    a = np.arange(128, dtype=np.int32)
    return [np.zeros(1, np.int32), np.zeros(4, np.int32), np.zeros(1, np.uint32), a]
