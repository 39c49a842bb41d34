"""Find the neighbour loops whose order of trips is free.

Assumes `Inlined` is gone. Leaves each `Neighbors` node with `sequential` and `reductions` set: a loop is
not sequential if its only effects are sums, minima and maxima of variables declared outside of it.

A reduction of `v` is `t = read v; u = operation(t, e); v := u`, where t and u have no other use; `sub` counts
as `add`, several links may follow each other (`v + a + b`), and both nodes stand in one block with
no other access to v between them. All accesses to v in the body must be of this form and of one operation.
Variables that each trip assigns before it reads them, and that nobody reads after the loop, are private. So are
those that occur in the body alone, because the frontend proves assignment within one trip: what holds the result
of a function with returns may look unassigned where its guards fail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from headwater import ir
from headwater.passes.liveness import Live, exposed, live_after_neighbors

_KINDS = {"add": "add", "sub": "add", "min": "min", "max": "max"}
_EFFECTS = (
    ir.Store,
    ir.Atomic,
    ir.Barrier,
    ir.BarrierVote,
    ir.Warp,
    ir.Fence,
    ir.Assert,
    ir.Print,
    ir.Within,
    ir.Breakpoint,
    ir.Return,
)


def classify_reductions(kernel: ir.Kernel) -> None:
    """Fill `reductions` and `sequential` of every neighbour loop, in place."""
    after = live_after_neighbors(kernel.body)
    everywhere = _accesses(kernel.body)
    for node in ir.walk(kernel.body):
        if not isinstance(node, ir.Neighbors):
            continue
        found = _reductions(node, after[node], everywhere)
        node.sequential = found is None
        node.reductions = found or ()


def _accesses(block: ir.Block) -> Counter[ir.Variable]:
    """How often each variable is read or assigned."""
    return Counter(n.variable for n in ir.walk(block) if isinstance(n, ir.Read | ir.Assign))


def _reductions(
    loop: ir.Neighbors, live: Live, everywhere: Counter[ir.Variable]
) -> tuple[ir.Reduction, ...] | None:
    """The loop's reductions, in the order of their first use, or None if its order matters."""
    if any(isinstance(node, _EFFECTS) for node in ir.walk(loop.body)) or _breaks(loop.body):
        return None
    carried = exposed(loop.body)
    body = _Body(loop.body)
    result: list[ir.Reduction] = []
    for variable in body.assigned:
        inside = len(body.accesses[variable]) == everywhere[variable]
        if inside or (variable not in carried and variable not in live):
            continue  # private to a trip
        operation = body.reduction(variable)
        if operation is None:
            return None
        result.append(ir.Reduction(variable, operation))
    return tuple(result)


def _breaks(block: ir.Block) -> bool:
    """Whether a Break of the block leaves the loop around it."""
    for node in block.nodes:
        if isinstance(node, ir.Break):
            return True
        if isinstance(node, ir.For | ir.While | ir.Neighbors):
            continue
        if any(map(_breaks, ir.children(node))):
            return True
    return False


class _Body:
    """The accesses to variables in a loop's body, and where each value is used."""

    def __init__(self, block: ir.Block) -> None:
        self.uses: Counter[ir.Value] = Counter()
        self.user: dict[ir.Value, ir.Node] = {}
        self.accesses: dict[ir.Variable, list[tuple[ir.Read | ir.Assign, ir.Block]]] = {}
        for node, parent in _nodes(block):
            for value in ir.operands(node):
                self.uses[value] += 1
                self.user[value] = node
            if isinstance(node, ir.Read | ir.Assign):
                self.accesses.setdefault(node.variable, []).append((node, parent))

    @property
    def assigned(self) -> list[ir.Variable]:
        """The variables that the body assigns, in the order of their first access."""
        return [
            variable
            for variable, accesses in self.accesses.items()
            if any(isinstance(node, ir.Assign) for node, _ in accesses)
        ]

    def reduction(self, variable: ir.Variable) -> str | None:
        """The operation by which every access updates the variable, or None."""
        accesses = self.accesses[variable]
        if len(accesses) % 2:
            return None
        kinds: set[str | None] = set()
        for (read, block), (assign, other) in zip(accesses[::2], accesses[1::2], strict=True):
            if not isinstance(read, ir.Read) or not isinstance(assign, ir.Assign):
                return None
            kinds.add(self.chain(read, assign) if block is other else None)
        return kinds.pop() if len(kinds) == 1 else None

    def chain(self, read: ir.Read, assign: ir.Assign) -> str | None:
        """The one operation that leads from the value read to the value assigned, or None."""
        value, kinds = read.result, set[str | None]()
        while self.uses[value] == 1:
            node = self.user[value]
            if node is assign:
                return kinds.pop() if len(kinds) == 1 else None
            if not isinstance(node, ir.Compute) or node.operation not in _KINDS:
                return None
            if node.operation == "sub" and node.arguments[0] is not value:
                return None
            kinds.add(_KINDS[node.operation])
            value = node.result
        return None


def _nodes(block: ir.Block) -> Iterator[tuple[ir.Node, ir.Block]]:
    for node in block.nodes:
        yield node, block
        for child in ir.children(node):
            yield from _nodes(child)
