"""What follows from a particle's density alone, worked out once a step instead of once a pair."""

from __future__ import annotations

import headwater as hw
from headwater.sph.state import tait_pressure
from headwater.sph.terms import tension_of_particle


@hw.kernel
def evaluate_state(p, c):
    """Pressure and its companions from the density; `c` is Parameters."""
    i = hw.grid(1)
    volume = 1.0 / p.density[i]
    pressure = tait_pressure(p.density[i], c.rest_density, c.stiffness)
    p.pressure[i] = pressure
    p.volume[i] = volume
    p.tension[i] = tension_of_particle(pressure, volume)
