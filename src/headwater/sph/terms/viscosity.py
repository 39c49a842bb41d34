"""Artificial viscosity, per pair."""

from __future__ import annotations

import headwater as hw


@hw.function
def closing_rate(approach, inverse_distance2):
    """μ = (x_ab·v_ab) / (r² + η²), in 1/s; negative for a pair that closes in."""
    return approach * inverse_distance2


@hw.function
def monaghan_viscosity(mu, inverse_mean_density, strength):
    """Π = −α c̄ h μ / ρ̄ for a pair that closes in, else 0, to be multiplied by −m_b ∇W.

    Monaghan (1992), ARA&A 30, 543, without its quadratic part; `strength` is α c̄ h.
    """
    return -strength * min(mu, 0.0) * inverse_mean_density
