"""Loads and stores of a SIMD group.

A uniform address is one scalar access, consecutive ones are one vector access, and others are gathered and
scattered. A load gives no undefined value to a lane that is off: it would spread through masks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from headwater import ir
from headwater.backends.cpu.addresses import Address, Addresses
from headwater.backends.cpu.linear import lane_bools
from headwater.backends.cpu.masked import masked_store, scatter, suffix
from headwater.backends.cpu.pieces import Pieces
from headwater.backends.cpu.places import Place
from headwater.backends.cpu.strided import (
    FEW_LANES,
    load_each,
    load_window,
    spread_window,
    store_each,
)
from headwater.backends.cpu.target import Target
from headwater.backends.cpu.text import FunctionWriter, Operand, memory_text, scalar_text
from headwater.ir.nodes import Array
from headwater.types import BOOL, INT32, ScalarType

if TYPE_CHECKING:
    from headwater.backends.cpu.lanes import LaneEmitter


class Access:
    """Emits loads and stores; knows where each array lies."""

    def __init__(self, writer: FunctionWriter, target: Target, used: set[ir.Value]) -> None:
        """`used` are the values that any node uses."""
        self.w = writer
        self.used = used
        self.target = target
        self.places: dict[Array, Place] = {}
        self.addresses = Addresses(writer)
        # The index of the spread loop being emitted: its lanes never start past an array's end.
        self.spread_index = ""

    def extent(self, array: Array, axis: int) -> str:
        text = self.places[array].extents[axis]
        return self.w.value(f"trunc i64 {text} to i32") if text.startswith("%") else text

    def address(self, e: LaneEmitter, node: ir.Load | ir.Store | ir.Atomic) -> Address:
        indices = tuple(map(e.use, node.indices))
        return self.addresses.find(e, self.places[node.array], indices, node.component)

    # --- load -------------------------------------------------------------------------------------

    def load(self, e: LaneEmitter, node: ir.Load) -> Operand:
        place, indices = self.places[node.array], tuple(map(e.use, node.indices))
        if any(index.either for index in indices):
            found = self.either(e, place, indices, node.component)
            if found is not None:
                return found
        address = self.addresses.find(e, place, indices, node.component)
        inside = bool(self.spread_index) and indices[-1].text == self.spread_index
        return self.load_from(e, place, address, near=inside)

    def load_from(
        self, e: LaneEmitter, place: Place, address: Address, *, near: bool = False
    ) -> Operand:
        """What lies at an address; `near` if whole vectors may be read there although lanes are off."""
        kind = place.scalar
        if address.kind == "uniform":
            text = f"load {memory_text(kind)}, ptr {address.pointer}, align {kind.size}"
            return Operand("uniform", self.to_register(self.w.value(text), kind, ""), kind)
        if address.kind == "varying":
            text = self.gather(e, kind, address.pointer)
        elif place.own and address.place is not None:
            text = Pieces(e, kind, address).load()
        elif address.kind == "window":
            text = load_window(e, kind, address.pointer, address.offsets)
        elif e.mask is None or (place.padded and near):
            text = self.whole(e, kind, address.pointer)
        elif place.interleave:
            text = self.w.value(
                f"freeze {self.vector(e, kind)} {self.whole(e, kind, address.pointer)}"
            )
        else:
            text = self.some(e, place, address.pointer)
        return Operand("varying", self.to_register(text, kind, self.vector(e, kind)), kind)

    def either(
        self, e: LaneEmitter, place: Place, indices: tuple[Operand, ...], component: int
    ) -> Operand | None:
        """An element at one of two places, where neither takes a gather."""
        (choice, *more) = [index.either for index in indices if index.either is not None]
        if more or place.interleave or not (place.padded or place.own):
            return None
        sides = []
        for pick in ("a", "b"):
            side = tuple(getattr(i.either, pick) if i.either else i for i in indices)
            sides.append(self.addresses.find(e, place, side, component))
        if any(address.kind == "varying" for address in sides):
            return None
        outer = e.mask
        masks = (e.both(outer, choice.condition), e.without(outer, choice.condition))
        found = []
        for address, mask in zip(sides, masks, strict=True):
            e.mask = mask
            found.append(e.spread(self.load_from(e, place, self.guarded(e, place, address))))
        e.mask = outer
        kind = place.scalar
        return Operand("varying", e.vector.select(kind, choice.condition, *found), kind)

    def guarded(self, e: LaneEmitter, place: Place, address: Address) -> Address:
        """The address where any lane is on, else that of the array: a load there fails nowhere."""
        if address.kind == "linear" and self.target.masks(8 * place.scalar.size):
            return address
        some = e.any(e.on())
        pointer = f"select i1 {some}, ptr {address.pointer}, ptr {place.pointer}"
        return replace(address, pointer=self.w.value(pointer, "at"))

    def vector(self, e: LaneEmitter, kind: ScalarType) -> str:
        """A vector as memory holds it."""
        return f"<{e.lanes} x {memory_text(kind)}>"

    def whole(self, e: LaneEmitter, kind: ScalarType, pointer: str) -> str:
        return self.w.value(f"load {self.vector(e, kind)}, ptr {pointer}, align {kind.size}")

    def some(self, e: LaneEmitter, place: Place, pointer: str) -> str:
        """Consecutive elements where the mask is on, 0 elsewhere."""
        kind, vector = place.scalar, self.vector(e, place.scalar)
        readable = place.padded or place.own
        if readable and not self.target.masks(8 * kind.size):
            loaded = self.w.value(f"freeze {vector} {self.whole(e, kind, pointer)}")
            return self.w.value(
                f"select {e.type(BOOL)} {e.on()}, {vector} {loaded}, {vector} zeroinitializer"
            )
        return self.w.call(
            vector,
            f"llvm.masked.load.{suffix(e.lanes, kind)}.p0",
            (f"ptr align {kind.size}", pointer),
            (e.type(BOOL), e.on()),
            (vector, "zeroinitializer"),
        )

    def gather(self, e: LaneEmitter, kind: ScalarType, pointers: str) -> str:
        """Scattered elements where the mask is on, 0 elsewhere.

        No machine gathers bytes or half words: they are read as the low part of a word, since any array may be read
        a little past its end.
        """
        if e.mask is None and e.lanes <= FEW_LANES:
            return load_each(e, kind, pointers)
        wide = kind if kind.size >= 4 else INT32
        vector = self.vector(e, wide)
        text = self.w.call(
            vector,
            f"llvm.masked.gather.{suffix(e.lanes, wide)}.v{e.lanes}p0",
            (f"<{e.lanes} x ptr> align {kind.size}", pointers),
            (e.type(BOOL), e.on()),
            (vector, "zeroinitializer"),
        )
        if wide is kind:
            return text
        return self.w.value(f"trunc {vector} {text} to {self.vector(e, kind)}")

    def to_register(self, text: str, kind: ScalarType, vector: str) -> str:
        if kind is not BOOL:
            return text
        zero = "zeroinitializer" if vector else "0"
        return self.w.value(f"icmp ne {vector or 'i8'} {text}, {zero}")

    # --- store ------------------------------------------------------------------------------------

    def store(self, e: LaneEmitter, node: ir.Store) -> None:
        place, address = self.places[node.array], self.address(e, node)
        kind, value = place.scalar, e.use(node.value)
        if address.kind == "uniform":
            text = value.text if value.uniform else self.last_lane(e, value)
            stored = self.in_memory(text, kind)
            self.w.emit(
                f"store {memory_text(kind)} {stored}, ptr {address.pointer}, align {kind.size}"
            )
            return
        stored = self.in_memory(e.spread(value), kind, e.lanes)
        on = [True] * e.lanes if e.mask is None else lane_bools(e.mask)
        if address.kind == "varying":
            self.scatter(e, kind, stored, address.pointer)
        elif place.own and address.place is not None and on and e.lanes == e.group_lanes:
            Pieces(e, kind, address).store(stored, on)
        elif address.kind == "window":
            self.store_window(e, place, stored, address)
        elif e.mask is not None and not self.may_blend(place):
            vector = (e.lanes, stored)
            masked_store(self.w, self.target, kind, vector, address.pointer, e.on())
        else:
            self.store_whole(e, kind, stored, address.pointer)

    def scatter(self, e: LaneEmitter, kind: ScalarType, stored: str, pointers: str) -> None:
        if e.mask is None and e.lanes <= FEW_LANES:
            store_each(e, kind, stored, pointers)
        else:
            scatter(self.w, kind, e.lanes, stored, pointers, e.on())

    def store_window(self, e: LaneEmitter, place: Place, stored: str, address: Address) -> None:
        """Elements whose places are known: what lies between must stay, even while other threads write it."""
        kind, offsets = place.scalar, address.offsets
        if len(set(offsets)) < e.lanes or not self.target.masks(8 * kind.size):
            self.scatter(e, kind, stored, self.addresses.pointers(e, place, address))
            return
        width, wide = spread_window(e, memory_text(kind), stored, offsets, "poison")
        _, mask = spread_window(e, "i1", e.on(), offsets, "zeroinitializer")
        if stored in self.w.narrowed:
            self.w.narrowed.add(wide)
        masked_store(self.w, self.target, kind, (width, wide), address.pointer, mask)

    def may_blend(self, place: Place) -> bool:
        """Whether lanes that are off may write back what they read.

        A local array does so always, since a masked store keeps it from becoming registers.
        """
        if place.interleave:
            return True
        return place.own and not self.target.masks(8 * place.scalar.size)

    def store_whole(self, e: LaneEmitter, kind: ScalarType, stored: str, pointer: str) -> None:
        vector = self.vector(e, kind)
        if e.mask is not None:
            before = self.whole(e, kind, pointer)
            stored = self.w.value(
                f"select {e.type(BOOL)} {e.mask}, {vector} {stored}, {vector} {before}"
            )
        self.w.emit(f"store {vector} {stored}, ptr {pointer}, align {kind.size}")

    def last_lane(self, e: LaneEmitter, value: Operand) -> str:
        """Threads that store to one place race; the highest lane wins, as in a scatter."""
        leading = self.w.call("i32", "llvm.ctlz.i32", ("i32", e.mask_bits()), ("i1", "true"))
        lane = self.w.value(f"sub i32 31, {leading}")
        return self.w.value(f"extractelement {e.type(value.type)} {e.spread(value)}, i32 {lane}")

    def in_memory(self, text: str, kind: ScalarType, lanes: int = 0) -> str:
        """A value as memory holds it."""
        if kind is not BOOL:
            return text
        register, memory = scalar_text(kind), memory_text(kind)
        if lanes:
            register, memory = f"<{lanes} x {register}>", f"<{lanes} x {memory}>"
        return self.w.value(f"zext {register} {text} to {memory}")
