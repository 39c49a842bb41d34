"""Loops of a SIMD group.

A uniform loop is branches on scalars. In a divergent one lanes have their own bounds or leave early: it runs
while any lane lives, and its exits take lanes out of the set that lives. A spread loop belongs to one thread, and
the lanes take its trips.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater import ir
from headwater.backends.cpu.operations import Operations
from headwater.backends.cpu.state import NO_UNROLL, Loop
from headwater.backends.cpu.text import Operand, scalar_text
from headwater.backends.cpu.variance import escapes
from headwater.types import BOOL, ScalarType

if TYPE_CHECKING:
    from headwater.backends.cpu.lanes import LaneEmitter


@dataclass(frozen=True, slots=True)
class _Frame:
    """What a divergent loop restores at its end."""

    mask: str | None
    loop: Loop | None
    chain: bool
    live: str
    body: str
    next_label: str
    end: str


def emit_for(e: LaneEmitter, node: ir.For) -> None:
    """A counted loop in the form that its lanes need."""
    if node.spread and e.inside:
        _spread_for(e, node)
    elif node in e.variance.divergent_loops:
        _divergent_for(e, node)
    else:
        _uniform_for(e, node)


def _uniform_for(e: LaneEmitter, node: ir.For) -> None:
    kind, start, stop, step = _bounds(e, node)
    before = e.mask
    with counted_loop(e, kind, start, stop, step) as index:
        e.values[node.index] = Operand("uniform", index, kind)
        e.block(node.body)
    e.mask = before


@contextmanager
def counted_loop(
    e: LaneEmitter, kind: ScalarType, start: str, stop: str, step: str
) -> Iterator[str]:
    """Emit `for index in range(start, stop, step)` on scalars around what is emitted inside; gives the index."""
    text = scalar_text(kind)
    counter = e.w.slot(text, 8, "counter")
    body, following, end = (e.w.new_label(hint) for hint in ("loop", "next", "end"))
    enter = enters(e.scalar, kind, start, stop, step)
    e.w.emit(f"store {text} {start}, ptr {counter}, align 8")
    e.w.branch_if(enter, body, end)
    e.w.place(body)
    index = e.w.value(f"load {text}, ptr {counter}, align 8", "index")
    outer, e.loop = e.loop, Loop(end, following, None)
    yield index
    e.loop = outer
    e.w.place(following)
    more = continues(e.scalar, kind, index, stop, step)
    e.w.emit(f"store {text} {e.scalar.binary('add', kind, index, step)}, ptr {counter}, align 8")
    e.w.branch_if(more, body, end, NO_UNROLL)
    e.w.place(end)


def _bounds(e: LaneEmitter, node: ir.For) -> tuple[ScalarType, str, str, str]:
    start, stop, step = (e.use(value).text for value in (node.start, node.stop, node.step))
    return node.index.type, start, stop, step


def _divergent_for(e: LaneEmitter, node: ir.For) -> None:
    """Lanes have their own bounds or leave early: run while any lane lives."""
    kind = node.index.type
    start, stop, step = (e.use(value) for value in (node.start, node.stop, node.step))
    # With one start and step, all living lanes are at one index, whatever their stops.
    together = start.uniform and step.uniform
    slot = e.w.slot(scalar_text(kind) if together else e.type(kind), 64, "counter")
    operations = e.scalar if together else e.vector
    text = operations.type(kind)
    first = start.text if together else e.spread(start)
    e.w.emit(f"store {text} {first}, ptr {slot}, align 8")
    stops, steps = e.spread(stop), e.spread(step)
    entering = enters(e.vector, kind, e.spread(start), stops, steps)
    frame = _open_divergent(e, node, e.both(e.mask, entering))
    index = e.w.value(f"load {text}, ptr {slot}, align 8", "index")
    e.values[node.index] = Operand("uniform" if together else "varying", index, kind)
    e.block(node.body)
    e.w.place(frame.next_label)
    indices = e.spread(e.values[node.index])
    more = continues(e.vector, kind, indices, stops, steps)
    advance = operations.binary("add", kind, index, step.text if together else steps)
    e.w.emit(f"store {text} {advance}, ptr {slot}, align 8")
    _close_divergent(e, node, frame, more)


def _open_divergent(e: LaneEmitter, node: ir.For | ir.While, enters: str) -> _Frame:
    """Start a loop over the lanes of `enters`; the code after it is the body, with its mask."""
    live = e.w.slot(e.type(BOOL), 8, "live")
    body, following, end = (e.w.new_label(hint) for hint in ("loop", "next", "end"))
    frame = _Frame(e.mask, e.loop, e.chain, live, body, following, end)
    e.store_mask(live, enters)
    e.w.branch_if(e.any(enters), body, end)
    e.w.place(body)
    e.mask = e.load_mask(live)
    e.loop, e.chain = Loop(end, following, live), False
    return frame


def _close_divergent(
    e: LaneEmitter, node: ir.For | ir.While, frame: _Frame, more: str | None
) -> None:
    """End a trip: the lanes that are left and want `more` go round again."""
    left = e.load_mask(frame.live)
    if more is not None:
        left = e.both(left, more)
    if ir.Return in escapes(node.body):
        assert e.alive is not None
        left = e.both(e.load_mask(e.alive), left)
    e.store_mask(frame.live, left)
    e.w.branch_if(e.any(left), frame.body, frame.end, NO_UNROLL)
    e.w.place(frame.end)
    e.mask, e.loop, e.chain = frame.mask, frame.loop, frame.chain
    if ir.Return in escapes(node.body):
        assert e.alive is not None
        e.mask = e.both(e.mask, e.load_mask(e.alive))


def emit_while(e: LaneEmitter, node: ir.While) -> None:
    """A tested loop in the form that its lanes need."""
    if node in e.variance.divergent_loops:
        _divergent_while(e, node)
    else:
        _uniform_while(e, node)


def _uniform_while(e: LaneEmitter, node: ir.While) -> None:
    test, body, end = (e.w.new_label(hint) for hint in ("test", "loop", "end"))
    before, outer = e.mask, e.loop
    with _watched(e, node) as trip:
        e.w.place(test)
        trip()
        e.block(node.test)
        e.w.branch_if(e.use(node.condition).text, body, end)
        e.w.place(body)
        e.loop = Loop(end, test, None)
        e.block(node.body)
        if not e.w.terminated:
            e.w.emit(f"br label %{test}{NO_UNROLL}")
            e.w.terminated = True
        e.w.place(end)
    e.mask, e.loop = before, outer


def _divergent_while(e: LaneEmitter, node: ir.While) -> None:
    with _watched(e, node) as trip:
        frame = _open_divergent(e, node, e.on())
        trip()
        e.block(node.test)
        passed = e.both(e.load_mask(frame.live), e.spread(e.use(node.condition)))
        e.store_mask(frame.live, passed)
        e.mask = passed
        inner = e.w.new_label("body")
        e.w.branch_if(e.any(passed), inner, frame.next_label)
        e.w.place(inner)
        e.block(node.body)
        e.w.place(frame.next_label)
        _close_divergent(e, node, frame, None)


@contextmanager
def _watched(e: LaneEmitter, node: ir.While) -> Iterator[Callable[[], None]]:
    """Emit around a loop what finds that it waits for ever; gives what is emitted at the start of each trip."""
    watch = e.waiting
    if watch is None or not node.waits or e.inside:
        yield lambda: None
        return
    number = watch.enter(node)
    yield lambda: watch.trip(e, number)
    watch.go_on(e)


def _spread_for(e: LaneEmitter, node: ir.For) -> None:
    """The lanes take consecutive trips of one thread's loop; step is 1."""
    kind, start, stop, _ = _bounds(e, node)
    text = scalar_text(kind)
    counter = e.w.slot(text, 8, "counter")
    body, end = e.w.new_label("spread"), e.w.new_label("end")
    e.w.emit(f"store {text} {start}, ptr {counter}, align 8")
    e.w.branch_if(e.scalar.compare("slt", kind, start, stop), body, end)
    e.w.place(body)
    index = e.w.value(f"load {text}, ptr {counter}, align 8", "index")
    e.values[node.index] = e.consecutive(index, kind)
    e.access.spread_index = index
    before, outer = e.mask, e.loop
    indices = e.spread(e.values[node.index])
    e.mask = e.vector.compare("slt", kind, indices, e.broadcast(stop, kind))
    e.loop = Loop(end, "", None, spread=True)
    e.block(node.body)
    e.mask, e.loop = before, outer
    e.access.spread_index = ""
    following = e.scalar.binary("add", kind, index, str(e.lanes))
    e.w.emit(f"store {text} {following}, ptr {counter}, align 8")
    e.w.branch_if(e.scalar.compare("slt", kind, following, stop), body, end, NO_UNROLL)
    e.w.place(end)


def _known_sign(step: str) -> int:
    """The sign of a constant step, 0 where it is known at run time only."""
    text = step.removeprefix("splat (").rstrip(")").split(" ")[-1]
    if text.startswith("%"):
        return 0
    return (int(text) > 0) - (int(text) < 0)


def enters(o: Operations, kind: ScalarType, start: str, stop: str, step: str) -> str:
    """Whether `range(start, stop, step)` has a first trip."""
    signed = "s" if kind.kind == "int" else "u"
    sign = _known_sign(step) if signed == "s" else 0
    up = o.compare(f"{signed}lt", kind, start, stop)
    if sign > 0:
        return up
    down = o.compare(f"{signed}gt", kind, start, stop)
    if sign < 0:
        return down
    zero = o.constant(0, kind)
    rising = o.binary("and", BOOL, up, o.compare("ne", kind, step, zero))
    if signed == "u":
        return rising
    return o.select(BOOL, o.compare("slt", kind, step, zero), down, rising)


def continues(o: Operations, kind: ScalarType, index: str, stop: str, step: str) -> str:
    """Whether another trip follows the one at `index`, without forming an index that might wrap."""
    sign = _known_sign(step) if kind.kind == "int" else 1
    ahead = o.binary("sub", kind, stop, index)
    up = o.compare("ugt", kind, ahead, step)
    if sign > 0:
        return up
    zero = o.constant(0, kind)
    behind = o.binary("sub", kind, index, stop)
    down = o.compare("ugt", kind, behind, o.binary("sub", kind, zero, step))
    if sign < 0:
        return down
    return o.select(BOOL, o.compare("slt", kind, step, zero), down, up)
