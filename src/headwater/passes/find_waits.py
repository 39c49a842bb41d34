"""Marks the loops in which a thread may wait for another: spin locks, flags, look-back scans.

Such a loop writes nothing, and has a path through a trip on which nothing changes that a later trip could see; whether
a trip takes it depends on memory that the kernel writes. Devices whose threads do not all go on refuse such loops, or
find the ones that never end. A loop that does something else meanwhile, such as to take a lock and to give it back in
one trip, is none. Plain reads of the memory that decides become atomic, as compilers may do them once for all trips.

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
    ir.Assign,
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
# Done twice with one value, they leave what once leaves.
_IDEMPOTENT = frozenset(("exch", "cas", "min", "max", "and", "or"))
_ATOMIC_BITS = 32
_NEUTRAL_AT_ZERO = frozenset(("add", "sub", "xor"))


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
        if loop.waits is not None:
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

    def waits(self) -> tuple[ir.Variable, ...] | None:
        """The variables that decide, and that a trip makes of what they were; None where the loop waits for nobody."""
        for block in ir.children(self.loop):
            self.collect(block, ())
        if not all(map(self.silent, self.nodes)):
            return None
        if not self.reads_memory(self.conditions):
            return None
        decide = self.variables(self.conditions)
        changing = {v for v in decide if v in self.variables(self.sources[v])}
        if not all(any(self.quiet(block, changing)) for block in ir.children(self.loop)):
            return None
        return tuple(variable for variable in self.sources if variable in changing)

    def silent(self, node: ir.Node) -> bool:
        """Whether a node writes nothing, or leaves what the trip before left."""
        if isinstance(node, _SILENT + _CONTROL):
            return True
        if not isinstance(node, ir.Atomic):
            return False
        if node.operation in _NEUTRAL_AT_ZERO:
            return self.constants.get(node.value) == 0
        return node.operation in _IDEMPOTENT and not self.changes(ir.operands(node))

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
                inside = (*above, node.start, node.stop, node.step)
            elif isinstance(node, ir.While):
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

    def quiet(
        self, block: ir.Block, changing: set[ir.Variable], early: type[ir.Node] = ir.Continue
    ) -> tuple[bool, bool]:
        """Whether paths on which none of the variables is set lead to the block's end, and to a node `early`.

        Loops inside may have no trips.
        """
        leaves = False
        for node in block.nodes:
            if isinstance(node, ir.Continue | ir.Break | ir.Return):
                return False, leaves or isinstance(node, early)
            if isinstance(node, ir.Assign) and node.variable in changing:
                return False, leaves
            if isinstance(node, ir.If):
                arms = [self.quiet(arm, changing, early) for arm in (node.then, node.orelse)]
                leaves = leaves or any(left for _, left in arms)
                if not any(through for through, _ in arms):
                    return False, leaves
            if isinstance(node, ir.Inlined) and not any(self.quiet(node.body, changing, ir.Return)):
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
