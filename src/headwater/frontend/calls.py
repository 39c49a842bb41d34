"""Calls: the language's own functions by a table, device functions by inlining, casts."""

from __future__ import annotations

import ast

import numpy as np

from headwater.frontend import (
    arithmetic,
    atomics,
    debug,
    functions,
    iterables,
    own,
    records,
    threads,
    vectors,
    views,
    warps,
)
from headwater.frontend.breakpoints import breakpoint_call
from headwater.frontend.frame import Frame
from headwater.frontend.inline import inline
from headwater.frontend.known import BREAKPOINT, PRINT
from headwater.frontend.language import Intrinsic
from headwater.frontend.operators import combine
from headwater.frontend.rows import Row, apply, held, scalars, vector, wrong_count
from headwater.frontend.values import (
    ARRAYS,
    SCALAR_CLASSES,
    Captured,
    Device,
    Literal,
    Neighbors,
    Operand,
    RecordClass,
    Scalar,
    Shape,
    Text,
    Tuple,
    TupleClass,
    Vector,
    WeakOperation,
    describe,
)
from headwater.types import WEAK_FLOAT, WEAK_INT, ScalarType, VectorType


def call(frame: Frame, node: ast.Call) -> Operand:
    """The value of a call."""
    target = frame.expression(node.func)
    if isinstance(target, Device):
        return inline(frame, node, target)
    if target == PRINT:
        return debug.print_line(frame, node)
    if target == BREAKPOINT:
        return breakpoint_call(frame, node)
    if isinstance(target, Intrinsic):
        row = _ROWS.get(target.name)
        if row is None:
            raise frame.fail(node, f"'{target.name}' is not supported in a kernel")
        return apply(frame, node, target.name, row)
    if isinstance(target, RecordClass):
        return records.construct(frame, node, target.python)
    if isinstance(target, TupleClass):
        return records.named_tuple(frame, node, target.python)
    if node.keywords:
        given = node.keywords[0].arg or "**"
        raise frame.fail(node.keywords[0], f"a cast takes no keyword argument '{given}'")
    if isinstance(target, ScalarType):
        return _cast(frame, node, target)
    if isinstance(target, VectorType):
        return _vector_of(frame, node, target)
    if isinstance(target, Neighbors):
        return iterables.neighbors(frame, node, target)
    hint = "it is a value: leave out the ()" if isinstance(target, SCALAR_CLASSES) else None
    raise frame.fail(node, f"{describe(target)} cannot be called", hint)


# --- casts ----------------------------------------------------------------------------------------


def _cast(frame: Frame, node: ast.Call, kind: ScalarType) -> Operand:
    if len(node.args) != 1:
        raise wrong_count(frame, node, f"the cast '{kind}'", _ONE, len(node.args))
    (value,) = scalars(frame, node, node.args)
    return arithmetic.cast(frame.program, value, kind)


def _vector_of(frame: Frame, node: ast.Call, kind: VectorType) -> Operand:
    if len(node.args) == 1:
        parts = _components(frame, node, kind)
    elif len(node.args) == kind.size:
        parts = tuple(scalars(frame, node, node.args))
    else:
        raise frame.fail(
            node, f"'{kind}' takes {kind.size} arguments, or a vector, not {len(node.args)}"
        )
    frame.at(node)
    if len(parts) != kind.size:
        raise frame.fail(node, f"a vec{len(parts)} is not a vec{kind.size}")
    return Vector(tuple(arithmetic.cast(frame.program, part, kind.scalar) for part in parts))


def _components(frame: Frame, node: ast.Call, kind: VectorType) -> tuple[Scalar, ...]:
    value = frame.expression(node.args[0])
    if isinstance(value, SCALAR_CLASSES):
        given = ", ".join([ast.unparse(node.args[0])] * kind.size)
        raise frame.fail(
            node,
            f"'{kind}' takes {kind.size} numbers, or a vector, not one number",
            f"write {ast.unparse(node.func)}({given})",
        )
    return vector(frame, held(node.args[0], value)).components


def _int(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    (value,) = scalars(frame, node, arguments)
    return functions.to_integer(frame.program, value)


def _float(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    text = frame.expression(arguments[0])
    if isinstance(text, Text):
        return Literal(
            float(arithmetic.python_result(frame.program, float, text.value)), WEAK_FLOAT
        )
    (value,) = scalars(frame, node, [held(arguments[0], text)])
    if isinstance(value, Literal) and (value.kind.weak or value.kind.is_bool):
        return Literal(float(value.value), WEAK_FLOAT)
    if value.kind.is_float:
        return value
    return WeakOperation("same", (value,), WEAK_FLOAT)


def _bool(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    return frame.condition(arguments[0])


# --- arrays ---------------------------------------------------------------------------------------


def _len(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    value = frame.expression(arguments[0])
    frame.at(node)
    if isinstance(value, ARRAYS):
        return views.length(frame.program, value, 0)
    if isinstance(value, Shape):
        return Literal(views.rank(value.array), WEAK_INT)
    if isinstance(value, Tuple):
        return Literal(len(value.items), WEAK_INT)
    if isinstance(value, Vector):
        return Literal(len(value.components), WEAK_INT)
    if isinstance(value, Captured) and isinstance(value.value, np.ndarray) and value.value.ndim:
        return Literal(len(value.value), WEAK_INT)
    raise frame.fail(node, f"{describe(value)} has no length")


def _power(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    base, exponent = (frame.expression(argument) for argument in arguments)
    return combine(frame, node, ast.Pow(), base, exponent)


_ONE = Row("x", _int)
_ROWS: dict[str, Row] = {
    **threads.ROWS,
    **warps.ROWS,
    **atomics.ROWS,
    **functions.ROWS,
    **vectors.ROWS,
    **iterables.ROWS,
    "**": Row("base exponent", _power, shown="pow"),
    "int": Row("x", _int),
    "float": Row("x", _float),
    "bool": Row("x", _bool),
    "len": Row("x", _len),
    "shared.array": Row("shape dtype", own.shared_array),
    "local.array": Row("shape dtype", own.local_array),
    "const.array_like": Row("table", own.constant_array),
}
