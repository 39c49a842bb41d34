"""Arrays of structs on the host: structured NumPy arrays both ways, fields, views; and as arguments of kernels."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import headwater as hw
from headwater.errors import HeadwaterError, LaunchError, MemoryUseError


@dataclass(frozen=True)
class Charge:
    value: hw.float64  # type: ignore[valid-type]
    sign: hw.int8  # type: ignore[valid-type]


@dataclass(frozen=True)
class Particle:
    x: hw.vec3f  # type: ignore[valid-type]
    m: np.float32
    charge: Charge
    alive: bool


DTYPE = np.dtype(
    [
        ("x", np.float32, 3),
        ("m", np.float32),
        ("charge", [("value", np.float64), ("sign", np.int8)]),
        ("alive", np.bool_),
    ]
)


def particles(*shape: int) -> np.ndarray:
    random = np.random.default_rng(5)
    host = np.zeros(shape, DTYPE)
    host["x"] = random.random((*shape, 3))
    host["m"] = random.random(shape)
    host["charge"]["value"] = random.random(shape)
    host["charge"]["sign"] = random.integers(-1, 2, shape)
    host["alive"] = random.integers(0, 2, shape)
    return host


@pytest.mark.parametrize("shape", [(0,), (1,), (17,), (4, 5), (2, 3, 2, 2)])
def test_values_survive(device: hw.Device, shape: tuple[int, ...]) -> None:
    host = particles(*shape)
    array = device.array(host, Particle)
    assert (array.shape, array.ndim, array.size, len(array)) == (
        shape,
        len(shape),
        host.size,
        shape[0],
    )
    assert array.nbytes == host.nbytes
    assert array.dtype is Particle
    back = array.numpy()
    assert back.dtype == DTYPE
    np.testing.assert_array_equal(back, host)
    np.testing.assert_array_equal(array.copy().numpy(), host)


def test_fields_are_arrays_of_the_same_memory(device: hw.Device) -> None:
    host = particles(9)
    array = device.array(host, Particle)
    assert isinstance(array.m, hw.Array)
    np.testing.assert_array_equal(array.m.numpy(), host["m"])
    np.testing.assert_array_equal(array.charge.numpy(), host["charge"])
    np.testing.assert_array_equal(array.charge.sign.numpy(), host["charge"]["sign"])
    np.testing.assert_array_equal(array.field("x").numpy(), host["x"])
    array.m.fill(3)
    array.charge.value.write(np.arange(9.0))
    host["m"], host["charge"]["value"] = 3, np.arange(9)
    np.testing.assert_array_equal(array.numpy(), host)


def test_makers(device: hw.Device) -> None:
    assert not device.zeros(3, Particle).numpy().view(np.uint8).any()
    assert device.empty((2, 3), Particle).shape == (2, 3)
    one = Particle(hw.vec3f(1, 2, 3), np.float32(4), Charge(5.0, -1), True)
    filled = device.full(2, one, Particle).numpy()
    expected = np.zeros(2, DTYPE)
    expected[:] = ([1, 2, 3], 4, (5, -1), True)
    np.testing.assert_array_equal(filled, expected)
    swapped = np.zeros(4, np.dtype([("sign", np.int16), ("value", np.float32)]))
    swapped["sign"] = np.arange(4)
    assert device.array(swapped, Charge).numpy().tolist() == [(0, n) for n in range(4)]


def test_views(device: hw.Device) -> None:
    host = particles(4, 6)
    array = device.array(host, Particle)
    views: list[Callable[[Any], Any]] = [
        lambda a: a[1:, ::-2],
        lambda a: a[2],
        lambda a: a.T,
        lambda a: a.transpose(1, 0)[3],
        lambda a: a.reshape(8, 3),
    ]
    for view in views:
        np.testing.assert_array_equal(view(array).numpy(), view(host))
    array[1:3, ::2].fill(0)
    host[1:3, ::2] = np.zeros((), DTYPE)
    np.testing.assert_array_equal(array.numpy(), host)
    array[0, :2].write(host[2, 1:3])
    host[0, :2] = host[2, 1:3]
    np.testing.assert_array_equal(array.numpy(), host)


def test_copies_between_devices(device: hw.Device, oracle: hw.Device) -> None:
    host = particles(5)
    array = device.array(host, Particle, owner="records")
    moved = array.copy_to(oracle)
    assert (moved.device, moved.owner) == (oracle, "records")
    np.testing.assert_array_equal(moved.numpy(), host)
    array.fill(0)
    array[::-1].copy_from(moved)
    np.testing.assert_array_equal(array.numpy(), host[::-1])


def test_memory_is_that_of_the_fields(device: hw.Device) -> None:
    array = device.zeros(1000, Particle, owner="particles of a test")
    assert hw.memory_report().of(device.name, "particles of a test") >= 1000 * (12 + 4 + 9 + 1)
    kept = array.m
    del array
    gc.collect()
    assert hw.memory_report().of(device.name, "particles of a test") == 4000
    del kept
    array = device.zeros(10, Particle)
    array.free()
    assert not array.live
    with pytest.raises(MemoryUseError, match="was freed before"):
        array.free()
    with pytest.raises(MemoryUseError, match="after it was freed"):
        array.numpy()


@hw.kernel
def drift(p, dt):
    i = hw.grid(1)
    if p[i].alive:
        p[i].m = p[i].m * dt
        p.charge[i].sign = hw.int8(0)


@hw.kernel
def fields_only(m, p):
    i = hw.grid(1)
    m[i] = p.m[i] + len(p)


def test_records_as_arguments(device: hw.Device) -> None:
    host = particles(40)
    array = device.array(host, Particle)
    drift.over(40)(array, 2.0)
    alive = host["alive"]
    host["m"][alive] *= 2
    host["charge"]["sign"][alive] = 0
    np.testing.assert_array_equal(array.numpy(), host)
    drift.over(13)(array[1::3], 2.0)
    part = host[1::3]
    part["m"][part["alive"]] *= 2
    np.testing.assert_array_equal(array.numpy(), host)


def test_fields_that_share_memory_with_another_argument(device: hw.Device) -> None:
    array = device.array(particles(8), Particle)
    before = array.m.numpy()
    fields_only.over(8)(array.m, array)
    np.testing.assert_array_equal(array.m.numpy(), before + 8)


# --- errors ---------------------------------------------------------------------------------------


@dataclass
class Loose:
    x: hw.float32  # type: ignore[valid-type]


@dataclass(frozen=True)
class Weak:
    x: float


@dataclass(frozen=True)
class Maker:
    x: hw.vec3  # type: ignore[valid-type]


@dataclass(frozen=True)
class Empty:
    pass


@dataclass(frozen=True)
class Selfish:
    inner: Selfish


@dataclass(frozen=True)
class Unknown:
    x: nothing_of_that_name  # type: ignore[name-defined]  # noqa: F821


def test_dataclasses_that_are_no_elements(oracle: hw.Device) -> None:
    bad: dict[str, Any] = {
        r"(?s)'Loose' is a dataclass that is not frozen.*frozen=True": Loose,
        r"(?s)the field 'x' of 'Weak' is annotated 'float'.*hw\.float32": Weak,
        r"the field 'x' of 'Maker' is annotated 'hw\.vec3": Maker,
        "the dataclass 'Empty' has no fields": Empty,
        "the dataclass 'Selfish' holds itself": Selfish,
        r"annotations of 'Unknown' cannot be read: name 'nothing_of_that_name' is not": Unknown,
    }
    for message, kind in bad.items():
        for _ in range(2):
            with pytest.raises(HeadwaterError, match=message):
                oracle.zeros(3, kind)


def test_bad_use(oracle: hw.Device) -> None:
    array, host = oracle.zeros(4, Particle), particles(4)
    one = Charge(1.0, 1)

    def assign() -> None:
        array.m = 3

    def assign_element() -> None:
        array[0] = one

    bad: dict[str, Callable[[], object]] = {
        r"made from a structured NumPy array, not from a 'list'": lambda: oracle.array(
            [1],  # type: ignore[arg-type]
            Particle,
        ),
        r"(?s)not from a 'array of 'float64''.*dtype is \[\('x'": lambda: oracle.array(
            np.zeros(3), Particle
        ),
        "has no field 'alive'": lambda: oracle.array(host[["x", "m", "charge"]], Particle),
        "has a field 'value' too many": lambda: oracle.array(host["charge"], Weaker),
        r"(?s)a structured array is no array of 'numbers'.*array\(values, Part": lambda: (
            oracle.array(host)
        ),
        "takes values of shape": lambda: array.write(host[:2]),
        "has no field 'y'; it has 'x', 'm', 'charge', 'alive'": lambda: array.field("y"),
        r"(?s)'m' of .* is not assigned.*\.write\(": assign,
        r"(?s)elements of .* are not assigned.*\.write\(": assign_element,
        "a 'Charge' is no value of": lambda: array.fill(one),
        "cannot be copied": lambda: array.copy_from(oracle.zeros(4, Charge)),
        "is in device memory": lambda: oracle.array(array),  # type: ignore[call-overload]
        "does not fit int8": lambda: array.charge.sign.fill(200),
        "has no elements on the host": lambda: list(array),
        "one element is no view": lambda: array[1],
        "'Particle' is a dataclass; a scalar or vector type was": lambda: hw.particles.ParticleSet(
            oracle, Domain, 3, {"p": Particle}
        ),
    }
    for message, use in bad.items():
        with pytest.raises(HeadwaterError, match=message):
            use()
    with pytest.raises(AttributeError, match="has no 'y'; its fields are 'x', 'm'"):
        array.y


@dataclass(frozen=True)
class Weaker:
    sign: hw.int8  # type: ignore[valid-type]


Domain = hw.particles.Domain((0, 0, 0), (1, 1, 1))


def test_records_on_two_devices(oracle: hw.Device) -> None:
    other = hw.device("reference", backwards=1)
    with pytest.raises(LaunchError, match=r"'p\.x' is on 'reference'"):
        fields_only.over(4)(other.zeros(4), oracle.zeros(4, Particle))


def test_copies_and_pickles_are_refused(oracle: hw.Device) -> None:
    array = oracle.zeros(2, Particle)
    for take in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(HeadwaterError):
            take(array)
