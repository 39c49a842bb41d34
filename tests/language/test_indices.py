"""Indices, sizes and shapes of launches in one, two and three dimensions; subscripts of arrays."""

from __future__ import annotations

import numpy as np
import pytest
from tests.language.bench import BLOCKS, SIZES, assert_same, blocks_for, launch

import headwater as hw


@hw.kernel(contract=False)
def saxpy(y, x, a):
    i = hw.grid(1)
    if i < x.shape[0]:
        y[i] = a * x[i] + y[i]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("block", BLOCKS)
def test_one_dimension(device: hw.Device, n: int, block: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.standard_normal((2, n)).astype(np.float32)
    out, _ = launch(saxpy[blocks_for(n, block), block], device, y, x, 2.5)
    assert_same(out, np.float32(2.5) * x + y)


@pytest.mark.parametrize("n", SIZES)
def test_forall_and_over(device: hw.Device, n: int) -> None:
    @hw.kernel(contract=False)
    def unguarded(y):
        y[hw.grid(1)] += 1

    x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
    out, _ = launch(saxpy.forall(n), device, y, x, 2.0)
    assert_same(out, 2 * x + y)
    (out,) = launch(unguarded.over(n), device, np.arange(n, dtype=np.int32))
    assert_same(out, np.arange(n, dtype=np.int32) + 1)


@pytest.mark.parametrize("count", [0, 1, 5, 33, 40, 99])
def test_over_a_count_on_the_device(device: hw.Device, count: int) -> None:
    @hw.kernel(contract=False)
    def mark(y):
        y[hw.grid(1)] = 1

    y = device.zeros(40, hw.int32)
    mark.over(device.array(np.array([count], np.int32)), capacity=40)(y)
    assert_same(y.numpy(), (np.arange(40) < count).astype(np.int32))


@hw.kernel(contract=False)
def places_2d(out):
    x, y = hw.grid(2)
    w, h = hw.gridsize(2)
    if x < out.shape[0] and y < out.shape[1]:
        out[x, y] = x * 10000 + y * 100 + w + h


@pytest.mark.parametrize("block", [(1, 1), (5, 3), (8, 4), (16, 16), (33, 2), (2, 25)])
def test_two_dimensions(device: hw.Device, block: tuple[int, int]) -> None:
    shape = (17, 15)
    grid = tuple(blocks_for(n, b) for n, b in zip(shape, block, strict=True))
    (out,) = launch(places_2d[grid, block], device, np.zeros(shape, np.int32))
    x, y = np.indices(shape)
    sizes = grid[0] * block[0] + grid[1] * block[1]
    assert_same(out, (x * 10000 + y * 100 + sizes).astype(np.int32))


@hw.kernel(contract=False)
def places_3d(out):
    x, y, z = hw.grid(3)
    if x < out.shape[0] and y < out.shape[1] and z < out.shape[2]:
        thread = hw.threadIdx.x + 10 * hw.threadIdx.y + 100 * hw.threadIdx.z
        block = hw.blockIdx.x + 10 * hw.blockIdx.y + 100 * hw.blockIdx.z
        out[x, y, z] = thread * 1000 + block


@pytest.mark.parametrize("block", [(1, 1, 1), (4, 2, 3), (3, 3, 3), (8, 4, 2), (1, 1, 25)])
def test_three_dimensions(device: hw.Device, block: tuple[int, int, int]) -> None:
    shape = (7, 5, 6)
    grid = tuple(blocks_for(n, b) for n, b in zip(shape, block, strict=True))
    (out,) = launch(places_3d[grid, block], device, np.zeros(shape, np.int32))
    place = np.indices(shape)
    weights = np.array([1, 10, 100])
    sizes = np.array(block)[:, None, None, None]
    thread = np.tensordot(weights, place % sizes, 1)
    chosen = np.tensordot(weights, place // sizes, 1)
    assert_same(out, (thread * 1000 + chosen).astype(np.int32))


def test_over_a_shape(device: hw.Device) -> None:
    @hw.kernel(contract=False)
    def fill(out):
        x, y, z = hw.grid(3)
        out[x, y, z] = x + 10 * y + 100 * z

    shape = (5, 3, 4)
    (out,) = launch(fill.over(shape), device, np.zeros(shape, np.int32))
    x, y, z = np.indices(shape)
    assert_same(out, (x + 10 * y + 100 * z).astype(np.int32))


def test_sizes_of_the_launch(device: hw.Device) -> None:
    @hw.kernel(contract=False)
    def sizes(out):
        x, y, z = hw.grid(3)
        if x == 0 and y == 0 and z == 0:
            out[0] = hw.blockDim.x
            out[1] = hw.blockDim.y
            out[2] = hw.blockDim.z
            out[3] = hw.gridDim.x
            out[4] = hw.gridDim.y
            out[5] = hw.gridDim.z

    (out,) = launch(sizes[(2, 3, 4), (5, 6, 7)], device, np.zeros(6, np.int32))
    assert_same(out, np.array([5, 6, 7, 2, 3, 4], np.int32))


def test_a_stride_loop(device: hw.Device) -> None:
    @hw.kernel(contract=False)
    def stride(out, n):
        for i in range(hw.grid(1), n, hw.gridsize(1)):
            out[i] += i

    (out,) = launch(stride[3, 25], device, np.ones(257, np.int64), 257)
    assert_same(out, np.arange(257) + 1)


def test_negative_literals_count_from_the_end(device: hw.Device) -> None:
    @hw.kernel(contract=False)
    def ends(out, a):
        if hw.grid(1) == 0:
            out[-1] = a[-1, 0]
            out[-2] = a[0, -2]

    out, _ = launch(
        ends[1, 32], device, np.zeros(4, np.int32), np.arange(12, dtype=np.int32).reshape(3, 4)
    )
    assert_same(out, np.array([0, 0, 2, 8], np.int32))


@pytest.mark.parametrize("kind", [np.int32, np.uint32, np.int64])
def test_subscripts_of_any_integer_type(device: hw.Device, kind: type) -> None:
    @hw.kernel(contract=False)
    def gather(out, a, at):
        i = hw.grid(1)
        if i < len(out):
            out[i] = a[at[i]]

    at = np.array([3, 0, 2, 2, 1], kind)
    a = np.array([10.0, 20.0, 30.0, 40.0])
    out, *_ = launch(gather.forall(5), device, np.zeros(5), a, at)
    assert_same(out, a[at])


@pytest.mark.parametrize("order", ["C", "F", "step", "transposed"])
def test_arrays_of_any_memory_layout_upload(device: hw.Device, order: str) -> None:
    @hw.kernel(contract=False)
    def double(out, a):
        x, y = hw.grid(2)
        out[x, y] = a[x, y] * 2

    base = np.arange(60, dtype=np.float32).reshape(6, 10)
    a = {"C": base, "F": np.asfortranarray(base), "step": base[::2, 1::3], "transposed": base.T}[
        order
    ]
    out, _ = launch(double.over(a.shape), device, np.zeros(a.shape, np.float32), a)
    assert_same(out, a * 2)


def test_in_place_and_the_same_array_twice(device: hw.Device) -> None:
    values = np.arange(33, dtype=np.float32)
    y = device.array(values)
    saxpy[2, 32](y, y, 3.0)
    assert_same(y.numpy(), 3 * values + values)
