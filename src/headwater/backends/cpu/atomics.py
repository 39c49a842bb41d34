"""Atomic updates of a SIMD group.

One lane after another, in order, since lanes may meet at one element; together where it is known that they do.

One core runs a block, so what only the block reaches needs no atomic instruction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from headwater import ir
from headwater.backends.cpu.addresses import Address
from headwater.backends.cpu.meeting import combined_update
from headwater.backends.cpu.operations import Operations
from headwater.backends.cpu.text import Operand, scalar_text
from headwater.types import BOOL, ScalarType

if TYPE_CHECKING:
    from headwater.backends.cpu.access import Access
    from headwater.backends.cpu.lanes import LaneEmitter

# What `atomicrmw` calls each operation, for signed and unsigned integers and for floats.
_INSTRUCTIONS = {
    "add": ("add", "add", "fadd"),
    "min": ("min", "umin", "fmin"),
    "max": ("max", "umax", "fmax"),
    "and": ("and", "and", ""),
    "or": ("or", "or", ""),
    "xor": ("xor", "xor", ""),
    "exch": ("xchg", "xchg", "xchg"),
    "inc": ("", "uinc_wrap", ""),
    "dec": ("", "udec_wrap", ""),
}
_COLUMN = {"int": 0, "uint": 1, "float": 2}

# An atomic also orders what its thread reads and writes around it: machines give that for free or nearly so.
_ORDER = "acq_rel"


def emit_atomic(access: Access, e: LaneEmitter, node: ir.Atomic) -> Operand:
    """Update the elements of the lanes that are on; the result is what each found there."""
    address = access.address(e, node)
    operands = [e.use(v) for v in (node.value, node.compare) if v is not None]
    if address.kind == "uniform" and (e.lanes == 1 or e.inside):
        texts = [operand.text for operand in operands]
        old = _update(access, e, node, address.pointer, texts)
        return Operand("uniform", old, node.result.type)
    if address.kind == "uniform":
        together = combined_update(
            e,
            node,
            operands[0],
            node.result in access.used,
            lambda text: _update(access, e, node, address.pointer, [text]),
        )
        if together is not None:
            return together
    return Operand("varying", _lane_by_lane(access, e, node, address, operands), node.result.type)


def _lane_by_lane(
    access: Access, e: LaneEmitter, node: ir.Atomic, address: Address, operands: list[Operand]
) -> str:
    w, kind, text = e.w, node.result.type, scalar_text(node.result.type)
    scattered = address.kind in ("varying", "window")
    if scattered:
        found = access.addresses.pointers(e, access.places[node.array], address)
        pointers = w.slot(f"<{e.lanes} x ptr>")
        w.emit(f"store <{e.lanes} x ptr> {found}, ptr {pointers}, align 64")
    spilled = [_spill(e, operand) for operand in operands]
    bits, old = w.slot("i32", 8, "bits"), w.slot(e.type(kind))
    w.emit(f"store i32 {e.mask_bits()}, ptr {bits}, align 8")
    w.emit(f"store {e.type(kind)} zeroinitializer, ptr {old}, align 64")
    loop, end = w.new_label("atomic"), w.new_label("end")
    w.place(loop)
    pending = w.value(f"load i32, ptr {bits}, align 8")
    lane = e.first_on(pending)
    pointer = address.pointer
    if scattered:
        pointer = w.value(f"load ptr, ptr {_item(e, 'ptr', pointers, lane)}, align 8")
    elif address.kind == "linear":
        pointer = _item(e, text, pointer, lane)
    before = _update(access, e, node, pointer, [value(lane) for value in spilled])
    w.emit(f"store {text} {before}, ptr {_item(e, text, old, lane)}, align {kind.size}")
    rest = w.value(f"and i32 {pending}, {w.value(f'sub i32 {pending}, 1')}")
    w.emit(f"store i32 {rest}, ptr {bits}, align 8")
    w.branch_if(w.value(f"icmp ne i32 {rest}, 0"), loop, end)
    w.place(end)
    return w.value(f"load {e.type(kind)}, ptr {old}, align 64")


def _spill(e: LaneEmitter, operand: Operand) -> Callable[[str], str]:
    """Put a vector where its lanes can be reached one by one; gives what finds a lane's value."""
    if operand.uniform:
        return lambda lane: operand.text
    text, size = scalar_text(operand.type), operand.type.size
    slot = e.w.slot(e.type(operand.type))
    e.w.emit(f"store {e.type(operand.type)} {e.spread(operand)}, ptr {slot}, align 64")
    return lambda lane: e.w.value(f"load {text}, ptr {_item(e, text, slot, lane)}, align {size}")


def _item(e: LaneEmitter, kind: str, pointer: str, lane: str) -> str:
    return e.w.value(f"getelementptr {kind}, ptr {pointer}, i32 {lane}")


def _update(
    access: Access, e: LaneEmitter, node: ir.Atomic, pointer: str, operands: list[str]
) -> str:
    """Update one element and give its old value."""
    kind = node.result.type
    text, size = scalar_text(kind), kind.size
    if access.places[node.array].own:
        old = e.w.value(f"load {text}, ptr {pointer}, align {size}")
        e.w.emit(f"store {text} {_new(e.scalar, node, old, operands)}, ptr {pointer}, align {size}")
        return old
    if node.operation == "cas":
        return _compare_and_swap(e, kind, pointer, operands)
    name = _INSTRUCTIONS[node.operation][_COLUMN[kind.kind]]
    update = f"atomicrmw {name} ptr {pointer}, {text} {operands[0]} {_ORDER}, align {size}"
    return e.w.value(update)


def _new(o: Operations, node: ir.Atomic, old: str, operands: list[str]) -> str:
    """What the element becomes, as the table of atomics has it."""
    kind, value = node.result.type, operands[0]
    zero, one = o.constant(0, kind), o.constant(1, kind)
    if node.operation == "exch":
        return value
    if node.operation == "cas":
        return o.select(kind, _equal(o, kind, old, operands[1]), value, old)
    if node.operation == "inc":
        above = o.compare("uge", kind, old, value)
        return o.select(kind, above, zero, o.binary("add", kind, old, one))
    if node.operation == "dec":
        above = o.compare("ugt", kind, old, value)
        wraps = o.binary("or", BOOL, above, o.compare("eq", kind, old, zero))
        return o.select(kind, wraps, value, o.binary("sub", kind, old, one))
    return o.apply(node.operation, kind, kind, (old, value), contract=False)


def _equal(o: Operations, kind: ScalarType, a: str, b: str) -> str:
    return o.compare("oeq" if kind.is_float else "eq", kind, a, b)


def _compare_and_swap(e: LaneEmitter, kind: ScalarType, pointer: str, operands: list[str]) -> str:
    """The machine compares bits; floats are compared by value, so both zeros are one and a NaN is none."""
    w, text = e.w, scalar_text(kind)
    value, compare = operands
    if not kind.is_float:
        return _exchange(e, text, pointer, compare, value)[0]
    whole = f"i{kind.bits}"
    new = w.value(f"bitcast {text} {value} to {whole}")
    found, attempt, end = w.slot(whole, 8), w.new_label("attempt"), w.new_label("end")
    first = w.value(f"load atomic {whole}, ptr {pointer} monotonic, align {kind.size}")
    w.emit(f"store {whole} {first}, ptr {found}, align 8")
    test = w.new_label("test")
    w.place(test)
    old = w.value(f"load {whole}, ptr {found}, align 8")
    number = w.value(f"bitcast {whole} {old} to {text}")
    w.branch_if(_equal(e.scalar, kind, number, compare), attempt, end)
    w.place(attempt)
    seen, swapped = _exchange(e, whole, pointer, old, new)
    w.emit(f"store {whole} {seen}, ptr {found}, align 8")
    w.branch_if(swapped, end, test)
    w.place(end)
    return w.value(f"bitcast {whole} {w.value(f'load {whole}, ptr {found}, align 8')} to {text}")


def _exchange(e: LaneEmitter, text: str, pointer: str, compare: str, value: str) -> tuple[str, str]:
    """The machine's compare-and-swap: what was there, and whether it was `compare`."""
    pair = e.w.value(f"cmpxchg ptr {pointer}, {text} {compare}, {text} {value} {_ORDER} monotonic")
    pair_type = f"{{ {text}, i1 }}"
    return (
        e.w.value(f"extractvalue {pair_type} {pair}, 0"),
        e.w.value(f"extractvalue {pair_type} {pair}, 1"),
    )
