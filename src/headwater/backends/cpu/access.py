"""Loads, stores and atomics of a SIMD group.

An address is uniform (one scalar access), contiguous over the lanes (one vector access) or scattered (gather and
scatter). Vector arrays lie in planes, so a component is contiguous over consecutive elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater import ir
from headwater.backends.cpu.text import FunctionWriter, Operand, memory_text, scalar_text
from headwater.ir.nodes import Array
from headwater.types import BOOL, INT64, ScalarType

if TYPE_CHECKING:
    from headwater.backends.cpu.lanes import LaneEmitter


@dataclass(frozen=True, slots=True)
class Place:
    """Where an array lies. All texts are scalars that hold everywhere in the function."""

    pointer: str
    extents: tuple[str, ...]
    # Strides in elements as i64; the last is the text "1" for contiguous arrays.
    strides: tuple[str, ...]
    component_stride: str
    scalar: ScalarType
    # Our own allocations may be read a vector's length past their end.
    padded: bool


@dataclass(frozen=True, slots=True)
class Address:
    """An element's address: `kind` as of an operand; `text` is an i64 offset, scalar or vector."""

    kind: str
    text: str
    narrow: bool = False


class Access:
    """Emits memory accesses; knows where each array lies."""

    def __init__(self, writer: FunctionWriter) -> None:
        self.w = writer
        self.places: dict[Array, Place] = {}
        # The index of the spread loop being emitted: its lanes never start past an array's end.
        self.spread_index = ""
        self._planes: dict[tuple[str, int], str] = {}

    def extent(self, array: Array, axis: int) -> str:
        text = self.places[array].extents[axis]
        return self.w.value(f"trunc i64 {text} to i32") if text.startswith("%") else text

    def plane(self, place: Place, component: int) -> str:
        """The pointer to a component's plane, computed once in the entry block."""
        if component == 0:
            return place.pointer
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

    # --- addresses --------------------------------------------------------------------------------

    def address(self, e: LaneEmitter, place: Place, indices: tuple[ir.Value, ...]) -> Address:
        operands = tuple(map(e.use, indices))
        if all(operand.uniform for operand in operands):
            return Address("uniform", self.uniform_offset(operands, place))
        *outer, last = operands
        if last.kind == "linear" and place.strides[-1] == "1" and all(o.uniform for o in outer):
            base = Operand("uniform", last.text, last.type)
            return Address("linear", self.uniform_offset((*outer, base), place))
        if (
            len(operands) == 1
            and place.strides[0] == "1"
            and last.type.kind == "int"
            and last.type.bits == 32
        ):
            # The machine's gathers take 32-bit indices.
            return Address("varying", e.spread(last), narrow=True)
        return Address("varying", self.vector_offset(e, operands, place))

    def uniform_offset(self, operands: tuple[Operand, ...], place: Place) -> str:
        total = ""
        for operand, stride in zip(operands, place.strides, strict=True):
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

    def vector_offset(self, e: LaneEmitter, operands: tuple[Operand, ...], place: Place) -> str:
        total = ""
        wide = e.type(INT64)
        for operand, stride in zip(operands, place.strides, strict=True):
            term = e.spread(operand)
            if operand.type.bits != 64:
                extend = "sext" if operand.type.kind == "int" else "zext"
                term = self.w.value(f"{extend} {e.type(operand.type)} {term} to {wide}")
            if stride != "1":
                term = self.w.value(f"mul {wide} {term}, {e.broadcast(stride, INT64)}")
            total = term if not total else self.w.value(f"add {wide} {total}, {term}")
        return total

    def pointer(self, e: LaneEmitter, place: Place, component: int, address: Address) -> str:
        """A pointer, or a vector of pointers, to the element."""
        plane, kind = self.plane(place, component), memory_text(place.scalar)
        if address.kind != "varying":
            return self.w.value(f"getelementptr {kind}, ptr {plane}, i64 {address.text}", "at")
        index = f"<{e.lanes} x {'i32' if address.narrow else 'i64'}> {address.text}"
        return self.w.value(f"getelementptr {kind}, ptr {plane}, {index}", "at")

    # --- load -------------------------------------------------------------------------------------

    def load(self, e: LaneEmitter, node: ir.Load) -> Operand:
        place = self.places[node.array]
        address = self.address(e, place, node.indices)
        pointer = self.pointer(e, place, node.component, address)
        kind, size = place.scalar, place.scalar.size
        if address.kind == "uniform":
            text = self.w.value(f"load {memory_text(kind)}, ptr {pointer}, align {size}")
            return Operand("uniform", self.to_register(text, kind, ""), kind)
        vector = f"<{e.lanes} x {memory_text(kind)}>"
        if address.kind == "varying":
            text = self.masked(e, "gather", vector, pointer, kind)
        elif e.mask is None or (place.padded and e.use(node.indices[-1]).text == self.spread_index):
            text = self.w.value(f"load {vector}, ptr {pointer}, align {size}")
        else:
            text = self.masked(e, "load", vector, pointer, kind)
        return Operand("varying", self.to_register(text, kind, vector), kind)

    def masked(self, e: LaneEmitter, form: str, vector: str, pointer: str, kind: ScalarType) -> str:
        """Read where the mask is on; zero elsewhere, since an undefined lane would spread through masks."""
        name = f"llvm.masked.{form}.{_suffix(e.lanes, kind)}.{self.pointer_suffix(e, form)}"
        return self.w.call(
            vector,
            name,
            (f"{self.pointer_type(e, form)} align {kind.size}", pointer),
            (e.type(BOOL), e.on()),
            (vector, "zeroinitializer"),
        )

    def pointer_type(self, e: LaneEmitter, form: str) -> str:
        return f"<{e.lanes} x ptr>" if form in ("gather", "scatter") else "ptr"

    def pointer_suffix(self, e: LaneEmitter, form: str) -> str:
        return f"v{e.lanes}p0" if form in ("gather", "scatter") else "p0"

    def to_register(self, text: str, kind: ScalarType, vector: str) -> str:
        if kind is not BOOL:
            return text
        zero = "zeroinitializer" if vector else "0"
        return self.w.value(f"icmp ne {vector or 'i8'} {text}, {zero}")

    # --- store ------------------------------------------------------------------------------------

    def store(self, e: LaneEmitter, node: ir.Store) -> None:
        place = self.places[node.array]
        address = self.address(e, place, node.indices)
        pointer = self.pointer(e, place, node.component, address)
        kind, value = place.scalar, e.use(node.value)
        if address.kind == "uniform":
            text = value.text if value.uniform else self.last_lane(e, value)
            self.w.emit(f"store {self.in_memory(text, kind)}, ptr {pointer}, align {kind.size}")
            return
        stored = self.in_memory(e.spread(value), kind, e.lanes)
        if address.kind == "linear" and e.mask is None:
            self.w.emit(f"store {stored}, ptr {pointer}, align {kind.size}")
            return
        form = "scatter" if address.kind == "varying" else "store"
        vector, text = f"<{e.lanes} x {memory_text(kind)}>", stored.split("> ", 1)[1]
        self.w.call(
            "void",
            f"llvm.masked.{form}.{_suffix(e.lanes, kind)}.{self.pointer_suffix(e, form)}",
            (vector, text),
            (f"{self.pointer_type(e, form)} align {kind.size}", pointer),
            (e.type(BOOL), e.on()),
        )

    def last_lane(self, e: LaneEmitter, value: Operand) -> str:
        """Threads that store to one place race; the highest lane wins, as in a scatter."""
        leading = self.w.call("i32", "llvm.ctlz.i32", ("i32", e.mask_bits()), ("i1", "true"))
        lane = self.w.value(f"sub i32 31, {leading}")
        return self.w.value(f"extractelement {e.type(value.type)} {e.spread(value)}, i32 {lane}")

    def in_memory(self, text: str, kind: ScalarType, lanes: int = 0) -> str:
        """A typed operand as memory holds it."""
        register, memory = scalar_text(kind), memory_text(kind)
        if lanes:
            register, memory = f"<{lanes} x {register}>", f"<{lanes} x {memory}>"
        if kind is BOOL:
            text = self.w.value(f"zext {register} {text} to {memory}")
        return f"{memory} {text}"

    # --- atomics ----------------------------------------------------------------------------------

    def atomic(self, e: LaneEmitter, node: ir.Atomic) -> Operand:
        place = self.places[node.array]
        kind, value = place.scalar, e.use(node.value)
        operands = tuple(map(e.use, node.indices))
        if e.lanes == 1:
            offset = self.uniform_offset(operands, place)
            return Operand("uniform", self.update(e, node, place, offset, value.text), kind)
        # One lane after another, in order: lanes may meet at one element.
        offsets, values = self.vector_offset(e, operands, place), e.spread(value)
        bits, old = self.w.slot("i32", 8, "bits"), self.w.slot(e.type(kind))
        self.w.emit(f"store i32 {e.mask_bits()}, ptr {bits}, align 8")
        self.w.emit(f"store {e.type(kind)} zeroinitializer, ptr {old}, align 64")
        loop, end = self.w.new_label("atomic"), self.w.new_label("end")
        self.w.place(loop)
        pending = self.w.value(f"load i32, ptr {bits}, align 8")
        lane = e.first_on(pending)
        offset = self.w.value(f"extractelement {e.type(INT64)} {offsets}, i32 {lane}")
        scalar = self.w.value(f"extractelement {e.type(kind)} {values}, i32 {lane}")
        before = self.update(e, node, place, offset, scalar)
        slot = self.w.value(f"getelementptr {scalar_text(kind)}, ptr {old}, i32 {lane}")
        self.w.emit(f"store {scalar_text(kind)} {before}, ptr {slot}, align {kind.size}")
        rest = self.w.value(f"and i32 {pending}, {self.w.value(f'sub i32 {pending}, 1')}")
        self.w.emit(f"store i32 {rest}, ptr {bits}, align 8")
        self.w.branch_if(self.w.value(f"icmp ne i32 {rest}, 0"), loop, end)
        self.w.place(end)
        return Operand("varying", self.w.value(f"load {e.type(kind)}, ptr {old}, align 64"), kind)

    def update(self, e: LaneEmitter, node: ir.Atomic, place: Place, offset: str, value: str) -> str:
        """Update one element and give its old value."""
        pointer = self.pointer(e, place, node.component, Address("uniform", offset))
        kind = place.scalar
        text = scalar_text(kind)
        if isinstance(node.array, ir.SharedArray):
            # One core runs a block, so its shared memory needs no atomic instruction.
            old = self.w.value(f"load {text}, ptr {pointer}, align {kind.size}")
            new = e.scalar.apply(node.operation, kind, kind, (old, value))
            self.w.emit(f"store {text} {new}, ptr {pointer}, align {kind.size}")
            return old
        prefix = (
            "f" if kind.is_float else "u" if kind.kind == "uint" and node.operation != "add" else ""
        )
        form = f"atomicrmw {prefix}{node.operation} ptr {pointer}, {text} {value} monotonic"
        return self.w.value(f"{form}, align {kind.size}")


def _suffix(lanes: int, kind: ScalarType) -> str:
    return f"v{lanes}{'f' if kind.is_float else 'i'}{8 if kind is BOOL else kind.bits}"
