"""Fences of a block, for which WGSL has nothing but barriers.

Assumes that `lower_returns` and `check_barriers` have run. Leaves no `Fence` of a block: each became a barrier, and no
early return is left beside one. Where some threads only would reach it, that cannot be done.
"""

from __future__ import annotations

from headwater import ir
from headwater.errors import CapabilityError, CompileError
from headwater.passes import check_barriers
from headwater.passes.mask_returns import mask_returns


def lower_fences(kernel: ir.Kernel, device: str) -> None:
    """Change the kernel in place. CapabilityError for a fence that is not reached by all threads of a block."""
    if not _replaced(kernel.body):
        return
    if any(isinstance(node, ir.Return) for node in ir.walk(kernel.body)):
        mask_returns(kernel)
    try:
        check_barriers(kernel)
    except CompileError as error:
        raise CapabilityError(
            f"the kernel '{kernel.name}' has a fence that some threads of a block may reach and others not; on the "
            f"device '{device}' a fence is a barrier",
            span=error.span,
            hint="move the fence to where all threads come, or use the device 'cpu'",
        ) from error


def _replaced(block: ir.Block) -> bool:
    """Whether there were fences of a block."""
    found = False
    for place, node in enumerate(block.nodes):
        if isinstance(node, ir.Fence) and node.scope == "block":
            block.nodes[place] = ir.Barrier(node.span)
            found = True
        for child in ir.children(node):
            found |= _replaced(child)
    return found
