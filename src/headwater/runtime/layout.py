"""Where the elements of an array lie in its allocation, and which part of that a view is.

Everything is plain arithmetic on `Layout`; nothing here touches a device. A layout never holds one place twice, so a
view can be written.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from headwater.backends.contract import VectorLayout
from headwater.errors import HeadwaterError

Shape: TypeAlias = tuple[int, ...]

_SUBSCRIPT_HINT = "use integers, slices and '...', such as a[2:10, ::2]"


@dataclass(frozen=True, slots=True)
class Layout:
    """Element e of axis k lies `strides[k]` elements after its neighbour, and the first one at `offset`.

    Component c of element i is scalar i * element_stride + c * component_stride of the allocation.
    """

    shape: Shape
    strides: Shape
    offset: int = 0
    components: int = 1
    element_stride: int = 1
    component_stride: int = 0

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def contiguous(self) -> bool:
        """Whether the elements follow each other, the last axis fastest."""
        return self.strides == row_major(self.shape)

    @property
    def planes(self) -> bool:
        """Whether each component has a stretch of memory of its own."""
        return self.components > 1 and self.element_stride == 1

    @property
    def span(self) -> int:
        """Scalars of memory of a whole array, padding between and after the elements included."""
        count = self.size
        return max(
            count * self.element_stride,
            self.components * self.component_stride,
            count * self.components,
        )


def whole(shape: Shape, components: int, vector: VectorLayout) -> Layout:
    """The layout of a new array."""
    return Layout(
        shape, row_major(shape), 0, components, vector.element_stride, vector.component_stride
    )


def row_major(shape: Shape) -> Shape:
    """Strides, in elements, of a contiguous array whose last axis is the fastest."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * shape[axis]
    return tuple(strides)


# --- views ----------------------------------------------------------------------------------------


def subscripted(layout: Layout, key: object) -> Layout:
    """The part that `a[key]` means; HeadwaterError for what is no integer or slice, or lies outside."""
    steps = _expanded(key if isinstance(key, tuple) else (key,), len(layout.shape))
    offset, shape, strides = layout.offset, [], []
    for axis, step in enumerate(steps):
        length, stride = layout.shape[axis], layout.strides[axis]
        if isinstance(step, slice):
            start, count, jump = _sliced(step, length)
            shape.append(count)
            strides.append(stride * jump)
        else:
            start = _index(step, axis, length)
        offset += start * stride
    if not shape:
        raise HeadwaterError(
            "one element is no view: an array on the host has no elements",
            hint="take a slice, such as a[3:4], or call .numpy() to download a copy",
        )
    return _normal(replace(layout, shape=tuple(shape), strides=tuple(strides), offset=offset))


def transposed(layout: Layout, axes: Sequence[int]) -> Layout:
    """The axes in another order; all of them backwards for (). HeadwaterError where they are no permutation."""
    ndim = len(layout.shape)
    order = tuple(axes) or tuple(reversed(range(ndim)))
    if not all(is_integer(axis) for axis in order):
        raise HeadwaterError(f"axes are integers, not {order}")
    places = [axis + ndim if axis < 0 else axis for axis in order]
    if sorted(places) != list(range(ndim)):
        raise HeadwaterError(
            f"the axes {order} are no order of the {ndim} axes of an array of shape {layout.shape}"
        )
    shape = tuple(layout.shape[axis] for axis in places)
    strides = tuple(layout.strides[axis] for axis in places)
    return _normal(replace(layout, shape=shape, strides=strides))


def reshaped(layout: Layout, shape: Shape) -> Layout:
    """The same elements in another shape; one length may be -1. HeadwaterError where they do not lie in a row."""
    if not layout.contiguous:
        raise HeadwaterError(
            f"a view of shape {layout.shape} whose elements do not lie in a row cannot be reshaped",
            hint="call .copy() first",
        )
    wanted = list(shape)
    if wanted.count(-1) == 1:
        rest = math.prod(length for length in wanted if length != -1)
        wanted[wanted.index(-1)] = layout.size // rest if rest else 0
    if math.prod(wanted) != layout.size or min(wanted) < 0:
        raise HeadwaterError(
            f"{layout.size} elements of shape {layout.shape} do not fit the shape {tuple(shape)}"
        )
    return replace(layout, shape=tuple(wanted), strides=row_major(tuple(wanted)))


def _normal(layout: Layout) -> Layout:
    """With the usual strides where those of the layout are never used: of axes of one element, and of no elements."""
    usual = row_major(layout.shape)
    if layout.size == 0:
        return replace(layout, strides=usual, offset=0)
    steps = zip(layout.shape, layout.strides, usual, strict=True)
    return replace(layout, strides=tuple(u if n == 1 else s for n, s, u in steps))


def _expanded(key: tuple[object, ...], ndim: int) -> list[object]:
    """One integer or slice for each axis."""
    dots = [position for position, step in enumerate(key) if step is ...]
    given = len(key) - len(dots)
    if len(dots) > 1 or given > ndim:
        raise HeadwaterError(
            f"an array of {ndim} dimension{'s' * (ndim > 1)} has no part [{_shown(key)}]",
            hint=_SUBSCRIPT_HINT,
        )
    rest: list[object] = [slice(None)] * (ndim - given)
    at = dots[0] if dots else len(key)
    return [*key[:at], *rest, *key[at + 1 :]]


def _sliced(step: slice, length: int) -> tuple[int, int, int]:
    """Start, number of elements and step of a slice."""
    try:
        start, stop, jump = step.indices(length)
    except (TypeError, ValueError) as error:
        raise HeadwaterError(
            f"the slice [{_shown((step,))}] is not possible: {error}", hint=_SUBSCRIPT_HINT
        ) from None
    count = len(range(start, stop, jump))
    return (start if count else 0), count, jump


def _index(step: object, axis: int, length: int) -> int:
    if not is_integer(step):
        raise HeadwaterError(
            f"an array is not subscripted with a '{type(step).__name__}' on the host",
            hint=_SUBSCRIPT_HINT,
        )
    index: int = int(step)  # type: ignore[call-overload]
    if not -length <= index < length:
        raise HeadwaterError(f"the index {index} is outside of axis {axis} of {length} elements")
    return index % length


def is_integer(value: object) -> bool:
    """Whether a value counts as an integer; bools do not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _shown(key: tuple[object, ...]) -> str:
    return ", ".join(map(_shown_step, key))


def _shown_step(step: object) -> str:
    if step is ...:
        return "..."
    if not isinstance(step, slice):
        return repr(step)
    ends = ["" if part is None else repr(part) for part in (step.start, step.stop, step.step)]
    return ":".join(ends if step.step is not None else ends[:2])


# --- host copies ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of memory, `count` scalars from `first` on, and the components of the array that lie there.

    `component` None means all of them. `dense`: nothing of other arrays lies in between, so the stretch may be written
    as a whole. `packed`: it holds what a contiguous NumPy array of these values does.
    """

    component: int | None
    first: int
    count: int
    dense: bool
    packed: bool
    origin: int
    shape: Shape
    strides: Shape

    def view(self, flat: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The values in a host copy of the stretch."""
        steps = [stride * flat.itemsize for stride in self.strides]
        return np.lib.stride_tricks.as_strided(flat[self.origin :], self.shape, steps)

    def part(self, host: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The values of the components in an array of all values, or of one element."""
        return host if self.component is None else host[..., self.component]


def pieces(layout: Layout) -> Iterator[Piece]:
    """The stretches of memory that hold a layout's values: one for each plane, else one. None without elements."""
    if layout.size == 0:
        return
    if not layout.planes:
        yield _piece(layout, None, layout.components)
        return
    for component in range(layout.components):
        yield _piece(layout, component, 1)


def _piece(layout: Layout, component: int | None, count: int) -> Piece:
    shape = layout.shape
    strides = tuple(stride * layout.element_stride for stride in layout.strides)
    start = layout.offset * layout.element_stride + (component or 0) * layout.component_stride
    packed = layout.contiguous and layout.element_stride == count
    if component is None and count > 1:
        shape, strides = (*shape, count), (*strides, layout.component_stride)
    reach = [(n - 1) * stride for n, stride in zip(shape, strides, strict=True)]
    before, after = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
    return Piece(
        component,
        start + before,
        after - before + 1,
        layout.contiguous,
        packed,
        -before,
        shape,
        strides,
    )
