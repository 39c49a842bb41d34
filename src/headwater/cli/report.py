"""The report of a run: one JSON file, rewritten whole while the run goes on."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import platform
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import headwater
from headwater import config
from headwater.io import write_atomically
from headwater.sph.records import HistoryRow, Sample
from headwater.sph.run import Moment
from headwater.sph.scenes import Scene

# While a run goes on, the report on disk is about so old, in s; writing takes at most so much of the time.
_WRITE_EVERY = 10.0
_WRITE_SHARE = 0.02
# Enough to read the same number back.
_DIGITS = {"float32": 9, "float64": 17}


class Report:
    """Collects what a run yields and writes it to `path`, atomically.

    `status` is 'running', 'finished', 'interrupted' or 'failed'; `message` says why it failed.
    """

    def __init__(self, path: Path, scene: Scene, device: headwater.Device, precision: str) -> None:
        self.path = path
        self.scene = scene
        self.device = device
        self.precision = precision
        self.status = "running"
        self.message: str | None = None
        self.history: list[HistoryRow] = []
        self.samples: list[Sample] = []
        self.steps = 0
        self._started = time.perf_counter()
        self._compiled = headwater.compile_seconds()
        self._next_write = self._started + _WRITE_EVERY

    def add(self, moment: Moment) -> None:
        """Take in what a moment brings; write the file where the one on disk is old."""
        self.steps = moment.step
        self.history += moment.rows
        if moment.sample is not None:
            self.samples.append(moment.sample)
        if moment.rows and time.perf_counter() > self._next_write:
            self.write()

    def finish(self, status: str, message: str | None = None) -> None:
        """Write the file for the last time."""
        self.status, self.message = status, message
        self.write()

    def write(self) -> None:
        """Write the report as it is now."""
        start = time.perf_counter()
        write_atomically(self.path, (_text(self.contents()).encode(),))
        end = time.perf_counter()
        self._next_write = end + max(_WRITE_EVERY, (end - start) / _WRITE_SHARE)

    def contents(self) -> dict[str, Any]:
        """The report as JSON's types."""
        fluid = self.samples[-1].fluid if self.samples else self.scene.fluid_count
        walls = self.scene.wall_count
        return {
            "device": self.device.name,
            "scene": self.scene.name,
            "variant": self.scene.variant,
            "dp": self.scene.spacing,
            "precision": self.precision,
            "status": self.status,
            "message": self.message,
            "particles": {
                "fluid": self.scene.fluid_count,
                "wall": walls,
                "total": self.scene.fluid_count + walls,
                "removed": self.scene.fluid_count - fluid,
            },
            "history": [self._rounded(row) for row in self.history],
            "samples": [self._rounded(sample) for sample in self.samples],
            "timing": self._timing(),
            "environment": _environment(self.device),
        }

    def _timing(self) -> dict[str, float | int]:
        """`wall_s` holds everything from the upload on, `compile_s` too, which the rate leaves out."""
        wall = time.perf_counter() - self._started
        compiled = headwater.compile_seconds() - self._compiled
        particles = len(self.scene.kinds)
        rate = self.steps * particles / max(wall - compiled, 1e-9)
        return {
            "wall_s": round(wall, 3),
            "compile_s": round(compiled, 3),
            "steps": self.steps,
            "particle_steps_per_s": round(rate),
        }

    def _rounded(self, record: HistoryRow | Sample) -> dict[str, Any]:
        digits = _DIGITS[self.precision]
        return {name: _plain(value, digits) for name, value in dataclasses.asdict(record).items()}


def _plain(value: Any, digits: int) -> Any:
    """A value as JSON has it: no more digits than it carries, and null for what is no finite number."""
    if isinstance(value, tuple):
        return [_plain(part, digits) for part in value]
    if not isinstance(value, float):
        return value
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def _text(contents: dict[str, Any]) -> str:
    """JSON with one line for each row of history and each sample."""
    entries = []
    for name, value in contents.items():
        text = json.dumps(value)
        if isinstance(value, list) and value:
            text = "[\n  " + ",\n  ".join(map(json.dumps, value)) + "\n ]"
        entries.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _environment(device: headwater.Device) -> dict[str, Any]:
    """What the numbers may depend on."""
    return {
        "headwater": headwater.__version__,
        "device": device.description,
        "python": platform.python_version(),
        "numpy": metadata.version("numpy"),
        "platform": platform.platform(),
        "cores": os.cpu_count(),
        "settings": {
            variable.name: str(variable.read())
            for variable in config.TABLE
            if os.environ.get(variable.name)
        },
    }
