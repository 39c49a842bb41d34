"""What the threads of a block would all work out alike, so that it is worked out once for the block.

Only work at the top of a run counts: in the arms of an `if` or in a loop of the threads it stays theirs. All of it is
done before the run's threads, which therefore must not need a variable's value of before.
"""

from __future__ import annotations

from collections.abc import Iterable

from headwater import ir, passes


class CommonWork:
    """Nodes and values of the block as a whole, among candidates for variables."""

    def __init__(self, varying: passes.Varying, parameters: Iterable[ir.Parameter]) -> None:
        self.varying = varying
        self.parameters = {p for p in parameters if isinstance(p, ir.ScalarParameter)}
        self.variables: set[ir.Variable] = set()
        self.nodes: set[ir.Node] = set()
        self.values: set[ir.Value] = set()

    def restart(self) -> None:
        """Forget nodes and values; the variables stay."""
        self.nodes, self.values = set(), set(self.parameters)

    def mark(self, run: list[ir.Node]) -> None:
        """Find the common work of a run.

        A variable that threads set, or that is set after threads read it, is no candidate any more.
        """
        read: set[ir.Variable] = set()
        for node in run:
            if self.is_common(node):
                self.nodes.add(node)
                self.values.update(ir.results(node))
                if isinstance(node, ir.Assign) and node.variable in read:
                    self.variables.discard(node.variable)
                continue
            for inner in (node, *(n for child in ir.children(node) for n in ir.walk(child))):
                if isinstance(inner, ir.Read):
                    read.add(inner.variable)
                elif isinstance(inner, ir.Assign):
                    self.variables.discard(inner.variable)

    def is_common(self, node: ir.Node) -> bool:
        if isinstance(node, ir.Constant | ir.Extent):
            return True
        if isinstance(node, ir.Index):
            return node.kind != "thread"
        if isinstance(node, ir.Read):
            return node.variable in self.variables
        if isinstance(node, ir.Assign):
            return node.variable in self.variables and node.value in self.values
        if isinstance(node, ir.Compute):
            return node.operation != "uniform" and set(node.arguments) <= self.values
        if isinstance(node, ir.Load):
            return node.result not in self.varying.values and set(node.indices) <= self.values
        return False
