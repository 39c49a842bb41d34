"""Scenes: particles at t = 0, by name."""

from headwater.sph.scenes.catalogue import SCENES, build_scene
from headwater.sph.scenes.dambreak import dambreak
from headwater.sph.scenes.reference import ReferenceCurve, reference_curve
from headwater.sph.scenes.scene import Scene

__all__ = [
    "SCENES",
    "ReferenceCurve",
    "Scene",
    "build_scene",
    "dambreak",
    "reference_curve",
]
