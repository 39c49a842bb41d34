"""Fences of a block, for which WGSL has nothing but barriers.

Assumes that `lower_returns` and `check_barriers` have run, and that `lower_warps` will. Leaves no `Fence` of a block:
each became a `sync` of warps, of which `lower_warps` makes a barrier that all threads of the block reach, wherever it
stands.
"""

from __future__ import annotations

from headwater import ir
from headwater.types import UINT32

_ALL_LANES = 0xFFFFFFFF


def lower_fences(kernel: ir.Kernel) -> None:
    """Change the kernel in place."""
    _replace(kernel.body)


def _replace(block: ir.Block) -> None:
    result = ir.Block()
    for node in block.nodes:
        for child in ir.children(node):
            _replace(child)
        if isinstance(node, ir.Fence) and node.scope == "block":
            build = ir.Builder(result, node.span)
            mask = build.constant(_ALL_LANES, UINT32)
            build.append(ir.Warp(None, "sync", (mask,), span=node.span))
        else:
            result.nodes.append(node)
    block.nodes = result.nodes
