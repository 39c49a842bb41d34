"""One run from its first step to its end, and everything that watches it."""

from __future__ import annotations

from typing import NoReturn

import click

from headwater.cli.outputs import Outputs
from headwater.cli.progress import Progress
from headwater.cli.report import Report
from headwater.cli.signals import cause, ending_signals_raise, exit_code
from headwater.errors import HeadwaterError
from headwater.sph import Moment, WeaklyCompressible, advance

FAILED = 1


def reason_of(error: HeadwaterError | OSError) -> str:
    """One sentence; an error of the system's names the file."""
    if isinstance(error, HeadwaterError) or error.filename is None:
        return str(error)
    return f"'{error.filename}' could not be written: {error.strerror}"


class Job:
    """Runs a simulation; whatever happens, what there is of it is on disk afterwards."""

    def __init__(self, simulation: WeaklyCompressible, outputs: Outputs, report: Report) -> None:
        self.simulation = simulation
        self.outputs = outputs
        self.report = report
        self.progress = Progress(report.setup.schedule)
        self.pictures = _Pictures(outputs, simulation) if outputs.frames else None

    def run(self) -> None:
        """Run to the end. Raises click's Exit with the exit code where the run ends early."""
        try:
            with ending_signals_raise():
                for moment in advance(self.simulation, self.report.setup.schedule):
                    self._take(moment)
        except KeyboardInterrupt as stop:
            self.report.add(self._unread())
            message = f"{cause(stop)} at step {self.report.steps}"
            self._stop("interrupted", message, exit_code(stop))
        except (HeadwaterError, OSError) as error:
            self._stop("failed", reason_of(error), FAILED)
        self._finish()

    def _unread(self) -> Moment:
        """The history since the last look at the clock."""
        clock = self.simulation.clock()
        rows = self.simulation.history(len(self.report.history), clock.step)
        return Moment(clock.step, clock.time, rows)

    def _take(self, moment: Moment) -> None:
        self.report.add(moment)
        if moment.output and self.pictures is not None:
            self.pictures.take(moment.time, moment.over)
        self.progress.show(moment)

    # --- the end ----------------------------------------------------------------------------------

    def _finish(self) -> None:
        self.progress.close()
        summary = self._summary()
        try:
            self.report.finish("finished")
            if self.pictures is not None:
                self.pictures.draw(self.report)
        except OSError as error:
            click.echo(f"headwater: {reason_of(error)}\n{self._kept()}", err=True)
            raise click.exceptions.Exit(FAILED) from None
        click.echo("\n".join((*summary, *self._files())))

    def _stop(self, status: str, message: str, code: int) -> NoReturn:
        """Write the report first: the terminal, the disk or the user's patience may be gone."""
        problems = []
        try:
            self.report.finish(status, message)
        except OSError as error:
            problems.append(reason_of(error))
        try:
            if self.pictures is not None:
                self.pictures.draw(self.report)
        except (OSError, KeyboardInterrupt) as error:
            if isinstance(error, OSError):
                problems.append(reason_of(error))
        others = [problem for problem in dict.fromkeys(problems) if problem != message]
        self.progress.close()
        click.echo("\n".join((f"headwater: {message}", *others, self._kept())), err=True)
        raise click.exceptions.Exit(code)

    def _kept(self) -> str:
        """What is on disk."""
        kept = []
        if self.report.written is not None and self.report.path.exists():
            kept.append(f"the report '{self.report.path}' up to step {self.report.written}")
        if self.pictures is not None:
            kept += self.pictures.kept()
        return f"kept: {', '.join(kept)}" if kept else "kept: nothing"

    def _files(self) -> list[str]:
        lines = [f"report:  {self.outputs.report}"]
        if self.pictures is not None:
            lines.append(f"picture: {self.outputs.picture}")
            lines.append(f"frames:  {self.pictures.frames.collection_file} (for ParaView)")
        return lines

    def _summary(self) -> list[str]:
        contents = self.report.contents()
        timing, particles = contents["timing"], contents["particles"]
        last = self.report.samples[-1]
        lines = [
            f"step {timing['steps']}, t = {last.t:.6f} s: {timing['wall_s']:.1f} s of wall time "
            f"({timing['compile_s']:.1f} s to compile), {_large(timing['particle_steps_per_s'])} "
            "particle steps/s",
            f"{particles['total']:,} particles, {particles['removed']} removed; kinetic energy "
            f"{last.kinetic:.5g} J, potential {last.potential:.5g} J, front {last.front:.4f} m",
        ]
        return lines + [str(deviation) for deviation in self.report.deviations()]


def _large(number: int) -> str:
    return f"{number / 1e6:.2f} million" if number >= 1e5 else f"{number:,}"


class _Pictures:
    """Frames on disk, and views for the picture."""

    def __init__(self, outputs: Outputs, simulation: WeaklyCompressible) -> None:
        from headwater.cli.frames import FrameWriter
        from headwater.cli.picture import Album

        self.path = outputs.picture
        self.simulation = simulation
        self.frames = FrameWriter(outputs.frame_folder)
        self.album = Album()
        self.is_drawn = False

    def take(self, time: float, last: bool) -> None:
        state = self.simulation.snapshot()
        self.frames.write(state, time)
        self.album.offer(state, time, last)

    def draw(self, report: Report) -> None:
        """The picture of what there is; none before the first moment."""
        from headwater.cli.picture import draw

        if not report.samples:
            return
        draw(self.path, report.scene, self.album.spread(), report.samples, report.reference)
        self.is_drawn = True

    def kept(self) -> list[str]:
        """What is on disk, in words."""
        folder = self.frames.folder
        count = sum((folder / snapshot.file).exists() for snapshot in self.frames.snapshots)
        words = [f"{count} frame{'s' if count > 1 else ''} in '{folder}'"] if count else []
        return words + ([f"the picture '{self.path}'"] if self.is_drawn else [])
