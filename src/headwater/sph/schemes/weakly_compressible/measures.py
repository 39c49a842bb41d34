"""What is measured at output times: energies, front, speed, and pressure at probes."""

from __future__ import annotations

import headwater as hw
from headwater.sph.schemes.weakly_compressible.parameters import FLUID
from headwater.sph.smoothing import cubic_spline_shape

# A front behind every scene: what a particle that is no fluid counts as.
NOWHERE = -1e30


@hw.kernel
def measure_particles(p, c):
    """Each particle's share of the fluid's energies in J, its x in m and its speed² in m²/s²."""
    i = hw.grid(1)
    speed2 = hw.dot(p.velocity[i], p.velocity[i])
    is_fluid = p.kind[i] == FLUID
    p.kinetic[i] = hw.select(is_fluid, 0.5 * c.mass * speed2, 0.0)
    p.potential[i] = hw.select(is_fluid, c.mass * c.gravity * p.position[i].z, 0.0)
    p.front[i] = hw.select(is_fluid, p.position[i].x, NOWHERE)
    p.speed2[i] = speed2


@hw.kernel
def probe_pressure(p, points, pressures, grid, c):
    """Σ W P m/ρ₀ / Σ W m/ρ₀ over the fluid around each point, in Pa; 0 where there is none."""
    probe = hw.grid(1)
    point = points[probe]
    weights = 0.0
    weighted = 0.0
    for j, _, r2 in grid.neighbors(point):
        if p.kind[j] == FLUID:
            weight = cubic_spline_shape(hw.sqrt(r2) / c.smoothing_length)
            weights += weight
            weighted += weight * p.pressure[j]
    pressures[probe] = hw.select(weights > 0.0, weighted / weights, 0.0)
