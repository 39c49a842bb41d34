"""Long runs: `python -m tests.fuzz.run --count 5000 --seed 0 --device cpu`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from tests.fuzz.coverage import coverage, required
from tests.fuzz.generator import generate
from tests.fuzz.harness import check, refused, report, shrink

import headwater as hw


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many kernels")
    parser.add_argument("--seed", type=int, default=0, help="the first seed; the others follow")
    parser.add_argument(
        "--device",
        nargs="+",
        default=["cpu"],
        help="the devices to compare with the interpreter",
    )
    parser.add_argument(
        "--lanes", type=int, nargs="*", default=[], help="SIMD widths of the cpu to compare as well"
    )
    parser.add_argument(
        "--turns",
        action="store_true",
        help="compare each kernel with the cpu at one width, in turn 16, 8, 4 and 1 lanes",
    )
    parser.add_argument(
        "--jobs", type=int, default=1, help="processes; each takes a part of the kernels"
    )
    parser.add_argument(
        "--races", action="store_true", help="run the interpreter backwards as well"
    )
    parser.add_argument(
        "--no-shrink", action="store_true", help="print failing kernels as they are"
    )
    parser.add_argument("--keep-going", action="store_true", help="go on after a failure")
    parser.add_argument(
        "--coverage", action="store_true", help="print what the kernels hold, run none"
    )
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.count)
    if options.coverage:
        return _print_coverage(seeds)
    os.environ["HEADWATER_CACHE"] = "0"
    if options.jobs > 1:
        return _spread(options, seeds)
    return _run(options, seeds)


def _spread(options: argparse.Namespace, seeds: range) -> int:
    """Every process takes each n-th kernel."""
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        parts = [seeds[number :: options.jobs] for number in range(options.jobs)]
        return max(pool.map(_run, [options] * len(parts), parts))


def _print_coverage(seeds: range) -> int:
    notes = coverage(seeds)
    for name, number in sorted(notes.items()):
        print(f"{number:8d}  {name}")
    missing = sorted(required() - set(notes))
    print(f"missing: {', '.join(missing) or 'nothing'}")
    return 1 if missing else 0


def _devices(options: argparse.Namespace) -> list[tuple[str, hw.Device]]:
    found = [("reference", hw.device("reference"))]
    if options.races:
        found.append(("reference, backwards", hw.device("reference", backwards=1)))
    # Several processes share the cores.
    threads = {"threads": 1} if options.jobs > 1 else {}
    for name in options.device:
        if name != "reference":
            found.append((name, hw.device(name, **(threads if name == "cpu" else {}))))
    return found + [entry for entry in _widths(options) if entry[0] in _named(options.lanes)]


_WIDTHS = (16, 8, 4, 1)


def _named(widths: Iterable[int]) -> list[str]:
    return [f"cpu, lanes={lanes}" for lanes in widths]


def _widths(options: argparse.Namespace) -> list[tuple[str, hw.Device]]:
    """The cpu with each number of lanes."""
    threads = {"threads": 1} if options.jobs > 1 else {}
    opened = (hw.device("cpu", lanes=lanes, **threads) for lanes in _WIDTHS)
    return list(zip(_named(_WIDTHS), opened, strict=True))


def _run(options: argparse.Namespace, seeds: range) -> int:
    devices = _devices(options)
    widths = [[*devices[:1], entry] for entry in _widths(options)] if options.turns else []
    failures, begin = 0, time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for done, seed in enumerate(seeds, 1):
            program = generate(seed)
            devices = widths[seed // max(options.jobs, 1) % len(widths)] if widths else devices
            failure = check(program, devices, folder)
            if failure is not None:
                failures += 1
                if not options.no_shrink:
                    pair = failure.pair(devices)
                    program, failure = shrink(
                        program, failure, lambda p, d=pair: check(p, d, folder)
                    )  # type: ignore[misc]
                print(report(program, failure), flush=True)
                if not options.keep_going:
                    return 1
            if done % 50 == 0:
                rate = done / (time.monotonic() - begin)
                print(f"{done} kernels, {failures} failures, {rate:.1f} a second", flush=True)
    names = ", ".join(name for name, _ in devices)
    print(
        f"{len(seeds)} kernels on {names}: {failures} failures; refused: {dict(refused) or 'none'}"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
