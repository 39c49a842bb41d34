"""Elements a few apart, as those of consecutive threads in `a[2 * i + 1]`: whole vectors and a shuffle.

A gather takes one access for each lane, this one for each vector that the lanes span.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.backends.cpu.text import memory_text
from headwater.types import ScalarType

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
