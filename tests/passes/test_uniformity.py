"""Which variables and values differ between the threads of a block."""

# The kernels are made of variables that nobody reads.
# ruff: noqa: F841, SIM113

from __future__ import annotations

from typing import Any

import pytest
from tests.frontend.build import array, build, grid_type

import headwater as hw
from headwater import ir, passes
from headwater.types import INT32

# Variables of these kernels are named u... where they are uniform, v... where they vary.


def sources(y, x, n, grid):
    v1 = hw.threadIdx.x
    u2 = hw.threadIdx.y
    u3 = hw.blockIdx.x + hw.gridDim.x
    u4 = n * 2 + len(x)
    u5 = x[n]
    v6 = x[hw.threadIdx.x]
    v7 = y[n]
    v8 = y[hw.threadIdx.x]
    u9 = hw.uniform(y[hw.threadIdx.x])
    v10 = hw.atomic.add(y, 0, 1)
    for v11, _, _ in grid.neighbors(hw.grid(1)):
        y[0] = v11
    v1, u2, u3, u4, u5 = v1 + 0, u2 + 0, u3 + 0, u4 + 0, u5 + 0
    v6, v7, v8, u9, v10 = v6 + 0, v7 + 0, v8 + 0, u9 + 0, v10 + 0


def control(y, x, n, grid):
    u1 = 0
    v2 = 0
    u3 = 0
    if n > 0:
        u1 = 1
        if hw.threadIdx.x > n:
            v2 = 1
    for u4 in range(n):
        u3 += u4
        u4 += 1
    v5 = 0
    for v6 in range(hw.threadIdx.x):
        v5 += 1
        v6 += 1
    v7 = 0
    while True:
        if hw.threadIdx.x < n:
            break
        v7 += 1
    u8 = 0
    v9 = 0
    for k in range(n):
        for j in range(n):
            if hw.threadIdx.x == j:
                continue
            v9 += 1
        u8 += k


def returns(y, x, n, grid):
    """Threads that have returned do not count."""
    u1 = 0
    if hw.threadIdx.x > n:
        return
    u1 += 1
    y[0] = u1


@pytest.mark.parametrize("function", [sources, control, returns])
def test_variables(function: Any) -> None:
    types = (array(INT32), array(INT32), INT32, grid_type())
    kernel = build(function, *types, block=(8, 1, 1))
    found = {v.name for v in passes.varying(kernel).variables}
    named = {v.name for v in kernel.variables}
    expected = {n for n in named if n.startswith("v")}
    assert {n.strip("0123456789") for n in named} <= {"u", "v"}
    assert found == expected


def test_arrays_that_share_memory_are_written_together() -> None:
    def kernel(y, x, z):
        y[hw.threadIdx.x] = x[0] + z[0]

    def varying_loads(alias: int) -> list[str]:
        types = (array(INT32, alias=1), array(INT32, alias=alias), array(INT32))
        built = build(kernel, *types)
        values = passes.varying(built).values
        loads = [n for n in ir.walk(built.body) if isinstance(n, ir.Load)]
        return [load.array.name for load in loads if load.result in values]

    assert varying_loads(1) == ["x"]
    assert varying_loads(0) == []


def test_a_function_that_some_threads_leave() -> None:
    @hw.function
    def early(t):
        if t > 3:
            return 1
        k = 0
        k += 1
        return k

    def kernel(y):
        y[0] = early(hw.threadIdx.x)

    built = build(kernel, array(INT32))
    found = {variable.name for variable in passes.varying(built).variables}
    assert found == {"early_0", "k"}


def of_the_whole_language(y, x, n, grid):
    """Votes are the same for the block, what warps and own arrays give is not."""
    table = hw.const.array_like(TABLE)
    own = hw.local.array(4, hw.int32)
    tile = hw.shared.array(8, hw.int32)
    t = hw.threadIdx.x
    tile[t] = n
    for v1 in range(t % 4 + 1):
        own[v1] = n
        v1 += 0
    u2 = hw.syncthreads_count(x[t] > 0)
    u3 = hw.syncthreads_or(x[t] > 0)
    v4 = hw.any_sync(0xFFFFFFFF, x[t] > 0)
    v5 = hw.shfl_sync(0xFFFFFFFF, n, 0)
    v6 = own[0]
    u7 = table[n]
    v8 = table[t % 4]
    v9 = tile[0]
    u2, u3, v4, v5 = u2 + 0, u3 and u3, v4 and v4, v5 + 0
    v6, u7, v8, v9 = v6 + 0, u7 + 0, v8 + 0, v9 + 0
    y[t] = u2 + v5 + v6 + u7 + v8 + v9


TABLE = (3, 1, 4, 1)


def test_own_arrays_votes_and_warps() -> None:
    types = (array(INT32), array(INT32), INT32, grid_type())
    kernel = build(of_the_whole_language, *types, block=(8, 1, 1))
    found = {v.name for v in passes.varying(kernel).variables}
    named = {v.name for v in kernel.variables}
    assert {n for n in found if n[0] == "u" and n[1:].isdigit()} == set()
    assert {n for n in named if n[0] == "v" and n[1:].isdigit()} <= found
