"""The operator `**`."""

from __future__ import annotations

from typing import Any

from headwater.frontend import arithmetic
from headwater.frontend.function import function
from headwater.frontend.functions import mathematics
from headwater.frontend.program import Program
from headwater.frontend.values import Literal, Runtime, Scalar
from headwater.types import BOOL, WEAK_FLOAT, join

# Up to here a float exponent that is a whole number means products.
_PRODUCTS = 16


def power(program: Program, a: Scalar, b: Scalar) -> Scalar:
    """`a ** b`.

    A constant whole number is products, in the order of `arithmetic.power`; 0.5 is a square root; of integers, both
    known only when the kernel runs, it is an integer, by squaring. Everything else is the library's `pow`.
    """
    if isinstance(b, Literal):
        constant = _constant(program, a, b)
        if constant is not None:
            return constant
    if a.kind.is_float or b.kind.is_float:
        return mathematics(program, "pow", a, b)
    kind = program.default(join(a.kind, b.kind))
    kind = program.dialect.integer if kind is BOOL else kind
    operands = [Runtime(program.emit(value, kind)) for value in (a, b)]
    return program.inlined(program, _INTEGER_POWER, operands)


def _constant(program: Program, base: Scalar, exponent: Literal) -> Scalar | None:
    value = exponent.value
    if not exponent.kind.is_float:
        return arithmetic.power(program, base, int(value))
    if isinstance(base, Literal) and base.kind.weak:
        return arithmetic.literal(
            arithmetic.python_result(program, lambda a, b: a**b, base.value, value)
        )
    kind = join(base.kind, exponent.kind)
    if kind is not base.kind and not kind.weak:
        return None
    if value == 0.5:
        return arithmetic.float_function(program, "sqrt", base)
    if float(value).is_integer() and abs(value) <= _PRODUCTS:
        floating = base if base.kind.is_float else program.weak("same", (base,), WEAK_FLOAT)
        return arithmetic.power(program, floating, int(value))
    return None


@function
def _INTEGER_POWER(base: Any, exponent: Any) -> Any:
    """By squaring, from the lowest bit; integers wrap. A negative exponent gives 0."""
    result = base * 0 + 1
    square = base
    rest = exponent
    if rest < 0:
        result = base * 0
    while rest > 0:
        if rest & 1 == 1:
            result *= square
        square *= square
        rest >>= 1
    return result
