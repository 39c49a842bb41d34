"""The exception tree.

Every error that a user can cause is a `HeadwaterError`. One sentence says what was expected and what
came, with names quoted; a span points at the user's own line; a hint says what to do.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A range of source text: 1-based lines, 0-based columns, the end column exclusive.

    `inside` names the function of the library of mathematics of whose body a node is, where the text is the call.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    inside: str = ""

    def excerpt(self) -> str:
        """The source line with a caret under the span, in the style of a compiler."""
        location = f"  --> {self.file}:{self.line}:{self.column + 1}"
        text = linecache.getline(self.file, self.line).rstrip("\n")
        if not text:
            return location
        end = self.end_column if self.end_line == self.line else len(text)
        carets = "^" * max(1, end - self.column)
        margin = " " * len(str(self.line))
        return "\n".join(
            (
                location,
                f" {margin} |",
                f" {self.line} | {text}",
                f" {margin} | {' ' * self.column}{carets}",
            )
        )


class HeadwaterError(Exception):
    """Base of all errors that Headwater raises on purpose."""

    def __init__(self, message: str, *, span: Span | None = None, hint: str | None = None) -> None:
        self.message = message
        self.span = span
        self.hint = hint
        super().__init__(message)

    def __str__(self) -> str:
        parts = [self.message]
        if self.span is not None:
            parts.append(self.span.excerpt())
        if self.hint is not None:
            parts.append(f"  hint: {self.hint}")
        return "\n".join(parts)


class CompileError(HeadwaterError):
    """A kernel's text cannot be compiled; the span names the user's line."""


class CapabilityError(CompileError):
    """A kernel needs something that the device does not have."""


class LaunchError(HeadwaterError):
    """A launch was asked for with wrong arguments, sizes or devices."""


class KernelError(HeadwaterError):
    """A running kernel did something that is not defined; found by a checking device."""


class DebugError(KernelError):
    """What debug mode, or a device that checks by itself, found in a running kernel.

    `kind` is one of `headwater.ir.reports`. `block` and `thread` are (x, y, z), and `more` counts what else the launch
    reported.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        block: tuple[int, int, int],
        thread: tuple[int, int, int],
        more: int = 0,
        span: Span | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, span=span, hint=hint)
        self.kind = kind
        self.block = block
        self.thread = thread
        self.more = more


class DeviceError(HeadwaterError):
    """A device is unknown, missing, lost or out of memory."""


class MemoryUseError(HeadwaterError):
    """Memory was used after it was freed, freed twice, or on a foreign device."""


class DomainError(HeadwaterError):
    """Bad input to a library part: particles, grids, scenes, files."""


class SimulationError(HeadwaterError):
    """A simulation left its valid range: says which particle and when."""


class InternalError(HeadwaterError):
    """A defect of Headwater itself, such as IR that the verifier rejects."""
