"""The constants of a weakly compressible fluid and of its scheme."""

from __future__ import annotations

from dataclasses import dataclass

import headwater as hw

FLUID = 1
WALL = 0

# Every so many steps an Euler step joins the two interleaved halves of the Verlet scheme again.
EULER_EVERY = 40


@dataclass(frozen=True, slots=True)
class Region:
    """An axis-parallel box, closed on all sides; its corners in metres."""

    low: hw.Vec3
    high: hw.Vec3


@hw.function
def contains(region, point):
    """Whether the point lies in the region; false for a NaN."""
    in_x = region.low.x <= point.x and point.x <= region.high.x
    in_y = region.low.y <= point.y and point.y <= region.high.y
    in_z = region.low.z <= point.z and point.z <= region.high.z
    return in_x and in_y and in_z


@dataclass(frozen=True, slots=True)
class Parameters:
    """SI units; Python floats, which in a kernel take the precision of the arrays they meet.

    Attributes:
        smoothing_length: h; the support radius of the smoothing kernel is 2h.
        spacing_factor: W is compared with W(h · spacing_factor) by the tensile correction.
        mass: of one particle, fluid or wall.
        rest_density: ρ₀, also the least density of a wall particle.
        stiffness: B of Tait's equation.
        sound_speed: c̄, for viscosity and time step.
        viscosity: α of the artificial viscosity.
        diffusion: δ of the density diffusion, for the scheme that has one.
        gravity: g, along −z.
        courant: the Courant number of the time step.
        least_time_step: the time step's floor, in s.
        least_density, greatest_density: a fluid particle outside of them is removed.
        region: a fluid particle outside of it is removed.
    """

    smoothing_length: float
    spacing_factor: float
    mass: float
    rest_density: float
    stiffness: float
    sound_speed: float
    viscosity: float
    diffusion: float
    gravity: float
    courant: float
    least_time_step: float
    least_density: float
    greatest_density: float
    region: Region

    @property
    def longest_time_step(self) -> float:
        """No step is longer: courant · h / c̄, in s, as fluid that moves only shortens it."""
        return self.courant * self.smoothing_length / self.sound_speed
