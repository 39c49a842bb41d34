"""Elements that are not consecutive, without a gather or scatter.

Elements a few apart, as those of consecutive threads in `a[2 * i + 1]`, are whole vectors and a shuffle: one access
for each vector that the lanes span instead of one for each lane. Those of a few lanes are read one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.backends.cpu.text import memory_text
from headwater.types import ScalarType

# A gather or scatter of so many lanes takes longer than its lanes one by one.
FEW_LANES = 4

if TYPE_CHECKING:
    from headwater.backends.cpu.lanes import LaneEmitter


def load_apart(e: LaneEmitter, kind: ScalarType, pointer: str, step: int) -> str:
    """The elements of all lanes, also of those that are off, and what lies between is read too."""
    wide = _wide(e, memory_text(kind), step)
    loaded = e.w.value(f"load {wide}, ptr {pointer}, align {kind.size}")
    picks = ", ".join(f"i32 {lane * step}" for lane in range(e.lanes))
    return e.w.value(f"shufflevector {wide} {loaded}, {wide} poison, <{e.lanes} x i32> <{picks}>")


def spread_apart(e: LaneEmitter, element: str, vector: str, step: int, between: str) -> str:
    """The lanes of a vector of `element`, a step apart; `between` fills the rest."""
    narrow, count = f"<{e.lanes} x {element}>", e.lanes * step
    picks = ", ".join(
        f"i32 {number // step if number % step == 0 else e.lanes}" for number in range(count)
    )
    return e.w.value(
        f"shufflevector {narrow} {vector}, {narrow} {between}, <{count} x i32> <{picks}>"
    )


def _wide(e: LaneEmitter, element: str, step: int) -> str:
    return f"<{e.lanes * step} x {element}>"


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
