"""Deviations from the reference, and the estimate of memory."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from headwater.cli.comparison import deviations
from headwater.cli.memory import available_bytes, check_memory
from headwater.errors import DomainError
from headwater.sph.records import Sample
from headwater.sph.scenes import ReferenceCurve, build_scene, count_particles

TIMES = np.linspace(0.01, 1.0, 100)
CURVE = ReferenceCurve(
    TIMES,
    {"kinetic": 10.0 + TIMES, "potential": 100.0 - TIMES, "front": 0.4 + TIMES},
)
SAMPLES = [
    Sample(0, t, 1, 10.0 + t, 100.0 - t, 0.4 + t, 0.0, ()) for t in (0.0, 0.015, 0.5, 0.8, 1.2)
]


def test_a_run_on_the_curve_does_not_deviate() -> None:
    until, after = deviations(SAMPLES, CURVE)
    assert (until.start, until.end, after.start, after.end) == (0.015, 0.5, 0.8, 0.8)
    for found in (until, after):
        np.testing.assert_allclose((found.kinetic, found.potential, found.front), 0.0, atol=1e-9)


def test_deviations_are_relative_and_in_mm() -> None:
    off = dataclasses.replace(SAMPLES[2], kinetic=10.5 * 1.01, potential=99.5 * 0.98, front=0.902)
    (found,) = deviations([SAMPLES[1], off], CURVE)
    np.testing.assert_allclose((found.kinetic, found.potential, found.front), (1.0, 2.0, 2.0))
    assert "kinetic energy 1 %, potential 2 %, front 2 mm" in str(found)
    assert found.as_json()["front_mm"] == 2.0


def test_without_a_reference_or_samples_there_is_none() -> None:
    assert deviations(SAMPLES, None) == ()
    assert deviations(SAMPLES[:1], CURVE) == ()


@pytest.mark.parametrize(
    ("spacing", "variant"), [(0.0085, "stretched"), (0.0085, "cubic"), (0.017, None), (0.05, None)]
)
def test_particles_are_counted_without_making_them(spacing: float, variant: str | None) -> None:
    scene = build_scene("dambreak", spacing, variant)
    assert count_particles("dambreak", spacing, variant) == len(scene.kinds)


def test_runs_that_memory_cannot_hold_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    check_memory(1000, 0.05, "float32", frames=True)
    monkeypatch.setattr("headwater.cli.memory.available_bytes", lambda: 8 * 10**9)
    with pytest.raises(DomainError, match="makes 83,383,870 particles; they need about") as error:
        check_memory(83_383_870, 0.001, "float32", frames=True)
    assert error.value.hint == "use a larger --dp, such as 0.0021"
    monkeypatch.setattr("headwater.cli.memory.available_bytes", lambda: None)
    with pytest.raises(DomainError, match="at most 2,147,418,112 particles are possible"):
        check_memory(1 << 32, 0.001, "float32", frames=True)


def test_the_free_memory_is_known_where_the_system_tells() -> None:
    found = available_bytes()
    assert found is None or found > 0
