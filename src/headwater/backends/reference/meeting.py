"""The threads of one block: each runs until it waits, and goes on once those it waits for have come.

A barrier is for all threads that have not returned; a warp operation for the lanes of its mask that have not
ended. Lanes meet only in the same trips of the loops around, as they do where a warp runs in step. So do lanes that ask
who is here: those that are behind go on first, until all that come the same way have come.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from headwater import ir
from headwater.backends.reference.thread import Signal, Steps, Stop, Thread
from headwater.backends.reference.warps import WARP_SIZE, finish, lane_of
from headwater.errors import KernelError


@dataclass(slots=True)
class _Runner:
    """A thread, where it waits (if it does), and how it has ended (if it has)."""

    thread: Thread
    steps: Steps
    stop: Stop | None = None
    end: Signal | None = None

    def advance(self) -> None:
        try:
            self.stop = next(self.steps)
        except StopIteration as ended:
            self.stop, self.end = None, ended.value

    @property
    def mask(self) -> int | None:
        """The lanes that it waits for in a warp operation; None for those that are here."""
        assert isinstance(self.stop, ir.Warp)
        arguments = self.stop.arguments
        return self.thread.values[arguments[-1]] if arguments else None


_Warp: TypeAlias = dict[int, _Runner]


def run_block(threads: Sequence[Thread], start: Callable[[Thread], Steps]) -> None:
    """Run all threads to their ends; KernelError where some would wait for ever."""
    runners = [_Runner(thread, start(thread)) for thread in threads]
    warps: dict[int, _Warp] = {}
    for runner in runners:
        warps.setdefault(runner.thread.number // WARP_SIZE, {})[lane_of(runner.thread)] = runner
    ready = runners
    while ready:
        for runner in ready:
            runner.advance()
        ready = [runner for warp in warps.values() for runner in _meet_in_warp(warp)]
        ready = ready or _meet_in_block(runners, warps)


# --- warps ----------------------------------------------------------------------------------------


def _meet_in_warp(warp: _Warp) -> list[_Runner]:
    """The lanes of one warp that need not wait any longer."""
    groups: dict[tuple[object, ...], _Warp] = {}
    for lane, runner in warp.items():
        if not isinstance(runner.stop, ir.Warp):
            continue
        mask = runner.mask
        if mask is not None and not mask >> lane & 1:
            name = ir.called(runner.stop)
            text = f"lane {lane} calls '{name}' with the mask {mask:#x}, which does not name it"
            raise runner.thread.fail(runner.stop, text)
        key = (runner.stop, tuple(runner.thread.path), mask)
        groups.setdefault(key, {})[lane] = runner
    complete = [lanes for lanes in groups.values() if not _missing(lanes, warp)]
    masked = [lanes for lanes in complete if _first(lanes).mask is not None]
    asking = [lanes for lanes in complete if _first(lanes).mask is None]
    behind = sorted(asking, key=lambda lanes: _first(lanes).thread.path)[:1]
    ready: list[_Runner] = []
    for lanes in masked or behind:
        node = _first(lanes).stop
        assert isinstance(node, ir.Warp)
        finish(node, {lane: runner.thread for lane, runner in sorted(lanes.items())})
        ready += lanes.values()
    return ready


def _first(lanes: _Warp) -> _Runner:
    return next(iter(lanes.values()))


def _missing(lanes: _Warp, warp: _Warp) -> list[int]:
    """The lanes of the mask that have neither come nor ended."""
    mask = _first(lanes).mask
    if mask is None:
        return []
    alive = (lane for lane, runner in warp.items() if runner.end is None)
    return sorted(lane for lane in alive if mask >> lane & 1 and lane not in lanes)


# --- blocks ---------------------------------------------------------------------------------------


def _meet_in_block(runners: Sequence[_Runner], warps: dict[int, _Warp]) -> list[_Runner]:
    """All threads that have not ended, where they wait at one barrier."""
    waiting = [runner for runner in runners if runner.stop is not None]
    if not waiting:
        return []
    first = waiting[0]
    for runner in waiting:
        if isinstance(runner.stop, ir.Warp):
            raise _stuck(runner, warps[runner.thread.number // WARP_SIZE])
    for runner in runners:
        if runner.end is Signal.NEXT:
            raise _not_reached(first, runner)
    for runner in waiting:
        if runner.stop is not first.stop:
            raise _at_another(first, runner)
    if isinstance(first.stop, ir.BarrierVote):
        _count_votes(first.stop, [runner.thread for runner in waiting])
    return waiting


def _count_votes(node: ir.BarrierVote, threads: Sequence[Thread]) -> None:
    holding = sum(thread.values[node.predicate] for thread in threads)
    results = {"count": holding, "and": holding == len(threads), "or": holding > 0}
    for thread in threads:
        thread.values[node.result] = results[node.operation]


_BARRIER_HINT = "every thread of a block must reach the same barriers"


def _not_reached(waits: _Runner, ended: _Runner) -> KernelError:
    position = ended.thread.position
    text = f"a thread waits at a barrier that thread {position} has ended without reaching"
    return waits.thread.fail(waits.stop, text, _BARRIER_HINT)


def _at_another(first: _Runner, other: _Runner) -> KernelError:
    text = f"a thread waits at one barrier, thread {first.thread.position} at another{_line(first)}"
    return other.thread.fail(other.stop, text, _BARRIER_HINT)


def _stuck(runner: _Runner, warp: _Warp) -> KernelError:
    """A lane that waits for others of its mask, which wait elsewhere."""
    node = runner.stop
    assert isinstance(node, ir.Warp)
    here = {
        lane: other
        for lane, other in warp.items()
        if other.stop is node
        and other.mask == runner.mask
        and other.thread.path == runner.thread.path
    }
    lane = _missing(here, warp)[0]
    other = warp[lane]
    assert other.stop is not None
    place = f"'{ir.called(other.stop)}'{_line(other)}"
    if other.stop is node:
        place = "another trip of a loop"
        if other.mask != runner.mask:
            place = f"the same place with the mask {other.mask:#x}"
    text = f"'{ir.called(node)}' with the mask {runner.mask:#x} waits for lane {lane}, which waits at {place}"
    return runner.thread.fail(node, text, "all lanes of a mask must come to the same call")


def _line(runner: _Runner) -> str:
    span = runner.stop.span if runner.stop is not None else None
    return "" if span is None else f" in line {span.line}"
