"""Divergent barriers are rejected at their line, and the hint names the line that decides."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
from tests.frontend.build import VEC3F, array, build, grid_type

import headwater as hw
from headwater import ir, passes
from headwater.errors import CompileError
from headwater.types import INT32

# In each kernel the rejected barrier stands on the line marked B, the line that decides on one marked C.


def under_a_varying_if(y, x, grid):
    if hw.threadIdx.x < 5:  # C
        y[0] = 1
        hw.syncthreads()  # B


def under_the_else(y, x, grid):
    if x[hw.grid(1)] > 0:  # C
        y[0] = 1
    else:
        hw.syncthreads()  # B


def in_a_loop_of_varying_length(y, x, grid):
    for _ in range(hw.threadIdx.x):  # C
        hw.syncthreads()  # B


def in_a_while_of_varying_length(y, x, grid):
    k = hw.threadIdx.x
    while k > 0:  # C
        hw.syncthreads()  # B
        k -= 1


def after_a_varying_break(y, x, grid):
    for k in range(10):
        if x[hw.threadIdx.x] > k:  # C
            break
        hw.syncthreads()  # B


def before_a_varying_break(y, x, grid):
    for k in range(10):
        hw.syncthreads()  # B
        if x[hw.threadIdx.x] > k:  # C
            break


def after_a_varying_continue(y, x, grid):
    for k in range(10):
        if hw.threadIdx.x == k:  # C
            continue
        hw.syncthreads()  # B


def by_a_variable_under_varying_control(y, x, grid):
    k = 3
    if hw.threadIdx.x > 1:
        k = 4
    for _ in range(k):  # C
        hw.syncthreads()  # B


def by_a_load_from_a_written_array(y, x, grid):
    y[0] = 1
    if y[0] > 0:  # C
        hw.syncthreads()  # B


def by_a_load_from_a_shared_array(y, x, grid):
    tile = hw.shared.array(4, hw.int32)
    tile[0] = 1
    if tile[0] > 0:  # C
        hw.syncthreads()  # B


def by_an_atomic(y, x, grid):
    if hw.atomic.add(y, 0, 1) == 0:  # C
        hw.syncthreads()  # B


def by_a_vote_of_warps(y, x, grid):
    if hw.any_sync(0xFFFFFFFF, x[hw.threadIdx.x] > 0):  # C
        hw.syncthreads()  # B


def by_an_array_of_the_thread(y, x, grid):
    own = hw.local.array(1, hw.int32)
    own[0] = 1
    if own[0] > 0:  # C
        hw.syncthreads()  # B


def in_a_neighbour_loop(y, x, grid):
    for _, _, _ in grid.neighbors(hw.grid(1)):  # C
        hw.syncthreads()  # B


def by_a_condition_of_two(y, x, grid):
    if hw.blockIdx.x > 0 and hw.threadIdx.x > 0:  # C
        hw.syncthreads()  # B


@hw.function
def waits(value):
    if value > 2:
        return value
    hw.syncthreads()  # B
    return 0


def in_a_function(y, x, grid):
    y[0] = waits(hw.threadIdx.x)


BAD: list[Any] = [
    under_a_varying_if,
    under_the_else,
    in_a_loop_of_varying_length,
    in_a_while_of_varying_length,
    after_a_varying_break,
    before_a_varying_break,
    after_a_varying_continue,
    by_a_variable_under_varying_control,
    by_a_load_from_a_written_array,
    by_a_load_from_a_shared_array,
    by_an_atomic,
    by_a_vote_of_warps,
    by_an_array_of_the_thread,
    in_a_neighbour_loop,
    by_a_condition_of_two,
]


def check(function: Any) -> None:
    types = (array(INT32), array(INT32), grid_type())
    kernel = build(function, *types, block=(8, 1, 1))
    passes.lower_returns(kernel)
    passes.check_barriers(kernel)


def line_of(function: Any, mark: str) -> int:
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if f"# {mark}" in line)


@pytest.mark.parametrize("function", BAD, ids=[f.__name__ for f in BAD])
def test_rejected(function: Any) -> None:
    with pytest.raises(CompileError, match="'syncthreads'") as caught:
        check(function)
    error = caught.value
    assert error.span is not None
    assert error.span.line == line_of(function, "B")
    assert "hw.syncthreads()" in str(error)
    if function is not in_a_neighbour_loop:
        assert error.hint is not None
        assert f"line {line_of(function, 'C')}" in re.findall(r"line \d+", error.hint)


def test_warps_in_a_neighbour_loop() -> None:
    def kernel(y, x, grid):
        for j, _, _ in grid.neighbors(hw.grid(1)):
            y[0] = hw.shfl_sync(0xFFFFFFFF, j, 0)

    with pytest.raises(CompileError, match="'shfl_sync' stands inside a neighbour loop"):
        check(kernel)


@pytest.mark.parametrize("name", ["count", "and", "or"])
def test_a_vote_is_named(name: str) -> None:
    vote = getattr(hw, f"syncthreads_{name}")

    def kernel(y, x, grid):
        if x[hw.threadIdx.x] > 0:
            y[0] = hw.int32(vote(x[0] > 1))

    with pytest.raises(CompileError, match=f"'syncthreads_{name}' may be reached by some"):
        check(kernel)


def test_checked_where_returns_are_kept() -> None:
    """The text is as the user wrote it; the check looks at a copy without early returns."""

    def good(y, x, grid):
        if x[hw.threadIdx.x] > 0:
            return
        hw.syncthreads()

    def bad(y, x, grid):
        if x[hw.threadIdx.x] > 0:
            return
        if x[hw.threadIdx.x] > -3:
            hw.syncthreads()

    for function in (good, bad):
        kernel = build(function, array(INT32), array(INT32), grid_type(), block=(8, 1, 1))
        passes.lower_returns(kernel, keep=True)
        before = ir.format_kernel(kernel)
        if function is bad:
            with pytest.raises(CompileError, match="'syncthreads' may be reached by some"):
                passes.check_barriers(kernel)
        else:
            passes.check_barriers(kernel)
        assert "return" in before
        assert ir.format_kernel(kernel) == before


def test_rejected_in_a_function() -> None:
    with pytest.raises(CompileError) as caught:
        check(in_a_function)
    assert caught.value.span is not None
    assert caught.value.span.line == line_of(waits.python, "B")


# --- accepted -------------------------------------------------------------------------------------


def under_uniform_conditions(y, x, grid):
    if hw.blockIdx.x > 0 and x[hw.blockIdx.x] > len(x):
        hw.syncthreads()
    for k in range(x[0]):
        hw.syncthreads()
        if k == x[1]:
            break
        hw.syncthreads()
    if hw.threadIdx.y == 0:  # the block is 8 x 1 x 1
        hw.syncthreads()


def asserted(y, x, grid):
    tile = hw.shared.array(4, hw.int32)
    if hw.uniform(tile[0]) > 0:
        hw.syncthreads()
    while hw.uniform(y[hw.threadIdx.x]) > 0:
        hw.syncthreads()
        y[0] = 0


def by_votes(y, x, grid):
    table = hw.const.array_like((1, 2, 3))
    while hw.syncthreads_or(x[hw.threadIdx.x] > 0):
        hw.syncthreads()
    if hw.syncthreads_count(True) > 3 and table[len(x)] == 2:
        hw.syncthreads()


def after_a_return(y, x, grid):
    if hw.threadIdx.x > 3:
        return
    k = 4
    while k > 0:
        hw.syncthreads()
        k //= 2


def beside_varying_control(y, x, grid):
    for k in range(4):
        hw.syncthreads()
        for j in range(hw.threadIdx.x):
            if j > 2:
                break
            y[0] = j + k


@pytest.mark.parametrize(
    "function",
    [under_uniform_conditions, asserted, by_votes, after_a_return, beside_varying_control],
)
def test_accepted(function: Any) -> None:
    check(function)


def test_vectors_are_no_obstacle() -> None:
    def kernel(v):
        a = v[hw.blockIdx.x]
        if hw.dot(a, a) > 1.0:
            hw.syncthreads()

    passes.check_barriers(build(kernel, array(VEC3F)))
