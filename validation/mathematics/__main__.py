"""Errors of the functions of `headwater.math`, as a table.

    python -m validation.mathematics                       samples of both types on the CPU
    python -m validation.mathematics --exhaustive [NAME ...]   every float32 of the functions of one argument
    python -m validation.mathematics --device cuda --count 1000000

The last column is the error at the worst point once more, by mpmath. Exits with 1 where an error is above its bound or
a result is of the wrong kind.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any

import mpmath as mp
import numpy as np
from validation.mathematics import points
from validation.mathematics.functions import FUNCTIONS, Function
from validation.mathematics.long_double import PRECISION
from validation.mathematics.measure import Measurement, Worst, arithmetic

import headwater as hw

HEADER = "| function | type | points | worst error | bound | at | by mpmath |\n|---|---|---|---|---|---|---|"


def by_mpmath(function: Function, worst: Worst) -> float:
    """The error of the worst result, computed exactly."""
    kind = np.finfo(type(worst.at[0]))
    with mp.workdps(400):
        exact = function.exact(*(mp.mpf(float(x)) for x in worst.at))
        size = max(abs(exact), mp.mpf(function.absolute_below))
        exponent = max(int(mp.floor(mp.log(size, 2))) if size else kind.minexp, kind.minexp)
        return float(abs(mp.mpf(float(worst.found)) - exact) / mp.ldexp(1, exponent - kind.nmant))


def row(function: Function, dtype: np.dtype[Any], worst: Worst, points_text: str) -> str:
    """One line of the table."""
    exact = f"{by_mpmath(function, worst):.3f}" if worst.error else "0"
    at = ", ".join(f"{float(x)!r}" for x in worst.at)
    kind = "" if not worst.wrong else f"; {worst.wrong} wrong in kind, first {worst.first_wrong}"
    name = function.label or function.name
    return f"| {name} | {dtype.name} | {points_text} | {worst.error:.3f} | {function.bound:g} | {at} | {exact}{kind} |"


def measure(options: argparse.Namespace, device: hw.Device, function: Function, kind: str) -> bool:
    """Measure one function in one type, print its line, and tell whether it keeps its bound."""
    dtype = np.dtype(kind)
    oracle = function.float32 if kind == "float32" else function.float64
    task = Measurement(
        device,
        function.name,
        oracle,
        floor=function.absolute_below,
        contract=not options.no_contract,
    )
    if options.exhaustive:
        parts, text = ((x,) for x in points.every_float32()), "all"
    else:
        parts = points.arguments(function, dtype, options.count, options.seed)
        text = ""
    started = time.perf_counter()
    worst = task.all(points.selected(function, parts), options.workers)
    print(row(function, dtype, worst, text or f"{worst.count:,}"), flush=True)
    print(
        f"{function.label or function.name}: {time.perf_counter() - started:.0f} s",
        file=sys.stderr,
        flush=True,
    )
    slack = task.arithmetic.slack if kind == "float32" else 0.0
    return worst.error <= function.bound + slack and not worst.wrong


def chosen(options: argparse.Namespace) -> list[tuple[Function, str]]:
    """The functions and types to measure."""
    kinds = ["float32"] if options.exhaustive else options.types
    return [
        (function, kind)
        for function in FUNCTIONS
        if not options.names or function.name in options.names
        if function.arguments == 1 or not options.exhaustive
        for kind in kinds
    ]


def main() -> int:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="functions; all without")
    parser.add_argument("--exhaustive", action="store_true", help="every float32")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--types", nargs="*", default=["float32", "float64"])
    parser.add_argument("--count", type=int, default=1_000_000, help="points of an interval")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--no-contract", action="store_true", help="round every operation as written"
    )
    options = parser.parse_args()
    if not options.exhaustive and "float64" in options.types and PRECISION < 64:
        raise SystemExit(
            "float64 is measured with a long double of 64 bits, which this machine lacks"
        )
    # One thread a worker: each has a part of its own.
    device = hw.device("cpu", threads=1) if options.device == "cpu" else hw.device(options.device)
    print(f"{options.device}, {arithmetic(device, not options.no_contract)}", file=sys.stderr)
    print(HEADER)
    kept = [measure(options, device, *task) for task in chosen(options)]
    return int(not all(kept))


if __name__ == "__main__":
    sys.exit(main())
