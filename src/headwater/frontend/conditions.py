"""Comparisons, `and` and `or`, `a if c else b`: what skips a side, and what is decided when compiling."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from headwater import ir
from headwater.frontend import arithmetic, choices, static
from headwater.frontend.frame import Environment, Frame, merged
from headwater.frontend.functions import choose, no_choice
from headwater.frontend.values import (
    ARRAYS,
    SCALAR_CLASSES,
    Literal,
    Operand,
    Runtime,
    Scalar,
    can_vary,
    describe,
    known_truth,
)
from headwater.types import BOOL

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


def _aside(
    frame: Frame, compute: Callable[[], Any], where: ast.expr | None = None
) -> tuple[ir.Block, Any, Environment]:
    """Lower something into a block of its own, for where a condition `where` holds.

    Names that it alone gives values are unknown afterwards; the third result is those.
    """
    block, before = ir.Block(), dict(frame.names)
    if where is not None:
        frame.names = frame.names_where(where)
    with frame.program.inside(block):
        value = compute()
    given = {name: now for name, now in frame.names.items() if before.get(name) is not now}
    frame.names = merged(before, frame.names)
    return block, value, given


def _is_cheap(block: ir.Block, frame: Frame, where: ast.expr | None = None) -> bool:
    """Whether Python's skipping may be left out. Not where `where` gives names values: elsewhere they have none."""
    if where is not None and frame.given.get(id(where)):
        return False
    return len(block.nodes) <= _CHEAP and all(isinstance(node, _SAFE) for node in block.nodes)


# --- and, or --------------------------------------------------------------------------------------


def connected(frame: Frame, node: ast.BoolOp) -> Operand:
    """`a and b`, `a or b`: where a is known when compiling, Python's own choice of one of them."""
    is_and = isinstance(node.op, ast.And)
    result = frame.expression(node.values[0])
    frame.given[id(node)] = frame.given.get(id(node.values[0]), {}) if is_and else {}
    for position, operand in enumerate(node.values[1:]):
        known = known_truth(result)
        if known is not None:
            result = frame.expression(operand) if known == is_and else result
            continue
        left = _bool(frame, node.values[position], result)
        result = joined(frame, node, position, is_and, left, partial(_right, frame, operand))
    return result


def _right(frame: Frame, node: ast.expr) -> Scalar:
    return _bool(frame, node, frame.expression(node))


def _bool(frame: Frame, node: ast.expr, value: Operand) -> Scalar:
    known = known_truth(value)
    if known is not None and not isinstance(value, Literal):
        return Literal(known, BOOL)
    if isinstance(value, SCALAR_CLASSES) and value.kind is BOOL:
        return value
    raise frame.fail(
        node,
        f"'and' and 'or' take bools, not {describe(value)}",
        "compare it, such as 'value != 0'",
    )


def joined(
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
    chain = node if is_and and isinstance(node, ast.BoolOp) else None
    block, value, given = _aside(frame, right, chain)
    cheap = _is_cheap(block, frame, chain)
    if chain is not None:
        frame.given[id(chain)] = given
    program = frame.program
    frame.at(node)
    if cheap:
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


# --- comparisons ----------------------------------------------------------------------------------


def compared(frame: Frame, node: ast.Compare) -> Operand:
    """`a < b <= c`: each side is evaluated once."""
    held: list[Operand] = [frame.expression(node.left)]
    result: Scalar | None = None
    for position, (operator, comparator) in enumerate(zip(node.ops, node.comparators, strict=True)):

        def test(operator: ast.cmpop = operator, comparator: ast.expr = comparator) -> Scalar:
            right = frame.expression(comparator)
            before, held[0] = held[0], right
            return _comparison(frame, node, operator, before, right)

        result = test() if result is None else _chained(frame, node, position, result, test)
    if result is None:
        raise frame.program.broken("a comparison has no sides")
    return result


def _chained(
    frame: Frame, node: ast.Compare, position: int, before: Scalar, test: Callable[[], Scalar]
) -> Scalar:
    """One more link of `a < b < c`, which is `a < b and b < c` with b evaluated once."""
    if position + 1 < len(node.ops):
        # A middle value is needed by the next link, so it is evaluated in the open.
        right = test()
        return joined(frame, node, position, True, before, lambda: right)
    return joined(frame, node, position, True, before, test)


def _comparison(
    frame: Frame, node: ast.Compare, operator: ast.cmpop, a: Operand, b: Operand
) -> Scalar:
    frame.at(node)
    decided = static.compare(frame, node, operator, a, b)
    if decided is not None:
        return decided
    sides = [value for value in (a, b) if isinstance(value, SCALAR_CLASSES)]
    return arithmetic.compare(frame.program, _COMPARE[type(operator)], *sides)


# --- a if c else b --------------------------------------------------------------------------------


def conditional(frame: Frame, node: ast.IfExp) -> Operand:
    """`a if c else b`."""
    condition = frame.condition(node.test)
    if isinstance(condition, Literal):
        return frame.expression(node.body if condition.value else node.orelse)
    then, a, _ = _aside(frame, lambda: frame.expression(node.body), node.test)
    orelse, b, _ = _aside(frame, lambda: frame.expression(node.orelse))
    program = frame.program
    frame.at(node)
    if isinstance(a, ARRAYS) and isinstance(b, ARRAYS):
        return _array(frame, node, program.emit(condition, BOOL), (then, a), (orelse, b))
    if _is_cheap(then, frame, node.test) and _is_cheap(orelse, frame):
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


def _array(
    frame: Frame,
    node: ast.IfExp,
    condition: ir.Value,
    then: tuple[ir.Block, Operand],
    orelse: tuple[ir.Block, Operand],
) -> Operand:
    """`a if c else b` of two arrays."""
    found = choices.either(frame, f"%array.{id(node)}.", condition, then, orelse)
    if found is None:
        raise no_choice(frame, node, then[1], orelse[1])
    if then[0].nodes or orelse[0].nodes:
        branch = ir.If(condition, then[0], orelse[0], frame.span(node))
        frame.program.builder.append(branch)
    return found()
