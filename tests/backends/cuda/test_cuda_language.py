"""The generated CUDA C++: golden texts, and what must hold of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import FunctionType

import pytest
from tests.backends.cuda.cuda_kernels import block_sum, count, move, saxpy
from tests.passes.hand_built import Loop

from headwater import ir, passes
from headwater.backends.contract import Options
from headwater.backends.cuda import compiler
from headwater.backends.cuda.language import CudaLanguage
from headwater.emit import Names
from headwater.errors import InternalError
from headwater.frontend.lower import lower
from headwater.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    UINT32,
    WEAK_FLOAT,
    ArgumentType,
    ArrayType,
    ScalarType,
    VectorType,
)

FLOATS = ArrayType(FLOAT32, 1)
INTEGERS = ArrayType(INT32, 1)
VECTORS = ArrayType(VectorType(FLOAT32, 3), 1)


FORCE = VectorType(FLOAT32, 3)
COUNTS = ArrayType(INT64, 1)
KERNELS: dict[str, tuple[FunctionType, tuple[ArgumentType, ...], int]] = {
    "saxpy": (saxpy, (FLOATS, FLOATS, WEAK_FLOAT), 256),
    "block_sum": (block_sum, (FLOATS, FLOATS), 64),
    "move": (move, (VECTORS, VECTORS, FORCE, WEAK_FLOAT), 256),
    "count": (count, (COUNTS, INTEGERS), 128),
}


def lowered(name: str, aliases: tuple[int, ...] = ()) -> ir.Kernel:
    function, types, threads = KERNELS[name]
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    numbers = iter(aliases)
    given = [
        ArrayType(kind.element, kind.ndim, kind.contiguous, next(numbers, 0))
        if isinstance(kind, ArrayType)
        else kind
        for kind in types
    ]
    kernel = lower(function, [*zip(names, given, strict=True)], (threads, 1, 1))
    passes.lower_returns(kernel)
    passes.check_barriers(kernel)
    passes.classify_reductions(kernel)
    return kernel


def neighbours(periodic: bool) -> ir.Kernel:
    loop = Loop((periodic, False, False), reach=2)
    total = loop.variable("total", FLOAT32, 0.0)
    loop.body(lambda: loop.update("add", total, loop.node.distance2))
    loop.store(0, loop.build.read(total))
    return loop.kernel


@pytest.mark.parametrize("name", KERNELS)
def test_golden(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"{name}.cu", compiler.write(lowered(name), Options()).text)


@pytest.mark.parametrize("periodic", [False, True])
def test_golden_of_the_neighbour_loop(periodic: bool, golden: Callable[[str, str], None]) -> None:
    name = f"neighbours{'-periodic' if periodic else ''}.cu"
    golden(name, compiler.write(neighbours(periodic), Options()).text)


def test_the_text_includes_nothing() -> None:
    for name in KERNELS:
        text = compiler.write(lowered(name), Options()).text
        assert "#" not in text
        assert text.isascii()


@pytest.mark.parametrize(
    ("aliases", "y", "x"),
    [
        ((), "float* __restrict__ a_y", "const float* __restrict__ a_x"),
        ((1, 1), "float* a_y", "float* a_x"),
        ((1, 2), "float* a_y", "const float* __restrict__ a_x"),
    ],
)
def test_what_aliases_nothing_is_restricted(aliases: tuple[int, ...], y: str, x: str) -> None:
    text = compiler.write(lowered("saxpy", aliases), Options()).text
    assert f"    {y}," in text
    assert f"    {x}," in text


def test_options_ask_for_ieee_arithmetic() -> None:
    given = compiler.flags(Options(), "sm_90")
    assert {"--fmad=true", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"} <= set(given)
    assert "--fmad=false" in compiler.flags(Options(contract=False), "sm_90")
    assert not [flag for flag in given if "fast" in flag]


LITERALS = [
    (INT32, -(2**31), "(-2147483647 - 1)"),
    (INT64, -(2**63), "(-9223372036854775807ll - 1)"),
    (UINT32, 2**32 - 1, "4294967295u"),
    (FLOAT32, 0.1, "0.1f"),
    (FLOAT32, -2.0, "(-2.0f)"),
    (FLOAT32, 1e300, "__uint_as_float(0x7f800000u)"),
    (FLOAT64, float("-inf"), "__longlong_as_double(0xfff0000000000000ll)"),
    (FLOAT64, float("nan"), "__longlong_as_double(0x7ff8000000000000ll)"),
]


@pytest.mark.parametrize(("kind", "value", "text"), LITERALS)
def test_literals(kind: ScalarType, value: float, text: str) -> None:
    language = CudaLanguage(ir.Kernel("k", [], (1, 1, 1)), Names(), contract=True)
    assert language.literal(kind, value) == text


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.parametrize("name", [*KERNELS, "neighbours"])
def test_the_compiler_takes_it(nvrtc: None, name: str, architecture: str) -> None:
    kernel = neighbours(True) if name == "neighbours" else lowered(name)
    program = compiler.compile_kernel(kernel, Options(), architecture)
    assert program.code.startswith(b"\x7fELF")


def test_a_refused_text_is_kept(nvrtc: None) -> None:
    with pytest.raises(
        InternalError, match="NVRTC refuses the text of the kernel 'wrong'"
    ) as caught:
        compiler.machine_code("wrong", "int f( {", compiler.flags(Options(), "sm_90"))
    assert "kernel.cu(1): error" in str(caught.value)
    assert caught.value.__notes__ == ["int f( {"]


def test_an_element_is_one_load(nvrtc: None) -> None:
    """A position, of three scalars, is read with one load of 16 bytes."""
    text = compiler.write(neighbours(False), Options()).text
    loads = re.findall(r"ld\.global\.nc\.(\S+)", assembly(text))
    assert "v4.f32" in loads
    assert "f32" not in loads


def assembly(text: str) -> str:
    from cuda.bindings import nvrtc

    _, program = nvrtc.nvrtcCreateProgram(text.encode(), b"kernel.cu", 0, [], [])
    flags = [flag.encode() for flag in compiler.flags(Options(), "sm_90")]
    assert nvrtc.nvrtcCompileProgram(program, len(flags), flags)[0] == 0
    content = bytes(nvrtc.nvrtcGetPTXSize(program)[1])
    nvrtc.nvrtcGetPTX(program, content)
    return content.decode()


def deep_kernel(depth: int) -> ir.Kernel:
    out = ir.ArrayParameter("out", INTEGERS, ("out",), written=True)
    kernel = ir.Kernel("deep", [out], (1, 1, 1))
    build = ir.Builder(kernel.body)
    for level in range(depth):
        index = build.index("block", 0)
        inner = ir.If(
            build.compute("ne", index, build.constant(level, INT32)), ir.Block(), ir.Block()
        )
        build.append(inner)
        build.block = inner.then
    zero = build.constant(0, INT32)
    build.append(ir.Store(out, (zero,), zero))
    return kernel


def test_deep_nesting_compiles(nvrtc: None) -> None:
    compiler.compile_kernel(deep_kernel(110), Options(), "sm_90")


def square_test(literal: float) -> ir.Kernel:
    """Whether the square of a number reaches a bound; from a variable, as the assembler sees through it."""
    x = ir.ArrayParameter("x", FLOATS, ("x",))
    out = ir.ArrayParameter("out", ArrayType(BOOL, 1), ("out",), written=True)
    kernel = ir.Kernel("square", [x, out], (1, 1, 1))
    square = ir.Variable("square", FLOAT32)
    kernel.variables.append(square)
    build = ir.Builder(kernel.body)
    zero = build.constant(0, INT32)
    value = build.load(x, (zero,))
    build.assign(square, build.compute("mul", value, value))
    bound = build.constant(literal, FLOAT32)
    build.append(ir.Store(out, (zero,), build.compute("ge", build.read(square), bound)))
    return kernel


@pytest.mark.parametrize(
    ("literal", "contract", "hidden"),
    [(0.0, True, True), (-1.0, True, True), (1.0, True, False), (0.0, False, False)],
)
def test_bounds_of_squares_are_hidden(literal: float, contract: bool, hidden: bool) -> None:
    source = compiler.write(square_test(literal), Options(contract=contract))
    assert ("float a_bound" in source.text) is hidden
    assert [slot.value for slot in source.slots if slot.source == "literal"] == [literal] * hidden
