"""Marks the loops in which a thread waits for another: spin locks and flags.

Such a loop writes nothing but the lock that it tries to take; the next trip finds what this one found, but for memory
that the kernel writes, which decides whether the loop ends; and a path leads through a trip to the next. Devices whose
threads do not all go on refuse such loops, or find the ones that never end. No such loops are those in which a variable
that a trip makes of itself decides anything: searches, counts of tries, scans that step back; nor those that store, or
take a lock and give it back in one trip. Plain reads of the memory that decides become atomic, as compilers may do them
once for all trips.

Assumes a kernel as the frontend makes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from headwater import ir
from headwater.ir.nodes import Array

# What a trip may hold, beside control, and still have written nothing.
_SILENT = (
    ir.Constant,
    ir.Compute,
    ir.Index,
    ir.Extent,
    ir.Read,
    ir.Load,
    ir.Within,
    ir.Assign,
    ir.Assert,
    ir.Print,
    ir.Breakpoint,
    ir.Barrier,
    ir.BarrierVote,
    ir.Warp,
    ir.Fence,
    ir.Break,
    ir.Continue,
    ir.Return,
)
_CONTROL = (ir.If, ir.For, ir.While, ir.Inlined)
# What is the same in each trip where its operands are.
_FIXED = (ir.Constant, ir.Compute, ir.Index, ir.Extent)
# Take a lock: done twice with one value, they leave what once leaves.
_TAKING = frozenset(("exch", "cas", "or"))
_ATOMIC_BITS = 32
_NEUTRAL_AT_ZERO = frozenset(("add", "sub", "xor", "or"))


def find_waits(kernel: ir.Kernel) -> None:
    """Set `waits` of the loops that may wait."""
    loops = [node for node in ir.walk(kernel.body) if isinstance(node, ir.While)]
    if not loops:
        return
    written = _written(kernel)
    constants = {
        node.result: node.value for node in ir.walk(kernel.body) if isinstance(node, ir.Constant)
    }
    for loop in loops:
        loop.waits = _Loop(loop, written, constants).waits()
    for loop in loops:
        if loop.waits:
            for block in ir.children(loop):
                _read_anew(block, written)


def _written(kernel: ir.Kernel) -> set[Array]:
    """The arrays in which other threads may write."""
    written: set[Array] = {
        node.array
        for node in ir.walk(kernel.body)
        if isinstance(node, ir.Store | ir.Atomic) and not isinstance(node.array, ir.LocalArray)
    }
    groups = {array.type.alias for array in written if isinstance(array, ir.ArrayParameter)} - {0}
    arrays = [array for array in kernel.parameters if isinstance(array, ir.ArrayParameter)]
    return written | {array for array in arrays if array.type.alias in groups}


class _Loop:
    """One loop, and what its values and variables depend on."""

    def __init__(
        self, loop: ir.While, written: set[Array], constants: Mapping[ir.Value, object]
    ) -> None:
        self.loop = loop
        self.written = written
        self.constants = constants
        self.nodes = [node for block in ir.children(loop) for node in ir.walk(block)]
        self.definition = {value: node for node in self.nodes for value in ir.results(node)}
        # What the assignments of each variable take their values, and their place in a trip, from.
        self.sources: dict[ir.Variable, set[ir.Value]] = {}
        self.conditions: list[ir.Value] = [loop.condition]

    def waits(self) -> bool:
        """Whether the loop waits."""
        for block in ir.children(self.loop):
            self.collect(block, ())
        staying = [node for block in ir.children(self.loop) for node in _staying(block)]
        taking = [node for node in staying if not self.silent(node)]
        if len(taking) > 1 or not all(map(self.takes, taking)):
            return False
        decide = self.variables(self.conditions)
        if any(variable in self.variables(self.sources[variable]) for variable in decide):
            return False
        through = all(any(_leads_on(block)) for block in ir.children(self.loop))
        return through and self.reads_memory(self.conditions)

    def silent(self, node: ir.Node) -> bool:
        """Whether a node writes nothing."""
        if isinstance(node, ir.Atomic) and node.operation in _NEUTRAL_AT_ZERO:
            return self.constants.get(node.value) == 0
        return isinstance(node, _SILENT + _CONTROL)

    def takes(self, node: ir.Node) -> bool:
        """Whether an atomic tries to take a lock: where it changes something, the loop ends.

        That is where a comparison of its result with a constant is a condition on which the loop goes on or is left.
        """
        if not isinstance(node, ir.Atomic) or node.operation not in _TAKING:
            return False
        if self.changes(ir.operands(node)):
            return False
        return any(self.ends_by(node, *exit_) for exit_ in self.exits())

    def exits(self) -> Iterator[tuple[ir.Value, bool]]:
        """Conditions, and whether the loop is left where they hold: its own, and those of a branch to its end."""
        yield self.loop.condition, False
        for node in (node for block in ir.children(self.loop) for node in block.nodes):
            if isinstance(node, ir.If) and _ends(node.then):
                yield node.condition, True
            if isinstance(node, ir.If) and _ends(node.orelse):
                yield node.condition, False

    def ends_by(self, node: ir.Atomic, condition: ir.Value, holds: bool) -> bool:
        test = self.definition.get(condition)
        if isinstance(test, ir.Compute) and test.operation == "not":
            return self.ends_by(node, test.arguments[0], not holds)
        if not isinstance(test, ir.Compute) or test.operation not in ("eq", "ne"):
            return False
        if test.arguments[0] is not node.result or test.arguments[1] not in self.constants:
            return False
        equal = (test.operation == "eq") == holds
        against = self.constants[test.arguments[1]]
        if node.compare is not None:
            return equal and against == self.constants.get(node.compare)
        # An exchange or an `or` of a flag that is set or not.
        return equal == (against == 0) or against == self.constants.get(node.value)

    def changes(self, values: tuple[ir.Value, ...]) -> bool:
        """Whether any of the values may differ between trips."""
        return any(
            node.variable in self.sources
            if isinstance(node, ir.Read)
            else not isinstance(node, _FIXED)
            for node in self.closure(values)
        )

    def collect(self, block: ir.Block, above: tuple[ir.Value, ...]) -> None:
        """Note what variables are set from; `above` are the conditions on the way to the block."""
        for node in block.nodes:
            inside = above
            if isinstance(node, ir.Assign):
                self.sources.setdefault(node.variable, set()).update((node.value, *above))
            elif isinstance(node, ir.If):
                self.conditions.append(node.condition)
                inside = (*above, node.condition)
            elif isinstance(node, ir.For):
                bounds = (node.start, node.stop, node.step)
                self.conditions += bounds
                inside = (*above, *bounds)
            elif isinstance(node, ir.While):
                self.conditions.append(node.condition)
                inside = (*above, node.condition)
            elif isinstance(node, ir.Inlined):
                inside = (*above, *_conditions(node.body))
            for child in ir.children(node):
                self.collect(child, inside)

    def closure(self, values: Iterable[ir.Value]) -> Iterator[ir.Node]:
        """The nodes that values are computed by, through variables that the loop sets."""
        pending, seen = list(values), set[ir.Value]()
        while pending:
            value = pending.pop()
            if value in seen:
                continue
            seen.add(value)
            node = self.definition.get(value)
            if node is None:
                continue
            yield node
            pending += ir.operands(node)
            if isinstance(node, ir.Read):
                pending += self.sources.get(node.variable, ())

    def reads_memory(self, values: Iterable[ir.Value]) -> bool:
        return any(
            isinstance(node, ir.Load | ir.Atomic) and node.array in self.written
            for node in self.closure(values)
        )

    def variables(self, values: Iterable[ir.Value]) -> set[ir.Variable]:
        """The variables of the loop that values depend on."""
        return {
            node.variable
            for node in self.closure(values)
            if isinstance(node, ir.Read) and node.variable in self.sources
        }


def _staying(block: ir.Block) -> Iterator[ir.Node]:
    """The nodes of a block, without arms that leave the loop."""
    for node in block.nodes:
        yield node
        for child in ir.children(node):
            if not (isinstance(node, ir.If) and _ends(child)):
                yield from _staying(child)


def _ends(block: ir.Block) -> bool:
    return bool(block.nodes) and isinstance(block.nodes[-1], ir.Break | ir.Return)


def _leads_on(block: ir.Block, early: type[ir.Node] = ir.Continue) -> tuple[bool, bool]:
    """Whether paths lead to a block's end, and to a node `early`. Loops inside may have no trips."""
    leaves = False
    for node in block.nodes:
        if isinstance(node, ir.Continue | ir.Break | ir.Return):
            return False, leaves or isinstance(node, early)
        if isinstance(node, ir.If):
            arms = [_leads_on(arm, early) for arm in (node.then, node.orelse)]
            leaves = leaves or any(left for _, left in arms)
            if not any(through for through, _ in arms):
                return False, leaves
        if isinstance(node, ir.Inlined) and not any(_leads_on(node.body, ir.Return)):
            return False, leaves
    return True, leaves


def _conditions(block: ir.Block) -> list[ir.Value]:
    return [node.condition for node in ir.walk(block) if isinstance(node, ir.If | ir.While)]


def _read_anew(block: ir.Block, written: set[Array]) -> None:
    """Make plain reads of written integers atomic: they add 0."""
    for node in list(block.nodes):
        for child in ir.children(node):
            _read_anew(child, written)
        if not isinstance(node, ir.Load) or node.array not in written:
            continue
        kind = node.result.type
        if kind.is_integer and kind.bits >= _ATOMIC_BITS:
            zero = ir.Constant(ir.Value(kind), 0, node.span)
            where = (node.array, node.indices, zero.result, node.component, node.span)
            place = block.nodes.index(node)
            block.nodes[place : place + 1] = [zero, ir.Atomic(node.result, "add", *where)]
            if isinstance(node.array, ir.ArrayParameter):
                node.array.written = node.array.atomic = True
