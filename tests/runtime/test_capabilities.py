"""What a device lacks is refused at the user's line, with what would work."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import headwater as hw
from headwater.errors import CapabilityError

# Each kernel takes arrays of the types that stand beside it; the line at fault is marked F.


def wide_values(out):
    out[0] = hw.float32(hw.float64(out[1]) * 2.0)  # F


def wide_integers(out):
    out[0] = hw.float32(hw.int64(out[1]) // 3)  # F


def wide_unsigned(out):
    out[0] = hw.float32(hw.uint64(out[1]) // 3)  # F


def wide_arrays(out, a):
    i = hw.grid(1)
    out[i] = hw.float32(a[i])  # F


def wide_shared(out):
    tile = hw.shared.array(4, hw.float64)
    tile[hw.threadIdx.x] = 1.0  # F


def float_atomics(out):
    hw.atomic.add(out, 0, 1.0)  # F


def wide_float_atomics(out, a):
    hw.atomic.max(a, 0, 1.0)  # F


def wide_atomics(out, a):
    hw.atomic.exch(a, 0, 1)  # F


def fences(out):
    out[0] = 1.0
    hw.threadfence()  # F


def system_fences(out):
    out[0] = 1.0
    hw.threadfence_system()  # F


CASES: list[tuple[Any, dict[str, Any], str | None, str]] = [
    (wide_values, {"float64": False}, None, "has no float64"),
    (wide_integers, {"int64": False}, None, "has no int64"),
    (wide_unsigned, {"int64": False}, None, "has no uint64"),
    (wide_arrays, {"float64": False}, "float64", "has no float64"),
    (wide_arrays, {"int64": False}, "uint64", "has no uint64"),
    (wide_shared, {"float64": False}, None, "has no float64"),
    (float_atomics, {"float_atomics": False}, None, "has no atomics on float32"),
    (wide_float_atomics, {"float64_atomics": False}, "float64", "has no atomics on float64"),
    (wide_atomics, {"int64_atomics": False}, "int64", "has no atomics on int64"),
    (wide_atomics, {"int64_atomics": False}, "uint64", "has no atomics on uint64"),
    (fences, {"device_fences": False}, None, "has no fence that orders writes between blocks"),
    (system_fences, {"device_fences": False}, None, "has no fence that orders writes"),
]


@pytest.fixture
def weakened(oracle: hw.Device, monkeypatch: pytest.MonkeyPatch) -> Callable[..., hw.Device]:
    """The interpreter with other capabilities."""

    def weaken(**changes: Any) -> hw.Device:
        there = dataclasses.replace(oracle.capabilities, **changes)
        monkeypatch.setattr(oracle.driver, "capabilities", there)
        return oracle

    return weaken


def arrays(device: hw.Device, dtype: str | None) -> list[Any]:
    return [device.zeros(4), *([] if dtype is None else [device.zeros(4, getattr(hw, dtype))])]


@pytest.mark.parametrize(("function", "lacking", "dtype", "text"), CASES)
def test_refused(
    weakened: Callable[..., hw.Device],
    function: Any,
    lacking: dict[str, Any],
    dtype: str | None,
    text: str,
) -> None:
    device = weakened(**lacking)
    with pytest.raises(CapabilityError, match=text) as caught:
        hw.kernel(function)[1, 4](*arrays(device, dtype))
    error = caught.value
    assert f"'{function.__name__}'" in error.message
    assert "'reference'" in error.message
    assert error.hint
    lines, first = inspect.getsourcelines(function)
    assert error.span is not None
    assert error.span.line == first + next(k for k, line in enumerate(lines) if "# F" in line)


@pytest.mark.parametrize(("function", "lacking", "dtype", "text"), CASES)
def test_there_where_the_device_has_it(
    oracle: hw.Device, function: Any, lacking: dict[str, Any], dtype: str | None, text: str
) -> None:
    hw.kernel(function)[1, 4](*arrays(oracle, dtype))


def test_fences_of_a_block_need_nothing(weakened: Callable[..., hw.Device]) -> None:
    @hw.kernel
    def kernel(out):
        out[0] = 1.0
        hw.threadfence_block()

    kernel[1, 4](weakened(device_fences=False).zeros(1))


def test_shared_memory_of_every_kind_counts(weakened: Callable[..., hw.Device]) -> None:
    def kernel(out):
        fixed = hw.shared.array(64, hw.float32)
        rest = hw.shared.array(0, hw.uint8)
        t = hw.threadIdx.x
        fixed[t] = 1.0
        rest[t] = 2
        out[t] = hw.shfl_sync(0xFFFFFFFF, fixed[t], 0)
        while hw.any_sync(0xFFFFFFFF, out[t] > 5.0):
            out[t] -= 1.0

    def launch(**changes: Any) -> None:
        device = weakened(**changes)
        hw.kernel(kernel)[1, 64, None, 128](device.zeros(64))

    launch(max_shared_bytes=256 + 128)
    with pytest.raises(CapabilityError) as caught:
        launch(max_shared_bytes=256 + 127)
    assert re.search(
        r"'fixed' need 256 bytes a block, the launch asks for 128 bytes of shared memory; the "
        r"device 'reference' has 383",
        caught.value.message,
    )
    # Values that lanes exchange, in two halves; the bits of two warps, three times; the counters of a loop's vote.
    added = 2 * 64 * 4 + 2 * 3 * 4 + 12
    launch(max_shared_bytes=256 + 128 + added, native_warps=False)
    with pytest.raises(CapabilityError, match=f"warp functions and votes need {added} bytes"):
        launch(max_shared_bytes=256 + 128 + added - 1, native_warps=False)


def test_matches_of_float64_need_wide_integers(weakened: Callable[..., hw.Device]) -> None:
    @hw.kernel
    def kernel(out, a):
        out[0] = hw.float32(hw.match_any_sync(0xFFFFFFFF, a[0]))

    device = weakened(int64=False, native_warps=False)
    with pytest.raises(CapabilityError, match="has no 'match_any_sync' of float64"):
        kernel[1, 4](device.zeros(1), device.array(np.zeros(1)))
