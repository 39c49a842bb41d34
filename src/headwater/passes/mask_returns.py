"""Early returns of a kernel with barriers: exited threads go along behind a mask.

Part of the pass `lower_returns`. Assumes that no `Inlined` is left. After it, no `Return` is left: a variable `alive`
becomes false instead, and what follows is guarded by it, except
- barriers, and the loops and branches that hold them (their bodies are guarded inside). A return in such a loop is
  a break only where all threads take it together; else it masks the body, never the trip count;
- the slice: what decides whether barriers are reached. Exited threads compute it too, so that it stays the
  same for all threads. Loads in the slice check their bounds first, for blocks whose threads have all exited; such
  a load gives 0.
- pure operations, which harm nobody. Reading a variable outside the slice is none: an exited thread may never
  have assigned it.

Where exited threads take part in a vote they add its neutral element. A warp operation outside the slice is guarded, so
that exited lanes take no part in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from headwater import ir
from headwater.errors import CompileError
from headwater.passes.barrier_slice import LOOPS, BarrierSlice
from headwater.passes.guards import Group
from headwater.passes.rewriting import BARRIERS, assigned, holds, new_variable, unless, zero
from headwater.types import BOOL

# The operations on a bool of each thread, by the element that changes nothing.
_NEUTRAL = {"count": False, "or": False, "any": False, "ballot": False, "and": True, "all": True}


def mask_returns(kernel: ir.Kernel) -> None:
    """Change the kernel in place."""
    _drop_last_return(kernel.body)
    returns = [node for node in ir.walk(kernel.body) if isinstance(node, ir.Return)]
    if not returns:
        return
    alive = new_variable(kernel, "alive", BOOL)
    _Mask(kernel, alive).block(kernel.body, dead=False)
    kernel.body.nodes[:0] = assigned(alive, True, returns[0].span)


def _drop_last_return(block: ir.Block) -> None:
    """A return after which nothing follows anyway."""
    if not block.nodes:
        return
    last = block.nodes[-1]
    if isinstance(last, ir.Return):
        block.nodes.pop()
    elif isinstance(last, ir.If):
        _drop_last_return(last.then)
        _drop_last_return(last.orelse)


class _Mask:
    """Rewrites blocks in order. `dead` says whether some threads may have exited already."""

    def __init__(self, kernel: ir.Kernel, alive: ir.Variable) -> None:
        self.kernel = kernel
        self.alive = alive
        self.slice = BarrierSlice(kernel)

    def block(self, block: ir.Block, dead: bool, after: Iterable[ir.Node] = ()) -> bool:
        """Mask a block that threads go through together; whether threads may have exited at its end.

        `after` are nodes outside of the block that may use its values (the body of a `while`).
        """
        group = Group(self.kernel, self.alive, self._common)
        nodes = block.nodes
        for position, node in enumerate(nodes):
            following = [*nodes[position + 1 :], *after]
            if isinstance(node, ir.Return):
                group.flush(following)
                group.done += assigned(self.alive, False, node.span)
                if node in self.slice.jumps:
                    group.done.append(ir.Break(node.span))
                dead = True
            elif self.slice.holds(node):
                group.flush([node, *following])
                if dead and getattr(node, "operation", "") in _NEUTRAL:
                    group.done += self._neutral(node)
                dead = self._together(node, dead) or dead
                group.done.append(node)
            elif dead and isinstance(node, ir.Load) and node.result in self.slice.values:
                group.flush([node, *following])
                group.done += self._bounded(node)
            else:
                exits = holds(node, ir.Return)
                self._apart(node)
                group.add(node, guarded=dead)
                if exits:
                    group.flush(following)
                dead = dead or exits
        group.flush(after)
        block.nodes = group.done
        return dead

    def _common(self, item: ir.Variable | ir.Value) -> bool:
        return item in self.slice.variables or item in self.slice.values

    def _neutral(self, node: ir.Node) -> list[ir.Node]:
        """Let the predicate of exited threads change nothing."""
        out = ir.Block()
        builder = ir.Builder(out, node.span)
        alive = builder.read(self.alive)
        if isinstance(node, ir.BarrierVote):
            node.predicate = self._where_alive(builder, alive, node.operation, node.predicate)
        elif isinstance(node, ir.Warp):
            predicate, mask = node.arguments
            node.arguments = (self._where_alive(builder, alive, node.operation, predicate), mask)
        return out.nodes

    def _where_alive(
        self, builder: ir.Builder, alive: ir.Value, operation: str, predicate: ir.Value
    ) -> ir.Value:
        if _NEUTRAL[operation]:
            return builder.compute("or", predicate, builder.compute("not", alive))
        return builder.compute("and", predicate, alive)

    def _together(self, node: ir.Node, dead: bool) -> bool:
        """A node that exited threads go through as well: mask inside."""
        if isinstance(node, ir.If):
            then = self.block(node.then, dead)
            return self.block(node.orelse, dead) or then
        inner = dead or holds(node, ir.Return)
        if isinstance(node, ir.While):
            self._check_end(node)
            condition = ir.Compute(ir.Value(BOOL), "not", (node.condition,))
            self.block(node.test, inner, [condition, *node.body.nodes])
            self.block(node.body, inner)
        elif isinstance(node, ir.For | ir.Neighbors):
            self.block(node.body, inner)
        return inner

    def _check_end(self, node: ir.While) -> None:
        """An endless loop that threads leave by returns, one by one, would keep its barriers waiting."""
        condition = next((n for n in node.test.nodes if node.condition in ir.results(n)), None)
        if not isinstance(condition, ir.Constant) or not condition.value:
            return
        if not holds(node, BARRIERS):
            return
        if any(jump in self.slice.jumps for jump in _exits(node.body)):
            return
        raise CompileError(
            "an endless loop with a barrier must be left by all threads of a block together",
            span=node.span,
            hint="leave it by a 'break' or a 'return' under a condition that is the same for all threads",
        )

    # --- nodes that exited threads skip as a whole ------------------------------------------------

    def _apart(self, node: ir.Node) -> None:
        """Take the returns out of a node without barriers: live threads alone run it."""
        if isinstance(node, ir.If):
            self.block(node.then, False)
            self.block(node.orelse, False)
        elif isinstance(node, LOOPS) and holds(node, ir.Return):
            for block in ir.children(node):
                block.nodes = self._in_loop(block.nodes)

    def _in_loop(self, nodes: list[ir.Node]) -> list[ir.Node]:
        """A return becomes a break; an outer loop breaks after the inner one."""
        result: list[ir.Node] = []
        for node in nodes:
            if isinstance(node, ir.Return):
                return [*result, *assigned(self.alive, False, node.span), ir.Break(node.span)]
            result.append(node)
            if not holds(node, ir.Return):
                continue
            for block in ir.children(node):
                block.nodes = self._in_loop(block.nodes)
            if isinstance(node, LOOPS):
                result += unless(self.alive, [ir.Break(node.span)], node.span)
        return result

    def _bounded(self, node: ir.Load) -> list[ir.Node]:
        """A load that exited threads take part in: 0 where the index is out of bounds."""
        out = ir.Block()
        builder = ir.Builder(out, node.span)
        kind = node.result.type
        variable = new_variable(self.kernel, "bounded", kind)
        out.nodes += assigned(variable, zero(kind), node.span)
        inside: ir.Value | None = None
        for axis, index in enumerate(node.indices):
            low = builder.compute("ge", index, builder.constant(0, index.type))
            extent = builder.cast(builder.extent(node.array, axis), index.type)
            both = builder.compute("and", low, builder.compute("lt", index, extent))
            inside = both if inside is None else builder.compute("and", inside, both)
        assert inside is not None
        with builder.when(inside):
            builder.assign(variable, builder.load(node.array, node.indices, node.component))
        builder.append(ir.Read(node.result, variable, node.span))
        return out.nodes


def _exits(block: ir.Block) -> Iterator[ir.Node]:
    """The breaks and returns that leave the loop with this body."""
    for node in block.nodes:
        if isinstance(node, ir.Break | ir.Return):
            yield node
        if isinstance(node, ir.If):
            yield from _exits(node.then)
            yield from _exits(node.orelse)
