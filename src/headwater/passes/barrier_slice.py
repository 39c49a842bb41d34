"""What decides whether the barriers of a kernel are reached.

Used by `mask_returns`: exited threads must compute all of it as well, so that they go along to the barriers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from headwater import ir
from headwater.passes.rewriting import holds
from headwater.passes.uniformity import varying

LOOPS = (ir.For, ir.While, ir.Neighbors)


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
        self._varying = varying(kernel).values
        self._definitions: dict[ir.Value, ir.Node] = {}
        self._assignments: dict[ir.Variable, list[tuple[ir.Assign, _Place]]] = {}
        self._leaving: dict[ir.Node, _Leaving] = {}
        barriers: list[_Place] = []
        self._collect(kernel.body, _Place(), barriers)
        for place in barriers:
            self._add_place(place)

    def holds(self, node: ir.Node) -> bool:
        """Whether exited threads must run the node, or something in it."""
        if isinstance(node, ir.Assign):
            return node.variable in self.variables
        if isinstance(node, ir.Barrier) or node in self.jumps:
            return True
        return any(self.holds(inner) for block in ir.children(node) for inner in block.nodes)

    def _collect(self, block: ir.Block, place: _Place, barriers: list[_Place]) -> None:
        for node in block.nodes:
            self._definitions |= dict.fromkeys(defined(node), node)
            if isinstance(node, ir.Assign):
                self._assignments.setdefault(node.variable, []).append((node, place))
            elif isinstance(node, ir.Barrier):
                barriers.append(place)
            elif self._leaves_together(node, place):
                leaving = self._leaving.setdefault(place.loops[-1], _Leaving())
                leaving.nodes.add(node)
                leaving.conditions.update(place.branches)
            for child in ir.children(node):
                self._collect(child, _inside(node, place), barriers)

    def _leaves_together(self, node: ir.Node, place: _Place) -> bool:
        if isinstance(node, ir.Break | ir.Continue):
            return True
        if not isinstance(node, ir.Return) or not place.loops:
            return False
        return holds(place.loops[-1], ir.Barrier) and self._varying.isdisjoint(place.branches)

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
            if node is None:
                continue
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
    return (node.condition,) if isinstance(node, ir.If | ir.While) else ()


def defined(node: ir.Node) -> tuple[ir.Value, ...]:
    """The values that a node makes."""
    if isinstance(node, ir.For):
        return (node.index,)
    if isinstance(node, ir.Neighbors):
        return (node.index, *node.offset, node.distance2)
    result: ir.Value | None = getattr(node, "result", None)
    return () if result is None else (result,)
