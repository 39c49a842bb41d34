"""Measures what the README promises, through the command line as a user calls it; `make bench` runs it.

Two idle cores give comparable numbers. One line a measurement: core-seconds a step at 170,906 particles (from the
process's own CPU time, so everything counts), and the wall time from a warm start to the first finished step.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HEADWATER = Path(sys.executable).with_name("headwater")
COMMON = ("run", "dambreak", "--device", "cpu", "--precision", "float32", "--no-frames")


@dataclass(frozen=True)
class Cost:
    """Wall and CPU seconds of one command, and its report."""

    wall: float
    cpu: float
    report: dict[str, Any]


def run(*options: str) -> Cost:
    """Run `headwater run dambreak` once; its own messages are shown only where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [str(HEADWATER), *COMMON, *options, "--out", folder, "--report", str(report)]
        before, start = os.times(), time.perf_counter()
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        wall, after = time.perf_counter() - start, os.times()
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\nfailed:\n{done.stdout}")
        cpu = (
            after.children_user
            + after.children_system
            - before.children_user
            - before.children_system
        )
        return Cost(wall, cpu, json.loads(report.read_text(encoding="utf-8")))


def core_seconds_a_step(few: int = 10, many: int = 70) -> tuple[float, int]:
    """The slope between two runs, so that start and compilation drop out; and the number of particles."""
    scene = ("--variant", "stretched", "--dp", "0.0085")
    run(*scene, "--steps", "1")  # fills the program cache
    short, long = run(*scene, "--steps", str(few)), run(*scene, "--steps", str(many))
    return (long.cpu - short.cpu) / (many - few), int(long.report["particles"]["total"])


def warm_start(repeats: int = 5) -> float:
    """The best wall time of a whole run of one step at dp 0.017, with programs on disk."""
    scene = ("--variant", "cubic", "--dp", "0.017", "--steps", "1")
    run(*scene)
    return min(run(*scene).wall for _ in range(repeats))


def main() -> None:
    """Print the measurements beside their aims."""
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"note: the machine is not idle (load {load:.1f}), so these numbers are too high")
    cost, particles = core_seconds_a_step()
    print(f"{particles} particles, float32: {cost:.3f} core-seconds a step (aim 0.25)")
    print(f"warm start to the first finished step, dp 0.017: {warm_start():.2f} s (aim 0.8)")


if __name__ == "__main__":
    main()
