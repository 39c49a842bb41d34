"""Replace what barriers count (`BarrierVote`) by shared memory and plain barriers.

Assumes that `lower_returns` and `check_barriers` have run. Early returns that were kept are masked here. Leaves no
`BarrierVote`; each became one barrier. A block of one thread needs none.

Three shared counters take turns. Threads add to one, wait, and read it; then thread 0 clears the one before, which
nobody reads any more and nobody adds to before the next barrier.
"""

from __future__ import annotations

from headwater import ir
from headwater.passes.mask_returns import mask_returns
from headwater.passes.rewriting import new_shared, new_variable, next_of_three, thread_number
from headwater.types import INT32

# The largest addition to a block's shared memory, in bytes.
VOTE_BYTES = 12


def lower_votes(kernel: ir.Kernel) -> None:
    """Change the kernel in place."""
    nodes = list(ir.walk(kernel.body))
    if not any(isinstance(node, ir.BarrierVote) for node in nodes):
        return
    if kernel.threads == 1:
        _alone(kernel.body)
        return
    if any(isinstance(node, ir.Return) for node in nodes):
        mask_returns(kernel)
    lowering = _Lowering(kernel)
    lowering.block(kernel.body)
    kernel.body.nodes[:0] = lowering.start


def _alone(block: ir.Block) -> None:
    """One thread votes for the block."""
    result = ir.Block()
    for node in block.nodes:
        for child in ir.children(node):
            _alone(child)
        if not isinstance(node, ir.BarrierVote):
            result.nodes.append(node)
            continue
        build = ir.Builder(result, node.span)
        own = build.cast(node.predicate, node.result.type)
        build.append(ir.Compute(node.result, "uniform", (own,), node.span))
    block.nodes = result.nodes


class _Lowering:
    def __init__(self, kernel: ir.Kernel) -> None:
        self.counters = new_shared(kernel, "votes", INT32, 3)
        self.turn = new_variable(kernel, "vote_turn", INT32)
        begin = ir.Builder(ir.Block(), kernel.span)
        self.start = begin.block.nodes
        zero = begin.constant(0, INT32)
        self.first = begin.compute("eq", thread_number(begin, kernel), zero)
        begin.assign(self.turn, zero)
        with begin.when(self.first):
            for turn in range(3):
                begin.store(self.counters, (begin.constant(turn, INT32),), zero)
        begin.append(ir.Barrier(kernel.span))

    def block(self, block: ir.Block) -> None:
        result = ir.Block()
        for node in block.nodes:
            for child in ir.children(node):
                self.block(child)
            if isinstance(node, ir.BarrierVote):
                self.vote(node, ir.Builder(result, node.span))
            else:
                result.nodes.append(node)
        block.nodes = result.nodes

    def vote(self, node: ir.BarrierVote, build: ir.Builder) -> None:
        zero, one = build.constant(0, INT32), build.constant(1, INT32)
        turn = build.read(self.turn)
        counted = node.predicate
        if node.operation == "and":
            counted = build.compute("not", counted)
        with build.when(counted):
            build.atomic("add", self.counters, (turn,), one)
        build.append(ir.Barrier(node.span))
        found = build.compute("uniform", build.load(self.counters, (turn,)))
        following, before = next_of_three(build, turn)
        build.assign(self.turn, following)
        with build.when(self.first):
            build.store(self.counters, (before,), zero)
        operation = {"count": "add", "or": "ne", "and": "eq"}[node.operation]
        build.append(ir.Compute(node.result, operation, (found, zero), node.span))
