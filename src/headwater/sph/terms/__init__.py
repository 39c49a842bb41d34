"""The terms of the equations of motion: device functions of one pair, named after their authors."""

from headwater.sph.terms.continuity import continuity as continuity
from headwater.sph.terms.diffusion import (
    molteni_colagrossi_diffusion as molteni_colagrossi_diffusion,
)
from headwater.sph.terms.pressure import symmetric_pressure as symmetric_pressure
from headwater.sph.terms.tension import tension_of_pair as tension_of_pair
from headwater.sph.terms.tension import tension_of_particle as tension_of_particle
from headwater.sph.terms.viscosity import closing_rate as closing_rate
from headwater.sph.terms.viscosity import monaghan_viscosity as monaghan_viscosity
