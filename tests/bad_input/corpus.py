"""Reads the corpus: wrong kernels, launches and calls, each with what must be said about it.

A file of `cases/` holds many, each of the form

    ### what is wrong
    any Python; « and » stand around what the error must point at, where it points into the user's text
    >>> a part of the message or of its hint; every such line must be found

The text runs with the names of `surroundings`. A case without « » is a plain call whose traceback shows the line.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import headwater as hw
from headwater.errors import Span
from headwater.runtime.paper import paper_device

FOLDER = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    topic: str
    name: str
    code: str
    parts: tuple[str, ...]
    # The line (from 1), and the columns where the marked text starts and ends.
    place: tuple[int, int, int] | None

    @property
    def id(self) -> str:
        return f"{self.topic}: {self.name}"

    def points_at(self, span: Span | None, file: str) -> bool:
        if self.place is None:
            return True
        line, start, end = self.place
        return span is not None and span == Span(file, line, start, line, end)


def cases() -> Iterator[Case]:
    """All cases, topic by topic."""
    for path in sorted(FOLDER.glob("*.txt")):
        for block in path.read_text(encoding="utf-8").split("### ")[1:]:
            yield _case(path.stem, block)


def _case(topic: str, block: str) -> Case:
    name, *lines = block.rstrip().split("\n")
    code = [line for line in lines if not line.startswith(">>> ")]
    parts = [line.removeprefix(">>> ") for line in lines if line.startswith(">>> ")]
    assert parts, f"the case '{name}' expects nothing"
    place = None
    for number, line in enumerate(code):
        if "«" in line:
            start, end = line.index("«"), line.index("»") - 1
            place = (number + 1, start, end)
            code[number] = line.replace("«", "").replace("»", "")
    return Case(topic, name, "\n".join(code).rstrip() + "\n", tuple(parts), place)


def surroundings(device: hw.Device) -> dict[str, Any]:
    """The names that the cases use."""
    return {
        "hw": hw,
        "np": np,
        "math": math,
        "dataclass": dataclass,
        "paper_device": paper_device,
        "device": device,
        "elsewhere": hw.device("reference", backwards=1),
        "x": device.full(64, 1.0),
        "y": device.full(64, 1.0),
        "m": device.full((8, 8), 1.0),
        "n": device.full(64, 1, hw.int32),
        "u": device.full(64, 1, hw.uint32),
        "small": device.full(64, 1, hw.int8),
        "b": device.zeros(64, hw.boolean),
        "v": device.zeros(64, hw.vec3f),
    }
