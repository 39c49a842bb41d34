"""The correction against the tensile instability, per pair.

Monaghan (2000), J. Comput. Phys. 159, 290: a small repulsion that grows steeply at short range keeps
particles from clumping where the pressure is negative. T = f · (R_a + R_b), to be multiplied by −m_b ∇W.
"""

from __future__ import annotations

import headwater as hw


@hw.function
def tension_of_particle(pressure, volume):
    """R = k P / ρ² with k = 0.01 under pressure and −0.2 under tension; `volume` is 1 / ρ."""
    return hw.select(pressure > 0.0, 0.01, -0.2) * pressure * volume * volume


@hw.function
def tension_of_pair(tension_a, tension_b, nearness):
    """T = f (R_a + R_b), f = (W(r) / W(d))⁴; `nearness` is W(r) / W(d), d the initial spacing."""
    square = nearness * nearness
    return square * square * (tension_a + tension_b)
