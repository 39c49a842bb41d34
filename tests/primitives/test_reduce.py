"""Reductions against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as hw
from headwater.errors import LaunchError
from headwater.primitives import Workspace, reduce

SIZES = [0, 1, 2, 31, 33, 1000]
TYPES = [np.int32, np.uint32, np.int64, np.float32, np.float64]
EXPECTED = {"sum": np.sum, "min": np.min, "max": np.max}


def whole_numbers(n: int, dtype: type, seed: int = 1) -> np.ndarray:
    """Values whose sums are exact in every type and order."""
    rng = np.random.default_rng(seed)
    return rng.integers(0 if dtype is np.uint32 else -50, 50, n).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("operation", ["sum", "min", "max"])
def test_reductions(device: hw.Device, operation: str, dtype: type) -> None:
    space = Workspace(device)
    for n in SIZES[1:]:
        values = whole_numbers(n, dtype)
        found = reduce(operation, device.array(values), workspace=space).numpy()
        assert found.dtype == dtype
        assert found.tolist() == [EXPECTED[operation](values)]


def test_of_nothing(device: hw.Device) -> None:
    empty = device.zeros(0, hw.float32)
    assert reduce("sum", empty).numpy().tolist() == [0]
    assert reduce("min", empty).numpy().tolist() == [np.inf]
    limits = np.iinfo(np.int32)
    assert reduce("max", device.zeros(0, hw.int32)).numpy().tolist() == [limits.min]
    none = device.zeros(1, hw.int32)
    assert reduce("max", device.zeros(9, hw.float64), count=none).numpy().tolist() == [-np.inf]


def test_several_at_once_with_a_count(device: hw.Device) -> None:
    arrays = [whole_numbers(n, np.float32, seed) for seed, n in enumerate((700, 500, 700))]
    count = device.array(np.int32([600]))
    result = device.full(4, -7.0, hw.float32)
    reduce("max", [device.array(a) for a in arrays], result, count=count)
    expected = [a[:600].max() for a in arrays]
    np.testing.assert_array_equal(result.numpy(), np.float32([*expected, -7]))


def test_min_and_max_skip_nan(device: hw.Device) -> None:
    values = device.array(np.float32([np.nan, 3, np.nan, -2, np.nan]))
    assert reduce("max", values).numpy().tolist() == [3]
    assert reduce("min", values).numpy().tolist() == [-2]


@pytest.mark.usefixtures("form")
@pytest.mark.slow
@pytest.mark.compiled
def test_many(device: hw.Device) -> None:
    rng = np.random.default_rng(3)
    values = rng.standard_normal(3_000_017).astype(np.float32)
    array = device.array(values)
    first = reduce("sum", array).numpy()
    assert abs(first[0] - values.astype(np.float64).sum()) < 0.05
    assert first.tobytes() == reduce("sum", array).numpy().tobytes()
    assert reduce("max", array).numpy()[0] == values.max()


def test_bad_arguments(device: hw.Device) -> None:
    values = device.zeros(3)
    with pytest.raises(LaunchError, match="no reduction 'product'"):
        reduce("product", values)
    with pytest.raises(LaunchError, match="'count' must be an Array on a device, not 3"):
        reduce("sum", values, count=3)  # type: ignore[arg-type]
    with pytest.raises(LaunchError, match="'source' is a NumPy array"):
        reduce("sum", values.numpy())  # type: ignore[arg-type]
    with pytest.raises(LaunchError, match="one type is needed"):
        reduce("sum", [values, device.zeros(3, hw.int32)])
    with pytest.raises(LaunchError, match="'result' must hold float32"):
        reduce("sum", values, device.zeros(1, hw.int32))
    with pytest.raises(LaunchError, match="'source' must hold"):
        reduce("sum", device.zeros(3, hw.vec3f))
    with pytest.raises(LaunchError, match="one dimension"):
        reduce("sum", device.zeros((3, 2)))
