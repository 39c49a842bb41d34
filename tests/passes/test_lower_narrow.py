"""Integers of 8 and 16 bits computed in 32, against the interpreter's own: every operation on every edge value."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from interpreted import lowered, run

import headwater as hw
from headwater import ir, passes
from headwater.ir import OPERATIONS
from headwater.types import (
    FLOAT16,
    INT8,
    INT16,
    INT32,
    SCALARS,
    UINT8,
    UINT16,
    UINT32,
    ArrayType,
    ScalarType,
    from_numpy,
)

NARROW = (INT8, INT16, UINT8, UINT16)
INTEGER_OPERATIONS = [
    name
    for name, row in OPERATIONS.items()
    if name not in ("cast", "bitcast", "select") and row.rule((INT8,) * row.arity, INT8) is None
]
COMPARISONS = ["lt", "le", "gt", "ge", "eq", "ne"]


def edges(kind: ScalarType) -> np.ndarray:
    if kind.is_bool:
        return np.array([False, True])
    if kind.is_float:
        chosen = [0.0, -0.0, 1.9, -1.9, 127.5, -128.5, 255.5, 300.0, -40000.0, 70000.0, 1e10]
        return np.array([*chosen, np.nan, np.inf, -np.inf]).astype(np.float64).astype(kind.numpy)
    low, high = kind.limits
    wanted = (-128, -9, -1, 0, 1, 3, 7, 8, 15, 16, 127, 128, 255, 40000)
    kept = {v for v in (*wanted, low, low + 1, high - 1, high) if low <= v <= high}
    return np.array(sorted(kept), object).astype(kind.numpy)


def element_wise(operation: str, inputs: list[np.ndarray], out: ScalarType) -> ir.Kernel:
    """A kernel out[i] = operation(in0[i], ...) for blocks of one thread."""
    kernel = ir.Kernel("element_wise", [], (1, 1, 1))
    build = ir.Builder(kernel.body)
    kinds = [out, *(from_numpy(values.dtype) for values in inputs)]
    arrays = [
        ir.ArrayParameter(f"a{k}", ArrayType(kind, 1), (f"a{k}",), written=k == 0)
        for k, kind in enumerate(kinds)
    ]
    kernel.parameters += arrays
    i = build.index("block", 0)
    result = ir.Value(out)
    values = tuple(build.load(array, (i,)) for array in arrays[1:])
    build.append(ir.Compute(result, operation, values))
    build.store(arrays[0], (i,), result)
    return kernel


def compare(operation: str, inputs: list[np.ndarray], out: ScalarType) -> None:
    arrays = [np.zeros(len(inputs[0]), out.numpy), *inputs]
    grid = (len(inputs[0]), 1, 1)
    expected = run(element_wise(operation, inputs, out), grid, arrays)[0]
    kernel = element_wise(operation, inputs, out)
    narrowed(kernel)
    np.testing.assert_array_equal(run(kernel, grid, arrays)[0], expected)


def narrowed(kernel: ir.Kernel) -> None:
    """The pass, and that what it says is true."""
    passes.lower_narrow(kernel)
    ir.verify(kernel)
    users: dict[ir.Value, list[ir.Node]] = {}
    for node in ir.walk(kernel.body):
        for value in ir.operands(node):
            users.setdefault(value, []).append(node)
    for node in ir.walk(kernel.body):
        for value in ir.results(node):
            if value.type not in NARROW:
                continue
            made = "load" if isinstance(node, ir.Load) else getattr(node, "operation", "")
            kinds = {"load": ir.Compute, "bitcast": ir.Compute, "cast": (ir.Store, ir.Compute)}
            assert made in kinds
            assert all(isinstance(user, kinds[made]) for user in users.get(value, ()))
    assert not any(variable.type in NARROW for variable in kernel.variables)


@pytest.mark.parametrize("kind", NARROW, ids=str)
@pytest.mark.parametrize("operation", [*INTEGER_OPERATIONS, *COMPARISONS])
def test_every_operation(operation: str, kind: ScalarType) -> None:
    values = edges(kind)
    if OPERATIONS[operation].arity == 1:
        inputs = [values]
    else:
        inputs = [np.repeat(values, len(values)), np.tile(values, len(values))]
    out = SCALARS[0] if operation in COMPARISONS else kind
    compare(operation, inputs, out)


@pytest.mark.parametrize("kind", NARROW, ids=str)
@pytest.mark.parametrize("other", [k for k in SCALARS if k is not FLOAT16], ids=str)
def test_every_cast(other: ScalarType, kind: ScalarType) -> None:
    compare("cast", [edges(other)], kind)
    compare("cast", [edges(kind)], other)


@pytest.mark.parametrize(
    ("source", "kind"),
    [(INT8, UINT8), (UINT8, INT8), (INT16, UINT16), (UINT16, INT16), (INT16, FLOAT16)],
    ids=str,
)
def test_bits_read_as_another_type(source: ScalarType, kind: ScalarType) -> None:
    compare("bitcast", [edges(source)], kind)
    if kind is not FLOAT16:
        compare("bitcast", [edges(kind)], source)


TABLE = np.array([3, -128, 127, 5], np.int8)


def everywhere(a0, a1, a2):
    """Variables, loops, branches, own arrays, shuffles and subscripts of small types."""
    tile = hw.shared.array(32, hw.uint8)
    own = hw.local.array(4, hw.int16)
    table = hw.const.array_like(TABLE)
    t = hw.threadIdx.x
    small = a1[t]
    tile[t] = a2[t]
    hw.syncthreads()
    total = small
    for k in range(hw.int8(-3), hw.int8(120), hw.int8(41)):
        own[k & 3] = hw.int16(total) * hw.int16(k)
        total += table[t % 4] * k
        if total > small:
            total -= hw.int8(100)
        while total < hw.int8(-90):
            total += hw.int8(7)
    mixed = hw.select(total > small, total, small) + hw.shfl_xor_sync(0xFFFFFFFF, total, 0)
    a0[t, 0] = total
    a0[t, 1] = mixed
    a0[t, 2] = hw.int32(tile[31 - t] + tile[t]) + own[1]
    a0[t, 3] = hw.int32(hw.match_any_sync(0xFFFFFFFF, tile[t] % hw.uint8(3)))
    a1[t] = -mixed
    a2[t] = tile[t] << hw.uint8(5)


def test_everywhere() -> None:
    rng = np.random.default_rng(1)
    small = rng.integers(-128, 128, 32).astype(np.int8)
    bytes_ = rng.integers(0, 256, 32).astype(np.uint8)
    arrays = [np.zeros((32, 4), np.int32), small, bytes_]
    expected = run(lowered(everywhere, (32, 1, 1), arrays), (1, 1, 1), arrays)
    found = run(lowered(everywhere, (32, 1, 1), arrays, narrowed), (1, 1, 1), arrays)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def test_parameters() -> None:
    kernel = ir.Kernel("parameters", [], (1, 1, 1))
    out = ir.ArrayParameter("a0", ArrayType(UINT32, 1), ("a0",), written=True)
    small, large = ir.ScalarParameter(UINT8, "s"), ir.ScalarParameter(INT16, "t")
    kernel.parameters += [out, small, large]
    build = ir.Builder(kernel.body)
    zero, one = build.constant(0, INT32), build.constant(1, INT32)
    build.store(out, (zero,), build.cast(build.compute("add", small, small), UINT32))
    build.store(out, (one,), build.cast(build.compute("mul", large, large), UINT32))
    before = ir.format_kernel(kernel)
    narrowed(kernel)
    after = ir.format_kernel(kernel)
    assert "param s: uint8" in before
    assert "param s: uint8" in after
    lines = [line.partition(": ")[2] for line in after.splitlines()[4:6]]
    assert lines == ["uint32 = cast s", "int32 = cast t"]


def test_text(golden: Callable[[str, str], None]) -> None:
    def kernel(a0, a1, a2):
        i = hw.threadIdx.x
        total = a1[i] + a1[i]
        for k in range(3):
            total = total * a1[k] - hw.int8(k)
        a1[i] = total >> 1
        a2[i] = hw.uint8(total) + a2[i]
        a0[i, 0] = hw.int32(total < a1[0])

    arrays = [np.zeros((32, 4), np.int32), np.zeros(32, np.int8), np.zeros(32, np.uint8)]
    golden("narrow.txt", ir.format_kernel(lowered(kernel, (32, 1, 1), arrays, narrowed)))


def chain(kind: ScalarType, seed: int) -> ir.Kernel:
    """Random operations on what came before; some results are stored, compared or taken as subscripts."""
    dice = random.Random(seed)
    kernel = ir.Kernel("chain", [], (1, 1, 1))
    build = ir.Builder(kernel.body)
    kinds = (kind, kind, INT32)
    arrays = [
        ir.ArrayParameter(f"a{k}", ArrayType(kinds[k], 1), (f"a{k}",), written=True)
        for k in range(3)
    ]
    kernel.parameters += arrays
    values = [build.load(arrays[0], (build.constant(k, INT32),)) for k in range(4)]
    two = build.constant(2, kind)
    for place in range(12):
        operation = dice.choice([*INTEGER_OPERATIONS, "add", "mul", "sub", "shl"])
        operands = dice.choices(values, k=OPERATIONS[operation].arity)
        values.append(build.compute(operation, *operands))
        at = (build.constant(place, INT32),)
        taken = dice.choice(values[-3:])
        if dice.random() < 0.5:
            build.store(arrays[1], at, taken)
        elif dice.random() < 0.5:
            below = build.compute("lt", taken, two)
            build.store(
                arrays[2], at, build.compute("select", below, at[0], build.constant(2, INT32))
            )
        else:
            build.store(arrays[2], (build.compute("and", taken, two),), build.cast(taken, INT32))
    return kernel


@pytest.mark.parametrize("kind", NARROW, ids=str)
def test_chains(kind: ScalarType) -> None:
    rng = np.random.default_rng(kind.bits)
    for seed in range(40):
        low, high = kind.limits
        values = rng.integers(low, high, 12, endpoint=True).astype(kind.numpy)
        arrays = [values, np.zeros(12, kind.numpy), np.zeros(12, np.int32)]
        expected = run(chain(kind, seed), (1, 1, 1), arrays)
        kernel = chain(kind, seed)
        narrowed(kernel)
        for a, b in zip(run(kernel, (1, 1, 1), arrays), expected, strict=True):
            np.testing.assert_array_equal(a, b)
