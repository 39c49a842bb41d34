"""Elements of a block's own arrays whose places are known when compiling: whole vectors at fixed places, and shuffles.

Where all that touches a piece of shared memory does so by the same vectors, the optimiser passes them on in registers,
and what is left of a barrier algorithm is arithmetic and shuffles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.backends.cpu.addresses import Address
from headwater.backends.cpu.text import memory_text
from headwater.types import ScalarType

if TYPE_CHECKING:
    from headwater.backends.cpu.lanes import LaneEmitter


class Pieces:
    """The vectors that hold the elements of an address, whose place is known."""

    def __init__(self, e: LaneEmitter, kind: ScalarType, address: Address) -> None:
        """Fewer lanes than a group's take vectors twice as long: so many stored them, one step before in a tree."""
        assert address.place is not None
        self.e, self.w = e, e.w
        self.kind = kind
        self.pointer = address.pointer
        self.unit = min(e.group_lanes, 2 * e.lanes)
        self.skipped = address.place % self.unit
        # The lanes' places, counted from the first vector.
        self.places = tuple(self.skipped + offset for offset in address.offsets)
        self.count = max(self.places) // self.unit + 1

    def load(self) -> str:
        """The elements of all lanes, also of those that are off."""
        vectors = [self.vector(number) for number in range(self.count)]
        width = self.unit
        while len(vectors) > 2:
            vectors = [self.pair(vectors[k : k + 2], width) for k in range(0, len(vectors), 2)]
            width *= 2
        if len(vectors) == 1 and self.places == tuple(range(self.unit)):
            return vectors[0]
        return self.shuffle(vectors, width, self.places)

    def store(self, stored: str, on: list[bool]) -> None:
        """Put the lanes that are on into their vectors; of two at one place the higher wins."""
        e, unit = self.e, self.unit
        holders: list[dict[int, int]] = [{} for _ in range(self.count)]
        for lane, place in enumerate(self.places):
            if on[lane]:
                holders[place // unit][place % unit] = lane
        for number, lane_at in enumerate(holders):
            if not lane_at:
                continue
            picks = tuple(lane_at.get(place, e.lanes + place) for place in range(unit))
            text = stored
            if picks != tuple(range(unit)):
                before = "poison" if len(lane_at) == unit else self.vector(number)
                text = self.shuffle([stored, before], unit, picks)
            pointer = self.at(number)
            self.w.emit(f"store {self.type(unit)} {text}, ptr {pointer}, align {self.kind.size}")

    def type(self, width: int) -> str:
        return f"<{width} x {memory_text(self.kind)}>"

    def at(self, number: int) -> str:
        """The pointer to a vector."""
        distance = number * self.unit - self.skipped
        if distance == 0:
            return self.pointer
        element = memory_text(self.kind)
        return self.w.value(f"getelementptr {element}, ptr {self.pointer}, i64 {distance}", "at")

    def vector(self, number: int) -> str:
        text = f"load {self.type(self.unit)}, ptr {self.at(number)}, align {self.kind.size}"
        return self.w.value(text)

    def pair(self, vectors: list[str], width: int) -> str:
        """Two vectors one after the other; one alone is filled up."""
        return self.shuffle(vectors, width, tuple(range(2 * width)))

    def shuffle(self, vectors: list[str], width: int, picks: tuple[int, ...]) -> str:
        first, second = (*vectors, "poison")[:2]
        chosen = ", ".join(f"i32 {pick}" for pick in picks)
        kind = self.type(width)
        return self.w.value(
            f"shufflevector {kind} {first}, {kind} {second}, <{len(picks)} x i32> <{chosen}>"
        )
