"""What debug mode reports of a running kernel: kinds, wording, and how records lie in the buffer.

The pass `instrument` writes records and the runtime reads them; a device that checks by itself uses the wording.

The buffer holds uint32 words: first how many errors were made and how many lines were printed, then the records of
those that fit, `Reports.words` each: the number of the site, the block (x, y, z), the thread (linear, x fastest), and
the bits of the values, low words first. Half of the room is for errors and half for lines: neither takes the other's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from headwater.errors import Span
from headwater.types import ScalarType

# The path of the buffer's parameter: no user's argument has it.
BUFFER = "%debug"
# Words of a buffer before its records, and of a record before its values.
BUFFER_HEAD = 2
RECORD_HEAD = 5

BOUNDS = "bounds"
UNWRITTEN = "unwritten"
ASSERT = "assert"
ZERO = "division by zero"
NAN = "nan"
UNIFORM = "uniform"
PRINT = "print"
# The halves of the buffer.
ERRORS, LINES = 0, 1

# Float operations that may make a NaN of numbers, by how a text of their operands reads.
NAN_OPERATIONS = {
    "add": ("", " + ", ""),
    "sub": ("", " - ", ""),
    "mul": ("", " * ", ""),
    "div": ("", " / ", ""),
    "sqrt": ("sqrt(", ")"),
    "fma": ("fma(", ", ", ", ", ")"),
}
_DIVISIONS = {"floordiv": "//", "mod": "%"}
# What kernels call functions of the library by.
_OPERATORS = {"floor_divide": "//", "modulo": "%"}

# What a report shows as a value: an IR value where it is made, its type in a site, a number where it is read.
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Report(Generic[T]):
    """One sentence, or what a kernel prints: texts and values in order."""

    kind: str
    parts: tuple[str | T, ...]
    hint: str | None = None

    @property
    def half(self) -> int:
        """The half of the buffer where the records lie."""
        return LINES if self.kind == PRINT else ERRORS

    @property
    def values(self) -> tuple[T, ...]:
        """What is no text."""
        return tuple(part for part in self.parts if not isinstance(part, str))


@dataclass(frozen=True, slots=True)
class Site:
    """A place that may report; the values are known by their types."""

    report: Report[ScalarType]
    span: Span | None


@dataclass(frozen=True, slots=True)
class Reports:
    """All that is needed to read what a launch of a kernel reports: `words` make a record."""

    kernel: str
    block_shape: tuple[int, int, int]
    sites: tuple[Site, ...]
    words: int


def room_of(buffer_words: int, record_words: int) -> int:
    """How many records fit into each half of a buffer."""
    return (buffer_words - BUFFER_HEAD) // (2 * record_words)


# --- wording --------------------------------------------------------------------------------------


def out_of_bounds(name: str, index: T, extent: T, axis: int, axes: int) -> Report[T]:
    """A subscript that is not in the array."""
    along = f" along axis {axis}" if axes > 1 else ""
    parts = ("the subscript ", index, f" of '{name}' is out of bounds{along}: it has ", extent)
    return Report(BOUNDS, parts)


def unwritten(name: str, indices: Sequence[T], local: bool) -> Report[T]:
    """An element of an array of the block, or of the thread, that has no value yet."""
    where: list[str | T] = [f"'{name}["]
    for index in indices:
        where += [index, ", "]
    who = "the" if local else "any"
    where[-1] = f"]' is read before {who} thread has written it"
    return Report(
        UNWRITTEN, tuple(where), f"{'local' if local else 'shared'} arrays are not initialised"
    )


def failed(message: str) -> Report[T]:
    """An assertion that does not hold."""
    return Report(ASSERT, (f"the assertion '{message}' does not hold",))


def divided_by_zero(operation: str, left: T) -> Report[T]:
    """`floordiv` or `mod` of an integer by 0."""
    result = "0" if operation == "floordiv" else "the left side"
    return Report(
        ZERO,
        (left, f" {_DIVISIONS[operation]} 0 divides by zero"),
        f"without debug mode the result is {result}",
    )


def made_nan(operation: str, operands: Sequence[T]) -> Report[T]:
    """A NaN that a key of NAN_OPERATIONS made of numbers."""
    first, *texts = NAN_OPERATIONS[operation]
    parts: list[str | T] = [first]
    for operand, text in zip(operands, texts, strict=True):
        parts += [operand, text]
    return Report(NAN, (*(part for part in parts if part != ""), " is not a number"))


def gave_nan(name: str) -> Report[T]:
    """A NaN that a function of mathematics made of numbers."""
    name = _OPERATORS.get(name, name)
    return Report(NAN, (f"'{name}' gives no number, though its arguments are numbers",))


def not_uniform(value: T) -> Report[T]:
    """What `hw.uniform` asserts does not hold."""
    return Report(UNIFORM, ("a value asserted uniform is ", value, " here and another elsewhere"))


def printed(parts: Sequence[str | T]) -> Report[T]:
    """What a kernel prints."""
    return Report(PRINT, tuple(parts))


def text_of(report: Report[Any]) -> str:
    """The sentence of a report whose values are Python's or NumPy's."""
    return "".join(map(str, report.parts))


def hint_of(report: Report[Any]) -> str | None:
    """What helps."""
    if report.kind == BOUNDS and report.values[0] < 0:
        return (
            "it is before the first element: only constant negative subscripts count from the end"
        )
    return report.hint
