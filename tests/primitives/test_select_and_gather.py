"""Compaction and gather against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as hw
from headwater.errors import LaunchError
from headwater.primitives import Workspace, gather, select


@pytest.mark.parametrize("dtype", [np.bool_, np.int32, np.uint32])
@pytest.mark.parametrize("n", [0, 1, 2, 77, 300])
def test_select(device: hw.Device, dtype: type, n: int) -> None:
    flags = np.random.default_rng(n).integers(0, 3, n).astype(dtype)
    order, total = device.full(n, -1, hw.int32), device.full(1, -1, hw.int32)
    select(device.array(flags), order, total)
    expected = np.flatnonzero(flags)
    assert total.numpy().tolist() == [len(expected)]
    np.testing.assert_array_equal(order.numpy()[: len(expected)], expected)
    assert (order.numpy()[len(expected) :] == -1).all()


@pytest.mark.parametrize("value", [False, True])
def test_all_or_none_with_a_count(device: hw.Device, value: bool) -> None:
    order, total = device.full(50, -1, hw.int32), device.full(1, -1, hw.int32)
    flags = device.array(np.full(50, value))
    select(flags, order, total, count=device.array(np.int32([20])))
    assert total.numpy().tolist() == [20 * value]
    np.testing.assert_array_equal(order.numpy()[: 20 * value], np.arange(20 * value))


@pytest.mark.parametrize("kind", [hw.float32, hw.float64, hw.int64, hw.boolean, hw.vec3f, hw.vec3d])
def test_gather(device: hw.Device, kind: object) -> None:
    rng = np.random.default_rng(4)
    shape = (40, 3) if isinstance(kind, type(hw.vec3f)) else (40,)
    scalar = getattr(kind, "scalar", kind)
    values = rng.integers(0, 2 if kind is hw.boolean else 90, shape).astype(scalar.numpy)
    order = rng.integers(0, 40, 33).astype(np.int32)
    source, target = device.array(values, kind), device.zeros(35, kind)
    gather(target, source, device.array(order))
    np.testing.assert_array_equal(target.numpy()[:33], values[order])
    assert not target.numpy()[33:].any()
    gather(target, source, device.array(order[::-1]), count=device.array(np.int32([9])))
    np.testing.assert_array_equal(target.numpy()[:9], values[order[::-1]][:9])
    np.testing.assert_array_equal(target.numpy()[9:33], values[order][9:])
    small = device.zeros(5, kind)
    gather(small, source, device.array(order), count=device.array(np.int32([4])))
    np.testing.assert_array_equal(small.numpy()[:4], values[order][:4])


def test_a_kept_workspace_allocates_nothing(device: hw.Device) -> None:
    space = Workspace(device, "test of the workspace")
    flags, order = device.array(np.ones(64, np.int32)), device.zeros(64, hw.int32)
    total = device.zeros(1, hw.int32)
    select(flags, order, total, workspace=space)
    before = hw.memory_report().of(device.name)
    select(flags, order, total, workspace=space)
    assert hw.memory_report().of(device.name) == before
    assert hw.memory_report().of(device.name, "test of the workspace") > 0


def test_bad_arguments(device: hw.Device) -> None:
    numbers, order = device.zeros(4), device.zeros(4, hw.int32)
    with pytest.raises(LaunchError, match="cannot be gathered"):
        gather(numbers, numbers, order)
    with pytest.raises(LaunchError, match="cannot be gathered"):
        gather(numbers, device.zeros(4, hw.float64), order)
    with pytest.raises(LaunchError, match="'destination' must have at least 4"):
        gather(device.zeros(3), numbers, order)
    with pytest.raises(LaunchError, match="'flags' must hold"):
        select(numbers, order, device.zeros(1, hw.int32))
