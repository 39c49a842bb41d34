"""Statements of the Python AST, by node type. Each handler says whether control reaches what follows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from headwater import ir
from headwater.frontend import assignment, loops
from headwater.frontend.frame import Environment, Frame, merged
from headwater.frontend.inline import return_from
from headwater.frontend.source import first_line
from headwater.frontend.values import Literal
from headwater.types import BOOL


def execute(frame: Frame, statements: Sequence[ast.stmt]) -> bool:
    """Lower statements in order; False where control does not reach the end. What is unreachable is left out."""
    for statement in statements:
        handler = _HANDLERS.get(type(statement))
        if handler is None:
            raise _unsupported(frame, statement)
        try:
            falls = handler(frame, statement)
        except RecursionError:
            raise frame.fail(
                first_line(statement),
                "this statement is nested too deeply",
                "split it into several",
            ) from None
        if not falls:
            return False
    return True


def _unsupported(frame: Frame, node: ast.stmt) -> Exception:
    word = _WORDS.get(type(node), type(node).__name__.lower())
    hint = "define it outside, with @hw.function" if isinstance(node, ast.FunctionDef) else None
    return frame.fail(
        first_line(node), f"the statement '{word}' is not supported in a kernel", hint
    )


_WORDS: dict[type[ast.stmt], str] = {
    ast.FunctionDef: "def",
    ast.ClassDef: "class",
    ast.AsyncFunctionDef: "async def",
    ast.AsyncFor: "async for",
    ast.AsyncWith: "async with",
    ast.Delete: "del",
    ast.ImportFrom: "import",
}


# --- control --------------------------------------------------------------------------------------


def _if(frame: Frame, node: ast.If) -> bool:
    condition = frame.condition(node.test)
    if isinstance(condition, Literal):
        return execute(frame, node.body if condition.value else node.orelse)
    program = frame.program
    emitted = program.emit(condition, BOOL)
    before = frame.names
    then, names_then, falls_then = _branch(frame, node.body, before)
    orelse, names_orelse, falls_orelse = _branch(frame, node.orelse, before)
    if falls_then and falls_orelse:
        frame.names = merged(names_then, names_orelse)
    else:
        frame.names = names_then if falls_then else names_orelse
    program.builder.append(ir.If(emitted, then, orelse, frame.span(node.test)))
    return falls_then or falls_orelse


def _branch(
    frame: Frame, statements: Sequence[ast.stmt], before: Environment
) -> tuple[ir.Block, Environment, bool]:
    frame.names = dict(before)
    block = ir.Block()
    with frame.program.inside(block):
        falls = execute(frame, statements)
    return block, frame.names, falls


def _return(frame: Frame, node: ast.Return) -> bool:
    if frame.inlined:
        return_from(frame, node)
        return False
    if node.value is not None and not (
        isinstance(node.value, ast.Constant) and node.value.value is None
    ):
        raise frame.fail(node, "a kernel returns nothing", "store the result in an array")
    frame.program.builder.append(ir.Return(frame.span(node)))
    return False


def _pass(frame: Frame, node: ast.Pass) -> bool:
    return True


def _expression(frame: Frame, node: ast.Expr) -> bool:
    if not isinstance(node.value, ast.Constant):
        frame.expression(node.value)
    return True


_HANDLERS: dict[type[ast.stmt], Callable[[Frame, Any], bool]] = {
    ast.Assign: assignment.assign,
    ast.AnnAssign: assignment.annotated,
    ast.AugAssign: assignment.augmented,
    ast.If: _if,
    ast.While: loops.while_loop,
    ast.For: loops.for_loop,
    ast.Break: loops.break_loop,
    ast.Continue: loops.continue_loop,
    ast.Return: _return,
    ast.Pass: _pass,
    ast.Expr: _expression,
}
