"""Subscripts: elements of arrays, components of vectors, shared arrays."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from headwater import ir
from headwater.frontend import arithmetic
from headwater.frontend.frame import Frame
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Array,
    Literal,
    Operand,
    Runtime,
    Scalar,
    Shape,
    Tuple,
    Vector,
    describe,
)
from headwater.types import INT32, WEAK_INT, ScalarType, VectorType

# A shared array that has not been assigned to a name.
UNNAMED = "shared"


@dataclass(frozen=True, slots=True)
class Place:
    """One element of an array, its indices computed."""

    array: Array
    target: ir.ArrayParameter | ir.SharedArray
    indices: tuple[ir.Value, ...]


def place(frame: Frame, node: ast.Subscript, array: Array) -> Place:
    """The element that `array[...]` names."""
    return element(frame, node, array, node.slice)


def element(frame: Frame, node: ast.AST, array: Array, index: ast.expr) -> Place:
    """The element at an index, which is an integer or a tuple of integers."""
    parts = _index_parts(frame, index)
    if len(parts) != array.type.ndim:
        raise frame.fail(
            node,
            f"'{array.name}' has {_count(array.type.ndim, 'dimension')}, but {len(parts)} "
            f"{'index was' if len(parts) == 1 else 'indices were'} given",
            f"write '{array.name}[{', '.join('ijk'[: array.type.ndim])}]'",
        )
    frame.at(node)
    target = frame.program.array(array)
    indices = (_index(frame, at, array, target, axis, v) for axis, (at, v) in enumerate(parts))
    return Place(array, target, tuple(indices))


def _count(number: int, word: str) -> str:
    return f"{number} {word}" + ("s" if number != 1 else "")


def _index_parts(frame: Frame, index: ast.expr) -> list[tuple[ast.AST, Operand]]:
    if isinstance(index, ast.Tuple):
        return [(part, _one_index(frame, part)) for part in index.elts]
    value = _one_index(frame, index)
    if isinstance(value, Tuple):
        return [(index, item) for item in value.items]
    return [(index, value)]


def _one_index(frame: Frame, node: ast.expr) -> Operand:
    if isinstance(node, ast.Slice):
        raise frame.fail(node, "a slice of an array is not supported", "loop over the elements")
    if isinstance(node, ast.Starred):
        raise frame.fail(
            node, "'*' in a subscript is not supported", "write the indices one by one"
        )
    return frame.expression(node)


def _index(
    frame: Frame,
    node: ast.AST,
    array: Array,
    target: ir.ArrayParameter | ir.SharedArray,
    axis: int,
    value: Operand,
) -> ir.Value:
    if not isinstance(value, SCALAR_CLASSES) or not value.kind.is_integer:
        raise frame.fail(
            node,
            f"an index must be an integer, not {describe(value)}",
            "cast it with hw.int32(...)",
        )
    if isinstance(value, Literal):
        return _literal_index(frame, node, array, target, axis, int(value.value))
    index = frame.program.emit_default(value)
    if not frame.program.dialect.wrap_subscripts:
        return index
    builder = frame.program.builder
    wrapped = builder.compute("add", index, builder.cast(builder.extent(target, axis), index.type))
    negative = builder.compute("lt", index, builder.constant(0, index.type))
    return builder.compute("select", negative, wrapped, index)


def _literal_index(
    frame: Frame,
    node: ast.AST,
    array: Array,
    target: ir.ArrayParameter | ir.SharedArray,
    axis: int,
    value: int,
) -> ir.Value:
    builder = frame.program.builder
    if isinstance(target, ir.SharedArray):
        size = target.shape[axis]
        if not -size <= value < size:
            raise frame.fail(
                node,
                f"the index {value} is outside of '{array.name}', which has {size} elements there",
            )
        return builder.constant(value % size, INT32)
    if value >= 0:
        return frame.program.emit(Literal(value, WEAK_INT), INT32)
    extent = builder.extent(target, axis)
    return builder.compute("add", extent, builder.constant(value, INT32))


def load(frame: Frame, node: ast.AST, where: Place) -> Scalar | Vector:
    """The element's value."""
    frame.at(node)
    kind = where.array.type.element
    if isinstance(kind, VectorType):
        return Vector(tuple(load_component(frame, node, where, k) for k in range(kind.size)))
    return load_component(frame, node, where, 0)


def load_component(frame: Frame, node: ast.AST, where: Place, component: int) -> Scalar:
    """One component of the element."""
    frame.at(node)
    return Runtime(frame.program.builder.load(where.target, where.indices, component))


def store(frame: Frame, node: ast.AST, where: Place, value: Operand) -> None:
    """`array[...] = value`."""
    kind = where.array.type.element
    if isinstance(kind, VectorType):
        if not isinstance(value, Vector) or len(value.components) != kind.size:
            raise _wrong_element(frame, node, where, value)
        for component, part in enumerate(value.components):
            store_component(frame, node, where, component, part)
        return
    store_component(frame, node, where, 0, value)


def store_component(
    frame: Frame, node: ast.AST, where: Place, component: int, value: Operand
) -> None:
    """`array[...].x = value`."""
    check_writable(frame, node, where.array)
    emitted = converted(frame, node, where, value)
    frame.program.builder.store(where.target, where.indices, emitted, component)
    if isinstance(where.target, ir.ArrayParameter):
        where.target.written = True


def check_writable(frame: Frame, node: ast.AST, array: Array) -> None:
    """CompileError where kernels may only read the array."""
    if array.type.read_only:
        raise frame.fail(
            node,
            f"'{'.'.join(array.path)}' can be read in a kernel, but not written",
            "write to an array of your own",
        )


def converted(frame: Frame, node: ast.AST, where: Place, value: Operand) -> ir.Value:
    """The value in the type of the array's scalars; only a float does not turn into an integer by itself."""
    kind = where.array.type.scalar
    if not isinstance(value, SCALAR_CLASSES):
        raise _wrong_element(frame, node, where, value)
    if value.kind.is_float and not kind.is_float:
        raise frame.fail(
            node,
            f"{describe(value)} cannot be stored in '{where.array.name}', which holds {kind}",
            f"cast it with hw.{kind}(...)"
            if kind.is_integer
            else "compare it, such as 'value != 0'",
        )
    frame.at(node)
    return frame.program.emit(value, kind)


def _wrong_element(frame: Frame, node: ast.AST, where: Place, value: Operand) -> Exception:
    kind = where.array.type.element
    hint = "make one with hw.vec3(x, y, z)" if isinstance(kind, VectorType) else None
    return frame.fail(
        node,
        f"'{where.array.name}' holds {kind}, and {describe(value)} cannot be stored in it",
        hint,
    )


# --- components of vectors ------------------------------------------------------------------------


def component_of(frame: Frame, node: ast.Attribute | ast.Subscript, size: int) -> int:
    """Which component `.x` or `[0]` names."""
    if isinstance(node, ast.Attribute):
        position = "xyz"[:size].find(node.attr) if len(node.attr) == 1 else -1
        if position < 0:
            raise frame.fail(
                node, f"a vector has no '{node.attr}'", "its components are .x, .y and .z"
            )
        return position
    index = frame.constant_integer(node.slice, "the index of a vector's component")
    if not -size <= index < size:
        raise frame.fail(
            node.slice, f"the index {index} is outside of a vector of {size} components"
        )
    return index % size


def subscript(frame: Frame, node: ast.Subscript) -> Operand:
    """The value of `base[...]`."""
    if not isinstance(node.value, ast.Subscript):
        return _subscript_of(frame, node, frame.expression(node.value))
    where, base = element_or_value(frame, node.value)
    if where is not None:
        return load_component(frame, node, where, component_in(frame, node, where))
    return _subscript_of(frame, node, base)


def element_or_value(frame: Frame, node: ast.Subscript) -> tuple[Place | None, Operand]:
    """The element of a vector array, not loaded, so that one component can be reached; or else the value."""
    base = frame.expression(node.value)
    if isinstance(base, Array) and isinstance(base.type.element, VectorType):
        return place(frame, node, base), base
    return None, _subscript_of(frame, node, base)


def component_in(frame: Frame, node: ast.Attribute | ast.Subscript, where: Place) -> int:
    """Which component of an element `.x` or `[0]` names."""
    return component_of(frame, node, where.array.type.components)


def _subscript_of(frame: Frame, node: ast.Subscript, base: Operand) -> Operand:
    if isinstance(base, Array):
        return load(frame, node, place(frame, node, base))
    if isinstance(base, Vector):
        return base.components[component_of(frame, node, len(base.components))]
    if isinstance(base, Shape):
        axis = _axis(frame, node, base.array.type.ndim)
        frame.at(node)
        return extent(frame, base.array, axis)
    if isinstance(base, Tuple):
        return base.items[_axis(frame, node, len(base.items))]
    raise frame.fail(node, f"{describe(base)} cannot be subscripted")


def _axis(frame: Frame, node: ast.Subscript, count: int) -> int:
    index = frame.constant_integer(node.slice, "the index")
    if not -count <= index < count:
        raise frame.fail(node, f"the index {index} is outside of {count} entries")
    return index % count


def extent(frame: Frame, array: Array, axis: int) -> Scalar:
    """The length of an axis."""
    if array.shared is not None:
        return Literal(array.shared.shape[axis], WEAK_INT)
    return Runtime(frame.program.builder.extent(frame.program.array(array), axis))


def array_size(frame: Frame, array: Array) -> Scalar:
    """The number of elements."""
    total = extent(frame, array, 0)
    for axis in range(1, array.type.ndim):
        total = arithmetic.binary(frame.program, arithmetic.MUL, total, extent(frame, array, axis))
    return total


# --- shared arrays --------------------------------------------------------------------------------


def shared_array(frame: Frame, node: ast.Call, shape: ast.expr, dtype: ast.expr) -> Array:
    """`hw.shared.array(shape, dtype)`."""
    kind = frame.expression(dtype)
    if not isinstance(kind, ScalarType | VectorType):
        raise frame.fail(dtype, f"a dtype was expected, not {describe(kind)}", "such as hw.float32")
    sizes = _shape(frame, shape)
    if not 1 <= len(sizes) <= 3 or min(sizes) < 1:
        raise frame.fail(shape, f"a shared array has 1 to 3 positive extents, not {list(sizes)}")
    frame.at(node)
    return frame.program.shared_array(UNNAMED, kind, sizes)


def _shape(frame: Frame, node: ast.expr) -> tuple[int, ...]:
    meaning = "the shape of a shared array"
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(frame.constant_integer(part, meaning) for part in node.elts)
    value = frame.expression(node)
    if isinstance(value, Tuple):
        items = [item for item in value.items if isinstance(item, Literal) and item.kind.is_integer]
        if len(items) == len(value.items):
            return tuple(int(item.value) for item in items)
    return (frame.constant_integer(node, meaning),)
