"""The scalar operations, word for word as in `headwater.ir.operations`.

A bool is a Python bool, an integer a Python int inside the limits of its type, a float a NumPy scalar
of its own width, so that each operation rounds once. Callers silence NumPy's warnings.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from headwater.types import ScalarType

# A bool, an int, or a NumPy float scalar: what it is follows from the IR value's type.
Scalar: TypeAlias = Any
Operator = Callable[..., Scalar]


def float_of(kind: ScalarType, value: Scalar) -> Scalar:
    """A float or an int rounded once, to nearest even, to the float type `kind`."""
    if isinstance(value, int) and abs(value) > 2**53:  # else a float64 holds it
        return rounded(kind, Fraction(value))
    return np.float64(value).astype(kind.numpy)


def rounded(kind: ScalarType, exact: Fraction) -> Scalar:
    """A rational number, rounded to the nearest float of `kind`, ties to even; 0 is positive."""
    if exact == 0:
        return kind.numpy.type(0.0)
    limits = np.finfo(kind.numpy)
    digits = limits.nmant + 1
    # So that 2**(digits - 1) <= |exact| / 2**exponent < 2**digits, but for subnormals.
    exponent = abs(exact.numerator).bit_length() - exact.denominator.bit_length() - digits
    exponent += abs(exact) >= Fraction(2) ** (exponent + digits)
    exponent = max(exponent, int(limits.minexp) - limits.nmant)
    whole = round(exact / Fraction(2) ** exponent)
    if abs(whole) * Fraction(2) ** exponent > Fraction(float(limits.max)):
        return kind.numpy.type(math.inf if exact > 0 else -math.inf)
    size = kind.numpy.type(math.ldexp(abs(whole), exponent))
    return size if exact > 0 else -size  # of a 0 too, to which a negative number may round


def wrap(kind: ScalarType, value: int) -> int:
    """The low bits of an integer, read as a value of the integer type `kind`."""
    low, _ = kind.limits
    return ((value - low) & ((1 << kind.bits) - 1)) + low


def cast(kind: ScalarType, value: Scalar) -> Scalar:
    """`value`, of any type, as a value of `kind`."""
    if kind.is_bool:
        return bool(value != 0)
    if kind.is_float:
        return float_of(kind, int(value) if isinstance(value, bool) else value)
    if isinstance(value, int):
        return wrap(kind, int(value))
    return _saturate(kind, float(value))


def _saturate(kind: ScalarType, value: float) -> int:
    low, high = kind.limits
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return low if value < 0 else high
    return min(max(math.trunc(value), low), high)


def _floordiv(kind: ScalarType, a: int, b: int) -> int:
    return 0 if b == 0 else wrap(kind, a // b)


def _mod(kind: ScalarType, a: int, b: int) -> int:
    return a if b == 0 else a % b


def _smaller(a: Scalar, b: Scalar) -> Scalar:
    if a != a:
        return b
    return b if b < a else a


def _larger(a: Scalar, b: Scalar) -> Scalar:
    if a != a:
        return b
    return b if b > a else a


def _fma(kind: ScalarType, a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    """One rounding. Where a side is not finite the rounding of the product changes nothing."""
    if not (np.isfinite(a) and np.isfinite(b)):
        return a * b + c
    if not np.isfinite(c):
        return c
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if exact == 0 and (a == 0 or b == 0):
        return a * b + c  # of two zeros: their signs decide
    return rounded(kind, exact)


# Integer results are wrapped by `compute`; floats round by themselves.
_ARITHMETIC: dict[str, tuple[Operator, Operator]] = {
    # name: on integers, on floats
    "neg": (lambda a: -a, lambda a: -a),
    "abs": (abs, np.abs),
    "add": (lambda a, b: a + b, lambda a, b: a + b),
    "sub": (lambda a, b: a - b, lambda a, b: a - b),
    "mul": (lambda a, b: a * b, lambda a, b: a * b),
    "min": (_smaller, _smaller),
    "max": (_larger, _larger),
}
_FLOATS: dict[str, Operator] = {
    "sqrt": np.sqrt,
    "floor": np.floor,
    "ceil": np.ceil,
    "rint": np.rint,
    "trunc": np.trunc,
    "div": lambda a, b: a / b,
}
_BITS: dict[str, Operator] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
_COMPARISONS: dict[str, Operator] = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}


def _not(kind: ScalarType, a: Scalar) -> Scalar:
    return (not a) if kind.is_bool else wrap(kind, ~a)


def _shl(kind: ScalarType, a: int, b: int) -> int:
    return wrap(kind, a << (b % kind.bits))


def _shr(kind: ScalarType, a: int, b: int) -> int:
    return a >> (b % kind.bits)


def bits_of(kind: ScalarType, value: Scalar) -> int:
    """The bits of a value of type `kind`, as an integer from 0 on."""
    if kind.is_float:
        return int(value.view(f"uint{kind.bits}"))
    return int(value) & ((1 << kind.bits) - 1)


def _bitcast(kind: ScalarType, value: Scalar) -> Scalar:
    bits = int(value.view(f"uint{kind.bits}")) if isinstance(value, np.floating) else int(value)
    if kind.is_float:
        return np.array(bits & ((1 << kind.bits) - 1), f"uint{kind.bits}").view(kind.numpy)[()]
    return wrap(kind, bits)


def _popc(kind: ScalarType, a: int) -> int:
    return bits_of(kind, a).bit_count()


def _clz(kind: ScalarType, a: int) -> int:
    return kind.bits - bits_of(kind, a).bit_length()


def _ctz(kind: ScalarType, a: int) -> int:
    bits = bits_of(kind, a)
    return kind.bits if bits == 0 else (bits & -bits).bit_length() - 1


def _brev(kind: ScalarType, a: int) -> int:
    return wrap(kind, int(f"{bits_of(kind, a):0{kind.bits}b}"[::-1], 2))


def _mulhi(kind: ScalarType, a: int, b: int) -> int:
    return wrap(kind, (a * b) >> kind.bits)


def _select(kind: ScalarType, condition: bool, a: Scalar, b: Scalar) -> Scalar:
    return a if condition else b


def _arithmetic(operation: str) -> Operator:
    on_integers, on_floats = _ARITHMETIC[operation]

    def compute(kind: ScalarType, *arguments: Scalar) -> Scalar:
        if kind.is_float:
            return on_floats(*arguments)
        return wrap(kind, on_integers(*arguments))

    return compute


def _plain(operator: Operator) -> Operator:
    return lambda kind, *arguments: operator(*arguments)


def _truth(operator: Operator) -> Operator:
    return lambda kind, *arguments: bool(operator(*arguments))


# Each takes the result's type and the operands.
OPERATORS: dict[str, Operator] = {
    **{name: _arithmetic(name) for name in _ARITHMETIC},
    **{name: _plain(operator) for name, operator in (_FLOATS | _BITS).items()},
    **{name: _truth(operator) for name, operator in _COMPARISONS.items()},
    "floordiv": _floordiv,
    "mod": _mod,
    "not": _not,
    "uniform": _plain(lambda a: a),  # the interpreter checks what it asserts
    "shl": _shl,
    "shr": _shr,
    "popc": _popc,
    "clz": _clz,
    "ctz": _ctz,
    "brev": _brev,
    "mulhi": _mulhi,
    "fma": _fma,
    "bitcast": _bitcast,
    "select": _select,
    "cast": cast,
}


def _count_up(kind: ScalarType, x: int, limit: int) -> int:
    return 0 if x >= limit else x + 1


def _count_down(kind: ScalarType, x: int, limit: int) -> int:
    return limit if x == 0 or x > limit else x - 1


# The new element, from its type, the old one and the operand; 'cas' has a third operand.
ATOMIC_OPERATORS: dict[str, Operator] = {
    **{name: OPERATORS[name] for name in ("add", "min", "max", "and", "or", "xor")},
    "exch": lambda kind, x, v: v,
    "cas": lambda kind, x, v, compare: v if x == compare else x,
    "inc": _count_up,
    "dec": _count_down,
}
