"""What these devices do not give although the language asks for it; the support page is made from this table.

What a device lacks by its `Capabilities` (float64, int64, sizes) is no gap: such kernels are refused by name.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gap:
    """A feature, why it is missing, what helps, and on which devices (by name) it was seen."""

    feature: str
    reason: str
    remedy: str
    devices: tuple[str, ...]


GAPS = (
    Gap(
        "arithmetic with NaN and infinity",
        "WGSL lets drivers assume that there are none: x - x and x * 0.0 become 0",
        "hw.kernel(contract=False) computes as written",
        ("vulkan", "metal", "dx12", "opengl"),
    ),
    Gap(
        "sums in the order in which they are written",
        "WGSL has no way to forbid it: Mesa's compiler makes b of (a + b) - a",
        "hw.kernel(contract=False) computes as written",
        ("vulkan", "metal", "dx12", "opengl"),
    ),
    Gap(
        "the sign of zero",
        "x * 0.0 becomes 0.0 where x is negative too",
        "hw.kernel(contract=False) computes as written",
        ("vulkan", "metal", "dx12", "opengl"),
    ),
)
