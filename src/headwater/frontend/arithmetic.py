"""Operations on scalars and vectors: which type they compute in, and what folds while compiling."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from headwater.frontend.program import Program
from headwater.frontend.values import Literal, Runtime, Scalar, Vector, WeakOperation
from headwater.frontend.values import literal as literal
from headwater.types import (
    BOOL,
    FLOAT16,
    FLOAT32,
    MAXIMUM_BITS,
    WEAK_FLOAT,
    WEAK_INT,
    ScalarType,
    join,
)


@dataclass(frozen=True, slots=True)
class Binary:
    """A binary operator: its sign, the IR's operation, and Python's meaning for folding.

    `family` is 'ring' (+ - *), 'division' (/), 'integral' (// %), 'bits' (& | ^) or 'shift'.
    """

    sign: str
    operation: str
    fold: Callable[[Any, Any], Any]
    family: str


def _floor_divide(a: Any, b: Any) -> Any:
    """As Python does; of integers by zero as the language does."""
    return 0 if b == 0 and isinstance(a, int) and isinstance(b, int) else a // b


def _modulo(a: Any, b: Any) -> Any:
    return int(a) if b == 0 and isinstance(a, int) and isinstance(b, int) else a % b


def shifted(a: Any, b: Any) -> Any:
    """`a << b`; OverflowError where it would take long to write down."""
    _limit(int(a).bit_length() + b)
    return a << b


def raised(a: Any, b: Any) -> Any:
    """`a ** b`; OverflowError where it would take long to write down."""
    if isinstance(a, int) and isinstance(b, int):
        _limit((max(abs(a), 1) - 1).bit_length() * b)
    return a**b


def _limit(bits: int) -> None:
    if bits > MAXIMUM_BITS:
        raise OverflowError(f"an integer of more than {MAXIMUM_BITS:,} bits")


ADD = Binary("+", "add", operator.add, "ring")
SUB = Binary("-", "sub", operator.sub, "ring")
MUL = Binary("*", "mul", operator.mul, "ring")
DIV = Binary("/", "div", operator.truediv, "division")
FLOORDIV = Binary("//", "floordiv", _floor_divide, "integral")
MOD = Binary("%", "mod", _modulo, "integral")
AND = Binary("&", "and", operator.and_, "bits")
OR = Binary("|", "or", operator.or_, "bits")
XOR = Binary("^", "xor", operator.xor, "bits")
SHL = Binary("<<", "shl", shifted, "shift")
SHR = Binary(">>", "shr", operator.rshift, "shift")

_COMPARE: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "lt": ("<", operator.lt),
    "le": ("<=", operator.le),
    "gt": (">", operator.gt),
    "ge": (">=", operator.ge),
    "eq": ("==", operator.eq),
    "ne": ("!=", operator.ne),
}

# What the operators are for floats: functions of the library.
_OF_FLOATS = {"floordiv": "floor_divide", "mod": "modulo"}
MAXIMUM_POWER = 1024


# --- scalars --------------------------------------------------------------------------------------


def binary(program: Program, row: Binary, a: Scalar, b: Scalar) -> Scalar:
    """`a sign b` of two scalars."""
    folded = _fold(program, row, a, b)
    if folded is not None:
        return folded
    kind = _binary_kind(program, row, a.kind, b.kind)
    if kind.is_float and row.operation in _OF_FLOATS:
        return of_library(program, _OF_FLOATS[row.operation], (a, b), kind)
    if kind.weak:
        return program.weak(row.operation, (a, b), kind)
    return Runtime(
        program.builder.compute(row.operation, program.emit(a, kind), program.emit(b, kind))
    )


def of_library(program: Program, name: str, values: tuple[Scalar, ...], kind: ScalarType) -> Scalar:
    """The result of a function of the library that has one."""
    operation = program.weak(name, values, kind)
    return operation if kind.weak else Runtime(program.function(program, operation, kind)[0])


def _binary_kind(program: Program, row: Binary, a: ScalarType, b: ScalarType) -> ScalarType:
    kind = join(a, b)
    if row.family in ("bits", "shift") and kind.is_float:
        raise program.fail(
            f"'{row.sign}' takes integers, not '{a}' and '{b}'", "cast with hw.int32(...)"
        )
    if row.family == "bits" and kind is BOOL:
        return kind
    if row.family == "shift":
        # The count does not widen what is shifted, unless that is weak.
        kind = join(a, b) if a.weak or a is BOOL else a
    if kind is BOOL:
        kind = program.dialect.integer
    if row.family == "division" and not kind.is_float:
        return WEAK_FLOAT
    return kind


def _fold(program: Program, row: Binary, a: Scalar, b: Scalar) -> Literal | None:
    if not (isinstance(a, Literal) and isinstance(b, Literal)):
        return None
    if _weak(a) and _weak(b):
        _binary_kind(program, row, a.kind, b.kind)
        return literal(python_result(program, row.fold, a.value, b.value))
    if row.family == "division" or join(a.kind, b.kind).is_float:
        return None
    kind = _binary_kind(program, row, a.kind, b.kind)
    left, right = _as_integer(a, kind), _as_integer(b, kind)
    if left is None or right is None:
        return None
    right = right % kind.bits if row.family == "shift" else right
    return Literal(wrapped(row.fold(left, right), kind), kind)


def _as_integer(value: Literal, kind: ScalarType) -> int | None:
    """The value in an integer type; None for a weak one that does not fit, which is an error where it is emitted."""
    found = wrapped(int(value.value), kind)
    return None if value.kind.weak and found != value.value else found


def _weak(value: Literal) -> bool:
    return value.kind.weak or value.kind is BOOL


def python_result(
    program: Program, function: Callable[..., Any], *values: Any
) -> bool | int | float:
    """Python's own result for constants; an error of Python is the user's."""
    try:
        result = function(*values)
    except (ArithmeticError, ValueError, TypeError) as problem:
        words = problem.args[-1] if problem.args else type(problem).__name__
        raise program.fail(f"a constant expression fails: {words}") from None
    if isinstance(result, bool | int | float):
        return result
    raise program.fail(
        f"a constant expression gives a '{type(result).__name__}'", "a real number is needed"
    )


def wrapped(value: int, kind: ScalarType) -> int:
    """The low bits of an integer, as the type reads them."""
    low, _ = kind.limits
    return (value - low) % (1 << kind.bits) + low


def compare(program: Program, operation: str, a: Scalar, b: Scalar) -> Scalar:
    """A comparison of two scalars: a bool."""
    if isinstance(a, Literal) and isinstance(b, Literal):
        found = _compared(operation, a, b)
        if found is not None:
            return found
    kind = join(a.kind, b.kind)
    if kind is BOOL and operation not in ("eq", "ne"):
        kind = program.dialect.integer
    emit = program.emit_open if kind.weak else program.emit
    kind = program.default(kind)
    return Runtime(program.builder.compute(operation, emit(a, kind), emit(b, kind)))


def _compared(operation: str, a: Literal, b: Literal) -> Literal | None:
    """The comparison of constants: exact, but for two integer types, which meet in their joined one."""
    kind, x, y = join(a.kind, b.kind), a.value, b.value
    if not (_weak(a) or _weak(b)):
        if kind.is_float:
            return None
        x, y = wrapped(int(x), kind), wrapped(int(y), kind)
    elif kind.is_float and not (_weak(a) and _weak(b)):
        return None
    return Literal(bool(_COMPARE[operation][1](x, y)), BOOL)


def truth(program: Program, value: Scalar) -> Scalar:
    """`bool(value)`: a literal or a runtime bool."""
    if isinstance(value, Literal):
        return Literal(bool(value.value), BOOL)
    if value.kind is BOOL:
        return value
    return compare(program, "ne", value, Literal(0, WEAK_INT))


def logical_not(program: Program, value: Scalar) -> Scalar:
    """`not value`."""
    tested = truth(program, value)
    if isinstance(tested, Literal):
        return Literal(not tested.value, BOOL)
    return Runtime(program.builder.compute("not", program.emit(tested, BOOL)))


def negate(program: Program, value: Scalar) -> Scalar:
    """`-value`."""
    return _unary(program, "neg", operator.neg, value)


def absolute(program: Program, value: Scalar) -> Scalar:
    """`abs(value)`."""
    return _unary(program, "abs", abs, value)


def _unary(program: Program, operation: str, fold: Callable[[Any], Any], value: Scalar) -> Scalar:
    if isinstance(value, Literal) and (_weak(value) or value.kind.is_float):
        kind = value.kind if value.kind is not BOOL else WEAK_INT
        return Literal(fold(value.value), kind)
    if isinstance(value, Literal):
        return Literal(wrapped(fold(value.value), value.kind), value.kind)
    kind = program.dialect.integer if value.kind is BOOL else value.kind
    if kind.weak:
        return program.weak(operation, (value,), kind)
    return Runtime(program.builder.compute(operation, program.emit(value, kind)))


def invert(program: Program, value: Scalar) -> Scalar:
    """`~value` of an integer."""
    if not value.kind.is_integer:
        raise program.fail(f"'~' takes an integer, not '{value.kind}'", "for a bool write 'not'")
    return _unary(program, "not", operator.invert, value)


def float_function(program: Program, operation: str, value: Scalar) -> Scalar:
    """sqrt, or a rounding: of a float, in its type; of an integer, in a float."""
    if isinstance(value, Literal) and _weak(value):
        return Literal(
            float(python_result(program, _FLOAT_FOLDS[operation], value.value)), WEAK_FLOAT
        )
    kind = value.kind if value.kind.is_float else WEAK_FLOAT
    if kind.weak:
        return program.weak(operation, (value,), kind)
    return Runtime(program.builder.compute(operation, program.emit(value, kind)))


def _keeping(fold: Callable[[float], float]) -> Callable[[float], float]:
    """A rounding that Python refuses for infinities and NaNs, which it keeps."""
    return lambda value: fold(value) if math.isfinite(value) else value


_FLOAT_FOLDS: dict[str, Callable[[Any], Any]] = {
    "sqrt": math.sqrt,
    "floor": _keeping(math.floor),
    "ceil": _keeping(math.ceil),
    "trunc": _keeping(math.trunc),
    "rint": _keeping(round),
}


def fma(program: Program, a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    """`a * b + c`, rounded once, in the joined float type."""
    if isinstance(a, Literal) and isinstance(b, Literal) and isinstance(c, Literal):
        values = (float(a.value), float(b.value), float(c.value))
        if _weak(a) and _weak(b) and _weak(c) and all(map(math.isfinite, values)):
            exact = Fraction(values[0]) * Fraction(values[1]) + Fraction(values[2])
            return Literal(python_result(program, float, exact), WEAK_FLOAT)
    kind = join(join(a.kind, b.kind), join(c.kind, WEAK_FLOAT))
    if kind.weak:
        return program.weak("fma", (a, b, c), kind)
    return Runtime(program.builder.compute("fma", *(program.emit(v, kind) for v in (a, b, c))))


def extremum(program: Program, operation: str, values: Sequence[Scalar]) -> Scalar:
    """Min or max of two values or more, from the left."""
    result = values[0]
    for value in values[1:]:
        result = _smaller_or_larger(program, operation, result, value)
    return result


def _smaller_or_larger(program: Program, operation: str, a: Scalar, b: Scalar) -> Scalar:
    if isinstance(a, Literal) and isinstance(b, Literal) and _weak(a) and _weak(b):
        return literal((min if operation == "min" else max)(a.value, b.value))
    kind = join(a.kind, b.kind)
    kind = program.dialect.integer if kind is BOOL else kind
    if kind.weak:
        return program.weak(operation, (a, b), kind)
    return Runtime(program.builder.compute(operation, program.emit(a, kind), program.emit(b, kind)))


def choose(program: Program, condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """B or a by the condition, both evaluated: in their joined type."""
    tested = truth(program, condition)
    if isinstance(tested, Literal):
        return a if tested.value else b
    kind = join(a.kind, b.kind)
    if kind.weak:
        return program.weak("select", (tested, a, b), kind)
    parts = (program.emit(tested, BOOL), program.emit(a, kind), program.emit(b, kind))
    return Runtime(program.builder.compute("select", *parts))


def power(program: Program, base: Scalar, exponent: int) -> Scalar:
    """`base ** n` for a constant integer, by repeated squaring from the lowest bit.

    The order is fixed: with n = sum of 2**k over the set bits, low to high, the result is
    ((b**2**k0 * b**2**k1) * b**2**k2) ..., each b**2**k the square of the one before. n = 0 gives 1, n < 0 gives
    1 / b**(-n).
    """
    if isinstance(base, Literal) and _weak(base):
        return literal(python_result(program, raised, base.value, exponent))
    if abs(exponent) > MAXIMUM_POWER:
        raise program.fail(
            f"the power {exponent} is too large", f"at most {MAXIMUM_POWER} is allowed"
        )
    one = Literal(1, WEAK_INT)
    if exponent < 0:
        return binary(program, DIV, one, power(program, base, -exponent))
    if exponent == 0:
        return one if base.kind.weak else Literal(1.0 if base.kind.is_float else 1, base.kind)
    result: Scalar | None = None
    square, rest = base, exponent
    while True:
        if rest & 1:
            result = square if result is None else binary(program, MUL, result, square)
        rest >>= 1
        if not rest:
            return base if result is None else result
        square = binary(program, MUL, square, square)


def cast(program: Program, value: Scalar, kind: ScalarType) -> Scalar:
    """`hw.float32(value)` and the like: a value of exactly that type; a float16 is one in a float32."""
    if not isinstance(value, Literal):
        if kind is FLOAT16:
            return Runtime(program.builder.cast(program.emit(value, kind), FLOAT32))
        if kind.is_float or (kind.is_integer and value.kind is WEAK_INT):
            return Runtime(program.emit(value, kind))
        return Runtime(program.builder.cast(program.emit_default(value), kind))
    if kind is FLOAT16:
        return cast(program, Literal(_to_float(value.value, kind), FLOAT32), FLOAT32)
    if kind.is_bool:
        return Literal(bool(value.value), kind)
    if kind.is_float and value.kind.weak:
        return Literal(program.rounded(value.value, kind), kind)
    if kind.is_float:
        return Literal(_to_float(value.value, kind), kind)
    return Literal(_to_integer(value.value, kind), kind)


def _to_float(value: bool | int | float, kind: ScalarType) -> float:
    """A strong value, rounded once; too large ones become infinite, as they do when a kernel runs."""
    if isinstance(value, float):
        wide: np.generic = np.float64(value)
    else:
        wide = np.int64(value) if value < 1 << 63 else np.uint64(value)
    with np.errstate(over="ignore"):
        return float(wide.astype(kind.numpy))


def _to_integer(value: bool | int | float, kind: ScalarType) -> int:
    if not isinstance(value, float):
        return wrapped(int(value), kind)
    if math.isnan(value):
        return 0
    low, high = kind.limits
    if math.isinf(value):
        return high if value > 0 else low
    return min(max(int(value), low), high)


# --- vectors --------------------------------------------------------------------------------------


def unify(program: Program, parts: Sequence[Scalar]) -> Vector:
    """A vector of the parts, all in their joined type."""
    kind = parts[0].kind
    for part in parts[1:]:
        kind = join(kind, part.kind)
    kind = program.dialect.integer if kind is BOOL else kind
    return Vector(tuple(_as_kind(program, part, kind) for part in parts))


def _as_kind(program: Program, value: Scalar, kind: ScalarType) -> Scalar:
    if value.kind is kind:
        return value
    if not kind.weak:
        return cast(program, value, kind)
    if isinstance(value, Literal) and _weak(value):
        return Literal(float(value.value) if kind is WEAK_FLOAT else int(value.value), kind)
    return WeakOperation("same", (value,), kind)


def component_by_component(
    program: Program, compute: Callable[..., Scalar], a: Scalar | Vector, b: Scalar | Vector
) -> Vector:
    """`compute(program, a=, b=)` of each pair of components; a scalar meets each."""
    size = len(a.components) if isinstance(a, Vector) else 0
    other = len(b.components) if isinstance(b, Vector) else 0
    if size and other and size != other:
        raise program.fail(f"a vec{size} and a vec{other} do not combine")
    left = a.components if isinstance(a, Vector) else (a,) * other
    right = b.components if isinstance(b, Vector) else (b,) * size
    return unify(program, [compute(program, a=x, b=y) for x, y in zip(left, right, strict=True)])


def dot(program: Program, a: Vector, b: Vector) -> Scalar:
    """((a.x * b.x + a.y * b.y) + a.z * b.z) + a.w * b.w, as far as there are components."""
    products = [binary(program, MUL, x, y) for x, y in zip(a.components, b.components, strict=True)]
    total = products[0]
    for product in products[1:]:
        total = binary(program, ADD, total, product)
    return total


def cross(program: Program, a: Vector, b: Vector) -> Vector:
    """The vector product."""
    (ax, ay, az), (bx, by, bz) = a.components, b.components

    def minor(p: Scalar, q: Scalar, r: Scalar, s: Scalar) -> Scalar:
        return binary(program, SUB, binary(program, MUL, p, q), binary(program, MUL, r, s))

    return unify(program, [minor(ay, bz, az, by), minor(az, bx, ax, bz), minor(ax, by, ay, bx)])
