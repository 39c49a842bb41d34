"""Views as arguments of kernels: offsets, steps, negative strides, other orders of axes, shared memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.runtime.test_views import made, on_host

import headwater as hw

VIEWS: dict[str, Callable[[Any], Any]] = {
    "part": lambda a: a[5:29],
    "odd": lambda a: a[1::2],
    "backwards": lambda a: a[::-1],
    "backwards by three": lambda a: a[33:3:-3],
    "one": lambda a: a[7:8],
}
PLANES: dict[str, Callable[[Any], Any]] = {
    "rows": lambda a: a[1:4],
    "block": lambda a: a[1:-1, 2:-2],
    "stepped": lambda a: a[::2, ::3],
    "flipped": lambda a: a[::-1, ::-2],
    "transposed": lambda a: a.T,
    "transposed block": lambda a: a[1:, 3:].T,
    "reshaped": lambda a: a.reshape(15, -1),
}
DTYPES = ("float32", "int8", "uint16", "int64", "float16", "vec2i", "vec3f", "vec4d")


@hw.kernel
def copy(out, x):
    i = hw.grid(1)
    if i < len(x):
        out[i] = x[i]


@hw.kernel
def copy2(out, x):
    i, j = hw.grid(2)
    if i < x.shape[1] and j < x.shape[0]:
        out[j, i] = x[j, i]


@hw.kernel
def copy4(out, x):
    i, j, k = hw.grid(3)
    if i < x.shape[3] and j < x.shape[2] and k < x.shape[1]:
        for n in range(x.shape[0]):
            out[n, k, j, i] = x[n, k, j, i]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", VIEWS)
def test_reading_and_writing_a_view(device: hw.Device, dtype: str, name: str) -> None:
    view, kind = VIEWS[name], getattr(hw, dtype)
    array, host = made(device, dtype, (40,))
    part = view(array)
    expected = on_host(view, host, dtype)
    out = device.zeros(len(part), kind)
    copy.forall(40)(out, part)
    np.testing.assert_array_equal(out.numpy(), expected)
    target = device.zeros(40, kind)
    copy.forall(40)(view(target), out)
    positions = on_host(view, np.arange(host.size).reshape(host.shape), dtype)
    written = np.zeros_like(host)
    written.reshape(-1)[positions] = expected
    np.testing.assert_array_equal(target.numpy(), written)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PLANES)
def test_views_of_two_dimensions(device: hw.Device, dtype: str, name: str) -> None:
    view, kind = PLANES[name], getattr(hw, dtype)
    array, host = made(device, dtype, (6, 20))
    part, expected = view(array), on_host(view, host, dtype)
    out = device.zeros(part.shape, kind)
    rows, columns = part.shape
    copy2[(-(-columns // 8), -(-rows // 4)), (8, 4)](out, part)
    np.testing.assert_array_equal(out.numpy(), expected)
    target = device.zeros((6, 20), kind)
    copy2[(-(-columns // 8), -(-rows // 4)), (8, 4)](view(target), out)
    positions = on_host(view, np.arange(host.size).reshape(host.shape), dtype)
    written = np.zeros_like(host)
    written.reshape(-1)[positions] = expected
    np.testing.assert_array_equal(target.numpy(), written)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a,
        lambda a: a[1:, ::-1, 2:, ::2],
        lambda a: a.T,
        lambda a: a.transpose(1, 3, 0, 2),
        lambda a: a.transpose(2, 0, 3, 1)[::-1],
    ],
)
def test_four_dimensions(device: hw.Device, view: Callable[[Any], Any]) -> None:
    array, host = made(device, "float32", (3, 4, 5, 6))
    part, expected = view(array), view(host)
    out = device.zeros(part.shape)
    copy4[(1, 1, 1), (8, 8, 8)](out, part)
    np.testing.assert_array_equal(out.numpy(), expected)


@hw.kernel
def add(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = a[i] + b[i]


def test_views_of_one_array_beside_each_other(device: hw.Device) -> None:
    array = device.array(np.arange(60, dtype=np.float32))
    host = array.numpy()
    add.forall(20)(array[:20], array[20:40], array[59:39:-1])
    host[:20] = host[20:40] + host[59:39:-1]
    np.testing.assert_array_equal(array.numpy(), host)
    add.forall(20)(array[::3], array[1::3], array[2::3])
    host[::3] = host[1::3] + host[2::3]
    np.testing.assert_array_equal(array.numpy(), host)
    add.forall(60)(array, array, array)
    np.testing.assert_array_equal(array.numpy(), host * 2)


@hw.kernel
def count(bins, x):
    i = hw.grid(1)
    if i < len(x):
        hw.atomic.add(bins, x[i], 1)


def test_atomics_on_a_view(device: hw.Device) -> None:
    random = np.random.default_rng(3)
    x = random.integers(0, 5, 200).astype(np.int32)
    bins = device.zeros(30, hw.int32)
    count.forall(200)(bins[4::5], device.array(x))
    expected = np.zeros(30, np.int32)
    expected[4::5][:5] = np.bincount(x, minlength=5)
    np.testing.assert_array_equal(bins.numpy(), expected)


@hw.kernel
def halo(out, x):
    tile = hw.shared.array((10, 34), hw.float32)
    i, j = hw.grid(2)
    s, t = hw.threadIdx.x, hw.threadIdx.y
    tile[t, s] = x[min(j, x.shape[0] - 1), min(i, x.shape[1] - 1)]
    hw.syncthreads()
    if i < x.shape[1] and j < x.shape[0]:
        left = tile[t, max(s - 1, 0)]
        out[j, i] = left + tile[t, s]


def test_barriers_and_views(device: hw.Device) -> None:
    array, host = made(device, "float32", (20, 30))
    x, view = host[2:18:2, ::-1], array[2:18:2, ::-1]
    out = device.zeros((16, 60))
    halo[(1, 1), (32, 8)](out[::2, ::2], view)
    expected = np.zeros((16, 60), np.float32)
    shifted = np.concatenate([x[:, :1], x[:, :-1]], axis=1)
    expected[::2, ::2] = shifted + x
    np.testing.assert_array_equal(out.numpy(), expected)


def test_an_empty_view(device: hw.Device) -> None:
    array = device.full(10, 1)
    copy.forall(10)(array, array[3:3])
    copy.over(0)(array[:0], array)
    assert array.numpy().tolist() == [1] * 10


def test_primitives_take_views(device: hw.Device) -> None:
    host = np.arange(1000, dtype=np.int32) % 37
    array = device.array(host)
    total = hw.primitives.reduce("sum", array[7:900:3])
    assert total.numpy()[0] == host[7:900:3].sum()
    sums = device.zeros(300, hw.int32)
    hw.primitives.exclusive_scan(array[899:0:-3], sums)
    np.testing.assert_array_equal(sums.numpy()[1:], np.cumsum(host[899:0:-3])[:-1])


def test_a_count_may_be_a_view(device: hw.Device) -> None:
    numbers = device.array(np.array([0, 5, 9], np.int32))
    out, x = device.zeros(10), device.full(10, 2)
    copy.over(numbers[1:2], capacity=10)(out, x)
    assert out.numpy().tolist() == [2] * 5 + [0] * 5
    with pytest.raises(hw.errors.LaunchError, match="writes the array that counts its threads"):
        copy.over(numbers[1:2], capacity=3)(numbers, device.zeros(3, hw.int32))
