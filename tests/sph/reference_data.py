"""The independent program's numbers, and scenes that are small enough for the interpreter."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from tests.sph.oracle import Oracle

import headwater as hw
from headwater.sph import FLUID, WALL, Scene
from headwater.sph.schemes.weakly_compressible import Parameters, Region

ROOT = Path(__file__).resolve().parents[2]
REFERENCE: dict[str, Any] = json.loads(
    (ROOT / "validation" / "dambreak" / "reference.json").read_text(encoding="utf-8")
)


def parameters(dp: float, height: float, region: Region) -> Parameters:
    """The dam break's constants, written down once more."""
    sound = 20.0 * math.sqrt(9.81 * height)
    return Parameters(
        smoothing_length=math.sqrt(3.0) * dp,
        spacing_factor=1.0 / 1.5,
        mass=1000.0 * dp**3,
        rest_density=1000.0,
        stiffness=sound**2 * 1000.0 / 7.0,
        sound_speed=sound,
        viscosity=0.1,
        diffusion=0.1,
        gravity=9.81,
        courant=0.2,
        least_time_step=1e-5,
        least_density=700.0,
        greatest_density=1300.0,
        region=region,
    )


def heap(dp: float = 0.02, count: int = 3, low: float = -10.0) -> Scene:
    """A small cube of fluid, slightly uneven, above a floor of one layer."""
    random = np.random.default_rng(5)
    axis = np.arange(count) * dp
    cube = np.stack(np.meshgrid(axis, axis, axis + dp, indexing="ij"), axis=-1).reshape(-1, 3)
    cube += random.uniform(-0.1, 0.1, cube.shape) * dp
    tiles = np.arange(-1, count + 1) * dp
    floor = np.stack(np.meshgrid(tiles, tiles, [0.0], indexing="ij"), axis=-1).reshape(-1, 3)
    kinds = np.repeat(np.array([FLUID, WALL], dtype=np.int32), (len(cube), len(floor)))
    densities = np.where(kinds == FLUID, random.uniform(1000.0, 1004.0, len(kinds)), 1000.0)
    region = Region(low=hw.vec3(low, low, low), high=hw.vec3(10.0, 10.0, 10.0))
    height = count * dp
    return Scene(
        name="heap",
        variant="heap",
        spacing=dp,
        positions=np.concatenate((cube, floor)),
        densities=densities,
        kinds=kinds,
        parameters=parameters(dp, height, region),
        probes=((dp, dp, 2.0 * dp), (3.0, 3.0, 3.0)),
        end_time=1.0,
    )


def oracle_of(scene: Scene, height: float, delta: float = 0.0) -> Oracle:
    """The oracle at the scene's start."""
    region = scene.parameters.region
    return Oracle(
        x=scene.positions.copy(),
        rho=scene.densities.copy(),
        fluid=scene.kinds == FLUID,
        dp=scene.spacing,
        height=height,
        low=(region.low.x, region.low.y, region.low.z),
        high=(region.high.x, region.high.y, region.high.z),
        delta=delta,
    )
