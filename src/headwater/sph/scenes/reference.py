"""Curves of an independent program, for the scenes that it has run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from headwater.sph.scenes.scene import Scene

_FILE = "dambreak_curves.json"


@dataclass(frozen=True, slots=True)
class ReferenceCurve:
    """Values over time; `values` holds 'kinetic' and 'potential' in J and 'front' in m, each (n,)."""

    times: npt.NDArray[np.float64]
    values: Mapping[str, npt.NDArray[np.float64]]


def reference_curve(scene: Scene) -> ReferenceCurve | None:
    """The curve of the same scene, variant and spacing, or None where there is none."""
    text = resources.files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    for curve in json.loads(text)["curves"]:
        found = (curve["scene"], curve["variant"], curve["dp"])
        if found == (scene.name, scene.variant, scene.spacing):
            return _read(curve)
    return None


def _read(curve: Mapping[str, Any]) -> ReferenceCurve:
    columns = {name: np.asarray(values) for name, values in curve["columns"].items()}
    return ReferenceCurve(columns.pop("t"), columns)
