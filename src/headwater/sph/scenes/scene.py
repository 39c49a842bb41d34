"""What a scene is: particles at t = 0 and the constants of their fluid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.sph.scenes.lattice import Point
from headwater.sph.schemes.weakly_compressible.parameters import FLUID, Parameters


@dataclass(frozen=True, slots=True)
class Scene:
    """Particles at rest at t = 0; SI units.

    Attributes:
        name: what the command line calls it.
        variant: which of the scene's tests this is.
        spacing: distance between particles.
        positions: (n, 3).
        densities: (n,).
        kinds: (n,), FLUID or WALL.
        parameters: constants of the fluid and of the scheme.
        probes: points where the pressure is sampled.
        end_time: when a whole run ends.
        landmarks: names of what stands in the scene, and the top of each; pictures label them.
    """

    name: str
    variant: str
    spacing: float
    positions: npt.NDArray[np.float64]
    densities: npt.NDArray[np.float64]
    kinds: npt.NDArray[np.int32]
    parameters: Parameters
    probes: tuple[Point, ...]
    end_time: float
    landmarks: tuple[tuple[str, Point], ...] = ()

    @property
    def fluid_count(self) -> int:
        """How many particles are fluid."""
        return int(np.count_nonzero(self.kinds == FLUID))

    @property
    def wall_count(self) -> int:
        """How many particles are walls."""
        return len(self.kinds) - self.fluid_count
