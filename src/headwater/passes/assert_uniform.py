"""Say where a variable is the same for all threads of a block, though it is not so everywhere.

Programs use one variable for a loop with barriers and then for one that only some threads run. `varying` knows one
answer for a variable. This pass follows the assignments: it puts `uniform` behind each read that all threads reach with
one value, of a variable that varies elsewhere. Not in neighbour loops: nothing waits there, and a backend may let lanes
share the neighbours of a thread, which have values of their own.

Assumes that `Inlined` is gone. Changes no meaning; kernels in which no thread waits for another stay as they are.
"""

from __future__ import annotations

from headwater import ir
from headwater.passes.rewriting import BARRIERS
from headwater.passes.uniformity import HANDLERS, Analysis, varying


def assert_uniform(kernel: ir.Kernel) -> None:
    """Change the kernel in place."""
    if not any(isinstance(node, (ir.Warp, *BARRIERS)) for node in ir.walk(kernel.body)):
        return
    mixed = varying(kernel).variables
    if not mixed:
        return
    flow = _Flow(kernel)
    while flow.grown():
        flow.together.clear()
        flow.block(kernel.body, False)
    found = {r for r in flow.together if r.variable in mixed and not flow.differs(r.result)}
    _assert(kernel.body, found)


def _assert(block: ir.Block, reads: set[ir.Read]) -> None:
    nodes: list[ir.Node] = []
    for node in block.nodes:
        if not isinstance(node, ir.Neighbors):
            for child in ir.children(node):
                _assert(child, reads)
        nodes.append(node)
        if isinstance(node, ir.Read) and node in reads:
            result = node.result
            node.result = ir.Value(result.type, result.name)
            nodes.append(ir.Compute(result, "uniform", (node.result,), node.span))
    block.nodes = nodes


class _Flow(Analysis):
    """The analysis of `varying`, with the variables that vary here and now: what matters is who assigned last."""

    def __init__(self, kernel: ir.Kernel) -> None:
        super().__init__(kernel)
        self.now: set[ir.Variable] = set()
        self._heads = -1
        # Reads that all threads reach together.
        self.together: set[ir.Read] = set()
        # What varies at the start of a trip; at the breaks and the continues of the loops around.
        self.heads: dict[ir.Node, set[ir.Variable]] = {}
        self.broken: list[set[ir.Variable]] = []
        self.continued: list[set[ir.Variable]] = []

    def grown(self) -> bool:
        heads = sum(map(len, self.heads.values()))
        before, self._heads = self._heads, heads
        self.now = set()
        return super().grown() or before != heads


def _read(flow: _Flow, node: ir.Read, control: bool) -> bool:
    if node.variable in flow.now:
        flow.mark(node.result)
    if not control:
        flow.together.add(node)
    return False


def _assign(flow: _Flow, node: ir.Assign, control: bool) -> bool:
    if control or flow.differs(node.value):
        flow.now.add(node.variable)
    else:
        flow.now.discard(node.variable)
    return False


def _if(flow: _Flow, node: ir.If, control: bool) -> bool:
    before = set(flow.now)
    inner = control or flow.differs(node.condition)
    then = flow.block(node.then, inner)
    after, flow.now = flow.now, before
    orelse = flow.block(node.orelse, inner)
    flow.now |= after
    return then or orelse


def _break(flow: _Flow, node: ir.Break, control: bool) -> bool:
    flow.broken[-1] |= flow.now
    return control


def _continue(flow: _Flow, node: ir.Continue, control: bool) -> bool:
    flow.continued[-1] |= flow.now
    return control


def _enter(flow: _Flow, node: ir.Node) -> set[ir.Variable]:
    """What varies when a trip starts, as far as it is known."""
    head = flow.heads.setdefault(node, set())
    head |= flow.now
    flow.now = set(head)
    flow.broken.append(set())
    flow.continued.append(set())
    return head


def _for(flow: _Flow, node: ir.For | ir.Neighbors, control: bool) -> bool:
    head = _enter(flow, node)
    HANDLERS[type(node)](flow, node, control)
    head |= flow.now | flow.continued.pop()
    flow.now = head | flow.broken.pop()
    return False


def _while(flow: _Flow, node: ir.While, control: bool) -> bool:
    head = _enter(flow, node)
    differs = flow.differs(node.condition)
    inner = control or differs or node in flow.found.loops
    flow.block(node.test, inner)
    tested = set(flow.now)
    if flow.block(node.body, inner) or differs:
        flow.found.loops.add(node)
    head |= flow.now | flow.continued.pop()
    flow.now = tested | flow.broken.pop()
    return False


_Flow.handlers = {
    **HANDLERS,
    ir.Read: _read,
    ir.Assign: _assign,
    ir.If: _if,
    ir.Break: _break,
    ir.Continue: _continue,
    ir.For: _for,
    ir.While: _while,
    ir.Neighbors: _for,
}
