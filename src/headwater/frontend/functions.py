"""Functions of numbers. Where an argument is a vector, they work component by component."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import TypeAlias

from headwater.frontend import arithmetic, bits, library
from headwater.frontend.frame import Frame
from headwater.frontend.program import Program
from headwater.frontend.rows import Handler, Row, held, numbers, scalars, several
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Literal,
    Operand,
    Record,
    Runtime,
    Scalar,
    Text,
    Tuple,
    Vector,
    describe,
)
from headwater.frontend.variables import kind_of, parts_of
from headwater.types import BOOL, WEAK_FLOAT, WEAK_INT, ScalarType, join

OfNumbers: TypeAlias = Callable[..., Scalar]


def _each(function: OfNumbers) -> Handler:
    """`function(program, scalar, ...)` of scalars, or of the components of vectors."""

    def handler(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
        values, size = numbers(frame, node, arguments)
        program = frame.program
        if not size:
            return function(program, *values)
        columns = (v.components if isinstance(v, Vector) else (v,) * size for v in values)
        return arithmetic.unify(
            program, [function(program, *parts) for parts in zip(*columns, strict=True)]
        )

    return handler


# --- choices --------------------------------------------------------------------------------------


def _select(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    condition = frame.condition(arguments[0])
    a, b = frame.expression(arguments[1]), frame.expression(arguments[2])
    frame.at(node)
    return choose(frame, node, condition, a, b)


def choose(frame: Frame, node: ast.AST, condition: Scalar, a: Operand, b: Operand) -> Operand:
    """`a` where the condition holds, else `b`: two scalars or two vectors."""
    program = frame.program
    if isinstance(a, SCALAR_CLASSES) and isinstance(b, SCALAR_CLASSES):
        return arithmetic.choose(program, condition, a, b)
    if isinstance(a, Vector) and isinstance(b, Vector) and len(a.components) == len(b.components):
        pairs = zip(a.components, b.components, strict=True)
        return arithmetic.unify(
            program, [arithmetic.choose(program, condition, x, y) for x, y in pairs]
        )
    a, b = program.as_value(a), program.as_value(b)
    if isinstance(a, Record | Tuple) and isinstance(b, Record | Tuple):
        if kind_of(a) == kind_of(b):
            return _choose_parts(frame, node, condition, a, b)
    raise no_choice(frame, node, a, b)


def no_choice(frame: Frame, node: ast.AST, a: Operand, b: Operand) -> Exception:
    """The error of two sides that a condition cannot choose between while the kernel runs."""
    if isinstance(a, Text) and isinstance(b, Text):
        return frame.fail(
            node,
            "a string is known when compiling, so the condition that chooses one must be, too",
            "use numbers",
        )
    return frame.fail(
        node, f"the two sides have types that do not join: {describe(a)} and {describe(b)}"
    )


def _choose_parts(
    frame: Frame, node: ast.AST, condition: Scalar, a: Record | Tuple, b: Record | Tuple
) -> Operand:
    pairs = zip(parts_of(a), parts_of(b), strict=True)
    chosen = tuple((name, choose(frame, node, condition, x, y)) for (name, x), (_, y) in pairs)
    if isinstance(a, Record):
        return Record(a.kind, chosen)
    return Tuple(tuple(value for _, value in chosen), a.names)


def _extremum(operation: str) -> Handler:
    def reduced(program: Program, *values: Scalar) -> Scalar:
        return arithmetic.extremum(program, operation, values)

    each = _each(reduced)

    def handler(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
        if len(arguments) == 1:
            items = several(frame, node, arguments[0], f"give '{operation}' two or more")
            arguments = [held(arguments[0], item) for item in items]
        return each(frame, node, arguments)

    return handler


def _clamp(program: Program, value: Scalar, low: Scalar, high: Scalar) -> Scalar:
    raised = arithmetic.extremum(program, "max", (value, low))
    return arithmetic.extremum(program, "min", (raised, high))


# --- rounding -------------------------------------------------------------------------------------


def _float_function(operation: str) -> Handler:
    return _each(lambda program, value: arithmetic.float_function(program, operation, value))


def _integral(operation: str) -> Handler:
    """math.floor and its kin, and the builtin round, which give integers in Python."""

    def rounded(program: Program, value: Scalar) -> Scalar:
        if value.kind.is_integer or value.kind.is_bool:
            return to_integer(program, value)
        return to_integer(program, arithmetic.float_function(program, operation, value))

    return lambda frame, node, arguments: rounded(frame.program, *scalars(frame, node, arguments))


def to_integer(program: Program, value: Scalar) -> Scalar:
    """Python's int(): an integer stays as it is, a float is truncated to the default integer."""
    if isinstance(value, Literal) and (value.kind.weak or value.kind.is_bool):
        return Literal(int(arithmetic.python_result(program, int, value.value)), WEAK_INT)
    if value.kind.is_integer:
        return value
    return arithmetic.cast(program, value, program.dialect.integer)


def _divmod(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    a, b = scalars(frame, node, arguments)
    pair = (arithmetic.FLOORDIV, arithmetic.MOD)
    return Tuple(tuple(arithmetic.binary(frame.program, row, a, b) for row in pair))


def _rsqrt(program: Program, value: Scalar) -> Scalar:
    root = arithmetic.float_function(program, "sqrt", value)
    return arithmetic.binary(program, arithmetic.DIV, Literal(1, WEAK_INT), root)


def _scaled(factor: float) -> Handler:
    return _each(
        lambda program, value: arithmetic.binary(
            program, arithmetic.MUL, value, Literal(factor, WEAK_FLOAT)
        )
    )


# --- what a number is: by its bits, as a device may assume that there are no NaNs ------------------


def _classified(fold: Callable[[float], bool], operation: str) -> Handler:
    def test(program: Program, value: Scalar) -> Scalar:
        if isinstance(value, Literal):
            return Literal(fold(value.value), BOOL)
        if not value.kind.is_float:
            return Literal(fold(0.0), BOOL)
        emitted = program.emit_open(value, program.default(value.kind))
        return Runtime(bits.compare_with_infinity(program, operation, emitted))

    return lambda frame, node, arguments: test(frame.program, *scalars(frame, node, arguments))


# --- the library ----------------------------------------------------------------------------------


def mathematics(program: Program, name: str, *values: Scalar) -> Scalar:
    """A function of the library that has one result."""
    signature = library.FUNCTIONS[name]
    if all(isinstance(value, Literal) and value.kind.weak for value in values):
        folded = _fold(signature, values)
        if folded is not None:
            return Literal(float(folded), WEAK_FLOAT)
    return arithmetic.of_library(program, name, values, _float_kind(program, signature, values))


def _fold(signature: library.Signature, values: tuple[Scalar, ...]) -> float | None:
    """What Python computes; None where it refuses, as the kernel has a result there too."""
    if signature.fold is None:
        return None
    try:
        return float(signature.fold(*(v.value for v in values if isinstance(v, Literal))))
    except (ArithmeticError, ValueError, TypeError):
        return None


def _float_kind(
    program: Program, signature: library.Signature, values: tuple[Scalar, ...]
) -> ScalarType:
    kind = WEAK_FLOAT
    for wanted, value in zip(signature.parameters, values, strict=True):
        if wanted == "int" and not (value.kind.is_integer or value.kind.is_bool):
            raise program.fail(
                f"an integer was expected, not {describe(value)}", "cast it with hw.int32(...)"
            )
        if wanted == "float":
            kind = join(kind, value.kind)
    return kind


def _several(name: str) -> Handler:
    """A function of the library that gives a tuple: of weak arguments, in the default float type."""

    def handler(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
        values = tuple(scalars(frame, node, arguments))
        program = frame.program
        kind = program.default(_float_kind(program, library.FUNCTIONS[name], values))
        results = program.function(program, program.weak(name, values, kind), kind)
        return Tuple(tuple(map(Runtime, results)))

    return handler


def _library(name: str) -> Row:
    signature = library.FUNCTIONS[name]
    parameters = " ".join("xyz"[: len(signature.parameters)])
    if len(signature.results) > 1:
        return Row(parameters, _several(name))
    return Row(parameters, _each(lambda program, *values: mathematics(program, name, *values)))


def _logarithm(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    """`math.log(x)`, or `math.log(x, base)`."""
    if _is_none(arguments[1]):
        return ROWS["log"].handler(frame, node, arguments[:1])
    value, base = (mathematics(frame.program, "log", v) for v in scalars(frame, node, arguments))
    return arithmetic.binary(frame.program, arithmetic.DIV, value, base)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _round(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    if not _is_none(arguments[1]):
        raise frame.fail(
            arguments[1],
            "'round' to decimals is not supported in a kernel",
            "write hw.rint(x * 100) / 100 for two decimals",
        )
    return _integral("rint")(frame, node, arguments[:1])


ROWS: dict[str, Row] = {
    "select": Row("condition a b", _select),
    "min": Row("a b", _extremum("min"), many=True, few=1),
    "max": Row("a b", _extremum("max"), many=True, few=1),
    "clamp": Row("x low high", _each(_clamp)),
    "abs": Row("x", _each(arithmetic.absolute)),
    "sqrt": Row("x", _float_function("sqrt")),
    "rsqrt": Row("x", _each(_rsqrt)),
    "floor": Row("x", _float_function("floor")),
    "ceil": Row("x", _float_function("ceil")),
    "trunc": Row("x", _float_function("trunc")),
    "rint": Row("x", _float_function("rint")),
    "math.floor": Row("x", _integral("floor")),
    "math.ceil": Row("x", _integral("ceil")),
    "math.trunc": Row("x", _integral("trunc")),
    "math.log": Row("x base", _logarithm, (None,)),
    "round": Row("number ndigits", _round, (None,)),
    "divmod": Row("a b", _divmod),
    "fma": Row("a b c", _each(arithmetic.fma)),
    "degrees": Row("x", _scaled(180 / math.pi)),
    "radians": Row("x", _scaled(math.pi / 180)),
    "isnan": Row("x", _classified(math.isnan, "gt")),
    "isinf": Row("x", _classified(math.isinf, "eq")),
    "isfinite": Row("x", _classified(math.isfinite, "lt")),
    "popc": Row("x", _each(bits.population)),
    "clz": Row("x", _each(bits.leading_zeros)),
    "ffs": Row("x", _each(bits.first_set)),
    "brev": Row("x", _each(bits.reverse)),
    "mulhi": Row("a b", _each(bits.upper_product)),
    "bitcast": Row("x dtype", bits.bitcast),
    **{name: _library(name) for name in library.FUNCTIONS},
}
