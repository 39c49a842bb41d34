"""`breakpoint()` in a kernel: stops at the user's line, with the names of the kernel."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as hw
from headwater.errors import CompileError


@dataclass(frozen=True)
class Spring:
    rest: float
    pulls: tuple[int, int]


@hw.function
def doubled(x):
    y = x * 2.0
    if y > 9.0:
        breakpoint()
    return y


@hw.kernel
def stops(out, v, spring, n):
    i = hw.grid(1)
    mine = hw.local.array((2, 2), hw.int16)
    mine[1, 0] = i
    w = v[i]
    pair = (i, w.y > 4.0)  # noqa: F841 - seen in the debugger
    for k in range(2):
        later = k + 1
        if i == 1:
            breakpoint()
        out[i] = w.x + later
    out[i] += doubled(w.z)


class Stops:
    """Takes the debugger's place: notes where it was called, and the names there with copies of the arrays."""

    def __init__(self) -> None:
        self.places: list[tuple[str, str, int]] = []
        self.names: list[dict[str, Any]] = []
        self.arrays: list[np.ndarray] = []

    def __call__(self) -> None:
        frame = sys._getframe(1)
        code = frame.f_code
        self.places.append((code.co_filename, code.co_name, frame.f_lineno))
        names = dict(frame.f_locals)
        arrays = {name: item for name, item in names.items() if isinstance(item, np.ndarray)}
        self.arrays += arrays.values()
        self.names.append(names | {name: item.copy() for name, item in arrays.items()})


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> Stops:
    found = Stops()
    monkeypatch.setattr(sys, "breakpointhook", found)
    return found


def line_of(function: Callable[..., Any], text: str) -> int:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    first = function.__code__.co_firstlineno
    return first + next(n for n, line in enumerate(lines[first - 1 :]) if text in line)


def test_a_thread_stops_with_its_names(oracle: hw.Device, stopped: Stops) -> None:
    vectors = np.arange(12, dtype=np.float32).reshape(4, 3)
    out = oracle.zeros(4)
    stops[2, 2](out, oracle.array(vectors, hw.vec3f), Spring(0.25, (7, 8)), 5_000_000_000)
    inner = line_of(doubled.python, "breakpoint()")
    outer = line_of(stops.function, "breakpoint()")
    assert stopped.places == [
        (__file__, "stops", outer),
        (__file__, "stops", outer),
        (__file__, "doubled", inner),
        (__file__, "doubled", inner),
        (__file__, "doubled", inner),
    ]
    names = stopped.names[1]
    assert (names["i"], names["k"], names["later"], names["n"]) == (1, 1, 2, 5_000_000_000)
    assert (names["w"].x, names["w"].y, names["w"].z) == (3.0, 4.0, 5.0)
    assert names["pair"] == (1, False)
    assert (names["spring"].rest, names["spring"].pulls) == (0.25, (7, 8))
    assert names["out"].tolist() == [2.0 + 4.0, 4.0, 0.0, 0.0]
    np.testing.assert_array_equal(names["v"], vectors)
    assert names["mine"].dtype == np.int16
    assert names["mine"][1, 0] == 1
    assert (names["threadIdx"].x, names["blockIdx"].x, names["blockDim"].x) == (1, 0, 2)
    assert (stopped.names[2]["x"], stopped.names[2]["y"]) == (5.0, 10.0)


def test_arrays_are_read_only(oracle: hw.Device, stopped: Stops) -> None:
    stops[1, 2](
        oracle.zeros(4), oracle.array(np.ones((4, 3), np.float32), hw.vec3f), Spring(1.0, (1, 2)), 1
    )
    assert len(stopped.arrays) == 6
    assert not any(array.flags.writeable for array in stopped.arrays)


SCRIPT = """
import headwater as hw

@hw.kernel
def counts(out, n):
    i = hw.grid(1)
    total = i * 10
    breakpoint()
    out[i] = total

out = hw.device("reference").zeros(2, hw.int32)
counts[1, 2](out, 3)
print(out.numpy())
"""


def test_pdb(tmp_path: Path, cache_folder: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, path],
        input="p total + n, i\nc\np out, i\nc\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "program.py(8)counts()" in done.stdout
    assert "-> breakpoint()" in done.stdout
    assert "(Pdb) (3, 0)" in done.stdout
    assert "(Pdb) (array([0, 0], dtype=int32), 1)" in done.stdout
    assert done.stdout.rstrip().endswith("[ 0 10]")


def test_other_devices_do_not_stop(stopped: Stops) -> None:
    device = hw.device("cpu")
    out = device.zeros(4)
    for debug in (False, True):

        @hw.kernel(debug=debug)
        def quiet(out, n):
            breakpoint()
            out[hw.grid(1)] = 1.0

        quiet[1, 4](out, 5_000_000_000)
    assert out.numpy().tolist() == [1.0] * 4
    assert stopped.places == []


def test_it_takes_no_arguments(oracle: hw.Device) -> None:
    @hw.kernel
    def wrong(out):
        breakpoint("here")

    with pytest.raises(CompileError, match="'breakpoint' takes no arguments in a kernel"):
        wrong[1, 1](oracle.zeros(1))
