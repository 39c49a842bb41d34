"""The exclusive scan against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as hw
from headwater.errors import LaunchError
from headwater.primitives import Workspace, exclusive_scan


def expected(values: np.ndarray) -> np.ndarray:
    return np.cumsum(values, dtype=values.dtype) - values


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64])
@pytest.mark.parametrize("n", [0, 1, 2, 31, 33, 129, 1000])
def test_scan(device: hw.Device, dtype: type, n: int) -> None:
    values = np.random.default_rng(n).integers(0, 9, n).astype(dtype)
    source, total = device.array(values), device.full(1, 5, dtype)
    result = device.zeros(n, dtype)
    exclusive_scan(source, result, total=total)
    np.testing.assert_array_equal(result.numpy(), expected(values))
    np.testing.assert_array_equal(source.numpy(), values)
    assert total.numpy()[0] == values.sum()
    exclusive_scan(source, source)
    np.testing.assert_array_equal(source.numpy(), expected(values))


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("n", [4999, 8192, 20_000])
@pytest.mark.compiled
def test_several_blocks(device: hw.Device, n: int) -> None:
    values = np.random.default_rng(n).integers(-9, 9, n).astype(np.int32)
    result, total = device.zeros(n, hw.int32), device.zeros(1, hw.int32)
    exclusive_scan(device.array(values), result, total=total)
    np.testing.assert_array_equal(result.numpy(), expected(values))
    assert total.numpy()[0] == values.sum()


def test_several_blocks_everywhere(device: hw.Device, form: bool) -> None:
    """A little more than one run of every form."""
    n = 4100 if form else 2050
    values = np.random.default_rng(n).integers(0, 9, n).astype(np.int32)
    result, count = device.full(n, -1, hw.int32), device.array(np.int32([n - 7]))
    total = device.zeros(1, hw.int32)
    exclusive_scan(device.array(values), result, total=total, count=count)
    found = result.numpy()
    np.testing.assert_array_equal(found[: n - 7], expected(values)[: n - 7])
    assert (found[n - 7 :] == -1).all()
    assert total.numpy()[0] == values[: n - 7].sum()


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("limit", [0, 1, 40, 99])
def test_count_on_the_device(device: hw.Device, limit: int) -> None:
    values = np.random.default_rng(5).integers(0, 9, 70).astype(np.int32)
    result, total = device.full(70, -1, hw.int32), device.full(1, -1, hw.int32)
    space, count = Workspace(device), device.array(np.int32([limit]))
    exclusive_scan(device.array(values), result, total=total, count=count, workspace=space)
    stop = min(limit, 70)
    np.testing.assert_array_equal(result.numpy()[:stop], expected(values)[:stop])
    assert (result.numpy()[stop:] == -1).all()
    assert total.numpy()[0] == values[:stop].sum()


def test_sums_wrap(device: hw.Device) -> None:
    values = device.array(np.full(3, 2**31 - 1, np.int32))
    result = device.zeros(3, hw.int32)
    exclusive_scan(values, result)
    assert result.numpy().tolist() == [0, 2**31 - 1, -2]


def test_bad_arguments(device: hw.Device) -> None:
    values = device.zeros(3, hw.int32)
    with pytest.raises(LaunchError, match="'source' must hold"):
        exclusive_scan(device.zeros(3), values)
    with pytest.raises(LaunchError, match="at least 3 elements"):
        exclusive_scan(values, device.zeros(2, hw.int32))
    with pytest.raises(LaunchError, match="'total' must be one int32"):
        exclusive_scan(values, values, total=device.zeros(2, hw.int32))
