"""Loops that would wait for ever: the interpreter says so."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as hw
from headwater.errors import KernelError


@pytest.fixture
def oracle() -> hw.Device:
    return hw.device("reference")


@hw.kernel
def handover(flag, out, giver, taker):
    t = hw.threadIdx.x
    if t == giver:
        hw.atomic.exch(flag, 0, 1)
    if t == taker:
        while hw.atomic.add(flag, 0, 0) == 0:
            pass
        out[0] = 1


def test_a_warp_may_wait_for_one_before_it(oracle: hw.Device) -> None:
    out = oracle.zeros(1, hw.int32)
    handover[1, 96](oracle.zeros(1, hw.int32), out, 0, 64)
    assert out.numpy().tolist() == [1]


def test_a_warp_that_waits_for_one_behind_it_is_reported(oracle: hw.Device) -> None:
    flag, out = oracle.zeros(1, hw.int32), oracle.zeros(1, hw.int32)
    with pytest.raises(KernelError, match="changes nothing, so it never ends") as caught:
        handover[1, 96](flag, out, 64, 0)
    assert "smaller numbers" in str(caught.value)
    assert caught.value.span is not None
    assert caught.value.span.line == 23


@hw.kernel
def between_blocks(flag, out):
    if hw.blockIdx.x == 0:
        value = 0
        while True:
            value = flag[0]
            if value != 0:
                break
        out[0] = value
    else:
        flag[0] = 1


def test_a_block_that_waits_for_one_behind_it_is_reported(oracle: hw.Device) -> None:
    with pytest.raises(KernelError, match="never ends"):
        between_blocks[2, 1](oracle.zeros(1, hw.int32), oracle.zeros(1, hw.int32))


@hw.kernel
def backs_off(lock, data, turns):
    t = hw.threadIdx.x
    done = False
    while not done:
        if hw.atomic.cas(lock, 0, 0, 1) == 0:
            data[0] += 1
            hw.atomic.exch(lock, 0, 0)
            done = True
        else:
            turns[t] += 1
        hw.syncwarp()


def test_loops_that_change_something_go_on(oracle: hw.Device) -> None:
    data = oracle.zeros(1, hw.int32)
    backs_off[1, 32](oracle.zeros(1, hw.int32), data, oracle.zeros(32, hw.int32))
    assert data.numpy().tolist() == [32]


@hw.kernel
def counts(out, n):
    i = hw.grid(1)
    if i < len(out):
        k = n
        while k > 0:
            if k % 3 == 0:
                k //= 3
                continue
            k -= 1
        out[i] = k


def test_loops_over_variables_end(oracle: hw.Device) -> None:
    out = oracle.full(5, 7, hw.int32)
    counts.over(5)(out, 1000)
    assert np.array_equal(out.numpy(), np.zeros(5))
