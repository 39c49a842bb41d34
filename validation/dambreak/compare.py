"""Compares a run's report with the reference, and draws both.

    python validation/dambreak/compare.py REPORT [PICTURE]

prints the largest deviation of each measure before and after the splash, and writes the curves to PICTURE
(by default beside the report, `comparison.png`).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

REFERENCE = Path(__file__).with_name("reference.json")
MEASURES = (
    ("kinetic", "kinetic energy, J"),
    ("potential", "potential energy, J"),
    ("front", "front, m"),
    ("v_max", "greatest speed, m/s"),
)
Rows = dict[str, npt.NDArray[np.float64]]


def columns(rows: list[dict[str, Any]]) -> Rows:
    """The rows as one array a measure, in the order of time."""
    rows = sorted(rows, key=lambda row: row["t"])
    return {name: np.array([row[name] for row in rows]) for name in ("t", *dict(MEASURES))}


def reference_rows(report: dict[str, Any]) -> Rows:
    """The reference of the same test; the program ends where there is none."""
    name = report["variant"] if report["dp"] == 0.0085 else f"cubic_dp_{report['dp']:g}"
    data = json.loads(REFERENCE.read_text(encoding="utf-8")).get(name)
    if data is None:
        sys.exit(f"there is no reference for variant {report['variant']} at dp {report['dp']:g}")
    return columns([*data.get("samples", []), *data.get("curve", [])])


def deviations(run: Rows, reference: Rows) -> None:
    """Print how far the run is from the reference, which is interpolated to the run's times."""
    inside = (run["t"] >= reference["t"][0]) & (run["t"] <= reference["t"][-1])
    times = run["t"][inside]
    parts = (("until t = 0.6 s", times <= 0.6), ("after", times > 0.6))
    for name, label in MEASURES:
        expected = np.interp(times, reference["t"], reference[name])
        error = np.abs(run[name][inside] - expected)
        if name != "front":
            error = 100.0 * error / np.abs(expected)
        unit = "mm" if name == "front" else "%"
        scale = 1e3 if name == "front" else 1.0
        found = [f"{when} {scale * error[of].max():.3f} {unit}" for when, of in parts if of.any()]
        print(f"{label:<22} {', '.join(found)}")


def draw(run: Rows, reference: Rows, path: Path) -> None:
    """The curves of both."""
    figure = Figure(figsize=(11.0, 7.0), dpi=120, layout="constrained")
    for axes, (name, label) in zip(figure.subplots(2, 2).flat, MEASURES, strict=True):
        axes.plot(reference["t"], reference[name], color="#d1495b", linewidth=3, alpha=0.45)
        axes.plot(run["t"], run[name], color="#0b3954", linewidth=1.2)
        axes.set_title(label, loc="left", fontsize=10)
        axes.set_xlabel("t, s")
        axes.grid(color="#e6e8eb", linewidth=0.6)
    figure.legend(("reference", "this run"), loc="outside upper right", ncols=2, frameon=False)
    figure.savefig(path)


def main() -> None:
    """Compare the report that the command line names."""
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    source = Path(sys.argv[1])
    report = json.loads(source.read_text(encoding="utf-8"))
    run, reference = columns(report["samples"]), reference_rows(report)
    deviations(run, reference)
    picture = Path(sys.argv[2]) if len(sys.argv) == 3 else source.with_name("comparison.png")
    draw(run, reference, picture)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main()
