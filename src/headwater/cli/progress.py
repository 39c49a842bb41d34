"""Progress on stderr: a bar that is drawn over itself on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from headwater.sph.run import Moment, Schedule

_BAR = 24
_TERMINAL_EVERY = 0.1
_PLAIN_EVERY = 10.0


class Progress:
    """Shows how far a run is; call `show` at every moment, `close` at its end."""

    def __init__(self, schedule: Schedule, stream: TextIO | None = None) -> None:
        self.schedule = schedule
        self.stream = sys.stderr if stream is None else stream
        self.is_terminal = self.stream.isatty()
        self.started = time.perf_counter()
        self._every = _TERMINAL_EVERY if self.is_terminal else _PLAIN_EVERY
        self._shown = self.started
        self._clock = (0, 0.0, 0.0)

    def show(self, moment: Moment) -> None:
        """Draw, unless that was done a moment ago."""
        if moment.rows:
            self._clock = (moment.step, moment.time, moment.rows[-1].dt)
        now = time.perf_counter()
        if now - self._shown < self._every and not moment.over:
            return
        self._shown = now
        step, time_known, dt = self._clock
        reached = moment.time if moment.over else time_known + (moment.step - step) * dt
        self._draw(moment.step, reached, now - self.started)

    def close(self) -> None:
        """Leave the bar standing and go to the next line."""
        if self.is_terminal:
            self.stream.write("\n")
            self.stream.flush()

    def _draw(self, step: int, reached: float, elapsed: float) -> None:
        done = self._fraction(step, reached)
        left = elapsed / done - elapsed if done > 0.0 else None
        rate = step / elapsed if elapsed > 0.0 else 0.0
        goal = "" if self.schedule.until is None else f" of {self.schedule.until:g}"
        count = "" if self.schedule.steps is None else f" of {self.schedule.steps}"
        text = (
            f"t {reached:.4f}{goal} s, step {step}{count}, {rate:.3g} steps/s, {_left(left)} left"
        )
        if not self.is_terminal:
            self.stream.write(f"{100.0 * done:3.0f} %  {text}\n")
        else:
            bar = "█" * int(done * _BAR)
            self.stream.write(f"\r{bar:░<{_BAR}} {100.0 * done:3.0f} %  {text}\x1b[K")
        self.stream.flush()

    def _fraction(self, step: int, reached: float) -> float:
        """The part of the run that is done, 0 to 1."""
        if self.schedule.steps is not None:
            return min(1.0, step / self.schedule.steps) if self.schedule.steps else 1.0
        until = self.schedule.until or 0.0
        return min(1.0, reached / until) if until > 0.0 else 1.0


def _left(seconds: float | None) -> str:
    if seconds is None:
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
