"""Views on the host: the same memory as NumPy's views, both ways, for all layouts of the devices."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import headwater as hw
from headwater.errors import HeadwaterError, MemoryUseError

# A shape and a view of it, written once for an Array and for a NumPy array.
CASES: dict[str, tuple[tuple[int, ...], Callable[[Any], Any]]] = {
    "slice": ((20,), lambda a: a[2:10]),
    "step": ((20,), lambda a: a[1::3]),
    "backwards": ((20,), lambda a: a[::-1]),
    "backwards by two": ((20,), lambda a: a[15:2:-2]),
    "of a view": ((20,), lambda a: a[3:18][::-2][1:4]),
    "empty": ((20,), lambda a: a[5:5]),
    "past the end": ((20,), lambda a: a[15:100]),
    "row": ((5, 7), lambda a: a[3]),
    "last row": ((5, 7), lambda a: a[-1]),
    "column": ((5, 7), lambda a: a[:, 2]),
    "block": ((5, 7), lambda a: a[1:4, 2:6]),
    "rows": ((5, 7), lambda a: a[1:4]),
    "stepped block": ((5, 7), lambda a: a[::2, ::3]),
    "flipped": ((5, 7), lambda a: a[::-1, ::-1]),
    "transposed": ((5, 7), lambda a: a.T),
    "transposed block": ((5, 7), lambda a: a[1:, ::2].T),
    "axes": ((2, 3, 4), lambda a: a.transpose(1, -1, 0)),
    "dots": ((2, 3, 4, 5), lambda a: a[..., 1, ::-1]),
    "dots first": ((2, 3, 4, 5), lambda a: a[1, ...]),
    "dots only": ((3, 4), lambda a: a[...]),
    "flat": ((3, 4), lambda a: a.reshape(12)),
    "reshaped": ((3, 4), lambda a: a.reshape(2, -1)),
    "reshaped part": ((6, 4), lambda a: a[2:4].reshape((2, 2, 2))),
    "one element": ((20,), lambda a: a[4:5]),
    "one column": ((5, 1), lambda a: a.T[0]),
    "numpy integers": ((5, 7), lambda a: a[np.int64(2), np.int8(1) :]),
}
DTYPES = ("float32", "int8", "float16", "uint64", "vec2i", "vec3f", "vec4d")


def made(device: hw.Device, dtype: str, shape: tuple[int, ...]) -> tuple[hw.Array, np.ndarray]:
    """An array of distinct values, and the same on the host."""
    element = getattr(hw, dtype)
    scalar = getattr(element, "scalar", element)
    full = (*shape, element.size) if hasattr(element, "size") and "vec" in dtype else shape
    host = np.arange(int(np.prod(full))).reshape(full).astype(scalar.numpy)
    return device.array(host, element), host


def on_host(view: Callable[[Any], Any], host: np.ndarray, dtype: str) -> np.ndarray:
    """The same view of the host's values; components of vectors stay the last axis."""
    if "vec" not in dtype:
        return view(host)
    records = np.ascontiguousarray(host).view([("", host.dtype)] * host.shape[-1])[..., 0]
    part = view(records)
    return np.stack([part[name] for name in records.dtype.names], axis=-1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CASES)
def test_views_show_what_numpy_shows(device: hw.Device, dtype: str, name: str) -> None:
    shape, view = CASES[name]
    array, host = made(device, dtype, shape)
    found, expected = view(array), on_host(view, host, dtype)
    components = 1 if "vec" in dtype else 0
    assert found.shape == expected.shape[: expected.ndim - components]
    assert found.size == len(found) * int(np.prod(found.shape[1:]))
    np.testing.assert_array_equal(found.numpy(), expected)
    np.testing.assert_array_equal(found.copy().numpy(), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CASES)
def test_writing_a_view_changes_its_elements_and_no_others(
    device: hw.Device, dtype: str, name: str
) -> None:
    shape, view = CASES[name]
    array, host = made(device, dtype, shape)
    part = on_host(view, host, dtype)
    new = (np.arange(part.size).reshape(part.shape) + 50).astype(part.dtype)
    positions = on_host(view, np.arange(host.size).reshape(host.shape), dtype)
    expected = host.copy()
    expected.reshape(-1)[positions] = new
    view(array).write(new)
    np.testing.assert_array_equal(array.numpy(), expected)
    view(array).fill(7)
    expected.reshape(-1)[positions] = 7
    np.testing.assert_array_equal(array.numpy(), expected)
    view(array).fill(0)
    expected.reshape(-1)[positions] = 0
    np.testing.assert_array_equal(array.numpy(), expected)
    source = device.array(new, getattr(hw, dtype)) if part.size else view(array).copy()
    view(array).copy_from(source)
    expected.reshape(-1)[positions] = new
    np.testing.assert_array_equal(array.numpy(), expected)


@pytest.mark.parametrize(
    "view", [lambda a: a[::-1], lambda a: a.T, lambda a: a[1:, ::2], lambda a: a[2]]
)
def test_strides_count_elements(oracle: hw.Device, view: Callable[[Any], Any]) -> None:
    for dtype in ("float64", "vec3f"):
        array, _ = made(oracle, dtype, (4, 6))
        host = np.zeros((4, 6), np.int8)
        assert view(array).strides == view(host).strides


def test_overlapping_copies_read_before_they_write(device: hw.Device) -> None:
    for dtype in ("int32", "vec3f"):
        array, host = made(device, dtype, (20,))
        array[4:16].copy_from(array[:12])
        expected = host.copy()
        expected[4:16] = host[:12]
        np.testing.assert_array_equal(array.numpy(), expected)
        array, host = made(device, dtype, (20,))
        array.copy_from(array[::-1])
        np.testing.assert_array_equal(array.numpy(), host[::-1])


def test_a_view_keeps_the_memory(device: hw.Device) -> None:
    array = device.array(np.arange(1000, dtype=np.int32), owner="viewed")
    view = array[10:13]
    assert view.owner == "viewed"
    del array
    gc.collect()
    assert hw.memory_report().of(device.name, "viewed") == 4000
    assert view.numpy().tolist() == [10, 11, 12]
    del view
    gc.collect()
    assert hw.memory_report().of(device.name, "viewed") == 0


def test_free_ends_all_views(device: hw.Device) -> None:
    array = device.zeros(10)
    view = array[2:4]
    view.free()
    assert not array.live
    assert "freed" in repr(view)
    for use in (array.numpy, view.numpy, lambda: view.fill(1), lambda: array[1:].copy()):
        with pytest.raises(MemoryUseError, match="after it was freed"):
            use()
    with pytest.raises(MemoryUseError, match="freed before"):
        array.free()


def test_bad_views(oracle: hw.Device) -> None:
    line, plane = oracle.zeros(8), oracle.zeros((4, 6))
    bad: dict[str, Callable[[], object]] = {
        r"one element is no view.*\n.*a\[3:4\].*\.numpy\(\)": lambda: line[3],
        "one element is no view": lambda: plane[1, 2],
        "the index 8 is outside of axis 0 of 8 elements": lambda: line[8],
        "the index -5 is outside of axis 0": lambda: plane[-5],
        "the index 6 is outside of axis 1": lambda: plane[:, 6],
        r"an array of 1 dimension has no part \[:, 1\]": lambda: line[:, 1],
        r"an array of 2 dimensions has no part \[\.\.\., 1, \.\.\.\]": lambda: plane[..., 1, ...],
        r"an array of 2 dimensions has no part \[0, 1:2:3, 0\]": lambda: plane[0, 1:2:3, 0],
        "subscripted with a 'float' on the host": lambda: line[1.0],
        "subscripted with a 'NoneType'": lambda: plane[None],
        "subscripted with a 'bool'": lambda: line[True],
        "subscripted with a 'list'": lambda: line[[1, 2]],
        "subscripted with a 'ndarray'": lambda: line[np.array([1])],
        r"the slice \[::0\] is not possible: slice step cannot be zero": lambda: line[::0],
        r"the slice \['a':\] is not possible": lambda: line["a":],  # type: ignore[misc]
        r"the axes \(0,\) are no order of the 2 axes": lambda: plane.transpose(0),
        r"the axes \(0, 0\) are no order": lambda: plane.transpose(0, 0),
        r"axes are integers, not \(1, 'x'\)": lambda: plane.transpose(1, "x"),  # type: ignore[arg-type]
        r"24 elements of shape \(4, 6\) do not fit the shape \(5, 5\)": lambda: plane.reshape(5, 5),
        r"do not fit the shape \(-1, -1\)": lambda: plane.reshape(-1, -1),
        r"do not fit the shape \(7, -1\)": lambda: plane.reshape(7, -1),
        "has a negative length": lambda: plane.reshape(-2, 12),
        "1 to 4 dimensions, not 5": lambda: plane.reshape(1, 1, 1, 4, 6),
        r"do not lie in a row cannot be reshaped\n.*\.copy\(\)": lambda: plane.T.reshape(24),
        r"takes values of shape \(3,\)": lambda: line[:3].write(np.zeros(4, np.float32)),
    }
    for message, use in bad.items():
        with pytest.raises(HeadwaterError, match=message):
            use()


def test_axes_are_given_one_by_one_or_together(oracle: hw.Device) -> None:
    a = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    array = oracle.array(a)
    assert np.array_equal(array.transpose((2, 0, 1)).numpy(), a.transpose((2, 0, 1)))
    assert np.array_equal(array.transpose(2, 0, 1).numpy(), a.transpose(2, 0, 1))


def test_the_host_does_not_loop_over_an_array(oracle: hw.Device) -> None:
    with pytest.raises(HeadwaterError, match="the host does not go through") as caught:
        list(oracle.zeros(3))
    assert "call .numpy()" in str(caught.value)
