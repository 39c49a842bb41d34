"""Views: parts of an array that share its memory. The IR sees only the array that they show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import overload

from headwater import ir
from headwater.frontend import arithmetic
from headwater.frontend.program import Program
from headwater.frontend.values import (
    Array,
    ArrayLike,
    Choice,
    Fixed,
    Literal,
    Records,
    Runtime,
    Scalar,
    Sliced,
    View,
)
from headwater.types import INT32, INT64, WEAK_INT

ZERO, ONE = Literal(0, WEAK_INT), Literal(1, WEAK_INT)


def rank(array: ArrayLike) -> int:
    """The number of dimensions."""
    if isinstance(array, Choice):
        return rank(array.then)
    return array.ndim if isinstance(array, Records) else array.type.ndim


def first_leaf(array: Array | Records) -> Array:
    """The array itself; of an array of structs the array of its first field, whose shape is that of all."""
    while isinstance(array, Records):
        array = array.fields[0][1]
    return array


@overload
def select(array: Array | Records, axes: tuple[Fixed | Sliced, ...]) -> Array | Records: ...


@overload
def select(array: ArrayLike, axes: tuple[Fixed | Sliced, ...]) -> ArrayLike: ...


def select(array: ArrayLike, axes: tuple[Fixed | Sliced, ...]) -> ArrayLike:
    """The view of an array that `axes` give, one entry for each of its axes."""
    if isinstance(array, Choice):
        return Choice(array.condition, select(array.then, axes), select(array.orelse, axes))
    ndim = sum(isinstance(axis, Sliced) for axis in axes)
    if isinstance(array, Records):
        fields = tuple((name, select(part, axes)) for name, part in array.fields)
        return replace(array, ndim=ndim, fields=fields)
    kind = replace(array.type, ndim=ndim, contiguous=False)
    return Array(array.name, kind, array.path, array.own, View(array, axes))


def transposed(array: ArrayLike) -> ArrayLike:
    """The view with the axes in reverse order."""
    count = rank(array)
    return select(array, tuple(Sliced(count - 1 - axis) for axis in range(count)))


def is_part(array: ArrayLike, axis: int) -> bool:
    """Whether an axis shows some of the elements of an array, or shows them in another order."""
    if isinstance(array, Choice):
        return is_part(array.then, axis) or is_part(array.orelse, axis)
    view = first_leaf(array).view
    for position, sliced in enumerate(() if view is None else view.axes):
        if view is not None and isinstance(sliced, Sliced) and sliced.axis == axis:
            whole = (sliced.start, sliced.stop, sliced.step) == (None, None, 1)
            return not whole or is_part(view.parent, position)
    return False


# --- shapes ---------------------------------------------------------------------------------------


def length(program: Program, array: ArrayLike, axis: int) -> Scalar:
    """The length of an axis: a literal where it is known when compiling, else an int32."""
    if isinstance(array, Choice):
        a, b = length(program, array.then, axis), length(program, array.orelse, axis)
        same = isinstance(a, Literal) and a == b
        return a if same else arithmetic.choose(program, array.condition, a, b)
    if isinstance(array, Records):
        return _length_of_records(program, array, axis)
    if array.view is None:
        if array.own is not None:
            return Literal(array.own.shape[axis], WEAK_INT)
        return Runtime(program.builder.extent(program.array(array), axis))
    for position, sliced in enumerate(array.view.axes):
        if isinstance(sliced, Sliced) and sliced.axis == axis:
            return _length_of(program, array.view.parent, position, sliced)
    raise program.broken(f"the view of '{array.name}' has no axis {axis}")


def _length_of_records(program: Program, array: Records, axis: int) -> Scalar:
    """That of the first field; in the end a field is asked that the kernel uses anyhow."""
    nodes = program.builder.block.nodes
    first = len(nodes)
    result = length(program, first_leaf(array), axis)
    paths = [leaf.path for leaf in leaves(array)]
    asked = [(node, paths) for node in nodes[first:] if isinstance(node, ir.Extent)]
    program.unread.lengths += asked
    return result


def leaves(array: ArrayLike) -> list[Array]:
    """The arrays of scalars and vectors that it consists of."""
    if isinstance(array, Array):
        return [array]
    if isinstance(array, Choice):
        return [*leaves(array.then), *leaves(array.orelse)]
    return [leaf for _, part in array.fields for leaf in leaves(part)]


def may_overlap(a: Array, b: Array) -> bool:
    """Whether two arrays may share memory, whatever parts of them are meant."""
    if a.own is not None or b.own is not None:
        dynamic = [isinstance(x.own, ir.SharedArray) and x.own.dynamic for x in (a, b)]
        return a.own is b.own or all(dynamic)
    return a.path == b.path or a.type.alias == b.type.alias != 0


def _length_of(program: Program, parent: Array, position: int, sliced: Sliced) -> Scalar:
    whole = length(program, parent, position)
    if sliced.start is None and sliced.stop is None and sliced.step == 1:
        return whole
    start = sliced.start or ZERO
    if sliced.step > 0:
        stop = whole if sliced.stop is None else _bounded(program, sliced.stop, whole, "min")
        span = _subtract(program, stop, start)
    else:
        stop = Literal(-1, WEAK_INT)
        if sliced.stop is not None:
            stop = _bounded(program, sliced.stop, whole, "max")
        span = _subtract(program, start, stop)
    step = abs(sliced.step)
    if step > 1:
        rounded = arithmetic.binary(program, arithmetic.ADD, span, Literal(step - 1, WEAK_INT))
        span = arithmetic.binary(program, arithmetic.FLOORDIV, rounded, Literal(step, WEAK_INT))
    count = arithmetic.extremum(program, "max", (span, ZERO))
    return count if isinstance(count, Literal) else Runtime(program.emit(count, INT32))


def _bounded(program: Program, stop: Scalar, whole: Scalar, operation: str) -> Scalar:
    """Where a slice ends, as Python cuts it off: at the length, or downwards at -1."""
    stop = from_end(program, stop, whole)
    limit = whole if operation == "min" else Literal(-1, WEAK_INT)
    return arithmetic.extremum(program, operation, (stop, limit))


def from_end(program: Program, index: Scalar, whole: Scalar) -> Scalar:
    """An index where those below 0 count from the end: literals, and in some dialects all."""
    if isinstance(index, Literal):
        if index.value >= 0:
            return index
        return arithmetic.binary(program, arithmetic.ADD, whole, index)
    if not program.dialect.wrap_subscripts:
        return index
    wrapped = arithmetic.binary(program, arithmetic.ADD, index, whole)
    negative = arithmetic.compare(program, "lt", index, ZERO)
    return arithmetic.choose(program, negative, wrapped, index)


def as_index(program: Program, value: Scalar) -> Scalar:
    """An integer in the type that subscripts are computed in: a weak literal, an int32, or an int64 for wide ones."""
    if isinstance(value, Literal):
        return Literal(int(value.value), WEAK_INT, value.span)
    emitted = program.emit_default(value)
    return Runtime(program.builder.cast(emitted, INT64 if emitted.type.bits == 64 else INT32))


def _subtract(program: Program, a: Scalar, b: Scalar) -> Scalar:
    return a if b is ZERO else arithmetic.binary(program, arithmetic.SUB, a, b)


# --- slices ---------------------------------------------------------------------------------------


def sliced(
    program: Program,
    whole: Scalar | None,
    axis: int,
    bounds: tuple[Scalar | None, Scalar | None, int],
) -> Sliced:
    """`start:stop:step` of an axis; `whole` is its length, needed where `needs_length` says so."""
    start, stop, step = bounds
    if whole is not None:
        last = arithmetic.binary(program, arithmetic.SUB, whole, ONE)
        if start is None:
            start = last if step < 0 else None
        else:
            start = from_end(program, start, whole)
            start = arithmetic.extremum(program, "max", (start, ZERO)) if step > 0 else start
            start = arithmetic.extremum(program, "min", (start, last)) if step < 0 else start
    if isinstance(start, Literal) and start.value == 0:
        start = None if step > 0 else start
    return Sliced(axis, None if start is None else as_index(program, start), stop, step)


def needs_length(program: Program, start: Scalar | None, step: int) -> bool:
    """Whether where a slice begins depends on the length of its axis."""
    if step < 0 or (start is not None and program.dialect.wrap_subscripts):
        return True
    return isinstance(start, Literal) and start.value < 0


def at_base(
    program: Program, array: Array, indices: Sequence[Scalar]
) -> tuple[Array, Sequence[Scalar]]:
    """The array that a view shows in the end, and the indices there of an element of the view."""
    while array.view is not None:
        indices = [_reached(program, axis, indices) for axis in array.view.axes]
        array = array.view.parent
    return array, indices


def _reached(program: Program, axis: Fixed | Sliced, indices: Sequence[Scalar]) -> Scalar:
    if isinstance(axis, Fixed):
        return axis.index
    index = indices[axis.axis]
    if axis.step == 1 and axis.start is None:
        return index
    # A step may be negative and an index unsigned, or so narrow that their product would wrap.
    index = as_index(program, index)
    if axis.step != 1:
        step = Literal(axis.step, WEAK_INT)
        index = arithmetic.binary(program, arithmetic.MUL, index, step)
    if axis.start is None:
        return index
    return arithmetic.binary(program, arithmetic.ADD, axis.start, index)
