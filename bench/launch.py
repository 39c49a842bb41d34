"""What a launch costs the host, and how long the import takes: `python -m bench.launch [--device NAME]`.

A prepared kernel of six arguments on a tiny grid, the best of many short runs, so that other work on the machine counts
little. On devices that work behind the host's back it is the time until the launch returns.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable

import headwater as hw

AIM_LAUNCH, AIM_IMPORT = 6.0, 200.0
_RUNS, _CALLS = 300, 200
_IMPORT = "import time; t = time.perf_counter(); import headwater; print(time.perf_counter() - t)"


@hw.kernel
def six(out, x, y, z, scale, n):
    """Scale, multiply, add."""
    i = hw.grid(1)
    if i < n:
        out[i] = scale * x[i] + y[i] * z[i]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.launch", description=__doc__)
    parser.add_argument("--device", help="default: HEADWATER_DEVICE, else cpu")
    device = hw.device(parser.parse_args().device)
    arrays = [device.zeros(16) for _ in range(4)]
    bound, forall, views = six[1, 16], six.forall(16), [array[::2] for array in arrays]
    cases: dict[str, Callable[[], None]] = {
        "k[1, 16] bound once": lambda: bound(*arrays, 2.0, 16),
        "k[1, 16](...) each time": lambda: six[1, 16](*arrays, 2.0, 16),
        "k.forall(16) bound once": lambda: forall(*arrays, 2.0, 16),
        "k.forall(16)(...) each time": lambda: six.forall(16)(*arrays, 2.0, 16),
        "k.over(16)(...) each time": lambda: six.over(16)(*arrays, 2.0, 16),
        "arrays with strides": lambda: bound(*views, 2.0, 8),
        "arrays that share memory": lambda: bound(arrays[0], *[arrays[0]] * 3, 2.0, 16),
        "a third block, two threads": lambda: six[3, 16](*arrays, 2.0, 16),
    }
    print(f"{device.description}: microseconds a launch, aim {AIM_LAUNCH:g}")
    for name, launch in cases.items():
        print(f"  {name:<28} {microseconds(launch, device):6.2f}")
    print(f"import headwater: {import_milliseconds():.0f} ms, aim {AIM_IMPORT:g}")


def microseconds(launch: Callable[[], None], device: hw.Device) -> float:
    """The best of many runs, without the cost of the loop and of the call of `launch` itself."""
    launch()
    best = empty = float("inf")
    for _ in range(_RUNS):
        best = min(best, timed(launch))
        device.synchronize()
        empty = min(empty, timed(_nothing))
    return 1e6 * (best - empty) / _CALLS


def timed(launch: Callable[[], None]) -> float:
    """Seconds of many calls."""
    start = time.perf_counter()
    for _ in range(_CALLS):
        launch()
    return time.perf_counter() - start


def _nothing() -> None:
    pass


def import_milliseconds(repeats: int = 7) -> float:
    """The best of some fresh processes; NumPy is part of it."""
    command = [sys.executable, "-c", _IMPORT]
    runs = [subprocess.run(command, capture_output=True, check=True) for _ in range(repeats)]
    return 1e3 * min(float(run.stdout) for run in runs)


if __name__ == "__main__":
    main()
