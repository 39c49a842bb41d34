"""Which values are the same for all threads of a block.

Assumes any well-formed kernel; changes nothing. Uniform are constants, scalar parameters, block indices and sizes,
extents, loads at uniform addresses from arrays that the kernel never writes (nor any array that shares
their memory) and from constant ones, what a barrier counted, what `uniform` asserts, and everything pure on these.
A shared or local array may hold different things for different threads, and so may the result of a warp operation
be another one in another warp. A variable is varying if any assignment to it is
varying or stands under varying control. Threads that have returned from the kernel do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from headwater import ir
from headwater.ir.nodes import Array


@dataclass(slots=True)
class Varying:
    """What may differ between threads: values, variables, and loops whose number of trips does.

    `loops` holds loops with varying bounds or a varying condition, and loops that some threads may leave or continue
    earlier than others.
    """

    values: set[ir.Value] = field(default_factory=set)
    variables: set[ir.Variable] = field(default_factory=set)
    loops: set[ir.Node] = field(default_factory=set)


def varying(kernel: ir.Kernel) -> Varying:
    """The analysis over the threads of a block."""
    analysis = Analysis(kernel)
    while analysis.grown():
        analysis.block(kernel.body, False)
    return analysis.found


def varying_inside(
    kernel: ir.Kernel, nodes: list[ir.Node], outside: Varying, private: set[ir.Variable]
) -> Varying:
    """The same for a stretch of code that only some threads are meant to run, if all of them ran it.

    Only pure operations count as uniform, which do no harm where a thread is not meant to do them. `outside` is what
    varies around the stretch; `private` variables have no meaning before or after it.
    """
    inside = list(ir.walk(ir.Block(nodes)))
    own = {value for node in inside for value in ir.results(node)}
    analysis = Analysis(kernel, pure=True)
    analysis.found = Varying(
        outside.values - own, outside.variables - private, outside.loops - set(inside)
    )
    while analysis.grown():
        analysis.block(ir.Block(nodes), False)
    return analysis.found


class Analysis:
    """One round after another, until nothing new is found. `HANDLERS` says what each node does."""

    handlers: Mapping[type[ir.Node], Callable[..., bool]]

    def __init__(self, kernel: ir.Kernel, pure: bool = False) -> None:
        self.kernel = kernel
        self.pure = pure
        self.found = Varying()
        self._size = -1
        parameters = [p for p in kernel.parameters if isinstance(p, ir.ArrayParameter)]
        self._written = {p.type.alias for p in parameters if p.written} - {0}  # 0 is alone

    def grown(self) -> bool:
        """Whether the last round found something new."""
        found = self.found
        before = self._size
        self._size = len(found.values) + len(found.variables) + len(found.loops)
        return self._size != before

    def block(self, block: ir.Block, control: bool) -> bool:
        """`control`: whether threads may differ in reaching this. True if some leave the loop or trip here."""
        leaves = False
        for node in block.nodes:
            handler = self.handlers.get(type(node))
            if handler is not None and handler(self, node, control):
                leaves = True
        return leaves

    def differs(self, *values: ir.Value) -> bool:
        return not self.found.values.isdisjoint(values)

    def mark(self, *values: ir.Value) -> None:
        self.found.values.update(values)

    def unstable(self, array: Array) -> bool:
        """Whether threads may see different states of the array."""
        if self.pure:
            return True
        if isinstance(array, ir.ConstantArray):
            return False
        if not isinstance(array, ir.ArrayParameter):
            return True
        return array.written or array.type.alias in self._written


def _compute(analysis: Analysis, node: ir.Compute, control: bool) -> bool:
    asserted = node.operation == "uniform" and not analysis.pure
    if not asserted and analysis.differs(*node.arguments):
        analysis.mark(node.result)
    return False


def _index(analysis: Analysis, node: ir.Index, control: bool) -> bool:
    if node.kind == "thread" and analysis.kernel.block_shape[node.axis] > 1:
        analysis.mark(node.result)
    return False


def _read(analysis: Analysis, node: ir.Read, control: bool) -> bool:
    if node.variable in analysis.found.variables:
        analysis.mark(node.result)
    return False


def _load(analysis: Analysis, node: ir.Load, control: bool) -> bool:
    if analysis.differs(*node.indices) or analysis.unstable(node.array):
        analysis.mark(node.result)
    return False


def _atomic(analysis: Analysis, node: ir.Atomic, control: bool) -> bool:
    analysis.mark(node.result)
    return False


def _warp(analysis: Analysis, node: ir.Warp, control: bool) -> bool:
    if node.result is not None:
        analysis.mark(node.result)
    return False


def _assign(analysis: Analysis, node: ir.Assign, control: bool) -> bool:
    if control or analysis.differs(node.value):
        analysis.found.variables.add(node.variable)
    return False


def _if(analysis: Analysis, node: ir.If, control: bool) -> bool:
    inner = control or analysis.differs(node.condition)
    then = analysis.block(node.then, inner)
    return analysis.block(node.orelse, inner) or then


def _leave(analysis: Analysis, node: ir.Break | ir.Continue, control: bool) -> bool:
    return control


def _loop(analysis: Analysis, node: ir.Node, control: bool, differs: bool, body: ir.Block) -> bool:
    inner = control or differs or node in analysis.found.loops
    # A varying break matters only if it varies inside the loop: where threads differ in reaching the loop at all,
    # everything in it is under varying control already.
    if analysis.block(body, inner) or differs:
        analysis.found.loops.add(node)
    return False


def _for(analysis: Analysis, node: ir.For, control: bool) -> bool:
    differs = analysis.differs(node.start, node.stop, node.step)
    if differs:
        analysis.mark(node.index)
    return _loop(analysis, node, control, differs, node.body)


def _while(analysis: Analysis, node: ir.While, control: bool) -> bool:
    differs = analysis.differs(node.condition)
    analysis.block(node.test, control or differs or node in analysis.found.loops)
    return _loop(analysis, node, control, differs, node.body)


def _neighbors(analysis: Analysis, node: ir.Neighbors, control: bool) -> bool:
    grid = node.grid
    center = node.center if node.center_index is None else (*node.center, node.center_index)
    differs = analysis.differs(*center)
    if differs or analysis.unstable(grid.positions) or analysis.unstable(grid.cell_start):
        differs = True
        analysis.mark(node.index, *node.offset, node.distance2)
    return _loop(analysis, node, control, differs, node.body)


def _inlined(analysis: Analysis, node: ir.Inlined, control: bool) -> bool:
    """Some threads may return from it before others: then all of it is under varying control."""
    inner = control or node in analysis.found.loops
    if _returns_apart(analysis, node.body, inner):
        analysis.found.loops.add(node)
    analysis.block(node.body, inner)
    return False


def _returns_apart(analysis: Analysis, block: ir.Block, control: bool) -> bool:
    for node in block.nodes:
        if isinstance(node, ir.Return) and control:
            return True
        inner = control or node in analysis.found.loops
        if isinstance(node, ir.If):
            inner = inner or analysis.differs(node.condition)
        if isinstance(node, ir.Inlined):
            continue
        if any(_returns_apart(analysis, child, inner) for child in ir.children(node)):
            return True
    return False


def _cooperative(analysis: Analysis, node: ir.Cooperative, control: bool) -> bool:
    return analysis.block(node.body, control or analysis.pure)


def _vote(analysis: Analysis, node: ir.BarrierVote, control: bool) -> bool:
    if analysis.pure:
        analysis.mark(node.result)
    return False


# Each takes the analysis, the node, and whether threads may differ in reaching it; True as `Analysis.block` says.
HANDLERS: dict[type[ir.Node], Callable[..., bool]] = {
    ir.Compute: _compute,
    ir.Index: _index,
    ir.Read: _read,
    ir.Load: _load,
    ir.Atomic: _atomic,
    ir.BarrierVote: _vote,
    ir.Warp: _warp,
    ir.Assign: _assign,
    ir.If: _if,
    ir.Break: _leave,
    ir.Continue: _leave,
    ir.For: _for,
    ir.While: _while,
    ir.Neighbors: _neighbors,
    ir.Inlined: _inlined,
    ir.Cooperative: _cooperative,
}
Analysis.handlers = HANDLERS
