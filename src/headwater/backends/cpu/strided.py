"""Elements that are not consecutive, without a gather or scatter.

Where the places of the lanes are known from the first, as those of `a[2 * i + 1]` or `a[i ^ 1]`, they are whole vectors
and a shuffle: one access for each vector that the lanes span instead of one for each lane. Those of a few lanes are
read one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.backends.cpu.text import memory_text
from headwater.types import ScalarType

# A gather or scatter of so many lanes takes longer than its lanes one by one.
FEW_LANES = 4

if TYPE_CHECKING:
    from headwater.backends.cpu.lanes import LaneEmitter


def load_window(e: LaneEmitter, kind: ScalarType, pointer: str, offsets: tuple[int, ...]) -> str:
    """The elements of all lanes, also of those that are off; `pointer` is the lowest, and what lies between is read."""
    wide = f"<{_width(e, offsets)} x {memory_text(kind)}>"
    loaded = e.w.value(f"load {wide}, ptr {pointer}, align {kind.size}")
    picks = ", ".join(f"i32 {offset}" for offset in offsets)
    return e.w.value(f"shufflevector {wide} {loaded}, {wide} poison, <{e.lanes} x i32> <{picks}>")


def spread_window(
    e: LaneEmitter, element: str, vector: str, offsets: tuple[int, ...], between: str
) -> tuple[int, str]:
    """The lanes of a vector of `element` at their offsets, which differ; `between` fills the rest. Count and text."""
    narrow, width = f"<{e.lanes} x {element}>", _width(e, offsets)
    lane_at = {offset: lane for lane, offset in enumerate(offsets)}
    picks = ", ".join(f"i32 {lane_at.get(place, e.lanes)}" for place in range(width))
    text = f"shufflevector {narrow} {vector}, {narrow} {between}, <{width} x i32> <{picks}>"
    return width, e.w.value(text)


def _width(e: LaneEmitter, offsets: tuple[int, ...]) -> int:
    """Elements from the lowest to the highest, in whole vectors."""
    return -(-(max(offsets) + 1) // e.lanes) * e.lanes


def load_each(e: LaneEmitter, kind: ScalarType, pointers: str) -> str:
    """The element of each lane, where all are on."""
    element = memory_text(kind)
    vector, result = f"<{e.lanes} x {element}>", "poison"
    for lane in range(e.lanes):
        pointer = e.w.value(f"extractelement <{e.lanes} x ptr> {pointers}, i32 {lane}")
        value = e.w.value(f"load {element}, ptr {pointer}, align {kind.size}")
        result = e.w.value(f"insertelement {vector} {result}, {element} {value}, i32 {lane}")
    return result


def store_each(e: LaneEmitter, kind: ScalarType, stored: str, pointers: str) -> None:
    """Store to the element of each lane, where all are on; the highest lane wins."""
    element = memory_text(kind)
    for lane in range(e.lanes):
        pointer = e.w.value(f"extractelement <{e.lanes} x ptr> {pointers}, i32 {lane}")
        value = e.w.value(f"extractelement <{e.lanes} x {element}> {stored}, i32 {lane}")
        e.w.emit(f"store {element} {value}, ptr {pointer}, align {kind.size}")
