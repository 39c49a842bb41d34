"""The fields of a particle of the scheme; all SI units."""

from __future__ import annotations

from collections.abc import Mapping

import headwater as hw
from headwater.types import ScalarType, VectorType

PRECISIONS: Mapping[str, tuple[ScalarType, VectorType]] = {
    "float32": (hw.float32, hw.vec3f),
    "float64": (hw.float64, hw.vec3d),
}

# Set anew in every step, so they need not move along when the particles are sorted.
TRANSIENT = (
    "pressure",
    "volume",
    "tension",
    "acceleration",
    "density_rate",
    "acceleration2",
    "speed2",
    "mu",
    "density_rate_size",
    "kinetic",
    "potential",
    "front",
)


def field_types(precision: str) -> dict[str, ScalarType | VectorType]:
    """The type of each field.

    The state: `position`, `velocity`, `density`, `kind` (FLUID or WALL), and `velocity_before` and
    `density_before`, one step back. From the density: `pressure`, `volume` (1 / ρ), `tension` (R of the
    tensile correction). Rates: `acceleration` (a wall's is gravity alone), `density_rate` (dρ/dt). Sizes whose
    maxima set the time step: `acceleration2` (|a|²), `speed2` (|v|²), `mu` (the greatest μ of a particle's
    pairs, at least 0), `density_rate_size` (|dρ/dt|). Shares in the fluid's measures: `kinetic` and
    `potential` energy, `front` (x, or far away for a wall).
    """
    real, vector = PRECISIONS[precision]
    vectors = ("position", "velocity", "velocity_before", "acceleration")
    reals = ("density", "density_before", *(name for name in TRANSIENT if name != "acceleration"))
    return {
        **dict.fromkeys(vectors, vector),
        **dict.fromkeys(reals, real),
        "kind": hw.int32,
    }
