"""Warp operations through shared memory against the interpreter's own, with every kind of control around them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import random_warps
from interpreted import lowered, run

import headwater as hw
from headwater import ir, passes

FULL = 0xFFFFFFFF
BLOCKS = [(1, 1, 1), (25, 1, 1), (33, 1, 1), (4, 3, 3), (64, 1, 1)]


@hw.function
def number():
    """The thread in its block."""
    return hw.threadIdx.x + hw.blockDim.x * (hw.threadIdx.y + hw.blockDim.y * hw.threadIdx.z)


@hw.function
def position():
    """The thread in a launch whose grid has one axis."""
    return number() + hw.blockIdx.x * hw.blockDim.x * hw.blockDim.y * hw.blockDim.z


def shuffles(a0, a1):
    i = position()
    v = a1[i]
    lane = hw.laneid
    a0[i, 0] = hw.shfl_sync(FULL, v, 0)
    a0[i, 1] = hw.shfl_up_sync(FULL, v, 3)
    a0[i, 2] = hw.shfl_sync(FULL, v, lane % 8, 8)
    a0[i, 3] = hw.shfl_up_sync(FULL, v, 2, 16)
    a0[i, 4] = hw.shfl_xor_sync(FULL, v, 0)
    down = hw.shfl_down_sync(FULL, v, 1, 4)
    if lane % 4 == 3:
        a0[i, 5] = down


def votes(a0, a1):
    i = position()
    v = a1[i]
    a0[i, 0] = hw.int32(hw.all_sync(FULL, v > 0))
    a0[i, 1] = hw.int32(hw.any_sync(FULL, v > 4))
    a0[i, 2] = hw.int32(hw.ballot_sync(FULL, v % 2 == 0))
    a0[i, 3] = hw.int32(hw.match_any_sync(FULL, v))
    same, together = hw.match_all_sync(FULL, v // 8)
    a0[i, 4] = hw.int32(same)
    a0[i, 5] = hw.int32(together)


def in_branches(a0, a1):
    i = position()
    v = a1[i]
    if v > 3:
        mine = hw.activemask()
        a0[i, 0] = hw.int32(mine)
        a0[i, 1] = hw.int32(hw.ballot_sync(mine, v % 2 == 0))
        if v % 2 == 0:
            a0[i, 2] = hw.int32(hw.match_any_sync(hw.activemask(), v))
    else:
        a0[i, 3] = hw.int32(hw.all_sync(hw.activemask(), v < 3))
        v = v * 100
    a0[i, 4] = hw.shfl_xor_sync(FULL, v, 0)
    a0[i, 5] = v


def in_loops_of_own_length(a0, a1):
    i = position()
    v = a1[i] % 6
    total = 0
    for k in range(v):
        here = hw.activemask()
        total += hw.int32(hw.popc(hw.ballot_sync(here, k % 2 == 0)))
        if total > 60:
            break
        if k == 2:
            continue
        total += hw.int32(hw.any_sync(hw.activemask(), v == 5))
    a0[i, 0] = total
    k = v
    while hw.any_sync(hw.activemask(), k > 2):
        k -= 1
        if k == 1:
            break
        a0[i, 1] += hw.int32(hw.popc(hw.activemask()))
    a0[i, 2] = k
    for k in range(v, -2, -3):
        for j in range(0, v, 2):
            a0[i, 3] += hw.shfl_xor_sync(hw.activemask(), j + k, 0)
        a0[i, 4] += 1


def after_returns(a0, a1):
    i = position()
    if a1[i] == 2:
        return
    v = a1[i]
    offset = 16
    while offset > 0:
        v += hw.int32(hw.popc(hw.activemask()))
        offset //= 2
    a0[i, 0] = v
    for k in range(4):
        if v % 4 == k:
            a0[i, 1] = hw.int32(hw.activemask())
            return
        a0[i, 2] += hw.int32(hw.popc(hw.ballot_sync(hw.activemask(), k == 1)))
    a0[i, 3] = 5


def after_returns_and_barriers(a0, a1):
    tile = hw.shared.array(128, hw.int32)
    t = number()
    i = position()
    tile[t] = t
    if a1[i] == 2:
        return
    tile[t] += 100
    hw.syncthreads()
    for k in range(3):
        a0[i, k] = tile[0] + hw.int32(hw.popc(hw.ballot_sync(hw.activemask(), t % 2 == 0)))
        hw.syncthreads()
        if a1[i] == k:
            return
    a0[i, 3] = hw.syncthreads_count(t > 3)
    a0[i, 4] = hw.int32(hw.syncthreads_and(t > 3))
    a0[i, 5] = hw.int32(hw.syncthreads_or(t > 30))


def first_warp_reduces(a0, a1):
    """The second step of a reduction: the loop depends on nothing that varies."""
    i = position()
    t = number()
    if t < 32:
        v = a1[i]
        offset = 16
        while offset > 0:
            other = hw.shfl_xor_sync(hw.activemask(), v, offset)
            if t ^ offset < hw.blockDim.x * hw.blockDim.y * hw.blockDim.z:
                v += other
            offset //= 2
        if hw.laneid == 0:
            a0[i, 0] = v


def warp_synchronous(a0, a1):
    tile = hw.shared.array(128, hw.int32)
    t = number()
    for k in range(t, 128, hw.blockDim.x * hw.blockDim.y * hw.blockDim.z):
        tile[k] = k + a1[position()]
    hw.syncthreads()
    if t < 16:
        for step in hw.static_range(4):
            v = tile[t] + tile[t + (8 >> step)]
            hw.syncwarp(hw.activemask())
            tile[t] = v
            hw.syncwarp(hw.activemask())
        a0[position(), 0] = tile[0]


def asserted(a0, a1):
    tile = hw.shared.array(1, hw.int32)
    i = position()
    if a1[i] == 2:
        return
    k = a1[i] % 5
    while hw.uniform(hw.syncthreads_or(k > 0)):
        k -= 1
        tile[0] = 7
        hw.syncthreads()
        a0[i, 0] += tile[0] + hw.int32(hw.any_sync(hw.activemask(), k > 1))


KERNELS: list[Any] = [
    shuffles,
    votes,
    in_branches,
    in_loops_of_own_length,
    after_returns,
    after_returns_and_barriers,
    first_warp_reduces,
    warp_synchronous,
    asserted,
]


def lower(kernel: ir.Kernel) -> None:
    passes.lower_warps(kernel)
    assert not any(isinstance(node, ir.Warp) for node in ir.walk(kernel.body))


def votes_too(kernel: ir.Kernel) -> None:
    passes.lower_votes(kernel)
    assert not any(isinstance(node, ir.BarrierVote) for node in ir.walk(kernel.body))


def keep(kernel: ir.Kernel) -> None:
    passes.lower_returns(kernel, keep=True)


def compare(function: Callable[..., None], block: tuple[int, int, int], backwards: bool) -> None:
    """The interpreter's own warps and votes against those that the passes make."""
    threads = int(np.prod(block))
    rng = np.random.default_rng(threads)
    arrays = [np.zeros((threads, 6), np.int32), rng.integers(-20, 40, threads).astype(np.int32)]
    arrays[1][::3] %= 9
    expected = run(lowered(function, block, arrays, keep, passes.check_barriers), (1, 1, 1), arrays)
    forms = (passes.lower_returns, lower, passes.check_barriers, votes_too, passes.check_barriers)
    found = run(lowered(function, block, arrays, *forms), (1, 1, 1), arrays, backwards)
    np.testing.assert_array_equal(found[0], expected[0])


@pytest.mark.parametrize("block", BLOCKS, ids=str)
@pytest.mark.parametrize("function", KERNELS, ids=[f.__name__ for f in KERNELS])
def test_the_same_through_shared_memory(
    function: Callable[..., None], block: tuple[int, int, int]
) -> None:
    compare(function, block, backwards=True)


@pytest.mark.parametrize("seed", range(8))
def test_random_kernels(seed: int, tmp_path: Path) -> None:
    compare(random_warps.load(seed, tmp_path), BLOCKS[seed % len(BLOCKS)], backwards=False)


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(20, 24))
def test_random_kernels_on_devices(
    device: hw.Device, oracle: hw.Device, seed: int, tmp_path: Path
) -> None:
    if device.capabilities.native_warps:
        pytest.skip("a warp of the hardware may stay apart for longer than this asks")
    kernel, block = random_warps.load(seed, tmp_path), BLOCKS[seed % len(BLOCKS)]
    threads = int(np.prod(block))
    values = np.random.default_rng(seed).integers(-20, 40, threads).astype(np.int32)
    found = []
    for there in (oracle, device):
        out = there.zeros((threads, 6), hw.int32)
        hw.kernel(kernel)[1, block](out, there.array(values))
        found.append(out.numpy())
    np.testing.assert_array_equal(found[1], found[0])


# --- how much is done -----------------------------------------------------------------------------


def barriers(function: Callable[..., None], block: tuple[int, int, int] = (64, 1, 1)) -> int:
    arrays = [np.zeros((64, 6), np.int32), np.zeros(64, np.int32)]
    kernel = lowered(function, block, arrays, passes.lower_returns, lower)
    kinds = (ir.Barrier, ir.BarrierVote)
    return sum(isinstance(node, kinds) for node in ir.walk(kernel.body))


def test_an_operation_costs_one_barrier() -> None:
    def straight(a0, a1):
        v = a1[hw.threadIdx.x]
        for step in hw.static_range(5):
            v += hw.shfl_down_sync(FULL, v, 16 >> step)
        a0[hw.threadIdx.x, 0] = v

    assert barriers(straight) == 5


def test_who_is_here_costs_nothing_where_all_are() -> None:
    def kernel(a0, a1):
        a0[hw.threadIdx.x, 0] = hw.int32(hw.activemask())

    assert barriers(kernel) == 0


def test_a_loop_that_all_lanes_of_a_branch_run_alike_needs_no_vote() -> None:
    def alike(a0, a1):
        if hw.threadIdx.x < 32:
            v, offset = 1, 16
            while offset > 0:
                v += hw.shfl_down_sync(FULL, v, offset)
                offset //= 2
            a0[hw.threadIdx.x, 0] = v

    def apart(a0, a1):
        if hw.threadIdx.x < 32:
            v, offset = 1, 16
            while offset > hw.laneid:
                v += hw.shfl_down_sync(hw.activemask(), v, offset)
                offset //= 2
            a0[hw.threadIdx.x, 0] = v

    assert barriers(alike) == 1
    arrays = [np.zeros((64, 6), np.int32), np.zeros(64, np.int32)]
    kernel = lowered(apart, (64, 1, 1), arrays, passes.lower_returns, lower)
    assert sum(isinstance(node, ir.BarrierVote) for node in ir.walk(kernel.body)) == 1


def test_returns_before_a_loop_leave_it_as_it_is() -> None:
    def kernel(a0, a1):
        i = hw.grid(1)
        if i >= a1.shape[0]:
            return
        v, offset = a1[i], 16
        while offset > 0:
            v += hw.shfl_xor_sync(FULL, v, offset)
            offset //= 2
        a0[i, 0] = v

    assert barriers(kernel) == 1


@pytest.mark.parametrize("function", KERNELS, ids=[f.__name__ for f in KERNELS])
def test_no_more_shared_memory_than_said(function: Callable[..., None]) -> None:
    arrays = [np.zeros((96, 6), np.int32), np.zeros(96, np.int32)]
    kernel = lowered(function, (33, 1, 1), arrays, passes.lower_returns)
    before, said = passes.array_bytes(kernel), passes.lowering_bytes(kernel)
    lower(kernel)
    votes_too(kernel)
    assert passes.array_bytes(kernel) - before <= said


def test_text(golden: Callable[[str, str], None]) -> None:
    def kernel(a0, a1):
        t = hw.threadIdx.x
        v = a1[t]
        if v > 3:
            v += hw.shfl_xor_sync(hw.activemask(), v, 1)
        a0[t, 0] = v

    arrays = [np.zeros((64, 6), np.int32), np.zeros(64, np.int32)]
    made = lowered(kernel, (40, 1, 1), arrays, passes.lower_returns, lower)
    golden("warps.txt", ir.format_kernel(made))


def votes_of_a_block(a0, a1):
    i = position()
    for k in range(3):
        if a1[i] == k:
            return
        a0[i, k] = hw.syncthreads_count(a1[i] > 2 * k)
        if hw.syncthreads_or(a1[i] > 35) and hw.syncthreads_and(a1[i] >= k):
            a0[i, 3] += 1


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_votes_by_counters(block: tuple[int, int, int]) -> None:
    compare(votes_of_a_block, block, backwards=True)


def test_votes_text(golden: Callable[[str, str], None]) -> None:
    def kernel(a0, a1):
        t = hw.threadIdx.x
        a0[t, 0] = hw.syncthreads_count(a1[t] > 0)

    arrays = [np.zeros((64, 6), np.int32), np.zeros(64, np.int32)]
    made = lowered(kernel, (8, 1, 1), arrays, passes.lower_returns, votes_too)
    golden("votes.txt", ir.format_kernel(made))
