"""Which variables may still be read: backward liveness over the structured IR."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from headwater import ir

Live: TypeAlias = frozenset[ir.Variable]
_NONE: Live = frozenset()


@dataclass(frozen=True, slots=True)
class _Exits:
    """What is live where a Break, a Continue or a Return goes."""

    broken: Live = _NONE
    continued: Live = _NONE
    returned: Live = _NONE


def exposed(block: ir.Block) -> Live:
    """The variables that a run of the block may read before it assigns them."""
    return _Liveness().block(block, _NONE, _Exits())


def live_after_neighbors(block: ir.Block) -> dict[ir.Neighbors, Live]:
    """For each neighbour loop of a kernel's body: the variables that may be read once it is left."""
    liveness = _Liveness()
    liveness.block(block, _NONE, _Exits())
    return liveness.after


class _Liveness:
    def __init__(self) -> None:
        self.after: dict[ir.Neighbors, Live] = {}

    def block(self, block: ir.Block, live: Live, exits: _Exits) -> Live:
        """What is live before the block, where `live` is live after it."""
        for node in reversed(block.nodes):
            live = self.node(node, live, exits)
        return live

    def node(self, node: ir.Node, live: Live, exits: _Exits) -> Live:
        match node:
            case ir.Read():
                return live | {node.variable}
            case ir.Assign():
                return live - {node.variable}
            case ir.If():
                then = self.block(node.then, live, exits)
                return then | self.block(node.orelse, live, exits)
            case ir.Break():
                return exits.broken
            case ir.Continue():
                return exits.continued
            case ir.Return():
                return exits.returned
            case ir.Inlined():
                return self.block(node.body, live, _Exits(returned=live))
            case ir.Cooperative():
                return self.block(node.body, live, exits)
            case ir.For():
                return self.loop(node.body, live, exits)
            case ir.Neighbors():
                self.after[node] = self.after.get(node, _NONE) | live
                return self.loop(node.body, live, exits)
            case ir.While():
                return self.while_loop(node, live, exits)
            case _:
                return live

    def loop(self, body: ir.Block, live: Live, exits: _Exits) -> Live:
        def head(trip: Live) -> Live:
            inside = replace(exits, broken=live, continued=trip)
            return live | self.block(body, trip, inside)

        return _stable(head, live)

    def while_loop(self, node: ir.While, live: Live, exits: _Exits) -> Live:
        def head(trip: Live) -> Live:
            inside = replace(exits, broken=live, continued=trip)
            return self.block(node.test, live | self.block(node.body, trip, inside), exits)

        return _stable(head, live)


def _stable(step: Callable[[Live], Live], start: Live) -> Live:
    """The least fixed point above `start`; the sets only grow."""
    live = start
    while (grown := step(live) | live) != live:
        live = grown
    return live
