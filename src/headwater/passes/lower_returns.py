"""Removes early returns where they need more than an end of the thread.

Assumes any well-formed kernel. Leaves true:
- where all threads read a variable alike, that varies elsewhere, `uniform` says so (see `assert_uniform`);
- there is no `Inlined`: a return inside one leaves only its body, by `if`/`else` where that is enough, and by a
  variable `running` (with breaks out of loops and guards around what follows) where it is not;
- a kernel with a barrier has no `Return`: a variable `alive` masks what follows instead. Barriers, and the loops and
  branches that hold them, stay outside of the masks, so that exited threads go along; what decides whether a
  barrier is reached is computed by exited threads too (see `mask_returns`).
- a kernel without a barrier keeps its own returns, which end the thread. So does each kernel where the device lets
  exited threads leave barriers (`keep`).
"""

from __future__ import annotations

from headwater import ir
from headwater.passes.assert_uniform import assert_uniform
from headwater.passes.mask_returns import mask_returns
from headwater.passes.rewriting import (
    assigned,
    has_barrier,
    holds,
    unique_name,
    unless,
    when,
)
from headwater.types import BOOL


def lower_returns(kernel: ir.Kernel, *, keep: bool = False) -> None:
    """Change the kernel in place. `keep` leaves the kernel's own returns where they are."""
    _remove_inlined(kernel, kernel.body)
    assert_uniform(kernel)
    if not keep and has_barrier(kernel):
        mask_returns(kernel)


def _remove_inlined(kernel: ir.Kernel, block: ir.Block) -> None:
    nodes: list[ir.Node] = []
    for node in block.nodes:
        for child in ir.children(node):
            _remove_inlined(kernel, child)
        if isinstance(node, ir.Inlined):
            nodes += _Leaving(kernel, node).nodes()
        else:
            nodes.append(node)
    block.nodes = nodes


class _Leaving:
    """The body of one `Inlined`, without its returns."""

    def __init__(self, kernel: ir.Kernel, node: ir.Inlined) -> None:
        self.kernel = kernel
        self.node = node
        self.running = ir.Variable(unique_name(kernel, "running"), BOOL)
        self.tested = False

    def nodes(self) -> list[ir.Node]:
        body = self._sequence(self.node.body.nodes)
        if not self.tested:
            # No guard reads the variable, so that nothing has to set it.
            return _without_assignments(body, self.running)
        self.kernel.variables.append(self.running)
        return [*self._set(True), *body]

    def _sequence(self, nodes: list[ir.Node]) -> list[ir.Node]:
        """Nodes outside of loops; what follows a return goes where the function has not returned."""
        result: list[ir.Node] = []
        for position, node in enumerate(nodes):
            if isinstance(node, ir.Return):
                return [*result, *self._set(False)]
            if not holds(node, ir.Return):
                result.append(node)
                continue
            rest = nodes[position + 1 :]
            if isinstance(node, ir.If):
                return [*result, *self._branch(node, rest)]
            self._leave_loops(node)
            return [*result, node, *self._guarded(rest)]
        return result

    def _branch(self, node: ir.If, rest: list[ir.Node]) -> list[ir.Node]:
        if _always_returns(node.then):
            node.orelse.nodes, rest = node.orelse.nodes + rest, []
        elif _always_returns(node.orelse):
            node.then.nodes, rest = node.then.nodes + rest, []
        node.then.nodes = self._sequence(node.then.nodes)
        node.orelse.nodes = self._sequence(node.orelse.nodes)
        return [node, *self._guarded(rest)]

    def _guarded(self, rest: list[ir.Node]) -> list[ir.Node]:
        if not rest:
            return []
        self.tested = True
        return when(self.running, self._sequence(rest), self.node.span)

    def _leave_loops(self, loop: ir.Node) -> None:
        """A return becomes a break; an outer loop breaks after the inner one."""
        for block in ir.children(loop):
            block.nodes = self._in_loop(block.nodes)

    def _in_loop(self, nodes: list[ir.Node]) -> list[ir.Node]:
        result: list[ir.Node] = []
        for node in nodes:
            if isinstance(node, ir.Return):
                return [*result, *self._set(False), ir.Break(node.span)]
            result.append(node)
            if not holds(node, ir.Return):
                continue
            self._leave_loops(node)
            if not isinstance(node, ir.If):
                result += self._break_if_left()
        return result

    def _break_if_left(self) -> list[ir.Node]:
        self.tested = True
        return unless(self.running, [ir.Break(self.node.span)], self.node.span)

    def _set(self, value: bool) -> list[ir.Node]:
        return assigned(self.running, value, self.node.span)


def _always_returns(block: ir.Block) -> bool:
    if not block.nodes:
        return False
    last = block.nodes[-1]
    if isinstance(last, ir.If):
        return _always_returns(last.then) and _always_returns(last.orelse)
    return isinstance(last, ir.Return)


def _without_assignments(nodes: list[ir.Node], variable: ir.Variable) -> list[ir.Node]:
    kept: list[ir.Node] = []
    for node in nodes:
        for child in ir.children(node):
            child.nodes = _without_assignments(child.nodes, variable)
        if isinstance(node, ir.Assign) and node.variable is variable:
            kept.pop()  # the constant that it was given
        else:
            kept.append(node)
    return kept
