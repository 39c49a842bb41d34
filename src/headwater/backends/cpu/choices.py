"""Integers that are one of two, lane by lane, where each is a base and known offsets.

An element at such an index, as `x[min(i + 1, n - 1)]` or `x[i + 1 if i + 1 < n else 0]`, is found by two loads of what
is uniform or consecutive, and a select. A gather would take one access for each lane.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from headwater.backends.cpu.linear import combined, recast
from headwater.backends.cpu.text import Either, Operand
from headwater.types import ScalarType

if TYPE_CHECKING:
    from headwater.backends.cpu.lanes import LaneEmitter

_ORDER = {
    ("min", "int"): "slt",
    ("min", "uint"): "ult",
    ("max", "int"): "sgt",
    ("max", "uint"): "ugt",
}
_FOLLOWED = frozenset(("add", "sub", "mul", "cast"))


def of_select(condition: str, a: Operand, b: Operand) -> Either | None:
    """What a select chooses between."""
    if not a.type.is_integer or a.type.bits < 32 or "varying" in (a.kind, b.kind):
        return None
    return Either(condition, a, b)


def of_operation(
    e: LaneEmitter, operation: str, result: ScalarType, arguments: tuple[Operand, ...]
) -> Either | None:
    """What the result of an operation is chosen from."""
    predicate = _ORDER.get((operation, arguments[0].type.kind))
    if predicate is not None:
        return _of_extremum(e, predicate, *arguments)
    choices = [argument.either for argument in arguments if argument.either is not None]
    if operation not in _FOLLOWED or len(choices) != 1:
        return None
    a = _side(e, operation, result, tuple(o.either.a if o.either else o for o in arguments))
    b = _side(e, operation, result, tuple(o.either.b if o.either else o for o in arguments))
    return None if a is None or b is None else replace(choices[0], a=a, b=b)


def _of_extremum(e: LaneEmitter, predicate: str, a: Operand, b: Operand) -> Either | None:
    if a.type.bits < 32 or "varying" in (a.kind, b.kind):
        return None
    return Either(e.vector.compare(predicate, a.type, e.spread(a), e.spread(b)), a, b)


def _side(
    e: LaneEmitter, operation: str, result: ScalarType, arguments: tuple[Operand, ...]
) -> Operand | None:
    if any(argument.kind == "varying" for argument in arguments):
        return None
    if operation == "cast":
        (operand,) = arguments
        same = result.is_integer and result.bits == operand.type.bits
        return (
            replace(operand, type=result) if operand.uniform and same else recast(operand, result)
        )
    if all(argument.uniform for argument in arguments):
        texts = tuple(argument.text for argument in arguments)
        return Operand("uniform", e.scalar_operation(operation, result, texts), result)
    return combined(operation, arguments, e.lanes, e.scalar_operation)
