"""The cell grid: particles sorted by cell, so that neighbours lie close in memory."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from headwater.errors import DomainError
from headwater.particles.binning import (
    binning_kernel,
    find_cells,
    find_cells_serial,
    take_count,
)
from headwater.particles.domain import choose_reach, divide
from headwater.particles.particle_set import ParticleSet
from headwater.primitives import sort
from headwater.runtime.array import Array
from headwater.types import INT32, VectorType

_MOST_REACH = 8
# Particles of one thread where threads are cores.
_RUN = 4096
# Cells for each place of the set, and at least: memory stays O(capacity).
_CELLS_PER_PARTICLE, _FEWEST_CELLS = 4, 4096


class CellGrid:
    """Finds all pairs of a particle set that are closer than `cutoff`.

    In a kernel, `for j, x_ij, r2 in grid.neighbors(i)` gives each particle j != i with |x_i - x_j| < cutoff; with
    a vec3 in place of i, each particle that close to the point. On periodic axes x_ij is the minimal image and a
    pair comes once, even where the box is shorter than two cutoffs.

    Cells are cutoff / reach wide or slightly more; a larger `reach` searches more cells and fewer particles. There
    are at most four cells for each place of the set (its capacity), or 4096 if that is more. The default reach is 2
    where cells of half the cutoff are no more than that, which takes two places of the set or more for each cube of
    the cutoff's width in the domain, and 1 otherwise. Cells that would still be too many are made larger.

    The grid is what the last `update` found. Particles that moved since then are not noticed, on any device: pairs
    may be missing, or measured from places in the wrong cells. Only adding, removing and reordering are noticed.
    """

    def __init__(self, particles: ParticleSet, cutoff: float, *, reach: int | None = None) -> None:
        """Call `update` before the first use. DomainError for a cutoff that is not positive, or a wrong reach."""
        if not isinstance(particles, ParticleSet):
            raise DomainError(f"a cell grid is made of a ParticleSet, not {particles!r}")
        if not (isinstance(cutoff, int | float | np.number) and 0 < cutoff < math.inf):
            raise DomainError(f"the cutoff must be positive and finite, not {cutoff!r}")
        cutoff = float(cutoff)
        if reach is not None and not (type(reach) is int and 1 <= reach <= _MOST_REACH):
            raise DomainError(f"the reach is an int from 1 to {_MOST_REACH}, not {reach!r}")
        scalar = particles.scalar
        with np.errstate(over="ignore", under="ignore"):
            squared = float(scalar(cutoff * cutoff))
        if squared == 0 or not math.isfinite(squared):
            raise DomainError(f"the square of the cutoff {cutoff} does not fit {scalar}")
        self.particles = particles
        self.cutoff = cutoff
        limit = max(_CELLS_PER_PARTICLE * particles.capacity, _FEWEST_CELLS)
        self.reach = reach or choose_reach(particles.domain, self.cutoff, limit)
        self.cells = divide(particles.domain, self.cutoff, self.reach, scalar, limit)
        device, owner = particles.device, "cell grid"
        self.cell_start = device.zeros(self.cells.count + 1, INT32, owner=owner)
        self._keys = device.empty(particles.capacity, INT32, owner=owner)
        self._order = device.empty(particles.capacity, INT32, owner=owner)
        self._version: int | None = None
        self._constants = {
            "low": self.cells.low,
            "inverse": self.cells.inverse,
            "box": self.cells.box,
            "size": VectorType(INT32, 3)(*self.cells.size),
            "cutoff2": scalar(squared),
        }

    def __repr__(self) -> str:
        return f"CellGrid(cutoff={self.cutoff}, cells={self.cells.size}, reach={self.reach})"

    def update(self) -> None:
        """Sort the particles by cell, keeping their order within a cell, and drop those marked as removed.

        Call it whenever particles have moved, before the next neighbour loop. Positions are wrapped into the box
        along periodic axes. Particles with a NaN count as in the first cell of that axis. The host does not
        wait, and from the second call on nothing is allocated.
        """
        particles, cells = self.particles, self.cells
        count, capacity = particles.count, particles.capacity
        bin_particles = binning_kernel(particles.domain.periodic)
        bin_particles.over(count, capacity=capacity)(
            self._keys,
            self._order,
            particles.position,
            particles.removed,
            cells.low,
            cells.inverse,
            cells.box,
            self._constants["size"],
            cells.count,
        )
        bits = cells.count.bit_length()
        sort(self._keys, self._order, bits=bits, count=count, workspace=particles.workspace)
        particles._permute(self._order)
        self._find_cells()
        take_count[1, 1](count, self.cell_start, cells.count)
        self._version = particles.version

    def _find_cells(self) -> None:
        """Fill `cell_start` from the sorted keys."""
        particles = self.particles
        given = (self.cell_start, self._keys, particles.count, self.cells.count)
        if not particles.device.capabilities.serial_threads:
            find_cells.over(particles.capacity + 1)(*given)
            return
        find_cells_serial[particles.capacity // _RUN + 1, 1](*given, _RUN)

    def __kernel_argument__(self) -> Mapping[str, object]:
        if self._version != self.particles.version:
            reason = "was never updated" if self._version is None else "is out of date"
            raise DomainError(
                f"the cell grid {reason}",
                hint="call update() after particles were added, removed or reordered",
            )
        return self.parts

    @property
    def parts(self) -> Mapping[str, object]:
        """What kernels take of the grid, by name, up to date or not."""
        positions: Array = self.particles.position
        return {"positions": positions, "cell_start": self.cell_start, **self._constants}

    def __kernel_grid__(self) -> tuple[tuple[bool, bool, bool], int]:
        return self.particles.domain.periodic, self.reach
