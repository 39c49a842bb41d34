"""The stable sort against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as hw
from headwater.errors import LaunchError, MemoryUseError
from headwater.primitives import Workspace, sort


def check(device: hw.Device, keys: np.ndarray, bits: int, space: Workspace | None = None) -> None:
    values = np.arange(len(keys), dtype=np.int32)
    on_device, carried = device.array(keys), device.array(values)
    sort(on_device, carried, bits=bits, workspace=space)
    order = np.argsort(keys, kind="stable")
    np.testing.assert_array_equal(on_device.numpy(), keys[order])
    np.testing.assert_array_equal(carried.numpy(), order)


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("n", [0, 1, 2, 5, 129, 300])
@pytest.mark.parametrize("bits", [1, 3, 6])
def test_few_bits(device: hw.Device, n: int, bits: int) -> None:
    keys = np.random.default_rng(n).integers(0, 1 << bits, n)
    check(device, keys.astype(np.int32), bits)
    check(device, keys.astype(np.uint32), bits)


@pytest.mark.usefixtures("form")
def test_whole_range_of_signed_and_unsigned_keys(device: hw.Device) -> None:
    rng = np.random.default_rng(2)
    limits = np.iinfo(np.int32)
    signed = rng.integers(limits.min, limits.max, 70, dtype=np.int32)
    signed[:4] = [limits.min, limits.max, -1, 0]
    check(device, signed, 32)
    check(device, signed.view(np.uint32), 32)


def test_no_bits_is_no_change(device: hw.Device) -> None:
    check(device, np.zeros(9, np.int32), 0)


def test_all_equal_and_sorted_and_reversed(device: hw.Device) -> None:
    space = Workspace(device)
    for keys in (np.full(100, 5), np.arange(100), np.arange(100)[::-1]):
        check(device, keys.astype(np.int32), 7, space)


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("limit", [0, 1, 60, 200])
def test_count_on_the_device(device: hw.Device, limit: int) -> None:
    keys = np.random.default_rng(6).integers(0, 16, 90).astype(np.int32)
    values = np.arange(90, dtype=np.int32)
    on_device, carried = device.array(keys), device.array(values)
    sort(on_device, carried, bits=4, count=device.array(np.int32([limit])))
    stop = min(limit, 90)
    order = np.concatenate([np.argsort(keys[:stop], kind="stable"), np.arange(stop, 90)])
    np.testing.assert_array_equal(on_device.numpy(), keys[order])
    np.testing.assert_array_equal(carried.numpy(), order)


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize(("n", "bits"), [(10_007, 15), (4097, 21), (70_001, 32)])
@pytest.mark.compiled
def test_many(device: hw.Device, n: int, bits: int) -> None:
    keys = np.random.default_rng(n).integers(0, 1 << bits, n, dtype=np.uint32)
    check(device, keys, bits)


def test_bad_arguments(device: hw.Device) -> None:
    keys, values = device.zeros(3, hw.int32), device.zeros(3, hw.int32)
    with pytest.raises(LaunchError, match="'keys' must hold"):
        sort(device.zeros(3), values)
    for length in (2, 4):
        with pytest.raises(LaunchError, match=f"3 keys were given with {length} values"):
            sort(keys, device.zeros(length, hw.int32))
    with pytest.raises(LaunchError, match="are one array"):
        sort(keys, keys)
    with pytest.raises(LaunchError, match="'keys' is a NumPy array, in host memory"):
        sort(keys.numpy(), values)  # type: ignore[arg-type]
    for bits in (33, -1, 1.5, None):
        with pytest.raises(LaunchError, match="0 to 32 bits"):
            sort(keys, values, bits=bits)  # type: ignore[arg-type]
    with pytest.raises(LaunchError, match="'count' must be one int32"):
        sort(keys, values, count=device.zeros(1))


@pytest.mark.compiled
def test_workspace_of_another_device(device: hw.Device, oracle: hw.Device) -> None:
    keys = device.zeros(3, hw.int32)
    with pytest.raises(MemoryUseError, match="the workspace is on"):
        sort(keys, device.zeros(3, hw.int32), workspace=Workspace(oracle))
