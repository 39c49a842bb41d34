"""Assignments: to names, tuples of names, elements of arrays, components of vectors."""

from __future__ import annotations

import ast

from headwater.frontend import arithmetic, members, own, places
from headwater.frontend.expressions import combine
from headwater.frontend.frame import Frame
from headwater.frontend.powers import power
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Operand,
    describe,
)
from headwater.types import ScalarType


def assign(frame: Frame, node: ast.Assign) -> bool:
    """`a = b = value`."""
    value = frame.expression(node.value)
    if isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name):
        value = own.named(frame.program, node.targets[0].id, value)
    for target in node.targets:
        assign_to(frame, target, value)
    return True


def annotated(frame: Frame, node: ast.AnnAssign) -> bool:
    """`acc: hw.float64 = 0.0` gives the value that type; other annotations are for people."""
    if node.value is None:
        return True
    value = frame.expression(node.value)
    kind = _annotation(frame, node.annotation)
    if isinstance(kind, ScalarType) and isinstance(value, SCALAR_CLASSES):
        frame.at(node)
        value = arithmetic.cast(frame.program, value, kind)
    assign_to(frame, node.target, value)
    return True


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
        raise frame.fail(target, "'*' in an assignment is not supported", "name each value")


def _unpack(frame: Frame, target: ast.Tuple | ast.List, value: Operand) -> None:
    frame.at(target)
    items = members.items(frame, value)
    if items is None:
        raise frame.fail(target, f"{describe(value)} cannot be unpacked")
    starred = next((element for element in target.elts if isinstance(element, ast.Starred)), None)
    if starred is not None:
        raise frame.fail(starred, "'*' in an assignment is not supported", "name each value")
    if len(items.items) != len(target.elts):
        raise frame.fail(target, f"{len(target.elts)} names take {len(items.items)} values")
    for element, item in zip(target.elts, items.items, strict=True):
        assign_to(frame, element, item)


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
    if not isinstance(node.op, ast.Pow):
        return combine(frame, node, node.op, before, frame.expression(node.value))
    if isinstance(before, SCALAR_CLASSES):
        exponent = frame.scalar(node.value)
        frame.at(node)
        return power(frame.program, before, exponent)
    raise frame.fail(node, f"'**' is not defined for {describe(before)}")
