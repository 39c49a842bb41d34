"""Values that a kernel computes only to choose between them.

`select(n != 0, a // n, 0)` computes a // n where nobody wants it: what goes wrong there counts where it is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator

from headwater import ir


def only_chosen(kernel: ir.Kernel) -> set[ir.Value]:
    """The values whose every use is to be one side of a `select`, as they are or computed with.

    So is the right side of `and` and `or`, which Python skips.
    """
    found: set[ir.Value] = set()
    used: set[ir.Value] = set()
    otherwise: set[ir.Value] = set()
    for node in reversed(list(ir.walk(kernel.body))):
        found |= {value for value in ir.results(node) if value in used and value not in otherwise}
        used.update(ir.operands(node))
        later = any(result in found for result in ir.results(node))
        sides = {value for value, side in handed_on(node) if later or side is not None}
        otherwise.update(value for value in ir.operands(node) if value not in sides)
        if isinstance(node, ir.Compute) and node.operation == "select":
            otherwise.add(node.arguments[0])
    return found


def handed_on(node: ir.Node) -> Iterator[tuple[ir.Value, bool | None]]:
    """The operands that matter to a node's result: for which truth of its first operand, or None for both."""
    if not isinstance(node, ir.Compute):
        return
    first, *others = node.arguments
    if node.operation == "select":
        yield from zip(others, (True, False), strict=True)
        return
    yield first, None
    skips = {"and": True, "or": False}.get(node.operation) if node.result.type.is_bool else None
    yield from ((value, skips) for value in others)
