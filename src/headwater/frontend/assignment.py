"""Assignments: to names, tuples of names, elements of arrays, components of vectors."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from headwater.frontend import arithmetic, memory
from headwater.frontend.expressions import combine
from headwater.frontend.frame import Frame
from headwater.frontend.powers import power
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Array,
    Operand,
    Shape,
    Tuple,
    Vector,
    describe,
)
from headwater.types import ScalarType


def assign(frame: Frame, node: ast.Assign) -> bool:
    """`a = b = value`."""
    value = frame.expression(node.value)
    if isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name):
        value = _named(frame, node.targets[0].id, value)
    for target in node.targets:
        assign_to(frame, target, value)
    return True


def _named(frame: Frame, name: str, value: Operand) -> Operand:
    """A new shared array takes the name that it is assigned to."""
    if not isinstance(value, Array) or value.shared is None or value.name != memory.UNNAMED:
        return value
    value.shared.name = frame.program.unique(name)
    return replace(value, name=name)


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
        where = _target(frame, target)
        frame.at(target)
        where.store(value)
    else:
        raise frame.fail(target, "'*' in an assignment is not supported", "name each value")


def _unpack(frame: Frame, target: ast.Tuple | ast.List, value: Operand) -> None:
    frame.at(target)
    if isinstance(value, Shape):
        axes = range(value.array.type.ndim)
        value = Tuple(tuple(memory.extent(frame, value.array, axis) for axis in axes))
    if isinstance(value, Vector):
        value = Tuple(value.components)
    if not isinstance(value, Tuple):
        raise frame.fail(target, f"{describe(value)} cannot be unpacked")
    starred = next((element for element in target.elts if isinstance(element, ast.Starred)), None)
    if starred is not None:
        raise frame.fail(starred, "'*' in an assignment is not supported", "name each value")
    if len(value.items) != len(target.elts):
        raise frame.fail(target, f"{len(target.elts)} names take {len(value.items)} values")
    for element, item in zip(target.elts, value.items, strict=True):
        assign_to(frame, element, item)


class _Target:
    """A place that is not a name: an element of an array, or a component of an element or of a variable."""

    def __init__(self, load: Callable[[], Operand], store: Callable[[Operand], None]) -> None:
        self.load = load
        self.store = store


def _target(frame: Frame, node: ast.Subscript | ast.Attribute) -> _Target:
    if isinstance(node.value, ast.Subscript):
        where, base = memory.element_or_value(frame, node.value)
        if where is not None:
            component = memory.component_in(frame, node, where)
            return _Target(
                lambda: memory.load_component(frame, node, where, component),
                lambda value: memory.store_component(frame, node, where, component, value),
            )
    else:
        base = frame.expression(node.value)
    if isinstance(node, ast.Subscript) and isinstance(base, Array):
        place = memory.place(frame, node, base)
        return _Target(
            lambda: memory.load(frame, node, place),
            lambda value: memory.store(frame, node, place, value),
        )
    if isinstance(base, Vector) and isinstance(node.value, ast.Name):
        return _component_target(frame, node, node.value, base)
    raise frame.fail(
        node,
        f"{describe(base)} cannot be changed",
        "arguments are passed by value: keep what changes in an array or in a variable",
    )


def _component_target(
    frame: Frame, node: ast.Subscript | ast.Attribute, name: ast.Name, base: Vector
) -> _Target:
    component = memory.component_of(frame, node, len(base.components))
    if not frame.is_slot(name.id):
        raise frame.program.table.demote(frame.variable(name.id))
    key = frame.variable(name.id)

    def store(value: Operand) -> None:
        if not isinstance(value, SCALAR_CLASSES):
            raise frame.fail(node, f"a component is a scalar, not {describe(value)}")
        frame.program.assign_component(key, component, value)

    return _Target(lambda: base.components[component], store)


def augmented(frame: Frame, node: ast.AugAssign) -> bool:
    """`a += value` and its kin."""
    if isinstance(node.target, ast.Name):
        result = _combined(frame, node, frame.read(node.target))
        frame.assign(node, node.target.id, result)
        return True
    where = _target(frame, node.target)
    result = _combined(frame, node, where.load())
    frame.at(node)
    where.store(result)
    return True


def _combined(frame: Frame, node: ast.AugAssign, before: Operand) -> Operand:
    if not isinstance(node.op, ast.Pow):
        return combine(frame, node, node.op, before, frame.expression(node.value))
    if isinstance(before, SCALAR_CLASSES):
        exponent = frame.scalar(node.value)
        frame.at(node)
        return power(frame.program, before, exponent)
    raise frame.fail(node, f"'**' is not defined for {describe(before)}")
