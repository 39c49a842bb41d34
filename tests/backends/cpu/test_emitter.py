"""The generated LLVM IR: golden texts for a machine that is no particular one, and what must hold of them."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType

import pytest

import headwater as hw
from headwater import ir, passes
from headwater.backends.contract import Options
from headwater.backends.cpu.emitter import emit, fitting_lanes
from headwater.backends.cpu.target import Target
from headwater.backends.cpu.variance import analyse
from headwater.frontend.lower import lower
from headwater.types import FLOAT32, INT32, WEAK_FLOAT, ArgumentType, ArrayType

TARGET = Target(
    triple="x86_64-unknown-linux-gnu",
    cpu="generic",
    features="",
    data_layout="e-m:e-i64:64-n8:16:32:64-S128",
    lanes=4,
    vector_bits=128,
)
FLOATS = ArrayType(FLOAT32, 1)
INTEGERS = ArrayType(INT32, 1)


def saxpy(y, x, a):
    i = hw.grid(1)
    if i < x.shape[0]:
        y[i] = a * x[i] + y[i]


def block_sum(total, x):
    partial = hw.shared.array(64, hw.float32)
    thread = hw.threadIdx.x
    partial[thread] = x[hw.grid(1)]
    hw.syncthreads()
    step = 32
    while step > 0:
        if thread < step:
            partial[thread] += partial[thread + step]
        hw.syncthreads()
        step //= 2
    if thread == 0:
        total[hw.blockIdx.x] = partial[0]


def collatz(lengths, n):
    i = hw.grid(1)
    length = 0
    k = n[i]
    while k > 1:
        if k % 2 == 0:
            k //= 2
        else:
            k = 3 * k + 1
        length += 1
        if length == 100:
            break
    lengths[i] = length


KERNELS: dict[str, tuple[FunctionType, tuple[ArgumentType, ...], int]] = {
    "saxpy": (saxpy, (FLOATS, FLOATS, WEAK_FLOAT), 64),
    "block_sum": (block_sum, (FLOATS, FLOATS), 64),
    "collatz": (collatz, (INTEGERS, INTEGERS), 64),
}


def _names(function: FunctionType) -> tuple[str, ...]:
    return function.__code__.co_varnames[: function.__code__.co_argcount]


def lowered(name: str) -> ir.Kernel:
    function, types, threads = KERNELS[name]
    kernel = lower(function, [*zip(_names(function), types, strict=True)], (threads, 1, 1))
    passes.lower_returns(kernel)
    passes.check_barriers(kernel)
    passes.classify_reductions(kernel)
    return kernel


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("name", KERNELS)
def test_golden(name: str, lanes: int, golden: Callable[[str, str], None]) -> None:
    golden(f"{name}-{lanes}.ll", emit(lowered(name), TARGET.with_lanes(lanes), Options()).text)


def test_the_same_kernel_gives_the_same_text() -> None:
    texts = {emit(lowered("block_sum"), TARGET, Options()).text for _ in range(2)}
    assert len(texts) == 1


@pytest.mark.parametrize("contract", [True, False])
def test_only_contraction_is_asked_for(contract: bool) -> None:
    text = emit(lowered("saxpy"), TARGET, Options(contract=contract)).text
    assert ("fmul contract" in text) is contract
    for flag in (" fast ", " reassoc ", " nnan ", " ninf ", " nsz ", " arcp ", " afn "):
        assert flag not in text


def test_what_differs_between_lanes() -> None:
    kernel = lowered("collatz")
    names = {variable.name for variable in analyse(kernel).variables}
    assert names == {"k", "length"}
    kernel = lowered("block_sum")
    found = analyse(kernel)
    assert "step" not in {variable.name for variable in found.variables}
    assert not found.divergent_loops


@pytest.mark.parametrize(("threads", "lanes"), [(1, 1), (2, 2), (3, 4), (4, 4), (5, 4), (256, 4)])
def test_small_blocks_take_fewer_lanes(threads: int, lanes: int) -> None:
    kernel = ir.Kernel("empty", [], (threads, 1, 1))
    assert fitting_lanes(kernel, TARGET) == lanes
