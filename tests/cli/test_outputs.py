"""What a run does to files: those it writes, those that were there, and what is left when it ends early."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_commands import call, report_of

from headwater.cli import frames as frames_module
from headwater.cli.progress import Progress
from headwater.io import locked_folder
from headwater.sph import Moment

SMALL = ("run", "dambreak", "--dp", "0.06")


def at_step(monkeypatch: pytest.MonkeyPatch, step: int, action: Callable[[], Any]) -> None:
    """Do something in the midst of a run."""
    show = Progress.show

    def show_and_act(self: Progress, moment: Moment) -> None:
        show(self, moment)
        if moment.step == step and not moment.rows:
            action()

    monkeypatch.setattr(Progress, "show", show_and_act)


# --- the report's file ------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--out", "--report"])
def test_an_output_that_cannot_be_written_is_refused(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file")
    folder = () if option == "--out" else ("--out", tmp_path)
    assert call(*SMALL, "--steps", 1, *folder, option, taken / "below") == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ("", "is a folder; a file name was expected"),
        ("picture.png", "would replace the run's picture"),
        ("frames", "lies where the run's frames go"),
        ("frames/report.json", "lies where the run's frames go"),
        (".headwater.lock", "would replace the run's lock"),
        ("read_only.json", "cannot be written: it is read-only"),
    ],
)
def test_a_report_in_a_wrong_place_is_refused(
    report: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "read_only.json").write_text("kept")
    (tmp_path / "read_only.json").chmod(0o444)
    assert call(*SMALL, "--steps", 1, "--out", tmp_path, "--report", tmp_path / report) == 2
    assert said in capsys.readouterr().err
    assert (tmp_path / "read_only.json").read_text() == "kept"


def test_a_report_to_a_pipe_is_written_once(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    options = ("--steps", 3, "--no-frames", "--report", pipe)
    assert call(*SMALL, *options, "--out", tmp_path / "out") == 0
    reader.join(10.0)
    assert json.loads(read[0])["status"] == "finished"
    assert pipe.is_fifo()


# --- an earlier run's files -------------------------------------------------------------------------


def earlier_run(folder: Path) -> None:
    """What a run leaves, and a file of the user's own."""
    (folder / "frames").mkdir()
    for name in ("report.json", "picture.png", "frames/walls.vtp", "frames/fluid.pvd"):
        (folder / name).write_text("earlier")
    for name in ("frames/fluid_0000.vtp", "frames/fluid_0107.vtp"):
        (folder / name).write_text("earlier")
    for name in ("notes.txt", "frames/fluid.txt", "frames/fluid_0000.vtp.bak"):
        (folder / name).write_text("the user's own")


def test_an_earlier_run_is_moved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    earlier_run(tmp_path)
    (tmp_path / "earlier-1").mkdir()
    assert call(*SMALL, "--steps", 2, "--no-frames", "--out", tmp_path) == 0
    moved = tmp_path / "earlier-2"
    assert f"moved 6 files of an earlier run to '{moved}'" in capsys.readouterr().err
    assert (moved / "frames" / "fluid_0107.vtp").read_text() == "earlier"
    assert (moved / "report.json").read_text() == "earlier"
    assert report_of(tmp_path)["status"] == "finished"
    assert (tmp_path / "notes.txt").exists()
    left = sorted(path.name for path in (tmp_path / "frames").iterdir())
    assert left == ["fluid.txt", "fluid_0000.vtp.bak"]


def test_an_earlier_run_is_deleted_where_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    earlier_run(tmp_path)
    assert call(*SMALL, "--steps", 2, "--no-frames", "--overwrite", "--out", tmp_path) == 0
    assert "deleted 6 files of an earlier run" in capsys.readouterr().err
    names = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert names == {"report.json", "notes.txt", "fluid.txt", "fluid_0000.vtp.bak"}


def test_overwrite_deletes_nothing_in_a_folder_that_no_run_wrote(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_text("the user's own")
    assert call(*SMALL, "--steps", 2, "--no-frames", "--overwrite", "--out", tmp_path) == 0
    assert (tmp_path / "earlier-1" / "picture.png").read_text() == "the user's own"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.json"
    out = tmp_path / "out"
    out.mkdir()
    (out / "report.json").symlink_to(target)
    for _ in range(2):
        assert call(*SMALL, "--steps", 2, "--no-frames", "--out", out) == 0
        assert (out / "report.json").is_symlink()
        assert json.loads(target.read_text())["status"] == "finished"


def test_two_runs_in_one_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "report.json").write_text("of the other run")
    with locked_folder(tmp_path):
        assert call(*SMALL, "--steps", 2, "--no-frames", "--out", tmp_path) == 2
    assert f"another run (process {os.getpid()}) writes to the folder" in capsys.readouterr().err
    assert (tmp_path / "report.json").read_text() == "of the other run"


# --- ends -------------------------------------------------------------------------------------------


def test_a_terminated_run_keeps_report_frames_and_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at_step(monkeypatch, 7, lambda: signal.raise_signal(signal.SIGTERM))
    before = signal.getsignal(signal.SIGTERM)
    assert call(*SMALL, "--steps", 500, "--out", tmp_path) == 143
    assert signal.getsignal(signal.SIGTERM) is before
    report = report_of(tmp_path)
    assert (report["status"], report["message"]) == ("interrupted", "ended by SIGTERM at step 7")
    assert (tmp_path / "picture.png").read_bytes()[:4] == b"\x89PNG"
    said = capsys.readouterr().err
    kept = f"kept: the report '{tmp_path}/report.json' up to step 7, 1 frame in '{tmp_path}/frames'"
    assert kept in said


def test_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write = frames_module.write_atomically

    def fill(path: Path, chunks: Any) -> None:
        if path.name == "fluid_0002.vtp":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        write(path, chunks)

    monkeypatch.setattr(frames_module, "write_atomically", fill)
    assert call(*SMALL, "--until", 0.1, "--out", tmp_path) == 1
    said = capsys.readouterr().err
    assert f"'{tmp_path}/frames/fluid_0002.vtp' could not be written: No space left" in said
    assert f"2 frames in '{tmp_path}/frames'" in said
    assert report_of(tmp_path)["status"] == "failed"


def test_a_folder_that_is_removed_during_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    at_step(monkeypatch, 7, lambda: shutil.rmtree(out))
    assert call(*SMALL, "--steps", 12, "--no-frames", "--out", out) == 1
    said = capsys.readouterr().err
    assert f"'{out}/report.json' could not be written: No such file or directory" in said
    assert "kept: nothing" in said
    assert "Traceback" not in said
