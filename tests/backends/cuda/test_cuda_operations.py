"""Every row of the tables, in kernels that NVRTC must take. Their meaning is tested where there is a GPU."""

from __future__ import annotations

import pytest

from headwater import ir
from headwater.backends.contract import Options
from headwater.backends.cuda import compiler
from headwater.backends.cuda.language import CudaLanguage
from headwater.backends.cuda.rows import table
from headwater.emit import Names
from headwater.ir.operations import ATOMICS, OPERATIONS, VOTES, WARP_OPERATIONS
from headwater.types import (
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    SCALARS,
    UINT8,
    UINT32,
    UINT64,
    ArrayType,
    ScalarType,
)

_COMPUTED = [kind for kind in SCALARS if kind is not FLOAT16]
_WIDE = [kind for kind in _COMPUTED if kind.bits >= 32]
_CONVERSIONS = ("cast", "bitcast")


class Bench:
    """A kernel with three values of one type, and an array of each type to keep results in."""

    def __init__(self, kind: ScalarType, contract: bool = True) -> None:
        self.kind = kind
        self.outputs = {
            k: ir.ArrayParameter(f"out_{k}", ArrayType(k, 1), (f"out_{k}",), True, True)
            for k in SCALARS
        }
        source = ir.ArrayParameter("x", ArrayType(kind, 1), ("x",))
        self.kernel = ir.Kernel(f"of_{kind}", [*self.outputs.values(), source], (32, 1, 1))
        self.build = ir.Builder(self.kernel.body)
        self.build.contract = contract
        self.thread = self.build.index("thread", 0)
        places = [self.build.compute("add", self.thread, self.number(n)) for n in range(3)]
        self.values = tuple(self.build.load(source, (place,)) for place in places)
        self.truth = self.build.compute("lt", self.thread, self.number(7))
        self.kept = 0

    def number(self, value: int) -> ir.Value:
        return self.build.constant(value, INT32)

    def keep(self, value: ir.Value) -> None:
        self.kept += 1
        place = self.build.compute("add", self.thread, self.number(32 * self.kept))
        self.build.store(self.outputs[value.type], (place,), value)

    def compute(self, operation: str, kind: ScalarType, *arguments: ir.Value) -> ir.Value | None:
        """None where the operation does not take such operands."""
        types = tuple(argument.type for argument in arguments)
        if OPERATIONS[operation].rule(types, kind) is not None:
            return None
        result = ir.Value(kind)
        contract = self.build.contract
        self.build.append(ir.Compute(result, operation, arguments, None, contract))
        self.keep(result)
        return result

    def program(self, architecture: str = "sm_90") -> str:
        """The text, which the compiler has taken."""
        ir.verify(self.kernel)
        source = compiler.write(self.kernel, Options())
        flags = compiler.flags(Options(), architecture)
        assert compiler.machine_code("k", source.text, flags).startswith(b"\x7fELF")
        return source.text


@pytest.mark.parametrize("contract", [True, False], ids=["contract", "rounded"])
@pytest.mark.parametrize("kind", _COMPUTED, ids=str)
def test_operations(nvrtc: None, kind: ScalarType, contract: bool) -> None:
    bench = Bench(kind, contract)
    for name, operation in OPERATIONS.items():
        if name in _CONVERSIONS or (name == "mulhi" and kind.bits < 32):
            continue
        values = bench.values[: operation.arity]
        if name == "select":
            values = (bench.truth, *bench.values[:2])
        for result in {kind, BOOL}:
            bench.compute(name, result, *values)
    text = bench.program()
    if kind.is_float:
        fused = " + " in text and " * " in text
        assert fused is contract
        assert ("mul_rn(v" in text) is not contract


@pytest.mark.parametrize("kind", SCALARS, ids=str)
def test_conversions(nvrtc: None, kind: ScalarType) -> None:
    bench = Bench(kind)
    for other in SCALARS:
        if other is not kind:
            bench.compute("cast", other, bench.values[0])
            bench.compute("bitcast", other, bench.values[1])
    bench.program("sm_80")


@pytest.mark.parametrize("kind", SCALARS, ids=str)
def test_literals_and_tables(nvrtc: None, kind: ScalarType) -> None:
    bench = Bench(kind)
    values: tuple[bool | int | float, ...] = (True, False)
    if kind.is_integer:
        values = (*kind.limits, 3)
    elif kind.is_float:
        values = (0.0, -1.5, float("inf"), float("-inf"), float("nan"), 1e-7)
    for value in values:
        bench.keep(bench.build.constant(value, kind))
    known = ir.ConstantArray("known", kind, (len(values),), values)
    large = ir.ConstantArray("large", kind, (5000, 3), values[:1] * 30000, 2)
    local = ir.LocalArray("mine", kind, (3, 5), 2)
    bench.kernel.constants += [known, large]
    bench.kernel.locals.append(local)
    place = (bench.thread, bench.number(1))
    bench.build.store(local, place, bench.values[0], 1)
    bench.keep(bench.build.load(local, place, 1))
    bench.keep(bench.build.load(large, place, 1))
    bench.keep(bench.build.load(known, (bench.thread,)))
    bench.keep(bench.build.extent(local, 1))
    text = bench.program()
    assert ("__constant__ const" in text) is (30003 * kind.size < 65536)


@pytest.mark.parametrize("kind", [kind for kind in SCALARS if kind.is_integer], ids=str)
def test_loops(nvrtc: None, kind: ScalarType) -> None:
    bench = Bench(kind)
    build, (start, stop, _) = bench.build, bench.values
    for step in (1, 3) if kind.kind == "uint" else (1, -1, 3):
        with build.loop(start, stop, build.constant(step, kind)) as loop:
            bench.keep(loop.index)
    bench.program()


_ATOMIC_KINDS = {
    "and": "int uint",
    "or": "int uint",
    "xor": "int uint",
    "inc": "uint",
    "dec": "uint",
}


@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
@pytest.mark.parametrize("kind", _WIDE, ids=str)
def test_atomics(nvrtc: None, kind: ScalarType, architecture: str) -> None:
    bench = Bench(kind)
    shared = ir.SharedArray("tile", kind, (32,))
    bench.kernel.shared.append(shared)
    value, compare, _ = bench.values
    for name in ATOMICS:
        if kind.kind not in _ATOMIC_KINDS.get(name, "int uint float").split():
            continue
        for array in (bench.outputs[kind], shared):
            given = compare if name == "cas" else None
            bench.keep(bench.build.atomic(name, array, (bench.thread,), value, compare=given))
    bench.program(architecture)


def test_sums_of_float32_in_shared_memory_are_native() -> None:
    """Only the unit of global memory loses small numbers."""
    names = [f"atomic.add{where}" for where in ("", ".shared")]
    texts = [found.text for name in names if (found := table().find(name, "float32"))]
    assert texts == ["hw_atomic_add_float32({0}, {1})", "atomicAdd({0}, {1})"]


@pytest.mark.parametrize("kind", SCALARS, ids=str)
def test_warps(nvrtc: None, kind: ScalarType) -> None:
    bench = Bench(kind)
    build, value = bench.build, bench.values[0]
    mask = build.constant(0xFFFFFFFF, UINT32)
    amounts = (bench.thread, bench.number(3), bench.number(40))
    for name in WARP_OPERATIONS:
        given: list[tuple[ir.Value, ...]] = [(value, mask)]
        if name.startswith("shuffle"):
            given = [(value, amount, mask) for amount in amounts]
        elif name in ("all", "any", "ballot"):
            given = [(bench.truth, mask)]
        elif name in ("active", "sync"):
            given = [(mask,) if name == "sync" else ()]
        result = kind if name.startswith("shuffle") else UINT32
        result = BOOL if name in ("all", "any") else result
        for arguments in given:
            made = None if name == "sync" else ir.Value(result)
            build.append(ir.Warp(made, name, arguments, 8 if len(arguments) == 3 else 32))
            if made is not None:
                bench.keep(made)
    bench.program("sm_75")


def test_votes_and_fences(nvrtc: None) -> None:
    bench = Bench(INT32)
    for name in VOTES:
        result = ir.Value(INT32 if name == "count" else BOOL)
        bench.build.append(ir.BarrierVote(result, name, bench.truth))
        bench.keep(result)
    for scope in ("block", "device", "system"):
        bench.build.append(ir.Fence(scope))
    text = bench.program()
    assert "__syncthreads_count(v" in text
    assert "__threadfence_system();" in text


def test_far_shuffles_keep_the_own_value() -> None:
    """The hardware reads five bits of a distance."""
    bench = Bench(INT32)
    mask = bench.build.constant(0xFFFFFFFF, UINT32)
    for amount in (bench.number(5), bench.number(33), bench.thread):
        shuffle = ir.Warp(ir.Value(INT32), "shuffle_up", (bench.values[0], amount, mask))
        bench.build.append(shuffle)
    text = compiler.write(bench.kernel, Options()).text
    assert ", 5, 32)" in text
    assert ", ((33 & ~31) != 0 ? 0 : 33), 32)" in text
    assert ", ((v_1 & ~31) != 0 ? 0 : v_1), 32)" in text


# --- shared memory ------------------------------------------------------------------------------------


def shared_kernel(static: tuple[tuple[ScalarType, int], ...], dynamic: int) -> ir.Kernel:
    """Writes and reads shared arrays; with dynamic memory also views of two types of it."""
    out = ir.ArrayParameter("out", ArrayType(FLOAT64, 1), ("out",), written=True)
    kernel = ir.Kernel("shared", [out], (32, 1, 1), dynamic_shared=dynamic)
    arrays = [ir.SharedArray(str(kind), kind, (count,)) for kind, count in static]
    if dynamic:
        arrays += [
            ir.SharedArray(f"dynamic_{kind}", kind, (dynamic // kind.size,), dynamic=True)
            for kind in (UINT8, FLOAT64)
        ]
    kernel.shared += arrays
    build = ir.Builder(kernel.body)
    zero = build.constant(0, INT32)
    for array in arrays:
        build.store(
            array, (zero,), build.constant(1.0 if array.scalar.is_float else 1, array.scalar)
        )
        build.store(out, (zero,), build.cast(build.load(array, (zero,)), FLOAT64))
    return kernel


@pytest.mark.parametrize(
    ("static", "dynamic", "asked"),
    [
        (((INT8, 3), (FLOAT32, 5)), 0, 0),
        (((INT8, 3), (FLOAT32, 5)), 1004, 1004),
        ((), 100_000, 100_000),
        (((INT16, 3), (FLOAT64, 6200)), 0, 49_606),
        (((INT16, 3), (FLOAT64, 6200)), 1004, 1008 + 49_606),
    ],
)
def test_shared_memory(
    nvrtc: None, static: tuple[tuple[ScalarType, int], ...], dynamic: int, asked: int
) -> None:
    source = compiler.write(shared_kernel(static, dynamic), Options())
    assert source.dynamic_shared == asked
    compiler.machine_code("shared", source.text, compiler.flags(Options(), "sm_90"))


def test_arrays_of_four_axes(nvrtc: None) -> None:
    kinds = [ArrayType(INT64, 4, contiguous) for contiguous in (True, False)]
    arrays = [ir.ArrayParameter(f"a{n}", kind, (str(n),), True) for n, kind in enumerate(kinds)]
    kernel = ir.Kernel("four", [*arrays], (32, 1, 1))
    build = ir.Builder(kernel.body)
    places = [build.index(kind, 0) for kind in ("thread", "block", "block_size", "grid_size")]
    wide = build.cast(places[0], UINT64)
    for array in arrays:
        build.store(array, (*places[:3], wide), build.load(array, tuple(places)))
    text = compiler.write(kernel, Options()).text
    compiler.machine_code("four", text, compiler.flags(Options(), "sm_90"))
    assert "a_a1_s3" in text
    assert "a_a0_n3" in text


def test_a_float16_literal_is_its_bits() -> None:
    language = CudaLanguage(ir.Kernel("k", [], (1, 1, 1)), Names(), contract=True)
    assert language.literal(FLOAT16, 1.5) == "((unsigned short)0x3e00u)"
    assert language.literal(INT8, -128) == "((signed char)-128)"
    assert language.literal(UINT64, 2**64 - 1) == "18446744073709551615ull"
    assert language.literal(FLOAT32, 0.1) == "0.1f"
    assert language.literal(INT64, -5) == "(-5ll)"
