"""Which values and variables differ between the lanes of a SIMD group, and which loops diverge.

Lane-uniform is weaker than block-uniform: a load at a uniform address gives all lanes one value, whoever
writes there, because the lanes load at one moment. Inside a `Cooperative` block lanes mean something else: there
only what depends on the index of a `spread` loop varies, and all that comes from outside is uniform.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater import ir

_LOOPS = (ir.For, ir.While)


@dataclass(slots=True)
class Variance:
    """The result: members vary or diverge, everything else is uniform."""

    values: set[ir.Value] = field(default_factory=set)
    variables: set[ir.Variable] = field(default_factory=set)
    divergent_loops: set[ir.Node] = field(default_factory=set)


def escapes(block: ir.Block) -> frozenset[type]:
    """Which of Break, Continue, Return leave the block."""
    found: set[type] = set()
    for node in block.nodes:
        if isinstance(node, ir.Break | ir.Continue | ir.Return):
            found.add(type(node))
        inner = frozenset[type]().union(*map(escapes, ir.children(node)))
        found |= inner & {ir.Return} if isinstance(node, _LOOPS) else inner
    return frozenset(found)


def assigned(block: ir.Block) -> set[ir.Variable]:
    """The variables that a block assigns, at any depth."""
    return {node.variable for node in ir.walk(block) if isinstance(node, ir.Assign)}


def analyse(kernel: ir.Kernel) -> Variance:
    """Variance of a kernel whose neighbour loops are lowered."""
    analysis = _Analysis()
    size = -1
    # Grows only, so it ends; three or four rounds are usual.
    while size != analysis.size():
        size = analysis.size()
        analysis.block(kernel.body, masked=False, chain=True)
    return analysis.found


class _Analysis:
    def __init__(self) -> None:
        self.found = Variance()
        self.inside = False
        self.local: set[ir.Value] = set()
        # Variables that the cooperative block at hand assigns, where they are a vector of their own.
        self.private: set[ir.Variable] = set()

    def size(self) -> int:
        found = self.found
        return len(found.values) + len(found.variables) + len(found.divergent_loops)

    def varies(self, value: ir.Value) -> bool:
        if self.inside and value not in self.local:
            return False
        return value in self.found.values

    def any_varies(self, values: tuple[ir.Value, ...]) -> bool:
        return any(map(self.varies, values))

    def block(self, block: ir.Block, masked: bool, chain: bool) -> None:
        """`masked`: some lanes may be off for good reason; `chain`: all control from the root is uniform."""
        for node in block.nodes:
            self.node(node, masked, chain)

    def node(self, node: ir.Node, masked: bool, chain: bool) -> None:
        if isinstance(node, ir.If):
            split = self.varies(node.condition)
            for arm in (node.then, node.orelse):
                self.block(arm, masked or split, chain and not split)
        elif isinstance(node, ir.For | ir.While):
            self.loop(node, masked, chain)
        elif isinstance(node, ir.Cooperative):
            self.cooperative(node)
        elif isinstance(node, ir.Assign):
            self.assign(node, masked)
        elif isinstance(node, ir.Read):
            where = self.private if self.inside else self.found.variables
            if node.variable in where:
                self.found.values.add(node.result)
        elif self.result_varies(node):
            self.found.values.update(ir.results(node))

    def result_varies(self, node: ir.Node) -> bool:
        if isinstance(node, ir.Index):
            return node.kind == "thread" and not self.inside
        if isinstance(node, ir.Atomic):
            return not self.inside
        if isinstance(node, ir.Load) and isinstance(node.array, ir.LocalArray) and not self.inside:
            return True
        if isinstance(node, ir.Compute) and node.operation == "uniform":
            return False
        return self.any_varies(ir.operands(node))

    def assign(self, node: ir.Assign, masked: bool) -> None:
        if not self.inside and (masked or self.varies(node.value)):
            self.found.variables.add(node.variable)

    def loop(self, node: ir.For | ir.While, masked: bool, chain: bool) -> None:
        if isinstance(node, ir.For) and node.spread:
            self.found.values.add(node.index)
            self.block(node.body, masked=True, chain=False)
            return
        if self.diverges(node, chain):
            self.found.divergent_loops.add(node)
        divergent = node in self.found.divergent_loops
        if isinstance(node, ir.For) and self.any_varies((node.start, node.step)):
            self.found.values.add(node.index)
        for child in ir.children(node):
            self.block(child, masked or divergent, chain and not divergent)

    def diverges(self, node: ir.For | ir.While, chain: bool) -> bool:
        if ir.Return in escapes(node.body) and not chain:
            return True
        if isinstance(node, ir.For) and self.any_varies((node.start, node.stop, node.step)):
            return True
        if isinstance(node, ir.While) and self.varies(node.condition):
            return True
        return self.varying_exit(node.body, split=False)

    def varying_exit(self, block: ir.Block, split: bool) -> bool:
        """Whether an exit that leaves the loop, or a return, stands under a varying condition."""
        for node in block.nodes:
            if isinstance(node, ir.Break | ir.Continue | ir.Return) and split:
                return True
            if isinstance(node, ir.If):
                deeper = split or self.varies(node.condition)
                if self.varying_exit(node.then, deeper) or self.varying_exit(node.orelse, deeper):
                    return True
            if isinstance(node, _LOOPS) and ir.Return in escapes(node.body):
                if split or node in self.found.divergent_loops:
                    return True
        return False

    def cooperative(self, node: ir.Cooperative) -> None:
        for inner in ir.walk(node.body):
            if isinstance(inner, ir.For):
                self.found.variables.update(r.variable for r in inner.reductions)
        # All of them from the start: a loop is judged before its body is seen.
        self.inside = True
        self.local = {value for inner in ir.walk(node.body) for value in ir.results(inner)}
        self.private = assigned(node.body)
        self.block(node.body, masked=False, chain=False)
        self.inside = False
