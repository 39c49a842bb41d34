"""Subscripts of arrays: which element or view an index names, loads, stores."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from headwater import ir
from headwater.errors import CompileError
from headwater.frontend import views
from headwater.frontend.frame import Frame
from headwater.frontend.program import Program
from headwater.frontend.values import (
    ARRAYS,
    SCALAR_CLASSES,
    Array,
    ArrayLike,
    Choice,
    Fixed,
    Literal,
    Operand,
    Records,
    Runtime,
    Scalar,
    Sliced,
    Tuple,
    describe,
)
from headwater.types import FLOAT16, FLOAT32, INT32, VectorType

Indices: TypeAlias = tuple[ir.Value, ...]
_Part: TypeAlias = tuple[ast.AST, Operand | ast.Slice]


@dataclass(frozen=True, slots=True)
class Place:
    """A scalar or vector element of an array; `target` is the IR's array, the indices are those there."""

    array: Array
    target: ir.Array
    indices: Indices


def subscript(
    frame: Frame, node: ast.AST, array: ArrayLike, index: ast.expr
) -> ArrayLike | list[Scalar]:
    """What `array[index]` names: a view, or an element by its indices."""
    ndim = views.rank(array)
    parts = _parts(frame, index, ndim)
    if len(parts) > ndim:
        raise _wrong_count(frame, node, array, len(parts))
    frame.at(node)
    if len(parts) == ndim and not any(isinstance(part, ast.Slice) for _, part in parts):
        return [_index(frame, at, array, axis, v) for axis, (at, v) in enumerate(parts)]
    return _view(frame, array, parts)


def _parts(frame: Frame, index: ast.expr, ndim: int) -> list[_Part]:
    """Each index or slice with its place in the text; '...' stands for as many slices as are missing."""
    parts: list[_Part] = []
    dots: int | None = None
    for element in index.elts if isinstance(index, ast.Tuple) else [index]:
        if isinstance(element, ast.Slice):
            parts.append((element, element))
        elif isinstance(element, ast.Starred):
            raise frame.fail(
                element, "'*' in a subscript is not supported", "write the indices one by one"
            )
        elif isinstance(element, ast.Constant) and element.value is ...:
            if dots is not None:
                raise frame.fail(element, "'...' stands in a subscript only once")
            dots = len(parts)
        else:
            value = frame.expression(element)
            items = value.items if isinstance(value, Tuple) else (value,)
            parts += [(element, item) for item in items]
    if dots is not None:
        parts[dots:dots] = [(index, ast.Slice())] * (ndim - len(parts))
    return parts


def _wrong_count(frame: Frame, node: ast.AST, array: ArrayLike, given: int) -> CompileError:
    ndim = views.rank(array)
    wanted = f"'{array.name}[{', '.join('ijkl'[:ndim])}]'"
    return frame.fail(
        node,
        f"'{array.name}' has {ndim} dimension{'s' if ndim != 1 else ''}, but {given} "
        f"{'index was' if given == 1 else 'indices were'} given",
        f"write {wanted}",
    )


def element(frame: Frame, node: ast.AST, array: Array, index: ast.expr) -> Place:
    """The one element at an index, where a view is of no use."""
    found = subscript(frame, node, array, index)
    if isinstance(found, ARRAYS):
        raise _wrong_count(frame, node, array, array.type.ndim - views.rank(found))
    return Place(array, frame.program.array(array), reached(frame, array, found))


def reached(frame: Frame, array: Array | Records, indices: Sequence[Scalar]) -> Indices:
    """The indices of an element in the array that a view shows in the end."""
    _, found = views.at_base(frame.program, views.first_leaf(array), indices)
    return tuple(frame.program.emit_default(index) for index in found)


def _index(
    frame: Frame, node: ast.AST, array: ArrayLike, axis: int, value: Operand | ast.Slice
) -> Scalar:
    """One index, from 0 on."""
    if not isinstance(value, SCALAR_CLASSES) or not value.kind.is_integer:
        shown = "a slice" if isinstance(value, ast.Slice) else describe(value)
        raise frame.fail(
            node, f"an index must be an integer, not {shown}", "cast it with hw.int32(...)"
        )
    program = frame.program
    index = views.as_index(program, value)
    if isinstance(index, Literal):
        _check_literal(frame, node, array, axis, int(index.value))
    if program.dialect.wrap_subscripts or (isinstance(index, Literal) and index.value < 0):
        index = views.from_end(program, index, views.length(program, array, axis))
    _check_within(program, array, axis, index)
    return index


def _check_within(program: Program, array: ArrayLike, axis: int, index: Scalar) -> None:
    """In debug mode, that the index is in bounds of a view; the array behind it knows only its own."""
    if not views.is_part(array, axis):
        return
    whole = views.length(program, array, axis)
    if isinstance(whole, Literal) and isinstance(index, Literal):
        return
    subscript, extent = program.emit_default(index), program.emit(whole, INT32)
    place = program.builder.span
    check = ir.Within(array.name, subscript, extent, axis, views.rank(array), place)
    program.builder.append(check)


def _check_literal(frame: Frame, node: ast.AST, array: ArrayLike, axis: int, index: int) -> None:
    if not isinstance(array, Choice):
        leaf = views.first_leaf(array)
        if leaf.own is None and leaf.view is None:
            return
    size = views.length(frame.program, array, axis)
    if isinstance(size, Literal) and not -size.value <= index < size.value:
        raise frame.fail(
            node,
            f"the index {index} is outside of '{array.name}', which has {size.value} elements there",
        )


# --- views ----------------------------------------------------------------------------------------


def _view(frame: Frame, array: ArrayLike, parts: list[_Part]) -> ArrayLike:
    axes: list[Fixed | Sliced] = []
    kept = 0
    for axis in range(views.rank(array)):
        at, part = parts[axis] if axis < len(parts) else (ast.Slice(), ast.Slice())
        if not isinstance(part, ast.Slice):
            axes.append(Fixed(_index(frame, at, array, axis, part)))
            continue
        axes.append(_slice(frame, part, array, axis, kept))
        kept += 1
    return views.select(array, tuple(axes))


def _slice(frame: Frame, node: ast.Slice, array: ArrayLike, axis: int, kept: int) -> Sliced:
    program = frame.program
    start, stop = _bound(frame, node.lower), _bound(frame, node.upper)
    step = 1
    if node.step is not None and not _is_none(node.step):
        step = frame.constant_integer(node.step, "the step of a slice")
    if step == 0:
        raise frame.fail(node, "the step of a slice must not be zero")
    whole = None
    if views.needs_length(program, start, step):
        whole = views.length(program, array, axis)
    return views.sliced(program, whole, kept, (start, stop, step))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _bound(frame: Frame, node: ast.expr | None) -> Scalar | None:
    if node is None or _is_none(node):
        return None
    value = frame.scalar(node)
    if not value.kind.is_integer:
        raise frame.fail(
            node,
            f"the bound of a slice must be an integer, not {describe(value)}",
            "cast it with hw.int32(...)",
        )
    return views.as_index(frame.program, value)


# --- loads and stores -----------------------------------------------------------------------------


def load(frame: Frame, where: Place, component: int) -> Scalar:
    """One component of an element; a float16 becomes a float32."""
    builder = frame.program.builder
    value = builder.load(where.target, where.indices, component)
    return Runtime(builder.cast(value, FLOAT32) if value.type is FLOAT16 else value)


def store(frame: Frame, node: ast.AST, where: Place, component: int, value: Operand) -> None:
    """Give one component of an element a value, converted to its type."""
    check_writable(frame, node, where.array)
    emitted = converted(frame, node, where, value)
    frame.program.builder.store(where.target, where.indices, emitted, component)
    if isinstance(where.target, ir.ArrayParameter):
        where.target.written = True


def check_writable(frame: Frame, node: ast.AST, array: Array) -> None:
    """An error where kernels may only read the array."""
    if isinstance(array.own, ir.ConstantArray):
        raise frame.fail(
            node,
            f"'{array.name}' is a constant table, which cannot be written",
            "hw.local.array(...) makes an array that a thread can write",
        )
    if array.type.read_only:
        raise frame.fail(
            node,
            f"'{'.'.join(array.path)}' can be read in a kernel, but not written",
            "write to an array of your own",
        )


def converted(frame: Frame, node: ast.AST, where: Place, value: Operand) -> ir.Value:
    """The value in the type of the array's scalars; only a float does not turn into an integer by itself."""
    array, kind = where.array, where.array.type.scalar
    if not isinstance(value, SCALAR_CLASSES):
        raise wrong_element(frame, node, array, value)
    if value.kind.is_float and not kind.is_float:
        raise frame.fail(
            node,
            f"{describe(value)} cannot be stored in '{array.name}', which holds {kind}",
            f"cast it with hw.{kind}(...)"
            if kind.is_integer
            else "compare it, such as 'value != 0'",
        )
    frame.at(node)
    return frame.program.emit(value, kind)


def wrong_element(frame: Frame, node: ast.AST, array: Array, value: Operand) -> CompileError:
    """The error of a value that is no element of the array."""
    kind, hint = array.type.element, None
    if isinstance(kind, VectorType):
        hint = f"make one with hw.vec{kind.size}({', '.join('xyzw'[: kind.size])})"
    return frame.fail(
        node, f"'{array.name}' holds {kind}, and {describe(value)} cannot be stored in it", hint
    )
