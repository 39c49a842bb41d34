"""Filling boxes with the points of one lattice; all particles of a scene then fit together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Point: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-parallel box, closed on all sides; corners in metres."""

    low: Point
    high: Point


@dataclass(frozen=True, slots=True)
class Lattice:
    """A regular lattice: `counts` points along each axis, from `box.low` to `box.high` inclusive."""

    box: Box
    counts: tuple[int, int, int]

    @property
    def spacing(self) -> Point:
        """The distance between neighbours along x, y and z, in metres."""
        x, y, z = (
            (high - low) / (count - 1)
            for low, high, count in zip(self.box.low, self.box.high, self.counts, strict=True)
        )
        return x, y, z

    def inside(self, box: Box) -> npt.NDArray[np.bool_]:
        """Which points lie in the closed box: one bool a point, of shape `counts`."""
        x, y, z = (self._axis_inside(axis, box) for axis in range(3))
        inside: npt.NDArray[np.bool_] = x[:, None, None] & y[None, :, None] & z[None, None, :]
        return inside

    def count(self, *boxes: Box) -> int:
        """How many points lie in all of the closed boxes; takes no memory for them."""
        insides = ([self._axis_inside(axis, box) for box in boxes] for axis in range(3))
        return math.prod(int(np.logical_and.reduce(inside).sum()) for inside in insides)

    def points(self, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """The chosen points' positions, (n, 3), in metres; z varies fastest."""
        low, spacing = np.asarray(self.box.low), np.asarray(self.spacing)
        points: npt.NDArray[np.float64] = low + np.argwhere(chosen) * spacing
        return points

    def _axis_inside(self, axis: int, box: Box) -> npt.NDArray[np.bool_]:
        # Compared as indices, not as positions: index * spacing rounds differently from (x - low) / spacing.
        index = np.arange(self.counts[axis])
        origin, spacing = self.box.low[axis], self.spacing[axis]
        first = np.ceil((box.low[axis] - origin) / spacing)
        last = np.floor((box.high[axis] - origin) / spacing)
        inside: npt.NDArray[np.bool_] = (index >= first) & (index <= last)
        return inside
