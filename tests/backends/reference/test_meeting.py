"""Threads that wait for each other in the interpreter: warps, votes, and what it must refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.language.blocks import number

import headwater as hw
from headwater.errors import KernelError

FULL = 0xFFFFFFFF


def run(device: hw.Device, function: Any, threads: int | tuple[int, ...], *arrays: Any) -> Any:
    sent = [device.array(a) for a in arrays]
    hw.kernel(function)[1, threads](*sent)
    found = [a.numpy() for a in sent]
    return found[0] if len(found) == 1 else found


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.int64)


# --- shuffles: by hand, lane by lane --------------------------------------------------------------


def source(name: str, lane: int, amount: int, width: int) -> int:
    start = lane - lane % width
    wanted = {
        "shfl_sync": start + amount % width,
        "shfl_up_sync": lane - amount,
        "shfl_down_sync": lane + amount,
        "shfl_xor_sync": lane ^ amount,
    }[name]
    low = 0 if name == "shfl_xor_sync" else start
    return wanted if low <= wanted < start + width else lane


def shuffle_of(name: str, amount: int, width: int) -> Callable[..., None]:
    operation = getattr(hw, name)

    def kernel(out):
        lane = hw.laneid
        out[hw.threadIdx.x] = operation(FULL, lane * 10 + hw.threadIdx.x // 32, amount, width)

    return kernel


@pytest.mark.parametrize("name", ["shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync"])
@pytest.mark.parametrize("amount", [0, 1, 5, 16, 31, 40])
@pytest.mark.parametrize("width", [32, 8, 1])
def test_shuffles(oracle: hw.Device, name: str, amount: int, width: int) -> None:
    found = run(oracle, shuffle_of(name, amount, width), 64, zeros(64))
    for thread in range(64):
        assert found[thread] == source(name, thread % 32, amount, width) * 10 + thread // 32


def test_lanes_follow_the_linear_index(oracle: hw.Device) -> None:
    def kernel(out):
        t = number()
        out[t, 0] = hw.laneid
        out[t, 1] = hw.shfl_sync(FULL, t, 3)

    found = run(oracle, kernel, (5, 4, 3), zeros(60, 2))
    t = np.arange(60)
    assert found[:, 0].tolist() == (t % 32).tolist()
    assert found[:, 1].tolist() == (t // 32 * 32 + 3).tolist()


def test_votes_and_matches_of_lanes_that_are_there(oracle: hw.Device) -> None:
    """A block of 25: seven lanes are absent. Thread 7 has returned."""

    def kernel(out):
        t = hw.threadIdx.x
        if t == 7:
            return
        out[t, 0] = hw.ballot_sync(FULL, t % 2 == 1)
        out[t, 1] = hw.int64(hw.all_sync(FULL, t != 7)) * 2 + hw.int64(hw.any_sync(FULL, t == 7))
        out[t, 2] = hw.match_any_sync(FULL, t % 3)
        all_of, same = hw.match_all_sync(FULL, t // 32)
        out[t, 3] = all_of
        out[t, 4] = hw.int64(same)
        out[t, 5] = hw.activemask()
        out[t, 6], _ = hw.match_all_sync(FULL, t // 20)

    there = [t for t in range(25) if t != 7]
    found = run(oracle, kernel, 25, zeros(25, 7))
    everybody = sum(1 << t for t in there)
    for t in there:
        odd = sum(1 << k for k in there if k % 2)
        same = sum(1 << k for k in there if k % 3 == t % 3)
        assert found[t].tolist() == [odd, 2, same, everybody, 1, everybody, 0]


def test_floats_match_by_their_bits(oracle: hw.Device) -> None:
    def kernel(out, x):
        t = hw.threadIdx.x
        out[t] = hw.match_any_sync(FULL, x[t])

    x = np.array([0.0, -0.0, np.nan, np.nan, 1.0], np.float32)
    found, _ = run(oracle, kernel, 5, zeros(5), x)
    assert found.tolist() == [1, 2, 12, 12, 16]


# --- who meets whom -------------------------------------------------------------------------------


def test_groups_with_masks_of_their_own(oracle: hw.Device) -> None:
    """The two halves come to one call with two masks, and do not wait for each other."""

    def kernel(out):
        t = hw.threadIdx.x
        mask = hw.uint32(0xFFFF) if t < 16 else hw.uint32(0xFFFF0000)
        out[t] = hw.ballot_sync(mask, t % 4 == 0)

    found = run(oracle, kernel, 32, zeros(32))
    assert found.tolist() == [0x1111] * 16 + [0x11110000] * 16


def test_lanes_come_together_again_after_branches_and_loops(oracle: hw.Device) -> None:
    def kernel(out):
        t = hw.threadIdx.x
        if t % 2 == 0:
            out[t, 0] = hw.activemask()
        else:
            out[t, 0] = hw.activemask()
        out[t, 1] = hw.activemask()
        for _ in range(t):
            out[t, 2] = hw.activemask()
        out[t, 3] = hw.activemask()

    found = run(oracle, kernel, 4, zeros(4, 4))
    assert found[:, 0].tolist() == [5, 10, 5, 10]
    assert found[:, 1].tolist() == [15] * 4
    assert found[:, 2].tolist() == [0, 14, 12, 8]
    assert found[:, 3].tolist() == [15] * 4


def test_lanes_in_other_trips_are_elsewhere(oracle: hw.Device) -> None:
    def kernel(out):
        t = hw.threadIdx.x
        for k in range(3):
            if t == 0 and k == 1:
                continue
            out[t] += hw.shfl_sync(3, k, 1)

    with pytest.raises(KernelError, match=r"'shfl_sync' with the mask 0x3 waits for lane"):
        run(oracle, kernel, 2, zeros(2))


def test_lanes_of_the_mask_that_wait_elsewhere(oracle: hw.Device) -> None:
    def kernel(out):
        t = hw.threadIdx.x
        if t == 0:
            out[t] = hw.ballot_sync(FULL, True)
        hw.syncthreads()

    with pytest.raises(
        KernelError, match=r"waits for lane 1, which waits at 'syncthreads' in line"
    ):
        run(oracle, kernel, 2, zeros(2))


def test_masks_that_go_round_in_a_circle(oracle: hw.Device) -> None:
    def kernel(out):
        t = hw.threadIdx.x
        mask = 3 if t == 0 else 6 if t == 1 else 5
        out[t] = hw.ballot_sync(mask, True)

    with pytest.raises(
        KernelError, match="lane 1, which waits at the same place with the mask 0x6"
    ):
        run(oracle, kernel, 3, zeros(3))


def test_a_mask_without_its_own_lane(oracle: hw.Device) -> None:
    def kernel(out):
        out[hw.threadIdx.x] = hw.shfl_sync(1, 5, 0)

    with pytest.raises(
        KernelError, match="lane 1 calls 'shfl_sync' with the mask 0x1, which does not"
    ):
        run(oracle, kernel, 2, zeros(2))


# --- votes of a block -----------------------------------------------------------------------------


def test_threads_that_returned_do_not_vote(oracle: hw.Device) -> None:
    def kernel(out):
        t = hw.threadIdx.x
        if t % 5 == 0:
            return
        out[t, 0] = hw.syncthreads_count(t > 10)
        out[t, 1] = hw.int64(hw.syncthreads_and(t % 5 > 0))
        out[t, 2] = hw.int64(hw.syncthreads_or(t % 5 == 0))

    found = run(oracle, kernel, 40, zeros(40, 3))
    here = [t for t in range(40) if t % 5]
    assert found[here].tolist() == [[sum(t > 10 for t in here), 1, 0]] * len(here)


def test_writes_are_seen_after_a_vote(oracle: hw.Device) -> None:
    def kernel(out):
        tile = hw.shared.array(8, hw.int32)
        t = hw.threadIdx.x
        tile[t] = t
        if hw.syncthreads_or(t == 3):
            out[t] = tile[7 - t]

    assert run(oracle, kernel, 8, zeros(8)).tolist() == list(range(7, -1, -1))
