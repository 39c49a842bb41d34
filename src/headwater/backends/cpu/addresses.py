"""Where the elements lie that the lanes of a group name.

An address is uniform (one scalar access), contiguous over the lanes (one vector access), a window of a few vectors in
which the lanes' places are known when compiling, or scattered (gather and scatter). Vector arrays lie in planes, so
a component is contiguous over consecutive elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.backends.cpu.frame import SLACK
from headwater.backends.cpu.places import Place
from headwater.backends.cpu.text import FunctionWriter, Operand, memory_text, scalar_text
from headwater.types import INT32, INT64, UINT32, ScalarType

if TYPE_CHECKING:
    from headwater.backends.cpu.lanes import LaneEmitter


# How many vectors a window may have. Shared memory is read soon after it is written, and the machine hands over what
# single stores wrote to single loads, but not to those of vectors.
WINDOW, OWN_WINDOW = 4, 2
# Where the place is known too, they are those at fixed places.
MOST_PIECES = 4


@dataclass(frozen=True, slots=True)
class Address:
    """`kind` is 'uniform', 'linear', 'window' or 'varying'.

    `pointer` is a vector of pointers where it varies, else that of the lowest element; the lanes of a window are at
    `offsets` from it. `place` is how many elements into the array the first lane's is, where that is known.
    """

    kind: str
    pointer: str
    offsets: tuple[int, ...] = ()
    place: int | None = None


class Addresses:
    """Emits the computation of addresses."""

    def __init__(self, writer: FunctionWriter) -> None:
        self.w = writer
        self._planes: dict[tuple[str, int], str] = {}

    def find(
        self, e: LaneEmitter, place: Place, indices: tuple[Operand, ...], component: int
    ) -> Address:
        """The address of a component of an element for the lanes that are on."""
        pairs = list(zip(indices, place.strides, strict=True))
        # What is the same for all lanes goes into one scalar offset.
        shared = [
            (_base(operand), stride) for operand, stride in pairs if operand.kind != "varying"
        ]
        base, plane = self.scalar_offset(shared), self.plane(place, component)
        apart = [(operand, stride) for operand, stride in pairs if not operand.uniform]
        if place.interleave:
            return self.interleaved(e, place, plane, base, apart)
        if not apart:
            return Address("uniform", self.element(place, plane, base))
        offsets = _offsets(e, apart)
        if offsets is not None and _is_window(e, place, base, offsets):
            return self.window(e, place, (plane, base), offsets)
        offset, kind = self.lane_offset(e, place, apart)
        return Address("varying", self.elements(e, place, plane, base, offset, kind))

    def window(
        self, e: LaneEmitter, place: Place, start: tuple[str, str], offsets: tuple[int, ...]
    ) -> Address:
        """Places that are known from each other; `start` is a pointer and an offset of the base in elements."""
        (plane, base), lowest = start, min(offsets)
        offsets = tuple(offset - lowest for offset in offsets)
        consecutive = offsets == tuple(range(e.lanes))
        known = None if base.startswith("%") else int(base or "0") + lowest
        pointer = self.element(place, plane, base)
        if lowest:
            pointer = self.element(place, pointer, str(lowest))
        return Address("linear" if consecutive else "window", pointer, offsets, known)

    def pointers(self, e: LaneEmitter, place: Place, address: Address) -> str:
        """An address that varies as a vector of pointers."""
        if address.kind == "varying":
            return address.pointer
        offsets = e.lane_constants(INT32, address.offsets)
        return self.elements(e, place, address.pointer, "", offsets, INT32)

    def interleaved(
        self,
        e: LaneEmitter,
        place: Place,
        plane: str,
        base: str,
        apart: list[tuple[Operand, str]],
    ) -> Address:
        """An element of a local array, which each lane has its own of."""
        if base:
            base = self.w.value(f"mul i64 {base}, {place.interleave}")
        if e.inside:
            # The lanes work for one thread.
            lane = self.w.value(f"zext i32 {e.lane} to i64")
            base = self.w.value(f"add i64 {base}, {lane}") if base else lane
        if not apart:
            reach = "uniform" if e.inside else "linear"
            return Address(reach, self.element(place, plane, base))
        offset, kind = self.lane_offset(e, place, apart)
        width = e.broadcast(str(place.interleave), kind)
        offset = e.vector.binary("mul", kind, offset, width)
        if not e.inside:
            offset = e.vector.binary("add", kind, offset, e.iota(kind))
        return Address("varying", self.elements(e, place, plane, base, offset, kind))

    # --- offsets in elements ----------------------------------------------------------------------

    def scalar_offset(self, terms: list[tuple[Operand, str]]) -> str:
        """The sum of uniform indices times their strides as an i64; nothing where it is 0."""
        total = ""
        for operand, stride in terms:
            if operand.text == "0":
                continue
            term = self.widen(operand)
            if stride != "1":
                term = self.w.value(f"mul i64 {term}, {stride}")
            total = term if not total else self.w.value(f"add i64 {total}, {term}")
        return total

    def widen(self, operand: Operand) -> str:
        if operand.type.bits == 64 or not operand.text.startswith("%"):
            return operand.text
        extend = "sext" if operand.type.kind == "int" else "zext"
        return self.w.value(f"{extend} {scalar_text(operand.type)} {operand.text} to i64")

    def lane_offset(
        self, e: LaneEmitter, place: Place, terms: list[tuple[Operand, str]]
    ) -> tuple[str, ScalarType]:
        """The part of the offset that differs between lanes, in 32 bits where that is enough.

        The machine's gathers take 32-bit indices, twice as many at a time as wide ones.
        """
        kind = INT32 if all(_is_narrow(place, term) for term in terms) else INT64
        total = ""
        for operand, stride in terms:
            term = self.lane_index(e, operand, kind)
            if stride != "1":
                term = e.vector.binary("mul", kind, term, e.broadcast(stride, kind))
            total = term if not total else e.vector.binary("add", kind, total, term)
        return total, kind

    def lane_index(self, e: LaneEmitter, operand: Operand, kind: ScalarType) -> str:
        if operand.kind == "linear":
            return e.lane_constants(kind, operand.offsets)
        return e.vector.apply("cast", operand.type, kind, (operand.text,))

    # --- pointers ---------------------------------------------------------------------------------

    def plane(self, place: Place, component: int) -> str:
        """The pointer to a component's plane; one that is known only at run time is found once, in the entry."""
        if component == 0:
            return place.pointer
        if not place.component_stride.startswith("%"):
            distance = component * int(place.component_stride) * max(place.interleave, 1)
            return self.element(place, place.pointer, str(distance))
        key = (place.pointer, component)
        if key not in self._planes:
            offset, pointer = self.w.fresh("plane"), self.w.fresh("plane")
            self.w.entry.append(f"  {offset} = mul i64 {place.component_stride}, {component}")
            kind = memory_text(place.scalar)
            self.w.entry.append(
                f"  {pointer} = getelementptr {kind}, ptr {place.pointer}, i64 {offset}"
            )
            self._planes[key] = pointer
        return self._planes[key]

    def element(self, place: Place, pointer: str, offset: str) -> str:
        if not offset:
            return pointer
        kind = memory_text(place.scalar)
        return self.w.value(f"getelementptr {kind}, ptr {pointer}, i64 {offset}", "at")

    def elements(
        self,
        e: LaneEmitter,
        place: Place,
        plane: str,
        base: str,
        offset: str,
        kind: ScalarType,
    ) -> str:
        start, element = self.element(place, plane, base), memory_text(place.scalar)
        if place.own and not place.interleave:
            # Else the compiler works out all pointers of a block before the loop over blocks, and keeps them.
            start = self.w.call("ptr", "llvm.launder.invariant.group.p0", ("ptr", start))
        text = f"getelementptr {element}, ptr {start}, {e.type(kind)} {offset}"
        return self.w.value(text, "at")


def _offsets(e: LaneEmitter, apart: list[tuple[Operand, str]]) -> tuple[int, ...] | None:
    """How far the elements of the lanes are from that of the base, where that is known."""
    if any(operand.kind == "varying" or stride.startswith("%") for operand, stride in apart):
        return None
    terms = [(operand.offsets, int(stride)) for operand, stride in apart]
    return tuple(sum(offsets[lane] * by for offsets, by in terms) for lane in range(e.lanes))


def _is_window(e: LaneEmitter, place: Place, base: str, offsets: tuple[int, ...]) -> bool:
    """Whether all elements between the lanes' may be read, if one of these is in the array, and are few enough."""
    if offsets == tuple(range(offsets[0], offsets[0] + e.lanes)):
        return True
    if not place.padded and not place.own:
        return False
    vectors = -(-(max(offsets) - min(offsets) + 1) // e.lanes)
    room = SLACK // (e.lanes * place.scalar.size)
    most = WINDOW if place.padded else OWN_WINDOW if base.startswith("%") else MOST_PIECES - 1
    return vectors <= min(room, most)


def _base(operand: Operand) -> Operand:
    """The scalar part of an index.

    An array has less than 2**31 elements along an axis, so that the base of an unsigned index may lie below 0.
    """
    kind = INT32 if operand.kind == "linear" and operand.type is UINT32 else operand.type
    return Operand("uniform", operand.text, kind)


def _is_narrow(place: Place, term: tuple[Operand, str]) -> bool:
    """Whether a term of an offset fits into 32 bits with a sign, given that it stays inside of the array."""
    operand, stride = term
    if not place.extents[0].startswith("%"):
        return True
    if stride != "1" or operand.type.bits == 64:
        return False
    return operand.kind == "linear" or operand.type.kind == "int" or operand.type.bits < 32
