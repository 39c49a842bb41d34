"""Figures of a GPU: `python -m bench.gpu [--device cuda] [--json FILE]`.

Bandwidth, the cost of a launch, the dam break's step and phases, and the time of each kernel on the GPU. The last is
there for CUDA devices only: events around each launch, behind a kernel that spins until all launches of the step are
queued, so that the host's own time does not count.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import headwater as hw
from bench.dambreak import measure_scene
from headwater.backends.cuda.driver import CudaDriver, CudaExecutable
from headwater.sph import simulate
from headwater.sph.scenes import dambreak

ROUNDS = 11


@hw.kernel
def saxpy(y, x, a):
    """The usual one."""
    i = hw.grid(1)
    if i < len(y):
        y[i] = a * x[i] + y[i]


@hw.kernel
def spin(y, trips):
    """Keeps one thread busy."""
    value = y[0]
    for k in range(trips):
        value = value * 1664525 + k
    y[0] = value


def seconds(device: hw.Device, work: Callable[[], object], repeats: int = 1) -> float:
    """The median time of `work`, in s, of which `repeats` are queued before each wait."""
    work()
    times = []
    for _ in range(ROUNDS):
        device.synchronize()
        start = time.perf_counter()
        for _ in range(repeats):
            work()
        device.synchronize()
        times.append((time.perf_counter() - start) / repeats)
    return median(times)


def bandwidth(device: hw.Device) -> dict[str, float]:
    """GB/s of a kernel (bytes read and written), of an upload and of a download."""
    count = 1 << 27
    y, x = device.zeros(count), device.zeros(count)
    launch = saxpy.forall(count)
    host = np.ones(1 << 26, np.float32)
    small = device.array(host)
    return {
        "saxpy": 3 * y.nbytes / seconds(device, lambda: launch(y, x, 2.0), 20) / 1e9,
        "upload": host.nbytes / seconds(device, lambda: small.write(host)) / 1e9,
        "download": host.nbytes / seconds(device, small.numpy) / 1e9,
    }


def launches(device: hw.Device) -> dict[str, float]:
    """Microseconds of a launch: in a row of many, and one with a wait."""
    y, x = device.zeros(64), device.zeros(64)
    launch = saxpy.forall(64)
    return {
        "in a row": 1e6 * seconds(device, lambda: launch(y, x, 2.0), 1000),
        "and wait": 1e6 * seconds(device, lambda: launch(y, x, 2.0)),
        "one number read": 1e6 * seconds(device, y.numpy),
    }


# --- each kernel's own time -----------------------------------------------------------------------


@contextmanager
def events(driver: CudaDriver, found: list[tuple[str, Any, Any]]) -> Iterator[None]:
    """Note each launch with an event before and after it."""
    api, call = driver.api, driver.connection.call
    plain = CudaExecutable.launch

    def event() -> Any:
        (made,) = call(api.cuEventCreate, 0)
        call(api.cuEventRecord, made, driver.stream)
        return made

    def launch(self: CudaExecutable, *arguments: Any) -> None:
        before = event()
        plain(self, *arguments)
        found.append((self.name, before, event()))

    CudaExecutable.launch = launch  # type: ignore[method-assign]
    try:
        yield
    finally:
        CudaExecutable.launch = plain  # type: ignore[method-assign]


def kernel_times(device: hw.Device, dp: float, precision: str) -> dict[str, tuple[int, float]]:
    """For each kernel of a step: launches, and microseconds on the GPU; medians over the rounds."""
    driver = device.driver
    assert isinstance(driver, CudaDriver)
    api, call = driver.api, driver.connection.call
    simulation = simulate(dambreak(dp), device, precision)
    for _ in range(5):
        simulation.step()
    busy = device.zeros(1, hw.uint32)
    rounds: list[dict[str, tuple[int, float]]] = []
    for _ in range(ROUNDS):
        found: list[tuple[str, Any, Any]] = []
        spin[1, 1](busy, 20_000_000)
        with events(driver, found):
            simulation.step()
        device.synchronize()
        total: dict[str, tuple[int, float]] = {}
        for name, before, after in found:
            (milliseconds,) = call(api.cuEventElapsedTime, before, after)
            count, sum_ = total.get(name, (0, 0.0))
            total[name] = (count + 1, sum_ + 1e3 * milliseconds)
        rounds.append(total)
    return {
        name: (count, median(one[name][1] for one in rounds))
        for name, (count, _) in rounds[0].items()
    }


# --- the program ----------------------------------------------------------------------------------


def main() -> None:
    """Measure and print; write the JSON file where one is asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench.gpu", description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--spacing", type=float, nargs="*", default=[0.017, 0.0085])
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    device = hw.device(options.device)
    figures: dict[str, Any] = {"device": device.description}
    print(device.description)
    figures["GB/s"] = bandwidth(device)
    figures["launch us"] = launches(device)
    for title in ("GB/s", "launch us"):
        print(title, ", ".join(f"{name} {value:.1f}" for name, value in figures[title].items()))
    for dp in options.spacing:
        figures[f"dp {dp}"] = scene(device, dp)
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def scene(device: hw.Device, dp: float) -> dict[str, Any]:
    """The figures of one resolution, printed too."""
    measured = measure_scene(device, dp, ROUNDS)
    print(f"dp {dp}: {measured.particles:,} particles, {measured.wall_ms:.3f} ms a step")
    print("  phases, ms, each with a wait:", _row(measured.phases_ms))
    print(
        "  right-hand sides, ms:",
        _row({name: wall for name, (wall, _) in measured.rates_ms.items()}),
    )
    found: dict[str, Any] = measured.as_json()
    if not isinstance(device.driver, CudaDriver):
        return found
    for precision in ("float32", "float64"):
        times = kernel_times(device, dp, precision)
        found[f"kernels {precision}"] = times
        total = sum(value for _, value in times.values())
        count = sum(number for number, _ in times.values())
        print(f"  {precision}: {count} launches, {total:.1f} us on the GPU")
        for name, (number, value) in sorted(times.items(), key=lambda item: -item[1][1]):
            print(f"    {name:<28} {number:3d} x {value / number:8.1f} = {value:8.1f} us")
    return found


def _row(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in values.items())


if __name__ == "__main__":
    main()
