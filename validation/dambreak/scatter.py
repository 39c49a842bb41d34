"""How far runs part that differ only by rounding: `python validation/dambreak/scatter.py --device cuda`.

The front is the x of one particle. Behind the post, and at the far wall, that particle is part of a spray whose path
amplifies any difference. This repeats the scene with starts that are moved by far less than matters, in both
precisions, and prints the largest deviations from the reference: what scatters cannot be asked of single precision.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

import headwater as hw
from headwater.sph import Scene, Schedule, advance, simulate
from headwater.sph.records import Sample
from headwater.sph.scenes import dambreak

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text(encoding="utf-8"))
FLUID = 1


def moved(scene: Scene, noise: float, seed: int) -> Scene:
    """The scene with each fluid particle moved by up to `noise` metres along each axis."""
    shifts = np.random.default_rng(seed).uniform(-noise, noise, scene.positions.shape)
    fluid = (scene.kinds == FLUID)[:, None]
    return replace(scene, positions=scene.positions + np.where(fluid, shifts, 0.0))


def deviations(samples: Sequence[Sample], curve: Sequence[Any]) -> Iterator[tuple[str, float, str]]:
    """The largest deviation of each measure: kinetic and potential energy relative, the front in mm."""
    late = [sample for sample in samples if sample.t >= curve[0]["t"] - 1e-6]
    times = np.array([sample.t for sample in late])
    for name, scale, unit in (("kinetic", 100, "%"), ("potential", 100, "%"), ("front", 1e3, "mm")):
        expected = np.interp(times, [row["t"] for row in curve], [row[name] for row in curve])
        off = np.abs(np.array([asdict(sample)[name] for sample in late]) - expected)
        yield name, float((off / (1.0 if name == "front" else expected)).max()) * scale, unit


def main() -> None:
    """Run the cases and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", help="default: HEADWATER_DEVICE, else cpu")
    parser.add_argument("--dp", type=float, choices=(0.017, 0.0085), default=0.017)
    parser.add_argument("--until", type=float, default=1.5, metavar="T", help="end, in s")
    parser.add_argument("--seeds", type=int, default=2, help="starts for each noise")
    options = parser.parse_args()
    scene = dambreak(options.dp)
    curve = REFERENCE["stretched" if options.dp == 0.0085 else "cubic_dp_0.017"]["curve"]
    for precision in ("float64", "float32"):
        for noise in (0.0, 1e-9, 1e-6):
            for seed in range(options.seeds if noise else 1):
                start = moved(scene, noise, seed)
                simulation = simulate(start, hw.device(options.device), precision)
                moments = advance(simulation, Schedule(until=options.until))
                samples = [moment.sample for moment in moments if moment.sample is not None]
                found = (f"{n} {v:.3g} {unit}" for n, v, unit in deviations(samples, curve))
                print(
                    f"{precision}, moved by {noise:g} m, seed {seed}: {', '.join(found)}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
