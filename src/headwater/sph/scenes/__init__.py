"""Scenes: particles at t = 0, by name."""

from headwater.sph.scenes.catalogue import SCENES as SCENES
from headwater.sph.scenes.catalogue import build_scene as build_scene
from headwater.sph.scenes.dambreak import dambreak as dambreak
from headwater.sph.scenes.reference import ReferenceCurve as ReferenceCurve
from headwater.sph.scenes.reference import reference_curve as reference_curve
from headwater.sph.scenes.scene import Scene as Scene
