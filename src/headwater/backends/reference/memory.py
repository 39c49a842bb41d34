"""Arrays as the interpreter sees them: flat, typed, checked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from headwater import ir
from headwater.backends.contract import ArrayArgument
from headwater.backends.reference.arithmetic import Scalar
from headwater.types import ScalarType


@dataclass(frozen=True, slots=True)
class Region:
    """One array: `data` is flat; strides are in scalars.

    `known` says for each scalar, or each of its bytes, whether it was written; None where that does not count.
    """

    name: str
    scalar: ScalarType
    data: np.ndarray[Any, Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    component_stride: int
    known: np.ndarray[Any, Any] | None = None
    # Where the first element lies in `data`; strides may lead to both sides of it.
    start: int = 0

    def place(self, indices: tuple[int, ...], component: int) -> int:
        """Where a component of an element lies in `data`."""
        steps = zip(indices, self.strides, strict=True)
        return (
            self.start
            + sum(index * stride for index, stride in steps)
            + component * self.component_stride
        )

    def load(self, place: int) -> Scalar:
        return self.data[place] if self.scalar.is_float else self.data.item(place)

    def store(self, place: int, value: Scalar) -> None:
        self.data[place] = value
        if self.known is not None:
            self.known[place] = True

    def plane(self, component: int, count: int) -> np.ndarray[Any, Any]:
        """One component of the first `count` elements of a one-dimensional array."""
        places = self.start + np.arange(count) * self.strides[0] + component * self.component_stride
        return self.data[places]


def argument_region(parameter: ir.ArrayParameter, argument: ArrayArgument) -> Region:
    """The view of an argument in its memory. Pieces smaller than a scalar at either end are left out."""
    buffer = argument.memory.handle
    assert isinstance(buffer, np.ndarray)
    scalar = parameter.type.scalar
    start, first = divmod(argument.offset, scalar.size)
    usable = (buffer.nbytes - first) // scalar.size * scalar.size
    data = buffer[first : first + usable].view(scalar.numpy)
    return Region(
        parameter.name,
        scalar,
        data,
        argument.shape,
        argument.strides,
        argument.component_stride,
        start=start,
    )


def own_region(array: ir.SharedArray | ir.LocalArray) -> Region:
    """A new array of a block or of a thread, of unknown content."""
    total = math.prod(array.shape) * array.components
    return _row_major(array, np.zeros(total, array.scalar.numpy), np.zeros(total, np.bool_))


def dynamic_regions(kernel: ir.Kernel) -> dict[object, Region]:
    """The block's dynamic arrays: views of the same bytes."""
    data = np.zeros(kernel.dynamic_shared, np.uint8)
    known = np.zeros(kernel.dynamic_shared, np.bool_)
    regions: dict[object, Region] = {}
    for array in kernel.shared:
        if not array.dynamic:
            continue
        size = array.scalar.size
        used = math.prod(array.shape) * array.components * size
        typed = data[:used].view(array.scalar.numpy)
        regions[array] = _row_major(array, typed, known[:used].reshape(-1, size))
    return regions


def constant_region(array: ir.ConstantArray) -> Region:
    """The table itself."""
    return _row_major(array, np.array(array.values, array.scalar.numpy), None)


def _row_major(
    array: ir.SharedArray | ir.LocalArray | ir.ConstantArray,
    data: np.ndarray[Any, Any],
    known: np.ndarray[Any, Any] | None,
) -> Region:
    strides: list[int] = []
    step = array.components
    for extent in reversed(array.shape):
        strides.insert(0, step)
        step *= extent
    return Region(array.name, array.scalar, data, array.shape, tuple(strides), 1, known)
