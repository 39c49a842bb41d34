"""The loops over rows against the interpreter's own neighbour loop, which tries all particles."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hand_built import Cells, Loop, copied

from headwater import ir, passes
from headwater.types import BOOL, FLOAT32, INT32

ALL_PERIODIC = list(product((False, True), repeat=3))


def checksum(loop: Loop) -> ir.Kernel:
    """A count, sums and a minimum: integers as floats, so that every order gives the same bits."""
    build, node = loop.build, loop.node
    count = loop.variable("count", INT32, 0)
    total, mixed = loop.variable("total", FLOAT32, 0.0), loop.variable("mixed", FLOAT32, 0.0)
    nearest = loop.variable("nearest", FLOAT32, 1e9)

    def body() -> None:
        with build.when(build.compute("eq", node.index, build.constant(3, INT32))):
            build.append(ir.Continue())
        loop.update("add", count, build.constant(1, INT32))
        j = build.cast(node.index, FLOAT32)
        x, y, z = node.offset
        loop.update("add", total, build.compute("mul", j, x))
        loop.update("sub", mixed, build.compute("add", build.compute("mul", y, j), z))
        loop.update("min", nearest, node.distance2)

    loop.body(body)
    for column, variable in enumerate((count, total, mixed, nearest)):
        loop.store(column, build.read(variable))
    return loop.kernel


def lowered(kernel: ir.Kernel, cooperative: bool) -> ir.Kernel:
    result = copied(kernel)
    passes.classify_reductions(result)
    passes.lower_neighbors(result, cooperative=cooperative)
    ir.verify(result)
    assert not any(isinstance(node, ir.Neighbors) for node in ir.walk(result.body))
    return result


def lattice(size: tuple[int, int, int], rng: np.random.Generator, count: int = 28) -> np.ndarray:
    """Integer points from the low faces to the high ones, and some beyond."""
    return np.stack([rng.integers(0, 4 * n + 1, count) for n in size], axis=1)


@pytest.mark.parametrize("periodic", ALL_PERIODIC)
@pytest.mark.parametrize("reach", [1, 2])
@pytest.mark.parametrize("size", [(1, 1, 1), (2, 3, 4), (4, 2, 1), (5, 6, 5)])
def test_same_neighbors(
    periodic: tuple[bool, bool, bool], reach: int, size: tuple[int, int, int]
) -> None:
    """Cells of 4 units, a cutoff a little below the reach, coordinates whole numbers."""
    rng = np.random.default_rng(7)
    box = 4 * np.array(size)
    points = lattice(size, rng) % np.where(periodic, box, box + 1)
    cells = Cells(points, size, cell=4.0, cutoff=4.0 * reach - 0.1)
    kernel = checksum(Loop(periodic, reach))
    expected = cells.run(copied(kernel), 4)
    assert (expected[:, 0] > 0).any()
    for cooperative in (False, True):
        found = cells.run(lowered(kernel, cooperative), 4)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("periodic", [(False, False, False), (True, True, True)])
def test_free_points_and_points_outside(periodic: tuple[bool, bool, bool]) -> None:
    rng = np.random.default_rng(8)
    size = (3, 4, 5)
    points = rng.integers(-8, 24, (60, 3)) if not any(periodic) else lattice(size, rng, 60) % 12
    cells = Cells(points, size, cell=4.0, cutoff=3.9)
    centers = rng.integers(-30, 40, (50, 3))
    kernel = checksum(Loop(periodic, free=True))
    expected = cells.run(copied(kernel), 4, centers)
    assert (expected[:, 0] > 0).any()
    found = cells.run(lowered(kernel, True), 4, centers)
    np.testing.assert_array_equal(found, expected)


def test_no_particle_and_one() -> None:
    kernel = checksum(Loop())
    nobody = Cells(np.zeros((0, 3)), (2, 2, 2))
    assert nobody.run(lowered(kernel, True), 4).shape == (0, 4)
    alone = Cells(np.ones((1, 3)), (2, 2, 2))
    found = alone.run(lowered(kernel, True), 4)
    np.testing.assert_array_equal(found, np.float32([[0, 0, 0, 1e9]]))


@pytest.mark.parametrize("periodic", [(False, False, False), (True, False, True)])
def test_break_leaves_the_whole_loop(periodic: tuple[bool, bool, bool]) -> None:
    """The first three neighbours in order; the lists of both forms hold the loop's order in cells."""
    loop = Loop(periodic)
    build, node = loop.build, loop.node
    count = loop.variable("count", INT32, 0)

    def body() -> None:
        with build.when(build.compute("eq", build.read(count), build.constant(3, INT32))):
            build.append(ir.Break())
        build.store(loop.out, (loop.thread, build.read(count)), build.cast(node.index, FLOAT32))
        loop.update("add", count, build.constant(1, INT32))

    loop.body(body)
    rng = np.random.default_rng(9)
    cells = Cells(rng.integers(0, 12, (60, 3)), (3, 3, 3), cell=4.0, cutoff=3.9)
    expected = cells.run(copied(loop.kernel), 4)
    found = cells.run(lowered(loop.kernel, True), 4)
    assert (found[:, 2] >= 0).any()
    np.testing.assert_array_equal((found >= 0), (expected >= 0))
    if not any(periodic):  # rows ascend, so the first neighbours are the same
        np.testing.assert_array_equal(found, expected)


def test_cooperative_form() -> None:
    kernel = lowered(checksum(Loop()), True)
    groups = [node for node in ir.walk(kernel.body) if isinstance(node, ir.Cooperative)]
    assert len(groups) == 1
    spread = [n for n in ir.walk(groups[0].body) if isinstance(n, ir.For) and n.spread]
    assert len(spread) == 1
    found = [(r.variable.name, r.operation) for r in spread[0].reductions]
    assert found == [("count", "add"), ("total", "add"), ("mixed", "add"), ("nearest", "min")]
    plain = lowered(checksum(Loop()), False)
    assert not any(isinstance(node, ir.Cooperative) for node in ir.walk(plain.body))


def test_text(golden: Callable[[str, str], None]) -> None:
    for name, periodic in (("rows", False), ("rows_periodic", True)):
        loop = Loop((periodic,) * 3)
        total = loop.variable("total", FLOAT32, 0.0)
        loop.body(lambda loop=loop, total=total: loop.update("add", total, loop.node.distance2))
        loop.store(0, loop.build.read(total))
        golden(f"{name}.txt", ir.format_kernel(lowered(loop.kernel, True)))


def test_sequential_loops_are_never_cooperative() -> None:
    loop = Loop()
    loop.body(lambda: loop.store(0, loop.node.distance2))
    kernel = lowered(loop.kernel, True)
    assert not any(isinstance(node, ir.Cooperative) for node in ir.walk(kernel.body))
    assert not any(node.spread for node in ir.walk(kernel.body) if isinstance(node, ir.For))


def test_lanes_share_one_loop_only() -> None:
    """A neighbour loop inside a spread one is plain."""
    outer, inner = Loop(), Loop()
    build = outer.build
    total = outer.variable("total", FLOAT32, 0.0)
    seen = outer.variable("seen", BOOL, False)

    def body() -> None:
        node = ir.Neighbors(
            outer.node.grid,
            outer.node.center,
            outer.node.index,
            inner.node.index,
            inner.node.offset,
            inner.node.distance2,
            ir.Block(),
        )
        build.append(node)
        with build.inside(node.body):
            outer.update("add", total, node.distance2)

    outer.body(body)
    outer.store(0, build.read(total))
    assert seen in outer.kernel.variables
    cells = Cells(np.random.default_rng(3).integers(0, 8, (20, 3)), (2, 2, 2), 4.0, 3.9)
    expected = cells.run(copied(outer.kernel), 1)
    kernel = lowered(outer.kernel, True)
    assert sum(isinstance(node, ir.Cooperative) for node in ir.walk(kernel.body)) == 1
    np.testing.assert_array_equal(cells.run(kernel, 1), expected)
