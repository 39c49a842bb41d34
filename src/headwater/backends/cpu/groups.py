"""The loop over the SIMD groups of a block: threads g * W ... g * W + W - 1 in the order of their linear index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headwater import ir
from headwater.backends.cpu.lanes import LaneEmitter
from headwater.backends.cpu.linear import known_lanes
from headwater.backends.cpu.narrowing import Span
from headwater.backends.cpu.state import NO_UNROLL
from headwater.backends.cpu.text import Operand
from headwater.types import BOOL, INT32


def group_count(kernel: ir.Kernel, lanes: int) -> int:
    """How many groups a block has; the last may be partial."""
    return -(-kernel.threads // lanes)


@contextmanager
def group_loop(kernel: ir.Kernel, e: LaneEmitter, span: Span | None = None) -> Iterator[str]:
    """Emit a loop over the groups, or a span of them, around what is emitted inside; gives the group as an i32."""
    w = e.w
    span = span or Span("0", str(group_count(kernel, e.lanes)))
    counter = w.slot("i32", 8, "group")
    body, following, end = (w.new_label(hint) for hint in ("group", "next", "threads"))
    w.emit(f"store i32 {span.first}, ptr {counter}, align 8")
    if span.trips is None:
        w.branch_if(w.value(f"icmp ult i32 {span.first}, {span.last}"), body, end)
    w.place(body)
    group = w.value(f"load i32, ptr {counter}, align 8", "group")
    _enter(kernel, e, w.value(f"mul i32 {group}, {e.lanes}"))
    e.return_label = following
    yield group
    w.place(following)
    more = w.value(f"add i32 {group}, 1")
    w.emit(f"store i32 {more}, ptr {counter}, align 8")
    last = w.value(f"icmp ult i32 {more}, {span.last}")
    w.branch_if(last, body, end, NO_UNROLL)
    w.place(end)


def enter_group(kernel: ir.Kernel, e: LaneEmitter, group: int) -> None:
    """Set up the lanes of one group for what follows: its threads' numbers are constants."""
    _enter(kernel, e, str(group * e.lanes))


def lanes_for(threads: int) -> int:
    """The least number of lanes for so many threads."""
    return 1 << (threads - 1).bit_length()


def enter_few(kernel: ir.Kernel, e: LaneEmitter, first: int, last: int) -> None:
    """Set up the lanes for the threads from `first` to before `last`, of which there are no more than lanes."""
    _enter(kernel, e, str(first))
    if e.lanes > last - first:
        e.mask = _below(e, str(first), last)


def _enter(kernel: ir.Kernel, e: LaneEmitter, first: str) -> None:
    """Set up the lanes of the group whose first thread is `first`."""
    e.mask, e.loop, e.chain, e.alive = None, None, True, None
    e.threads = _thread_indices(kernel, e, first)
    e.clear_variables()
    if e.lanes > 1 and kernel.threads % e.lanes:
        e.mask = _below(e, first, kernel.threads)
    if e.lanes > 1 and e.returns:
        e.alive = e.w.slot(e.type(BOOL), 8, "alive")
        e.store_mask(e.alive, e.on())


def _below(e: LaneEmitter, first: str, end: int) -> str | None:
    """The lanes whose threads' numbers, from `first` on, are below `end`; None for all."""
    number, bound = e.consecutive(first, INT32), Operand("uniform", str(end), INT32)
    known = known_lanes("lt", BOOL, (number, bound), e.lanes)
    if known is None:
        return e.vector.compare("ult", INT32, e.spread(number), f"splat (i32 {end})")
    return None if known.uniform else known.text


def _thread_indices(kernel: ir.Kernel, e: LaneEmitter, first: str) -> tuple[Operand, ...]:
    """x, y and z of the threads in their block."""
    size_x, size_y, size_z = kernel.block_shape
    zero = Operand("uniform", "0", INT32)
    # The first thread of a whole group; that of a few threads is known.
    number = e.consecutive(first, INT32, divisor=e.lanes)
    if size_y == size_z == 1:
        return number, zero, zero
    if size_x % e.lanes == 0:
        # A group lies in one row.
        x, y, z = _split(e, "uniform", first, size_x, size_y)
        return e.consecutive(x.text, INT32, divisor=e.lanes), y, z
    rows = e.lanes // size_x
    if rows * size_x == e.lanes and size_y % rows == 0 and kernel.threads % e.lanes == 0:
        # A group is some whole rows.
        _, y, z = _split(e, "uniform", first, size_x, size_y)
        lanes = range(e.lanes)
        x = Operand("linear", "0", INT32, tuple(lane % size_x for lane in lanes))
        places = tuple(lane // size_x for lane in lanes)
        return x, Operand("linear", y.text, INT32, places, divisor=_power_in(rows)), z
    return _split(e, "varying", e.spread(number), size_x, size_y)


def _power_in(number: int) -> int:
    return number & -number


def _split(
    e: LaneEmitter, kind: str, number: str, size_x: int, size_y: int
) -> tuple[Operand, Operand, Operand]:
    """x, y and z of a linear thread number, for all lanes alike or lane by lane."""
    if not number.startswith("%"):
        first = int(number)
        places = (first % size_x, first // size_x % size_y, first // size_x // size_y)
        x, y, z = (Operand("uniform", str(place), INT32) for place in places)
        return x, y, z
    o = e.scalar if kind == "uniform" else e.vector
    row = o.binary("udiv", INT32, number, o.constant(size_x, INT32))
    texts = (
        o.binary("urem", INT32, number, o.constant(size_x, INT32)),
        o.binary("urem", INT32, row, o.constant(size_y, INT32)),
        o.binary("udiv", INT32, row, o.constant(size_y, INT32)),
    )
    x, y, z = (Operand(kind, text, INT32) for text in texts)
    return x, y, z
