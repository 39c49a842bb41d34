"""Signals that ask a run to end: it then keeps what it has, as after Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

# What a shell reports for a program that a signal ended.
_SHELL = 128
INTERRUPTED = _SHELL + signal.SIGINT
_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Stopped(KeyboardInterrupt):
    """A signal other than Ctrl-C's asked for the end."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


def exit_code(stop: KeyboardInterrupt) -> int:
    """The exit code that tells which signal ended the run."""
    return _SHELL + stop.number if isinstance(stop, Stopped) else INTERRUPTED


def cause(stop: KeyboardInterrupt) -> str:
    """The signal in words."""
    return f"ended by {stop}" if isinstance(stop, Stopped) else "interrupted"


@contextmanager
def ending_signals_raise() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise Stopped, unless someone ignores or handles them (as `nohup` does)."""
    chosen = [number for number in _ENDING if signal.getsignal(number) is signal.SIG_DFL]
    with _handlers(chosen, _stop):
        yield


@contextmanager
def no_interruption() -> Iterator[None]:
    """Ctrl-C and the others do nothing for a moment."""
    with _handlers([signal.SIGINT, *_ENDING], signal.SIG_IGN):
        yield


@contextmanager
def _handlers(numbers: list[int], handler: Any) -> Iterator[None]:
    """Only a program's main thread may set handlers; elsewhere nothing is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, usual in before.items():
            signal.signal(number, usual)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    raise Stopped(number)
