"""The continuity equation, per pair."""

from __future__ import annotations

import headwater as hw


@hw.function
def continuity(approach, slope):
    """(v_a − v_b)·∇W, where dρ_a/dt = Σ m_b (v_a − v_b)·∇W; Monaghan (1992), ARA&A 30, 543.

    With ∇W = F x_ab it is F (x_ab·v_ab): `slope` is F, `approach` is x_ab·v_ab.
    """
    return slope * approach
