"""How long kernels take to compile, without any cache: CPU time of a fresh process, where others count little."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import headwater as hw
from bench.language.blocks import THREADS, blelloch, hillis_steele, shuffles, tree
from bench.language.mathematics import kernels

_MEASURE = """
import json, os
os.environ["HEADWATER_CACHE"] = "0"
from bench.language.compiling import measure
print(json.dumps(measure()))
"""


@hw.kernel
def saxpy(y, x, a):
    """The least there is."""
    i = hw.grid(1)
    if i < len(y):
        y[i] += a * x[i]


def measure() -> dict[str, float]:
    """Milliseconds of CPU time from the first call to its end, the compiler's own start apart."""
    device = hw.device("cpu", threads=1)
    x, out = device.zeros(2 * THREADS), device.zeros(2 * THREADS)
    x64, out64 = device.zeros(64, hw.float64), device.zeros(64, hw.float64)
    # Loads the compiler.
    saxpy.forall(1)(device.zeros(1, hw.float64), device.zeros(1, hw.float64), 1.0)
    work: dict[str, Callable[[], None]] = {
        "saxpy": lambda: saxpy.forall(64)(out, x, 1.0),
        "reduction: tree": lambda: tree[2, THREADS](out, x),
        "reduction: shuffles": lambda: shuffles[2, THREADS](out, x),
        "scan: Hillis-Steele": lambda: hillis_steele[2, THREADS](out, x),
        "scan: Blelloch": lambda: blelloch[1, THREADS](out, x),
    }
    times = {name: _milliseconds(call) for name, call in work.items()}
    for name, kernel in kernels(("exp", "sin", "gamma")).items():
        times[name] = _milliseconds(lambda kernel=kernel: kernel.forall(64)(out64, x64))
    return times


def _milliseconds(call: Callable[[], None]) -> float:
    start = time.process_time()
    call()
    return 1e3 * (time.process_time() - start)


def report() -> dict[str, Any]:
    """Measure and print."""
    command = [sys.executable, "-c", _MEASURE]
    done = subprocess.run(command, capture_output=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    print("compile time of a kernel, milliseconds of CPU time")
    for name, milliseconds in found.items():
        print(f"  {name:<22}{milliseconds:8.0f}")
    return found
