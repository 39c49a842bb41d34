"""Replace every neighbour loop by ordinary loops over rows of cells.

Assumes `Inlined` is gone and `classify_reductions` has run. Leaves no `Neighbors` node.

The plan: the cells x - reach ... x + reach of one row lie behind each other, so their particles are one range of
indices. Two loops go over the rows (z, then y), one loop over the range, and one test keeps the true neighbours.
On an axis that does not wrap the ranges are clipped beforehand. On one that does each distinct cell is visited
once, and a wrapped range in x is two ranges.

A backend that can share the trips of a loop among lanes asks for `cooperative`: the rows of a loop that only
accumulates then stand in a `Cooperative` block, and the innermost loop is `spread`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from headwater import ir
from headwater.types import BOOL, INT32

_AXES = (0, 1, 2)


def lower_neighbors(kernel: ir.Kernel, *, cooperative: bool) -> None:
    """Replace the neighbour loops of a kernel, in place."""
    _Lowering(kernel, cooperative).block(kernel.body, shared=False)


@dataclass(frozen=True, slots=True)
class _Range:
    """Raw cell coordinates start ... stop - 1 on an axis; they may lie one period outside where it wraps."""

    start: ir.Value
    stop: ir.Value


class _Lowering:
    def __init__(self, kernel: ir.Kernel, cooperative: bool) -> None:
        self.kernel = kernel
        self.cooperative = cooperative

    def block(self, block: ir.Block, shared: bool) -> None:
        """`shared` says that lanes already share a loop around, which they cannot do twice."""
        result = ir.Block()
        for node in block.nodes:
            if not isinstance(node, ir.Neighbors):
                for child in ir.children(node):
                    self.block(child, shared)
                result.nodes.append(node)
                continue
            spread = self.cooperative and not node.sequential and not shared
            self.block(node.body, shared or spread)
            _Loop(self.kernel, node, spread, result).lower()
        block.nodes = result.nodes


class _Loop:
    """One neighbour loop, written into `block`."""

    def __init__(
        self, kernel: ir.Kernel, node: ir.Neighbors, spread: bool, block: ir.Block
    ) -> None:
        self.node = node
        self.grid = node.grid
        self.spread = spread
        self.build = ir.Builder(block, node.span)
        self.kind = node.center[0].type
        self.stopped = self.break_flag(kernel)

    def break_flag(self, kernel: ir.Kernel) -> ir.Variable | None:
        """A variable that the body sets when it breaks, so that the loops over rows end too."""
        flag = ir.Variable(f"stopped_{len(kernel.variables)}", BOOL)
        if not _flag_breaks(self.node.body, flag):
            return None
        kernel.variables.append(flag)
        self.build.assign(flag, self.build.constant(False, BOOL))
        return flag

    def lower(self) -> None:
        build = self.build
        self.zero = build.constant(0, INT32)
        self.one = build.constant(1, INT32)
        self.period_inverse = [self.inverse_of_period(axis) for axis in _AXES]
        x, y, z = (self.range(axis, self.cell(axis)) for axis in _AXES)
        segments = self.segments(x)
        if not self.spread:
            self.rows(y, z, segments)
            return
        group = ir.Cooperative(ir.Block(), self.node.span)
        build.append(group)
        with build.inside(group.body):
            self.rows(y, z, segments)

    # --- the cells around the point ---------------------------------------------------------------

    def inverse_of_period(self, axis: int) -> ir.Value | None:
        if not self.grid.periodic[axis]:
            return None
        return self.build.compute("div", self.build.constant(1.0, self.kind), self.grid.box[axis])

    def cell(self, axis: int) -> ir.Value:
        """The cell coordinate of the centre.

        `headwater.particles.binning` sorts particles with the same operations in the same order.
        """
        build, low, size = self.build, self.grid.low[axis], self.grid.size[axis]
        x = self.node.center[axis]
        inverse = self.period_inverse[axis]
        if inverse is not None:
            turns = build.compute(
                "floor", build.compute("mul", build.compute("sub", x, low), inverse)
            )
            x = build.compute("sub", x, build.compute("mul", self.grid.box[axis], turns))
        scaled = build.compute("mul", build.compute("sub", x, low), self.grid.inverse[axis])
        cell = build.cast(build.compute("floor", scaled), INT32)
        last = build.compute("sub", size, self.one)
        return build.compute("min", build.compute("max", cell, self.zero), last)

    def range(self, axis: int, cell: ir.Value) -> _Range:
        """The cells that the cutoff reaches, each once."""
        build, size = self.build, self.grid.size[axis]
        reach = build.constant(self.grid.reach, INT32)
        first = build.compute("sub", cell, reach)
        if not self.grid.periodic[axis]:
            last = build.compute("add", cell, reach)
            end = build.compute("min", build.compute("add", last, self.one), size)
            return _Range(build.compute("max", first, self.zero), end)
        width = build.constant(2 * self.grid.reach + 1, INT32)
        roomy = build.compute("ge", size, width)
        start = build.compute("select", roomy, first, self.zero)
        return _Range(start, build.compute("add", start, build.compute("min", size, width)))

    def segments(self, x: _Range) -> Sequence[_Range]:
        """The ranges of true cells in a row: one, and where x wraps a second, mostly empty one."""
        if not self.grid.periodic[0]:
            return (x,)
        build, size = self.build, self.grid.size[0]
        inside = _Range(
            build.compute("max", x.start, self.zero), build.compute("min", x.stop, size)
        )
        before = build.compute("lt", x.start, self.zero)
        after = build.compute("max", build.compute("sub", x.stop, size), self.zero)
        wrapped = _Range(
            build.compute("select", before, build.compute("add", x.start, size), self.zero),
            build.compute("select", before, size, after),
        )
        return (inside, wrapped)

    def wrapped(self, axis: int, raw: ir.Value) -> ir.Value:
        """The true coordinate of a cell that may lie one period outside."""
        if not self.grid.periodic[axis]:
            return raw
        build, size = self.build, self.grid.size[axis]
        negative = build.compute("lt", raw, self.zero)
        raw = build.compute("select", negative, build.compute("add", raw, size), raw)
        beyond = build.compute("ge", raw, size)
        return build.compute("select", beyond, build.compute("sub", raw, size), raw)

    # --- the loops --------------------------------------------------------------------------------

    def rows(self, y: _Range, z: _Range, segments: Sequence[_Range]) -> None:
        build = self.build
        with self.loop(z.start, z.stop) as plane:
            layer = build.compute("mul", self.grid.size[1], self.wrapped(2, plane.index))
            with self.loop(y.start, y.stop) as line:
                row = build.compute("add", layer, self.wrapped(1, line.index))
                first = build.compute("mul", self.grid.size[0], row)
                self.row(first, segments)

    def row(self, first: ir.Value, segments: Sequence[_Range]) -> None:
        if len(segments) == 1:
            self.particles(first, segments[0])
            return
        build, (inside, wrapped) = self.build, segments
        more = build.compute("lt", wrapped.start, wrapped.stop)
        passes = build.compute("add", self.one, build.cast(more, INT32))
        with self.loop(self.zero, passes) as segment:
            main = build.compute("eq", segment.index, self.zero)
            start = build.compute("select", main, inside.start, wrapped.start)
            stop = build.compute("select", main, inside.stop, wrapped.stop)
            self.particles(first, _Range(start, stop))

    def particles(self, first: ir.Value, cells: _Range) -> None:
        build, node = self.build, self.node
        starts = self.grid.cell_start
        start = build.load(starts, (build.compute("add", first, cells.start),))
        stop = build.load(starts, (build.compute("add", first, cells.stop),))
        reductions = node.reductions if self.spread else ()
        loop = ir.For(
            node.index, start, stop, self.one, ir.Block(), self.spread, reductions, node.span
        )
        build.append(loop)
        with build.inside(loop.body):
            self.pair()

    def pair(self) -> None:
        """The offset, the test and the body."""
        build, node = self.build, self.node
        for axis in _AXES:
            self.offset(axis)
        x, y, z = (build.compute("mul", part, part) for part in node.offset)
        total = (build.compute("add", x, y), z)
        build.append(ir.Compute(node.distance2, "add", total, node.span))
        near = build.compute("lt", node.distance2, self.grid.cutoff2)
        if node.center_index is not None:
            near = build.compute("and", near, build.compute("ne", node.index, node.center_index))
        build.append(ir.If(near, node.body, ir.Block(), node.span))

    def offset(self, axis: int) -> None:
        """x_i - x_j, on a periodic axis the minimal image."""
        build, node = self.build, self.node
        inverse = self.period_inverse[axis]
        other = build.load(self.grid.positions, (node.index,), axis)
        operands = (node.center[axis], other)
        if inverse is not None:
            direct = build.compute("sub", *operands)
            turns = build.compute("rint", build.compute("mul", direct, inverse))
            operands = (direct, build.compute("mul", self.grid.box[axis], turns))
        build.append(ir.Compute(node.offset[axis], "sub", operands, node.span))

    @contextmanager
    def loop(self, start: ir.Value, stop: ir.Value) -> Iterator[ir.For]:
        """A loop over cells, that a `break` of the body leaves as well."""
        with self.build.loop(start, stop, self.one) as node:
            yield node
            if self.stopped is not None:
                with self.build.when(self.build.read(self.stopped)):
                    self.build.append(ir.Break(self.node.span))


def _flag_breaks(block: ir.Block, flag: ir.Variable) -> bool:
    """Set `flag` before each Break of the block that leaves the loop around it; whether there is any."""
    found = False
    for node in tuple(block.nodes):
        if isinstance(node, ir.Break):
            build = ir.Builder(ir.Block(), node.span)
            build.assign(flag, build.constant(True, BOOL))
            block.nodes[-1:] = [*build.block.nodes, node]
            return True
        if isinstance(node, ir.For | ir.While | ir.Neighbors):
            continue
        for child in ir.children(node):
            found = _flag_breaks(child, flag) or found
    return found
