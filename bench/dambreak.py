"""Time of a step of the dam break, of its phases, and of the two force kernels.

What is counted: `wall_ms` is the wall time of a step, everything included, without output; `core_s` is the CPU
time of the whole process in that time, so also the launches and whatever other threads do. A phase is timed
by waiting for the device after it. Each figure is a median over the rounds.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np

import headwater as hw
from headwater.sph import DELTA, MONAGHAN, Scene, WeaklyCompressible, simulate
from headwater.sph.scenes import dambreak


@dataclass(frozen=True, slots=True)
class Measurement:
    """The figures of one scene.

    Attributes:
        dp: spacing of the particles, m.
        particles: fluid and walls.
        wall_ms, core_s: of a step.
        phases_ms: wall time of each phase.
        rates_ms: wall and CPU time of each right-hand side on the same particles.
        candidate_pairs: pairs whose distance is tested: for each particle those in the cells around it.
        true_pairs: pairs closer than the support radius, each counted from both sides.
    """

    dp: float
    particles: int
    wall_ms: float
    core_s: float
    phases_ms: dict[str, float]
    rates_ms: dict[str, tuple[float, float]]
    candidate_pairs: int
    true_pairs: int

    def as_json(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


def measure_scene(device: hw.Device, dp: float, rounds: int) -> Measurement:
    """Measure a scene a few steps after its start."""
    scene = dambreak(dp)
    simulation = simulate(scene, device)
    for _ in range(3):
        simulation.step()
    device.synchronize()
    steps = 4
    walls, cores = zip(*(_steps(simulation, steps) for _ in range(rounds)), strict=True)
    return Measurement(
        dp=dp,
        particles=len(scene.positions),
        wall_ms=1e3 * median(walls),
        core_s=median(cores),
        phases_ms=_phases(simulation, rounds),
        rates_ms=_rates(scene, device, rounds),
        candidate_pairs=candidate_pairs(simulation),
        true_pairs=true_pairs(simulation),
    )


def _steps(simulation: WeaklyCompressible, count: int) -> tuple[float, float]:
    """Wall and CPU seconds of a step."""
    wall, core = time.perf_counter(), time.process_time()
    for _ in range(count):
        simulation.step()
    simulation.device.synchronize()
    return (time.perf_counter() - wall) / count, (time.process_time() - core) / count


def _phases(simulation: WeaklyCompressible, rounds: int) -> dict[str, float]:
    """Milliseconds of each phase."""
    times: dict[str, list[float]] = {phase.name: [] for phase in simulation.phases}
    for _ in range(rounds):
        for phase in simulation.phases:
            start = time.perf_counter()
            phase.run()
            simulation.device.synchronize()
            times[phase.name].append(time.perf_counter() - start)
    return {name: 1e3 * median(values) for name, values in times.items()}


def _rates(scene: Scene, device: hw.Device, rounds: int) -> dict[str, tuple[float, float]]:
    """Wall and CPU milliseconds of each right-hand side, turn by turn so that a disturbance hits both."""
    bodies = {rhs.name: simulate(scene, device, right_hand_side=rhs) for rhs in (MONAGHAN, DELTA)}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in bodies}
    for simulation in bodies.values():
        simulation.step()
        simulation.grid.update()
    for _ in range(rounds):
        for name, simulation in bodies.items():
            _, state, rates, *_ = simulation.phases
            state.run()
            device.synchronize()
            wall, core = time.perf_counter(), time.process_time()
            rates.run()
            device.synchronize()
            times[name].append((time.perf_counter() - wall, time.process_time() - core))
    return {name: _medians(pairs) for name, pairs in times.items()}


def _medians(pairs: list[tuple[float, float]]) -> tuple[float, float]:
    """The medians of both, in milliseconds."""
    wall, core = (1e3 * median(values) for values in zip(*pairs, strict=True))
    return wall, core


# --- pairs, counted on the host -------------------------------------------------------------------


def candidate_pairs(simulation: WeaklyCompressible) -> int:
    """Pairs in the cells around each particle, itself left out; from the grid's own cells."""
    simulation.grid.update()
    grid = simulation.grid
    x, y, z = grid.cells.size
    counts = np.diff(grid.cell_start.numpy()).reshape(z, y, x).astype(np.int64)
    around = counts
    for axis in range(3):
        padded = np.pad(
            around, [(grid.reach, grid.reach) if a == axis else (0, 0) for a in range(3)]
        )
        length = counts.shape[axis]
        around = sum(
            np.take(padded, range(shift, shift + length), axis=axis)
            for shift in range(2 * grid.reach + 1)
        )
    return int((counts * around).sum() - counts.sum())


@hw.kernel
def count_neighbors(numbers, grid):
    """How many particles are closer than the cutoff."""
    i = hw.grid(1)
    number = 0
    for _j, _x_ij, _r2 in grid.neighbors(i):
        number += 1
    numbers[i] = number


def true_pairs(simulation: WeaklyCompressible) -> int:
    """Pairs closer than the cutoff, each from both sides."""
    p = simulation.particles
    numbers = simulation.device.zeros(p.capacity, hw.int32)
    count_neighbors.over(p.count, capacity=p.capacity)(numbers, simulation.grid)
    return int(numbers.numpy().sum())
