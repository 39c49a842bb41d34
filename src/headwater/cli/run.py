"""`headwater run`: a scene from its start to its end, with a report, frames and a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import click

import headwater
from headwater.cli.progress import Progress
from headwater.cli.report import Report
from headwater.errors import DomainError, HeadwaterError
from headwater.io import writable_folder
from headwater.sph import (
    Moment,
    Scene,
    Schedule,
    WeaklyCompressible,
    advance,
    build_scene,
    simulate,
)
from headwater.sph.scenes import reference_curve

PICTURE = "picture.png"
REPORT = "report.json"
FAILED = 1
# What a shell reports for a program that Ctrl-C ended.
INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where a run writes."""

    folder: Path
    report: Path
    frames: bool


def _samples(context: click.Context, option: click.Parameter, text: str | None) -> frozenset[int]:
    """Parse '116,233,350'."""
    if not text:
        return frozenset()
    try:
        numbers = frozenset(int(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(
            f"numbers of steps such as 116,233 were expected, not '{text}'"
        ) from None
    if min(numbers) < 0:
        raise click.BadParameter("a number of steps is not negative")
    return numbers


def _positive(context: click.Context, option: click.Parameter, value: float | None) -> float | None:
    if value is not None and not (math.isfinite(value) and value > 0.0):
        raise click.BadParameter(f"a number above 0 was expected, not {value:g}")
    return value


@click.command()
@click.argument("scene", metavar="SCENE")
@click.option(
    "--variant",
    metavar="NAME",
    help="Which of the scene's tests. dambreak: stretched (at dp 0.0085 only, the default there) or cubic.",
)
@click.option(
    "--dp", type=float, callback=_positive, help="Distance between particles, m. Default: 0.0085."
)
@click.option(
    "--until",
    type=float,
    callback=_positive,
    help="End with the first step at or after this time, s. Default: 1.5.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    help="End after so many steps; not together with --until.",
)
@click.option(
    "--device",
    metavar="NAME",
    help="A device that `headwater devices` lists. Default: HEADWATER_DEVICE, else cpu.",
)
@click.option(
    "--precision", type=click.Choice(("float32", "float64")), default="float32", show_default=True
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder of all output. Default: out/SCENE."
)
@click.option(
    "--samples",
    metavar="N,N,...",
    callback=_samples,
    help="Measure after these numbers of steps too.",
)
@click.option(
    "--frames/--no-frames",
    default=True,
    help="Write a frame each 0.01 s and a picture, or neither.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    help="The report, JSON. Default: report.json in the folder.",
)
def run(
    scene: str,
    variant: str | None,
    dp: float | None,
    until: float | None,
    steps: int | None,
    device: str | None,
    precision: str,
    out: Path | None,
    samples: frozenset[int],
    frames: bool,
    report: Path | None,
) -> None:
    """Run SCENE. The only scene so far is 'dambreak': a block of water collapses onto a post in a tank."""
    if until is not None and steps is not None:
        raise click.UsageError("--until and --steps exclude each other: give one end of the run.")
    chosen = build_scene(scene, dp, variant)
    if until is None and steps is None:
        until = chosen.end_time
    target = headwater.device(device)
    outputs = _outputs(scene, out, report, frames)
    schedule = Schedule(until=until, steps=steps, samples=samples)
    record = Report(outputs.report, chosen, target, precision)
    simulation = simulate(chosen, target, precision)
    _Run(chosen, simulation, schedule, outputs, record).go()


def _outputs(scene: str, out: Path | None, report: Path | None, frames: bool) -> Outputs:
    """Check that everything can be written, before any work is done."""
    folder = writable_folder(Path("out") / scene if out is None else out)
    path = folder / REPORT if report is None else report
    writable_folder(path.parent)
    if path.is_dir():
        raise DomainError(f"the report '{path}' is a folder; a file name was expected")
    return Outputs(folder, path, frames)


class _Run:
    """One run and everything that watches it."""

    def __init__(
        self,
        scene: Scene,
        simulation: WeaklyCompressible,
        schedule: Schedule,
        outputs: Outputs,
        report: Report,
    ) -> None:
        self.scene = scene
        self.simulation = simulation
        self.schedule = schedule
        self.outputs = outputs
        self.report = report
        self.progress = Progress(schedule)
        self.pictures = _Pictures(outputs.folder, simulation) if outputs.frames else None

    def go(self) -> None:
        """Run to the end; whatever happens, the report so far is on disk afterwards."""
        try:
            for moment in advance(self.simulation, self.schedule):
                self._take(moment)
        except KeyboardInterrupt:
            self.report.add(self._unread())
            self._stop("interrupted", f"interrupted at step {self.report.steps}", INTERRUPTED)
        except (HeadwaterError, OSError) as error:
            self._stop("failed", str(error), FAILED)
        self.progress.close()
        self.report.finish("finished")
        self._summary()

    def _unread(self) -> Moment:
        """The history since the last look at the clock."""
        clock = self.simulation.clock()
        rows = self.simulation.history(len(self.report.history), clock.step)
        return Moment(clock.step, clock.time, rows)

    def _stop(self, status: str, message: str, code: int) -> NoReturn:
        self.progress.close()
        self.report.finish(status, message)
        click.echo(f"headwater: {message}\nreport:  {self.outputs.report}", err=True)
        raise click.exceptions.Exit(code)

    def _take(self, moment: Moment) -> None:
        self.report.add(moment)
        if moment.output and self.pictures is not None:
            self.pictures.take(moment.time, moment.over)
        self.progress.show(moment)

    def _summary(self) -> None:
        contents = self.report.contents()
        timing, particles = contents["timing"], contents["particles"]
        last = self.report.samples[-1]
        click.echo(
            f"step {timing['steps']}, t = {last.t:.6f} s: {timing['wall_s']:.1f} s of wall time "
            f"({timing['compile_s']:.1f} s to compile), "
            f"{timing['particle_steps_per_s'] / 1e6:.2f} million particle steps/s"
        )
        click.echo(
            f"{particles['total']:,} particles, {particles['removed']} removed; kinetic energy "
            f"{last.kinetic:.5g} J, potential {last.potential:.5g} J, front {last.front:.4f} m"
        )
        if self.pictures is not None:
            self.pictures.draw(self.scene, self.report)
            click.echo(f"picture: {self.outputs.folder / PICTURE}")
        click.echo(f"report:  {self.outputs.report}")


class _Pictures:
    """Frames on disk, and views for the picture."""

    def __init__(self, folder: Path, simulation: WeaklyCompressible) -> None:
        from headwater.cli.frames import FrameWriter
        from headwater.cli.picture import Album

        self.folder = folder
        self.simulation = simulation
        self.frames = FrameWriter(folder / "frames")
        self.album = Album()

    def take(self, time: float, last: bool) -> None:
        state = self.simulation.snapshot()
        self.frames.write(state, time)
        self.album.offer(state, time, last)

    def draw(self, scene: Scene, report: Report) -> None:
        from headwater.cli.picture import draw

        reference = reference_curve(scene)
        draw(self.folder / PICTURE, scene, self.album.spread(), report.samples, reference)
