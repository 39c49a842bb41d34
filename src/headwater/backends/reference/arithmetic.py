"""The scalar operations, word for word as in `headwater.ir.operations`.

A bool is a Python bool, an integer a Python int inside the limits of its type, a float a NumPy scalar
of its own width, so that each operation rounds once. Callers silence NumPy's warnings.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from headwater.types import FLOAT32, ScalarType

# A bool, an int, an np.float32 or an np.float64: what it is follows from the IR value's type.
Scalar: TypeAlias = Any
Operator = Callable[..., Scalar]


def float_of(kind: ScalarType, value: Scalar) -> Scalar:
    """A float or an int rounded once, to nearest even, to the float type `kind`."""
    wide = np.int64(value) if isinstance(value, int) else np.float64(value)
    return wide.astype(np.float32 if kind is FLOAT32 else np.float64)


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


def _integer_floordiv(a: int, b: int) -> int:
    return 0 if b == 0 else a // b


def _integer_mod(a: int, b: int) -> int:
    return a if b == 0 else a % b


def _float_floordiv(a: Scalar, b: Scalar) -> Scalar:
    return np.floor(a / b)


def _float_mod(a: Scalar, b: Scalar) -> Scalar:
    return a - b * np.floor(a / b)


def _smaller(a: Scalar, b: Scalar) -> Scalar:
    if a != a:
        return b
    return b if b < a else a


def _larger(a: Scalar, b: Scalar) -> Scalar:
    if a != a:
        return b
    return b if b > a else a


# Integer results are wrapped by `compute`; floats round by themselves.
_ARITHMETIC: dict[str, tuple[Operator, Operator]] = {
    # name: on integers, on floats
    "neg": (lambda a: -a, lambda a: -a),
    "abs": (abs, np.abs),
    "add": (lambda a, b: a + b, lambda a, b: a + b),
    "sub": (lambda a, b: a - b, lambda a, b: a - b),
    "mul": (lambda a, b: a * b, lambda a, b: a * b),
    "floordiv": (_integer_floordiv, _float_floordiv),
    "mod": (_integer_mod, _float_mod),
    "min": (_smaller, _smaller),
    "max": (_larger, _larger),
}
_FLOATS: dict[str, Operator] = {
    "sqrt": np.sqrt,
    "floor": np.floor,
    "ceil": np.ceil,
    "rint": np.rint,
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
    "not": _not,
    "uniform": _plain(lambda a: a),  # the interpreter checks what it asserts
    "shl": _shl,
    "shr": _shr,
    "select": _select,
    "cast": cast,
}
