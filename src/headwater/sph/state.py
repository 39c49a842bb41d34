"""Equations of state."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import headwater as hw


@hw.function
def tait_pressure(density, rest_density, stiffness):
    """P = B [(ρ / ρ₀)⁷ − 1]: Tait's equation as Monaghan (1994), J. Comput. Phys. 110, 399.

    Pa for densities in kg/m³ and the stiffness B in Pa.
    """
    return stiffness * ((density / rest_density) ** 7 - 1.0)


def tait_density(
    pressures: npt.NDArray[np.float64], rest_density: float, stiffness: float
) -> npt.NDArray[np.float64]:
    """The inverse, for setting a scene up on the host: ρ = ρ₀ (P / B + 1)^(1/7)."""
    densities: npt.NDArray[np.float64] = rest_density * (pressures / stiffness + 1.0) ** (1.0 / 7.0)
    return densities


def tait_stiffness(rest_density: float, sound_speed: float) -> float:
    """B = c² ρ₀ / 7, which gives the speed of sound c at rest; in Pa for m/s and kg/m³."""
    return sound_speed**2 * rest_density / 7.0
