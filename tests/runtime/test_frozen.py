"""What a kernel captures has one value in all its programs."""

from __future__ import annotations

import dataclasses
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import headwater as hw
from headwater.errors import CompileError, LaunchError


@dataclasses.dataclass(frozen=True)
class Settings:
    h: float
    unused: float = 0.0


G: Any = 1
PAIR: Any = (1, 2)
SETTINGS = Settings(0.5)
unrelated: Any = 1


@hw.function
def twice(x):
    return 2 * x


@hw.function
def times_g(x):
    return x * G


@hw.kernel
def scale(out):
    """G * out; the word unrelated is in this text only."""
    i = hw.grid(1)
    if i < len(out):
        out[i] = out[i] * G


def renewed() -> hw.Kernel:
    """The kernel as if it were defined anew."""
    return hw.kernel(scale.function)


def launch(kernel: hw.Kernel, device: hw.Device, dtype: Any = hw.float32) -> float:
    out = device.full(2, 3, dtype)
    kernel[1, 2](out)
    return float(out.numpy()[0])


def test_another_value_is_an_error_at_the_next_compile(
    device: hw.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = renewed()
    assert launch(kernel, device) == 3
    monkeypatch.setitem(globals(), "G", 2)
    assert launch(kernel, device) == 3  # compiled before
    message = "(?s)captured 'G' was 1 when the kernel was first compiled and is 2 now\n.*pass it as an arg"
    with pytest.raises(LaunchError, match=message):
        launch(kernel, device, hw.float64)
    with pytest.raises(LaunchError, match="captured 'G'"):
        kernel.over(2)(device.zeros(2))
    with pytest.raises(LaunchError, match="captured 'G'"):
        kernel.ir(device.zeros(2, hw.float64))
    assert launch(renewed(), device, hw.float64) == 6
    monkeypatch.setitem(globals(), "G", 1)
    assert launch(kernel, device, hw.float64) == 3


def test_the_type_of_a_value_counts(oracle: hw.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = renewed()
    launch(kernel, oracle)
    monkeypatch.setitem(globals(), "G", np.float32(1))
    with pytest.raises(LaunchError, match=r"'G' was 1 .* is float32 1\.0 now"):
        launch(kernel, oracle, hw.float64)


def test_another_device_is_another_compile(
    device: hw.Device, oracle: hw.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    if device is oracle:
        pytest.skip("one device")
    kernel = renewed()
    launch(kernel, device)
    monkeypatch.setitem(globals(), "G", 2)
    with pytest.raises(LaunchError, match="captured 'G'"):
        launch(kernel, oracle)


def test_what_the_kernel_does_not_name_may_change(
    oracle: hw.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = renewed()
    launch(kernel, oracle)
    monkeypatch.setitem(globals(), "unrelated", 2)  # its name is in the docstring
    launch(kernel, oracle, hw.float64)


def test_a_failed_compile_freezes_nothing(
    oracle: hw.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = renewed()
    monkeypatch.setitem(globals(), "G", [1])
    with pytest.raises(CompileError, match="'G' is a 'list'"):
        launch(kernel, oracle)
    monkeypatch.setitem(globals(), "G", 2)
    assert launch(kernel, oracle) == 6


def test_members_items_and_fields(oracle: hw.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    @hw.kernel
    def members(out):
        out[hw.grid(1)] = math.pi + PAIR[0] + SETTINGS.h

    changes = {
        r"'PAIR\[0\]' was 1 .* is 7 now": (globals(), "PAIR", (7, 2)),
        r"'SETTINGS\.h' was 0.5 .* is 0.25 now": (globals(), "SETTINGS", Settings(0.25)),
        r"'math\.pi' was 3.14.* is 3 now": (vars(math), "pi", 3),
    }
    launch(members, oracle)
    for message, (space, name, value) in changes.items():
        with monkeypatch.context() as patch:
            patch.setitem(space, name, value)
            with pytest.raises(LaunchError, match=message):
                launch(members, oracle, hw.float64)
    monkeypatch.setitem(globals(), "SETTINGS", Settings(0.5, unused=1.0))
    monkeypatch.setattr(math, "tau", 6)
    launch(members, oracle, hw.float64)


def test_closures(oracle: hw.Device) -> None:
    factor = 2

    @hw.kernel
    def closed(out):
        out[hw.grid(1)] *= factor

    assert launch(closed, oracle) == 6
    factor = 5
    with pytest.raises(LaunchError, match=r"captured 'factor' was 2 .* is 5 now"):
        launch(closed, oracle, hw.float64)


def test_device_functions(oracle: hw.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    @hw.kernel
    def calls(out):
        i = hw.grid(1)
        out[i] = twice(times_g(out[i]))

    @hw.function
    def thrice(x):
        return 3 * x

    first = twice.python

    def changed() -> Any:
        def twice(x):
            return 4 * x

        twice.__qualname__ = first.__qualname__
        return hw.function(twice)

    launch(calls, oracle)
    cases = {
        "captured 'G' of the device function 'times_g' was 1 .* is 2 now": ("G", 2),
        "captured 'twice' was the device function 'twice' .* and is the .*thrice' now": (
            "twice",
            thrice,
        ),
        "(?s)the device function 'twice' is not the one that .*\n.*define the kernel again": (
            "twice",
            changed(),
        ),
    }
    for message, (name, value) in cases.items():
        with monkeypatch.context() as patch:
            patch.setitem(globals(), name, value)
            with pytest.raises(LaunchError, match=message):
                launch(calls, oracle, hw.float64)
    monkeypatch.setitem(globals(), "twice", hw.function(first))  # the same text again
    assert launch(calls, oracle, hw.float64) == 6


def test_device_functions_of_one_name(oracle: hw.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def make(factor: int) -> Any:
        @hw.function
        def scaled(x):
            return x * factor

        return scaled

    a, b, label = make(2), make(3), 1

    @hw.kernel
    def calls(out):
        """It calls two; unrelated is in this text only."""
        i = hw.grid(1)
        out[i] = a(out[i]) - b(1)
        if label == 0:
            out[i] = 0

    assert launch(calls, oracle) == 3
    monkeypatch.setitem(globals(), "unrelated", 2)
    assert launch(calls, oracle, hw.float64) == 3
    a, b = b, a
    with pytest.raises(LaunchError, match=r"'factor' of the .* 'scaled' was 2 .* is 3 now"):
        launch(calls, oracle, hw.int32)
    a, b, label = b, a, 5
    with pytest.raises(LaunchError, match=r"captured 'label' was 1 .* is 5 now"):
        launch(calls, oracle, hw.int32)


def test_attributes_of_arguments_are_no_captures(
    oracle: hw.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclasses.dataclass(frozen=True)
    class State:
        unrelated: hw.Array

    @hw.kernel
    def fill(state):
        state.unrelated[hw.grid(1)] = 1

    fill[1, 1](State(oracle.zeros(1)))
    monkeypatch.setitem(globals(), "unrelated", SimpleNamespace())
    fill[1, 1](State(oracle.zeros(1, hw.float64)))
