"""How deep threads part before they have to meet again at a barrier.

NVIDIA's driver for Vulkan (580.159, on an H200) loses the reunion of a warp behind loops and branches that stand deep
in one another: parts of the warp then arrive at a barrier on their own, and are counted as whole warps. Of 6,500 random
nests none of at most 6 scopes was wrong, 1 of 900 with 7, 6 % of those with 8 and most with 10 (decision 0010).
"""

from __future__ import annotations

from headwater import ir
from headwater.passes import varying
from headwater.passes.rewriting import BARRIERS, has_barrier, holds


def deepest_parting(kernel: ir.Kernel) -> tuple[int, ir.Node | None]:
    """The most scopes in one another in which threads part and from which a barrier follows, and their outermost node.

    Scopes are branches and loops in which threads of a block may decide apart; one with `continue` counts twice.
    """
    if not has_barrier(kernel):
        return 0, None
    search = _Search(varying(kernel).values)
    search.block(kernel.body, followed=False)
    return search.found, search.node


class _Search:
    def __init__(self, varying_values: set[ir.Value]) -> None:
        self.varying = varying_values
        self.found = 0
        self.node: ir.Node | None = None

    def block(self, block: ir.Block, followed: bool) -> bool:
        """Judges each node; whether a barrier may follow what stands before the block."""
        for node in reversed(block.nodes):
            if isinstance(node, BARRIERS) or holds(node, BARRIERS):
                loop = isinstance(node, ir.For | ir.While)
                for child in ir.children(node):
                    self.block(child, followed or loop)
                followed = True
            elif followed and (scopes := self.scopes(node)) > self.found:
                self.found, self.node = scopes, node
        return followed

    def scopes(self, node: ir.Node) -> int:
        inside = max((self.deepest(child) for child in ir.children(node)), default=0)
        if isinstance(node, ir.If):
            return inside + (node.condition in self.varying)
        if not isinstance(node, ir.For | ir.While):
            return inside
        test = (node.start, node.stop, node.step) if isinstance(node, ir.For) else (node.condition,)
        parts = any(value in self.varying for value in test) or _leaves(node.body, ir.Break)
        return inside + parts + _leaves(node.body, ir.Continue)

    def deepest(self, block: ir.Block) -> int:
        return max(map(self.scopes, block.nodes), default=0)


def _leaves(block: ir.Block, kind: type[ir.Break | ir.Continue]) -> bool:
    """Whether a trip of the loop whose body this is may end early in that way."""
    for node in block.nodes:
        if isinstance(node, kind):
            return True
        if isinstance(node, ir.If) and (_leaves(node.then, kind) or _leaves(node.orelse, kind)):
            return True
    return False
