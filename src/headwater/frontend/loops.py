"""Loops: `while`, `for` over a range, an array, the values of a tuple (written out), and over neighbours."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from headwater import ir
from headwater.frontend import arithmetic, iterables, neighbors
from headwater.frontend.assignment import assign_to
from headwater.frontend.frame import Alias, Environment, Frame, Loop, merged
from headwater.frontend.source import names_of
from headwater.frontend.values import (
    Literal,
    Neighbors,
    Operand,
    Range,
    Runtime,
    Tuple,
    Walk,
    describe,
)
from headwater.types import BOOL, INT32, WEAK_INT, join

# How many trips of loops that are written out a kernel may have in all.
_MAXIMUM_TRIPS = 1 << 14


def while_loop(frame: Frame, node: ast.While) -> bool:
    """`while test: ... else: ...`."""
    program, before = frame.program, frame.names
    test, body, loop = ir.Block(), ir.Block(), _loop(frame, node)
    span = frame.span(node.test)
    with program.inside(test):
        condition = frame.condition(node.test)
        frame.at(node.test)
        emitted = program.emit(condition, BOOL)
        never = isinstance(condition, Literal) and not condition.value
        before = frame.names  # the test runs at least once
        if not never:
            frame.names = frame.names_where(node.test)
            with program.inside(body):
                _body(frame, node.body, loop)
    if never:
        program.builder.block.nodes.extend(test.nodes)
        return program.execute(frame, node.orelse)
    program.builder.append(ir.While(test, emitted, body, span))
    return _after(frame, node, loop, before, isinstance(condition, Literal))


def for_loop(frame: Frame, node: ast.For) -> bool:
    """`for target in iterable: ... else: ...`."""
    iterable = frame.expression(node.iter)
    if isinstance(iterable, Range):
        return _over_range(frame, node, iterable)
    if isinstance(iterable, Neighbors) and iterable.center is not None:
        before, loop, around = frame.names, _loop(frame, node), iterable.center
        frame.names = dict(before)
        neighbors.lower(frame, node, iterable, around, lambda: _body(frame, node.body, loop))
        return _after(frame, node, loop, before)
    walked = iterables.walked(frame, node.iter, iterable)
    if isinstance(walked, Tuple):
        return _written_out(frame, node, walked.items)
    if isinstance(walked, Walk):
        numbers = Range(Literal(0, WEAK_INT), walked.length, Literal(1, WEAK_INT))
        return _counted(frame, node, numbers, "k", walked.item)
    raise frame.fail(
        node.iter,
        "a 'for' loop goes over 'range(...)', 'grid.neighbors(...)', an array or a tuple, not "
        f"{describe(iterable)}",
        "loop over the indices: 'for k in range(len(x))'",
    )


def _over_range(frame: Frame, node: ast.For, bounds: Range) -> bool:
    if not isinstance(node.target, ast.Name):
        raise frame.fail(node.target, "the target of a loop over 'range' must be one name")
    return _counted(frame, node, bounds, node.target.id, lambda index: index)


def _counted(
    frame: Frame, node: ast.For, bounds: Range, name: str, value: Callable[[Runtime], Operand]
) -> bool:
    """A loop over numbers, in which the target has the value that belongs to a number."""
    program, before = frame.program, frame.names
    kind = join(join(bounds.start.kind, bounds.stop.kind), bounds.step.kind)
    kind = program.default(kind)
    kind = INT32 if kind.bits < 32 else kind  # small integers would run out before their stop
    frame.at(node.iter)
    start, stop, step = (program.emit(b, kind) for b in (bounds.start, bounds.stop, bounds.step))
    loop = _loop(frame, node)
    index = ir.Value(kind, name)
    body = ir.Block()
    with program.inside(body):
        frame.names = dict(before)
        assign_to(frame, node.target, value(Runtime(index)))
        _body(frame, node.body, loop)
    program.builder.append(ir.For(index, start, stop, step, body, span=frame.span(node.iter)))
    return _after(frame, node, loop, before)


def _loop(frame: Frame, node: ast.For | ast.While) -> Loop:
    """The loop; with an `else`, a variable says whether it was left by `break`."""
    loop = Loop(before=frame.names)
    if node.orelse:
        loop.flag = frame.temporary(f"%left.{id(node)}")
        frame.program.assign(loop.flag, Literal(False, BOOL), "a loop")
    return loop


def _body(frame: Frame, statements: Sequence[ast.stmt], loop: Loop) -> None:
    frame.names = dict(frame.names)
    frame.loops.append(loop)
    frame.program.execute(frame, list(statements))
    frame.loops.pop()


def _after(
    frame: Frame, node: ast.For | ast.While, loop: Loop, before: Environment, endless: bool = False
) -> bool:
    """What follows a loop: its `else` where no `break` left it, and the names that are known then."""
    frame.names = before
    left = loop.breaks
    if endless:
        return _merge(frame, left)
    if not left or loop.flag is None:
        return frame.program.execute(frame, node.orelse)
    program, orelse = frame.program, ir.Block()
    frame.at(node)
    ended = arithmetic.logical_not(program, program.read_scalar(loop.flag))
    frame.names = dict(before)
    with program.inside(orelse):
        falls = program.execute(frame, node.orelse)
    program.builder.append(
        ir.If(program.emit(ended, BOOL), orelse, ir.Block(), frame.span(node.orelse[0]))
    )
    return _merge(frame, [*left, frame.names] if falls else left)


def _merge(frame: Frame, ways: list[Environment]) -> bool:
    """Know what is known on each way to here; False where there is none."""
    if not ways:
        return False
    frame.names = ways[0]
    for names in ways[1:]:
        frame.names = merged(frame.names, names)
    return True


# --- loops that are written out -------------------------------------------------------------------


def _written_out(frame: Frame, node: ast.For, items: Sequence[Operand]) -> bool:
    """One copy of the body for each value. Names assigned in a trip are known in the next one and after the loop."""
    program = frame.program
    falls = True
    for trip, item in enumerate(items):
        program.trips += 1
        if program.trips > _MAXIMUM_TRIPS:
            raise frame.fail(
                node.iter,
                f"more than {_MAXIMUM_TRIPS:,} trips of loops would be written out",
                "use range for the outer loop",
            )
        loop = Loop(written_out=program.builder.block)
        frame.loops.append(loop)
        frame.trips = (*frame.trips, trip)
        assign_to(frame, node.target, item)
        falls = program.execute(frame, node.body)
        frame.trips = frame.trips[:-1]
        frame.loops.pop()
        _forget(frame, node.target)
        if loop.breaks:
            return True
        if not falls and not loop.continues:
            return False
    return program.execute(frame, node.orelse)


def _forget(frame: Frame, target: ast.expr) -> None:
    """A target has one value in each trip, and none after the loop."""
    for name in names_of(target):
        if isinstance(frame.names.get(name), Alias):
            del frame.names[name]


# --- leaving --------------------------------------------------------------------------------------


def break_loop(frame: Frame, node: ast.Break) -> bool:
    """`break`."""
    loop = frame.loops[-1]
    loop.breaks.append(frame.names)
    if loop.written_out is not None:
        _check_decided(frame, node, loop.written_out, "break")
        return False
    if loop.flag is not None:
        frame.at(node)
        frame.program.assign(loop.flag, Literal(True, BOOL), "a loop")
    frame.program.builder.append(ir.Break(frame.span(node)))
    return False


def continue_loop(frame: Frame, node: ast.Continue) -> bool:
    """`continue`."""
    loop = frame.loops[-1]
    if loop.written_out is not None:
        _check_decided(frame, node, loop.written_out, "continue")
        loop.continues = True
        return False
    frame.program.builder.append(ir.Continue(frame.span(node)))
    return False


def _check_decided(frame: Frame, node: ast.stmt, block: ir.Block, word: str) -> None:
    if frame.program.builder.block is not block:
        raise frame.fail(
            node,
            f"'{word}' in a loop that is written out needs a condition that is known when compiling",
            "use range instead of hw.static_range, or put the rest of the body under an 'if'",
        )
