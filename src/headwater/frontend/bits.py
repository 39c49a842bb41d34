"""Functions of the bits of a number."""

from __future__ import annotations

import ast

import numpy as np

from headwater import ir
from headwater.frontend import arithmetic
from headwater.frontend.frame import Frame
from headwater.frontend.program import Program
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Literal,
    Operand,
    Runtime,
    Scalar,
    Vector,
    describe,
)
from headwater.types import (
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    UINT32,
    UINT64,
    ScalarType,
    join,
)

_HINT = "cast it with hw.int32(...), or take its bits with hw.bitcast(x, hw.uint32)"
# For each float type the unsigned integers of its width, and the bits of infinity there.
_FLOATS = {FLOAT32: (UINT32, 0x7F80_0000), FLOAT64: (UINT64, 0x7FF0_0000_0000_0000)}


def _integer(program: Program, name: str, value: Scalar) -> ir.Value:
    """The argument, which must be an integer: a weak one in the dialect's type."""
    if not value.kind.is_integer:
        raise program.fail(f"'{name}' takes an integer, not {describe(value)}", _HINT)
    return program.emit_default(value)


def population(program: Program, value: Scalar) -> Scalar:
    """How many bits are 1: int32."""
    counted = program.builder.compute("popc", _integer(program, "popc", value))
    return Runtime(program.builder.cast(counted, INT32))


def leading_zeros(program: Program, value: Scalar) -> Scalar:
    """How many leading bits are 0: int32."""
    counted = program.builder.compute("clz", _integer(program, "clz", value))
    return Runtime(program.builder.cast(counted, INT32))


def first_set(program: Program, value: Scalar) -> Scalar:
    """The position of the lowest bit that is 1, counted from 1; 0 where there is none: int32."""
    builder = program.builder
    bits = _integer(program, "ffs", value)
    position = builder.cast(builder.compute("ctz", bits), INT32)
    zero, one = builder.constant(0, INT32), builder.constant(1, INT32)
    empty = builder.compute("eq", bits, builder.constant(0, bits.type))
    return Runtime(builder.compute("select", empty, zero, builder.compute("add", position, one)))


def reverse(program: Program, value: Scalar) -> Scalar:
    """The bits in reverse order, in the same type."""
    return Runtime(program.builder.compute("brev", _integer(program, "brev", value)))


def upper_product(program: Program, a: Scalar, b: Scalar) -> Scalar:
    """The upper half of the product in twice the width."""
    kind = program.default(join(a.kind, b.kind))
    if not kind.is_integer or kind.bits < 32:
        raise program.fail(
            f"'mulhi' takes integers of 32 or 64 bits, not {describe(a)} and {describe(b)}",
            "cast them with hw.int32(...) or hw.uint32(...)",
        )
    return Runtime(program.builder.compute("mulhi", program.emit(a, kind), program.emit(b, kind)))


def compare_with_infinity(program: Program, operation: str, value: ir.Value) -> ir.Value:
    """Compare |value| with infinity by the bits: 'gt' holds for a NaN only."""
    builder = program.builder
    kind, infinity = _FLOATS[value.type]
    magnitude = builder.constant((1 << (kind.bits - 1)) - 1, kind)
    pattern = builder.compute("and", builder.bitcast(value, kind), magnitude)
    return builder.compute(operation, pattern, builder.constant(infinity, kind))


# --- bitcast --------------------------------------------------------------------------------------


def bitcast(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    """`hw.bitcast(x, dtype)`: a weak x in the type of its kind that has dtype's width."""
    value, kind = frame.expression(arguments[0]), frame.expression(arguments[1])
    frame.at(node)
    if not isinstance(kind, ScalarType) or kind.is_bool or kind is FLOAT16:
        raise frame.fail(
            arguments[1],
            f"'bitcast' gives a number, not {describe(kind)}",
            "write a dtype of 8 to 64 bits, such as hw.uint32",
        )
    if isinstance(value, Vector):
        return Vector(tuple(_bitcast(frame.program, part, kind) for part in value.components))
    if isinstance(value, SCALAR_CLASSES):
        return _bitcast(frame.program, value, kind)
    raise frame.fail(arguments[0], f"'bitcast' takes a scalar or a vector, not {describe(value)}")


def _bitcast(program: Program, value: Scalar, kind: ScalarType) -> Scalar:
    source = _source(value.kind, kind)
    if source is None:
        raise program.fail(
            f"'bitcast' keeps the width: {describe(value)} has no {kind.bits} bits",
            "cast it to a type of that width first",
        )
    if isinstance(value, Literal):
        return _folded(program, value, source, kind)
    emitted = program.emit(value, source)
    return Runtime(emitted if source is kind else program.builder.bitcast(emitted, kind))


def _source(source: ScalarType, kind: ScalarType) -> ScalarType | None:
    """The type of the same width whose bits are read; None where there is none."""
    if not source.weak:
        return source if source.bits == kind.bits and not source.is_bool else None
    if not source.is_float:
        return kind if kind.is_integer else {FLOAT32: INT32, FLOAT64: INT64}[kind]
    return {32: FLOAT32, 64: FLOAT64}.get(kind.bits)


def _folded(program: Program, value: Literal, source: ScalarType, kind: ScalarType) -> Scalar:
    exact = arithmetic.cast(program, value, source)
    if not isinstance(exact, Literal):
        raise program.broken("the cast of a literal is none")
    read = np.array(exact.value, source.numpy).view(kind.numpy)
    if read != read:  # a Python float does not keep the bits of a NaN
        return Runtime(program.builder.bitcast(program.emit(exact, source), kind))
    return Literal(read.item(), kind)
