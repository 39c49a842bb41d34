"""What is decided when compiling: comparisons of what is no number."""

from __future__ import annotations

import ast

from headwater.frontend import arithmetic
from headwater.frontend.frame import FALSE, TRUE, Frame
from headwater.frontend.markers import Marker, Namespace
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Device,
    Literal,
    Nothing,
    Operand,
    Runtime,
    Scalar,
    Text,
    Tuple,
    Vector,
    describe,
)
from headwater.types import BOOL, ScalarType, VectorType

# Compared by what they are.
_THINGS = (Text, ScalarType, VectorType, Nothing, Device, Marker, Namespace)
_NEGATED = (ast.NotEq, ast.IsNot, ast.NotIn)


def is_known(value: Operand) -> bool:
    """Whether the value is decided when compiling."""
    if isinstance(value, Tuple):
        return all(map(is_known, value.items))
    if isinstance(value, Vector):
        return all(map(is_known, value.components))
    return isinstance(value, (Literal, *_THINGS))


def compare(
    frame: Frame, node: ast.AST, operator: ast.cmpop, a: Operand, b: Operand
) -> Scalar | None:
    """`a operator b` where it is no comparison of two numbers; None where it is one."""
    if isinstance(operator, ast.In | ast.NotIn):
        return _negated(frame, operator, _among(frame, node, a, b))
    if isinstance(operator, ast.Is | ast.IsNot):
        return _negated(frame, operator, _is(frame, node, a, b))
    if isinstance(a, SCALAR_CLASSES) and isinstance(b, SCALAR_CLASSES):
        return None
    if isinstance(operator, ast.Eq | ast.NotEq):
        return _negated(frame, operator, _equal(frame, node, a, b))
    first = b if isinstance(a, SCALAR_CLASSES) else a
    raise frame.fail(node, f"{describe(first)} has no order", "compare with == or !=")


def _negated(frame: Frame, operator: ast.cmpop, value: Scalar) -> Scalar:
    negated = isinstance(operator, _NEGATED)
    return arithmetic.logical_not(frame.program, value) if negated else value


def _is(frame: Frame, node: ast.AST, a: Operand, b: Operand) -> Scalar:
    """`is`, for None, types and functions; a number is never one of these."""
    if isinstance(a, _THINGS) or isinstance(b, _THINGS):
        return TRUE if _same(a, b) else FALSE
    raise frame.fail(
        node,
        f"'is' does not compare {describe(a)} with {describe(b)} in a kernel",
        "compare with == or !=",
    )


def _same(a: Operand, b: Operand) -> bool:
    if isinstance(a, Nothing) or isinstance(b, Nothing):
        return isinstance(a, Nothing) and isinstance(b, Nothing)
    if isinstance(a, Device) and isinstance(b, Device):
        return a.function is b.function
    return type(a) is type(b) and a == b


def _equal(frame: Frame, node: ast.AST, a: Operand, b: Operand) -> Scalar:
    if isinstance(a, Tuple) and isinstance(b, Tuple):
        return _equal_items(frame, node, a, b)
    if isinstance(a, _THINGS) or isinstance(b, _THINGS):
        return TRUE if _same(a, b) else FALSE
    raise frame.fail(
        node,
        f"{describe(a)} and {describe(b)} cannot be compared",
        "compare numbers, one by one",
    )


def _equal_items(frame: Frame, node: ast.AST, a: Tuple, b: Tuple) -> Scalar:
    if len(a.items) != len(b.items):
        return FALSE
    result: Scalar = TRUE
    for x, y in zip(a.items, b.items, strict=True):
        result = both(frame, result, equal(frame, node, x, y))
    return result


def equal(frame: Frame, node: ast.AST, a: Operand, b: Operand) -> Scalar:
    """`a == b`, of numbers or of what is decided when compiling."""
    if isinstance(a, SCALAR_CLASSES) and isinstance(b, SCALAR_CLASSES):
        frame.at(node)
        return arithmetic.compare(frame.program, "eq", a, b)
    return _equal(frame, node, a, b)


def _among(frame: Frame, node: ast.AST, a: Operand, b: Operand) -> Scalar:
    """`a in b`, for a tuple b."""
    if isinstance(a, Text) and isinstance(b, Text):
        return TRUE if a.value in b.value else FALSE
    if not isinstance(b, Tuple):
        raise frame.fail(
            node, f"'in' looks into a tuple, not into {describe(b)}", "write a loop over it"
        )
    result: Scalar = FALSE
    for item in b.items:
        result = either(frame, result, equal(frame, node, a, item))
    return result


def both(frame: Frame, a: Scalar, b: Scalar) -> Scalar:
    """`a and b` of two bools that are already computed."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Literal):
            return other if one.value else FALSE
    return _combined(frame, "and", a, b)


def either(frame: Frame, a: Scalar, b: Scalar) -> Scalar:
    """`a or b` of two bools that are already computed."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Literal):
            return TRUE if one.value else other
    return _combined(frame, "or", a, b)


def _combined(frame: Frame, operation: str, a: Scalar, b: Scalar) -> Scalar:
    program = frame.program
    return Runtime(program.builder.compute(operation, program.emit(a, BOOL), program.emit(b, BOOL)))
