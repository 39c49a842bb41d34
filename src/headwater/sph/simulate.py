"""From a scene to a simulation of it."""

from __future__ import annotations

from headwater.runtime import Device
from headwater.sph.scenes import Scene
from headwater.sph.schemes.weakly_compressible import (
    MONAGHAN,
    InitialState,
    RightHandSide,
    WeaklyCompressible,
)


def simulate(
    scene: Scene,
    device: Device,
    precision: str = "float32",
    right_hand_side: RightHandSide = MONAGHAN,
) -> WeaklyCompressible:
    """The scene at t = 0 on a device, in 'float32' or 'float64'. DomainError for another precision."""
    return WeaklyCompressible(
        device,
        InitialState(scene.positions, scene.densities, scene.kinds),
        scene.parameters,
        probes=scene.probes,
        precision=precision,
        right_hand_side=right_hand_side,
    )
