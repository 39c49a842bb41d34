"""The clock of a run, on the device: time step, time, step number, history and faults.

The time is kept as two floats, so that single precision adds up tens of thousands of steps to 1e-7.
"""

from __future__ import annotations

from dataclasses import dataclass

import headwater as hw
from headwater.runtime import Array
from headwater.sph.schemes.weakly_compressible.parameters import EULER_EVERY

HISTORY_ROWS = 1024
HISTORY_COLUMNS = 7

# What can go wrong with a particle, by its index in the clock's fault arrays.
NOT_FINITE = 0
OUT_OF_RANGE = 1
FAULTS = (
    "has a rate of change that is no finite number",
    "left the range of densities with the time step at its floor",
)
NO_PARTICLE = 2**31 - 1
# Beyond it, square of m/s² or kg/m³/s, lies no number of a sane run; a float32 holds it.
ABSURD = 1e36


@dataclass(frozen=True, slots=True)
class Clock:
    """Device arrays of a few elements; 'real' is the run's precision.

    Attributes:
        step: int32 (1,), steps done.
        time: real (2,), the time in s and what its rounding left.
        dt: real (1,), the last time step in s.
        extremes: real (4,), greatest |a|², |v|², μ and |dρ/dt| of the step.
        history: real (HISTORY_ROWS, HISTORY_COLUMNS), a ring with one row a step: time, its rest,
            dt, a_max, v_max, visc_max, drho_max, all before the step.
        fault_particle: int32 (2,), by kind of fault the smallest id, or NO_PARTICLE.
        fault_step: int32 (2,), by kind of fault the step that it was first seen in, or 0.
    """

    step: Array
    time: Array
    dt: Array
    extremes: Array
    history: Array
    fault_particle: Array
    fault_step: Array


@hw.function
def time_step(acceleration, speed, mu, c):
    """0.2 min(√(h/a), h / (max(c̄, 10 v) + h μ)), not below its floor.

    The Courant condition with viscous diffusion of Monaghan & Kos (1999), J. Waterw. Port Coast. Ocean
    Eng. 125, 145, as DualSPHysics has it.
    """
    signal = max(c.sound_speed, 10.0 * speed) + c.smoothing_length * mu
    force_limit = hw.sqrt(c.smoothing_length / acceleration)
    return max(c.courant * min(force_limit, c.smoothing_length / signal), c.least_time_step)


# Without contraction, as a device that rewrites sums would make nothing of the remainder.
@hw.kernel(contract=False)
def advance_clock(clock, c):
    """Choose the time step, write the step's row of history, and move the time on; one thread."""
    step, time, rest = clock.step[0], clock.time[0], clock.time[1]
    acceleration, speed = hw.sqrt(clock.extremes[0]), hw.sqrt(clock.extremes[1])
    mu, density_rate = max(clock.extremes[2], 0.0), clock.extremes[3]
    dt = time_step(acceleration, speed, mu, c)
    row = step % HISTORY_ROWS
    clock.history[row, 0] = time
    clock.history[row, 1] = rest
    clock.history[row, 2] = dt
    clock.history[row, 3] = acceleration
    clock.history[row, 4] = speed
    clock.history[row, 5] = mu
    clock.history[row, 6] = density_rate
    added = dt + rest
    total = time + added
    clock.time[0] = total
    clock.time[1] = added - (total - time)
    clock.dt[0] = dt
    clock.step[0] = step + 1


@hw.function
def is_euler(step):
    """Whether the step of that number, counted from 1, is an Euler step."""
    return step % EULER_EVERY == 0


@hw.kernel
def note_faults(clock):
    """Remember the step in which a fault was first seen; one thread a kind of fault."""
    kind = hw.grid(1)
    if clock.fault_step[kind] == 0 and clock.fault_particle[kind] != NO_PARTICLE:
        clock.fault_step[kind] = clock.step[0]
