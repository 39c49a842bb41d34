"""Arrays of one thread, and constant tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from tests.language.bench import assert_same, launch

import headwater as hw
from headwater.errors import CompileError

COUNT = 70
WINDOW = 5


@hw.function
def sort(values):
    """Insertion sort, in place."""
    for k in range(1, len(values)):
        value = values[k]
        place = k
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@hw.kernel
def median(out, a):
    i = hw.grid(1)
    if i < len(out):
        window = hw.local.array(WINDOW, a.dtype)
        for k in range(WINDOW):
            window[k] = a[i + k]
        sort(window)
        out[i] = window[WINDOW // 2]


@pytest.mark.parametrize("kind", ["float32", "int32", "float64", "uint8"])
def test_a_window_of_each_thread(device: hw.Device, kind: str) -> None:
    a = (np.random.default_rng(1).permutation(COUNT + WINDOW - 1) % 199).astype(kind)
    out, _ = launch(median.forall(COUNT), device, np.zeros(COUNT, kind), a)
    windows = np.lib.stride_tricks.sliding_window_view(a, WINDOW)
    assert_same(out, np.median(windows, axis=1).astype(kind))


@hw.kernel(contract=False)
def squared(out, m):
    """The square of a matrix of each thread."""
    i = hw.grid(1)
    if i < out.shape[0]:
        a = hw.local.array((3, 3), hw.float32)
        for r in range(3):
            for c in range(3):
                a[r, c] = m[i, r, c]
        for r in range(3):
            for c in range(3):
                total = 0.0
                for k in range(3):
                    total += a[r, k] * a[k, c]
                out[i, r, c] = total


def test_matrices(device: hw.Device) -> None:
    m = np.random.default_rng(2).uniform(-1, 1, (COUNT, 3, 3)).astype(np.float32)
    out, _ = launch(squared.forall(COUNT), device, np.zeros_like(m), m)
    expected = np.zeros_like(m)
    for k in range(3):
        expected += m[:, :, k, None] * m[:, None, k, :]
    assert_same(out, expected)


@hw.kernel
def histogram(out, a):
    """A stack that grows where threads differ; filled with one value at once."""
    i = hw.grid(1)
    if i < out.shape[0]:
        bins = hw.local.array(8, hw.int32)
        bins[:] = 100
        n = a[i]
        while n > 0:
            bins[n % 8] += n
            n //= 3
        for k in range(8):
            out[i, k] = bins[k]


def test_threads_that_differ_have_arrays_of_their_own(device: hw.Device) -> None:
    a = np.arange(COUNT, dtype=np.int32) ** 2
    out, _ = launch(histogram.forall(COUNT), device, np.zeros((COUNT, 8), np.int32), a)
    expected = np.full((COUNT, 8), 100, np.int32)
    for i, n in enumerate(a.tolist()):
        while n > 0:
            expected[i, n % 8] += n
            n //= 3
    assert_same(out, expected)


@hw.kernel
def across_barriers(out, a):
    t = hw.threadIdx.x
    i = hw.grid(1)
    tile = hw.shared.array(32, hw.float32)
    kept = hw.local.array(4, hw.float32)
    for k in range(4):
        tile[t] = a[i] * k
        hw.syncthreads()
        kept[3 - k] = tile[31 - t]
        hw.syncthreads()
    out[i] = kept[0] + 10 * kept[1] + 100 * kept[2] + 1000 * kept[3]


def test_they_live_across_barriers(device: hw.Device) -> None:
    a = np.arange(96, dtype=np.float32)
    out, _ = launch(across_barriers[3, 32], device, np.zeros_like(a), a)
    partner = a.reshape(3, 32)[:, ::-1].ravel()
    assert_same(out, partner * 3 + 10 * partner * 2 + 100 * partner)


@hw.kernel
def four(out):
    a = hw.local.array((2, 3, 2, 2), hw.int32)
    for i in range(2):
        for j in range(3):
            for k in range(2):
                for m in range(2):
                    a[i, j, k, m] = 1000 * i + 100 * j + 10 * k + m
    out[0] = a[1, 2, 0, 1]
    out[1] = a[-1, -3, -1, -2]
    out[2] = a.size
    out[3] = len(a[0])


def test_four_dimensions(device: hw.Device) -> None:
    (out,) = launch(four[1, 1], device, np.zeros(4, np.int32))
    assert out.tolist() == [1201, 1010, 24, 3]


@dataclass(frozen=True)
class Entry:
    key: hw.int32
    weight: hw.vec2f


@hw.kernel
def of_structs(out, keys):
    i = hw.grid(1)
    if i < len(keys):
        heap = hw.local.array(3, Entry)
        for k in range(3):
            heap[k] = Entry(keys[i] * 10 + k, hw.vec2(k, 0.5))
        heap[1].key += 5
        heap[2].weight.y = heap[1].weight.x
        best = heap[0]
        for k in range(1, 3):
            if heap[k].key > best.key:
                best = heap[k]
        out[i] = best.key + best.weight.x + best.weight.y


def test_arrays_of_structs(device: hw.Device) -> None:
    keys = np.arange(5, dtype=np.int32)
    out, _ = launch(of_structs.forall(5), device, np.zeros(5, np.float32), keys)
    assert_same(out, (keys * 10 + 6 + 1 + 0.5).astype(np.float32))


# --- constant tables ------------------------------------------------------------------------------

WEIGHTS = np.array([0.25, -0.5, 1.5], np.float32)
TABLE = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
PAIRS = ((1, 2), (3, 4), (5, 6))
CORNERS = (hw.vec3(0, 0, 0), hw.vec3(1, 0, 0.5))
FLAGS = np.array([True, False])
HALVES = np.array([0.1, 0.2], np.float16)


@hw.kernel(contract=False)
def smoothed(out, a):
    weights = hw.const.array_like(WEIGHTS)
    i = hw.grid(1)
    if i < len(out):
        total = 0.0
        for k in range(len(weights)):
            total += weights[k] * a[i + k]
        out[i] = total


def test_a_table_of_weights(device: hw.Device) -> None:
    a = np.random.default_rng(3).uniform(size=42).astype(np.float32)
    out, _ = launch(smoothed.forall(40), device, np.zeros(40, np.float32), a)
    total = WEIGHTS[0] * a[:40]
    for k in (1, 2):
        total = total + WEIGHTS[k] * a[k : k + 40]
    assert_same(out, total)


@hw.kernel
def looked_up(out, at):
    table = hw.const.array_like(TABLE)
    pairs = hw.const.array_like(PAIRS)
    corners = hw.const.array_like(CORNERS)
    i = hw.grid(1)
    if i < len(at):
        out[i, 0] = table[at[i] % 2, at[i] % 3, at[i] % 4]
        out[i, 1] = pairs[at[i] % 3, 1] + TABLE.shape[2]
        out[i, 2] = corners[at[i] % 2].z + corners[1].x
        row = table[1, at[i] % 3]
        out[i, 3] = row[3 - at[i] % 4]
        out[i, 4] = hw.const.array_like(FLAGS)[at[i] % 2]
        out[i, 5] = hw.const.array_like(HALVES)[at[i] % 2]


def test_tables_of_all_shapes_and_types(device: hw.Device) -> None:
    at = np.arange(12, dtype=np.int32)
    out, _ = launch(looked_up.forall(12), device, np.zeros((12, 6), np.float32), at)
    expected = np.stack(
        [
            TABLE[at % 2, at % 3, at % 4],
            np.array(PAIRS)[at % 3, 1] + 4,
            np.array([0, 0.5])[at % 2] + 1,
            TABLE[1, at % 3, 3 - at % 4],
            FLAGS[at % 2],
            HALVES.astype(np.float32)[at % 2],
        ],
        axis=1,
    )
    assert_same(out, expected.astype(np.float32))


def smoother(table: np.ndarray) -> hw.Kernel:
    @hw.kernel
    def kernel(out):
        t = hw.const.array_like(table)
        out[0] = t[0] + t[1]

    return kernel


def test_the_content_of_a_table_is_part_of_the_program(device: hw.Device) -> None:
    for content in ([1.0, 2.0], [1.0, 3.0]):
        (out,) = launch(smoother(np.array(content))[1, 1], device, np.zeros(1))
        assert out[0] == sum(content)


def test_a_table_that_changed_is_an_error(device: hw.Device) -> None:
    table = np.array([1.0, 2.0])
    kernel = smoother(table)
    launch(kernel[1, 1], device, np.zeros(1))
    table[0] = 5
    with pytest.raises(hw.errors.LaunchError, match="captured 'table' was an array of float64"):
        launch(kernel[1, 1], device, np.zeros(1, np.float32))


BIG = np.zeros(70_000, np.uint8)
TEXTS = np.array(["a"])


@hw.kernel
def too_big(out):
    out[0] = hw.const.array_like(BIG)[0]


@hw.kernel
def no_numbers(out):
    out[0] = hw.const.array_like(TEXTS)[0]


@hw.kernel
def no_constant(out):
    out[0] = hw.const.array_like(out)[0]


@hw.kernel
def written(out):
    table = hw.const.array_like(WEIGHTS)
    table[0] = 1.0


@hw.kernel
def beyond(out):
    out[0] = hw.const.array_like(PAIRS)[3, 0]


@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        (too_big, "at most 65,536 bytes, not 70,000"),
        (no_numbers, "the dtype '<U1' is not one that kernels know"),
        (no_constant, "takes a captured NumPy array or a tuple of numbers, not an array"),
        (written, "'table' is a constant table, which cannot be written"),
        (beyond, "the index 3 is outside of 'table', which has 3 elements there"),
    ],
)
def test_wrong_tables(kernel: hw.Kernel, sentence: str) -> None:
    with pytest.raises(CompileError, match=sentence.replace("(", r"\(")):
        launch(kernel[1, 1], hw.device("reference"), np.zeros(1, np.float32))
