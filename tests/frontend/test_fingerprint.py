"""What changes the key of a kernel, and what does not."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import headwater as hw
from headwater.frontend.fingerprint import captures

TEXT = """
import math
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple
import numpy as np
import headwater as hw

H = 0.5
KIND = hw.float32

@dataclass(frozen=True)
class Settings:
    h: float = 0.5

SETTINGS = Settings()
TABLE = np.arange(3.0)
NESTED = (1, (TABLE, "wrap"))

@dataclass(frozen=True)
class Inner:
    k: hw.int8

@dataclass(frozen=True)
class Body:
    x: hw.vec3f
    inner: Inner
    m: hw.float32 = 1.0

@hw.function
def inner(x, factor=2):
    return x * factor

@hw.function
def outer(x):
    return inner(x) + 1

class Mode(Enum):
    fast = 1

class Pair(NamedTuple):
    a: int
    b: int = 2

def kernel(y):
    acc: KIND = 0.0
    acc += H + math.pi + SETTINGS.h
    bodies = hw.local.array(2, Body)
    acc += Mode.fast.value + Pair(1).b
    acc += hw.const.array_like(TABLE)[0] + hw.const.array_like(NESTED[1][0])[0]
    y[0] = outer(acc)
"""


def fingerprint(function: Any) -> str:
    return captures(function).digest


@pytest.fixture
def module(tmp_path: Path) -> Iterator[Callable[[str], ModuleType]]:
    count = 0

    def make(text: str) -> ModuleType:
        nonlocal count
        count += 1
        path = tmp_path / f"fingerprinted_{count}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        made = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = made
        spec.loader.exec_module(made)
        return made

    yield make
    for number in range(1, count + 1):
        del sys.modules[f"fingerprinted_{number}"]


CHANGES = {
    "text": ("acc += H", "acc += 2 * H"),
    "constant": ("H = 0.5", "H = 0.25"),
    "type of a constant": ("H = 0.5", "H = np.float32(0.5)"),
    "sign of a zero": ("y[0] = outer", "y[0] = -0.0 + outer"),
    "type in an annotation": ("KIND = hw.float32", "KIND = hw.float64"),
    "field": ("h: float = 0.5", "h: float = 0.25"),
    "function": ("return inner(x) + 1", "return inner(x) + 2"),
    "function of a function": ("return x * factor", "return x + factor"),
    "default": ("factor=2", "factor=3"),
    "value of a table": ("np.arange(3.0)", "np.arange(3.0) + 1"),
    "type of a table": ("np.arange(3.0)", "np.arange(3)"),
    "shape of a table": ("np.arange(3.0)", "np.arange(3.0).reshape(3, 1)"),
    "text in a tuple": ('"wrap"', '"clamp"'),
    "type of a field": ("x: hw.vec3f", "x: hw.vec3d"),
    "type of a nested field": ("k: hw.int8", "k: hw.int16"),
    "default of a field": ("m: hw.float32 = 1.0", "m: hw.float32 = 2.0"),
    "member of an enumeration": ("fast = 1", "fast = 2"),
    "default of a named tuple": ("b: int = 2", "b: int = 3"),
    "order of fields": (
        "    inner: Inner\n    m: hw.float32 = 1.0",
        "    m: hw.float32\n    inner: Inner = None",
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_what_matters(change: tuple[str, str], module: Callable[[str], ModuleType]) -> None:
    before = fingerprint(module(TEXT).kernel)
    after = fingerprint(module(TEXT.replace(*change)).kernel)
    assert before != after


@pytest.mark.parametrize(
    "text", [TEXT, "\n\n# moved\n" + TEXT, TEXT + "\ndef unrelated():\n    pass\n"]
)
def test_what_does_not(text: str, module: Callable[[str], ModuleType]) -> None:
    assert fingerprint(module(TEXT).kernel) == fingerprint(module(text).kernel)


def closure(value: object) -> Callable[..., None]:
    def kernel(y):
        y[0] = value

    return kernel


def test_closures() -> None:
    assert fingerprint(closure(1)) == fingerprint(closure(1))
    values = [1, 2, 1.0, True, math.pi, (1, 2), (2, 1), math.floor, np.floor, hw.floor, np.sqrt]
    values += ["a", "b", np.float16(0.5), np.float32(0.5), hw.vec2(1, 2), hw.vec2(1.0, 2), hw.vec2f]
    values += [np.zeros(2), np.zeros(2, np.float32), np.zeros((2, 1)), np.dtype("int8"), hw.int8]
    assert len({fingerprint(closure(value)) for value in values}) == len(values)
