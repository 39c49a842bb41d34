"""Takes out of a kernel what is known when compiling, before lanes are chosen for it.

A variable that is read where it was set is the value itself, which may be a constant or consecutive over the lanes.
Integer arithmetic on constants is done here. A loop around barriers or local arrays whose few trips can be counted is
written out, so that its steps become constants and its local arrays registers.

Assumes that neighbour loops, votes and warp operations are lowered. Leaves the kernel's meaning as it is.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import fields

from headwater import ir
from headwater.backends.cpu.folding import Known, fold
from headwater.backends.cpu.variance import assigned, escapes

# A loop is written out up to so many trips, and a kernel grows by at most so many nodes.
_TRIPS = 32
_GROWTH = 1024


def simplify(kernel: ir.Kernel) -> None:
    """Change the kernel in place."""
    simplifier = _Simplifier()
    simplifier.block(kernel.body)
    _drop_unused(kernel)
    _drop_unread(kernel)


class _Simplifier:
    def __init__(self) -> None:
        # What a variable holds at this point, where that is one value.
        self.held: dict[ir.Variable, ir.Value] = {}
        # What stands for a value that is gone.
        self.same: dict[ir.Value, ir.Value] = {}
        self.known: dict[ir.Value, Known] = {}
        self.growth = 0

    def block(self, block: ir.Block) -> None:
        block.nodes = self.nodes(block.nodes)

    def nodes(self, nodes: Iterable[ir.Node]) -> list[ir.Node]:
        done: list[ir.Node] = []
        for node in nodes:
            _rename(node, self.same)
            self.node(node, done)
        return done

    def node(self, node: ir.Node, done: list[ir.Node]) -> None:
        """Append what the node becomes."""
        if isinstance(node, ir.Read) and node.variable in self.held:
            self.same[node.result] = self.held[node.variable]
            return
        if isinstance(node, ir.Compute):
            node = self.folded(node)
        if isinstance(node, ir.Constant):
            self.known[node.result] = node.value
        elif isinstance(node, ir.Assign):
            self.held[node.variable] = node.value
        elif isinstance(node, ir.If):
            self.branches(node, done)
            return
        elif isinstance(node, ir.For | ir.While):
            self.loop(node, done)
            return
        elif ir.children(node):
            self.apart(*ir.children(node))
        done.append(node)

    def folded(self, node: ir.Compute) -> ir.Compute | ir.Constant:
        if not all(argument in self.known for argument in node.arguments):
            return node
        values = tuple(self.known[argument] for argument in node.arguments)
        value = fold(node.operation, node.arguments[-1].type, node.result.type, values)
        return node if value is None else ir.Constant(node.result, value, node.span)

    def apart(self, *blocks: ir.Block) -> None:
        """Blocks that may run any number of times, one after the other."""
        self.forget(*blocks)
        for block in blocks:
            self.block(block)
        self.forget(*blocks)

    def forget(self, *blocks: ir.Block) -> None:
        for block in blocks:
            for variable in assigned(block):
                self.held.pop(variable, None)

    def branches(self, node: ir.If, done: list[ir.Node]) -> None:
        condition = self.known.get(node.condition)
        if condition is not None:
            taken = node.then if condition else node.orelse
            if not escapes(taken):
                done += self.nodes(taken.nodes)
                return
        before = dict(self.held)
        self.block(node.then)
        self.held = dict(before)
        self.block(node.orelse)
        self.held = before
        self.forget(node.then, node.orelse)
        done.append(node)

    # --- loops ------------------------------------------------------------------------------------

    def loop(self, node: ir.For | ir.While, done: list[ir.Node]) -> None:
        if self.pays(node):
            before = dict(self.held), dict(self.same), dict(self.known), self.growth
            trips = self.trips_of(node)
            if trips is not None:
                done += trips
                return
            self.held, self.same, self.known, self.growth = before
        self.apart(*ir.children(node))
        if isinstance(node, ir.While):
            node.condition = self.same.get(node.condition, node.condition)
        done.append(node)

    def pays(self, node: ir.For | ir.While) -> bool:
        """Whether a loop is worth writing out: its steps decide which threads work, or which element is named."""
        if isinstance(node, ir.For) and (node.spread or node.reductions):
            return False
        if escapes(node.body):
            return False
        inside = [inner for child in ir.children(node) for inner in ir.walk(child)]
        return any(isinstance(inner, ir.Barrier) or _is_local(inner) for inner in inside)

    def trips_of(self, node: ir.For | ir.While) -> list[ir.Node] | None:
        """All trips, one after the other; None where they cannot be counted or are too many."""
        return self.counted(node) if isinstance(node, ir.For) else self.tested(node)

    def counted(self, node: ir.For) -> list[ir.Node] | None:
        bounds = [self.known.get(value) for value in (node.start, node.stop, node.step)]
        if any(bound is None for bound in bounds) or bounds[2] == 0:
            return None
        start, stop, step = (int(bound) for bound in bounds if bound is not None)
        done: list[ir.Node] = []
        trips = range(start, stop, step)
        if len(trips) > _TRIPS:
            return None
        for trip in trips:
            index = ir.Value(node.index.type, node.index.name)
            done.append(ir.Constant(index, trip, node.span))
            self.known[index] = trip
            if not self.trip(node.body.nodes, {node.index: index}, done):
                return None
        return done

    def tested(self, node: ir.While) -> list[ir.Node] | None:
        done: list[ir.Node] = []
        for _ in range(_TRIPS + 1):
            values: dict[ir.Value, ir.Value] = {}
            if not self.trip(node.test.nodes, values, done):
                return None
            condition = values.get(node.condition, node.condition)
            condition = self.same.get(condition, condition)
            goes_on = self.known.get(condition)
            if goes_on is None:
                return None
            if not goes_on:
                return done
            if not self.trip(node.body.nodes, values, done):
                return None
        return None

    def trip(
        self, nodes: list[ir.Node], values: dict[ir.Value, ir.Value], done: list[ir.Node]
    ) -> bool:
        """Append a copy of the nodes; false where the kernel grows too big."""
        self.growth += _count(nodes)
        if self.growth > _GROWTH:
            return False
        done += self.nodes(_copies(nodes, values))
        return True


def _is_local(node: ir.Node) -> bool:
    return isinstance(node, ir.Load | ir.Store) and isinstance(node.array, ir.LocalArray)


def _count(nodes: list[ir.Node]) -> int:
    return len(nodes) + sum(_count(child.nodes) for node in nodes for child in ir.children(node))


def _copies(nodes: list[ir.Node], values: dict[ir.Value, ir.Value]) -> list[ir.Node]:
    """The nodes again, with new results, which are added to `values`."""
    copies = []
    for node in nodes:
        made = copy.copy(node)
        for result in ir.results(node):
            values[result] = ir.Value(result.type, result.name)
        for name in _fields(type(node)):
            entry = getattr(node, name)
            if isinstance(entry, ir.Block):
                entry = ir.Block(_copies(entry.nodes, values))
            elif isinstance(entry, ir.Value):
                entry = values.get(entry, entry)
            elif isinstance(entry, tuple):
                entry = tuple(values.get(v, v) if isinstance(v, ir.Value) else v for v in entry)
            else:
                continue
            setattr(made, name, entry)
        copies.append(made)
    return copies


def _rename(node: ir.Node, same: dict[ir.Value, ir.Value]) -> None:
    """Put other values in the place of the node's own operands."""
    if not same:
        return
    for name in _fields(type(node)):
        entry = getattr(node, name)
        if isinstance(entry, ir.Value):
            setattr(node, name, same.get(entry, entry))
        elif isinstance(entry, tuple) and entry:
            setattr(
                node, name, tuple(same.get(v, v) if isinstance(v, ir.Value) else v for v in entry)
            )


_NAMES: dict[type, tuple[str, ...]] = {}


def _fields(kind: type[ir.Node]) -> tuple[str, ...]:
    if kind not in _NAMES:
        _NAMES[kind] = tuple(entry.name for entry in fields(kind))
    return _NAMES[kind]


def _drop_unread(kernel: ir.Kernel) -> None:
    """Take out assignments to variables that nothing reads any more, and those variables."""
    nodes = list(ir.walk(kernel.body))
    read = {node.variable for node in nodes if isinstance(node, ir.Read)}
    read |= {r.variable for node in nodes if isinstance(node, ir.For) for r in node.reductions}
    if read.issuperset(kernel.variables):
        return
    for block in (kernel.body, *(child for node in nodes for child in ir.children(node))):
        block.nodes = [
            node for node in block.nodes if not isinstance(node, ir.Assign) or node.variable in read
        ]
    kernel.variables = [variable for variable in kernel.variables if variable in read]


_PURE = (ir.Constant, ir.Compute, ir.Index, ir.Extent, ir.Read, ir.Load)


def _drop_unused(kernel: ir.Kernel) -> None:
    """Take out what is worked out and not used."""
    used: set[ir.Value] = set()
    _keep_used(kernel.body, used)


def _keep_used(block: ir.Block, used: set[ir.Value]) -> None:
    kept: list[ir.Node] = []
    for node in reversed(block.nodes):
        if isinstance(node, _PURE) and node.result not in used:
            continue
        used.update(ir.operands(node))
        for child in reversed(ir.children(node)):
            _keep_used(child, used)
        kept.append(node)
    block.nodes = kept[::-1]
