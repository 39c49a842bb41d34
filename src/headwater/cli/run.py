"""`headwater run`: its options, and the checks before any work."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import click

import headwater
from headwater.cli.job import Job
from headwater.cli.memory import check_memory
from headwater.cli.outputs import Outputs, checked_outputs, clear
from headwater.cli.report import Report, Setup
from headwater.io import locked_folder
from headwater.sph import Schedule, build_scene, simulate
from headwater.sph.scenes import PUBLISHED_SPACING, count_particles

_EPILOG = """\
\b
Example, under two minutes on two idle cores:
  headwater run dambreak --dp 0.017 --until 0.6 --out out/small

\b
dambreak's variants are two set-ups of the same collapse; never compare one with the other.
  stretched  the published GPU set-up: a lattice 1.5 % taller than wide; at --dp 0.0085 only
  cubic      a lattice of cubes; at any --dp, and walls are tight at 0.017, 0.0085 and 0.00425

\b
Time and memory: half the --dp is 8 times the particles and 16 times the work.
  --dp 0.017 to t = 0.6 s takes about 3 core-minutes, --dp 0.0085 to t = 1.5 s 1.5 core-hours.

A folder that holds an earlier run is not mixed with the new one: the earlier files are moved to a
folder 'earlier-1' in it, or deleted with --overwrite. Ctrl-C ends a run and keeps what there is.
"""


def _samples(context: click.Context, option: click.Parameter, text: str | None) -> frozenset[int]:
    """Parse '116,233,350'."""
    if text is None:
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


def _path(context: click.Context, option: click.Parameter, text: str | None) -> Path | None:
    if text is None:
        return None
    if not text.strip():
        raise click.BadParameter("a path was expected, not an empty text")
    return Path(text)


@click.command(epilog=_EPILOG, short_help="Run a scene: 'headwater run dambreak'.")
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
    "--out", metavar="DIR", callback=_path, help="Folder of all output. Default: out/SCENE."
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
    metavar="FILE",
    callback=_path,
    help="The report, JSON. Default: report.json in the folder.",
)
@click.option(
    "--overwrite",
    is_flag=True,
    help="Delete an earlier run's files in the folder; otherwise they are moved to a folder there.",
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
    overwrite: bool,
) -> None:
    """Run SCENE. The only scene so far is 'dambreak': a block of water collapses onto a post in a tank."""
    schedule = _schedule(until, steps, samples)
    count = count_particles(scene, dp, variant)
    check_memory(count, PUBLISHED_SPACING if dp is None else dp, precision, frames)
    chosen = build_scene(scene, dp, variant)
    if until is None and steps is None:
        schedule = Schedule(until=chosen.end_time, samples=samples)
    target = headwater.device(device)
    outputs = checked_outputs(Path("out") / scene if out is None else out, report, frames)
    setup = Setup(chosen, target, precision, schedule, command=click.get_current_context().obj)
    with locked_folder(outputs.folder):
        _run(setup, outputs, overwrite)


def _run(setup: Setup, outputs: Outputs, overwrite: bool) -> None:
    click.echo(_header(setup, outputs), err=True)
    record = Report(outputs.report, setup)
    simulation = simulate(setup.scene, setup.device, setup.precision)
    cleared = clear(outputs, overwrite)
    if cleared is not None:
        click.echo(cleared, err=True)
    Job(simulation, outputs, record).run()


def _schedule(until: float | None, steps: int | None, samples: frozenset[int]) -> Schedule:
    if until is not None and steps is not None:
        raise click.UsageError("--until and --steps exclude each other: give one end of the run.")
    late = [sample for sample in sorted(samples) if steps is not None and sample > steps]
    if late:
        raise click.UsageError(
            f"--samples {late[0]} lies beyond the run's end: --steps {steps} was given."
        )
    return Schedule(until=until, steps=steps, samples=samples)


def _header(setup: Setup, outputs: Outputs) -> str:
    """What is about to happen, in one line."""
    scene, device, schedule = setup.scene, setup.device, setup.schedule
    options = _listed([f"{name} {value}" for name, value in device.settings.items()])
    end = (
        f"for {schedule.steps} steps"
        if schedule.until is None
        else f"until t = {schedule.until:g} s"
    )
    return (
        f"{scene.name} {scene.variant}, dp {scene.spacing:g} m: {len(scene.kinds):,} particles "
        f"({scene.fluid_count:,} fluid), {setup.precision}, on {device.name} ({device.description}{options}), "
        f"{end}, into {outputs.folder}"
    )


def _listed(words: Sequence[str]) -> str:
    return "".join(f", {word}" for word in words)
