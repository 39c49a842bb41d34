"""Expressions of the Python AST, by node type."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from headwater import ir
from headwater.frontend import arithmetic, places, threads
from headwater.frontend.calls import call
from headwater.frontend.frame import FALSE, Frame
from headwater.frontend.functions import choose
from headwater.frontend.markers import ThreadValue
from headwater.frontend.powers import power
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Literal,
    Operand,
    Runtime,
    Scalar,
    Tuple,
    Vector,
    can_vary,
    describe,
)
from headwater.types import BOOL

BINARY: dict[type[ast.operator], arithmetic.Binary] = {
    ast.Add: arithmetic.ADD,
    ast.Sub: arithmetic.SUB,
    ast.Mult: arithmetic.MUL,
    ast.Div: arithmetic.DIV,
    ast.FloorDiv: arithmetic.FLOORDIV,
    ast.Mod: arithmetic.MOD,
    ast.BitAnd: arithmetic.AND,
    ast.BitOr: arithmetic.OR,
    ast.BitXor: arithmetic.XOR,
    ast.LShift: arithmetic.SHL,
    ast.RShift: arithmetic.SHR,
}

_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}

# A side that is evaluated although Python would skip it: no memory, no loops, and not many operations.
_SAFE = (ir.Constant, ir.Compute, ir.Index, ir.Extent, ir.Read)
_CHEAP = 12


def evaluate(frame: Frame, node: ast.expr) -> Operand:
    """The value of an expression."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        name = _NAMES.get(type(node), type(node).__name__)
        raise frame.fail(node, f"{name} is not supported in a kernel")
    value = handler(frame, node)
    if isinstance(value, ThreadValue):
        return threads.value_of(frame, node, value.name)
    return placed(frame, node, value)


def placed(frame: Frame, node: ast.AST, value: Operand) -> Operand:
    """The value; one known when compiling remembers where it stands."""
    return replace(value, span=frame.span(node)) if isinstance(value, Literal) else value


_NAMES: dict[type[ast.expr], str] = {
    ast.NamedExpr: "':='",
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
    ast.JoinedStr: "a string",
    ast.Starred: "'*'",
    ast.Slice: "a slice",
}


def _constant(frame: Frame, node: ast.Constant) -> Operand:
    value = node.value
    if isinstance(value, bool | int | float):
        return arithmetic.literal(value)
    name = "None" if value is None else f"a '{type(value).__name__}'"
    raise frame.fail(node, f"{name} is not a value that kernels know", "use numbers and bools")


def _name(frame: Frame, node: ast.Name) -> Operand:
    return frame.read(node)


def _tuple(frame: Frame, node: ast.Tuple) -> Operand:
    return Tuple(tuple(frame.expression(part) for part in node.elts))


def _located(frame: Frame, node: ast.Attribute | ast.Subscript) -> Operand:
    return places.loaded(frame, node, places.resolve(frame, node))


# --- operators ------------------------------------------------------------------------------------


def _binary(frame: Frame, node: ast.BinOp) -> Operand:
    if isinstance(node.op, ast.Pow):
        return _power(frame, node)
    # A sum of many terms leans to the left: going down in a loop, its length is no depth.
    chain = [node]
    while isinstance(below := chain[-1].left, ast.BinOp) and not isinstance(below.op, ast.Pow):
        chain.append(below)
    value = frame.expression(chain[-1].left)
    for link in reversed(chain):
        value = placed(
            frame, link, combine(frame, link, link.op, value, frame.expression(link.right))
        )
    return value


def combine(frame: Frame, node: ast.AST, operator: ast.operator, a: Operand, b: Operand) -> Operand:
    """`a operator b`, for scalars and vectors."""
    frame.at(node)
    row = BINARY.get(type(operator))
    if row is None:
        raise frame.fail(node, "the operator '@' is not supported", "use hw.dot or hw.cross")
    if isinstance(a, SCALAR_CLASSES) and isinstance(b, SCALAR_CLASSES):
        return arithmetic.binary(frame.program, row, a, b)
    if isinstance(a, (*SCALAR_CLASSES, Vector)) and isinstance(b, (*SCALAR_CLASSES, Vector)):
        return arithmetic.vector_binary(frame.program, row, a, b)
    raise frame.fail(node, f"'{row.sign}' is not defined for {describe(a)} and {describe(b)}")


def _power(frame: Frame, node: ast.BinOp) -> Operand:
    base, exponent = frame.scalar(node.left), frame.scalar(node.right)
    frame.at(node)
    return power(frame.program, base, exponent)


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


# --- choices that skip a side ---------------------------------------------------------------------


def _aside(frame: Frame, compute: Callable[[], Any]) -> tuple[ir.Block, Any]:
    """Lower something into a block of its own."""
    block = ir.Block()
    with frame.program.inside(block):
        value = compute()
    return block, value


def _is_cheap(block: ir.Block) -> bool:
    return len(block.nodes) <= _CHEAP and all(isinstance(node, _SAFE) for node in block.nodes)


def _bool_op(frame: Frame, node: ast.BoolOp) -> Operand:
    is_and = isinstance(node.op, ast.And)
    result = _operand_of_bool(frame, node.values[0])
    for position, operand in enumerate(node.values[1:]):
        right = partial(_operand_of_bool, frame, operand)
        result = _joined(frame, node, position, is_and, result, right)
    return result


def _operand_of_bool(frame: Frame, node: ast.expr) -> Scalar:
    value = frame.scalar(node)
    if value.kind is BOOL:
        return value
    raise frame.fail(
        node,
        f"'and' and 'or' take bools, not {describe(value)}",
        "compare it, such as 'value != 0'",
    )


def _joined(
    frame: Frame,
    node: ast.AST,
    position: int,
    is_and: bool,
    left: Scalar,
    right: Callable[[], Scalar],
) -> Scalar:
    """`left and right` or `left or right`; `right` is lowered only where Python may evaluate it."""
    if isinstance(left, Literal):
        return right() if bool(left.value) == is_and else left
    block, value = _aside(frame, right)
    program = frame.program
    frame.at(node)
    if _is_cheap(block):
        program.builder.block.nodes.extend(block.nodes)
        if isinstance(value, Literal):
            return left if bool(value.value) == is_and else value
        operation = "and" if is_and else "or"
        return Runtime(
            program.builder.compute(operation, program.emit(left, BOOL), program.emit(value, BOOL))
        )
    key = frame.temporary(
        f"%both.{id(node)}.{position}" if is_and else f"%either.{id(node)}.{position}"
    )
    program.assign(key, left, "a condition")
    tested = left if is_and else arithmetic.logical_not(program, left)
    with program.inside(block):
        program.assign(key, value, "a condition")
    program.builder.append(ir.If(program.emit(tested, BOOL), block, ir.Block(), frame.span(node)))
    return program.read_scalar(key)


def _compare(frame: Frame, node: ast.Compare) -> Operand:
    left = frame.scalar(node.left)
    held: list[Scalar] = [left]
    result: Scalar | None = None
    for position, (operator, comparator) in enumerate(zip(node.ops, node.comparators, strict=True)):

        def test(operator: ast.cmpop = operator, comparator: ast.expr = comparator) -> Scalar:
            right = frame.scalar(comparator)
            before, held[0] = held[0], right
            return _comparison(frame, node, operator, before, right)

        result = test() if result is None else _chained(frame, node, position, result, test, held)
    if result is None:
        raise frame.program.broken("a comparison has no sides")
    return result


def _chained(
    frame: Frame,
    node: ast.Compare,
    position: int,
    before: Scalar,
    test: Callable[[], Scalar],
    held: list[Scalar],
) -> Scalar:
    """One more link of `a < b < c`, which is `a < b and b < c` with b evaluated once."""
    if position + 1 < len(node.ops):
        # A middle value is needed by the next link, so it is evaluated in the open.
        right = test()
        return _joined(frame, node, position, True, before, lambda: right)
    return _joined(frame, node, position, True, before, test)


def _comparison(frame: Frame, node: ast.AST, operator: ast.cmpop, a: Scalar, b: Scalar) -> Scalar:
    operation = _COMPARE.get(type(operator))
    if operation is None:
        word = {ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"}[
            type(operator)
        ]
        raise frame.fail(node, f"'{word}' is not supported in a kernel", "compare with == or !=")
    frame.at(node)
    return arithmetic.compare(frame.program, operation, a, b)


def _conditional(frame: Frame, node: ast.IfExp) -> Operand:
    condition = frame.condition(node.test)
    if isinstance(condition, Literal):
        return frame.expression(node.body if condition.value else node.orelse)
    then, a = _aside(frame, lambda: frame.expression(node.body))
    orelse, b = _aside(frame, lambda: frame.expression(node.orelse))
    program = frame.program
    frame.at(node)
    if _is_cheap(then) and _is_cheap(orelse):
        program.builder.block.nodes.extend((*then.nodes, *orelse.nodes))
        return choose(frame, node, condition, a, b)
    a, b = program.as_value(a), program.as_value(b)
    for value in (a, b):
        if not can_vary(value):
            raise frame.fail(
                node,
                f"a conditional expression gives a scalar, a vector, a tuple or a struct, not {describe(value)}",
            )
    key = frame.temporary(f"%choice.{id(node)}")
    for block, value in ((then, a), (orelse, b)):
        with program.inside(block):
            program.assign(key, value, "a conditional expression")
    program.builder.append(ir.If(program.emit(condition, BOOL), then, orelse, frame.span(node)))
    return program.read(key)


_HANDLERS: dict[type[ast.expr], Callable[[Frame, Any], Operand]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Tuple: _tuple,
    ast.Attribute: _located,
    ast.Subscript: _located,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _bool_op,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.Call: call,
}
