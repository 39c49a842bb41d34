"""Particle sets, cell grids and the domain they live in."""

from headwater.particles.domain import Domain as Domain
from headwater.particles.grid import CellGrid as CellGrid
from headwater.particles.particle_set import ParticleSet as ParticleSet
