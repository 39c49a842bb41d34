"""Atomic updates of lanes that all meet at one element: combined first, and then one update for the group.

What the element becomes does not depend on the order. What each lane found there does: it is given only for the
addition of one number by all, as of those that count or append; then it is as if the lanes came one after another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from headwater import ir
from headwater.backends.cpu.operations import identity
from headwater.backends.cpu.text import Operand
from headwater.types import INT32, ScalarType

if TYPE_CHECKING:
    from headwater.backends.cpu.lanes import LaneEmitter

# Makes one update with a scalar, and gives what was there before.
Update = Callable[[str], str]
_COMBINED = frozenset(("add", "min", "max", "and", "or", "xor"))


def combined_update(
    e: LaneEmitter, node: ir.Atomic, value: Operand, used: bool, update: Update
) -> Operand | None:
    """The result of an update that could be combined; None where lanes must go one by one."""
    kind = node.result.type
    counts = node.operation == "add" and kind.is_integer and value.uniform
    if counts:
        return _count(e, kind, value, update)
    floats = kind.is_float and node.operation == "add"
    if used or floats or node.operation not in _COMBINED:
        return None
    # Twice the same is once, but for xor.
    once = value.uniform and node.operation != "xor"
    update(value.text if once else _all_lanes(e, node.operation, kind, value))
    # Nothing reads it.
    return Operand("uniform", e.scalar.constant(0.0 if kind.is_float else 0, kind), kind)


def _count(e: LaneEmitter, kind: ScalarType, value: Operand, update: Update) -> Operand:
    """Each lane that is on adds one number: those before it say what it finds."""
    bits = e.mask_bits()
    number = e.scalar.apply("cast", INT32, kind, (e.scalar.intrinsic("ctpop", INT32, bits),))
    before = update(e.scalar.binary("mul", kind, number, value.text))
    below = e.lane_constants(INT32, ((1 << lane) - 1 for lane in range(e.lanes)))
    earlier = e.vector.binary("and", INT32, e.broadcast(bits, INT32), below)
    places = e.vector.intrinsic("ctpop", INT32, earlier)
    places = e.vector.apply("cast", INT32, kind, (places,))
    added = e.vector.binary("mul", kind, places, e.broadcast(value.text, kind))
    return Operand("varying", e.vector.binary("add", kind, e.broadcast(before, kind), added), kind)


def _all_lanes(e: LaneEmitter, operation: str, kind: ScalarType, value: Operand) -> str:
    """One value of those of all lanes that are on, in a fixed tree."""
    vector = e.spread(value)
    if e.mask is not None:
        neutral = e.vector.constant(neutral_element(operation, kind), kind)
        vector = e.vector.select(kind, e.mask, vector, neutral)
    return e.fold_lanes(vector, kind, operation)


def neutral_element(operation: str, kind: ScalarType) -> int | float:
    """What changes nothing where it is combined with another value."""
    if operation == "and":
        return -1 if kind.kind == "int" else (1 << kind.bits) - 1
    return 0 if operation in ("or", "xor") else identity(operation, kind)
