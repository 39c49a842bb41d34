"""How much of a block's shared memory a kernel takes, in bytes."""

from __future__ import annotations

import math

from headwater import ir
from headwater.passes.lower_votes import VOTE_BYTES
from headwater.passes.rewriting import holds
from headwater.passes.warp_scratch import scratch_bytes


def array_bytes(kernel: ir.Kernel) -> int:
    """Its own arrays of fixed size."""
    fixed = [array for array in kernel.shared if not array.dynamic]
    return sum(math.prod(array.shape) * array.components * array.scalar.size for array in fixed)


def lowering_bytes(kernel: ir.Kernel) -> int:
    """What `lower_warps` and `lower_votes` add at most."""
    voting = any(
        isinstance(node, ir.BarrierVote)
        or (isinstance(node, ir.For | ir.While) and holds(node, ir.Warp))
        for node in ir.walk(kernel.body)
    )
    return scratch_bytes(kernel) + (VOTE_BYTES if voting else 0)
