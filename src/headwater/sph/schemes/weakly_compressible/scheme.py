"""The scheme as a whole: its arrays on a device, its step as a list of phases, and its measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import headwater as hw
from headwater.errors import DomainError
from headwater.particles import CellGrid, Domain, ParticleSet
from headwater.primitives import reduce
from headwater.runtime import Array, Device
from headwater.sph.records import ClockReading, Fault, HistoryRow, Sample
from headwater.sph.schemes.weakly_compressible.equation_of_state import evaluate_state
from headwater.sph.schemes.weakly_compressible.fields import PRECISIONS, TRANSIENT, field_types
from headwater.sph.schemes.weakly_compressible.integrator import integrate
from headwater.sph.schemes.weakly_compressible.measures import measure_particles, probe_pressure
from headwater.sph.schemes.weakly_compressible.parameters import FLUID, Parameters
from headwater.sph.schemes.weakly_compressible.right_hand_side import MONAGHAN, RightHandSide
from headwater.sph.schemes.weakly_compressible.time_step import (
    FAULTS,
    HISTORY_COLUMNS,
    HISTORY_ROWS,
    NO_PARTICLE,
    Clock,
    advance_clock,
    note_faults,
)

_OWNER = "weakly compressible scheme"
# Cells of half the support radius: 40 % fewer candidate pairs than cells of the whole one.
_REACH = 2
_EXTREMES = ("acceleration2", "speed2", "mu", "density_rate_size")


@dataclass(frozen=True, slots=True)
class Phase:
    """A named part of a step."""

    name: str
    run: Callable[[], None]


@dataclass(frozen=True, slots=True)
class InitialState:
    """Particles at rest at t = 0: positions (n, 3) in m, densities (n,) in kg/m³, kinds (n,)."""

    positions: npt.NDArray[np.float64]
    densities: npt.NDArray[np.float64]
    kinds: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class ParticleState:
    """All particles at one moment, on the host, in the order of the grid's cells; SI units.

    Attributes:
        ids: (n,), the particles' places in the initial state.
        kinds: (n,), FLUID or WALL.
        positions, velocities: (n, 3).
        densities, pressures: (n,).
    """

    ids: npt.NDArray[np.int32]
    kinds: npt.NDArray[np.int32]
    positions: npt.NDArray[Any]
    velocities: npt.NDArray[Any]
    densities: npt.NDArray[Any]
    pressures: npt.NDArray[Any]


class WeaklyCompressible:
    """A weakly compressible fluid on a device.

    Everything that a step decides (time step, order of integration, removal, faults) is decided by
    kernels: `step` only launches them. `phases` is the step as a list.
    """

    history_capacity = HISTORY_ROWS

    def __init__(
        self,
        device: Device,
        initial: InitialState,
        parameters: Parameters,
        *,
        probes: Sequence[tuple[float, float, float]] = (),
        precision: str = "float32",
        right_hand_side: RightHandSide = MONAGHAN,
    ) -> None:
        """Upload the particles. DomainError for a precision other than 'float32' or 'float64'."""
        if precision not in PRECISIONS:
            known = "' or '".join(PRECISIONS)
            raise DomainError(f"there is no precision '{precision}'; '{known}' was expected")
        self.device = device
        self.parameters = parameters
        self.longest_time_step = parameters.longest_time_step
        self.particles = _particles(device, initial, parameters, precision)
        self.grid = CellGrid(self.particles, 2.0 * parameters.smoothing_length, reach=_REACH)
        self.clock_arrays = _clock(device, precision)
        self.right_hand_side = right_hand_side
        self._pairs = right_hand_side.constants(parameters)
        real, vector = PRECISIONS[precision]
        self._sums = device.zeros(2, real, owner=_OWNER)
        self._maxima = device.zeros(2, real, owner=_OWNER)
        points = np.asarray(probes, dtype=real.numpy).reshape(-1, 3)
        self._points = device.array(points, vector, owner=_OWNER)
        self._probed = device.zeros(len(points), real, owner=_OWNER)
        self.phases = (
            Phase("grid", self.grid.update),
            Phase("state", self._evaluate_state),
            Phase("rates", self._evaluate_rates),
            Phase("maxima", self._find_maxima),
            Phase("time step", self._advance_clock),
            Phase("integration", self._integrate),
        )

    # --- a step -----------------------------------------------------------------------------------

    def step(self) -> None:
        """Launch one step; does not wait for it."""
        for phase in self.phases:
            phase.run()

    def _over(self, kernel: Any) -> Any:
        """The kernel's launch over the particles that there are when it starts."""
        return kernel.over(self.particles.count, capacity=self.particles.capacity)

    def _reduce(self, operation: str, sources: Sequence[Array], result: Array) -> None:
        p = self.particles
        reduce(operation, sources, result, count=p.count, workspace=p.workspace)

    def _evaluate_state(self) -> None:
        self._over(evaluate_state)(self.particles, self.parameters)

    def _evaluate_rates(self) -> None:
        self._over(self.right_hand_side.rates)(self.particles, self.grid, self._pairs)

    def _find_maxima(self) -> None:
        sizes = [getattr(self.particles, name) for name in _EXTREMES]
        self._reduce("max", sizes, self.clock_arrays.extremes)

    def _advance_clock(self) -> None:
        advance_clock.over(1)(self.clock_arrays, self.parameters)

    def _integrate(self) -> None:
        self._over(integrate)(self.particles, self.clock_arrays, self.parameters)
        note_faults.over(len(FAULTS))(self.clock_arrays)

    # --- what the host reads, late ----------------------------------------------------------------

    def clock(self) -> ClockReading:
        """Wait for the device, and read its clock."""
        clock = self.clock_arrays
        time, rest = clock.time.numpy().tolist()
        step = int(clock.step.numpy()[0])
        return ClockReading(step, time + rest, self._fault(step))

    def _fault(self, step: int) -> Fault | None:
        """The first fault, if any."""
        particles = self.clock_arrays.fault_particle.numpy().tolist()
        steps = self.clock_arrays.fault_step.numpy().tolist()
        found = [
            Fault(particle, first or step, what)
            for particle, first, what in zip(particles, steps, FAULTS, strict=True)
            if particle != NO_PARTICLE
        ]
        return min(found, key=lambda fault: fault.step) if found else None

    def history(self, first: int, last: int) -> list[HistoryRow]:
        """The rows of the steps first … last − 1, at most `history_capacity` steps back."""
        ring = self.clock_arrays.history.numpy()
        rows = []
        for step in range(first, last):
            time, rest, *others = ring[step % HISTORY_ROWS].tolist()
            rows.append(HistoryRow(step, time + rest, *others))
        return rows

    def measure(self) -> Sample:
        """The state now. Later steps are the same, bit for bit, with or without it."""
        self._refresh()
        p, clock = self.particles, self.clock()
        self._over(measure_particles)(p, self.parameters)
        self._reduce("sum", (p.kinetic, p.potential), self._sums)
        self._reduce("max", (p.front, p.speed2), self._maxima)
        if len(self._points):
            arguments = (p, self._points, self._probed, self.grid, self.parameters)
            probe_pressure.over(len(self._points))(*arguments)
        kinetic, potential = self._sums.numpy().tolist()
        front, speed2 = self._maxima.numpy().tolist()
        return Sample(
            step=clock.step,
            t=clock.time,
            fluid=int(np.count_nonzero(p.host("kind") == FLUID)),
            kinetic=kinetic,
            potential=potential,
            front=front,
            v_max=speed2**0.5,
            probes=tuple(self._probed.numpy().tolist()),
        )

    def snapshot(self) -> ParticleState:
        """Download the state."""
        self._refresh()
        fields = ("id", "kind", "position", "velocity", "density", "pressure")
        return ParticleState(*(self.particles.host(name) for name in fields))

    def _refresh(self) -> None:
        """Drop removed particles, sort, and bring pressures up to date.

        The next step does the same first and finds it done: a stable sort of sorted particles moves none.
        """
        self.grid.update()
        self._evaluate_state()


def _particles(
    device: Device, initial: InitialState, parameters: Parameters, precision: str
) -> ParticleSet:
    """The particles on the device, in a domain that holds every place where one may be."""
    region = parameters.region
    lowest = (region.low.x, region.low.y, region.low.z)
    highest = (region.high.x, region.high.y, region.high.z)
    domain = Domain(
        np.minimum(initial.positions.min(axis=0), lowest).tolist(),
        np.maximum(initial.positions.max(axis=0), highest).tolist(),
    )
    count, fields = len(initial.positions), field_types(precision)
    particles = ParticleSet(device, domain, count, fields, transient=TRANSIENT)
    particles.add(
        initial.positions,
        density=initial.densities,
        density_before=initial.densities,
        kind=initial.kinds,
    )
    return particles


def _clock(device: Device, precision: str) -> Clock:
    """A clock at t = 0."""
    real, _ = PRECISIONS[precision]
    faults = len(FAULTS)
    return Clock(
        step=device.zeros(1, hw.int32, owner=_OWNER),
        time=device.zeros(2, real, owner=_OWNER),
        dt=device.zeros(1, real, owner=_OWNER),
        extremes=device.zeros(len(_EXTREMES), real, owner=_OWNER),
        history=device.zeros((HISTORY_ROWS, HISTORY_COLUMNS), real, owner=_OWNER),
        fault_particle=device.full(faults, NO_PARTICLE, hw.int32, owner=_OWNER),
        fault_step=device.zeros(faults, hw.int32, owner=_OWNER),
    )
