"""Speed of the kernel language on the CPU: `python -m bench.language [PART ...] [--rounds N] [--json FILE]`."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import headwater as hw
from bench.language import blocks, compiling, mathematics
from bench.launch import AIM_IMPORT, AIM_LAUNCH, import_milliseconds, microseconds, six

PARTS = ("blocks", "mathematics", "compile", "launch", "import")


def main() -> None:
    """Measure, print, and write the JSON file where one is asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench.language", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--rounds", type=int, default=50, help="the best of so many counts")
    parser.add_argument("--long", action="store_true", help="more functions of the mathematics")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    options = parser.parse_args()
    parts = options.parts or PARTS
    unknown = sorted(set(parts) - set(PARTS))
    if unknown:
        parser.error(f"there is no part '{unknown[0]}'; there are {', '.join(PARTS)}")
    found: dict[str, Any] = {"load": os.getloadavg()[0]}
    print(f"{hw.device('cpu').description}; {os.cpu_count()} cores; load {found['load']:.1f}")
    for part in parts:
        found[part] = measure(part, options)
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def measure(part: str, options: argparse.Namespace) -> Any:
    """The figures of one part."""
    if part == "blocks":
        return blocks.report(options.rounds)
    if part == "mathematics":
        return mathematics.report(options.rounds, long=options.long)
    if part == "compile":
        return compiling.report()
    return launch() if part == "launch" else importing()


def launch() -> float:
    """Microseconds of a prepared kernel of six arguments."""
    device = hw.device("cpu")
    arrays = [device.zeros(16) for _ in range(4)]
    bound = six[1, 16]
    time = microseconds(lambda: bound(*arrays, 2.0, 16), device)
    print(
        f"launch of a prepared kernel of six arguments: {time:.2f} microseconds, aim {AIM_LAUNCH:g}"
    )
    return time


def importing() -> float:
    """Milliseconds of `import headwater`, NumPy with it."""
    time = import_milliseconds()
    print(f"import headwater: {time:.0f} ms, aim {AIM_IMPORT:g}")
    return time


if __name__ == "__main__":
    main()
