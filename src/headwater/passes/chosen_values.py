"""Values that a kernel computes only to choose between them.

`select(n != 0, a // n, 0)` computes a // n where nobody wants it: what goes wrong there counts where it is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator

from headwater import ir


def only_chosen(kernel: ir.Kernel) -> set[ir.Value]:
    """The values whose every use is to be one side of a `select`, as they are or cast."""
    found: set[ir.Value] = set()
    used: set[ir.Value] = set()
    otherwise: set[ir.Value] = set()
    for node in reversed(list(ir.walk(kernel.body))):
        found |= {value for value in ir.results(node) if value in used and value not in otherwise}
        used.update(ir.operands(node))
        sides = {value for value, _ in handed_on(node)}
        if isinstance(node, ir.Compute) and node.operation == "cast" and node.result not in found:
            sides = set()
        otherwise.update(value for value in ir.operands(node) if value not in sides)
        if isinstance(node, ir.Compute) and node.operation == "select":
            otherwise.add(node.arguments[0])
    return found


def handed_on(node: ir.Node) -> Iterator[tuple[ir.Value, bool | None]]:
    """The operands that a node may give as its result, with the condition of a `select` for which it does."""
    if not isinstance(node, ir.Compute):
        return
    if node.operation == "select":
        yield node.arguments[1], True
        yield node.arguments[2], False
    elif node.operation == "cast":
        yield node.arguments[0], None
