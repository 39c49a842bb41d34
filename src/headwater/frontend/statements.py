"""Statements of the Python AST, by node type. Each handler says whether control reaches what follows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from headwater import ir
from headwater.frontend import assignment, choices, debug, loops, matching
from headwater.frontend.frame import Environment, Frame
from headwater.frontend.inline import return_from
from headwater.frontend.source import first_line
from headwater.frontend.values import Literal, Scalar
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
    return frame.fail(
        first_line(node),
        f"the statement '{word}' is not supported in a kernel",
        _HINTS.get(type(node)),
    )


_WORDS: dict[type[ast.stmt], str] = {
    ast.FunctionDef: "def",
    ast.ClassDef: "class",
    ast.AsyncFunctionDef: "async def",
    ast.AsyncFor: "async for",
    ast.AsyncWith: "async with",
    ast.Delete: "del",
    ast.ImportFrom: "import",
    ast.TryStar: "try",
}
_HINTS: dict[type[ast.stmt], str] = {
    ast.FunctionDef: "define it outside, with @hw.function",
    ast.ClassDef: "define it outside: frozen dataclasses are structs",
    ast.Raise: "write 'assert condition, text', or keep a flag in an array and test it after the launch",
    ast.Try: "nothing raises in a kernel: test the condition itself",
    ast.TryStar: "nothing raises in a kernel: test the condition itself",
    ast.With: "open what you need outside, and pass it",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.Delete: "a name needs no end",
    ast.Global: "names from outside are constants: keep what changes in an array",
    ast.Nonlocal: "names from outside are constants: keep what changes in an array",
}


# --- control --------------------------------------------------------------------------------------


def _if(frame: Frame, node: ast.If) -> bool:
    condition = frame.condition(node.test)

    def then() -> bool:
        frame.names = frame.names_where(node.test)
        return execute(frame, node.body)

    return _branch(frame, node.test, condition, then, lambda: execute(frame, node.orelse))


def _branch(
    frame: Frame,
    node: ast.AST,
    condition: Scalar,
    then: Callable[[], bool],
    orelse: Callable[[], bool],
) -> bool:
    """Both ways, or only the one that is taken where that is known when compiling."""
    if isinstance(condition, Literal):
        return then() if condition.value else orelse()
    program = frame.program
    emitted = program.emit(condition, BOOL)
    before = frame.names
    on_true, on_false = _arm(frame, then, before), _arm(frame, orelse, before)
    known = choices.after(frame, emitted, on_true, on_false)
    program.builder.append(ir.If(emitted, on_true.block, on_false.block, frame.span(node)))
    frame.names = known()
    return on_true.falls or on_false.falls


def _arm(frame: Frame, lower: Callable[[], bool], before: Environment) -> choices.Arm:
    frame.names = dict(before)
    block = ir.Block()
    with frame.program.inside(block):
        falls = lower()
    return choices.Arm(block, frame.names, falls)


def _match(frame: Frame, node: ast.Match) -> bool:
    return matching.lower(frame, node, _branch)


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
    ast.Match: _match,
    ast.Assert: debug.assertion,
    ast.Return: _return,
    ast.Pass: _pass,
    ast.Expr: _expression,
}
