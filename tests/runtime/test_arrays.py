"""Arrays: values survive both ways, wrong input is refused, nothing converts by itself."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import headwater as hw
from headwater.errors import HeadwaterError, MemoryUseError

SCALARS = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()
VECTORS = [f"vec{size}{kind}" for size in (2, 3, 4) for kind in "fdiu"]


def values_of(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    random = np.random.default_rng(7)
    return random.integers(0, 100, shape).astype(dtype)


@pytest.mark.parametrize("dtype", SCALARS)
@pytest.mark.parametrize("shape", [(0,), (1,), (17,), (4, 5), (2, 0), (3, 4, 5), (2, 1, 3, 4)])
def test_values_survive(device: hw.Device, dtype: str, shape: tuple[int, ...]) -> None:
    host = values_of(dtype, shape)
    array = device.array(host)
    assert (array.shape, array.ndim, array.size, array.nbytes) == (
        host.shape,
        host.ndim,
        host.size,
        host.nbytes,
    )
    assert str(array.dtype) == dtype
    back = array.numpy()
    assert back.dtype == host.dtype
    np.testing.assert_array_equal(back, host)
    back[...] = 1  # a copy: the array does not change
    np.testing.assert_array_equal(array.numpy(), host)


@pytest.mark.parametrize("dtype", VECTORS)
@pytest.mark.parametrize("shape", [(0,), (1,), (16,), (37,), (3, 5), (2, 3, 4, 2)])
def test_vectors_survive(device: hw.Device, dtype: str, shape: tuple[int, ...]) -> None:
    element = getattr(hw, dtype)
    host = values_of(element.scalar.name, (*shape, element.size))
    array = device.array(host, element)
    assert array.shape == shape
    assert array.size == np.prod(shape)
    assert array.nbytes == host.nbytes
    np.testing.assert_array_equal(array.numpy(), host)
    np.testing.assert_array_equal(array.copy().numpy(), host)


def test_any_memory_layout_of_the_host_is_accepted(device: hw.Device) -> None:
    host = np.arange(24, dtype=np.float32).reshape(4, 6)
    for view in (host.T, host[::2, ::-1], np.asfortranarray(host), host.astype(">f4")):
        np.testing.assert_array_equal(device.array(view).numpy(), view)
        target = device.zeros(view.shape, hw.float32)
        target.write(view.astype(np.float32, order="K"))
        np.testing.assert_array_equal(target.numpy(), view)


def test_makers(device: hw.Device) -> None:
    assert device.zeros(3).numpy().tolist() == [0, 0, 0]
    assert device.zeros(2, hw.boolean).numpy().tolist() == [False, False]
    assert device.zeros((1, 2), hw.vec3f).numpy().shape == (1, 2, 3)
    assert device.empty([2, 3], "int64").shape == (2, 3)
    assert device.full(2, 7, np.uint32).numpy().tolist() == [7, 7]
    assert device.full(2, -0.0, hw.float64).numpy().tobytes() == np.full(2, -0.0).tobytes()
    assert device.full(1, (1, 2, 3), hw.vec3d).numpy().tolist() == [[1, 2, 3]]
    assert device.full(1, hw.vec3f(1, 2, 3), hw.vec3f).numpy().tolist() == [[1, 2, 3]]
    assert device.full(1, hw.vec2u(1, 2), hw.vec2u).numpy().tolist() == [[1, 2]]
    assert device.full(2, hw.Vec4(1, 2, 3, 4), hw.vec4d).numpy().tolist() == [[1, 2, 3, 4]] * 2
    assert device.full(3, -5, hw.int8).numpy().tobytes() == b"\xfb" * 3
    assert device.array([1.5, 2.5]).numpy().dtype == np.float64
    assert device.array([1.5, 2.5], hw.float32).numpy().dtype == np.float32
    assert len(device.zeros((5, 2))) == 5
    assert device.zeros((5, 2)).strides == (2, 1)


def test_fill_and_copy(device: hw.Device, oracle: hw.Device) -> None:
    array = device.zeros(5, hw.int32)
    array.fill(-3)
    other = oracle.zeros(5, hw.int32)
    other.copy_from(array)
    assert other.numpy().tolist() == [-3] * 5
    moved = other.copy_to(device)
    assert moved.device is device
    assert moved.numpy().tolist() == [-3] * 5
    moved.fill(1)
    assert other.numpy().tolist() == [-3] * 5
    array.copy_from(array)
    assert array.numpy().tolist() == [-3] * 5


@pytest.mark.parametrize("dtype", ["float128", "complex64", "U4", "object"])
def test_unknown_types_are_refused_with_the_list(oracle: hw.Device, dtype: str) -> None:
    host = np.zeros(2, dtype)
    with pytest.raises(HeadwaterError, match="not one that kernels know") as caught:
        oracle.array(host)
    assert "float32, float64" in str(caught.value)


def test_bad_input(oracle: hw.Device) -> None:
    array = oracle.zeros(4, hw.float32)
    bad = {
        "1 to 4 dimensions": lambda: oracle.zeros((1, 1, 1, 1, 1)),
        "1 to 4 dimensions, not 0": lambda: oracle.array(np.float32(1)),
        "negative length": lambda: oracle.zeros(-1),
        "int or a tuple": lambda: oracle.zeros(2.0),
        "2,147,483,648 elements": lambda: oracle.empty(2**31),
        "'float64' cannot be written|values of 'float64'": lambda: array.write(np.zeros(4)),
        "takes values of shape": lambda: array.write(np.zeros(3, np.float32)),
        "does not fit int32": lambda: oracle.full(1, 2**31, hw.int32),
        "do not become 'int32'": lambda: oracle.full(1, 1.5, hw.int32),
        "'float64' values do not become 'int32'": lambda: oracle.array(np.zeros(2), hw.int32),
        r"from the shape \(\.\.\., 3\)": lambda: oracle.array(np.zeros((4, 2)), hw.vec3f),
        "is not a dtype": lambda: oracle.zeros(2, "quaternion"),
        "types or shapes differ": lambda: array.copy_from(oracle.zeros(5)),
        "is in device memory": lambda: oracle.array(array),
        "rows differ in length": lambda: oracle.array([[1], [1, 2]]),
        "the value of 201 bits does not fit int32": lambda: oracle.full(1, 2**200, hw.int32),
        f"the value {2**70} does not fit any integer type": lambda: oracle.array([1, 2**70]),
        "compare them": lambda: oracle.array([1, 0], bool),
        "takes a Device, not 'reference'": lambda: array.copy_to("reference"),  # type: ignore[arg-type]
    }
    for message, call in bad.items():
        with pytest.raises(HeadwaterError, match=message):
            call()


@pytest.mark.parametrize(
    ("values", "dtype", "wrong"),
    [
        ([2**31, -1], "int32", 2**31),
        ([1, -1], "uint32", -1),
        ([0, 2**32], "uint32", 2**32),
        ([2**63], "int64", 2**63),
        ([-(2**70)], "int64", -(2**70)),
        (np.array([2**32 - 1], np.uint32), "int32", 2**32 - 1),
        (np.array([-7], np.int32), "uint32", -7),
        ([[0, 0, 2**31]], "vec3i", 2**31),
        ([[0, -1]], "vec2u", -1),
        ([128], "int8", 128),
        ([-129, 0], "int8", -129),
        ([256], "uint8", 256),
        ([2**15], "int16", 2**15),
        (np.array([70000]), "uint16", 70000),
        ([-1], "uint64", -1),
    ],
)
def test_integers_never_wrap(oracle: hw.Device, values: object, dtype: str, wrong: int) -> None:
    element = getattr(hw, dtype)
    scalar = getattr(element, "scalar", element)
    with pytest.raises(HeadwaterError, match=f"the value {wrong} does not fit {scalar}"):
        oracle.array(values, element)  # type: ignore[arg-type]


def test_integers_that_fit_convert(oracle: hw.Device) -> None:
    ends = np.array([0, 2**31 - 1])
    assert oracle.array(ends, hw.int32).numpy().tolist() == ends.tolist()
    assert oracle.array(ends.astype(np.int32), hw.uint32).numpy().tolist() == ends.tolist()
    assert oracle.array([2**32 - 1], hw.uint32).numpy().tolist() == [2**32 - 1]
    assert oracle.array([-128, 127], hw.int8).numpy().tolist() == [-128, 127]
    assert oracle.array([2**64 - 1], hw.uint64).numpy().tolist() == [2**64 - 1]
    assert oracle.array(np.zeros(0, np.int64), hw.int32).size == 0


def test_too_large_floats_become_infinite_in_silence(oracle: hw.Device) -> None:
    assert oracle.array([1e300, -1e300], hw.float32).numpy().tolist() == [np.inf, -np.inf]
    assert oracle.array([65519, 65520, 1e9], hw.float16).numpy().tolist() == [65504, np.inf, np.inf]
    assert oracle.array([2**200], hw.float32).numpy().tolist() == [np.inf]
    assert oracle.full(1, 2**200, hw.float64).numpy().tolist() == [2.0**200]


def test_copies_are_named(oracle: hw.Device) -> None:
    array = oracle.zeros(2)
    for take in (copy.copy, copy.deepcopy, lambda x: copy.deepcopy([x])):
        with pytest.raises(HeadwaterError, match=r"call \.copy\(\)"):
            take(array)
    with pytest.raises(HeadwaterError, match=r"cannot be pickled.*\n.*\.numpy\(\)"):
        pickle.dumps(array)


def test_nothing_converts_by_itself(oracle: hw.Device) -> None:
    array = oracle.zeros(2)
    with pytest.raises(HeadwaterError, match=r"\.numpy\(\)"):
        np.asarray(array)
    with pytest.raises(HeadwaterError, match=r"\.numpy\(\)"):
        np.zeros(2) + array


def test_elements_stay_on_the_device(oracle: hw.Device) -> None:
    x = oracle.zeros(2)

    def assign() -> None:
        x[0] = 1

    with pytest.raises(HeadwaterError, match=r"not assigned on the host\n.*\.write\("):
        assign()
    uses: list[Callable[[], object]] = [
        lambda: x[0],
        lambda: list(x),
        lambda: x + 1,
        lambda: 2 * x,
        lambda: x**2,
        lambda: -x,
        lambda: x < 1,
        lambda: x @ x,
        lambda: 1 in x,
        lambda: np.float32(2) * x,
    ]
    for use in uses:
        with pytest.raises(HeadwaterError, match=r"\.numpy\(\)"):
            use()
    assert x == x  # by identity: arrays are kept in sets
    assert x in {x}


def test_vector_types_are_among_the_hints(oracle: hw.Device) -> None:
    with pytest.raises(HeadwaterError, match=r"a vector such as hw\.vec3f"):
        oracle.zeros(2, "vec3")


def test_device_identity(oracle: hw.Device) -> None:
    assert hw.device("reference") is oracle
    assert hw.device("reference:0") is oracle
    other = hw.device("reference", backwards=1)
    assert other is not oracle
    assert hw.device("reference", backwards=1) is other
    assert repr(oracle) == "Device('reference')"


def test_default_device(monkeypatch: pytest.MonkeyPatch, oracle: hw.Device) -> None:
    monkeypatch.setenv("HEADWATER_DEVICE", "reference")
    assert hw.device() is oracle


def test_unknown_devices(oracle: hw.Device) -> None:
    with pytest.raises(hw.errors.DeviceError, match="no device 'abacus'") as caught:
        hw.device("abacus")
    lines = str(caught.value).split("\n")
    assert lines[1].startswith("  hint: there are cpu")
    assert "reference" in lines[1]
    absent = [listing.name for listing in hw.devices() if listing.missing]
    assert [line.strip().partition(":")[0] for line in lines[2:]] == absent
    with pytest.raises(hw.errors.DeviceError, match="a text such as 'cpu', not 3"):
        hw.device(3)  # type: ignore[arg-type]
    hw.device("cpu", lanes=1)
    with pytest.raises(hw.errors.DeviceError, match=r"'lanes' .* is an int, not True"):
        hw.device("cpu", lanes=True)
    with pytest.raises(hw.errors.DeviceError, match="no option 'speed'"):
        hw.device("reference", speed=9)


def test_use_after_free(device: hw.Device) -> None:
    array = device.zeros(4)
    array.free()
    assert "freed" in repr(array)
    for use in (
        array.numpy,
        array.copy,
        lambda: array.fill(1),
        lambda: array.write(np.zeros(4, "f4")),
    ):
        with pytest.raises(MemoryUseError, match="after it was freed"):
            use()
    with pytest.raises(MemoryUseError, match="freed before"):
        array.free()
