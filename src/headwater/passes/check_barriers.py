"""Rejects barriers that some threads of a block may not reach.

Assumes that `lower_returns` has run. Where it kept early returns beside barriers, a copy without them is checked.
Changes nothing; leaves true that every barrier is reached by all threads of a block that have not returned, or by none,
the same number of times. Also rejects warp functions in neighbour loops, whose trips are the plan's.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

from headwater import ir
from headwater.errors import CompileError, Span
from headwater.passes.mask_returns import mask_returns
from headwater.passes.rewriting import BARRIERS, has_barrier
from headwater.passes.uniformity import Varying, varying


def check_barriers(kernel: ir.Kernel) -> None:
    """Raise CompileError at the first barrier under varying control; the hint names the line that decides."""
    for node in ir.walk(kernel.body):
        if isinstance(node, ir.Neighbors):
            _check_neighbors(node)
    if not has_barrier(kernel):
        return
    if any(isinstance(node, ir.Return) for node in ir.walk(kernel.body)):
        kernel = deepcopy(kernel)
        mask_returns(kernel)
    found = varying(kernel)
    for node in kernel.body.nodes:
        _check(node, found)


def _check_neighbors(loop: ir.Neighbors) -> None:
    for node in ir.walk(loop.body):
        if isinstance(node, ir.Warp | ir.Barrier | ir.BarrierVote):
            raise CompileError(
                f"'{ir.called(node)}' stands inside a neighbour loop, where threads go different ways",
                span=node.span,
                hint="finish the loop first",
            )


def _check(node: ir.Node, found: Varying) -> None:
    barrier = _first_barrier(node)
    if barrier is None or node is barrier:
        return
    if isinstance(node, ir.If) and node.condition in found.values:
        raise _rejected(
            barrier, f"the condition at {_line(node.span)} is not the same for all of them"
        )
    if node in found.loops:
        raise _rejected(barrier, _why_loop(node, found))
    for block in ir.children(node):
        for child in block.nodes:
            _check(child, found)


def _first_barrier(node: ir.Node) -> ir.Barrier | ir.BarrierVote | None:
    if isinstance(node, BARRIERS):
        return node
    inside = (inner for block in ir.children(node) for inner in ir.walk(block))
    return next((inner for inner in inside if isinstance(inner, BARRIERS)), None)


def _why_loop(node: ir.Node, found: Varying) -> str:
    loop = f"the loop at {_line(getattr(node, 'span', None))}"
    if isinstance(node, ir.While) and node.condition in found.values:
        return f"{loop} has a condition that is not the same for all of them"
    if isinstance(node, ir.For) and node.index in found.values:
        return f"{loop} has bounds that are not the same for all of them"
    for leaving, condition in _leaving(node, found):
        word = "break" if isinstance(leaving, ir.Break) else "continue"
        return f"the '{word}' at {_line(leaving.span)} depends on {_line(condition)}, which is not the same for all"
    return f"{loop} does not run the same for all of them"


def _leaving(loop: ir.Node, found: Varying) -> Iterator[tuple[ir.Break | ir.Continue, Span | None]]:
    """Breaks and continues of this loop that stand under a varying condition."""
    for block in ir.children(loop):
        yield from _leaving_in(block, found, None)


def _leaving_in(
    block: ir.Block, found: Varying, condition: Span | None
) -> Iterator[tuple[ir.Break | ir.Continue, Span | None]]:
    for node in block.nodes:
        if isinstance(node, ir.Break | ir.Continue) and condition is not None:
            yield node, condition
        if isinstance(node, ir.If):
            decides = node.span if node.condition in found.values else condition
            yield from _leaving_in(node.then, found, decides)
            yield from _leaving_in(node.orelse, found, decides)


def _rejected(barrier: ir.Barrier | ir.BarrierVote, reason: str) -> CompileError:
    hint = (
        f"{reason}; move the barrier out, or assert with hw.uniform(...) that the value is the same"
    )
    text = f"'{ir.called(barrier)}' may be reached by some threads of a block and not by others"
    return CompileError(text, span=barrier.span, hint=hint)


def _line(span: Span | None) -> str:
    return "an unknown line" if span is None else f"line {span.line}"
