"""Cell grids for the random kernels, built on the host, so that every device gets the same bytes.

Edges of periodic boxes are powers of two. The minimal image is then exact, and what a neighbour loop yields is
the same in every bit whether a device divides by the edge or multiplies by its inverse.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import headwater as hw
from headwater.particles.domain import Cells, Domain, divide
from headwater.types import FLOAT32

PROBES = 13  # points that are no particles
STEP = 0.125  # of the lattice: sums of offsets and squared distances are exact in any order
_SPARE = 3  # places behind the last particle, with values that must not be seen
_MOST_CELLS = 4096
_FORMS = ("random", "random", "lattice", "lattice", "one cell", "outside")
# The last ones reach across the whole box, so that periodic ranges of cells meet themselves.
_CUTOFFS = (0.125, 0.375, 0.5, 0.625, 1.0, 3.0)


@dataclass(frozen=True)
class Points:
    """What a grid is made of. `form` says where particles are."""

    form: str
    count: int
    cutoff: float
    edges: tuple[float, float, float]
    periodic: tuple[bool, bool, bool]
    reach: int

    @property
    def exact(self) -> bool:
        """Whether all coordinates are multiples of STEP."""
        return self.form == "lattice"


@dataclass(frozen=True)
class GridArgument:
    """A cell grid as a kernel takes it."""

    fields: Mapping[str, object]
    periodic: tuple[bool, bool, bool]
    reach: int

    def __kernel_argument__(self) -> Mapping[str, object]:
        return self.fields

    def __kernel_grid__(self) -> tuple[tuple[bool, bool, bool], int]:
        return self.periodic, self.reach


def choose(chance: random.Random) -> Points:
    """A grid's shape."""
    kinds = chance.choice(((True,), (False,), (True, False)))
    x, y, z = (chance.choice(kinds) for _ in range(3))
    width, depth, height = (
        chance.choice((0.5, 1.0, 2.0) if wraps else (0.625, 1.0, 1.5)) for wraps in (x, y, z)
    )
    return Points(
        chance.choice(_FORMS),
        chance.choice((0, 1, 2, 7, 16, 17, *range(20, 41, 4))),
        chance.choice(_CUTOFFS),
        (width, depth, height),
        (x, y, z),
        chance.choice((1, 1, 2, 3)),
    )


def arguments(points: Points, rng: np.random.Generator) -> tuple[dict[str, Any], GridSource]:
    """Host values of the parameters that go with a grid, and the grid before its upload."""
    domain = Domain((0.0, 0.0, 0.0), points.edges, points.periodic)
    cells = divide(domain, points.cutoff, points.reach, FLOAT32, _MOST_CELLS)
    positions = coordinates(points, rng, points.count)
    keys = cell_keys(points, cells, positions)
    order = np.argsort(keys, kind="stable")
    starts = np.searchsorted(keys[order], np.arange(cells.count + 1)).astype(np.int32)
    spare = np.full((_SPARE, 3), 0.25, np.float32)
    source = GridSource(points, cells, np.concatenate([positions[order], spare]), starts)
    return {"members": points.count, "probes_vec3f": probes(points, rng)}, source


@dataclass(frozen=True)
class GridSource:
    """A grid on the host: positions in the order of cells, and where each cell begins."""

    points: Points
    cells: Cells
    positions: np.ndarray
    starts: np.ndarray

    def upload(self, device: hw.Device) -> GridArgument:
        fields = {
            "positions": device.array(self.positions, hw.vec3f),
            "cell_start": device.array(self.starts),
            "low": self.cells.low,
            "inverse": self.cells.inverse,
            "box": self.cells.box,
            "size": hw.vec3i(*self.cells.size),
            "cutoff2": np.float32(self.points.cutoff**2),
        }
        return GridArgument(fields, self.points.periodic, self.points.reach)


def coordinates(points: Points, rng: np.random.Generator, count: int) -> np.ndarray:
    """Float32 (count, 3). Faces of cells are hit where the cutoff is a multiple of STEP."""
    edges = np.array(points.edges, np.float32)
    if points.form == "lattice":
        steps = (edges / np.float32(STEP)).astype(np.int64)
        return (rng.integers(0, steps, (count, 3)) * STEP).astype(np.float32)
    places = np.minimum(rng.random((count, 3)).astype(np.float32), np.float32(0.999))
    if points.form == "one cell":
        places = places * np.float32(points.cutoff / 8) % edges
        return np.asarray(places)
    if points.form == "outside":
        beyond = np.where(points.periodic, np.float32(0), np.float32(0.5))
        places = places * (1 + 2 * beyond) - beyond
    return np.asarray(places * edges)


def probes(points: Points, rng: np.random.Generator) -> np.ndarray:
    """Free points: near particles, on faces, and up to a period outside of the box."""
    edges = np.array(points.edges, np.float32)
    inside = coordinates(points, rng, PROBES)
    shifts = edges * rng.integers(-1, 2, (PROBES, 3)).astype(np.float32)
    outside = inside + np.where(rng.random((PROBES, 1)) < 0.4, shifts, np.float32(0))
    faces = edges * rng.integers(0, 2, (PROBES, 3)).astype(np.float32)
    on_face = rng.random((PROBES, 1)) < 0.2
    return np.asarray(np.where(on_face, faces, outside), np.float32)


def cell_keys(points: Points, cells: Cells, positions: np.ndarray) -> np.ndarray:
    """The cell of each position; positions lie inside along the axes that wrap."""
    key = np.zeros(len(positions), np.int64)
    for axis, component in reversed(list(enumerate("xyz"))):
        low = np.float32(getattr(cells.low, component))
        inverse = np.float32(getattr(cells.inverse, component))
        place = np.floor((positions[:, axis] - low) * inverse).astype(np.int64)
        key = key * cells.size[axis] + np.clip(place, 0, cells.size[axis] - 1)
    return key
