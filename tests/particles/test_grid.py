"""The cell grid and the neighbour loop against all pairs in NumPy.

Coordinates are small whole numbers wherever a pair could lie exactly at the cutoff, so that both
sides compute without rounding.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import headwater as hw
from headwater.errors import DomainError
from headwater.particles import CellGrid, Domain, ParticleSet
from headwater.particles import grid as grid_module
from headwater.particles.domain import Cells, divide

MOST = 64
ALL_PERIODIC = list(product((False, True), repeat=3))


@hw.kernel
def list_neighbors(p, grid, lists, lengths):
    """Sequential: the body stores."""
    i = hw.grid(1)
    count = 0
    for j, _x_ij, _r2 in grid.neighbors(i):
        lists[p.id[i], count] = p.id[j]
        count += 1
    lengths[p.id[i]] = count


@hw.kernel
def sum_neighbors(p, grid, counts, sums, vectors, nearest, farthest):
    """A reduction, with a continue."""
    i = hw.grid(1)
    count = 0
    total = 0.0
    vector = hw.vec3(0.0, 0.0, 0.0)
    near = 1e30
    far = -1e30
    for j, x_ij, r2 in grid.neighbors(i):
        if p.id[j] % 5 == 4:
            continue
        weight = r2 * p.id[j]
        count += 1
        total += weight
        vector -= weight * x_ij
        near = min(near, r2)
        far = max(far, r2)
    counts[p.id[i]] = count
    sums[p.id[i]] = total
    vectors[p.id[i]] = vector
    nearest[p.id[i]] = near
    farthest[p.id[i]] = far


@hw.kernel
def count_around(p, grid, points, counts, sums):
    k = hw.grid(1)
    point = points[k]
    count = 0
    total = 0.0
    for j, x_ij, _r2 in grid.neighbors(point):
        count += 1
        total += x_ij.x * p.id[j]
    counts[k] = count
    sums[k] = total


@hw.kernel
def drop(p, least):
    i = hw.grid(1)
    if p.id[i] < least:
        p.removed[i] = 1


@hw.kernel
def move(p, step):
    i = hw.grid(1)
    p.position[i] = p.position[i] + step


class AllPairs:
    """Offsets and true pairs, in double precision."""

    def __init__(
        self, points: np.ndarray, domain: Domain, cutoff: float, others: np.ndarray
    ) -> None:
        offset = points[:, None, :].astype(np.float64) - others[None, :, :].astype(np.float64)
        for axis in np.flatnonzero(domain.periodic):
            length = domain.lengths[axis]
            offset[..., axis] -= length * np.rint(offset[..., axis] / length)
        self.offset = offset
        self.distance2 = (offset**2).sum(axis=2)
        self.near = self.distance2 < cutoff**2
        if points is others:
            np.fill_diagonal(self.near, False)

    def lists(self) -> list[list[int]]:
        return [np.flatnonzero(row).tolist() for row in self.near]


def particles(
    device: hw.Device, domain: Domain, points: np.ndarray, kind: object = hw.vec3f
) -> ParticleSet:
    p = ParticleSet(device, domain, max(1, len(points)), {"position": kind})
    p.add(np.asarray(points, np.float64))
    return p


def neighbor_lists(p: ParticleSet, grid: CellGrid) -> list[list[int]]:
    """The neighbours of each particle by id, in ascending order."""
    n = p.capacity
    lists = p.device.full((n, MOST), -1, hw.int32)
    lengths = p.device.zeros(n, hw.int32)
    list_neighbors.over(p.count, capacity=n)(p, grid, lists, lengths)
    rows = zip(lists.numpy(), lengths.numpy(), strict=True)
    return [sorted(row[:length].tolist()) for row, length in rows]


def check_sums(p: ParticleSet, grid: CellGrid, pairs: AllPairs) -> None:
    n, device, scalar = p.capacity, p.device, p.scalar
    vector = hw.vec3f if scalar is hw.float32 else hw.vec3d
    counts, vectors = device.zeros(n, hw.int32), device.zeros(n, vector)
    sums, nearest, farthest = (device.zeros(n, scalar) for _ in range(3))
    sum_neighbors.over(p.count, capacity=n)(p, grid, counts, sums, vectors, nearest, farthest)
    ids = np.arange(n)
    taken = pairs.near & (ids % 5 != 4)
    weight = np.where(taken, pairs.distance2 * ids, 0.0)
    np.testing.assert_array_equal(counts.numpy(), taken.sum(axis=1))
    np.testing.assert_allclose(sums.numpy(), weight.sum(axis=1), rtol=1e-5)
    expected = -np.einsum("ij,ijk->ik", weight, pairs.offset)
    scale = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(vectors.numpy(), expected, rtol=1e-5, atol=1e-5 * scale)
    least = np.where(taken, pairs.distance2, 1e30).min(axis=1)
    most = np.where(taken, pairs.distance2, -1e30).max(axis=1)
    np.testing.assert_allclose(nearest.numpy(), least, rtol=1e-5)
    np.testing.assert_allclose(farthest.numpy(), most, rtol=1e-5)


def check(p: ParticleSet, grid: CellGrid, points: np.ndarray) -> AllPairs:
    pairs = AllPairs(points, p.domain, grid.cutoff, points)
    assert neighbor_lists(p, grid) == pairs.lists()
    check_sums(p, grid, pairs)
    return pairs


def far_from_cutoff(points: np.ndarray, domain: Domain, cutoff: float) -> bool:
    """Whether no pair is so close to the cutoff that rounding decides."""
    gap = np.abs(np.sqrt(AllPairs(points, domain, cutoff, points).distance2) - cutoff)
    return bool(gap.min() > 1e-5)


@pytest.mark.parametrize("reach", [1, 2])
@pytest.mark.parametrize("periodic", ALL_PERIODIC)
def test_random_points(device: hw.Device, periodic: tuple[bool, bool, bool], reach: int) -> None:
    domain = Domain((-1, 0, 2), (2, 2.5, 6), periodic)
    rng = np.random.default_rng(11)
    points = (rng.random((60, 3)) * domain.lengths + domain.low).astype(np.float32)
    cutoff = 0.9
    assert far_from_cutoff(points, domain, cutoff)
    p = particles(device, domain, points)
    grid = CellGrid(p, cutoff, reach=reach)
    grid.update()
    assert check(p, grid, points).near.any()


@pytest.mark.parametrize("periodic", [(False, False, False), (True, True, True)])
@pytest.mark.parametrize("kind", [hw.vec3f, hw.vec3d])
def test_lattice_on_faces_and_corners(
    device: hw.Device, periodic: tuple[bool, bool, bool], kind: object
) -> None:
    """Cutoff 2 on whole coordinates: pairs at exactly 2 are none. Cells would be 2 wide without a margin."""
    domain = Domain((0, 0, 0), (4, 4, 4), periodic)
    top = 4 if any(periodic) else 5
    points = np.array(list(product(range(top), repeat=3)), np.float64)
    p = particles(device, domain, points, kind)
    grid = CellGrid(p, 2.0)
    grid.update()
    pairs = check(p, grid, points)
    assert pairs.near[0].sum() == (26 if any(periodic) else 7)


@pytest.mark.parametrize("reach", [1, 2])
@pytest.mark.parametrize("cells", [1, 2, 3, 4])
@pytest.mark.parametrize("periodic", [(False, True, False), (True, True, True)])
def test_few_cells(
    device: hw.Device, cells: int, periodic: tuple[bool, bool, bool], reach: int
) -> None:
    """Boxes just larger than so many cutoffs, down to one that is smaller than two of them."""
    length = 4 * cells + 1
    domain = Domain((0, 0, 0), (length, length, length), periodic)
    points = np.random.default_rng(cells).integers(0, length, (40, 3)).astype(np.float64)
    p = particles(device, domain, points)
    grid = CellGrid(p, 4.0, reach=reach)
    grid.update()
    size = tuple(reach * cells if wraps else reach * cells + 1 for wraps in periodic)
    assert grid.cells.size == size
    check(p, grid, points)


@pytest.mark.parametrize("reach", [1, 2])
def test_all_in_one_cell(device: hw.Device, reach: int) -> None:
    domain = Domain((0, 0, 0), (100, 100, 100), (True, False, True))
    points = np.random.default_rng(5).integers(50, 56, (40, 3)).astype(np.float64)
    p = particles(device, domain, points)
    grid = CellGrid(p, 7.0, reach=reach)
    grid.update()
    check(p, grid, points)


@pytest.mark.parametrize("periodic", [(False, False, False), (True, True, True)])
@pytest.mark.parametrize("n", [0, 1])
def test_nobody_and_one(device: hw.Device, n: int, periodic: tuple[bool, bool, bool]) -> None:
    domain = Domain((0, 0, 0), (8, 8, 8), periodic)
    p = particles(device, domain, np.full((n, 3), 3.0))
    grid = CellGrid(p, 2.5)
    grid.update()
    grid.update()
    assert len(p) == n
    starts = grid.cell_start.numpy()
    assert starts[0] == 0
    assert starts[-1] == n
    counts, sums = device.zeros(2, hw.int32), device.zeros(2)
    around = device.array(np.float32([[2, 3, 4], [7, 7, 7]]), hw.vec3f)
    count_around.over(2)(p, grid, around, counts, sums)
    assert counts.numpy().tolist() == [n, 0]
    if n:
        assert neighbor_lists(p, grid) == [[]]


def test_points_outside_of_the_domain(device: hw.Device) -> None:
    domain = Domain((0, 0, 0), (8, 8, 8))
    points = np.random.default_rng(6).integers(-12, 20, (60, 3)).astype(np.float64)
    points[:3] = [[1e9, 0, 0], [1e9, 0, 1], [-1e9, 1e9, 4]]
    p = particles(device, domain, points)
    grid = CellGrid(p, 5.0)
    grid.update()
    assert check(p, grid, points).near.any()


def test_periodic_positions_are_wrapped(device: hw.Device) -> None:
    domain = Domain((0, 0, 0), (8, 8, 8), (True, True, False))
    points = np.random.default_rng(6).integers(-12, 20, (60, 3)).astype(np.float64)
    p = particles(device, domain, points)
    grid = CellGrid(p, 3.0)
    grid.update()
    check(p, grid, points)
    found = p.host("position")[np.argsort(p.host("id"))]
    np.testing.assert_array_equal(found[:, :2], points[:, :2] % 8)
    np.testing.assert_array_equal(found[:, 2], points[:, 2])


@pytest.mark.parametrize("periodic", ALL_PERIODIC)
def test_around_free_points(device: hw.Device, periodic: tuple[bool, bool, bool]) -> None:
    domain = Domain((0, 0, 0), (9, 9, 9), periodic)
    rng = np.random.default_rng(12)
    points = rng.integers(0, 9, (50, 3)).astype(np.float64)
    around = rng.integers(-10, 20, (30, 3)).astype(np.float64)
    around[0] = points[0]  # here the particle itself counts
    p = particles(device, domain, points)
    grid = CellGrid(p, 3.0)
    grid.update()
    counts, sums = device.zeros(30, hw.int32), device.zeros(30)
    count_around.over(30)(p, grid, device.array(around, hw.vec3f), counts, sums)
    pairs = AllPairs(around, domain, 3.0, points)
    assert pairs.near[0, 0]
    np.testing.assert_array_equal(counts.numpy(), pairs.near.sum(axis=1))
    expected = np.where(pairs.near, pairs.offset[..., 0], 0.0) @ np.arange(50.0)
    if not periodic[0]:  # at half a period both images are minimal
        np.testing.assert_array_equal(sums.numpy(), expected)


def test_stable_order_and_cell_starts(device: hw.Device) -> None:
    domain = Domain((0, 0, 0), (8, 8, 8))
    points = np.random.default_rng(13).integers(0, 8, (80, 3)).astype(np.float64) + 0.5
    p = particles(device, domain, points)
    grid = CellGrid(p, 1.9)
    grid.update()
    n_x, n_y, _ = grid.cells.size
    inverse = float(grid.cells.inverse.x)
    cell = np.floor(points * inverse).astype(int)
    key = cell[:, 0] + n_x * (cell[:, 1] + n_y * cell[:, 2])
    order = np.argsort(key, kind="stable")
    np.testing.assert_array_equal(p.host("id"), order)
    np.testing.assert_array_equal(p.host("position"), points[order])
    starts = np.searchsorted(key[order], np.arange(grid.cells.count + 1))
    np.testing.assert_array_equal(grid.cell_start.numpy(), starts)


@pytest.mark.compiled
@pytest.mark.parametrize("n", [4095, 4096, 4097, 8192])
def test_cell_starts_at_the_ends_of_runs(device: hw.Device, n: int) -> None:
    """Many empty cells, and as many particles as threads or chunks hold, or one more or less."""
    points = np.random.default_rng(n).integers(1, 4, (n, 3)) + 0.5
    p = ParticleSet(device, Domain((0, 0, 0), (16, 16, 16)), 8192)
    p.add(points)
    grid = CellGrid(p, 0.99)
    grid.update()
    x, y, z = np.floor(points * float(grid.cells.inverse.x)).astype(int).T
    key = np.sort(x + grid.cells.size[0] * (y + grid.cells.size[1] * z))
    starts = np.searchsorted(key, np.arange(grid.cells.count + 1))
    np.testing.assert_array_equal(grid.cell_start.numpy(), starts)
    assert p.count.numpy().tolist() == [n]


def test_removed_particles_drop_out(device: hw.Device) -> None:
    domain = Domain((0, 0, 0), (8, 8, 8))
    points = np.random.default_rng(14).integers(0, 8, (40, 3)).astype(np.float64)
    p = particles(device, domain, points)
    grid = CellGrid(p, 3.0)
    grid.update()
    drop.over(p.count, capacity=p.capacity)(p, 15)
    grid.update()
    assert p.count.numpy().tolist() == [25]
    assert sorted(p.host("id").tolist()) == list(range(15, 40))
    pairs = AllPairs(points, domain, 3.0, points)
    expected = [
        [j for j in row if j >= 15] if i >= 15 else [] for i, row in enumerate(pairs.lists())
    ]
    assert neighbor_lists(p, grid) == expected
    drop.over(p.count, capacity=p.capacity)(p, 100)
    grid.update()
    assert p.count.numpy().tolist() == [0]
    assert not grid.cell_start.numpy().any()
    p.add(points[:1])
    grid.update()
    assert grid.cell_start.numpy()[-1] == 1


def test_moving_particles(device: hw.Device) -> None:
    domain = Domain((0, 0, 0), (8, 8, 8), (True, True, True))
    points = np.random.default_rng(15).integers(0, 8, (40, 3)).astype(np.float64)
    p = particles(device, domain, points)
    grid = CellGrid(p, 3.0)
    for _ in range(3):
        grid.update()
        assert neighbor_lists(p, grid) == AllPairs(points, domain, 3.0, points).lists()
        move.over(p.count, capacity=p.capacity)(p, hw.vec3f(3, -5, 1))
        points = (points + np.array([3, -5, 1])) % 8


def test_positions_that_are_no_numbers(device: hw.Device) -> None:
    """They have no neighbours, and do no harm."""
    p = particles(device, Domain((0, 0, 0), (8, 8, 8)), np.full((4, 3), 2.0))
    move.over(1)(p, hw.vec3f(np.nan, 0, np.inf))
    grid = CellGrid(p, 3.0)
    grid.update()
    assert neighbor_lists(p, grid) == [[], [2, 3], [1, 3], [1, 2]]


def test_two_grids_and_staleness(device: hw.Device) -> None:
    points = np.random.default_rng(16).integers(0, 8, (30, 3)).astype(np.float64)
    p = particles(device, Domain((0, 0, 0), (8, 8, 8)), points)
    fine, coarse = CellGrid(p, 2.0), CellGrid(p, 4.0)
    with pytest.raises(DomainError, match="never updated"):
        neighbor_lists(p, fine)
    fine.update()
    check(p, fine, points)
    coarse.update()
    check(p, coarse, points)
    with pytest.raises(DomainError, match="out of date"):
        neighbor_lists(p, fine)


def test_bad_grids(device: hw.Device) -> None:
    p = particles(device, Domain((0, 0, 0), (1, 1, 1)), np.zeros((1, 3)))
    for cutoff in (0, -1, np.nan, np.inf, "x", None):
        with pytest.raises(DomainError, match="cutoff must be positive"):
            CellGrid(p, cutoff)  # type: ignore[arg-type]
    for cutoff in (1e-30, 1e30, 1e200):
        with pytest.raises(DomainError, match="does not fit float32"):
            CellGrid(p, cutoff)
    with pytest.raises(DomainError, match="made of a ParticleSet, not None"):
        CellGrid(None, 0.5)  # type: ignore[arg-type]
    for reach in (0, 9, 1.5, True):
        with pytest.raises(DomainError, match="reach is an int"):
            CellGrid(p, 0.5, reach=reach)  # type: ignore[arg-type]


@pytest.mark.compiled
def test_many_particles_twice_the_same(device: hw.Device) -> None:
    """Larger than every block and chunk; sums repeat bit for bit."""
    rng = np.random.default_rng(17)
    points = rng.random((9001, 3)).astype(np.float32)
    found = []
    for _ in range(2):
        p = particles(device, Domain((0, 0, 0), (1, 1, 1)), points)
        grid = CellGrid(p, 0.06, reach=2)
        grid.update()
        n = p.capacity
        counts, vectors = device.zeros(n, hw.int32), device.zeros(n, hw.vec3f)
        sums, nearest, farthest = (device.zeros(n) for _ in range(3))
        sum_neighbors.over(p.count, capacity=n)(p, grid, counts, sums, vectors, nearest, farthest)
        found.append([a.numpy().tobytes() for a in (counts, sums, vectors, nearest, farthest)])
    assert found[0] == found[1]
    some = np.arange(0, n, 19)
    offset = points[some, None].astype(np.float64) - points[None]
    near = ((offset**2).sum(axis=2) < 0.06**2) & (np.arange(n) % 5 != 4)
    near[np.arange(len(some)), some] = False
    assert near.any()
    different = counts.numpy()[some] != near.sum(axis=1)
    assert different.mean() < 1e-2  # a pair within a rounding error of the cutoff may differ


@hw.kernel
def fingerprint(p, grid, counts, sums):
    i = hw.grid(1)
    count = 0
    total = 0
    for j, _x_ij, _r2 in grid.neighbors(i):
        count += 1
        total += p.id[j] * p.id[j]
    counts[p.id[i]] = count
    sums[p.id[i]] = total


def at_faces(rng: np.random.Generator, low: float, cells: Cells, cutoff: float, kind: type) -> Any:
    """Pairs about a cutoff apart along x, one of each within a few floats of a face between cells."""
    faces = low + rng.integers(1, cells.size[0], 250) / float(cells.inverse.x)
    points = np.zeros((500, 3), kind)
    points[:250, 0] = nudged(rng, faces.astype(kind))
    points[250:, 0] = nudged(rng, points[:250, 0] + kind(cutoff) * rng.choice([-1, 1], 250))
    points[:, 1:] = np.tile(rng.integers(0, 2, (250, 2)), (2, 1)) * kind(0.5)
    return points


def nudged(rng: np.random.Generator, values: Any) -> Any:
    for _ in range(2):
        values = np.nextafter(
            values, values + rng.integers(-1, 2, values.shape).astype(values.dtype)
        )
    return values


@pytest.mark.compiled
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rounding_never_hides_a_neighbor(
    device: hw.Device, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same kernel on a grid of one cell computes the same distances and misses nothing."""
    rng = np.random.default_rng(18)
    vector = hw.vec3f if kind is np.float32 else hw.vec3d
    for trial in range(12):
        cutoff, reach, low = 0.02 + 0.1 * rng.random(), 1 + trial % 2, 3.0 * rng.random()
        periodic = (trial % 4 > 1, False, False)
        domain = Domain((low, 0, 0), (low + 1 + 20 * rng.random(), 1, 1), periodic)
        cells = divide(domain, cutoff, reach, vector.scalar, 10**6)
        points = at_faces(rng, low, cells, cutoff, kind)
        found = []
        for limit in (10**6, 1):
            monkeypatch.setattr(grid_module, "divide", lambda *a, n=limit: divide(*a[:-1], n))
            p = particles(device, domain, points, vector)
            grid = CellGrid(p, cutoff, reach=reach)
            grid.update()
            counts, sums = device.zeros(500, hw.int32), device.zeros(500, hw.int32)
            fingerprint.over(p.count, capacity=500)(p, grid, counts, sums)
            found.append((grid.cells.count, counts.numpy().tolist(), sums.numpy().tolist()))
        assert found[1][0] == 1
        assert sum(found[1][1]) > 0
        assert found[0][1:] == found[1][1:], (domain, cutoff, reach)


def test_the_default_reach_follows_from_how_full_the_domain_is(oracle: hw.Device) -> None:
    points = np.full((2, 3), 1.5)
    dense = particles(oracle, Domain((0, 0, 0), (3, 3, 3)), points)
    assert CellGrid(dense, 1.0).reach == 2
    # 13³ cells of the cutoff are allowed for a set of two, 25³ cells of half of it are not.
    empty = particles(oracle, Domain((0, 0, 0), (12.5, 12.5, 12.5)), points)
    assert CellGrid(empty, 1.0).reach == 1


@pytest.mark.parametrize(("places", "reach"), [(1.2, 1), (1.99, 1), (2.0, 2)])
def test_a_reach_of_two_takes_two_places_for_each_cube_of_the_cutoff(
    oracle: hw.Device, places: float, reach: int
) -> None:
    side = 12  # so many cubes along each axis, above the fewest cells that are always allowed
    capacity = int(places * side**3)
    p = ParticleSet(oracle, Domain((0, 0, 0), (side,) * 3), capacity)
    assert CellGrid(p, 1.0).reach == reach
