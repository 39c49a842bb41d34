"""What the lane emitter keeps track of beside values and the mask."""

from __future__ import annotations

from dataclasses import dataclass

# Unrolling loops of vectors costs compile time and gains nothing.
NO_UNROLL = ", !llvm.loop !0"


@dataclass(slots=True)
class Loop:
    """The innermost loop around the code being emitted."""

    exit_label: str
    next_label: str
    # The slot of the lanes that still run; None in a uniform loop, whose exits are branches.
    live: str | None
    spread: bool = False


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a variable lives: one scalar, or a vector with one element a lane."""

    pointer: str
    vector: bool
