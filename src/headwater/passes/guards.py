"""Groups of nodes that only some threads run, behind `if mask`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from headwater import ir
from headwater.passes.rewriting import assigned, new_variable, replace, uses, when, zero

_PURE = (ir.Constant, ir.Compute, ir.Index, ir.Extent)


class Group:
    """Nodes that go under one guard; pure ones pass by as long as they need nothing of it.

    Reading a variable is not pure: a thread that is masked out may never have assigned it. `common` says of a variable
    or a value whether all threads have it, masked out or not.
    """

    def __init__(
        self,
        kernel: ir.Kernel,
        mask: ir.Variable | None,
        common: Callable[[ir.Variable | ir.Value], bool],
    ) -> None:
        self.kernel = kernel
        self.mask = mask
        self.common = common
        self.done: list[ir.Node] = []
        self._nodes: list[ir.Node] = []
        self._values: set[ir.Value] = set()
        self._variables: set[ir.Variable] = set()

    def add(self, node: ir.Node, guarded: bool = True) -> None:
        """Take the next node."""
        if not guarded or self.mask is None or self._passes(node):
            self.done.append(node)
            return
        self._nodes.append(node)
        self._values.update(ir.results(node))
        self._variables.update(
            a.variable for a in ir.walk(ir.Block([node])) if isinstance(a, ir.Assign)
        )

    def _passes(self, node: ir.Node) -> bool:
        if isinstance(node, ir.Read):
            return self.common(node.variable) and node.variable not in self._variables
        if isinstance(node, ir.Compute) and node.operation == "uniform":
            # Threads that are masked out may have another value, and one of them might be asked for it.
            return self.common(node.result)
        return isinstance(node, _PURE) and self._values.isdisjoint(ir.operands(node))

    def flush(self, following: Iterable[ir.Node]) -> None:
        """Close the group; values that `following` nodes use go through variables, 0 where a thread skips it."""
        if not self._nodes:
            return
        assert self.mask is not None
        nodes = self._nodes
        span = next((node.span for node in nodes if node.span is not None), None)
        used = uses(following)
        escaping = [v for node in nodes for v in ir.results(node) if v in used]
        inner = {value: ir.Value(value.type, value.name) for value in escaping}
        replace(nodes, inner)
        reads: list[ir.Node] = []
        for node in nodes:
            outer = getattr(node, "result", None)
            if outer in inner:
                node.result = inner[outer]  # type: ignore[union-attr]
        for value, fresh in inner.items():
            variable = new_variable(self.kernel, "kept", value.type)
            self.done += assigned(variable, zero(value.type), span)
            nodes.append(ir.Assign(variable, fresh, span))
            reads.append(ir.Read(value, variable, span))
        self.done += [*when(self.mask, nodes, span), *reads]
        self._nodes, self._values, self._variables = [], set(), set()
