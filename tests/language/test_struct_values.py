"""Structs: as arguments, made in kernels, in variables, through device functions, and as elements of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from tests.language.bench import assert_same

import headwater as hw
from headwater.errors import CompileError

COUNT = 40


@dataclass(frozen=True)
class Particle:
    x: hw.vec3f
    v: hw.vec3f
    m: hw.float32
    kind: hw.uint8 = 0


@dataclass(frozen=True)
class Pair:
    first: Particle
    weight: hw.float32
    count: hw.int32


@dataclass(frozen=True)
class Counted:
    m: hw.float32
    x: hw.vec2f
    kind32: hw.uint32


@dataclass(frozen=True)
class Settings:
    dt: float
    limit: float = 1.0
    on: bool = True


def particles(seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    found = np.zeros(COUNT, hw.types.record_type(Particle).numpy)
    for name in ("x", "v"):
        found[name] = rng.integers(-8, 9, (COUNT, 3))
    found["m"] = rng.integers(1, 9, COUNT)
    found["kind"] = rng.integers(0, 255, COUNT)
    return found


# --- arrays of structs ----------------------------------------------------------------------------


@hw.kernel(contract=False)
def moved(p, dt):
    i = hw.grid(1)
    if i < len(p):
        p[i].x += dt * p[i].v
        p[i].v.y -= dt
        p[i].kind += 1


def test_fields_of_elements(device: hw.Device) -> None:
    given = particles()
    sent = device.array(given, Particle)
    moved.forall(COUNT)(sent, 0.5)
    given["x"] += np.float32(0.5) * given["v"]
    given["v"][:, 1] -= np.float32(0.5)
    given["kind"] += np.uint8(1)
    assert_same(sent.numpy(), given)


@hw.kernel
def by_text(out, p):
    i = hw.grid(1)
    if i < len(p):
        p[i]["m"] += 1
        one = p[i]
        out[i] = one["m"] + p["kind"][i] + p[i]["v"].y + p["x"][i][0]


def test_fields_by_text(device: hw.Device) -> None:
    given = particles()
    out, sent = device.zeros(COUNT), device.array(given, Particle)
    by_text.forall(COUNT)(out, sent)
    given["m"] += 1
    assert_same(sent.numpy(), given)
    expected = given["m"] + given["kind"] + given["v"][:, 1] + given["x"][:, 0]
    assert_same(out.numpy(), expected.astype(np.float32))


@hw.kernel
def copied(out, p):
    i = hw.grid(1)
    if i < len(p):
        one = p[i]
        other = p[len(p) - 1 - i]
        out[i] = one
        if one.m < other.m:
            out[i] = other
        out[i].m = one.m + other.m


def test_whole_elements(device: hw.Device) -> None:
    given = particles()
    out = device.zeros(COUNT, Particle)
    copied.forall(COUNT)(out, device.array(given, Particle))
    other = given[::-1]
    expected = np.where(given["m"] < other["m"], other, given)
    expected["m"] = given["m"] + other["m"]
    assert_same(out.numpy(), expected)


@hw.kernel
def made(out, n):
    i = hw.grid(1)
    if i < len(out):
        out[i] = Particle(hw.vec3(i, 2 * i, 0.5), v=hw.vec3f(0, 0, n), m=i * n)
        if i % 2 == 0:
            out[i] = Particle(out[i].x, out[i].v, 7, kind=i)


def test_elements_made_in_a_kernel(device: hw.Device) -> None:
    out = device.zeros(COUNT, Particle)
    made.forall(COUNT)(out, 3)
    i = np.arange(COUNT)
    expected = np.zeros(COUNT, hw.types.record_type(Particle).numpy)
    expected["x"] = np.stack([i, 2 * i, np.full(COUNT, 0.5)], axis=1)
    expected["v"][:, 2] = 3
    expected["m"] = np.where(i % 2 == 0, 7, i * 3)
    expected["kind"] = np.where(i % 2 == 0, i, 0)
    assert_same(out.numpy(), expected)


@hw.kernel
def nested(out, p):
    i = hw.grid(1)
    if i < len(out):
        out[i] = Pair(p[i], 0.25, i)
        out[i].first.x.z = out[i].weight
        inner = out[i].first
        out[i].count += hw.int32(inner.m)


def test_structs_in_structs(device: hw.Device) -> None:
    given = particles()
    out = device.zeros(COUNT, Pair)
    nested.forall(COUNT)(out, device.array(given, Particle))
    found = out.numpy()
    given["x"][:, 2] = 0.25
    assert_same(found["first"], given)
    assert_same(found["weight"], np.full(COUNT, 0.25, np.float32))
    assert_same(found["count"], (np.arange(COUNT) + given["m"]).astype(np.int32))


@hw.function
def total_mass(p):
    total = 0.0
    for k in range(p.shape[0]):
        total += p[k].m
    return total


@hw.kernel
def parts(out, p, grid):
    i = hw.grid(1)
    if i < len(out):
        out[i] = total_mass(p[i : i + 4]) + p.m[i] + len(p.x) + p.T[i].m
        grid[i % 4, 1].m = i
        row = grid[i % 4]
        row[0] = row[1]
        hw.atomic.add(grid[i % 4].m, 2, 1)
        hw.atomic.add(p.kind32, i % 2, 1)


def test_views_and_fields_of_arrays_of_structs(device: hw.Device) -> None:
    given = np.zeros(8, hw.types.record_type(Counted).numpy)
    given["m"] = np.arange(8)
    p, grid = device.array(given, Counted), device.zeros((4, 3), Counted)
    out = device.zeros(4)
    parts.forall(4)(out, p, grid)
    m = given["m"]
    expected = [m[i : i + 4].sum() + m[i] + 8 + m[i] for i in range(4)]
    assert_same(out.numpy(), np.array(expected, np.float32))
    assert_same(grid.numpy()["m"], np.array([[i, i, 1] for i in range(4)], np.float32))
    assert_same(p.numpy()["kind32"], np.array([2, 2, 0, 0, 0, 0, 0, 0], np.uint32))


@hw.kernel
def staged(out, p):
    tile = hw.shared.array(32, Particle)
    t = hw.threadIdx.x
    tile[t] = p[t]
    tile[t].kind = t
    hw.syncthreads()
    out[t] = tile[31 - t]


def test_shared_arrays_of_structs(device: hw.Device) -> None:
    given = particles()[:32]
    out = device.zeros(32, Particle)
    staged[1, 32](out, device.array(given, Particle))
    given["kind"] = np.arange(32)
    assert_same(out.numpy(), given[::-1])


# --- values ---------------------------------------------------------------------------------------


@hw.function
def heavier(a, b):
    if a.m >= b.m:
        return a
    return b


@hw.function
def advanced(p, settings):
    return Particle(p.x + settings.dt * p.v, p.v, p.m, p.kind)


@hw.kernel(contract=False)
def tournament(out, p, settings):
    i = hw.grid(1)
    if i < len(out):
        best = p[i]
        for k in range(1, 4):
            best = heavier(best, p[(i + k) % len(p)])
        best = advanced(best, settings)
        if settings.on:
            best.v.x = settings.limit
            best.kind = 3
        out[i] = best


def test_variables_arguments_and_results(device: hw.Device) -> None:
    given = particles()
    given["m"] = np.random.default_rng(5).permutation(COUNT)
    out = device.zeros(COUNT, Particle)
    sent = device.array(given, Particle)
    tournament.forall(COUNT)(out, sent, Settings(0.25, limit=2.0))
    rows = np.stack([np.roll(np.arange(COUNT), -k) for k in range(4)])
    best = given[rows[given["m"][rows].argmax(0), np.arange(COUNT)]].copy()
    best["x"] += np.float32(0.25) * best["v"]
    best["v"][:, 0] = 2
    best["kind"] = 3
    assert_same(out.numpy(), best)


FIXED = Settings(dt=0.5, limit=4.0)
START = Particle(hw.vec3(1, 2, 3), hw.vec3(0, 0, 1), 2.0, 9)


def test_captured_structs_are_values(device: hw.Device) -> None:
    @hw.kernel
    def kernel(out, given, n):
        s = FIXED
        for _ in range(n):
            s = given
        p = START
        if n > 100:
            p = out[0]
        out[0] = p
        out[1] = START
        out[1].m = s.dt + s.limit if s.on else 0.0
        out[2] = out[0] if n < 0 else START

    for n, m in ((0, 4.5), (1, 0.0)):
        out = device.zeros(3, Particle)
        kernel[1, 1](out, Settings(8.0, 16.0, on=False), n)
        found = out.numpy()
        assert found["x"].tolist() == [[1, 2, 3]] * 3
        assert found["m"].tolist() == [2, m, 2]
        assert found["kind"].tolist() == [9, 9, 9]


@hw.kernel
def chosen(out, p):
    i = hw.grid(1)
    if i < len(out):
        a, b = p[i], p[0]
        out[i] = hw.select(a.m > b.m, a, b)
        a, b = b, a
        if a.m == b.m:
            a.m = 100
        out[i].kind = hw.uint8(a.m)


def test_structs_are_selected_and_swapped(device: hw.Device) -> None:
    given = particles()
    out = device.zeros(COUNT, Particle)
    chosen.forall(COUNT)(out, device.array(given, Particle))
    expected = np.where(given["m"] > given["m"][0], given, given[0])
    expected["kind"] = np.where(given["m"] == given["m"][0], 100, given["m"][0])
    assert_same(out.numpy(), expected)


@dataclass(frozen=True)
class Bundle:
    values: Any
    offset: Any
    inner: Any


@hw.function
def at(bundle, k):
    return bundle.values[k] + bundle.offset


@hw.kernel
def bundled(out, bundle):
    i = hw.grid(1)
    if i < len(out):
        mine = Bundle(bundle.values[1:], offset=10 * bundle.inner.dt, inner=bundle.inner)
        out[i] = at(bundle, i) + at(mine, i)


def test_structs_that_hold_arrays(device: hw.Device) -> None:
    values = np.arange(6, dtype=np.float32)
    out = device.zeros(5)
    bundled.forall(5)(out, Bundle(device.array(values), 0.5, Settings(2.0)))
    assert_same(out.numpy(), values[:5] + np.float32(0.5) + values[1:] + 20)


# --- what is wrong --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Checked:
    m: hw.float32

    def __post_init__(self) -> None:
        """Nothing."""


@hw.kernel
def no_field(p):
    p[0].mass = 1


@hw.kernel
def missing(p):
    p[0] = Particle(p[0].x, m=1)


@hw.kernel
def wrong_field(p):
    p[0] = Particle(1.0, p[0].v, 2)


@hw.kernel
def float_to_integer(p):
    p[0] = Particle(p[0].x, p[0].v, 2, p[0].m)


@hw.kernel
def other_kind(p):
    p[0] = Settings(1.0)


@hw.kernel
def own_constructor(p):
    p[0] = Checked(1.0)


@hw.kernel
def mixed(p):
    q = p[0]
    q = 1.0
    p[0].m = q


@hw.kernel
def two_kinds(p):
    q = p[0]
    if q.m > 0:
        q = FIXED
    p[0].m = q.m


@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        (no_field, "'Particle' has no field 'mass'"),
        (missing, "'Particle' needs the field 'v'"),
        (wrong_field, "the field 'x' of 'Particle' is a vec3<float32>, and a weak float was given"),
        (float_to_integer, "the field 'kind' is a uint8, and a float32 was given"),
        (other_kind, "'p' holds 'Particle', and a struct .'Settings'. cannot be stored in it"),
        (own_constructor, "'Checked' has a constructor of its own, which a kernel does not run"),
        (mixed, "'q' is assigned types that do not join: 'Particle' before, a weak float here"),
        (
            two_kinds,
            "'q' is assigned types that do not join: 'Particle' before, a struct .'Settings'",
        ),
    ],
)
def test_wrong_structs(kernel: hw.Kernel, sentence: str) -> None:
    device = hw.device("reference")
    with pytest.raises(CompileError, match=sentence):
        kernel[1, 1](device.zeros(2, Particle))
