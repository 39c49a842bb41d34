"""One variable for a loop with barriers and for another that only some threads run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.frontend.build import array, build

import headwater as hw
from headwater import ir, passes
from headwater.errors import CompileError
from headwater.types import INT32


def asserted(function: Callable[..., Any]) -> list[str]:
    """The variables whose reads are asserted, in order."""
    kernel = build(function, array(INT32), array(INT32), block=(64, 1, 1))
    passes.lower_returns(kernel)
    ir.verify(kernel)
    passes.check_barriers(kernel)
    reads = {n.result: n.variable.name for n in ir.walk(kernel.body) if isinstance(n, ir.Read)}
    uniform = [n for n in ir.walk(kernel.body) if getattr(n, "operation", "") == "uniform"]
    return [reads[node.arguments[0]] for node in uniform if isinstance(node, ir.Compute)]


def halves(out, a):
    """The last steps of a reduction are for one warp, and go on with the same variable."""
    tile = hw.shared.array(128, hw.int32)
    t = hw.threadIdx.x
    tile[t] = a[t]
    tile[t + 64] = a[t]
    half = 64
    while half > 16:
        hw.syncthreads()
        if t < half:
            tile[t] += tile[t + half]
        half //= 2
    hw.syncthreads()
    if t < 32:
        while half > 0:
            v = tile[t] + tile[t + half] if t < half else 0
            hw.syncwarp()
            tile[t] = v
            hw.syncwarp()
            half //= 2
    out[t] = tile[0] if t == 0 else half


def set_again(out, a):
    k = hw.threadIdx.x
    out[k] = a[k]
    k = 3
    while k > 0:
        hw.syncthreads()
        k -= 1


def assigned_in_a_branch_of_all(out, a):
    k = hw.threadIdx.x
    if a[0] > 0:
        out[k] = k
        k = 2
    else:
        k = 4
    for _ in range(k):
        hw.syncthreads()
    k = hw.threadIdx.x


@pytest.mark.parametrize("function", [halves, set_again, assigned_in_a_branch_of_all])
def test_accepted(function: Callable[..., Any]) -> None:
    assert asserted(function)


@pytest.mark.parametrize("function", [halves, set_again, assigned_in_a_branch_of_all])
def test_runs(device: hw.Device, function: Callable[..., Any]) -> None:
    a = np.arange(64, dtype=np.int32) % 7
    out = device.zeros(64, hw.int32)
    hw.kernel(function)[1, 64](out, device.array(a))
    if function is halves:
        assert out.numpy().tolist() == [2 * a.sum()] + [0] * 31 + [16] * 32
    else:
        assert (out.numpy() == a).all() or function is not set_again


def by_a_branch(out, a):
    k = 3
    if hw.threadIdx.x > 3:
        k = 2
    for _ in range(k):
        hw.syncthreads()


def from_the_trip_before(out, a):
    """Uniform at its first use, varying when the loop comes back."""
    k = 3
    for _ in range(2):
        for _ in range(k):
            hw.syncthreads()
        k = hw.threadIdx.x


def by_a_break(out, a):
    k = 3
    for j in range(4):
        k = 3
        if a[hw.threadIdx.x] > j:
            k = 5
            break
        k = 3
    while k > 0:
        hw.syncthreads()
        k -= 1


def by_a_continue(out, a):
    k = 3
    for j in range(4):
        for _ in range(k):
            hw.syncthreads()
        if a[0] > j:
            k = hw.threadIdx.x
            continue
        k = 3


def from_the_test(out, a):
    k, n = 3, 4
    while n > 0:
        n -= 1
        k = hw.threadIdx.x
        if a[n] == 0:
            break
        k = 3
    for _ in range(k):
        hw.syncthreads()


@pytest.mark.parametrize(
    "function", [by_a_branch, from_the_trip_before, by_a_break, by_a_continue, from_the_test]
)
def test_still_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(CompileError, match="'syncthreads' may be reached by some threads"):
        asserted(function)


def test_kernels_without_waiting_stay_as_they_are() -> None:
    def kernel(out, a):
        k = hw.threadIdx.x
        out[k] = 1
        k = 2
        out[k] = k

    assert asserted(kernel) == []


def test_text(golden: Callable[[str, str], None]) -> None:
    kernel = build(set_again, array(INT32), array(INT32), block=(64, 1, 1))
    passes.lower_returns(kernel)
    golden("assert_uniform.txt", ir.format_kernel(kernel))
