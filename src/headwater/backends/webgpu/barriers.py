"""Which barriers have to order global memory too.

A barrier for shared memory stays on the chip, while one for storage waits for the whole device's caches: 1 us on an
H200, and a scan has fifteen in a row. Such a one is needed only if an array that the kernel writes may have been used
since the last of them; otherwise that one has ordered everything there is.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from headwater import ir
from headwater.ir.nodes import Array


def storage_barriers(kernel: ir.Kernel, written: AbstractSet[Array]) -> frozenset[int]:
    """The identities (`id`) of the barriers that order storage.

    `written` are the array arguments that share memory with one the kernel writes.
    """
    search = _Search(written)
    search.block(kernel.body, used=False)
    return frozenset(search.found)


class _Search:
    """Walks in program order; `used` says whether a written array may have been used since the last such barrier."""

    def __init__(self, written: AbstractSet[Array]) -> None:
        self.written = written
        self.found: set[int] = set()

    def block(self, block: ir.Block, used: bool) -> bool:
        for node in block.nodes:
            used = self.node(node, used)
        return used

    def node(self, node: ir.Node, used: bool) -> bool:
        if isinstance(node, ir.Barrier):
            if used:
                self.found.add(id(node))
            return False
        if isinstance(node, ir.If):
            then, orelse = self.block(node.then, used), self.block(node.orelse, used)
            return then or orelse
        blocks = ir.children(node)
        if not blocks:
            return used or self.uses(node)
        # A loop: what its body leaves meets its start again, and it may not run at all.
        used = used or any(self.uses(inner) for block in blocks for inner in ir.walk(block))
        for block in blocks:
            self.block(block, used)
        return used

    def uses(self, node: ir.Node) -> bool:
        """Whether a node, without those inside it, uses a written array."""
        return isinstance(node, (ir.Load, ir.Store, ir.Atomic)) and node.array in self.written
