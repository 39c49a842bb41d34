"""Where the elements lie that the lanes of a group name.

An address is uniform (one scalar access), contiguous over the lanes (one vector access) or scattered (gather and
scatter). Vector arrays lie in planes, so a component is contiguous over consecutive elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater import ir
from headwater.backends.cpu.frame import SLACK
from headwater.backends.cpu.places import Place
from headwater.backends.cpu.text import FunctionWriter, Operand, memory_text, scalar_text
from headwater.types import INT32, INT64, ScalarType

if TYPE_CHECKING:
    from headwater.backends.cpu.lanes import LaneEmitter


# Elements so far apart are read as whole vectors, of which most is thrown away. Shared memory is read soon after it is
# written, and the machine hands over what single stores wrote to single loads, but not to those of vectors.
LARGEST_STEP, LARGEST_OWN_STEP = 4, 2


@dataclass(frozen=True, slots=True)
class Address:
    """`kind` is as of an operand; `pointer` is a vector of pointers where it is 'varying', else that of the first lane.

    The elements of the lanes of a linear address are `step` apart.
    """

    kind: str
    pointer: str
    step: int = 1


class Addresses:
    """Emits the computation of addresses."""

    def __init__(self, writer: FunctionWriter) -> None:
        self.w = writer
        self._planes: dict[tuple[str, int], str] = {}

    def find(
        self, e: LaneEmitter, place: Place, indices: tuple[ir.Value, ...], component: int
    ) -> Address:
        """The address of a component of an element for the lanes that are on."""
        pairs = [
            (e.use(index), stride) for index, stride in zip(indices, place.strides, strict=True)
        ]
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
        step = _step(apart)
        if step == 1 or (1 < step <= _largest_step(e, place)):
            return Address("linear", self.element(place, plane, base), step)
        offset, kind = self.lane_offset(e, place, apart)
        return Address("varying", self.elements(e, place, plane, base, offset, kind))

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
            return e.iota(kind, operand.step)
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
        text = f"getelementptr {element}, ptr {start}, {e.type(kind)} {offset}"
        return self.w.value(text, "at")


def _step(apart: list[tuple[Operand, str]]) -> int:
    """How many elements lie between those of two lanes; 0 where that is not known or not one number."""
    if any(operand.kind == "varying" or stride.startswith("%") for operand, stride in apart):
        return 0
    return sum(operand.step * int(stride) for operand, stride in apart)


def _largest_step(e: LaneEmitter, place: Place) -> int:
    """How far apart elements may be so that all between them may be read, if one is in the array."""
    if not place.padded and not place.own:
        return 1
    room = SLACK // (e.lanes * place.scalar.size)
    return min(room, LARGEST_OWN_STEP if place.own else LARGEST_STEP)


def _base(operand: Operand) -> Operand:
    """The first lane's part of a linear index."""
    return Operand("uniform", operand.text, operand.type)


def _is_narrow(place: Place, term: tuple[Operand, str]) -> bool:
    """Whether a term of an offset fits into 32 bits with a sign, given that it stays inside of the array."""
    operand, stride = term
    if not place.extents[0].startswith("%"):
        return True
    if stride != "1" or operand.type.bits == 64:
        return False
    return operand.kind == "linear" or operand.type.kind == "int" or operand.type.bits < 32
