"""Vectors, structs, captured constants and device functions."""

from __future__ import annotations

import math
import runpy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.language.bench import SIZES, assert_same, blocks_for, launch

import headwater as hw

VECTORS = ("float32", "float64")


# --- vec3 ---


@hw.kernel(contract=False)
def vector_arithmetic(out, a, b, s):
    i = hw.grid(1)
    if i < out.shape[0]:
        out[i, 0] = a[i] + b[i]
        out[i, 1] = a[i] - b[i]
        out[i, 2] = a[i] * b[i]
        out[i, 3] = a[i] / b[i]
        out[i, 4] = a[i] * s[i]
        out[i, 5] = s[i] * a[i]
        out[i, 6] = a[i] / s[i]
        out[i, 7] = -a[i]
        out[i, 8] = hw.cross(a[i], b[i])
        out[i, 9] = 2.0 * a[i] + hw.vec3(s[i], a[i].y, b[i][2])


def vector_pair(n: int, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    a, b = rng.standard_normal((2, n, 3)).astype(kind)
    return a, b, rng.standard_normal(n).astype(kind)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", VECTORS)
def test_vector_arithmetic(device: hw.Device, kind: str, n: int) -> None:
    a, b, s = vector_pair(n, kind)
    blank = ("vec", np.zeros((n, 10, 3), kind))
    out, *_ = launch(
        vector_arithmetic[blocks_for(n, 25), 25], device, blank, ("vec", a), ("vec", b), s
    )
    column = s[:, None]
    (ax, ay, az), (bx, by, bz) = a.T, b.T
    cross = np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=1)
    made = np.array(2, kind) * a + np.stack([s, ay, bz], axis=1)
    rows = [a + b, a - b, a * b, a / b, a * column, column * a, a / column, -a, cross, made]
    assert_same(out, np.stack(rows, axis=1))


@hw.kernel(contract=False)
def vector_products(out, a, b):
    i = hw.grid(1)
    if i < out.shape[0]:
        out[i, 0] = hw.dot(a[i], b[i])
        out[i, 1] = hw.length(a[i])
        out[i, 2] = a[i].x + a[i].y * a[i].z


@pytest.mark.parametrize("kind", VECTORS)
def test_vector_products(device: hw.Device, kind: str) -> None:
    a, b, _ = vector_pair(33, kind)
    out, *_ = launch(
        vector_products.forall(33), device, np.zeros((33, 3), kind), ("vec", a), ("vec", b)
    )
    dot = (a * b)[:, 0] + (a * b)[:, 1] + (a * b)[:, 2]
    squares = (a * a)[:, 0] + (a * a)[:, 1] + (a * a)[:, 2]
    assert_same(out, np.stack([dot, np.sqrt(squares), a[:, 0] + a[:, 1] * a[:, 2]], axis=1))


@hw.kernel(contract=False)
def vector_sums(out, a, trips):
    i = hw.grid(1)
    if i < len(out):
        total = hw.vec3(0.0, 0.0, 0.0)
        for k in range(trips[i]):
            if k == 2:
                continue
            total += a[k] * hw.float32(k + 1)
        out[i] = total


def test_vector_variables_in_divergent_loops(device: hw.Device) -> None:
    a, _, _ = vector_pair(8, "float32")
    trips = np.arange(17, dtype=np.int32) % 8
    blank = ("vec", np.zeros((17, 3), np.float32))
    out, *_ = launch(vector_sums[1, 32], device, blank, ("vec", a), trips)
    expected = np.zeros((17, 3), np.float32)
    for i, count in enumerate(trips.tolist()):
        for k in range(count):
            if k != 2:
                expected[i] += a[k] * np.float32(k + 1)
    assert_same(out, expected)


def test_integer_vectors(device: hw.Device) -> None:
    @hw.kernel(contract=False)
    def cells(out, a):
        i = hw.grid(1)
        if i < len(out):
            out[i] = a[i] * 2 + hw.vec3(i, 1, a[i].x)

    a = np.arange(15, dtype=np.int32).reshape(5, 3)
    out, _ = launch(cells.forall(5), device, ("vec", np.zeros_like(a)), ("vec", a))
    assert_same(out, a * 2 + np.stack([np.arange(5), np.ones(5), a[:, 0]], axis=1).astype(np.int32))


def test_vector_elements_of_a_plane(device: hw.Device) -> None:
    @hw.kernel(contract=False)
    def move(out, a):
        x, y = hw.grid(2)
        out[y, x] = a[x, y]

    a = np.arange(5 * 4 * 3, dtype=np.float64).reshape(5, 4, 3)
    out, _ = launch(move.over((5, 4)), device, ("vec", np.zeros((4, 5, 3))), ("vec", a))
    assert_same(out, a.transpose(1, 0, 2))


# --- structs ---


@dataclass(frozen=True)
class Material:
    density: Any
    stiffness: float
    power: int


@dataclass(frozen=True)
class State:
    pressure: Any
    position: Any
    material: Material


@hw.kernel(contract=False)
def update(state, scale):
    i = hw.grid(1)
    if i < len(state.pressure):
        ratio = state.material.density[i] * scale
        state.pressure[i] = ratio**2 * state.material.stiffness + state.material.power
        state.position[i] = state.position[i] * ratio


@pytest.mark.parametrize("kind", VECTORS)
def test_nested_structs(device: hw.Device, kind: str) -> None:
    density, position = np.linspace(0.5, 2, 33).astype(kind), vector_pair(33, kind)[0]
    vectors = hw.vec3f if kind == "float32" else hw.vec3d
    state = State(
        device.zeros(33, getattr(hw, kind)),
        device.array(position, vectors),
        Material(device.array(density), 0.1, 3),
    )
    update[2, 32](state, 1.5)
    ratio = density * np.array(1.5, kind)
    expected = ratio * ratio * np.array(0.1, kind) + np.array(3, kind)
    assert_same(state.pressure.numpy(), expected)
    assert_same(state.position.numpy(), position * ratio[:, None])


# --- captured constants ---

FACTOR = 3
SCALE = np.float32(0.1)


def test_captured_constants(device: hw.Device) -> None:
    offset, flag = 0.25, True

    @hw.kernel(contract=False)
    def captured(out, a):
        i = hw.grid(1)
        if i < len(out):
            out[i] = a[i] * FACTOR + offset + math.pi
            if flag:
                out[i] *= SCALE

    a = np.arange(9, dtype=np.float32)
    out, _ = launch(captured.forall(9), device, np.zeros(9, np.float32), a)
    value = a * np.float32(3) + np.float32(0.25) + np.float32(math.pi)
    assert_same(out, value * SCALE)


def test_constants_divided_by_zero_follow_the_language(device: hw.Device) -> None:
    @hw.kernel
    def divide(out, a, zero):
        out[0] = 5 // 0
        out[1] = -7 % 0
        out[2] = hw.int32(-5) // 0
        out[3] = hw.uint32(7) % False
        out[4] = a // zero
        out[5] = a % zero

    out = device.full(6, -1, hw.int32)
    divide[1, 1](out, 5, 0)
    assert out.numpy().tolist() == [0, -7, 0, 7, 0, 5]


def test_sums_of_many_terms(device: hw.Device, tmp_path: Path) -> None:
    weak, strong = " + ".join(["a"] * 700), " + ".join(["out[2]"] * 700)
    path = tmp_path / "long.py"
    path.write_text(f"def add(out, a):\n    out[0] = {weak}\n    out[1] = {strong}\n")
    out = device.full(3, 2, hw.int32)
    hw.kernel(runpy.run_path(str(path))["add"])[1, 1](out, 3)
    assert out.numpy().tolist() == [2100, 1400, 2]


# --- device functions ---


@hw.function
def first_divisor(n):
    """The smallest divisor above one: returns from inside its loop."""
    if n < 2:
        return 0
    for k in range(2, n):
        if n % k == 0:
            return k
        if k * k > n:
            break
    return n


@hw.function
def ordered(a, b):
    if a < b:
        return a, b
    return b, a


@hw.function
def reflected(v, n):
    return v - 2 * hw.dot(v, n) * n


@hw.function
def put(out, i, value):
    if value < 0:
        return
    out[i] = value


@hw.kernel(contract=False)
def use_functions(out, a):
    i = hw.grid(1)
    if i < len(out):
        total = 0
        for k in range(a[i] % 4):
            total += first_divisor(a[i] + k)
        low, high = ordered(total, a[i])
        put(out, i, high * 1000 + low - 2000)


def first_divisor_in_python(n: int) -> int:
    return next((k for k in range(2, n + 1) if n % k == 0), 0)


@pytest.mark.parametrize("n", SIZES)
def test_functions_that_return_early(device: hw.Device, n: int) -> None:
    a = np.arange(n, dtype=np.int32) * 13 % 71
    out, _ = launch(use_functions[blocks_for(n, 33), 33], device, np.full(n, -7, np.int32), a)
    expected = []
    for value in a.tolist():
        total = sum(first_divisor_in_python(value + k) for k in range(value % 4))
        result = max(total, value) * 1000 + min(total, value) - 2000
        expected.append(result if result >= 0 else -7)
    assert_same(out, np.array(expected, np.int32))


def test_functions_of_vectors(device: hw.Device) -> None:
    @hw.kernel(contract=False)
    def mirror(out, v):
        i = hw.grid(1)
        if i < len(out):
            out[i] = reflected(v[i], hw.vec3(0.0, 0.0, 1.0))

    v, _, _ = vector_pair(17, "float32")
    out, _ = launch(mirror.forall(17), device, ("vec", np.zeros_like(v)), ("vec", v))
    assert np.array_equal(out, v * np.array([1, 1, -1], np.float32))


def test_a_function_at_two_types(device: hw.Device) -> None:
    @hw.kernel(contract=False)
    def twice(ints, floats):
        i = hw.grid(1)
        if i < len(ints):
            low, high = ordered(ints[i], 4)
            ints[i] = high - low
            low_float, high_float = ordered(floats[i], 0.5)
            floats[i] = high_float - low_float

    ints, floats = np.arange(9, dtype=np.int64), np.linspace(0, 1, 9)
    whole, parts = launch(twice.forall(9), device, ints, floats)
    assert_same(whole, abs(ints - 4))
    assert_same(parts, np.maximum(floats, 0.5) - np.minimum(floats, 0.5))


def test_uniform_says_what_all_threads_agree_on(device: hw.Device) -> None:
    @hw.kernel(contract=False)
    def rounds(out, limits):
        tile = hw.shared.array(32, hw.int32)
        t = hw.threadIdx.x
        tile[t] = t
        for k in range(hw.uniform(limits[t // 32])):
            hw.syncthreads()
            value = tile[(t + 1) % 32]
            hw.syncthreads()
            tile[t] = value + k
        out[hw.grid(1)] = tile[t]

    out, _ = launch(rounds[1, 32], device, np.zeros(32, np.int32), np.array([3], np.int32))
    assert_same(out, ((np.arange(32) + 3) % 32 + 3).astype(np.int32))
