"""Scenes: particles at t = 0, by name."""

from headwater.sph.scenes.catalogue import PUBLISHED_SPACING, SCENES, build_scene, count_particles
from headwater.sph.scenes.dambreak import dambreak
from headwater.sph.scenes.reference import ReferenceCurve, reference_curve
from headwater.sph.scenes.scene import Scene

__all__ = [
    "PUBLISHED_SPACING",
    "SCENES",
    "ReferenceCurve",
    "Scene",
    "build_scene",
    "count_particles",
    "dambreak",
    "reference_curve",
]
