"""Where a run writes: checked before any work is done, and cleared of an earlier run's files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from headwater.cli.frames import FLUID_COLLECTION, is_frame
from headwater.errors import DomainError
from headwater.io import LOCK, writable_file, writable_folder

PICTURE = "picture.png"
REPORT = "report.json"
FRAMES = "frames"
_EARLIER = "earlier-{}"


@dataclass(frozen=True, slots=True)
class Outputs:
    """The run's folder, its report, and whether it writes frames and a picture."""

    folder: Path
    report: Path
    frames: bool

    @property
    def picture(self) -> Path:
        """The picture's file."""
        return self.folder / PICTURE

    @property
    def frame_folder(self) -> Path:
        """The folder of the frames."""
        return self.folder / FRAMES


def checked_outputs(folder: Path, report: Path | None, frames: bool) -> Outputs:
    """The outputs, with all folders made; DomainError where one of them cannot be written."""
    path = folder / REPORT if report is None else report
    outputs = Outputs(folder, path, frames)
    _check_apart(outputs)
    writable_folder(folder)
    writable_file(path)
    if frames:
        writable_file(outputs.picture)
        writable_folder(outputs.frame_folder)
    return outputs


def _check_apart(outputs: Outputs) -> None:
    """The report must not take the place of another output."""
    report = Path(os.path.realpath(outputs.report))
    picture, frames, lock = (
        Path(os.path.realpath(place))
        for place in (outputs.picture, outputs.frame_folder, outputs.folder / LOCK)
    )
    if report == picture:
        raise DomainError(f"the report '{outputs.report}' would replace the run's picture")
    if report == lock:
        raise DomainError(f"the report '{outputs.report}' would replace the run's lock")
    if report == frames or frames in report.parents:
        raise DomainError(
            f"the report '{outputs.report}' lies where the run's frames go",
            hint=f"give a file outside of '{outputs.frame_folder}'",
        )


# --- an earlier run in the same folder ------------------------------------------------------------


def clear(outputs: Outputs, overwrite: bool) -> str | None:
    """Move an earlier run's files out of the way, or delete them where `overwrite` is set.

    Other files are left alone. Returns a line that says what was done, None where there was nothing to do.
    """
    files = list(_earlier_files(outputs))
    if not files:
        return None
    count = f"{len(files)} file{'s' if len(files) > 1 else ''} of an earlier run"
    # Only a folder with our report or our collection is ours for sure.
    ours = {REPORT, outputs.report.name, FLUID_COLLECTION}
    if overwrite and any(path.name in ours for path in files):
        for path in files:
            path.unlink()
        return f"deleted {count} in '{outputs.folder}'"
    target = _new_folder(outputs.folder)
    for path in files:
        place = target / path.relative_to(outputs.folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        path.rename(place)
    return f"moved {count} to '{target}' (--overwrite deletes them)"


def _earlier_files(outputs: Outputs) -> Iterator[Path]:
    """Regular files with the names that a run gives; links and devices stay and are written to."""
    candidates = {outputs.folder / REPORT, outputs.picture}
    if outputs.report.parent == outputs.folder:
        candidates.add(outputs.report)
    if outputs.frame_folder.is_dir():
        candidates |= {path for path in outputs.frame_folder.iterdir() if is_frame(path.name)}
    return (path for path in sorted(candidates) if _is_regular(path))


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False


def _new_folder(folder: Path) -> Path:
    number = 1
    while True:
        path = folder / _EARLIER.format(number)
        try:
            path.mkdir()
        except FileExistsError:
            number += 1
        else:
            return path
