"""The picture at a run's end: side views of the fluid, and its curves beside the reference's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from headwater.io import write_atomically
from headwater.sph import FLUID, ParticleState
from headwater.sph.records import Sample
from headwater.sph.scenes import ReferenceCurve, Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_VIEWS = 6
_KEPT = 3 * _VIEWS
# Of the probes, in the side views and in their curves.
_PROBES = ("#d1495b", "#e58f00", "#6a4c93", "#00798c")
_INK, _MUTED, _WALL = "#1b1f24", "#6a737d", "#b3b9c0"


@dataclass(frozen=True, slots=True)
class View:
    """What a side view needs of one moment: fluid positions (n, 3) in m, and speeds (n,) in m/s."""

    time: float
    positions: npt.NDArray[Any]
    speeds: npt.NDArray[Any]


class Album:
    """Keeps views spread evenly over a run whose end is not known beforehand.

    It keeps every output at first; each time it is full, every other one goes and the stride doubles.
    """

    def __init__(self) -> None:
        self.views: list[View] = []
        self._stride = 1
        self._offered = 0

    def offer(self, state: ParticleState, time: float, last: bool) -> None:
        """Keep the moment if it is one to keep; the run's last one always is."""
        wanted = self._offered % self._stride == 0
        self._offered += 1
        if not wanted and not last:
            return
        fluid = state.kinds == FLUID
        speeds = np.linalg.norm(state.velocities[fluid], axis=1)
        self.views.append(View(time, state.positions[fluid], speeds))
        if len(self.views) > _KEPT and not last:
            self.views = self.views[::2]
            self._stride *= 2

    def spread(self) -> Sequence[View]:
        """At most six views, evenly spread, the first and the last one included."""
        if not self.views:
            return ()
        times = np.array([view.time for view in self.views])
        wanted = np.linspace(times[0], times[-1], _VIEWS)
        chosen = {int(np.abs(times - time).argmin()) for time in wanted}
        return [self.views[index] for index in sorted(chosen)]


def draw(
    path: Path,
    scene: Scene,
    views: Sequence[View],
    samples: Sequence[Sample],
    reference: ReferenceCurve | None,
) -> None:
    """Write the picture as a PNG file."""
    # A figure of its own, not pyplot's: no display is needed and no state stays behind.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13.0, 7.2), dpi=120, facecolor="white", layout="constrained")
    canvas: Any = FigureCanvasAgg(figure)
    halves: Any = figure.subfigures(2, 1, height_ratios=(1.3, 1.0))
    _side_views(halves[0], scene, views)
    _curves(halves[1], scene, samples, reference)
    figure.suptitle(
        f"{scene.name}, variant {scene.variant}, dp {scene.spacing:g} m: "
        f"{scene.fluid_count:,} fluid and {scene.wall_count:,} wall particles. "
        "Side views along y, all y; grey: walls seen edge-on; +: pressure probes",
        color=_INK,
        fontsize=12,
    )
    canvas.draw()
    write_atomically(path, [_png(canvas)])


def _png(canvas: Any) -> bytes:
    from io import BytesIO

    buffer = BytesIO()
    canvas.print_png(buffer)
    return buffer.getvalue()


# --- side views -----------------------------------------------------------------------------------


def _side_views(figure: Any, scene: Scene, views: Sequence[View]) -> None:
    columns = min(3, max(1, len(views)))
    rows = -(-max(1, len(views)) // columns)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    fastest = max((float(view.speeds.max(initial=0.0)) for view in views), default=0.0)
    # The few fastest drops would take the colours of all the rest.
    typical = max(
        (float(np.quantile(view.speeds, 0.995)) for view in views if len(view.speeds)), default=0.0
    )
    top = max(typical, 1e-3)
    walls = _silhouette(scene.positions[scene.kinds != FLUID])
    size = _dot_size(scene, columns)
    drawn = None
    for axes, view in zip(grid.flat, views, strict=False):
        drawn = _side_view(axes, walls, view, size, top)
    for axes in grid.flat[len(views) :]:
        axes.set_visible(False)
    for axes in grid.flat[: len(views)]:
        _mark(axes, scene)
    box = _frame(scene)
    grid.flat[0].set_xlim(box[0])
    grid.flat[0].set_ylim(box[1])
    for axes in grid[-1]:
        axes.set_xlabel("x, m", color=_MUTED)
    for axes in grid[:, 0]:
        axes.set_ylabel("z, m", color=_MUTED)
    if drawn is not None:
        bar = figure.colorbar(
            drawn, ax=grid, shrink=0.85, pad=0.01, extend="max" if fastest > top else "neither"
        )
        bar.set_label("speed, m/s", color=_MUTED)
        bar.outline.set_visible(False)


def _side_view(axes: Axes, walls: npt.NDArray[Any], view: View, size: float, top: float) -> Any:
    """One moment, seen along y; what is nearer to the eye is drawn last."""
    order = np.argsort(-view.positions[:, 1], kind="stable")
    x, z = view.positions[order, 0], view.positions[order, 2]
    axes.scatter(walls[:, 0], walls[:, 1], s=size, c=_WALL, marker="s", linewidths=0)
    drawn = axes.scatter(
        x, z, s=size, c=view.speeds[order], cmap="viridis", vmin=0.0, vmax=top, linewidths=0
    )
    axes.set_title(f"t = {view.time:.2f} s", fontsize=10, color=_INK, loc="left")
    axes.set_aspect("equal")
    _quiet(axes)
    return drawn


def _mark(axes: Axes, scene: Scene) -> None:
    """What stands in the scene, and where its probes are."""
    for name, (x, _, z) in scene.landmarks:
        axes.annotate(
            name,
            (x, z),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=8,
            color=_MUTED,
        )
    for (x, _, z), color in zip(scene.probes, _PROBES, strict=False):
        axes.plot([x], [z], marker="+", color=color, markersize=8, markeredgewidth=1.8)


def _frame(scene: Scene) -> tuple[tuple[float, float], tuple[float, float]]:
    """The limits of x and z that show all of the scene, with some air above."""
    low, high = scene.positions.min(axis=0), scene.positions.max(axis=0)
    air = 0.02 * (high[0] - low[0])
    return (low[0] - air, high[0] + air), (low[2] - air, high[2] + 3.0 * air)


def _silhouette(walls: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The x and z of the walls that are seen edge-on; those that face the eye would hide the fluid."""
    columns, depth = np.unique(walls[:, [0, 2]].round(6), axis=0, return_counts=True)
    edge_on: npt.NDArray[Any] = columns[depth > 4]
    return edge_on


def _dot_size(scene: Scene, columns: int) -> float:
    """The area of a dot, in points², so that dots of neighbours just touch."""
    points_a_metre = 13.0 * 72.0 * 0.85 / columns / 1.67
    return float((1.15 * scene.spacing * points_a_metre) ** 2)


# --- curves ---------------------------------------------------------------------------------------


def _curves(
    figure: Any, scene: Scene, samples: Sequence[Sample], reference: ReferenceCurve | None
) -> None:
    times = [sample.t for sample in samples]
    panels = figure.subplots(1, 4 if scene.probes else 3)
    for axes, (name, label) in zip(
        panels[:3],
        (
            ("kinetic", "kinetic energy, J"),
            ("potential", "potential energy, J"),
            ("front", "front, m"),
        ),
        strict=True,
    ):
        if reference is not None:
            seen = reference.times <= max(times, default=0.0) + 1e-5
            values = reference.values[name]
            axes.plot(
                reference.times[seen],
                values[seen],
                color="#d1495b",
                linewidth=3.5,
                alpha=0.45,
                label="reference: an independent\nprogram in double precision",
            )
        axes.plot(
            times,
            [getattr(s, name) for s in samples],
            color="#0b3954",
            linewidth=1.4,
            label="this run",
        )
        axes.set_title(label, fontsize=10, color=_INK, loc="left")
        axes.set_xlabel("t, s", color=_MUTED)
        axes.grid(color="#e6e8eb", linewidth=0.6)
        _quiet(axes)
    if scene.probes:
        _probe_curves(panels[3], scene, samples)
    panels[0].legend(frameon=False, fontsize=8)


def _probe_curves(axes: Axes, scene: Scene, samples: Sequence[Sample]) -> None:
    times = [sample.t for sample in samples]
    for index, ((x, y, z), color) in enumerate(zip(scene.probes, _PROBES, strict=False)):
        pressures = [1e-3 * sample.probes[index] for sample in samples]
        axes.plot(times, pressures, color=color, linewidth=1.2, label=f"({x:g}, {y:g}, {z:g})")
    axes.set_title(
        "pressure at the probes (x, y, z in m), kPa", fontsize=10, color=_INK, loc="left"
    )
    axes.set_xlabel("t, s", color=_MUTED)
    axes.grid(color="#e6e8eb", linewidth=0.6)
    axes.legend(frameon=False, fontsize=8)
    _quiet(axes)


def _quiet(axes: Axes) -> None:
    """No frame where the data do not need one."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(_WALL)
    axes.tick_params(colors=_MUTED, labelsize=8)
