"""Threads that wait for each other in loops: those that may, those that never could, and devices that refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import headwater as hw
from headwater.errors import CapabilityError, KernelError


def ran(device: hw.Device, launch: Any, *arguments: Any) -> bool:
    """Launch on a device that lets threads wait; elsewhere see that it is refused."""
    if device.capabilities.waits:
        launch(*arguments)
        return True
    with pytest.raises(CapabilityError, match="no promise that a thread goes on") as caught:
        launch(*arguments)
    assert caught.value.span is not None
    return False


@hw.kernel
def looks_back(status, prefix, x):
    """A scan in one pass: each block waits for the one before it."""
    b, t = hw.blockIdx.x, hw.threadIdx.x
    before = hw.shared.array(1, hw.int32)
    if t == 0:
        total = 0
        if b > 0:
            while hw.atomic.add(status, b - 1, 0) == 0:
                pass
            total = hw.atomic.add(prefix, b - 1, 0)
        before[0] = total
        hw.atomic.add(prefix, b, total + x[b])
        hw.threadfence()
        hw.atomic.exch(status, b, 1)


@pytest.mark.parametrize("blocks", [1, 2, 77, 500])
def test_a_block_waits_for_the_one_before_it(device: hw.Device, blocks: int) -> None:
    x = np.random.default_rng(0).integers(0, 100, blocks).astype(np.int32)
    status, prefix = device.zeros(blocks, hw.int32), device.zeros(blocks, hw.int32)
    if ran(device, looks_back[blocks, 64], status, prefix, device.array(x)):
        assert np.array_equal(prefix.numpy(), np.cumsum(x))


@hw.kernel
def locked(lock, total, rounds):
    if hw.threadIdx.x == 0:
        for _ in range(rounds):
            while hw.atomic.cas(lock, 0, 0, 1) != 0:
                pass
            hw.threadfence()
            total[0] += hw.blockIdx.x
            hw.threadfence()
            hw.atomic.exch(lock, 0, 0)


def test_one_thread_of_each_block_takes_a_lock(device: hw.Device) -> None:
    lock, total = device.zeros(1, hw.int32), device.zeros(1, hw.int32)
    if ran(device, locked[200, 32], lock, total, 20):
        assert total.numpy().tolist() == [20 * sum(range(200))]


@hw.kernel
def polls(flag, out, giver, taker):
    t = hw.threadIdx.x
    if t == giver:
        flag[0] = 1
    if t == taker:
        while flag[0] == 0:
            pass
        out[0] = t


def test_a_warp_waits_for_one_before_it(device: hw.Device) -> None:
    out = device.zeros(1, hw.int32)
    if ran(device, polls[1, 96], device.zeros(1, hw.int32), out, 3, 64):
        assert out.numpy().tolist() == [64]


@hw.kernel
def waits_as_a_block(flag, out):
    b = hw.blockIdx.x
    if b > 0:
        while not hw.syncthreads_or(flag[b - 1] != 0):
            pass
    if hw.threadIdx.x == 0:
        out[b] = b + 1
        hw.threadfence()
        hw.atomic.exch(flag, b, 1)


def test_a_block_waits_together(device: hw.Device) -> None:
    out = device.zeros(9, hw.int32)
    if ran(device, waits_as_a_block[9, 40], device.zeros(9, hw.int32), out):
        assert out.numpy().tolist() == list(range(1, 10))


@hw.kernel
def passes_it_on(turn, order):
    """Each block waits for its turn, and takes it within the loop."""
    b = hw.blockIdx.x
    while hw.atomic.cas(turn, 0, b, b + 1) < b:
        pass
    order[b] = hw.atomic.add(turn, 1, 1)


def test_turns_that_are_taken_in_the_loop(device: hw.Device) -> None:
    order = device.zeros(40, hw.int32)
    passes_it_on[40, 1](device.zeros(2, hw.int32), order)
    assert order.numpy().tolist() == list(range(40))


# --- what never ends --------------------------------------------------------------------------------


@pytest.fixture(params=["reference", "cpu", "cpu, 1 lane", "cpu, 1 thread"])
def finder(request: pytest.FixtureRequest) -> hw.Device:
    """A device that finds loops that wait for ever."""
    name, _, option = request.param.partition(", ")
    options = {"": {}, "1 lane": {"lanes": 1}, "1 thread": {"threads": 1}}[option]
    return hw.device(name, **options)


@hw.kernel
def takes_a_lock(lock, total):
    while hw.atomic.cas(lock, 0, 0, 1) != 0:
        pass
    total[0] += 1


@hw.kernel
def later_block(flag, out):
    if hw.blockIdx.x == 0:
        value = 0
        while True:
            value = flag[0]
            if value != 0:
                break
        out[0] = value
    elif hw.blockIdx.x + 1 == hw.gridDim.x:
        while hw.atomic.exch(out, 0, 0) == 0:
            pass
        flag[0] = 1


@hw.kernel
def chain(flag, out):
    """Thread after thread, the last one first."""
    t = hw.threadIdx.x
    seen = 1
    if t + 1 < hw.blockDim.x:
        seen = hw.atomic.add(flag, t + 1, 0)
        while seen == 0:
            seen = hw.atomic.add(flag, t + 1, 0)
    out[t] = seen
    flag[t] = 1


@hw.kernel
def looks_then_takes(lock, total):
    while True:
        while lock[0] != 0:
            pass
        if hw.atomic.cas(lock, 0, 0, 1) == 0:
            break
    total[0] += 1


@pytest.mark.parametrize(
    ("kernel", "shape"),
    [
        (takes_a_lock, (1, 32)),
        (takes_a_lock, (5, 64)),
        (later_block, (2, 1)),
        (later_block, (70, 33)),
        (chain, (1, 40)),
        (looks_then_takes, (3, 32)),
    ],
)
def test_a_loop_that_waits_for_ever_is_reported(
    finder: hw.Device, kernel: Any, shape: tuple[int, int]
) -> None:
    first, second = finder.zeros(3001, hw.int32), finder.zeros(3001, hw.int32)
    with pytest.raises(KernelError, match="changes nothing, so it never ends") as caught:
        kernel[shape](first, second)
    assert "smaller numbers" in str(caught.value)
    assert caught.value.span is not None
    assert caught.value.span.file == __file__
    # The device goes on.
    out = finder.zeros(1, hw.int32)
    polls[1, 96](finder.zeros(1, hw.int32), out, 3, 64)
    assert out.numpy().tolist() == [64]


def counts_its_turns(flag, out):
    turns = 0
    while flag[1] == 0:
        turns += 1
    flag[1] = 1
    out[0] = turns


@pytest.mark.parametrize("debug", [False, True])
def test_a_count_of_turns_is_no_progress(debug: bool) -> None:
    device = hw.device("cpu")
    kernel = hw.kernel(debug=debug)(counts_its_turns)
    with pytest.raises(KernelError, match="never ends"):
        kernel[4, 32](device.zeros(2, hw.int32), device.zeros(1, hw.int32))


@hw.kernel
def slow_giver(flag, out, work):
    """Block 1 waits long for block 0, which changes nothing that it sees meanwhile."""
    b = hw.blockIdx.x
    if b == 0:
        x = 1
        for k in range(work):
            x = x * 1664525 + k
        out[0] = x
        hw.atomic.exch(flag, 0, 1)
    else:
        while hw.atomic.add(flag, 0, 0) == 0:
            pass
        out[b] = 1


@pytest.mark.parametrize("threads", [2, 5])
def test_a_long_wait_is_no_endless_one(threads: int) -> None:
    device = hw.device("cpu", threads=threads)
    for _ in range(3):
        out = device.zeros(8, hw.int32)
        slow_giver[8, 1](device.zeros(1, hw.int32), out, 100_000_000)
        assert out.numpy()[1:].tolist() == [1] * 7


def test_random_handovers_neither_hang_nor_fail() -> None:
    """Many blocks that wait for their predecessors, with more threads than the machine has."""
    device = hw.device("cpu", threads=7)
    for blocks in (2, 9, 64, 1000):
        x = np.arange(blocks, dtype=np.int32)
        for _ in range(20):
            status, prefix = device.zeros(blocks, hw.int32), device.zeros(blocks, hw.int32)
            looks_back[blocks, 8](status, prefix, device.array(x))
            assert np.array_equal(prefix.numpy(), np.cumsum(x))
