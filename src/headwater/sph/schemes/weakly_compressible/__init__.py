"""Weakly compressible SPH: state, right-hand sides, time integration, and the scheme as a whole."""

from headwater.sph.schemes.weakly_compressible.parameters import FLUID as FLUID
from headwater.sph.schemes.weakly_compressible.parameters import WALL as WALL
from headwater.sph.schemes.weakly_compressible.parameters import Parameters as Parameters
from headwater.sph.schemes.weakly_compressible.parameters import Region as Region
from headwater.sph.schemes.weakly_compressible.right_hand_side import DELTA as DELTA
from headwater.sph.schemes.weakly_compressible.right_hand_side import MONAGHAN as MONAGHAN
from headwater.sph.schemes.weakly_compressible.right_hand_side import RightHandSide as RightHandSide
from headwater.sph.schemes.weakly_compressible.scheme import InitialState as InitialState
from headwater.sph.schemes.weakly_compressible.scheme import ParticleState as ParticleState
from headwater.sph.schemes.weakly_compressible.scheme import Phase as Phase
from headwater.sph.schemes.weakly_compressible.scheme import (
    WeaklyCompressible as WeaklyCompressible,
)
