"""The host's loop: output at the first step at or after each time, requested steps, faults."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from headwater.errors import SimulationError
from headwater.sph import Moment, Schedule, advance
from headwater.sph.records import ClockReading, Fault, HistoryRow, Sample

LONGEST = 8.7e-5


class Clockwork:
    """A simulation that only keeps time, with steps of random length."""

    longest_time_step = LONGEST

    def __init__(self, history_capacity: int = 1024, fault: Fault | None = None) -> None:
        self.history_capacity = history_capacity
        self.fault = fault
        self.random = np.random.default_rng(1)
        self.rows: list[HistoryRow] = []
        self.time = 0.0
        self.looks = 0
        self.fluid = 9

    def step(self) -> None:
        dt = LONGEST * self.random.uniform(0.6, 1.0)
        self.rows.append(HistoryRow(len(self.rows), self.time, dt, 0.0, 0.0, 0.0, 0.0))
        self.time += dt

    def clock(self) -> ClockReading:
        self.looks += 1
        fault = self.fault if self.fault and len(self.rows) >= self.fault.step else None
        return ClockReading(len(self.rows), self.time, fault)

    def history(self, first: int, last: int) -> Sequence[HistoryRow]:
        assert last - first <= self.history_capacity
        return self.rows[first:last]

    def measure(self) -> Sample:
        return Sample(len(self.rows), self.time, self.fluid, 0.0, 0.0, 0.0, 0.0, ())


def samples(moments: list[Moment]) -> list[Sample]:
    return [moment.sample for moment in moments if moment.sample is not None]


def test_outputs_are_the_first_steps_at_or_after_their_times() -> None:
    simulation = Clockwork()
    moments = list(advance(simulation, Schedule(until=0.05)))
    found = samples(moments)
    assert [round(sample.t, 2) for sample in found] == [0.0, 0.01, 0.02, 0.03, 0.04, 0.05]
    for sample in found[1:]:
        assert simulation.rows[sample.step - 1].t < round(sample.t, 2) <= sample.t
    assert moments[-1].over
    assert simulation.looks < len(simulation.rows) / 10


def test_history_is_complete_and_in_order() -> None:
    simulation = Clockwork(history_capacity=16)
    rows = [row for moment in advance(simulation, Schedule(until=0.02)) for row in moment.rows]
    assert [row.step for row in rows] == list(range(len(simulation.rows)))


def test_steps_and_samples_are_hit() -> None:
    simulation = Clockwork()
    found = samples(list(advance(simulation, Schedule(steps=40, samples=frozenset({3, 17, 99})))))
    assert [sample.step for sample in found] == [0, 3, 17, 40]
    assert len(simulation.rows) == 40


def test_there_is_a_moment_for_every_step() -> None:
    steps = [moment.step for moment in advance(Clockwork(), Schedule(steps=30)) if not moment.rows]
    assert steps == [0, *range(1, 31)]


def test_a_fault_ends_the_run_after_its_history() -> None:
    simulation = Clockwork(fault=Fault(particle=7, step=20, what="is lost"))
    rows: list[HistoryRow] = []
    moments = advance(simulation, Schedule(steps=50))
    said = r"in step 20 at t = 0\.00\d+ s: particle 7 is lost"
    with pytest.raises(SimulationError, match=said):
        rows.extend(row for moment in moments for row in moment.rows)
    # `extend` keeps what came before the error.
    assert rows[-1].step >= 19


def test_a_run_ends_where_no_fluid_is_left() -> None:
    simulation = Clockwork()
    moments = advance(simulation, Schedule(steps=50, samples=frozenset({4})))
    assert next(moments).sample is not None
    simulation.fluid = 0
    with pytest.raises(SimulationError, match="no fluid is left after step 4"):
        list(moments)
