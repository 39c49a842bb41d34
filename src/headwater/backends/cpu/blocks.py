"""The loop over the blocks of a call.

A block's place in the grid is counted up: divisions would take longer than many a block's work.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headwater import ir
from headwater.backends.cpu.lanes import LaneEmitter
from headwater.backends.cpu.state import NO_UNROLL
from headwater.backends.cpu.text import FunctionWriter, Operand
from headwater.types import INT32

_AXES = ("x", "y", "z")


@contextmanager
def block_loop(kernel: ir.Kernel, e: LaneEmitter) -> Iterator[None]:
    """Emit a loop from %first to before %last around what is emitted inside, and the function's end."""
    w = e.w
    counter = w.slot("i64", 8, "block")
    places = [w.slot("i32", 8, axis) for axis in _AXES]
    start, body, end = (w.new_label(hint) for hint in ("first", "block", "done"))
    w.branch_if(w.value("icmp slt i64 %first, %last"), start, end)
    w.place(start)
    w.emit(f"store i64 %first, ptr {counter}, align 8")
    _find_first(w, places)
    w.place(body)
    block = w.value(f"load i64, ptr {counter}, align 8", "block")
    found = [
        w.value(f"load i32, ptr {place}, align 8", axis)
        for axis, place in zip(_AXES, places, strict=True)
    ]
    e.blocks = {
        "block": _uniform(found),
        "block_size": _uniform(list(map(str, kernel.block_shape))),
        "grid_size": _uniform(["%grid_x", "%grid_y", "%grid_z"]),
    }
    yield
    _go_on(w, places, found)
    following = w.value(f"add i64 {block}, 1")
    w.emit(f"store i64 {following}, ptr {counter}, align 8")
    w.branch_if(w.value(f"icmp slt i64 {following}, %last"), body, end, NO_UNROLL)
    w.place(end)
    w.emit("ret void")


def _find_first(w: FunctionWriter, places: list[str]) -> None:
    x, y = w.value("zext i32 %grid_x to i64"), w.value("zext i32 %grid_y to i64")
    row = w.value(f"udiv i64 %first, {x}")
    wide = (
        w.value(f"urem i64 %first, {x}"),
        w.value(f"urem i64 {row}, {y}"),
        w.value(f"udiv i64 {row}, {y}"),
    )
    for number, place in zip(wide, places, strict=True):
        w.emit(f"store i32 {w.value(f'trunc i64 {number} to i32')}, ptr {place}, align 8")


def _go_on(w: FunctionWriter, places: list[str], found: list[str]) -> None:
    """The next block: x is the fastest, and each axis that is at its end carries one to the next."""
    carry = "1"
    for axis, place, number in zip(_AXES, places, found, strict=True):
        following = w.value(f"add i32 {number}, {carry}")
        over = w.value(f"icmp eq i32 {following}, %grid_{axis}")
        kept = w.value(f"select i1 {over}, i32 0, i32 {following}")
        w.emit(f"store i32 {kept}, ptr {place}, align 8")
        carry = w.value(f"zext i1 {over} to i32")


def _uniform(texts: list[str]) -> tuple[Operand, ...]:
    return tuple(Operand("uniform", text, INT32) for text in texts)
