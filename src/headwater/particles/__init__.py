"""Particle sets, cell grids and the domain they live in."""

from headwater.particles.domain import Domain
from headwater.particles.grid import CellGrid
from headwater.particles.particle_set import ParticleSet

__all__ = [
    "CellGrid",
    "Domain",
    "ParticleSet",
]
