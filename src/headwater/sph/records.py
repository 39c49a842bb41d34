"""What a run records: one row of history a step, one sample an output time. SI units, host values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """Step number `step` (so many were done before), its time step, and the maxima that led to it.

    Attributes:
        step: steps done before.
        t: time before the step, s.
        dt: the time step, s.
        a_max: greatest acceleration of all particles, m/s².
        v_max: greatest speed before the step, m/s.
        visc_max: greatest μ of all pairs, at least 0, 1/s.
        drho_max: greatest |dρ/dt|, kg/m³/s.
    """

    step: int
    t: float
    dt: float
    a_max: float
    v_max: float
    visc_max: float
    drho_max: float


@dataclass(frozen=True, slots=True)
class Sample:
    """The state after `step` steps.

    Attributes:
        step: steps done.
        t: time, s.
        fluid: fluid particles there are.
        kinetic: kinetic energy of the fluid, J.
        potential: potential energy of the fluid above z = 0, J.
        front: greatest x of the fluid, m.
        v_max: greatest speed, m/s.
        probes: pressure at the scene's probes, Pa.
    """

    step: int
    t: float
    fluid: int
    kinetic: float
    potential: float
    front: float
    v_max: float
    probes: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """The first sign that a run has blown up: which particle, in which step, what happened to it."""

    particle: int
    step: int
    what: str


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The device's clock as the host read it: steps done, time in s, and what went wrong, if anything."""

    step: int
    time: float
    fault: Fault | None
