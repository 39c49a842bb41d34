"""The report of a run: one JSON file, rewritten whole while the run goes on."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import headwater
from headwater import config
from headwater.cli.comparison import Deviation, deviations
from headwater.cli.signals import no_interruption
from headwater.io import replaces, write_atomically
from headwater.sph.records import HistoryRow, Sample
from headwater.sph.run import Moment, Schedule
from headwater.sph.scenes import Scene, reference_curve

# Raised when a name of the report changes its meaning or goes.
SCHEMA = 1
# While a run goes on, the report on disk is about so old, in s; writing takes at most so much of the time.
_WRITE_EVERY = 10.0
_WRITE_SHARE = 0.02
# Enough to read the same number back.
_DIGITS = {"float32": 9, "float64": 17}
_UNITS = {
    "dp, front, probes' positions, smoothing_length, region": "m",
    "t, dt, until, output_every, least_time_step": "s",
    "a_max, gravity": "m/s^2",
    "v_max, sound_speed": "m/s",
    "visc_max": "1/s",
    "drho_max": "kg/m^3/s",
    "rest_density, least_density, greatest_density": "kg/m^3",
    "kinetic, potential": "J",
    "samples' probes, stiffness": "Pa",
    "mass": "kg, of one particle",
}


@dataclass(frozen=True, slots=True)
class Setup:
    """What was asked for. `command` is the command line."""

    scene: Scene
    device: headwater.Device
    precision: str
    schedule: Schedule
    command: Sequence[str]


class Report:
    """Collects what a run yields and writes it to `path`, atomically; to a pipe or a device at the end only.

    `status` is 'running', 'finished', 'interrupted' or 'failed'; `message` says why it failed.
    """

    def __init__(self, path: Path, setup: Setup) -> None:
        self.path = path
        self.setup = setup
        self.scene = setup.scene
        self.status = "running"
        self.message: str | None = None
        self.history: list[HistoryRow] = []
        self.samples: list[Sample] = []
        self.steps = 0
        # Steps done when the file was last written; None before that.
        self.written: int | None = None
        self.reference = reference_curve(setup.scene)
        self._is_file = replaces(path)
        self._date = datetime.now(UTC).isoformat(timespec="seconds")
        self._started = time.perf_counter()
        self._compiled = headwater.compile_seconds()
        self._next_write = self._started + _WRITE_EVERY

    def add(self, moment: Moment) -> None:
        """Take in what a moment brings; write the file where the one on disk is old."""
        self.steps = moment.step
        self.history += moment.rows
        if moment.sample is not None:
            self.samples.append(moment.sample)
        if moment.rows and self._is_file and time.perf_counter() > self._next_write:
            self.write()

    def finish(self, status: str, message: str | None = None) -> None:
        """Write the file for the last time; an impatient second Ctrl-C does not spoil it."""
        self.status, self.message = status, message
        if not self._is_file:
            self.write()  # may have to wait for a reader
            return
        with no_interruption():
            self.write()

    def write(self) -> None:
        """Write the report as it is now. Raises OSError."""
        start = time.perf_counter()
        write_atomically(self.path, (_text(self.contents()).encode(),))
        end = time.perf_counter()
        self.written = self.steps
        self._next_write = end + max(_WRITE_EVERY, (end - start) / _WRITE_SHARE)

    def deviations(self) -> tuple[Deviation, ...]:
        """How far the run is from the reference so far."""
        return deviations(self.samples, self.reference)

    def contents(self) -> dict[str, Any]:
        """The report as JSON's types."""
        return {
            "schema": SCHEMA,
            "device": self.setup.device.name,
            "scene": self.scene.name,
            "variant": self.scene.variant,
            "dp": self.scene.spacing,
            "precision": self.setup.precision,
            "status": self.status,
            "message": self.message,
            "particles": self._particles(),
            "timing": self._timing(),
            "comparison": [deviation.as_json() for deviation in self.deviations()],
            "settings": {"date": self._date, **_settings(self.setup)},
            "environment": _environment(self.setup.device),
            "units": _UNITS,
            "probes": [dict(zip("xyz", point, strict=True)) for point in self.scene.probes],
            "samples": [self._rounded(sample) for sample in self.samples],
            "history": [self._rounded(row) for row in self.history],
        }

    def _particles(self) -> dict[str, int]:
        fluid = self.samples[-1].fluid if self.samples else self.scene.fluid_count
        return {
            "fluid": self.scene.fluid_count,
            "wall": self.scene.wall_count,
            "total": len(self.scene.kinds),
            "removed": self.scene.fluid_count - fluid,
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
        digits = _DIGITS[self.setup.precision]
        return {name: _plain(value, digits) for name, value in dataclasses.asdict(record).items()}


def _plain(value: Any, digits: int) -> Any:
    """A value as JSON has it: no more digits than it carries, and null for what is no finite number."""
    if isinstance(value, tuple):
        return [_plain(part, digits) for part in value]
    if not isinstance(value, float):
        return value
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def _text(contents: Mapping[str, Any]) -> str:
    """JSON with one line for each entry of a group, row of history, and sample."""
    entries = []
    for name, value in contents.items():
        text = json.dumps(value)
        if isinstance(value, list) and value:
            text = "[\n  " + ",\n  ".join(map(json.dumps, value)) + "\n ]"
        if isinstance(value, dict) and value:
            lines = (f"{json.dumps(key)}: {json.dumps(entry)}" for key, entry in value.items())
            text = "{\n  " + ",\n  ".join(lines) + "\n }"
        entries.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _settings(setup: Setup) -> dict[str, Any]:
    """What the run was told, and the constants that it computed with."""
    schedule = setup.schedule
    return {
        "command": list(setup.command),
        "until": schedule.until,
        "steps": schedule.steps,
        "output_every": schedule.output_every,
        "samples": sorted(schedule.samples),
        "device": dict(setup.device.settings),
        "parameters": _constants(setup.scene.parameters),
    }


def _constants(record: Any) -> dict[str, Any]:
    """The fields of a record of numbers, points and such records."""
    found: dict[str, Any] = {}
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if isinstance(value, headwater.Vec3):
            found[field.name] = [float(part) for part in (value.x, value.y, value.z)]
        elif dataclasses.is_dataclass(value):
            found[field.name] = _constants(value)
        else:
            found[field.name] = value
    return found


def _environment(device: headwater.Device) -> dict[str, Any]:
    """What the numbers may depend on."""
    return {
        "headwater": headwater.__version__,
        "device": device.description,
        "python": platform.python_version(),
        "numpy": metadata.version("numpy"),
        "platform": platform.platform(),
        "cores": os.cpu_count(),
        "variables": {
            variable.name: str(variable.read())
            for variable in config.TABLE
            if os.environ.get(variable.name)
        },
    }
