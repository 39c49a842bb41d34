"""Arrays whose loads the compiler may join.

Of `x = a[i] if c else b[j]` it makes one load, from a chosen address. Where `a` and `b` are pointers that share no
memory with others (`__restrict__`), it then moves that load before a store to either (seen with NVRTC 13.0 on sm_90).
"""

from __future__ import annotations

from headwater import ir


def chosen_arrays(kernel: ir.Kernel) -> frozenset[ir.ArrayParameter]:
    """The arrays that one way of an `if` reads and the other does not, of a kernel that writes one of the two."""
    found: set[ir.ArrayParameter] = set()
    for node in ir.walk(kernel.body):
        if not isinstance(node, ir.If):
            continue
        for a in _read(node.then):
            for b in _read(node.orelse):
                same = a is b or a.type.scalar.bits != b.type.scalar.bits
                if not same and (a.written or b.written):
                    found |= {a, b}
    return frozenset(found)


def _read(block: ir.Block) -> set[ir.ArrayParameter]:
    loads = (node.array for node in ir.walk(block) if isinstance(node, ir.Load))
    return {array for array in loads if isinstance(array, ir.ArrayParameter)}
