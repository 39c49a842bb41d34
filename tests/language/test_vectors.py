"""Vectors of two, three and four: made, computed with component by component, stored, passed, returned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.language.bench import assert_same

import headwater as hw

VECTORS: dict[str, Any] = {
    "vec2f": hw.vec2f,
    "vec2d": hw.vec2d,
    "vec2i": hw.vec2i,
    "vec2u": hw.vec2u,
    "vec3f": hw.vec3f,
    "vec3d": hw.vec3d,
    "vec3i": hw.vec3i,
    "vec3u": hw.vec3u,
    "vec4f": hw.vec4f,
    "vec4d": hw.vec4d,
    "vec4i": hw.vec4i,
    "vec4u": hw.vec4u,
}
FLOATS = [name for name in VECTORS if name[-1] in "fd"]
COUNT = 37


def values(name: str, seed: int) -> np.ndarray:
    """Components of both signs, none of them 0."""
    kind = VECTORS[name]
    rng = np.random.default_rng(seed)
    shape = (COUNT, kind.size)
    if kind.scalar.is_float:
        return rng.uniform(1, 2, shape).astype(kind.scalar.numpy) * rng.choice(
            [-1, 1], shape
        ).astype(kind.scalar.numpy)
    low = 1 if kind.scalar.kind == "uint" else -50
    found = rng.integers(low, 50, shape)
    return np.where(found == 0, 7, found).astype(kind.scalar.numpy)


def run(device: hw.Device, configured: Any, kind: Any, *arrays: np.ndarray) -> np.ndarray:
    """The vector array that a kernel writes: its first argument."""
    out = device.zeros(arrays[0].shape[0], kind)
    configured(out, *(device.array(a, kind) for a in arrays))
    return out.numpy()


@hw.kernel(contract=False)
def ring(out, a, b):
    i = hw.grid(1)
    if i < len(a):
        out[i] = (a[i] + b[i]) * a[i] - 3 * b[i] + -a[i]


@pytest.mark.parametrize("name", VECTORS)
def test_component_arithmetic(device: hw.Device, name: str) -> None:
    a, b = values(name, 1), values(name, 2)
    found = run(device, ring.forall(COUNT), VECTORS[name], a, b)
    three = a.dtype.type(3)
    with np.errstate(over="ignore"):
        assert_same(found, (a + b) * a - three * b + -a)


@hw.kernel(contract=False)
def divided(out, a, b):
    i = hw.grid(1)
    if i < len(a):
        out[i] = a[i] * b[i].x
        out[i] += b[i] // 2


@pytest.mark.parametrize("name", VECTORS)
def test_scalars_meet_each_component(device: hw.Device, name: str) -> None:
    a, b = values(name, 3), values(name, 4)
    found = run(device, divided.forall(COUNT), VECTORS[name], a, b)
    assert_same(found, a * b[:, :1] + b // b.dtype.type(2))


@hw.kernel(contract=False)
def products(out, a, b):
    i = hw.grid(1)
    if i < len(a):
        out[i, 0] = hw.dot(a[i], b[i])
        out[i, 1] = hw.length(a[i])


@pytest.mark.parametrize("name", FLOATS)
def test_dot_and_length(device: hw.Device, name: str) -> None:
    a, b = values(name, 5), values(name, 6)
    kind = VECTORS[name]
    out = device.zeros((COUNT, 2), kind.scalar)
    products.forall(COUNT)(out, device.array(a, kind), device.array(b, kind))

    def dot(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        total = x[:, 0] * y[:, 0]
        for k in range(1, kind.size):
            total = total + x[:, k] * y[:, k]
        return total

    # Devices may be 2.5 ulp off in the root.
    found = out.numpy()
    assert_same(found[:, 0], dot(a, b))
    np.testing.assert_allclose(found[:, 1], np.sqrt(dot(a, a)), rtol=4e-7)


@hw.kernel(contract=False)
def crossed(out, a, b):
    i = hw.grid(1)
    if i < len(a):
        out[i] = hw.cross(a[i], b[i])


@pytest.mark.parametrize("name", ["vec3f", "vec3d", "vec3i"])
def test_cross(device: hw.Device, name: str) -> None:
    a, b = values(name, 7), values(name, 8)
    found = run(device, crossed.forall(COUNT), VECTORS[name], a, b)
    assert_same(found, np.cross(a, b))


@hw.kernel
def reversed2(out, a):
    i = hw.grid(1)
    if i < len(a):
        x, y = a[i]
        out[i] = hw.vec2(y, x)


@hw.kernel
def reversed3(out, a):
    i = hw.grid(1)
    if i < len(a):
        v = a[i]
        out[i] = hw.vec3(v.z, v[1], v[-3])


@hw.kernel
def reversed4(out, a):
    i = hw.grid(1)
    if i < len(a):
        out[i] = hw.vec4(a[i].w, a[i].z, a[i][1], a[i][0])


REVERSED = {2: reversed2, 3: reversed3, 4: reversed4}


@pytest.mark.parametrize("name", VECTORS)
def test_components(device: hw.Device, name: str) -> None:
    a, kind = values(name, 9), VECTORS[name]
    assert_same(run(device, REVERSED[kind.size].forall(COUNT), kind, a), a[:, ::-1])


@hw.kernel
def changed(out, a):
    i = hw.grid(1)
    if i < len(a):
        v = a[i]
        v.x = 2
        v[1] += v.x
        out[i] = v
        out[i].x *= 3
        w = v
        if v.y > 0:
            w = -w
        out[i][1] = w.y


@pytest.mark.parametrize("name", ["vec2f", "vec3i", "vec4d"])
def test_components_change(device: hw.Device, name: str) -> None:
    a = values(name, 10)
    found = run(device, changed.forall(COUNT), VECTORS[name], a)
    expected = a.copy()
    expected[:, 0] = 6
    y = a[:, 1] + a.dtype.type(2)
    expected[:, 1] = np.where(y > 0, -y, y)
    assert_same(found, expected)


@hw.function
def reflected(v, normal):
    along = hw.dot(v, normal)
    if along > 0:
        return v
    return v - 2 * along * normal


@hw.kernel(contract=False)
def bounced(out, a, normal):
    i = hw.grid(1)
    if i < len(a):
        out[i] = reflected(a[i], normal)


@pytest.mark.parametrize("name", FLOATS)
def test_vectors_as_arguments_and_results(device: hw.Device, name: str) -> None:
    a, kind = values(name, 11), VECTORS[name]
    normal = np.zeros(kind.size, a.dtype)
    normal[1] = 1
    out = device.zeros(COUNT, kind)
    bounced.forall(COUNT)(out, device.array(a, kind), kind(*normal))
    expected = a.copy()
    expected[:, 1] = abs(a[:, 1])
    assert_same(out.numpy(), expected)


ORIGIN = hw.vec4(1, 2, 3, 4)
CORNER = hw.vec2d(0.5, 0.25)


@hw.kernel
def captured(out, wide):
    out[0] = ORIGIN
    out[1] = 0.5 * ORIGIN
    wide[0] = CORNER


def test_captured_vectors(device: hw.Device) -> None:
    out, wide = device.zeros(2, hw.vec4f), device.zeros(1, hw.vec2d)
    captured[1, 1](out, wide)
    assert out.numpy().tolist() == [[1, 2, 3, 4], [0.5, 1, 1.5, 2]]
    assert wide.numpy().tolist() == [[0.5, 0.25]]


@hw.kernel
def cast(out, a):
    i = hw.grid(1)
    if i < len(a):
        out[i] = hw.vec4i(a[i])


def test_casts_of_vectors(device: hw.Device) -> None:
    a = np.array([[1.9, -1.9, 3e9, np.nan]], np.float32)
    out = device.zeros(1, hw.vec4i)
    cast[1, 1](out, device.array(a, hw.vec4f))
    assert out.numpy().tolist() == [[1, -1, 2**31 - 1, 0]]


@hw.kernel
def bits(out, a):
    i = hw.grid(1)
    if i < len(a):
        out[i] = (a[i] & 12) << 1 | a[i] % hw.vec2u(2, 3)


def test_integer_vectors_have_integer_operators(device: hw.Device) -> None:
    a = values("vec2u", 12)
    found = run(device, bits.forall(COUNT), hw.vec2u, a)
    assert_same(found, ((a & np.uint32(12)) << np.uint32(1)) | a % np.array([2, 3], np.uint32))


@hw.kernel
def staged(out, a):
    t = hw.threadIdx.x
    tile = hw.shared.array(32, a.dtype)
    own = hw.local.array((2, 2), a.dtype)
    tile[t] = a[t]
    hw.syncthreads()
    own[1, 0] = tile[31 - t]
    own[1, 0].x = tile[t].y
    own[0, 1] = own[1, 0]
    out[t] = own[0, 1]


@pytest.mark.parametrize("name", ["vec2f", "vec2i", "vec3f", "vec4f", "vec4u"])
def test_shared_and_local_arrays_of_vectors(device: hw.Device, name: str) -> None:
    a = values(name, 13)[:32]
    found = run(device, staged[1, 32], VECTORS[name], a)
    expected = a[::-1].copy()
    expected[:, 0] = a[:, 1]
    assert_same(found, expected)
