"""Expressions of the Python AST, by node type."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from headwater.frontend import arithmetic, conditions, places, threads
from headwater.frontend.calls import call
from headwater.frontend.frame import FALSE, Frame
from headwater.frontend.markers import ThreadValue
from headwater.frontend.operators import combine
from headwater.frontend.rows import Held, expanded
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Literal,
    Nothing,
    Operand,
    Text,
    Tuple,
    Vector,
    describe,
    literal,
)
from headwater.types import BOOL


def evaluate(frame: Frame, node: ast.expr) -> Operand:
    """The value of an expression."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        name = _NAMES.get(type(node), type(node).__name__)
        raise frame.fail(node, f"{name} is not supported in a kernel", _HINTS.get(type(node)))
    value = handler(frame, node)
    if isinstance(value, ThreadValue):
        return threads.value_of(frame, node, value.name)
    return placed(frame, node, value)


def placed(frame: Frame, node: ast.AST, value: Operand) -> Operand:
    """The value; one known when compiling remembers where it stands."""
    return replace(value, span=frame.span(node)) if isinstance(value, Literal) else value


_NAMES: dict[type[ast.expr], str] = {
    ast.Lambda: "'lambda'",
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.List: "a list",
    ast.ListComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a generator",
    ast.Await: "'await'",
    ast.Yield: "'yield'",
    ast.YieldFrom: "'yield from'",
    ast.JoinedStr: "an f-string outside of print and assert",
    ast.Starred: "'*'",
    ast.Slice: "a slice",
}


_LIST = "a tuple of fixed length is (a, b), an array of one thread is hw.local.array(n, dtype)"
_HINTS: dict[type[ast.expr], str] = {
    ast.Lambda: "define it outside, with @hw.function",
    ast.List: _LIST,
    ast.ListComp: _LIST,
    ast.SetComp: "write a loop",
    ast.DictComp: "write a loop",
    ast.GeneratorExp: "write a loop",
    ast.Dict: "a frozen dataclass is a struct with names",
    ast.Set: "write 'x in (a, b)' for a few values",
    ast.Yield: "store the values in an array",
    ast.YieldFrom: "store the values in an array",
    ast.JoinedStr: "strings are known when compiling, or printed",
}


def _constant(frame: Frame, node: ast.Constant) -> Operand:
    value = node.value
    if isinstance(value, bool | int | float):
        return literal(value)
    if isinstance(value, str):
        return Text(value)
    if value is None:
        return Nothing()
    raise frame.fail(
        node,
        f"a '{type(value).__name__}' is not a value that kernels know",
        "use numbers and bools",
    )


def _name(frame: Frame, node: ast.Name) -> Operand:
    return frame.read(node)


def _tuple(frame: Frame, node: ast.Tuple) -> Operand:
    return Tuple(tuple(value for _, value in expanded(frame, node.elts)))


def _located(frame: Frame, node: ast.Attribute | ast.Subscript) -> Operand:
    return places.loaded(frame, node, places.resolve(frame, node))


def _named(frame: Frame, node: ast.NamedExpr) -> Operand:
    """`name := value`."""
    value = frame.expression(node.value)
    frame.assign(node, node.target.id, value)
    return value


# --- operators ------------------------------------------------------------------------------------


def _binary(frame: Frame, node: ast.BinOp) -> Operand:
    # A sum of many terms leans to the left: going down in a loop, its length is no depth.
    chain = [node]
    while isinstance(below := chain[-1].left, ast.BinOp):
        chain.append(below)
    value = frame.expression(chain[-1].left)
    for link in reversed(chain):
        value = placed(
            frame, link, combine(frame, link, link.op, value, frame.expression(link.right))
        )
    return value


def _unary(frame: Frame, node: ast.UnaryOp) -> Operand:
    if isinstance(node.op, ast.Not):
        condition = frame.condition(node.operand)
        return arithmetic.logical_not(frame.program, condition)
    value = frame.expression(node.operand)
    frame.at(node)
    if isinstance(value, Vector) and isinstance(node.op, ast.USub):
        return Vector(tuple(arithmetic.negate(frame.program, part) for part in value.components))
    if not isinstance(value, SCALAR_CLASSES):
        raise frame.fail(node, f"a scalar was expected, not {describe(value)}")
    if isinstance(node.op, ast.USub):
        return arithmetic.negate(frame.program, value)
    if isinstance(node.op, ast.Invert):
        return arithmetic.invert(frame.program, value)
    return (
        arithmetic.binary(frame.program, arithmetic.ADD, value, FALSE)
        if value.kind is BOOL
        else value
    )


_HANDLERS: dict[type[ast.expr], Callable[[Frame, Any], Operand]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Tuple: _tuple,
    ast.Attribute: _located,
    ast.Subscript: _located,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: conditions.connected,
    ast.Compare: conditions.compared,
    ast.IfExp: conditions.conditional,
    ast.NamedExpr: _named,
    Held: lambda frame, node: node.operand,
    ast.Call: call,
}
