"""The 3D dam break with an obstacle: a block of water collapses onto a square post in an open tank.

The test of OpenFPM's example `Vector/7_SPH_dlb_gpu`, stated in `validation/dambreak/README.md`. Its two
variants are different tests: 'cubic' has the lattice of that program's CPU example and can be refined,
'stretched' that of its GPU example, whose lattice is 1.5 % longer along z, at one resolution only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import headwater as hw
from headwater.errors import DomainError
from headwater.sph.scenes.lattice import Box, Lattice, Point
from headwater.sph.scenes.scene import Scene
from headwater.sph.schemes.weakly_compressible import FLUID, WALL, Parameters, Region
from headwater.sph.state import tait_density, tait_stiffness

VARIANTS = ("stretched", "cubic")
PUBLISHED_SPACING = 0.0085
END_TIME = 1.5
# Some 85 million particles; finer ones are beyond the machines that this was meant for.
_LEAST_SPACING = 1e-3

_REST_DENSITY = 1000.0
_GRAVITY = 9.81
_SOUND_COEFFICIENT = 20.0
_LOW = -0.05
_PROBES = ((0.8779, 0.3, 0.02), (0.754, 0.31, 0.02))
# The heights of the two lattices at the published spacing, and the boxes that fluid must not leave.
_HIGH_CUBIC = (1.7010, 0.7065, 0.5025)
_HIGH = (1.7010, 0.7065, 0.511)
_REGION_CUBIC = Region(
    low=hw.vec3(0.000263878, 0.000263878, 0.000263878),
    high=hw.vec3(1.599733878, 0.673235878, 0.904207878),
)
_REGION = Region(low=hw.vec3(0.0, 0.0, 0.0), high=hw.vec3(1.61, 0.68, 0.50))


def default_variant(spacing: float) -> str:
    """The variant of a spacing that is given alone: only 'cubic' exists at all spacings."""
    return "stretched" if spacing == PUBLISHED_SPACING else "cubic"


def dambreak(spacing: float = PUBLISHED_SPACING, variant: str | None = None) -> Scene:
    """The scene at t = 0.

    Args:
        spacing: distance between particles, in m; 0.0085 is the published one. The one-layer walls close
            only where the lattice meets them: 0.017, 0.0085 and 0.00425 are validated, others may leak.
        variant: 'stretched' or 'cubic'; by default the one of `default_variant`.

    Raises:
        DomainError: for an unknown variant, a spacing that is not positive or does not resolve the tank,
            and for 'stretched' at another spacing than 0.0085, where it is not defined.
    """
    variant = default_variant(spacing) if variant is None else variant
    lattice, region = _lattice(spacing, variant), _REGION
    if variant == "cubic" and spacing == PUBLISHED_SPACING:
        region = _REGION_CUBIC
    parts = _parts(lattice, spacing)
    parameters = _parameters(spacing, parts.still_water_height, region)
    positions = np.concatenate((parts.fluid, parts.tank, parts.obstacle))
    kinds = np.full(len(positions), WALL, dtype=np.int32)
    kinds[: len(parts.fluid)] = FLUID
    return Scene(
        name="dambreak",
        variant=variant,
        spacing=spacing,
        positions=positions,
        densities=_hydrostatic_densities(positions, kinds, parameters),
        kinds=kinds,
        parameters=parameters,
        probes=_PROBES,
        end_time=END_TIME,
        landmarks=(("post", (0.96, 0.30, 0.45)),),
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    """Positions of the scene's three groups of particles, each (n, 3), in m."""

    fluid: npt.NDArray[np.float64]
    tank: npt.NDArray[np.float64]
    obstacle: npt.NDArray[np.float64]

    @property
    def still_water_height(self) -> float:
        """From the lowest to the highest fluid particle, in m."""
        return float(np.ptp(self.fluid[:, 2]))


def count_dambreak(spacing: float = PUBLISHED_SPACING, variant: str | None = None) -> int:
    """How many particles `dambreak` would make, found in no time; raises what it raises."""
    variant = default_variant(spacing) if variant is None else variant
    lattice, boxes, count = _lattice(spacing, variant), _boxes(spacing), 0
    count += lattice.count(boxes.fluid)
    count += lattice.count(boxes.tank) - lattice.count(boxes.tank, boxes.tank_hollow)
    count -= lattice.count(boxes.tank, boxes.post)
    count += lattice.count(boxes.tank, boxes.tank_hollow, boxes.post)
    return count + lattice.count(boxes.post) - lattice.count(boxes.post, boxes.post_hollow)


def _lattice(spacing: float, variant: str) -> Lattice:
    if variant not in VARIANTS:
        known = "' or '".join(VARIANTS)
        raise DomainError(f"the dam break has no variant '{variant}'; '{known}' was expected")
    if not (math.isfinite(spacing) and spacing > 0.0):
        raise DomainError(f"a particle spacing above 0 m was expected, not {spacing:g}")
    if variant == "stretched" and spacing != PUBLISHED_SPACING:
        raise DomainError(
            f"the variant 'stretched' exists at the spacing {PUBLISHED_SPACING} only, not at {spacing:g}",
            hint="use the variant 'cubic', which is defined at every spacing",
        )
    if not _LEAST_SPACING <= spacing <= 0.06:
        raise DomainError(
            f"a particle spacing of {spacing:g} m does not suit a tank of 1.6 m by 0.67 m by 0.4 m; "
            f"{_LEAST_SPACING:g} to 0.06 was expected{_about_count(spacing)}"
        )
    high = _HIGH_CUBIC if variant == "cubic" and spacing == PUBLISHED_SPACING else _HIGH
    counts = (207, 90, 66)
    if spacing != PUBLISHED_SPACING:
        # Halves are rounded up, as C's lround does: y has 44.5 intervals at a spacing of 0.017.
        nx, ny, nz = (math.floor((end - _LOW) / spacing + 0.5) + 1 for end in high)
        counts = (nx, ny, nz)
    return Lattice(Box((_LOW, _LOW, _LOW), high), counts)


def _about_count(spacing: float) -> str:
    """Tells a user who asks for too fine a lattice what that would mean."""
    count = 0.4 * 0.67 * 0.3 / spacing**3
    return f" (there would be about {count:.1g} particles of fluid)" if count > 1e8 else ""


@dataclass(frozen=True, slots=True)
class _Boxes:
    """The boxes that the particles' groups are made of."""

    fluid: Box
    tank: Box
    tank_hollow: Box
    post: Box
    post_hollow: Box


def _boxes(spacing: float) -> _Boxes:
    half = 0.5 * spacing
    return _Boxes(
        fluid=_box((half, half, half), (0.4 + half, 0.67 - half, 0.3 + half)),
        tank=_box((0.0, 0.0, 0.0), (1.6 + half, 0.67 + half, 0.4 + half)),
        tank_hollow=_box((spacing, spacing, spacing), (1.6 - half, 0.67 - half, 0.4 + half)),
        post=_box((0.9, 0.24 - half, 0.0), (1.02 + half, 0.36, 0.45 + half)),
        post_hollow=_box(
            (0.9 + spacing, 0.24 + half, 0.0), (1.02 - half, 0.36 - spacing, 0.45 - half)
        ),
    )


def _parts(lattice: Lattice, spacing: float) -> _Parts:
    boxes, inside = _boxes(spacing), lattice.inside
    post = inside(boxes.post)
    return _Parts(
        fluid=lattice.points(inside(boxes.fluid)),
        tank=lattice.points(inside(boxes.tank) & ~inside(boxes.tank_hollow) & ~post),
        obstacle=lattice.points(post & ~inside(boxes.post_hollow)),
    )


def _box(low: Point, high: Point) -> Box:
    return Box(low, high)


def _parameters(spacing: float, height: float, region: Region) -> Parameters:
    sound_speed = _SOUND_COEFFICIENT * math.sqrt(_GRAVITY * height)
    return Parameters(
        smoothing_length=math.sqrt(3.0) * spacing,
        spacing_factor=1.0 / 1.5,
        mass=_REST_DENSITY * spacing**3,
        rest_density=_REST_DENSITY,
        stiffness=tait_stiffness(_REST_DENSITY, sound_speed),
        sound_speed=sound_speed,
        viscosity=0.1,
        diffusion=0.1,
        gravity=_GRAVITY,
        courant=0.2,
        least_time_step=1e-5,
        least_density=700.0,
        greatest_density=1300.0,
        region=region,
    )


def _hydrostatic_densities(
    positions: npt.NDArray[np.float64], kinds: npt.NDArray[np.int32], parameters: Parameters
) -> npt.NDArray[np.float64]:
    """Fluid under the pressure of the water above it, walls at rest density; (n,), kg/m³."""
    fluid = kinds == FLUID
    heights = positions[fluid, 2]
    pressures = parameters.rest_density * parameters.gravity * (heights.max() - heights)
    densities = np.full(len(kinds), parameters.rest_density)
    densities[fluid] = tait_density(pressures, parameters.rest_density, parameters.stiffness)
    return densities
