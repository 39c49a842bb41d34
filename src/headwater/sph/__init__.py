"""Smoothed particle hydrodynamics: smoothing kernels, terms, schemes, scenes, and the loop over time."""

from headwater.sph.run import Moment, Schedule, advance
from headwater.sph.scenes import Scene, build_scene
from headwater.sph.schemes.weakly_compressible import (
    DELTA,
    FLUID,
    MONAGHAN,
    WALL,
    ParticleState,
    WeaklyCompressible,
)
from headwater.sph.simulate import simulate

__all__ = [
    "DELTA",
    "FLUID",
    "MONAGHAN",
    "WALL",
    "Moment",
    "ParticleState",
    "Scene",
    "Schedule",
    "WeaklyCompressible",
    "advance",
    "build_scene",
    "simulate",
]
