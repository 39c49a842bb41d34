"""Runs all measurements and prints a table, or JSON: `python -m bench [--quick] [--json FILE]`."""

from __future__ import annotations

import argparse
import json
import os
import platform
from pathlib import Path
from typing import Any

import headwater as hw
from bench.dambreak import Measurement, measure_scene
from bench.start import warm_start

AIM_STEP, AIM_START = 0.25, 0.8


def main() -> None:
    """Measure, print, and write the JSON file where one is asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--device", help="default: HEADWATER_DEVICE, else cpu")
    parser.add_argument("--quick", action="store_true", help="the small scene only, few repeats")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    options = parser.parse_args()
    device = hw.device(options.device)
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"note: the machine is not idle (load {load:.1f}): these figures are too high\n")
    print(f"{device.description}; {os.cpu_count()} cores; single precision; medians\n")
    spacings = (0.017,) if options.quick else (0.017, 0.0085)
    scenes = [measure_scene(device, dp, 5 if options.quick else 11) for dp in spacings]
    for scene in scenes:
        print_scene(scene)
    start = warm_start(3 if options.quick else 5)
    print(f"warm start to the first finished step, dp 0.017: {start:.2f} s (aim {AIM_START})")
    if options.json is not None:
        contents = as_json(device, load, scenes, start)
        options.json.write_text(json.dumps(contents, indent=1) + "\n", encoding="utf-8")


def print_scene(scene: Measurement) -> None:
    """One table."""
    aim = f" (aim {AIM_STEP})" if scene.particles > 100_000 else ""
    print(f"dam break, dp {scene.dp:g}: {scene.particles:,} particles")
    print(f"  a step: {scene.wall_ms:.2f} ms, {scene.core_s:.4f} core-seconds{aim}")
    for name, milliseconds in scene.phases_ms.items():
        print(f"    {name:<14} {milliseconds:8.2f} ms")
    pairs = scene.candidate_pairs
    print(
        f"  pairs: {pairs / scene.particles:.0f} candidates a particle (in the cells searched)"
        f", {scene.true_pairs / scene.particles:.1f} closer than 2H"
    )
    for name, (wall, core) in scene.rates_ms.items():
        print(
            f"    {name:<14} {wall:8.2f} ms; million candidate pairs: {pairs / wall / 1e3:.0f} a second, "
            f"{pairs / core / 1e3:.0f} a core-second"
        )
    print()


def as_json(
    device: hw.Device, load: float, scenes: list[Measurement], start: float
) -> dict[str, Any]:
    """The figures, and what they were measured on."""
    return {
        "device": device.description,
        "cores": os.cpu_count(),
        "load": load,
        "python": platform.python_version(),
        "headwater": hw.__version__,
        "scenes": [scene.as_json() for scene in scenes],
        "warm_start_s": start,
    }


if __name__ == "__main__":
    main()
