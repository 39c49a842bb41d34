"""Operations on integers and bools that are known when compiling."""

from __future__ import annotations

from collections.abc import Callable

from headwater.types import ScalarType

Known = bool | int | float


def fold(
    operation: str, kind: ScalarType, result: ScalarType, values: tuple[Known, ...]
) -> Known | None:
    """What the operation gives for operands of `kind` (of a select: of its choices); None where it is left open."""
    if kind.is_float or result.is_float:
        return None
    if operation == "select":
        return values[1] if values[0] else values[2]
    if operation == "cast":
        return _wrapped(result, int(values[0]))
    rule = _RULES.get(operation)
    return None if rule is None else _wrapped(result, rule(kind.bits, *map(int, values)))


def _wrapped(kind: ScalarType, value: int) -> Known:
    if kind.is_bool:
        return value != 0
    low, _ = kind.limits
    return ((value - low) & ((1 << kind.bits) - 1)) + low


_RULES: dict[str, Callable[..., int]] = {
    "neg": lambda bits, a: -a,
    "add": lambda bits, a, b: a + b,
    "sub": lambda bits, a, b: a - b,
    "mul": lambda bits, a, b: a * b,
    "floordiv": lambda bits, a, b: a // b if b else 0,
    "mod": lambda bits, a, b: a % b if b else a,
    "min": lambda bits, a, b: min(a, b),
    "max": lambda bits, a, b: max(a, b),
    "and": lambda bits, a, b: a & b,
    "or": lambda bits, a, b: a | b,
    "xor": lambda bits, a, b: a ^ b,
    "shl": lambda bits, a, b: a << (b % bits),
    "shr": lambda bits, a, b: a >> (b % bits),
    "lt": lambda bits, a, b: a < b,
    "le": lambda bits, a, b: a <= b,
    "gt": lambda bits, a, b: a > b,
    "ge": lambda bits, a, b: a >= b,
    "eq": lambda bits, a, b: a == b,
    "ne": lambda bits, a, b: a != b,
}
