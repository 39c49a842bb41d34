"""Kernels for the tests of `headwater show`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import headwater as hw

LIMIT = 3


@dataclass(frozen=True)
class Particle:
    x: hw.vec3f  # type: ignore[valid-type]
    m: np.float32


@dataclass(frozen=True)
class Settings:
    dt: float
    weights: hw.Array


@hw.function
def twice(x):
    return x * 2


@hw.kernel
def saxpy(a, x, y):
    i = hw.grid(1)
    if i < len(x):
        y[i] = a * x[i] + y[i]


@hw.kernel
def block_sum(x, out, n: hw.constexpr):
    tile = hw.shared.array(64, hw.float32)
    t = hw.threadIdx.x
    tile[t] = x[hw.grid(1)]
    hw.syncthreads()
    if t == 0:
        hw.atomic.add(out, 0, tile[0] * n)


@hw.kernel
def drift(p, settings):
    i = hw.grid(1)
    p[i].x += settings.dt * settings.weights[i]


@hw.kernel
def everything(t, v, mode: hw.constexpr, kind: hw.constexpr, apply: hw.constexpr):
    i = hw.grid(1)
    if mode == "fast":
        t[0][i] = kind(apply(t[1])) + v.y


@hw.kernel
def plane(a):
    i, j = hw.grid(2)
    a[j, i] = hw.float64(i)


@hw.kernel
def silent():
    hw.grid(1)


@hw.kernel
def wrong(x):
    x[0] = unknown  # noqa: F821


@hw.kernel
def density(p, grid, h):
    i = hw.grid(1)
    total = 1.0
    for _, _, r2 in grid.neighbors(i):
        total += h - r2
    p.density[i] = total
