"""Runs a kernel: block after block, the threads of a block one after another from stop to stop.

There is one handler for each node type. A handler of a plain node does its work and returns None; one of a
node with blocks returns a generator, which yields each node at which the thread waits for others (`meeting` says
when it goes on) and ends with a `Signal`. Kept simple for ever: nothing here is fast, and everything is checked.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import count, product
from typing import Any

import numpy as np

from headwater import ir
from headwater.backends.contract import ENDLESS, ENDLESS_HINT, ArrayArgument, LaunchArgument
from headwater.backends.reference import breakpoints
from headwater.backends.reference.arithmetic import ATOMIC_OPERATORS, OPERATORS, Scalar, cast
from headwater.backends.reference.checks import Checks
from headwater.backends.reference.meeting import run_block
from headwater.backends.reference.memory import (
    Region,
    argument_region,
    constant_region,
    dynamic_regions,
    own_region,
)
from headwater.backends.reference.thread import Asserted, Signal, Steps, Stop, Thread, Triple
from headwater.ir import reports


def launch(
    kernel: ir.Kernel,
    grid: Triple,
    arguments: Sequence[LaunchArgument],
    *,
    backwards: bool = False,
    debug: bool = False,
) -> None:
    """Run all blocks of `grid` in order; KernelError at the first thing that is not defined.

    `backwards` runs blocks and threads in the opposite order: the result of a kernel without races on
    order is the same. `debug` looks for more, see `checks`.
    """
    checks = Checks(kernel) if debug else None
    regions: dict[object, Region] = {}
    values: dict[ir.Value, Scalar] = {}
    for parameter, argument in zip(kernel.parameters, arguments, strict=True):
        if isinstance(parameter, ir.ArrayParameter):
            assert isinstance(argument, ArrayArgument)
            regions[parameter] = argument_region(parameter, argument)
        else:
            values[parameter] = cast(parameter.type, argument)
    regions |= {array: constant_region(array) for array in kernel.constants}
    with np.errstate(all="ignore"):
        for block in _positions(grid, backwards):
            seen = regions | _shared(kernel)
            asserted: Asserted = {}
            threads = [
                Thread(
                    kernel,
                    grid,
                    block,
                    position,
                    seen | _locals(kernel),
                    dict(values),
                    asserted,
                    checks,
                )
                for position in _positions(kernel.block_shape, backwards)
            ]
            run_block(threads, _start)


def _shared(kernel: ir.Kernel) -> dict[object, Region]:
    fixed = {array: own_region(array) for array in kernel.shared if not array.dynamic}
    return fixed | dynamic_regions(kernel)


def _locals(kernel: ir.Kernel) -> dict[object, Region]:
    return {array: own_region(array) for array in kernel.locals}


def _start(thread: Thread) -> Steps:
    return _run(thread, thread.kernel.body)


def _positions(shape: Triple, backwards: bool) -> list[Triple]:
    """All positions, x fastest."""
    found = [(x, y, z) for z, y, x in product(*map(range, reversed(shape)))]
    return found[::-1] if backwards else found


def _run(thread: Thread, block: ir.Block) -> Steps:
    thread.path.append(0)
    signal = Signal.NEXT
    for number, node in enumerate(block.nodes):
        thread.path[-1] = number
        steps = HANDLERS[type(node)](thread, node)
        if steps is None:
            thread.check(node)
            continue
        signal = yield from steps
        if signal is not Signal.NEXT:
            break
    thread.path.pop()
    return signal


def _part(thread: Thread, number: int, block: ir.Block) -> Steps:
    """A block of a node: `number` tells it from the node's other branches, or trips."""
    thread.path.append(number)
    signal = yield from _run(thread, block)
    thread.path.pop()
    return signal


# --- values and memory ----------------------------------------------------------------------------


def _constant(thread: Thread, node: ir.Constant) -> None:
    thread.values[node.result] = cast(node.result.type, node.value)


def _compute(thread: Thread, node: ir.Compute) -> None:
    arguments = [thread.values[argument] for argument in node.arguments]
    if node.operation == "uniform":
        _require_uniform(thread, node, arguments[0])
    thread.values[node.result] = OPERATORS[node.operation](node.result.type, *arguments)


def _require_uniform(thread: Thread, node: ir.Compute, value: Scalar) -> None:
    """The n-th time that a thread comes here, the value must be that of the others' n-th time."""
    turn = thread.assertions.get(node, 0)
    thread.assertions[node] = turn + 1
    before = thread.asserted.setdefault(node, [])
    if turn == len(before):
        before.append(value)
    if value != before[turn] and not (value != value and before[turn] != before[turn]):
        raise thread.found(node, reports.not_uniform(value))


def _index(thread: Thread, node: ir.Index) -> None:
    sizes = {
        "thread": thread.position,
        "block": thread.block,
        "block_size": thread.kernel.block_shape,
        "grid_size": thread.grid,
    }
    thread.values[node.result] = sizes[node.kind][node.axis]


def _extent(thread: Thread, node: ir.Extent) -> None:
    thread.values[node.result] = thread.regions[node.array].shape[node.axis]


def _read(thread: Thread, node: ir.Read) -> None:
    if node.variable not in thread.variables:
        raise thread.fail(node, f"'{node.variable.name}' is read before it is assigned")
    thread.values[node.result] = thread.variables[node.variable]


def _assign(thread: Thread, node: ir.Assign) -> None:
    value, before = thread.values[node.value], thread.variables.get(node.variable)
    thread.changes += before is None or bool(before != value)
    thread.variables[node.variable] = value


def _find(thread: Thread, node: ir.Load | ir.Store | ir.Atomic) -> tuple[Region, int]:
    region = thread.regions[node.array]
    indices = tuple(thread.values[index] for index in node.indices)
    for axis, (index, extent) in enumerate(zip(indices, region.shape, strict=True)):
        if 0 <= index < extent:
            continue
        report = reports.out_of_bounds(region.name, index, extent, axis, len(indices))
        raise thread.found(node, report)
    return region, region.place(indices, node.component)


def _require_known(thread: Thread, node: ir.Load | ir.Atomic, region: Region, place: int) -> None:
    if region.known is None or region.known[place].all():
        return
    indices = [thread.values[index] for index in node.indices]
    local = isinstance(node.array, ir.LocalArray)
    raise thread.found(node, reports.unwritten(region.name, indices, local))


def _load(thread: Thread, node: ir.Load) -> None:
    region, place = _find(thread, node)
    _require_known(thread, node, region, place)
    thread.values[node.result] = region.load(place)


def _store(thread: Thread, node: ir.Store) -> None:
    region, place = _find(thread, node)
    thread.changes += 1
    region.store(place, thread.values[node.value])


def _atomic(thread: Thread, node: ir.Atomic) -> None:
    region, place = _find(thread, node)
    _require_known(thread, node, region, place)
    old = region.load(place)
    operands = [thread.values[node.value]]
    if node.compare is not None:
        operands.append(thread.values[node.compare])
    new = ATOMIC_OPERATORS[node.operation](node.value.type, old, *operands)
    thread.changes += bool(new != old)
    region.store(place, new)
    thread.values[node.result] = old


# --- control --------------------------------------------------------------------------------------


def _if(thread: Thread, node: ir.If) -> Steps:
    if thread.values[node.condition]:
        return _part(thread, 0, node.then)
    return _part(thread, 1, node.orelse)


def _for(thread: Thread, node: ir.For) -> Steps:
    start, stop, step = (thread.values[bound] for bound in (node.start, node.stop, node.step))
    for trip, index in enumerate(range(start, stop, step) if step != 0 else ()):
        thread.values[node.index] = index
        signal = yield from _part(thread, trip, node.body)
        if signal is Signal.BREAK:
            break
        if signal is Signal.RETURN:
            return signal
    return Signal.NEXT


def _while(thread: Thread, node: ir.While) -> Steps:
    for trip in count():
        changes = thread.changes
        yield from _part(thread, 2 * trip, node.test)
        if not thread.values[node.condition]:
            return Signal.NEXT
        signal = yield from _part(thread, 2 * trip + 1, node.body)
        if signal is Signal.BREAK:
            return Signal.NEXT
        if signal is Signal.RETURN:
            return signal
        if thread.changes == changes:
            raise thread.fail(node, ENDLESS, ENDLESS_HINT)
    raise AssertionError("count() does not end")


def _jump(signal: Signal) -> Callable[[Thread, object], Steps]:
    def steps(thread: Thread, node: object) -> Steps:
        yield from ()  # makes this a generator, as all handlers of control nodes are
        return signal

    return steps


def _inlined(thread: Thread, node: ir.Inlined) -> Steps:
    signal = yield from _run(thread, node.body)
    return Signal.NEXT if signal is Signal.RETURN else signal


def _wait(thread: Thread, node: Stop) -> Steps:
    yield node
    thread.changes += 1
    return Signal.NEXT


def _cooperative(thread: Thread, node: ir.Cooperative) -> Steps:
    return _run(thread, node.body)


def _neighbors(thread: Thread, node: ir.Neighbors) -> Steps:
    """Brute force over all particles of the grid, in ascending order: it knows nothing of cells."""
    grid = node.grid
    starts = thread.regions[grid.cell_start]
    count = starts.load(starts.place((starts.shape[0] - 1,), 0))
    positions = thread.regions[grid.positions]
    distance2: Any = 0
    offsets: list[np.ndarray[Any, Any]] = []
    for axis, center in enumerate(node.center):
        offset = thread.values[center] - positions.plane(axis, count)
        if grid.periodic[axis]:
            box = thread.values[grid.box[axis]]
            offset = offset - box * np.rint(offset / box)
        offsets.append(offset)
        distance2 = offset * offset if axis == 0 else distance2 + offset * offset
    own = None if node.center_index is None else thread.values[node.center_index]
    near = np.flatnonzero(distance2 < thread.values[grid.cutoff2])
    for trip, j in enumerate(near.tolist()):
        if j == own:
            continue
        thread.values[node.index] = j
        for value, offset in zip(node.offset, offsets, strict=True):
            thread.values[value] = offset[j]
        thread.values[node.distance2] = distance2[j]
        signal = yield from _part(thread, trip, node.body)
        if signal is Signal.BREAK:
            break
        if signal is Signal.RETURN:
            return signal
    return Signal.NEXT


# --- fences and debugging -------------------------------------------------------------------------


def _fence(thread: Thread, node: ir.Fence) -> None:
    """Nothing: each write is seen at once."""


def _assert(thread: Thread, node: ir.Assert) -> None:
    if not thread.values[node.condition]:
        raise thread.found(node, reports.failed(node.message))


def _within(thread: Thread, node: ir.Within) -> None:
    index, extent = thread.values[node.subscript], thread.values[node.extent]
    if not 0 <= index < extent:
        report = reports.out_of_bounds(node.name, index, extent, node.axis, node.axes)
        raise thread.found(node, report)


def _print(thread: Thread, node: ir.Print) -> None:
    parts = [part if isinstance(part, str) else thread.values[part] for part in node.parts]
    sys.stdout.write(f"{reports.text_of(reports.printed(parts))}\n")
    sys.stdout.flush()


HANDLERS: dict[type[Any], Callable[[Thread, Any], Steps | None]] = {
    ir.Constant: _constant,
    ir.Compute: _compute,
    ir.Index: _index,
    ir.Extent: _extent,
    ir.Read: _read,
    ir.Assign: _assign,
    ir.Load: _load,
    ir.Store: _store,
    ir.Atomic: _atomic,
    ir.If: _if,
    ir.For: _for,
    ir.While: _while,
    ir.Break: _jump(Signal.BREAK),
    ir.Continue: _jump(Signal.CONTINUE),
    ir.Return: _jump(Signal.RETURN),
    ir.Inlined: _inlined,
    ir.Barrier: _wait,
    ir.BarrierVote: _wait,
    ir.Warp: _wait,
    ir.Fence: _fence,
    ir.Assert: _assert,
    ir.Print: _print,
    ir.Within: _within,
    ir.Breakpoint: breakpoints.stop,
    ir.Cooperative: _cooperative,
    ir.Neighbors: _neighbors,
}
