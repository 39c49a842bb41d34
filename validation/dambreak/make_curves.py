"""Takes the curves that the package carries for its pictures out of `reference.json`.

    python validation/dambreak/make_curves.py

rewrites `src/headwater/sph/scenes/dambreak_curves.json`; a test compares the two.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TARGET = HERE.parents[1] / "src" / "headwater" / "sph" / "scenes" / "dambreak_curves.json"
COLUMNS = ("t", "kinetic", "potential", "front")
SETS = (("stretched", "stretched", 0.0085), ("cubic_dp_0.017", "cubic", 0.017))


def curve(reference: dict[str, Any], name: str, variant: str, dp: float) -> dict[str, Any]:
    """One set's samples and curve, in the order of time."""
    rows = [*reference[name].get("samples", []), *reference[name]["curve"]]
    rows.sort(key=lambda row: row["t"])
    columns = {column: [row[column] for row in rows] for column in COLUMNS}
    return {"scene": "dambreak", "variant": variant, "dp": dp, "columns": columns}


def contents() -> dict[str, Any]:
    """What the packaged file holds."""
    reference = json.loads((HERE / "reference.json").read_text(encoding="utf-8"))
    about = f"{reference['about']} Taken from validation/dambreak/reference.json by make_curves.py."
    return {"about": about, "curves": [curve(reference, *chosen) for chosen in SETS]}


if __name__ == "__main__":
    TARGET.write_text(json.dumps(contents(), separators=(",", ":")) + "\n", encoding="utf-8")
