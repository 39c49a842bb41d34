"""Integers whose lanes are a constant apart: a scalar base, and a known offset for each lane.

Indices of consecutive threads are so, and what kernels make of them: `2 * t + 1`, `t // 32`, `t % 32`, `t ^ 1`. The
base of a group's first thread is a multiple of the lanes, and where that is known, its low bits and the offsets
do not meet. Kept so, an address is a scalar, and what the lanes do about it is known when compiling.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import replace

from headwater.backends.cpu.folding import Known, fold
from headwater.backends.cpu.text import Operand, literal
from headwater.types import BOOL, ScalarType

# Gives the text of an operation on scalars of a type.
Scalar = Callable[[str, ScalarType, tuple[str, ...]], str]
Rule = Callable[[Scalar, Operand, Operand], "Operand | None"]

# Bits that a divisor may have, and how far offsets may reach.
_DIVISOR_BITS = 20
_REACH = 1 << 16
_COMPARISONS: dict[str, Callable[..., bool]] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}


def divisor_of(operand: Operand) -> int:
    """A power of two that divides the operand's base."""
    if operand.text.startswith("%"):
        return operand.divisor
    return _power_in(int(operand.text))


def combined(
    operation: str, arguments: tuple[Operand, ...], lanes: int, scalar: Scalar
) -> Operand | None:
    """The result of an operation on integers as a base and offsets; None where it has no such form."""
    rule = _RULES.get(operation)
    kind = arguments[0].type
    if rule is None or not kind.is_integer or kind.bits < 32:
        return None
    if any(argument.kind == "varying" for argument in arguments):
        return None
    flat = all(argument.uniform for argument in arguments)
    if flat and operation not in _KEEP_DIVISORS:
        return None
    padded = [_with_offsets(argument, lanes) for argument in arguments]
    found = rule(scalar, padded[0], padded[-1])
    return None if found is None else _settled(found, scalar)


def recast(operand: Operand, kind: ScalarType) -> Operand | None:
    """The operand as another integer type of its width: its bits are the same."""
    if operand.kind == "linear" and kind.is_integer and kind.bits == operand.type.bits:
        return replace(operand, type=kind)
    return None


def known_scalar(
    operation: str, kind: ScalarType, result: ScalarType, texts: tuple[str, ...]
) -> str | None:
    """The text of a result whose operands, of one type, are literals; None where it must be worked out."""
    if kind.is_float or any(text.startswith("%") for text in texts):
        return None
    values = tuple(_value(text, kind) for text in texts)
    value = fold(operation, kind, result, values)
    return None if value is None else literal(value, result)


def known_lanes(
    operation: str, result: ScalarType, arguments: tuple[Operand, ...], lanes: int
) -> Operand | None:
    """The result of an operation on integers, and bools, whose lanes are all known."""
    kind = arguments[-1].type
    if any(_open(argument) for argument in arguments):
        return None
    columns = [_numbers(argument, lanes) for argument in arguments]
    compare = _COMPARISONS.get(operation)
    if compare is not None:
        return bool_lanes(list(map(compare, *columns)))
    found = [fold(operation, kind, result, row) for row in zip(*columns, strict=True)]
    if result.is_bool:
        return bool_lanes([bool(value) for value in found]) if None not in found else None
    numbers = [int(value) for value in found if value is not None]
    first, reach = numbers[0] if numbers else 0, _REACH
    if len(numbers) < lanes or max(abs(number - first) for number in numbers) > reach:
        return None
    offsets = tuple(number - first for number in numbers)
    if not any(offsets):
        return Operand("uniform", literal(first, result), result)
    return Operand("linear", literal(first, result), result, offsets)


def chosen(condition: Operand, a: Operand, b: Operand, lanes: int) -> Operand | None:
    """A select whose condition is known in each lane, where its result has one base."""
    on = lane_bools(condition.text)
    if condition.text in ("true", "false"):
        return a if condition.text == "true" else b
    if on is None or a.text != b.text or "varying" in (a.kind, b.kind):
        return None
    a, b = _with_offsets(a, lanes), _with_offsets(b, lanes)
    picks = zip(on, a.offsets, b.offsets, strict=True)
    offsets = tuple(of_a if held else of_b for held, of_a, of_b in picks)
    return replace(a, kind="linear", offsets=offsets, divisor=min(a.divisor, b.divisor))


def lane_bools(text: str) -> list[bool] | None:
    """The lanes of a vector of bools that is a constant."""
    if not text.startswith("<i1"):
        return None
    return [part.endswith("true") for part in text.strip("<>").split(", ")]


def lane_text(held: Iterable[bool]) -> str:
    """A constant vector of bools."""
    return f"<{', '.join('i1 true' if each else 'i1 false' for each in held)}>"


def bool_lanes(held: list[bool]) -> Operand:
    """Bools that are known; uniform where they are all alike."""
    if len(set(held)) == 1:
        return Operand("uniform", "true" if held[0] else "false", BOOL)
    return Operand("varying", lane_text(held), BOOL)


# --- rules: operands have offsets, which are 0 for uniform ones ------------------------------------


def _sum(scalar: Scalar, a: Operand, b: Operand) -> Operand | None:
    return _termwise("add", operator.add, scalar, a, b)


def _difference(scalar: Scalar, a: Operand, b: Operand) -> Operand | None:
    return _termwise("sub", operator.sub, scalar, a, b)


def _termwise(
    operation: str, each: Callable[[int, int], int], scalar: Scalar, a: Operand, b: Operand
) -> Operand | None:
    offsets = tuple(map(each, a.offsets, b.offsets))
    base = scalar(operation, a.type, (a.text, b.text))
    return _made(a, base, offsets, min(divisor_of(a), divisor_of(b)))


def _negative(scalar: Scalar, a: Operand, _: Operand) -> Operand | None:
    base = scalar("neg", a.type, (a.text,))
    return _made(a, base, tuple(-offset for offset in a.offsets), divisor_of(a))


def _product(scalar: Scalar, a: Operand, b: Operand) -> Operand | None:
    factor, other = (a, b) if _is_literal(a) else (b, a)
    if not _is_literal(factor):
        return None
    number = int(factor.text)
    base = scalar("mul", a.type, (other.text, factor.text))
    offsets = tuple(offset * number for offset in other.offsets)
    return _made(a, base, offsets, divisor_of(other) * _power_in(number))


def _left(scalar: Scalar, a: Operand, b: Operand) -> Operand | None:
    if not _is_literal(b):
        return None
    bits = int(b.text) % a.type.bits
    base = scalar("shl", a.type, (a.text, literal(bits, a.type)))
    return _made(a, base, tuple(offset << bits for offset in a.offsets), divisor_of(a) << bits)


def _right(scalar: Scalar, a: Operand, b: Operand) -> Operand | None:
    if not _is_literal(b):
        return None
    bits = int(b.text) % a.type.bits
    return _shifted_right(scalar, a, bits)


def _shifted_right(scalar: Scalar, a: Operand, bits: int) -> Operand | None:
    if not _apart(a):
        return None
    base = scalar("shr", a.type, (a.text, literal(bits, a.type)))
    offsets = tuple(offset >> bits for offset in a.offsets)
    return _made(a, base, offsets, max(1, divisor_of(a) >> bits))


def _quotient(scalar: Scalar, a: Operand, b: Operand) -> Operand | None:
    bits = _whole_power(b)
    return None if bits is None else _shifted_right(scalar, a, bits)


def _rest(scalar: Scalar, a: Operand, b: Operand) -> Operand | None:
    bits = _whole_power(b)
    if bits is None:
        return None
    mask = Operand("uniform", literal((1 << bits) - 1, a.type), a.type, b.offsets)
    return _bitwise("and", operator.and_)(scalar, a, mask)


def _bitwise(operation: str, each: Callable[[int, int], int]) -> Rule:
    """Above the divisor only the base has bits, and below it only the offsets."""

    def rule(scalar: Scalar, a: Operand, b: Operand) -> Operand | None:
        number, other = (a, b) if _is_literal(a) else (b, a)
        if not _is_literal(number) or not _apart(other):
            return None
        below = divisor_of(other) - 1
        high = literal(_wrapped(int(number.text) & ~below, a.type), a.type)
        base = scalar(operation, a.type, (other.text, high))
        offsets = tuple(each(offset, int(number.text) & below) for offset in other.offsets)
        return _made(a, base, offsets, below + 1)

    return rule


_RULES: dict[str, Rule] = {
    "neg": _negative,
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "shl": _left,
    "shr": _right,
    "floordiv": _quotient,
    "mod": _rest,
    "and": _bitwise("and", operator.and_),
    "or": _bitwise("or", operator.or_),
    "xor": _bitwise("xor", operator.xor),
}
# Those that are worth following through scalars, for what they say of divisors.
_KEEP_DIVISORS = frozenset(("add", "sub", "mul", "shl"))


# --- parts ----------------------------------------------------------------------------------------


def _made(like: Operand, base: str, offsets: tuple[int, ...], divisor: int) -> Operand | None:
    if max(map(abs, offsets)) > _REACH:
        return None
    return Operand("linear", base, like.type, offsets, min(divisor, 1 << _DIVISOR_BITS))


def _settled(found: Operand, scalar: Scalar) -> Operand:
    """Uniform where all lanes have one offset."""
    first = found.offsets[0]
    if any(offset != first for offset in found.offsets):
        return found
    if first:
        text = scalar("add", found.type, (found.text, literal(first, found.type)))
        return Operand("uniform", text, found.type, divisor=_power_in(first | found.divisor))
    return Operand("uniform", found.text, found.type, divisor=found.divisor)


def _with_offsets(operand: Operand, lanes: int) -> Operand:
    return operand if operand.kind == "linear" else replace(operand, offsets=(0,) * lanes)


def _apart(operand: Operand) -> bool:
    """Whether the offsets lie below the lowest bit of the base, so that no sum carries."""
    below = divisor_of(operand)
    return all(0 <= offset < below for offset in operand.offsets)


def _is_literal(operand: Operand) -> bool:
    return operand.uniform and not operand.text.startswith("%")


def _whole_power(operand: Operand) -> int | None:
    """The exponent of a literal power of two."""
    if not _is_literal(operand):
        return None
    number = int(operand.text)
    return number.bit_length() - 1 if number > 0 and number & (number - 1) == 0 else None


def _power_in(number: int) -> int:
    """The largest power of two that divides a number."""
    return number & -number if number else 1 << _DIVISOR_BITS


def _open(operand: Operand) -> bool:
    """Whether the lanes are not known."""
    if operand.type.is_bool:
        return operand.text not in ("true", "false") and not operand.text.startswith("<i1")
    return operand.kind == "varying" or not operand.type.is_integer or operand.text.startswith("%")


def _numbers(operand: Operand, lanes: int) -> list[Known]:
    """The lanes' numbers."""
    kind = operand.type
    if kind.is_bool:
        return list(lane_bools(operand.text) or [operand.text == "true"] * lanes)
    base, (low, high) = int(operand.text), kind.limits
    numbers = [base + offset for offset in operand.offsets or (0,) * lanes]
    if low <= min(numbers) and max(numbers) <= high:
        return list(numbers)
    return [_wrapped(number, kind) for number in numbers]


def _value(text: str, kind: ScalarType) -> Known:
    return text == "true" if kind.is_bool else _wrapped(int(text), kind)


def _wrapped(number: int, kind: ScalarType) -> int:
    low, _ = kind.limits
    return ((number - low) & ((1 << kind.bits) - 1)) + low
