"""Density diffusion, per pair."""

from __future__ import annotations

import headwater as hw


@hw.function
def molteni_colagrossi_diffusion(
    density_a, density_b, volume_b, inverse_distance2, slope, distance2
):
    """ψ_ab·∇W / ρ_b, where dρ_a/dt gets δ h c̄ Σ m_b of it.

    ψ_ab = 2 (ρ_a − ρ_b) x_ab / (r² + η²): Molteni & Colagrossi (2009), Comput. Phys. Commun. 180, 861,
    without the renormalised gradients of later δ-SPH. It takes the noise out of the pressure.
    `volume` is 1 / ρ, `slope` is F of ∇W = F x_ab.
    """
    return 2.0 * (density_a - density_b) * volume_b * (slope * distance2 * inverse_distance2)
