"""What the compiler settles for a kernel, for people."""

from __future__ import annotations

from headwater import ir
from headwater.backends.cpu.emitter import Module, fitting_lanes
from headwater.backends.cpu.groups import group_count
from headwater.backends.cpu.target import Target


def decisions(kernel: ir.Kernel, target: Target, module: Module) -> dict[str, str]:
    """Lanes, regions and scratch memory of a kernel that was lowered to `module`."""
    nodes = list(ir.walk(kernel.body))
    lanes = fitting_lanes(kernel, target)
    groups = f"{group_count(kernel, lanes)} groups of {lanes} threads, one a lane"
    found = {"lanes": groups if lanes > 1 else "1: scalar code"}
    if any(isinstance(node, ir.For) and node.spread for node in nodes):
        found["neighbours"] = "the lanes share those of one thread after another"
    barriers = sum(isinstance(node, ir.Barrier) for node in nodes)
    if barriers:
        found["regions"] = f"{barriers + 1}, cut by {barriers} barrier{'s' * (barriers > 1)}"
    if module.scratch:
        found["scratch memory"] = f"{module.scratch:,} bytes for each call"
    return found
