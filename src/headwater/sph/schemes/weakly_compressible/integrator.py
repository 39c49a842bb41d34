"""The time integration: Verlet's scheme with an Euler step now and then.

Verlet (1967), Phys. Rev. 159, 98, in the form of DualSPHysics: density and velocity leap over two steps,
and every 40th step is an Euler step that ties the two interleaved histories together again.
"""

from __future__ import annotations

import headwater as hw
from headwater.sph.schemes.weakly_compressible.parameters import FLUID, contains
from headwater.sph.schemes.weakly_compressible.time_step import (
    ABSURD,
    NOT_FINITE,
    OUT_OF_RANGE,
    is_euler,
)


@hw.function
def is_sane(acceleration, density_rate):
    """False where a rate is infinite or no number."""
    return hw.dot(acceleration, acceleration) < ABSURD and abs(density_rate) < ABSURD


@hw.kernel
def integrate(p, clock, c):
    """Move every particle on by the clock's dt, and mark fluid that goes; `c` is Parameters."""
    i = hw.grid(1)
    dt = clock.dt[0]
    euler = is_euler(clock.step[0])
    acceleration, density_rate = p.acceleration[i], p.density_rate[i]
    velocity, density = p.velocity[i], p.density[i]
    span = hw.select(euler, dt, 2.0 * dt)
    density_start = hw.select(euler, density, p.density_before[i])
    density_end = density_start + span * density_rate
    p.density_before[i] = density
    if p.kind[i] == FLUID:
        velocity_start = hw.select(euler, velocity, p.velocity_before[i])
        position = p.position[i] + velocity * dt + acceleration * (0.5 * dt * dt)
        p.position[i] = position
        p.velocity[i] = velocity_start + span * acceleration
        in_range = c.least_density <= density_end and density_end <= c.greatest_density
        if not in_range or not contains(c.region, position):
            p.removed[i] = 1
        if not in_range and dt <= c.least_time_step and clock.fault_step[OUT_OF_RANGE] == 0:
            hw.atomic.min(clock.fault_particle, OUT_OF_RANGE, p.id[i])
    else:
        density_end = max(density_end, c.rest_density)
    p.velocity_before[i] = velocity
    p.density[i] = density_end
    if not is_sane(acceleration, density_rate) and clock.fault_step[NOT_FINITE] == 0:
        hw.atomic.min(clock.fault_particle, NOT_FINITE, p.id[i])
