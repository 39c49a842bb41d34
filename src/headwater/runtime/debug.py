"""Launches in debug mode: what a kernel reported is read right behind it, printed, and raised.

The pass `instrument` gives a kernel a buffer to write records to (see `headwater.ir.reports`); here it is filled in,
emptied before each launch, and read after it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from headwater.backends.contract import Executable, LaunchArgument
from headwater.errors import DebugError, KernelError, Span
from headwater.ir.reports import (
    BUFFER_HEAD,
    ERRORS,
    LINES,
    RECORD_HEAD,
    Report,
    Reports,
    Site,
    hint_of,
    room_of,
    text_of,
)
from headwater.runtime.array import Array
from headwater.runtime.device import Device
from headwater.types import SCALARS, UINT32, ScalarType

# Words of a device's buffer: room for some 80,000 records of a kernel.
BUFFER_WORDS = 1 << 20
_OWNER = "debug mode"

Words: TypeAlias = npt.NDArray[np.uint32]


# --- on disk ----------------------------------------------------------------------------------------


def encode(reports: Reports) -> list[Any]:
    """The reports as JSON takes them."""
    sites = [
        [
            site.report.kind,
            [str(part) if isinstance(part, str) else [part.name] for part in site.report.parts],
            site.report.hint,
            None if site.span is None else _place(site.span),
        ]
        for site in reports.sites
    ]
    return [reports.kernel, reports.block_shape, reports.words, sites]


def _place(span: Span) -> list[str | int]:
    return [span.file, span.line, span.column, span.end_line, span.end_column]


def decode(content: list[Any]) -> Reports:
    """The reverse; ValueError, KeyError or TypeError for what `encode` did not write."""
    kernel, (x, y, z), words, sites = content
    return Reports(kernel, (x, y, z), tuple(_site(*site) for site in sites), words)


def _site(kind: str, parts: list[Any], hint: str | None, place: list[Any] | None) -> Site:
    scalars = {scalar.name: scalar for scalar in SCALARS}
    found = tuple(part if isinstance(part, str) else scalars[part[0]] for part in parts)
    return Site(Report(kind, found, hint), None if place is None else Span(*place))


# --- launches ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Half:
    """The records of errors or of lines in order, a row each, and how many more did not fit."""

    records: Words
    lost: int


@dataclass(frozen=True, slots=True)
class Found:
    """One record: what a thread reported."""

    report: Report[Any]
    span: Span | None
    block: tuple[int, int, int]
    thread: tuple[int, int, int]


class Watched:
    """A program that reports; it is launched as others are, and returns when the launch is done."""

    def __init__(self, executable: Executable, reports: Reports, device: Device) -> None:
        self.executable = executable
        self.reports = reports
        self.device = device

    def launch(self, grid: tuple[int, int, int], arguments: Sequence[LaunchArgument]) -> None:
        """Run it; DebugError for the first report by block and thread, behind all that the kernel printed.

        Else KernelError where a loop waits for ever.
        """
        channel = _channel(self.device)
        ended: KernelError | None = None
        with channel.lock:
            channel.empty()
            try:
                self.executable.launch(grid, [*arguments, channel.buffer._usable()])
            except KernelError as error:
                ended = error
            errors, lines = (channel.read(half, self.reports.words) for half in (ERRORS, LINES))
        _print(self.reports, lines)
        _raise(self.reports, errors)
        if ended is not None:
            raise ended


class _Channel:
    """The buffer of one device. One launch uses it at a time."""

    def __init__(self, device: Device) -> None:
        self.lock = threading.Lock()
        self.buffer: Array = device.empty(BUFFER_WORDS, UINT32, owner=_OWNER)
        self._driver = device.driver
        self._memory = self.buffer._usable().memory

    def empty(self) -> None:
        self._driver.write(self._memory, 0, memoryview(bytes(4 * BUFFER_HEAD)))

    def read(self, half: int, words: int) -> _Half:
        """The records of one half of the buffer."""
        made = int(self._words(half, 1)[0])
        room = room_of(BUFFER_WORDS, words)
        kept = min(made, room)
        found = self._words(BUFFER_HEAD + half * room * words, kept * words).reshape(kept, words)
        return _Half(_ordered(found), made - kept)

    def _words(self, start: int, count: int) -> Words:
        out = np.zeros(count, np.uint32)
        if count:
            self._driver.read(self._memory, 4 * start, out.view(np.uint8).data)
        return out


_channels: dict[Device, _Channel] = {}
_opening = threading.Lock()


def _channel(device: Device) -> _Channel:
    with _opening:
        found = _channels.get(device)
        return found if found is not None else _channels.setdefault(device, _Channel(device))


def _ordered(records: Words) -> Words:
    """By block and thread; a thread's own in the order in which it made them."""
    x, y, z, thread = records[:, 1:RECORD_HEAD].T
    return records[np.lexsort((thread, x, y, z))]


def _print(reports: Reports, lines: _Half) -> None:
    for record in lines.records:
        sys.stdout.write(f"{text_of(_found(reports, record).report)}\n")
    if lines.lost:
        sys.stdout.write(f"kernel '{reports.kernel}': {lines.lost:,} more lines did not fit\n")
    sys.stdout.flush()


def _raise(reports: Reports, errors: _Half) -> None:
    if len(errors.records):
        more = len(errors.records) - 1 + errors.lost
        raise _error(reports.kernel, _found(reports, errors.records[0]), more)


def _found(reports: Reports, record: Words) -> Found:
    number, x, y, z, thread, *bits = record.tolist()
    site = reports.sites[number]
    values, rest = [], bits
    for kind in site.report.values:
        taken = 2 if kind.bits == 64 else 1
        values.append(_value(kind, rest[:taken]))
        rest = rest[taken:]
    remaining = iter(values)
    parts = tuple(p if isinstance(p, str) else next(remaining) for p in site.report.parts)
    width, height, _ = reports.block_shape
    position = (thread % width, thread // width % height, thread // (width * height))
    return Found(Report(site.report.kind, parts, site.report.hint), site.span, (x, y, z), position)


def _value(kind: ScalarType, words: list[int]) -> bool | int | np.floating[Any]:
    """The number that words of a record hold."""
    bits = sum(word << 32 * place for place, word in enumerate(words))
    if kind.is_bool:
        return bits != 0
    if kind.is_float:
        unsigned = np.uint64(bits) if kind.bits == 64 else np.uint32(bits)
        value: np.floating[Any] = unsigned.view(kind.numpy)
        return value
    low, _ = kind.limits
    return ((bits - low) & ((1 << kind.bits) - 1)) + low


def _error(kernel: str, found: Found, more: int) -> DebugError:
    others = f" (and {more:,} more report{'s' if more > 1 else ''})" if more else ""
    return DebugError(
        f"kernel '{kernel}': {text_of(found.report)}, in thread {found.thread} of block {found.block}{others}",
        kind=found.report.kind,
        block=found.block,
        thread=found.thread,
        more=more,
        span=found.span,
        hint=hint_of(found.report),
    )
