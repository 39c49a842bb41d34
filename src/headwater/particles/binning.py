"""The kernels of a cell grid: which cell a particle is in, and where each cell's particles begin."""

from __future__ import annotations

from functools import cache
from typing import Any

import headwater as hw


@hw.function
def wrapped(x, low, box):
    """A coordinate moved into the period that begins at `low`; as in `passes.lower_neighbors`."""
    return x - box * hw.floor((x - low) * (1.0 / box))


@hw.function
def cell_coordinate(x, low, inverse, size):
    """floor((x - low) * inverse), clamped; as in `passes.lower_neighbors`, operation by operation.

    Clamping keeps the order of coordinates, so a particle outside of the box never hides from another. NaN
    becomes cell 0.
    """
    return min(max(hw.int32(hw.floor((x - low) * inverse)), 0), size - 1)


@cache
def binning_kernel(periodic: tuple[bool, bool, bool]) -> Any:
    """The kernel that writes keys; it moves particles into the box along the periodic axes."""
    wrap_x, wrap_y, wrap_z = periodic
    wraps = any(periodic)

    @hw.kernel
    def bin_particles(keys, order, positions, removed, low, inverse, box, size, cells):
        """The key of a particle is its cell, that of a removed one `cells`; the marks are reset."""
        i = hw.grid(1)
        point = positions[i]
        x, y, z = point.x, point.y, point.z
        if wrap_x:
            x = wrapped(x, low.x, box.x)
        if wrap_y:
            y = wrapped(y, low.y, box.y)
        if wrap_z:
            z = wrapped(z, low.z, box.z)
        if wraps:
            positions[i] = hw.vec3(x, y, z)
        row = cell_coordinate(z, low.z, inverse.z, size.z)
        row = row * size.y + cell_coordinate(y, low.y, inverse.y, size.y)
        key = row * size.x + cell_coordinate(x, low.x, inverse.x, size.x)
        if removed[i] != 0:
            key = cells
            removed[i] = 0
        keys[i] = key
        order[i] = i

    return bin_particles


@hw.kernel
def find_cells(cell_start, keys, count, cells):
    """From sorted keys: thread i, up to and including `count`, writes the cells that begin at particle i."""
    i = hw.grid(1)
    n = count[0]
    if i > n:
        return
    first = 0
    if i > 0:
        first = keys[i - 1] + 1
    last = cells
    if i < n:
        last = keys[i]
    for cell in range(first, last + 1):
        cell_start[cell] = i


@hw.kernel
def find_cells_serial(cell_start, keys, count, cells, run):
    """The same by one thread for each run of particles, where threads are cores."""
    start = hw.blockIdx.x * run
    n = count[0]
    previous = -1
    if start > 0 and start <= n:
        previous = keys[start - 1]
    for i in range(start, min(n, start + run)):
        key = keys[i]
        for cell in range(previous + 1, key + 1):
            cell_start[cell] = i
        previous = key
    if start <= n and n < start + run:
        for cell in range(previous + 1, cells + 1):
            cell_start[cell] = n


@hw.kernel
def take_count(count, cell_start, cells):
    """Removed particles stand behind the last cell."""
    count[0] = cell_start[cells]
