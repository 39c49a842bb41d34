"""Atomic updates of one element of an array."""

from __future__ import annotations

import ast

from headwater import ir
from headwater.frontend import arithmetic, memory
from headwater.frontend.frame import Frame
from headwater.frontend.rows import Handler, Row
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Array,
    Literal,
    Operand,
    Records,
    Runtime,
    Scalar,
    describe,
)
from headwater.types import ScalarType, VectorType

# What each function does as one of `ir.ATOMICS`, and the kinds of the elements that it takes.
_NUMBERS = ("int", "uint", "float")
_FUNCTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "add": ("add", _NUMBERS),
    "sub": ("add", _NUMBERS),
    "min": ("min", _NUMBERS),
    "max": ("max", _NUMBERS),
    "and_": ("and", ("int", "uint")),
    "or_": ("or", ("int", "uint")),
    "xor": ("xor", ("int", "uint")),
    "inc": ("inc", ("uint",)),
    "dec": ("dec", ("uint",)),
    "exch": ("exch", _NUMBERS),
    "cas": ("cas", _NUMBERS),
    "compare_and_swap": ("cas", _NUMBERS),
}
_KINDS = {
    _NUMBERS: "numbers",
    ("int", "uint"): "integers",
    ("uint",): "unsigned integers",
}


def _array(frame: Frame, node: ast.expr, name: str) -> Array:
    """The array whose element is updated."""
    array = frame.expression(node)
    if not isinstance(array, Array):
        wanted = "an array of numbers" if isinstance(array, Records) else "an array"
        hint = "name the array of one field" if isinstance(array, Records) else None
        raise frame.fail(node, f"{wanted} was expected, not {describe(array)}", hint)
    problem = _misfit(array.type.element, name)
    if problem is not None:
        wanted, hint = problem
        raise frame.fail(
            node,
            f"'hw.atomic.{name}' works on {wanted}, and '{array.name}' holds {array.type.element}",
            hint,
        )
    if isinstance(array.own, ir.LocalArray):
        raise frame.fail(
            node,
            f"'hw.atomic.{name}' works on arrays in device and in shared memory, and '{array.name}' is local",
            "no other thread sees it: read and write it as usual",
        )
    memory.check_writable(frame, node, array)
    return array


def _misfit(element: ScalarType | VectorType, name: str) -> tuple[str, str] | None:
    """What elements of another type are wanted, and a hint; None where these do."""
    if isinstance(element, VectorType):
        return "scalars", "keep one array for each component"
    _, kinds = _FUNCTIONS[name]
    if element.is_bool:
        return _KINDS[kinds], "use int32"
    if element.bits < 32:
        return "elements of 32 and 64 bits", f"use {'float32' if element.is_float else 'int32'}"
    if element.kind in kinds:
        return None
    return _KINDS[kinds], "use uint32" if kinds == ("uint",) else "use int32 or uint32"


def _amount(frame: Frame, node: ast.expr, name: str, where: memory.Place) -> ir.Value:
    value = frame.expression(node)
    if name == "sub" and isinstance(value, SCALAR_CLASSES):
        frame.at(node)
        value = _negative(frame, value, where.array.type.scalar)
    return memory.converted(frame, node, where, value)


def _negative(frame: Frame, value: Scalar, kind: ScalarType) -> Scalar:
    """The value to add; that of an integer in the element's type, where it wraps."""
    if isinstance(value, Literal) or value.kind.is_float or not kind.is_integer:
        return arithmetic.negate(frame.program, value)
    return arithmetic.negate(frame.program, arithmetic.cast(frame.program, value, kind))


def _updated(
    frame: Frame,
    node: ast.Call,
    name: str,
    where: memory.Place,
    value: ir.Value,
    old: ir.Value | None,
) -> Operand:
    frame.at(node)
    if isinstance(where.target, ir.ArrayParameter):
        where.target.written = where.target.atomic = True
    operation, _ = _FUNCTIONS[name]
    builder = frame.program.builder
    return Runtime(builder.atomic(operation, where.target, where.indices, value, compare=old))


def _update(name: str) -> Handler:
    def handler(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
        target, index, *amounts = arguments
        where = memory.element(frame, node, _array(frame, target, name), index)
        emitted = [_amount(frame, amount, name, where) for amount in amounts]
        old = emitted[0] if len(emitted) == 2 else None
        return _updated(frame, node, name, where, emitted[-1], old)

    return handler


def _compare_and_swap(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    """As `cas`, of the first element of an array of one dimension."""
    target, old, value = arguments
    name = "compare_and_swap"
    array = _array(frame, target, name)
    if array.type.ndim != 1:
        raise frame.fail(
            target,
            f"'hw.atomic.{name}' works on the first element of an array of 1 dimension, and "
            f"'{array.name}' has {array.type.ndim}",
            "write hw.atomic.cas(array, index, old, value)",
        )
    (first,) = frame.source.defaults(node, (0,))
    where = memory.element(frame, node, array, first)
    before = _amount(frame, old, name, where)
    return _updated(frame, node, name, where, _amount(frame, value, name, where), before)


_ROWS = {name: Row("array index value", _update(name)) for name in _FUNCTIONS}
_ROWS["cas"] = Row("array index old value", _update("cas"))
_ROWS["compare_and_swap"] = Row("array old value", _compare_and_swap)
ROWS: dict[str, Row] = {f"atomic.{name}": row for name, row in _ROWS.items()}
