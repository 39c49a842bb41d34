"""How far a run is from the independent program's curves, where that program ran the same scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from headwater.sph.records import Sample
from headwater.sph.scenes import ReferenceCurve

# Later than this the splash is chaotic, and only bulk curves compare; s.
_SPLASH = 0.6
# Two programs' clocks at the same step may differ so much, s.
_SAME = 1e-5


@dataclass(frozen=True, slots=True)
class Deviation:
    """Greatest deviations over the output times from `start` to `end`, in s.

    `kinetic` and `potential` are in percent of the reference's energies, `front` in mm.
    """

    start: float
    end: float
    kinetic: float
    potential: float
    front: float

    def __str__(self) -> str:
        return (
            f"greatest difference from the reference, t = {self.start:.2f} to {self.end:.2f} s: "
            f"kinetic energy {self.kinetic:.2g} %, potential {self.potential:.2g} %, "
            f"front {self.front:.2g} mm"
        )

    def as_json(self) -> dict[str, float]:
        """The same as names and numbers."""
        return {
            "from_t": self.start,
            "to_t": self.end,
            "kinetic_percent": float(f"{self.kinetic:.4g}"),
            "potential_percent": float(f"{self.potential:.4g}"),
            "front_mm": float(f"{self.front:.4g}"),
        }


def deviations(
    samples: Sequence[Sample], reference: ReferenceCurve | None
) -> tuple[Deviation, ...]:
    """One for the time until the splash, one for the time after; none without a reference.

    The reference is interpolated to the samples' times.
    """
    if reference is None:
        return ()
    first, last = reference.times[0] - _SAME, reference.times[-1] + _SAME
    inside = [sample for sample in samples if first <= sample.t <= last]
    early = [s for s in inside if s.t <= _SPLASH + 1e-3]
    return tuple(_deviation(part, reference) for part in (early, inside[len(early) :]) if part)


def _deviation(samples: Sequence[Sample], reference: ReferenceCurve) -> Deviation:
    times = [sample.t for sample in samples]

    def greatest(name: str, is_relative: bool) -> float:
        expected = np.interp(times, reference.times, reference.values[name])
        found: Any = np.array([getattr(sample, name) for sample in samples])
        error = np.abs(found - expected)
        return float((100.0 * error / np.abs(expected) if is_relative else 1e3 * error).max())

    return Deviation(
        start=times[0],
        end=times[-1],
        kinetic=greatest("kinetic", is_relative=True),
        potential=greatest("potential", is_relative=True),
        front=greatest("front", is_relative=False),
    )
