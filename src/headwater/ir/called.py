"""What users write for the nodes at which threads wait for each other; errors name it."""

from __future__ import annotations

from headwater.ir import nodes as ir

_WARP = {
    "shuffle": "shfl_sync",
    "shuffle_up": "shfl_up_sync",
    "shuffle_down": "shfl_down_sync",
    "shuffle_xor": "shfl_xor_sync",
    "all": "all_sync",
    "any": "any_sync",
    "ballot": "ballot_sync",
    "match_any": "match_any_sync",
    "match_all": "match_all_sync",
    "active": "activemask",
    "sync": "syncwarp",
}


def called(node: ir.Barrier | ir.BarrierVote | ir.Warp) -> str:
    """The name of the function of the kernel language."""
    if isinstance(node, ir.Barrier):
        return "syncthreads"
    if isinstance(node, ir.BarrierVote):
        return f"syncthreads_{node.operation}"
    return _WARP[node.operation]
