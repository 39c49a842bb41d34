"""The host's loop: how many steps to launch before it has to look at the device again.

No step is longer than the bound of `Parameters.longest_time_step`, so that many steps fit before the next
output time in any case: they are launched without a look at the device's clock. The first step at or
after each output time is thereby hit exactly, on every device.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from headwater.errors import SimulationError
from headwater.sph.records import ClockReading, Fault, HistoryRow, Sample

# The bound holds for exact numbers; a single-precision time step may round up by this much.
_ROUNDING = 1.0 + 1e-6


class Simulation(Protocol):
    """What the loop drives."""

    longest_time_step: float
    history_capacity: int

    def step(self) -> None:
        """Launch one step; need not wait for it."""

    def clock(self) -> ClockReading:
        """Wait for all steps, and read the clock."""

    def history(self, first: int, last: int) -> Sequence[HistoryRow]:
        """The rows of the steps first … last − 1, at most `history_capacity` steps back."""

    def measure(self) -> Sample:
        """The state now."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """When to stop and when to measure.

    Attributes:
        until: the run ends with the first step at or after this time, in s; or
        steps: after so many steps. One of the two is given.
        output_every: output is due at the first step at or after each multiple of it, in s.
        samples: numbers of steps after which the state is measured too.
    """

    until: float | None = None
    steps: int | None = None
    output_every: float = 0.01
    samples: frozenset[int] = frozenset()

    def is_over(self, step: int, time: float) -> bool:
        """Whether the run has ended."""
        if self.steps is not None:
            return step >= self.steps
        return self.until is not None and time >= self.until

    def steps_ahead(self, step: int, time: float, due: float, longest: float) -> int:
        """How many steps can be taken from here before anything may be due; at least 1."""
        target = due if self.until is None else min(due, self.until)
        ahead = max(1, int((target - time) / (longest * _ROUNDING)))
        stops = [sample - step for sample in self.samples if sample > step]
        if self.steps is not None:
            stops.append(self.steps - step)
        return min(ahead, *stops) if stops else ahead

    def next_output(self, time: float) -> float:
        """The first output time after `time`, in s."""
        count = int(time / self.output_every)
        while count * self.output_every <= time:
            count += 1
        return count * self.output_every


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a run is. Between two looks at the clock, `time` is the last one known.

    Attributes:
        step: steps launched.
        time: s.
        rows: new rows of history.
        sample: the state, where one was due.
        output: whether a frame is due.
        over: whether this is the run's end.
    """

    step: int
    time: float
    rows: Sequence[HistoryRow] = ()
    sample: Sample | None = None
    output: bool = False
    over: bool = False


def advance(simulation: Simulation, schedule: Schedule) -> Iterator[Moment]:
    """Run the simulation; one moment a step, and one more at each look at the clock.

    The start and the end are outputs as well. Raises SimulationError where the run blows up, after the
    moment that holds the history up to there.
    """
    clock = simulation.clock()
    due = schedule.next_output(clock.time)
    over = schedule.is_over(clock.step, clock.time)
    yield Moment(clock.step, clock.time, (), _measure(simulation), output=True, over=over)
    while not over:
        done, time = clock.step, clock.time
        ahead = schedule.steps_ahead(done, time, due, simulation.longest_time_step)
        for launched in range(1, min(ahead, simulation.history_capacity) + 1):
            simulation.step()
            yield Moment(done + launched, time)
        clock = simulation.clock()
        rows = simulation.history(done, clock.step)
        if clock.fault is not None:
            yield Moment(clock.step, clock.time, rows)
            raise _blown_up(clock.fault, rows)
        over = schedule.is_over(clock.step, clock.time)
        output = over or clock.time >= due
        sample = _measure(simulation) if output or clock.step in schedule.samples else None
        if output:
            due = schedule.next_output(clock.time)
        yield Moment(clock.step, clock.time, rows, sample, output, over)


def _measure(simulation: Simulation) -> Sample:
    sample = simulation.measure()
    if sample.fluid == 0:
        raise SimulationError(
            f"no fluid is left after step {sample.step}, at t = {sample.t:.6g} s: all of it left the region or "
            "the range of densities where fluid is kept"
        )
    return sample


def _blown_up(fault: Fault, rows: Sequence[HistoryRow]) -> SimulationError:
    times = [row.t for row in rows if row.step == fault.step - 1]
    when = f" at t = {times[0]:.6g} s" if times else ""
    return SimulationError(
        f"the run blew up in step {fault.step}{when}: particle {fault.particle} {fault.what}"
    )
