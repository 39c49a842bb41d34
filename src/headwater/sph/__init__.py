"""Smoothed particle hydrodynamics: smoothing kernels, terms, schemes, scenes, and the loop over time."""

from headwater.sph.run import Moment as Moment
from headwater.sph.run import Schedule as Schedule
from headwater.sph.run import advance as advance
from headwater.sph.scenes import Scene as Scene
from headwater.sph.scenes import build_scene as build_scene
from headwater.sph.schemes.weakly_compressible import DELTA as DELTA
from headwater.sph.schemes.weakly_compressible import FLUID as FLUID
from headwater.sph.schemes.weakly_compressible import MONAGHAN as MONAGHAN
from headwater.sph.schemes.weakly_compressible import WALL as WALL
from headwater.sph.schemes.weakly_compressible import ParticleState as ParticleState
from headwater.sph.schemes.weakly_compressible import WeaklyCompressible as WeaklyCompressible
from headwater.sph.simulate import simulate as simulate
