"""Arrays of structs are several arrays, and a kernel takes only those that it needs.

`p = a[i]` reads every field, and what nobody uses of them is left out again. The length is that of any of the arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from headwater import ir


@dataclass(slots=True)
class Unread:
    """What was lowered of arrays of structs: nodes that copy elements, and lengths with the arrays that have them."""

    copies: list[ir.Node] = field(default_factory=list)
    lengths: list[tuple[ir.Extent, list[tuple[str, ...]]]] = field(default_factory=list)

    def drop(self, kernel: ir.Kernel) -> None:
        """Remove what the kernel does not need: nodes that copy, and arrays among its parameters."""
        if not self.copies and not self.lengths:
            return
        suspects = self._drop_copies(kernel)
        suspects |= {id(node.array) for node, _ in self.lengths}
        asking = {id(node) for node, _ in self.lengths}
        nodes = [node for node in ir.walk(kernel.body) if id(node) not in asking]
        needed = {id(array) for node in nodes for array in _arrays(node)}
        arrays = {p.path: p for p in kernel.parameters if isinstance(p, ir.ArrayParameter)}
        for node, paths in self.lengths:
            known = (arrays[path] for path in paths if path in arrays)
            node.array = next((array for array in known if id(array) in needed), node.array)
            needed.add(id(node.array))
        kernel.parameters = [
            p for p in kernel.parameters if id(p) in needed or id(p) not in suspects
        ]

    def _drop_copies(self, kernel: ir.Kernel) -> set[int]:
        """Remove the copies whose results nothing uses; the arrays that they read."""
        used = {id(value) for node in ir.walk(kernel.body) for value in ir.operands(node)}
        dead: set[int] = set()
        read: set[int] = set()
        for node in reversed(self.copies):  # a cast of a loaded value stands after the load
            if any(id(value) in used for value in ir.results(node)):
                continue
            dead.add(id(node))
            if isinstance(node, ir.Load):
                read.add(id(node.array))
            else:
                used -= {id(value) for value in ir.operands(node)}
        for block in _blocks(kernel.body) if dead else ():
            block.nodes = [node for node in block.nodes if id(node) not in dead]
        return read


def _blocks(block: ir.Block) -> Iterator[ir.Block]:
    yield block
    for node in block.nodes:
        for child in ir.children(node):
            yield from _blocks(child)


def _arrays(node: ir.Node) -> tuple[object, ...]:
    if isinstance(node, ir.Neighbors):
        return node.grid.positions, node.grid.cell_start
    return (getattr(node, "array", None),)
