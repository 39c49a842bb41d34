"""The pressure force, per pair."""

from __future__ import annotations

import headwater as hw


@hw.function
def symmetric_pressure(pressure_a, pressure_b, volume_a, volume_b):
    """(P_a + P_b) / (ρ_a ρ_b), to be multiplied by −m_b ∇W.

    The form of Colagrossi & Landrini (2003), J. Comput. Phys. 191, 448; `volume` is 1 / ρ.
    """
    return (pressure_a + pressure_b) * (volume_a * volume_b)
