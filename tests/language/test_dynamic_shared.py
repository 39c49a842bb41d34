"""Dynamic shared memory: the launch says how many bytes, and all arrays of length 0 begin at the first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from tests.language.bench import assert_same, launch

import headwater as hw
from headwater.errors import CompileError


@hw.kernel
def reverse(out, a):
    tile = hw.shared.array(0, a.dtype)
    t, n = hw.threadIdx.x, hw.blockDim.x
    i = hw.grid(1)
    tile[t] = a[i]
    hw.syncthreads()
    out[i] = tile[n - 1 - t]


@pytest.mark.parametrize("block", [25, 64])
@pytest.mark.parametrize("kind", ["float32", "int32", "float64", "uint8", "int16"])
def test_one_array(device: hw.Device, kind: str, block: int) -> None:
    a = np.arange(3 * block).astype(kind)
    bytes_ = block * a.itemsize
    out, _ = launch(reverse[3, block, None, bytes_], device, np.zeros_like(a), a)
    assert_same(out, a.reshape(3, block)[:, ::-1].ravel())


@hw.kernel
def parts(out, a):
    """Disjoint parts of one piece of memory, of several types."""
    n = hw.blockDim.x
    floats = hw.shared.array(0, hw.float32)[:n]
    integers = hw.shared.array(0, hw.int32)[n : 2 * n]
    vectors = hw.shared.array(0, hw.vec2f)[n:]
    t = hw.threadIdx.x
    floats[t] = a[t]
    integers[t] = 10 * t
    vectors[t] = hw.vec2(a[t], t)
    hw.syncthreads()
    k = n - 1 - t
    out[t, 0] = floats[k]
    out[t, 1] = integers[k]
    out[t, 2] = vectors[k].x + vectors[k].y
    out[t, 3] = len(floats) + len(integers) + len(vectors)


def test_parts_of_several_types(device: hw.Device) -> None:
    a = np.arange(32, dtype=np.float32) * np.float32(0.5)
    out, _ = launch(parts[1, 32, None, 32 * 16 + 8], device, np.zeros((32, 4), np.float32), a)
    t = np.arange(32)
    expected = [a[::-1], 10 * t[::-1], (a + t)[::-1], np.full(32, 32 + 32 + 33)]
    assert_same(out, np.stack(expected, axis=1).astype(np.float32))


@hw.kernel
def overlapping(out, a):
    t = hw.threadIdx.x
    floats = hw.shared.array(0, hw.float32)
    words = hw.shared.array(0, hw.uint32)
    floats[t] = a[t]
    hw.syncthreads()
    out[t] = words[t] + len(words)


def test_arrays_of_one_width_see_each_others_bits(device: hw.Device) -> None:
    a = np.linspace(-3, 3, 16, dtype=np.float32)
    out, _ = launch(overlapping[1, 16, None, 64], device, np.zeros(16, np.uint32), a)
    assert_same(out, a.view(np.uint32) + np.uint32(16))


@hw.kernel
def beside(out, a):
    fixed = hw.shared.array(32, hw.float32)
    dynamic = hw.shared.array(0, hw.float32)
    t = hw.threadIdx.x
    fixed[t] = a[t]
    dynamic[t] = -a[t]
    hw.syncthreads()
    out[t] = fixed[31 - t] + 2 * dynamic[t]


def test_beside_an_array_of_fixed_length(device: hw.Device) -> None:
    a = np.arange(32, dtype=np.float32)
    out, _ = launch(beside[1, 32, None, 128], device, np.zeros_like(a), a)
    assert_same(out, a[::-1] - 2 * a)


@dataclass(frozen=True)
class Pair:
    a: hw.float32
    b: hw.int32


@hw.kernel
def of_structs(out):
    tile = hw.shared.array(0, Pair)
    out[0] = tile[0].a


@hw.kernel
def plain(out):
    tile = hw.shared.array(0, hw.float64)
    out[0] = tile[0]


@pytest.mark.parametrize(
    ("kernel", "given", "sentence"),
    [
        (plain, 0, "is dynamic, and the launch gives no bytes for it"),
        (plain, 7, "the 7 bytes of dynamic shared memory hold no element of float64"),
        (of_structs, 64, "dynamic shared memory holds scalars and vectors, not 'Pair'"),
    ],
)
def test_wrong_dynamic_arrays(kernel: hw.Kernel, given: int, sentence: str) -> None:
    with pytest.raises(CompileError, match=sentence):
        launch(kernel[1, 1, None, given], hw.device("reference"), np.zeros(1))
