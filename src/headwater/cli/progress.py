"""Progress on stderr: a bar that is drawn over itself on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import TextIO

from headwater.sph.run import Moment, Schedule

_BAR = 24
_SHORTEST_BAR = 8
_TERMINAL_EVERY = 0.1
_PLAIN_EVERY = 10.0


class Progress:
    """Shows how far a run is; call `show` at every moment, `close` at its end.

    On a terminal the time between two looks at the device's clock is estimated and marked by ≈; a line in a
    log is written at such looks only, so that its time is that of its step.
    """

    def __init__(self, schedule: Schedule, stream: TextIO | None = None) -> None:
        self.schedule = schedule
        self.stream = sys.stderr if stream is None else stream
        self.is_terminal = self.stream.isatty()
        self.started = time.perf_counter()
        self._every = _TERMINAL_EVERY if self.is_terminal else _PLAIN_EVERY
        self._shown = self.started
        self._clock = (0, 0.0, 0.0)
        self._drawn = False

    def show(self, moment: Moment) -> None:
        """Draw, unless that was done a moment ago."""
        is_known = bool(moment.rows) or moment.over
        if moment.rows:
            self._clock = (moment.step, moment.time, moment.rows[-1].dt)
        now = time.perf_counter()
        if now - self._shown < self._every and not moment.over:
            return
        if not (is_known or self.is_terminal):
            return
        self._shown = now
        step, time_known, dt = self._clock
        reached = moment.time if is_known else time_known + (moment.step - step) * dt
        mark = "t" if is_known else "t ≈"
        self._draw(moment.step, reached, mark, now - self.started)

    def close(self) -> None:
        """Leave the bar standing and go to the next line."""
        if self.is_terminal and self._drawn:
            self.stream.write("\n")
            self.stream.flush()

    def _draw(self, step: int, reached: float, mark: str, elapsed: float) -> None:
        done = self._fraction(step, reached)
        left = elapsed / done - elapsed if done > 0.0 else None
        goal = "" if self.schedule.until is None else f" of {self.schedule.until:g}"
        count = "" if self.schedule.steps is None else f" of {self.schedule.steps}"
        text = (
            f"{100.0 * done:3.0f} %  {mark} {reached:.4f}{goal} s, step {step}{count}, "
            f"{rate(step, elapsed)}, {_left(left)} left"
        )
        self._drawn = True
        if self.is_terminal:
            self.stream.write(f"\r{self._fitted(done, text)}\x1b[K")
        else:
            self.stream.write(f"{text}\n")
        self.stream.flush()

    def _fitted(self, done: float, text: str) -> str:
        """The bar and the text in one line of the terminal: a line that wraps could not be drawn over."""
        room = _columns(self.stream) - 1
        full, empty = "█░"
        if not _can_write("█░≈", self.stream):
            full, empty, text = "#", ".", text.replace("≈", "~")
        length = min(_BAR, room - len(text) - 1)
        if length >= _SHORTEST_BAR:
            filled = int(done * length)
            text = f"{full * filled}{empty * (length - filled)} {text}"
        return text[:room]

    def _fraction(self, step: int, reached: float) -> float:
        """The part of the run that is done, 0 to 1."""
        if self.schedule.steps is not None:
            return min(1.0, step / self.schedule.steps) if self.schedule.steps else 1.0
        until = self.schedule.until or 0.0
        return min(1.0, reached / until) if until > 0.0 else 1.0


def rate(steps: int, seconds: float) -> str:
    """Steps a second, or seconds a step where that is the larger number."""
    if not steps or seconds <= 0.0:
        return "? steps/s"
    found = steps / seconds
    if found < 1.0:
        return f"{1.0 / found:.3g} s/step" if found > 1e-3 else f"{1.0 / found:,.0f} s/step"
    return f"{found:,.0f} steps/s" if found >= 100.0 else f"{found:.1f} steps/s"


def _columns(stream: TextIO) -> int:
    """The width of the stream's terminal; it may change at any time."""
    try:
        found = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        found = 0
    return found or shutil.get_terminal_size().columns


def _can_write(text: str, stream: TextIO) -> bool:
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _left(seconds: float | None) -> str:
    if seconds is None:
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
