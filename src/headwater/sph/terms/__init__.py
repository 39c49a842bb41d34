"""The terms of the equations of motion: device functions of one pair, named after their authors."""

from headwater.sph.terms.continuity import continuity
from headwater.sph.terms.diffusion import (
    molteni_colagrossi_diffusion,
)
from headwater.sph.terms.pressure import symmetric_pressure
from headwater.sph.terms.tension import tension_of_pair, tension_of_particle
from headwater.sph.terms.viscosity import closing_rate, monaghan_viscosity

__all__ = [
    "closing_rate",
    "continuity",
    "molteni_colagrossi_diffusion",
    "monaghan_viscosity",
    "symmetric_pressure",
    "tension_of_pair",
    "tension_of_particle",
]
