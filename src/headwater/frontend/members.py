"""Attributes and subscripts of values that are no places: fields, components, items, members of modules."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import numpy as np

from headwater.errors import CompileError
from headwater.frontend import absent, arithmetic, capture, views
from headwater.frontend.frame import Frame
from headwater.frontend.markers import Axes, Namespace
from headwater.frontend.values import (
    ARRAYS,
    ArrayLike,
    Captured,
    Choice,
    Literal,
    Neighbors,
    Operand,
    Record,
    Records,
    Runtime,
    Scalar,
    Shape,
    Struct,
    Tuple,
    Vector,
    describe,
)
from headwater.types import WEAK_INT, GridType

AXES = "xyzw"


def attribute(frame: Frame, node: ast.Attribute, base: Operand) -> Operand:
    """`base.name`."""
    if isinstance(base, Struct):
        return field(frame, node, base)
    if isinstance(base, Vector):
        return base.components[component_of(frame, node, len(base.components))]
    if isinstance(base, Record):
        return field(frame, node, base)
    if isinstance(base, ARRAYS):
        return _array_attribute(frame, node, base)
    if isinstance(base, Axes):
        return _axis(frame, node, base)
    if isinstance(base, Namespace):
        return _member(frame, node, base)
    if isinstance(base, Tuple) and node.attr in base.names:
        return base.items[base.names.index(node.attr)]
    if isinstance(base, Captured):
        try:
            return capture.attribute(base, node.attr)
        except capture.Unusable as problem:
            raise frame.fail(node, problem.text, problem.hint) from None
    raise frame.fail(node, f"{describe(base)} has no attribute '{node.attr}'")


def field_name(node: ast.Attribute | ast.Subscript) -> str | None:
    """The name of a field, written `.name` or `['name']`; None of other subscripts."""
    if isinstance(node, ast.Attribute):
        return node.attr
    value = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return value if isinstance(value, str) else None


def field(
    frame: Frame, node: ast.Attribute | ast.Subscript, base: Struct | Record | Records
) -> Operand:
    """A field of a struct, or the array of one field of an array of structs."""
    name = field_name(node) or ""
    if isinstance(base, Struct):
        if name == "neighbors" and isinstance(base.type, GridType):
            return Neighbors(base)
        kind = base.type.field(name)
        if kind is not None:
            return frame.program.argument((*base.path, name), kind)
        raise no_field(frame, node, base.type.name, [known for known, _ in base.type.fields])
    fields = dict(base.fields)
    if name in fields:
        return fields[name]
    raise no_field(frame, node, base.kind, list(fields))


def no_field(
    frame: Frame, node: ast.Attribute | ast.Subscript, kind: str, known: Sequence[str]
) -> CompileError:
    """The error of a field that a struct lacks."""
    name = field_name(node)
    return frame.fail(node, f"'{kind}' has no field '{name}'", f"it has {', '.join(known)}")


def _array_attribute(frame: Frame, node: ast.Attribute, base: ArrayLike) -> Operand:
    if node.attr == "shape":
        return Shape(base)
    if node.attr == "ndim":
        return Literal(views.rank(base), WEAK_INT)
    if node.attr == "size":
        return array_size(frame, base)
    if node.attr == "T":
        return views.transposed(base)
    if isinstance(base, Choice):
        return _of_both(frame, node, base)
    if isinstance(base, Records):
        return field(frame, node, base)
    if node.attr == "dtype":
        return base.type.element
    raise frame.fail(
        node, f"an array has no '{node.attr}' in a kernel", "it has shape, ndim, size, dtype and T"
    )


def _of_both(frame: Frame, node: ast.Attribute, base: Choice) -> Operand:
    then = _array_attribute(frame, node, base.then)
    orelse = _array_attribute(frame, node, base.orelse)
    if isinstance(then, ARRAYS) and isinstance(orelse, ARRAYS):
        return Choice(base.condition, then, orelse)
    return then


def array_size(frame: Frame, array: ArrayLike) -> Scalar:
    """The number of elements."""
    program = frame.program
    total = views.length(program, array, 0)
    for axis in range(1, views.rank(array)):
        extent = views.length(program, array, axis)
        total = arithmetic.binary(program, arithmetic.MUL, total, extent)
    return total


def _axis(frame: Frame, node: ast.Attribute, base: Axes) -> Operand:
    axis = "xyz".find(node.attr) if len(node.attr) == 1 else -1
    if axis < 0:
        raise frame.fail(node, f"'{base.name}' has no '{node.attr}'", "it has x, y and z")
    axes = frame.program.axes
    if axes is not None and axis >= axes and base.kind in ("thread", "block"):
        raise frame.fail(
            node,
            f"'{base.name}.{node.attr}' is always 0: the index space, {frame.program.space}, "
            f"has {axes} {'axis' if axes == 1 else 'axes'}",
            "launch over a shape of more axes, or by kernel[blocks, threads]",
        )
    if base.kind == "block_size":
        return Literal(frame.program.kernel.block_shape[axis], frame.program.dialect.integer)
    return Runtime(frame.program.builder.index(base.kind, axis))


def _member(frame: Frame, node: ast.Attribute, base: Namespace) -> Operand:
    found = base.members.get(node.attr)
    if found is None:
        explained = absent.explain_atomic(node.attr) if base.name == "atomic" else None
        if explained is not None:
            raise frame.fail(node, *explained)
        raise frame.fail(
            node, f"'{base.name}' has no '{node.attr}'", f"it has {', '.join(base.members)}"
        )
    return found


# --- subscripts -----------------------------------------------------------------------------------


def item(frame: Frame, node: ast.Subscript, base: Operand) -> Operand:
    """`base[...]` of anything but an array."""
    if isinstance(base, Vector):
        return base.components[component_of(frame, node, len(base.components))]
    if isinstance(base, Shape):
        axis = constant_index(frame, node, views.rank(base.array))
        frame.at(node)
        return views.length(frame.program, base.array, axis)
    if isinstance(base, Tuple):
        if isinstance(node.slice, ast.Slice):
            return Tuple(base.items[_constant_slice(frame, node.slice)])
        return base.items[constant_index(frame, node, len(base.items))]
    if isinstance(base, Captured) and isinstance(base.value, np.ndarray):
        raise frame.fail(
            node,
            f"'{base.name}' is a NumPy array from outside the kernel, which cannot be read there",
            f"make a constant table of it with hw.const.array_like({base.name}), or pass it as an argument",
        )
    raise frame.fail(node, f"{describe(base)} cannot be subscripted")


def items(frame: Frame, value: Operand) -> Tuple | None:
    """What a tuple, a vector or a shape holds; None of anything else."""
    if isinstance(value, Tuple):
        return value
    if isinstance(value, Vector):
        return Tuple(value.components)
    if isinstance(value, Shape):
        axes = range(views.rank(value.array))
        return Tuple(tuple(views.length(frame.program, value.array, axis) for axis in axes))
    return None


def constant_index(frame: Frame, node: ast.Subscript, count: int) -> int:
    """Which of `count` entries a subscript names, as an index from 0 on."""
    index = frame.constant_integer(node.slice, "the index")
    if not -count <= index < count:
        raise frame.fail(node, f"the index {index} is outside of {count} entries")
    return index % count


def _constant_slice(frame: Frame, node: ast.Slice) -> slice:
    bounds = (node.lower, node.upper, node.step)
    return slice(
        *(None if b is None else frame.constant_integer(b, "the bound of a slice") for b in bounds)
    )


def component_of(frame: Frame, node: ast.Attribute | ast.Subscript, size: int) -> int:
    """Which component of a vector `.x` or `[0]` names."""
    if isinstance(node, ast.Attribute):
        position = AXES[:size].find(node.attr) if len(node.attr) == 1 else -1
        if position < 0:
            known = [f".{axis}" for axis in AXES[:size]]
            hint = f"its components are {', '.join(known[:-1])} and {known[-1]}"
            raise frame.fail(node, f"a vector has no '{node.attr}'", hint)
        return position
    index = frame.constant_integer(node.slice, "the index of a vector's component")
    if not -size <= index < size:
        raise frame.fail(
            node.slice, f"the index {index} is outside of a vector of {size} components"
        )
    return index % size
