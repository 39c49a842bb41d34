"""What the lanes of one warp work out together, word for word as in `headwater.ir.operations`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from headwater import ir
from headwater.backends.reference.arithmetic import Scalar, bits_of
from headwater.backends.reference.thread import Thread

# The threads that take part, by lane.
Lanes: TypeAlias = Mapping[int, Thread]
WARP_SIZE = 32


def lane_of(thread: Thread) -> int:
    """The thread's place in its warp."""
    return thread.number % WARP_SIZE


def finish(node: ir.Warp, lanes: Lanes) -> None:
    """Give each lane its result."""
    if node.result is None:
        return
    values = {lane: [t.values[a] for a in node.arguments] for lane, t in lanes.items()}
    work = _WORK[node.operation]
    found = {lane: work(node, lane, values) for lane in lanes}
    for lane, thread in lanes.items():
        thread.values[node.result] = found[lane]


# The arguments of each lane that takes part.
_Arguments: TypeAlias = Mapping[int, list[Scalar]]


def _source(node: ir.Warp, lane: int, amount: int) -> int:
    """The lane whose value a shuffle gives to `lane`, which may take no part."""
    start = lane // node.width * node.width
    end = start + node.width
    match node.operation:
        case "shuffle":
            return start + amount % node.width
        case "shuffle_up":
            source = lane - amount
            return source if start <= source < end else lane
        case "shuffle_down":
            source = lane + amount
            return source if start <= source < end else lane
        case _:
            source = lane ^ amount
            return source if 0 <= source < end else lane


def _shuffle(node: ir.Warp, lane: int, arguments: _Arguments) -> Scalar:
    own, amount, _ = arguments[lane]
    source = arguments.get(_source(node, lane, amount))
    return own if source is None else source[0]


def _bits(lanes: Iterable[int]) -> int:
    return sum(1 << lane for lane in lanes)


def _all(node: ir.Warp, lane: int, arguments: _Arguments) -> bool:
    return all(holds for holds, _ in arguments.values())


def _any(node: ir.Warp, lane: int, arguments: _Arguments) -> bool:
    return any(holds for holds, _ in arguments.values())


def _ballot(node: ir.Warp, lane: int, arguments: _Arguments) -> int:
    return _bits(other for other, (holds, _) in arguments.items() if holds)


def _match_any(node: ir.Warp, lane: int, arguments: _Arguments) -> int:
    kind = node.arguments[0].type
    own = bits_of(kind, arguments[lane][0])
    return _bits(other for other, (v, _) in arguments.items() if bits_of(kind, v) == own)


def _match_all(node: ir.Warp, lane: int, arguments: _Arguments) -> int:
    everybody = _bits(arguments)
    return everybody if _match_any(node, lane, arguments) == everybody else 0


def _active(node: ir.Warp, lane: int, arguments: _Arguments) -> int:
    return _bits(arguments)


_WORK: dict[str, Callable[[ir.Warp, int, _Arguments], Scalar]] = {
    "shuffle": _shuffle,
    "shuffle_up": _shuffle,
    "shuffle_down": _shuffle,
    "shuffle_xor": _shuffle,
    "all": _all,
    "any": _any,
    "ballot": _ballot,
    "match_any": _match_any,
    "match_all": _match_all,
    "active": _active,
}
