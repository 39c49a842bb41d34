"""Warp operations of a block of one thread: lane 0 is alone. Used by `lower_warps`."""

from __future__ import annotations

from headwater import ir
from headwater.types import BOOL, UINT32


def lower_single_lanes(block: ir.Block) -> None:
    """Replace all warp operations, in place."""
    result = ir.Block()
    for node in block.nodes:
        for child in ir.children(node):
            lower_single_lanes(child)
        if not isinstance(node, ir.Warp):
            result.nodes.append(node)
        elif node.result is not None:
            _write(ir.Builder(result, node.span), node, node.result)
    block.nodes = result.nodes


def _write(build: ir.Builder, node: ir.Warp, result: ir.Value) -> None:
    one, zero = build.constant(1, UINT32), build.constant(0, UINT32)
    arguments: tuple[ir.Value, ...]
    match node.operation:
        case "active":
            operation, arguments = "or", (one, zero)
        case "ballot" | "match_any" | "match_all":
            held = one
            if node.operation == "ballot":
                held = build.compute("select", node.arguments[0], one, zero)
            operation, arguments = "and", (held, node.arguments[-1])
        case _:  # its own value: there is no other
            value = node.arguments[0]
            operation, arguments = "select", (build.constant(True, BOOL), value, value)
    build.append(ir.Compute(result, operation, arguments, node.span))
