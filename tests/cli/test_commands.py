"""The command line: what it writes, and what it refuses."""

from __future__ import annotations

import dataclasses
import io
import json
import signal
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import headwater
from headwater import config
from headwater.cli import main
from headwater.cli import run as run_command
from headwater.cli.progress import Progress, rate
from headwater.sph import Moment, Schedule
from headwater.sph.records import HistoryRow
from headwater.sph.scenes import build_scene

SMALL = ("run", "dambreak", "--dp", "0.05")


def call(*arguments: object) -> int:
    """The exit code of `headwater ARGUMENTS`."""
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def report_of(folder: Path) -> Any:
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


# --- what works -----------------------------------------------------------------------------------


def test_the_entry_is_quiet_while_it_imports() -> None:
    """Ctrl-C in the first half second ends the process as it ends any other: by the signal, without a word."""
    code = (
        "import os, signal, sys\n"
        # A shell may start background jobs with the signal ignored, and children inherit that.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'numpy': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "import headwater_command; headwater_command.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (-signal.SIGINT, b"")


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--version") == 0
    assert headwater.__version__ in capsys.readouterr().out
    assert call("--help") == 0
    assert "run" in capsys.readouterr().out
    assert call("run", "--help") == 0
    said = capsys.readouterr().out
    for option in ("variant", "dp", "until", "steps", "device", "precision", "out", "samples"):
        assert f"--{option}" in said
    assert "headwater run dambreak --dp 0.017 --until 0.6 --out out/small" in said


def test_help_ends_with_the_environment_variables(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HEADWATER_THREADS", "7")
    assert call("--help") == 0
    said = capsys.readouterr().out
    assert all(variable.name in said for variable in config.TABLE)
    assert "now 7)" in said


def test_devices_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("devices") == 0
    said = capsys.readouterr().out
    assert all(listing.name in said for listing in headwater.devices())
    assert "threads" in said
    assert "float64 yes" in said
    assert "1 MiB of shared memory; an array: as the memory allows" in said
    assert "HEADWATER_THREADS" in said


def test_the_same_hardware_and_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listings = (
        headwater.runtime.Listing("cpu", "a processor"),
        headwater.runtime.Listing("reference", "the same one", same_as="cpu"),
        headwater.runtime.Listing("cpu:9", "one that does not open"),
        headwater.runtime.Listing("abacus", "there is none; buy one", missing=True),
    )
    monkeypatch.setattr(headwater, "devices", lambda: listings)
    assert call("devices") == 0
    said = capsys.readouterr().out
    assert "the same hardware as 'cpu', which is to be preferred" in said
    assert "cannot be opened: there is no device 'cpu:9'" in said
    assert "Not here:\nabacus       there is none; buy one" in said


def test_the_report(tmp_path: Path) -> None:
    report_file = tmp_path / "deep" / "run.json"
    options = ("--steps", 7, "--samples", "2,5", "--no-frames", "--report", report_file)
    assert call(*SMALL, *options, "--out", tmp_path) == 0
    report = json.loads(report_file.read_text(encoding="utf-8"))
    scene = build_scene("dambreak", 0.05)
    assert (report["scene"], report["variant"], report["dp"]) == ("dambreak", "cubic", 0.05)
    assert report["device"] == headwater.device().name
    assert report["particles"] == {
        "fluid": scene.fluid_count,
        "wall": scene.wall_count,
        "total": len(scene.kinds),
        "removed": scene.fluid_count - report["samples"][-1]["fluid"],
    }
    assert [row["step"] for row in report["history"]] == list(range(7))
    assert [sample["step"] for sample in report["samples"]] == [0, 2, 5, 7]
    names = {"step", "t", "kinetic", "potential", "front", "v_max", "probes"}
    assert all(names <= set(sample) and len(sample["probes"]) == 2 for sample in report["samples"])
    names = {"step", "t", "dt", "a_max", "v_max", "visc_max", "drho_max"}
    assert all(set(row) == names for row in report["history"])
    timing = report["timing"]
    assert timing["steps"] == 7
    assert {"wall_s", "compile_s", "particle_steps_per_s"} <= set(timing)
    assert report["environment"]["headwater"] == headwater.__version__
    settings = report["settings"]
    assert settings["command"][:4] == ["headwater", "run", "dambreak", "--dp"]
    assert (settings["until"], settings["steps"], settings["samples"]) == (None, 7, [2, 5])
    assert settings["device"] == dict(headwater.device().settings)
    assert settings["parameters"]["sound_speed"] == scene.parameters.sound_speed
    assert settings["parameters"]["region"]["high"] == [1.61, 0.68, 0.5]
    assert datetime.fromisoformat(settings["date"]).tzinfo is not None
    assert report["schema"] == 1
    assert report["probes"][0] == {"x": 0.8779, "y": 0.3, "z": 0.02}
    assert list(report)[-2:] == ["samples", "history"]
    assert report["units"]["kinetic, potential"] == "J"
    assert (report["status"], report["message"]) == ("finished", None)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["deep", "run.json"]


def test_until_ends_with_the_first_step_at_or_after_it(tmp_path: Path) -> None:
    assert call(*SMALL, "--until", 0.015, "--no-frames", "--out", tmp_path) == 0
    report = report_of(tmp_path)
    assert report["samples"][-1]["t"] >= 0.015 > report["history"][-1]["t"]
    assert [round(sample["t"], 2) for sample in report["samples"][:2]] == [0.0, 0.01]


def test_frames_and_picture(tmp_path: Path) -> None:
    assert call(*SMALL, "--until", 0.01, "--precision", "float64", "--out", tmp_path) == 0
    assert (tmp_path / "picture.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    collection = ET.parse(tmp_path / "frames" / "fluid.pvd").getroot()
    files = [entry.get("file") for entry in collection.iter("DataSet")]
    assert files == ["fluid_0000.vtp", "fluid_0001.vtp"]
    scene = build_scene("dambreak", 0.05)
    content = (tmp_path / "frames" / "fluid_0000.vtp").read_bytes()
    assert f'NumberOfPoints="{scene.fluid_count}"'.encode() in content
    data = content.split(b'<AppendedData encoding="raw">_')[1]
    assert struct.unpack("<Q", data[:8])[0] == scene.fluid_count * 3 * 8
    assert (tmp_path / "frames" / "walls.vtp").exists()


# --- what is refused, before any work ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "splash"), "no scene 'splash'; 'dambreak' was expected"),
        (("run", "dambreak", "--variant", "square"), "no variant 'square'"),
        (("run", "dambreak", "--variant", "stretched", "--dp", "0.017"), "use the variant 'cubic'"),
        (("run", "dambreak", "--dp", "0.05", "--device", "abacus"), "'abacus'"),
        (("run", "dambreak", "--dp", "0"), "a number above 0 was expected, not 0"),
        (("run", "dambreak", "--dp", "-0.01"), "a number above 0 was expected"),
        (("run", "dambreak", "--dp", "nan"), "a number above 0 was expected"),
        (("run", "dambreak", "--dp", "9"), "does not suit a tank"),
        (("run", "dambreak", "--until", "-1"), "a number above 0 was expected"),
        (("run", "dambreak", "--until", "inf"), "a number above 0 was expected"),
        (("run", "dambreak", "--steps", "0"), "x>=1"),
        (("run", "dambreak", "--until", "1", "--steps", "5"), "exclude each other"),
        (("run", "dambreak", "--samples", "3,9", "--steps", "8"), "--samples 9 lies beyond"),
        (("run", "dambreak", "--out", ""), "not an empty text"),
        (("run", "dambreak", "--report", " "), "not an empty text"),
        (("run", "dambreak", "--dp", "0.00001"), "there would be about 8e+13 particles"),
        (("run", "dambreak", "--samples", "3,x"), "numbers of steps such as 116,233"),
        (("run", "dambreak", "--samples", "-3"), "not negative"),
        (("run", "dambreak", "--precision", "float16"), "float32"),
        (("run",), "SCENE"),
        (("sail",), "No such command 'sail'"),
    ],
)
def test_bad_input_is_refused(
    arguments: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(*arguments) == 2
    output = capsys.readouterr()
    assert said in output.err
    assert "Traceback" not in output.err
    assert list(tmp_path.iterdir()) == []


# --- runs that end early ----------------------------------------------------------------------------


def test_an_interrupted_run_keeps_its_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    show = Progress.show

    def interrupt(self: Progress, moment: Moment) -> None:
        show(self, moment)
        if moment.step == 7:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "show", interrupt)
    assert call(*SMALL, "--steps", 50, "--samples", "3", "--no-frames", "--out", tmp_path) == 130
    report = report_of(tmp_path)
    assert report["status"] == "interrupted"
    assert [row["step"] for row in report["history"]] == list(range(7))
    assert "interrupted at step 7" in capsys.readouterr().err


def test_a_run_that_blows_up_keeps_its_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Particles of the mass of a planet: rates overflow at once."""

    def heavy(*arguments: Any) -> Any:
        scene = build_scene(*arguments)
        constants = dataclasses.replace(scene.parameters, mass=1e30)
        return dataclasses.replace(scene, parameters=constants)

    monkeypatch.setattr(run_command, "build_scene", heavy)
    assert call(*SMALL, "--steps", 50, "--no-frames", "--out", tmp_path) == 1
    text = (tmp_path / "report.json").read_text(encoding="utf-8")
    assert "NaN" not in text
    assert "Infinity" not in text
    report = report_of(tmp_path)
    assert report["status"] == "failed"
    assert "the run blew up in step 1 at t = 0 s: particle" in report["message"]
    assert report["history"]
    assert report["message"] in capsys.readouterr().err


# --- progress ---------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_shows_time_steps_and_what_is_left(terminal: bool) -> None:
    stream = Terminal() if terminal else io.StringIO()
    progress = Progress(Schedule(until=0.5), stream)
    row = HistoryRow(9, 0.2, 1e-4, 0.0, 0.0, 0.0, 0.0)
    progress.show(Moment(10, 0.25, (row,), over=True))
    progress.close()
    said = stream.getvalue()
    assert "50 %" in said
    assert "t 0.2500 of 0.5 s, step 10" in said
    assert "steps/s" in said
    assert ("\r" in said) == terminal


@pytest.mark.parametrize("columns", [12, 40, 60, 200])
def test_the_bar_fits_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    stream = Terminal()
    progress = Progress(Schedule(until=0.5), stream)
    progress.show(Moment(10, 0.25, over=True))
    line = stream.getvalue().removeprefix("\r").removesuffix("\x1b[K")
    assert len(line) < columns
    assert ("█" in line) == (columns == 200)


def test_the_bar_of_a_terminal_that_knows_ascii_only() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatched = Progress(Schedule(until=0.5), stream)
    monkeypatched.is_terminal = True
    monkeypatched.show(Moment(10, 0.25, over=True))
    stream.seek(0)
    assert "50 %" in stream.read()


def test_a_log_shows_the_time_of_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two looks at the clock the time is not known, so nothing is written."""
    stream = io.StringIO()
    progress = Progress(Schedule(until=0.5), stream)
    progress._every = 0.0
    progress.show(Moment(10, 0.0))
    assert stream.getvalue() == ""
    progress.show(Moment(20, 0.25, (HistoryRow(19, 0.24, 1e-2, 0.0, 0.0, 0.0, 0.0),)))
    assert "t 0.2500 of 0.5 s, step 20" in stream.getvalue()


@pytest.mark.parametrize(
    ("steps", "seconds", "said"),
    [
        (12345, 1.0, "12,345 steps/s"),
        (35, 10.0, "3.5 steps/s"),
        (1, 4.0, "4 s/step"),
        (0, 1.0, "? steps/s"),
    ],
)
def test_rates(steps: int, seconds: float, said: str) -> None:
    assert rate(steps, seconds) == said
