"""Removes what only debug mode runs.

Assumes any well-formed kernel. Leaves no `Assert`, `Print`, `Within` and `Breakpoint`, and nothing that only they
needed: pure operations, loads, variables, parameters, arrays, and branches that are empty then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from headwater import ir

_DEBUG = (ir.Assert, ir.Print, ir.Within, ir.Breakpoint)
_PURE = (ir.Constant, ir.Compute, ir.Index, ir.Extent, ir.Read, ir.Load)


def strip_debug(kernel: ir.Kernel) -> None:
    """Change the kernel in place."""
    removed = [node for node in ir.walk(kernel.body) if isinstance(node, _DEBUG)]
    if removed:
        _Stripping(kernel, removed).run()


class _Stripping:
    """What was used by removed nodes goes too, as long as nothing else uses it."""

    def __init__(self, kernel: ir.Kernel, removed: Iterable[ir.Node]) -> None:
        self.kernel = kernel
        self.removed: set[ir.Node] = set(removed)
        self.nodes = list(ir.walk(kernel.body))
        self.uses = Counter(value for node in self.nodes for value in ir.operands(node))
        self.reads = Counter(node.variable for node in self.nodes if isinstance(node, ir.Read))
        # Values and variables that lost a use.
        self.values: set[ir.Value] = set()
        self.variables: set[ir.Variable] = set()
        for node in removed:
            self.forget(node)

    def forget(self, node: ir.Node) -> None:
        for value in ir.operands(node):
            self.uses[value] -= 1
            self.values.add(value)
        if isinstance(node, ir.Read):
            self.reads[node.variable] -= 1
            self.variables.add(node.variable)

    def run(self) -> None:
        while found := [node for node in self.nodes if self.useless(node)]:
            self.removed.update(found)
            for node in found:
                self.forget(node)
            self.nodes = [node for node in self.nodes if node not in self.removed]
        self.clean(self.kernel.body)
        self.drop_names()

    def drop_names(self) -> None:
        """Parameters, variables and arrays that lost their last use."""
        kernel, used = self.kernel, {a for node in self.nodes for a in _arrays(node)}
        lost = {a for node in self.removed for a in _arrays(node)} - used
        unused = {value for value in self.values if not self.uses[value]}
        kernel.parameters[:] = [p for p in kernel.parameters if p not in lost and p not in unused]
        kernel.shared[:] = [array for array in kernel.shared if array not in lost]
        kernel.locals[:] = [array for array in kernel.locals if array not in lost]
        kernel.constants[:] = [array for array in kernel.constants if array not in lost]
        kernel.variables[:] = [
            variable
            for variable in kernel.variables
            if variable not in self.variables or self.reads[variable]
        ]

    def useless(self, node: ir.Node) -> bool:
        if node in self.removed:
            return False
        if isinstance(node, ir.Assign):
            return node.variable in self.variables and not self.reads[node.variable]
        if isinstance(node, ir.If):
            # A branch that was empty before stays: nothing here made it so.
            inner = [*node.then.nodes, *node.orelse.nodes]
            return bool(inner) and all(child in self.removed for child in inner)
        if not isinstance(node, _PURE) or node.result not in self.values:
            return False
        return not self.uses[node.result]

    def clean(self, block: ir.Block) -> None:
        block.nodes = [node for node in block.nodes if node not in self.removed]
        for node in block.nodes:
            for child in ir.children(node):
                self.clean(child)


def _arrays(node: ir.Node) -> tuple[ir.Array, ...]:
    """The arrays that a node names."""
    if isinstance(node, ir.Load | ir.Store | ir.Atomic | ir.Extent):
        return (node.array,)
    if isinstance(node, ir.Neighbors):
        return (node.grid.positions, node.grid.cell_start)
    return node.arrays if isinstance(node, ir.Breakpoint) else ()
