"""The IR of small kernels, as text. `pytest --update-golden` writes the texts anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.frontend.build import VEC3F, array, build, grid_type, struct

import headwater as hw
from headwater import ir
from headwater.frontend import Guard
from headwater.types import FLOAT32, FLOAT64, INT32, WEAK_FLOAT, WEAK_INT

Golden = Callable[[str, str], None]
H = 0.5


def saxpy(y, x, a):
    i = hw.grid(1)
    if i < x.shape[0]:
        y[i] = a * x[i] + y[i]


def widened_accumulator(y, x):
    total = 0.0
    count = 0
    for k in range(len(x)):
        total += x[k]
        count += 1
    y[0] = total / count


def loops(y, n):
    k = 0
    while True:
        k += 1
        if k == 3:
            continue
        if k > n:
            break
        y[k] = k
    for j in range(n, 0, -2):
        y[j] = 2 * j


def short_circuit(y, x, i):
    if (0 <= i < len(x) and x[i] > 0.0) or y[i] == 1.0:
        y[i] = x[i] if x[i] < y[i] else 2.0
    y[0] = 1.0 if i > 3 else 2.0


def vectors(v, w, y):
    i = hw.grid(1)
    a = v[i]
    b = a + 2.0 * w[i]
    b.x = 1.0
    b.y += v[i].z
    y[i] = hw.dot(a, b) + hw.length(hw.cross(a, b))
    v[i] = -b
    v[i].z *= 0.5


def grids(y):
    x, z = hw.grid(2)
    nx, nz = hw.gridsize(2)
    y[x, z] = nx * nz + hw.threadIdx.y + hw.blockIdx.z * hw.gridDim.x + hw.blockDim.y


def shared_reduction(out, x):
    tile = hw.shared.array(hw.blockDim.x, x.dtype)
    t = hw.threadIdx.x
    i = hw.grid(1)
    tile[t] = x[i] if i < len(x) else 0.0
    hw.syncthreads()
    half = hw.blockDim.x // 2
    while half > 0:
        if t < half:
            tile[t] += tile[t + half]
        hw.syncthreads()
        half //= 2
    if t == 0:
        out[hw.blockIdx.x] = tile[-1]


@hw.function
def weight(r, h):
    """Early returns: inlined as a block of its own."""
    q = r / h
    if q < 1.0:
        return 1.0 - 1.5 * q**2
    for k in range(3):
        if q < k:
            return k * q
    return 0.0


@hw.function
def twice(value, factor=2):
    """One return at the end: no trace is left."""
    return value * factor, value


def device_functions(y, r):
    a, b = twice(weight(r, H), factor=3)
    y[0] = a + b


def neighbours(rho, v, grid, m):
    i = hw.grid(1)
    if i >= len(rho):
        return
    total = 0.0
    force = hw.vec3(0.0, 0.0, 0.0)
    for j, x_ij, r2 in grid.neighbors(i):
        total += m * hw.max(0.0, H - r2)
        force -= x_ij * hw.dot(x_ij, v[i] - v[j])
    rho[i] = total
    v[i] = force


def point_neighbours(out, grid, low):
    count = 0
    for _, _, _ in grid.neighbors(low + 1.0):
        count += 1
    out[0] = count


def structs(state, count):
    i = hw.grid(1)
    state.rho[i] = state.nested.dt * state.v[i].y
    hw.atomic.add(count, 0, 1)
    old = hw.atomic.max(state.rho, i, 2)
    state.rho[i] += old


def weak_values(x32, x64, dt, n):
    k = 0.1
    half = 0.5 * dt
    x32[0] = half * x32[1] + k
    x64[0] = half * x64[1] + k + n / 3
    x32[n] = n


KERNELS: list[tuple[Any, tuple[Any, ...]]] = [
    (saxpy, (array(), array(), WEAK_FLOAT)),
    (widened_accumulator, (array(FLOAT64), array(FLOAT32))),
    (loops, (array(INT32), WEAK_INT)),
    (short_circuit, (array(), array(), INT32)),
    (vectors, (array(VEC3F), array(VEC3F), array())),
    (grids, (array(INT32, 2),)),
    (shared_reduction, (array(), array())),
    (device_functions, (array(), FLOAT32)),
    (neighbours, (array(), array(VEC3F), grid_type((True, False, True)), WEAK_FLOAT)),
    (point_neighbours, (array(INT32), grid_type(), VEC3F)),
    (
        structs,
        (
            struct("State", rho=array(), v=array(VEC3F), nested=struct("Time", dt=WEAK_FLOAT)),
            array(INT32),
        ),
    ),
    (weak_values, (array(), array(FLOAT64), WEAK_FLOAT, WEAK_INT)),
]


@pytest.mark.parametrize(("function", "types"), KERNELS, ids=[f.__name__ for f, _ in KERNELS])
def test_text(function: Any, types: tuple[Any, ...], golden: Golden) -> None:
    kernel = build(function, *types, block=(8, 4, 1))
    golden(f"{function.__name__}.txt", ir.format_kernel(kernel))


@pytest.mark.parametrize(("name", "guard"), [("axes", Guard(2)), ("count", Guard(1, count=True))])
def test_guards(name: str, guard: Guard, golden: Golden) -> None:
    axes = guard.axes

    def over(y):
        y[hw.grid(axes)] = 1.0

    kernel = build(over, array(ndim=axes), guard=guard)
    golden(f"guard_{name}.txt", ir.format_kernel(kernel))


@pytest.mark.parametrize("repeat", range(3))
def test_lowering_repeats(repeat: int, golden: Golden) -> None:
    """Names and order do not depend on what was lowered before."""
    kernel = build(
        neighbours,
        array(),
        array(VEC3F),
        grid_type((True, False, True)),
        WEAK_FLOAT,
        block=(8, 4, 1),
    )
    golden("neighbours.txt", ir.format_kernel(kernel))
