"""Where arrays lie: a kernel's parameters, and the arrays that it owns.

A local array holds one vector of lanes for each of its elements, so that a subscript that all lanes agree
on reads one vector. Every array may be read a few bytes past its end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from headwater import ir
from headwater.backends.cpu.frame import ALIGNMENT, Frame
from headwater.backends.cpu.text import literal, memory_text
from headwater.ir.nodes import Array
from headwater.types import BOOL, ScalarType

# A gather of bytes reads whole words.
_WORD = 4


@dataclass(frozen=True, slots=True)
class Place:
    """Where an array lies. All texts are scalars that hold everywhere in the function."""

    pointer: str
    extents: tuple[str, ...]
    # Strides in elements as i64; the last is the text "1" for contiguous arrays.
    strides: tuple[str, ...]
    component_stride: str
    scalar: ScalarType
    # Our own allocations may be read a vector's length past their end and before their start.
    padded: bool = False
    # Only the core that runs the block reaches it, so a masked store may write back what was there.
    own: bool = False
    # Scalars between two elements of a thread, where each is a vector with one scalar a lane.
    interleave: int = 0
    # Bytes of the array of one group, for those that each group has.
    group_bytes: int = 0


def own_places(
    kernel: ir.Kernel, frame: Frame, lanes: int, groups: int
) -> Iterator[tuple[Array, Place]]:
    """The shared and local arrays; `groups` have local arrays of their own."""
    dynamic = ""
    for shared in kernel.shared:
        if not shared.dynamic:
            yield shared, _own(shared, frame.memory(_bytes(shared), shared.name))
            continue
        dynamic = dynamic or frame.memory(kernel.dynamic_shared, "dynamic")
        yield shared, _rows_of_components(_own(shared, dynamic), shared.components)
    for local in kernel.locals:
        size = -(-_bytes(local) * lanes // ALIGNMENT) * ALIGNMENT
        place = _own(local, frame.private(size * groups, local.name))
        yield local, replace(place, interleave=lanes if lanes > 1 else 0, group_bytes=size)


def constant_place(array: ir.ConstantArray, number: int) -> tuple[str, Place]:
    """The definition of a global constant, and its place."""
    name = f"@constant.{number}"
    memory = memory_text(array.scalar)
    planes = [array.values[c :: array.components] for c in range(array.components)]
    texts = [_in_memory(value, array.scalar) for plane in planes for value in plane]
    texts += [_in_memory(0, array.scalar)] * _WORD
    values = ", ".join(f"{memory} {text}" for text in texts)
    definition = (
        f"{name} = private unnamed_addr constant [{len(texts)} x {memory}] [{values}], align 64"
    )
    return definition, _planes(array, name)


def _in_memory(value: bool | int | float, kind: ScalarType) -> str:
    return str(int(value)) if kind is BOOL else literal(value, kind)


def _own(array: ir.SharedArray | ir.LocalArray, pointer: str) -> Place:
    return replace(_planes(array, pointer), own=True)


def _planes(array: ir.SharedArray | ir.LocalArray | ir.ConstantArray, pointer: str) -> Place:
    count = 1
    strides: list[str] = []
    for extent in reversed(array.shape):
        strides.insert(0, str(count))
        count *= extent
    extents = tuple(map(str, array.shape))
    return Place(pointer, extents, tuple(strides), str(count), array.scalar)


def _rows_of_components(place: Place, components: int) -> Place:
    """Dynamic arrays overlap, so the bytes of an element lie where everyone expects them."""
    strides = tuple(str(int(stride) * components) for stride in place.strides)
    return replace(place, strides=strides, component_stride="1")


def _bytes(array: ir.SharedArray | ir.LocalArray) -> int:
    return math.prod(array.shape) * array.components * array.scalar.size
