"""Replace warp operations by shared memory, barriers and plain operations.

Assumes that `lower_returns` and `check_barriers` have run, and `lower_neighbors` where a neighbour loop holds a warp
operation. Early returns that are left are masked here. Leaves no `Warp`: each became at most one barrier, which all
threads of the block reach. May leave `BarrierVote`s, so that `lower_votes` comes after it.

In blocks of one thread nothing is to be exchanged. Control around warp operations that is the same for the whole block
stays as it is. Elsewhere all threads go through all of it, and a variable says of each whether it is `here`:
- a branch becomes a stretch with a mask of its own;
- a loop runs while any thread of the block is in it; a `break` or a `continue` clears masks;
- what holds no warp operation stands behind `if here`, so that effects obey the mask. Pure operations pass by.
- where a variable is used in such a stretch only, and all threads could compute it alike, they do: loops that depend on
  such variables run the same number of times for all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from headwater import ir
from headwater.errors import InternalError
from headwater.passes.guards import Group
from headwater.passes.liveness import exposed
from headwater.passes.mask_returns import mask_returns
from headwater.passes.rewriting import BARRIERS, holds, new_variable
from headwater.passes.single_lanes import lower_single_lanes
from headwater.passes.uniformity import Varying, varying, varying_inside
from headwater.passes.warp_scratch import WarpScratch
from headwater.types import BOOL, UINT8, UINT16, UINT32, UINT64, ScalarType

_UNSIGNED = {kind.bits: kind for kind in (UINT8, UINT16, UINT32, UINT64)}


def lower_warps(kernel: ir.Kernel) -> None:
    """Change the kernel in place."""
    nodes = list(ir.walk(kernel.body))
    if not any(isinstance(node, ir.Warp) for node in nodes):
        return
    if kernel.threads == 1:
        lower_single_lanes(kernel.body)
        return
    if any(isinstance(node, ir.Return) for node in nodes):
        mask_returns(kernel)
    lowering = _Lowering(kernel)
    body = lowering.sequence(kernel.body.nodes, _Stretch(None, varying(kernel)))
    kernel.body.nodes = [*lowering.scratch.start, *body]


@dataclass(frozen=True)
class _Stretch:
    """Code that all threads go through.

    `mask` says which of them are here (None: all), `found` what varies if all are. In the innermost loop, where it is
    one that threads leave one by one, a `continue` clears the masks `trip`, a `break` also `live`.
    """

    mask: ir.Variable | None
    found: Varying
    trip: tuple[ir.Variable, ...] = ()
    live: ir.Variable | None = None

    def common(self, item: ir.Variable | ir.Value) -> bool:
        """Whether all threads have the item, and have it alike."""
        return item not in self.found.variables and item not in self.found.values


class _Lowering:
    def __init__(self, kernel: ir.Kernel) -> None:
        self.kernel = kernel
        self.scratch = WarpScratch(kernel)
        self._accesses: dict[ir.Variable, int] = {}
        self._count(kernel.body, self._accesses)

    def sequence(
        self, nodes: list[ir.Node], stretch: _Stretch, after: Iterable[ir.Node] = ()
    ) -> list[ir.Node]:
        """The nodes, rewritten. `after` are nodes elsewhere that may use their values."""
        group = Group(self.kernel, stretch.mask, stretch.common)
        for position, node in enumerate(nodes):
            if not self._apart(node, stretch):
                group.add(node)
                continue
            group.flush([node, *nodes[position + 1 :], *after])
            group.done += self._node(node, stretch)
        group.flush(after)
        return group.done

    def _apart(self, node: ir.Node, stretch: _Stretch) -> bool:
        """Whether a node cannot go behind a guard as it is."""
        if isinstance(node, (ir.Warp, ir.Break, ir.Continue, *BARRIERS)):
            return True
        if holds(node, ir.Warp) or _jumps(node):
            return True
        if stretch.mask is None:
            return False
        return any(
            isinstance(inner, ir.Assign) and stretch.common(inner.variable)
            for inner in ir.walk(ir.Block([node]))
        )

    def _node(self, node: ir.Node, stretch: _Stretch) -> list[ir.Node]:
        match node:
            case ir.Warp():
                return self.scratch.lower(node, stretch.mask)
            case ir.Break() | ir.Continue():
                return self._jump(node, stretch)
            case ir.If():
                return self._if(node, stretch)
            case ir.For() | ir.While() if node in stretch.found.loops:
                return self._divergent_loop(node, stretch)
            case ir.For() | ir.While():
                return self._common_loop(node, stretch)
            case ir.Assign():
                return [node]
            case ir.Barrier() | ir.BarrierVote() if stretch.mask is None:
                return [node]
            case _:
                raise InternalError(
                    f"kernel '{self.kernel.name}': a {type(node).__name__} stands where warps are masked",
                    span=getattr(node, "span", None),
                )

    def _jump(self, node: ir.Break | ir.Continue, stretch: _Stretch) -> list[ir.Node]:
        """Threads that are here leave the trip, or the loop; in a loop that all leave together it stays."""
        if stretch.live is None or stretch.mask is None:
            return [node]
        build = ir.Builder(ir.Block(), node.span)
        elsewhere = build.compute("not", build.read(stretch.mask))
        cleared = stretch.trip if isinstance(node, ir.Continue) else (*stretch.trip, stretch.live)
        for mask in cleared:
            build.assign(mask, build.compute("and", build.read(mask), elsewhere))
        return build.block.nodes

    # --- branches ---------------------------------------------------------------------------------

    def _if(self, node: ir.If, stretch: _Stretch) -> list[ir.Node]:
        if stretch.common(node.condition):
            node.then.nodes = self.sequence(node.then.nodes, stretch)
            node.orelse.nodes = self.sequence(node.orelse.nodes, stretch)
            return [node]
        build = ir.Builder(ir.Block(), node.span)
        condition = node.condition
        then = self._masked(build, stretch, condition)
        orelse = None
        if node.orelse.nodes:
            orelse = self._masked(build, stretch, build.compute("not", condition))
        result = build.block.nodes
        result += self._branch(node.then.nodes, stretch, then)
        if orelse is not None:
            result += self._branch(node.orelse.nodes, stretch, orelse)
        return result

    def _branch(self, nodes: list[ir.Node], stretch: _Stretch, mask: ir.Variable) -> list[ir.Node]:
        trip = (*stretch.trip, mask) if stretch.live is not None else ()
        found = self._found(nodes, stretch)
        return self.sequence(nodes, replace(stretch, mask=mask, found=found, trip=trip))

    def _masked(
        self, build: ir.Builder, stretch: _Stretch, condition: ir.Value | None
    ) -> ir.Variable:
        """A new mask: the threads that are here and for which the condition holds."""
        mask = new_variable(self.kernel, "here", BOOL)
        held = None if stretch.mask is None else build.read(stretch.mask)
        if condition is None:
            condition = build.constant(True, BOOL)
        both = condition if held is None else build.compute("and", held, condition)
        build.assign(mask, both)
        return mask

    def _found(self, nodes: list[ir.Node], stretch: _Stretch) -> Varying:
        """What varies in a stretch if all threads run it."""
        inside: dict[ir.Variable, int] = {}
        block = ir.Block(nodes)
        self._count(block, inside)
        before = exposed(block)
        private = {
            variable
            for variable, count in inside.items()
            if count == self._accesses.get(variable) and variable not in before
        }
        return varying_inside(self.kernel, nodes, stretch.found, private)

    def _count(self, block: ir.Block, accesses: dict[ir.Variable, int]) -> None:
        for node in ir.walk(block):
            if isinstance(node, ir.Read | ir.Assign):
                accesses[node.variable] = accesses.get(node.variable, 0) + 1

    # --- loops ------------------------------------------------------------------------------------

    def _common_loop(self, node: ir.For | ir.While, stretch: _Stretch) -> list[ir.Node]:
        """All threads run it alike, and leave it together."""
        inside = replace(stretch, trip=(), live=None)
        if isinstance(node, ir.While):
            after = [_user(node.condition), *node.body.nodes]
            node.test.nodes = self.sequence(node.test.nodes, inside, after)
        node.body.nodes = self.sequence(node.body.nodes, inside)
        return [node]

    def _divergent_loop(self, node: ir.For | ir.While, stretch: _Stretch) -> list[ir.Node]:
        """Runs while any thread of the block is in it."""
        if isinstance(node, ir.While):
            return self._while(node, stretch)
        return self._for(node, stretch)

    def _while(self, node: ir.While, stretch: _Stretch) -> list[ir.Node]:
        before = ir.Builder(ir.Block(), node.span)
        live = self._masked(before, stretch, None)
        found = self._found([*node.test.nodes, *node.body.nodes], stretch)
        after = [_user(node.condition), *node.body.nodes]
        test = self.sequence(node.test.nodes, _Stretch(live, found), after)
        build = ir.Builder(ir.Block(test), node.span)
        build.assign(live, build.compute("and", build.read(live), node.condition))
        going = self._any(build, live)
        body = self._trip(node.body.nodes, live, found)
        return [*before.block.nodes, ir.While(build.block, going, ir.Block(body), node.span)]

    def _for(self, node: ir.For, stretch: _Stretch) -> list[ir.Node]:
        kind = node.index.type
        before = ir.Builder(ir.Block(), node.span)
        zero = before.constant(0, kind)
        upwards = before.compute("gt", node.step, zero)
        some = before.compute(
            "select",
            upwards,
            before.compute("lt", node.start, node.stop),
            before.compute(
                "and",
                before.compute("lt", node.step, zero),
                before.compute("gt", node.start, node.stop),
            ),
        )
        live = self._masked(before, stretch, some)
        index = new_variable(self.kernel, "counter", kind)
        before.assign(index, node.start)
        build = ir.Builder(ir.Block(), node.span)
        going = self._any(build, live)
        found = self._found(node.body.nodes, stretch)
        trip = ir.Builder(ir.Block(), node.span)
        trip.append(ir.Read(node.index, index, node.span))
        trip.block.nodes += self._trip(node.body.nodes, live, found)
        self._advance(trip, node, upwards, index, live)
        return [*before.block.nodes, ir.While(build.block, going, trip.block, node.span)]

    def _advance(
        self,
        build: ir.Builder,
        node: ir.For,
        upwards: ir.Value,
        index: ir.Variable,
        live: ir.Variable,
    ) -> None:
        """The next index, where the way that is left is longer than a step; the index itself might wrap."""
        way = build.compute("sub", node.stop, node.index)
        left = self._length(build, upwards, way)
        step = self._length(build, upwards, node.step)
        more = build.compute("gt", left, step)
        build.assign(live, build.compute("and", build.read(live), more))
        build.assign(index, build.compute("add", node.index, node.step))

    def _length(self, build: ir.Builder, upwards: ir.Value, way: ir.Value) -> ir.Value:
        """A way in the direction of the loop, as an unsigned number."""
        unsigned: ScalarType = _UNSIGNED[way.type.bits]
        length = build.compute("select", upwards, way, build.compute("neg", way))
        return length if way.type is unsigned else build.bitcast(length, unsigned)

    def _trip(self, nodes: list[ir.Node], live: ir.Variable, found: Varying) -> list[ir.Node]:
        """A body, for the threads that are in the loop."""
        mask = new_variable(self.kernel, "here", BOOL)
        build = ir.Builder(ir.Block())
        build.assign(mask, build.read(live))
        return [*build.block.nodes, *self.sequence(nodes, _Stretch(mask, found, (mask,), live))]

    def _any(self, build: ir.Builder, mask: ir.Variable) -> ir.Value:
        """Whether a mask holds in any thread of the block."""
        result = ir.Value(BOOL)
        build.append(ir.BarrierVote(result, "or", build.read(mask), build.span))
        return result


def _user(condition: ir.Value) -> ir.Node:
    """A node that uses the value, to say that something does."""
    return ir.Compute(ir.Value(BOOL), "not", (condition,))


def _jumps(node: ir.Node) -> bool:
    """Whether a break or a continue in a node leaves the node."""
    if isinstance(node, ir.Break | ir.Continue):
        return True
    if isinstance(node, ir.For | ir.While | ir.Neighbors):
        return False
    return any(_jumps(inner) for block in ir.children(node) for inner in block.nodes)
