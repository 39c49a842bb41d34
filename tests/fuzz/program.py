"""A generated kernel as a tree of statements, its text, and the smaller kernels next to it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.fuzz.palette import Palette
from tests.fuzz.points import Points


@dataclass
class Line:
    """A simple statement; shrinking leaves one that is `kept`."""

    text: str
    kept: bool = False


@dataclass
class Compound:
    """Headers with their bodies: one for a loop, several for if, elif and else.

    An empty header groups statements that shrinking must not part; they stand at the outer depth.
    """

    arms: list[tuple[str, list[Statement]]]


Statement = Line | Compound


@dataclass
class Function:
    """One definition; `frame` holds lines that shrinking keeps: what the rest stands on."""

    header: str
    frame: list[str] = field(default_factory=list)
    body: list[Statement] = field(default_factory=list)
    ending: list[str] = field(default_factory=list)


@dataclass
class Program:
    """One kernel with its device functions, and the launch that runs it."""

    seed: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    count: int
    functions: list[Function] = field(default_factory=list)
    palette: Palette = field(default_factory=lambda: Palette((), (), (), half=False))
    points: Points | None = None  # of the grid that the kernel takes
    # Fields of the struct that the kernel knows, the value of its compile-time parameter, and bytes of dynamic shared
    # memory. Host arrays in `strided` are passed as views with gaps.
    record: tuple[tuple[str, str], ...] = ()
    fixed: int = 0
    shared_bytes: int = 0
    strided: tuple[str, ...] = ()
    prologue: list[str] = field(default_factory=list)

    @property
    def threads(self) -> int:
        """Threads of the whole launch."""
        total = 1
        for extent in (*self.grid, *self.block):
            total *= extent
        return total

    def text(self) -> str:
        """The module that defines the kernel."""
        lines = [
            f'"""Kernel of seed {self.seed}: grid {self.grid}, block {self.block}."""',
            "import math",
            "from dataclasses import dataclass",
            "",
            "import numpy as np",
            "",
            "import headwater as hw",
            "",
            *self.prologue,
        ]
        for function in self.functions:
            lines += ["", *function.header.split("\n")]
            lines += [f"    {text}" for text in function.frame]
            lines += _indent(function.body, 1) if function.body else []
            lines += [f"    {text}" for text in function.ending]
            if not (function.frame or function.body or function.ending):
                lines.append("    pass")
        return "\n".join(lines) + "\n"


def _indent(body: list[Statement], depth: int) -> list[str]:
    margin = "    " * depth
    if not body:
        return [margin + "pass"]
    lines: list[str] = []
    for statement in body:
        if isinstance(statement, Line):
            lines.append(margin + statement.text)
            continue
        for header, arm in statement.arms:
            if not header:
                lines += _indent(arm, depth)
                continue
            lines.append(margin + header)
            lines += _indent(arm, depth + 1)
    return lines


def _bodies(program: Program) -> Iterator[list[Statement]]:
    waiting = [(True, function.body) for function in program.functions]
    while waiting:
        divisible, body = waiting.pop(0)
        if divisible:
            yield body
        for statement in body:
            if isinstance(statement, Compound):
                waiting += [(header != "", arm) for header, arm in statement.arms]


def smaller(program: Program) -> Iterator[Program]:
    """Programs with one function or statement less, or one compound replaced by its first body."""
    return filter(_is_python, _smaller(program))


def _is_python(program: Program) -> bool:
    """False where a jump has lost its loop."""
    try:
        compile(program.text(), "smaller", "exec")
    except SyntaxError:
        return False
    return True


def _smaller(program: Program) -> Iterator[Program]:
    for position in range(len(program.functions) - 1):
        shorter = copy.deepcopy(program)
        del shorter.functions[position]
        yield shorter
    for number, body in enumerate(list(_bodies(program))):
        for position, statement in enumerate(body):
            if isinstance(statement, Line) and statement.kept:
                continue
            shorter = copy.deepcopy(program)
            target = list(_bodies(shorter))[number]
            removed = target.pop(position)
            yield shorter
            if isinstance(statement, Compound) and isinstance(removed, Compound):
                flat = copy.deepcopy(shorter)
                list(_bodies(flat))[number][position:position] = removed.arms[0][1]
                yield flat
