"""Assignments: to names, tuples of names, elements of arrays, components of vectors."""

from __future__ import annotations

import ast

from headwater.frontend import arithmetic, members, own, places
from headwater.frontend.frame import Frame
from headwater.frontend.operators import combine
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Operand,
    Record,
    RecordClass,
    Tuple,
    Vector,
    describe,
)
from headwater.types import ScalarType, VectorType


def assign(frame: Frame, node: ast.Assign) -> bool:
    """`a = b = value`."""
    value = frame.expression(node.value)
    if isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name):
        value = own.named(frame.program, node.targets[0].id, value)
    for target in node.targets:
        assign_to(frame, target, value)
    return True


def annotated(frame: Frame, node: ast.AnnAssign) -> bool:
    """`acc: hw.float64 = 0.0` gives the value that type; annotations that are no dtypes are for people."""
    if node.value is None:
        return True
    value = frame.expression(node.value)
    kind = _annotation(frame, node.annotation)
    if isinstance(kind, ScalarType | VectorType):
        frame.at(node)
        value = _cast(frame, node, value, kind)
    if isinstance(kind, RecordClass):
        found = frame.program.as_value(value)
        if not isinstance(found, Record) or found.kind != kind.python.__qualname__:
            raise frame.fail(node, f"{describe(value)} is not of {describe(kind)}")
    assign_to(frame, node.target, value)
    return True


def _cast(
    frame: Frame, node: ast.AnnAssign, value: Operand, kind: ScalarType | VectorType
) -> Operand:
    program = frame.program
    if isinstance(kind, ScalarType) and isinstance(value, SCALAR_CLASSES):
        return arithmetic.cast(program, value, kind)
    if isinstance(kind, VectorType) and isinstance(value, Vector):
        if len(value.components) == kind.size:
            parts = (arithmetic.cast(program, part, kind.scalar) for part in value.components)
            return Vector(tuple(parts))
    raise frame.fail(node, f"{describe(value)} is not a value of the type '{kind}'")


def _annotation(frame: Frame, node: ast.expr) -> Operand | None:
    if isinstance(node, ast.Name | ast.Attribute):
        return frame.expression(node)
    return None


def assign_to(frame: Frame, target: ast.expr, value: Operand) -> None:
    """Give a target, which may be a tuple of targets, its value."""
    if isinstance(target, ast.Name):
        frame.assign(target, target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(frame, target, value)
    elif isinstance(target, ast.Subscript | ast.Attribute):
        where = places.target(frame, target)
        frame.at(target)
        where.store(frame, target, value)
    else:
        raise frame.program.broken(f"a '{type(target).__name__}' is assigned to")


def _unpack(frame: Frame, target: ast.Tuple | ast.List, value: Operand) -> None:
    frame.at(target)
    items = members.items(frame, value)
    if items is None:
        raise frame.fail(target, f"{describe(value)} cannot be unpacked")
    elements, values = target.elts, list(items.items)
    for position, element in enumerate(elements):
        if isinstance(element, ast.Starred) and len(values) >= len(elements) - 1:
            end = len(values) - (len(elements) - position - 1)
            values[position:end] = [Tuple(tuple(values[position:end]))]
    if len(values) != len(elements):
        raise frame.fail(target, f"{len(elements)} names take {len(values)} values")
    for element, value in zip(elements, values, strict=True):
        assign_to(frame, element.value if isinstance(element, ast.Starred) else element, value)


def augmented(frame: Frame, node: ast.AugAssign) -> bool:
    """`a += value` and its kin."""
    if isinstance(node.target, ast.Name):
        result = _combined(frame, node, frame.read(node.target))
        frame.assign(node, node.target.id, result)
        return True
    where = places.target(frame, node.target)
    frame.at(node.target)
    result = _combined(frame, node, where.load(frame))
    frame.at(node)
    where.store(frame, node.target, result)
    return True


def _combined(frame: Frame, node: ast.AugAssign, before: Operand) -> Operand:
    return combine(frame, node, node.op, before, frame.expression(node.value))
