"""What decides whether the barriers of a kernel are reached.

Used by `mask_returns`: exited threads must compute all of it as well, so that they go along to the barriers. Warp
operations that no thread passes by (but for those that returned) count as barriers here: `lower_warps` makes barriers
of them, and wants the loops around them to run alike in all threads.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from headwater import ir
from headwater.passes.rewriting import BARRIERS
from headwater.passes.uniformity import varying

LOOPS = (ir.For, ir.While, ir.Neighbors)
# Exited threads may take part in these where they only add a neutral element, or take a value.
_HARMLESS = ("shuffle", "shuffle_up", "shuffle_down", "shuffle_xor", "all", "any", "ballot")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a node stands: `control` decides whether it runs, `branches` only inside the innermost loop."""

    control: tuple[ir.Value, ...] = ()
    loops: tuple[ir.Node, ...] = ()
    branches: tuple[ir.Value, ...] = ()


@dataclass(slots=True)
class _Leaving:
    """The breaks, continues and uniform returns of one loop, and the conditions they stand under."""

    nodes: set[ir.Node] = field(default_factory=set)
    conditions: set[ir.Value] = field(default_factory=set)


class BarrierSlice:
    """The values and variables that decide, and the jumps that all threads take together.

    A return in a loop with barriers is such a jump where only uniform conditions decide it.
    """

    def __init__(self, kernel: ir.Kernel) -> None:
        self.values: set[ir.Value] = set()
        self.variables: set[ir.Variable] = set()
        self.jumps: set[ir.Node] = set()
        self._varying = varying(kernel)
        self._definitions: dict[ir.Value, ir.Node] = {}
        self._assignments: dict[ir.Variable, list[tuple[ir.Assign, _Place]]] = {}
        self._leaving: dict[ir.Node, _Leaving] = {}
        # Where all threads wait that have not returned, and the nodes around.
        self._waits: set[ir.Node] = set()
        places = [place for node in kernel.body.nodes for place in self._find(node, _Place())]
        self._collect(kernel.body, _Place())
        for place in places:
            self._add_place(place)

    def holds(self, node: ir.Node) -> bool:
        """Whether exited threads must run the node, or something in it."""
        if isinstance(node, ir.Assign):
            return node.variable in self.variables
        if isinstance(node, ir.Warp):
            return node.result in self.values and node.operation in _HARMLESS
        if node in self._waits or node in self.jumps:
            return True
        return any(self.holds(inner) for block in ir.children(node) for inner in block.nodes)

    # --- collecting -------------------------------------------------------------------------------

    def _find(self, node: ir.Node, place: _Place) -> list[_Place]:
        """Where all threads wait inside a node; notes the nodes around."""
        if isinstance(node, BARRIERS) or (isinstance(node, ir.Warp) and self._together(place)):
            self._waits.add(node)
            return [place]
        inner = _inside(node, place)
        blocks = ir.children(node)
        found = [at for block in blocks for child in block.nodes for at in self._find(child, inner)]
        if found:
            self._waits.add(node)
        return found

    def _together(self, place: _Place) -> bool:
        """Whether all threads that have not returned come to a place, the same number of times."""
        found = self._varying
        return (
            found.values.isdisjoint(place.control)
            and found.loops.isdisjoint(place.loops)
            and not any(isinstance(loop, ir.Neighbors) for loop in place.loops)
            and not any(self._returns_apart(loop, False) for loop in place.loops)
        )

    def _returns_apart(self, node: ir.Node, apart: bool) -> bool:
        """Whether some threads return inside a node and others do not."""
        if isinstance(node, ir.Return):
            return apart
        inner = apart or node in self._varying.loops
        inner = inner or not self._varying.values.isdisjoint(_control(node))
        inside = (child for block in ir.children(node) for child in block.nodes)
        return any(self._returns_apart(child, inner) for child in inside)

    def _collect(self, block: ir.Block, place: _Place) -> None:
        for node in block.nodes:
            self._definitions |= dict.fromkeys(ir.results(node), node)
            if isinstance(node, ir.Assign):
                self._assignments.setdefault(node.variable, []).append((node, place))
            elif self._leaves_together(node, place):
                leaving = self._leaving.setdefault(place.loops[-1], _Leaving())
                leaving.nodes.add(node)
                leaving.conditions.update(place.branches)
            for child in ir.children(node):
                self._collect(child, _inside(node, place))

    def _leaves_together(self, node: ir.Node, place: _Place) -> bool:
        if isinstance(node, ir.Break | ir.Continue):
            return True
        if not isinstance(node, ir.Return) or not place.loops:
            return False
        return place.loops[-1] in self._waits and self._varying.values.isdisjoint(place.branches)

    # --- the closure ------------------------------------------------------------------------------

    def _add_place(self, place: _Place) -> None:
        """What stands there must be reached by all threads: so must the ways around it."""
        waiting = list(place.control)
        for loop in place.loops:
            leaving = self._leaving.get(loop, _Leaving())
            self.jumps |= leaving.nodes
            waiting.extend(leaving.conditions)
        self._add(waiting)

    def _add(self, values: Iterable[ir.Value]) -> None:
        for value in values:
            if value in self.values:
                continue
            self.values.add(value)
            node = self._definitions.get(value)
            if node is None or isinstance(node, ir.BarrierVote):
                continue  # exited threads vote with a neutral predicate
            self._add(ir.operands(node))
            if isinstance(node, ir.Read):
                self._add_variable(node.variable)

    def _add_variable(self, variable: ir.Variable) -> None:
        if variable in self.variables:
            return
        self.variables.add(variable)
        for node, place in self._assignments.get(variable, ()):
            self._add((node.value,))
            self._add_place(place)


def _inside(node: ir.Node, place: _Place) -> _Place:
    own = _control(node)
    control = (*place.control, *own)
    if isinstance(node, LOOPS):
        return _Place(control, (*place.loops, node))
    return replace(place, control=control, branches=(*place.branches, *own))


def _control(node: ir.Node) -> tuple[ir.Value, ...]:
    """The values that decide how often the blocks of a node run."""
    if isinstance(node, ir.For):
        return node.start, node.stop, node.step
    if isinstance(node, ir.Neighbors):
        return tuple(ir.operands(node))
    return (node.condition,) if isinstance(node, ir.If | ir.While) else ()
