"""Whole programs, written as people write them for CUDA in Python."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from tests.language.bench import assert_same, launch

import headwater as hw

TILE = 8


@hw.kernel
def matmul(A, B, C):
    sA = hw.shared.array(shape=(TILE, TILE), dtype=np.float32)
    sB = hw.shared.array(shape=(TILE, TILE), dtype=hw.float32)
    x, y = hw.grid(2)
    tx = hw.threadIdx.x
    ty = hw.threadIdx.y
    tmp = np.float32(0.0)
    for i in range(hw.gridDim.x):
        sA[ty, tx] = 0
        sB[ty, tx] = 0
        if y < A.shape[0] and (tx + i * TILE) < A.shape[1]:
            sA[ty, tx] = A[y, tx + i * TILE]
        if x < B.shape[1] and (ty + i * TILE) < B.shape[0]:
            sB[ty, tx] = B[ty + i * TILE, x]
        hw.syncthreads()
        for j in range(TILE):
            tmp += sA[ty, j] * sB[j, tx]
        hw.syncthreads()
    if y < C.shape[0] and x < C.shape[1]:
        C[y, x] = tmp


def test_tiled_product(device: hw.Device) -> None:
    A = (np.arange(20 * 17) % 7).reshape(20, 17).astype(np.float32)
    B = (np.arange(17 * 23) % 5).reshape(17, 23).astype(np.float32)
    C = np.zeros((20, 23), np.float32)
    found = launch(matmul[(3, 3), (TILE, TILE)], device, A, B, C)
    assert_same(found[2], A @ B)  # whole numbers: exact in any order


MASK = np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]], np.float32)


@hw.kernel
def convolve(result, mask, image):
    j, i = hw.grid(2)
    if (i >= image.shape[0]) or (j >= image.shape[1]):
        return
    delta_rows = mask.shape[0] // 2
    delta_cols = mask.shape[1] // 2
    s = 0
    for k in range(mask.shape[0]):
        for m in range(mask.shape[1]):
            i_k = i - k + delta_rows
            j_m = j - m + delta_cols
            if (i_k >= 0) and (i_k < image.shape[0]) and (j_m >= 0) and (j_m < image.shape[1]):
                s += mask[k, m] * image[i_k, j_m]
    result[i, j] = s


def test_convolution(device: hw.Device) -> None:
    image = (np.arange(9 * 12) % 7).reshape(9, 12).astype(np.float32)
    out, *_ = launch(convolve[(2, 2), (8, 8)], device, np.zeros_like(image), MASK, image)
    p = np.pad(image, 1)
    assert_same(out, p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * image)


@hw.kernel
def bitonic(values, j, k):
    i = hw.threadIdx.x + hw.blockDim.x * hw.blockIdx.x
    ixj = i ^ j
    if ixj > i:
        if (i & k) == 0 and values[i] > values[ixj]:
            values[i], values[ixj] = values[ixj], values[i]
        if (i & k) != 0 and values[i] < values[ixj]:
            temp = values[i]
            values[i] = values[ixj]
            values[ixj] = temp


@pytest.mark.parametrize("kind", ["int16", "uint32", "float32"])
def test_bitonic_sort(device: hw.Device, kind: str) -> None:
    a = np.random.default_rng(0).permutation(128).astype(kind)
    values = device.array(a)
    k = 2
    while k <= 128:
        j = k >> 1
        while j > 0:
            bitonic[4, 32](values, j, k)
            j >>= 1
        k <<= 1
    assert_same(values.numpy(), np.sort(a))


@hw.kernel
def life(world, following):
    x, y = hw.grid(2)
    h, w = world.shape
    if x >= w or y >= h:
        return
    n = 0
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dx == 0 and dy == 0:
                continue
            n += world[(y + dy) % h, (x + dx) % w]
    following[y, x] = n == 3 or (n == 2 and world[y, x] == 1)


def test_life(device: hw.Device) -> None:
    w = np.random.default_rng(0).integers(0, 2, (10, 13)).astype(np.uint8)
    found = launch(life[(2, 2), (8, 8)], device, w, np.zeros_like(w))
    steps = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]
    n = sum(np.roll(w, step, (0, 1)) for step in steps)
    assert_same(found[1], ((n == 3) | ((n == 2) & (w == 1))).astype(np.uint8))


@hw.kernel
def spmv(n, data, indices, starts, x, y):
    row = hw.grid(1)
    if row < n:
        total = 0.0
        for k in range(starts[row], starts[row + 1]):
            total += data[k] * x[indices[k]]
        y[row] = total


@pytest.mark.parametrize("kind", ["int32", "uint32", "uint16", "int64"])
def test_sparse_product(device: hw.Device, kind: str) -> None:
    rng = np.random.default_rng(0)
    dense = rng.integers(1, 9, (20, 20)) * (rng.uniform(size=(20, 20)) > 0.7)
    rows, indices = np.nonzero(dense)
    starts = np.searchsorted(rows, np.arange(21)).astype(kind)
    data = dense[rows, indices].astype(np.float32)
    x = np.arange(20, dtype=np.float32)
    y = np.zeros(20, np.float32)
    found = launch(spmv[1, 32], device, 20, data, indices.astype(kind), starts, x, y)
    assert_same(found[-1], (dense @ x).astype(np.float32))


# --- sorting by device functions on parts of arrays -----------------------------------------------


@hw.function
def swap(a, i, j):
    a[i], a[j] = a[j], a[i]


@hw.function
def partition(a, low, high):
    pivot = a[high]
    i = low - 1
    for j in range(low, high):
        if a[j] <= pivot:
            i += 1
            swap(a, i, j)
    swap(a, i + 1, high)
    return i + 1


@hw.kernel
def quicksort(a):
    r = hw.grid(1)
    if r < a.shape[0]:
        row = a[r]
        stack = hw.local.array((32, 2), hw.int32)
        top = 1
        stack[0, 0], stack[0, 1] = 0, len(row) - 1
        while top > 0:
            top -= 1
            low, high = stack[top, 0], stack[top, 1]
            p = partition(row, low, high)
            if p - 1 > low:
                stack[top, 0], stack[top, 1] = low, p - 1
                top += 1
            if p + 1 < high:
                stack[top, 0], stack[top, 1] = p + 1, high
                top += 1


def test_quicksort(device: hw.Device) -> None:
    a = np.random.default_rng(0).integers(0, 100, (7, 20), dtype=np.int32)
    (found,) = launch(quicksort[1, 8], device, a)
    assert_same(found, np.sort(a, 1))


@hw.function
def merge(source, target):
    middle = len(source) // 2
    a, b = source[:middle], source[middle:]
    i = j = 0
    for k in range(len(target)):
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            target[k] = a[i]
            i += 1
        else:
            target[k] = b[j]
            j += 1


@hw.kernel
def mergesort(a, other):
    t = hw.threadIdx.x
    n = len(a)
    width = 1
    swapped = False
    while width < n:
        width *= 2
        source = other if swapped else a
        target = a if swapped else other
        for start in range(t * width, n, hw.blockDim.x * width):
            merge(source[start : start + width], target[start : start + width])
        swapped = not swapped
        hw.syncthreads()
    if swapped:
        for k in range(t, n, hw.blockDim.x):
            a[k] = other[k]


@pytest.mark.parametrize("n", [1, 2, 64, 128])
def test_mergesort(device: hw.Device, n: int) -> None:
    a = np.random.default_rng(0).permutation(n).astype(np.float32)
    found = launch(mergesort[1, 16], device, a, np.zeros_like(a))
    assert_same(found[0], np.sort(a))


# --- structs and tuples ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Ray:
    o: hw.vec3f
    d: hw.vec3f


@dataclass(frozen=True)
class Hit:
    t: hw.float32
    n: hw.vec3f
    which: hw.int32


@dataclass(frozen=True)
class Sphere:
    c: hw.vec3f
    r: hw.float32


@hw.function
def intersect(ray, sphere, which):
    oc = ray.o - sphere.c
    b = hw.dot(oc, ray.d)
    disc = b * b - (hw.dot(oc, oc) - sphere.r * sphere.r)
    if disc < 0:
        return Hit(-1.0, hw.vec3(0, 0, 0), -1)
    t = -b - math.sqrt(disc)
    if t < 0:
        return Hit(-1, hw.vec3f(0, 0, 0), -1)
    return Hit(t, (ray.o + t * ray.d - sphere.c) / sphere.r, which)


@hw.function
def closest(ray, spheres):
    best = Hit(1e30, hw.vec3(0, 0, 0), -1)
    for k in range(len(spheres)):
        hit = intersect(ray, spheres[k], k)
        if hit.which >= 0 and hit.t < best.t:
            best = hit
    return best


@hw.kernel
def trace(image, spheres):
    x, y = hw.grid(2)
    if x < image.shape[1] and y < image.shape[0]:
        ray = Ray(hw.vec3(0.0, 0.0, -5.0), hw.vec3((x - 8) / 10, (y - 8) / 10, 1.0))
        ray.d /= hw.length(ray.d)
        color, weight = 0.0, 1.0
        for _bounce in range(3):
            hit = closest(ray, spheres)
            if hit.which < 0:
                break
            color += weight * max(0.0, -hit.n.z)
            weight *= 0.5
            ray = Ray(ray.o + (hit.t - 0.001) * ray.d, ray.d - 2 * hw.dot(ray.d, hit.n) * hit.n)
        image[y, x] = color


def traced(spheres: np.ndarray, x: int, y: int) -> float:
    """One pixel, in float64."""
    o, d = np.array([0.0, 0, -5]), np.array([(x - 8) / 10, (y - 8) / 10, 1.0])
    d /= np.linalg.norm(d)
    color, weight = 0.0, 1.0
    for _ in range(3):
        hits = []
        for c, r in zip(spheres["c"].astype(float), spheres["r"].astype(float), strict=True):
            b = (o - c) @ d
            disc = b * b - ((o - c) @ (o - c) - r * r)
            t = -b - math.sqrt(disc) if disc >= 0 else -1.0
            if t >= 0:
                hits.append((t, tuple((o + t * d - c) / r)))
        if not hits:
            break
        t, normal = min(hits)
        n = np.array(normal)
        color += weight * max(0.0, -n[2])
        weight *= 0.5
        o, d = o + (t - 0.001) * d, d - 2 * (d @ n) * n
    return color


def test_ray_tracer(device: hw.Device) -> None:
    spheres = np.zeros(2, hw.types.record_type(Sphere).numpy)
    spheres["c"] = [[0, 0, 0], [1.5, 0, 1]]
    spheres["r"] = 1
    image = device.zeros((16, 16))
    trace[(2, 2), (8, 8)](image, device.array(spheres, Sphere))
    expected = np.array([[traced(spheres, x, y) for x in range(16)] for y in range(16)])
    near = np.abs(image.numpy() - expected) < 1e-3
    assert near.mean() > 0.97  # but where a ray grazes a sphere


@hw.function
def drawn(state):
    """A linear congruential generator: the next state, and a number from 0 to 1."""
    following = (state[0] * hw.uint32(1664525) + hw.uint32(1013904223), state[1] + 1)
    return following, (following[0] >> 9) * (1.0 / 8388608.0)


@hw.kernel
def circle(out, n):
    i = hw.grid(1)
    if i < len(out):
        state = (hw.uint32(i), 0)
        inside = 0
        while state[1] < 2 * n:
            state, x = drawn(state)
            state, y = drawn(state)
            if x * x + y * y <= 1.0:
                inside += 1
        out[i] = inside


def test_random_states_in_tuples(device: hw.Device) -> None:
    (out,) = launch(circle[1, 16], device, np.zeros(16, np.int32), 50)
    expected = []
    for seed in range(16):
        state, inside = seed, 0
        for _ in range(50):
            pair = []
            for _ in "xy":
                state = (state * 1664525 + 1013904223) % 2**32
                pair.append((state >> 9) / 8388608)
            inside += pair[0] ** 2 + pair[1] ** 2 <= 1
        expected.append(inside)
    assert np.abs(out - np.array(expected)).max() <= 1  # float32 at the rim


@hw.function
def accumulate(a, low=0, high=None, weight=1.0):
    if high is None:
        high = len(a)
    total = 0.0
    for k in range(low, high):
        total += a[k] * weight
    return total


@hw.kernel
def defaults(out, a, n):
    i = hw.grid(1)
    n = n + 1
    if i < len(out):
        for k in range(n):
            out[i] += k
        for k in range(2):
            out[i] += accumulate(a, k)
        out[i] += accumulate(a, high=n, weight=0.5) + accumulate(a[i:], 1)


def test_defaults_of_device_functions(device: hw.Device) -> None:
    a = np.arange(6, dtype=np.float32)
    out, _ = launch(defaults[1, 4], device, np.zeros(4, np.float32), a, 3)
    assert_same(out, np.array([6 + 15 + 15 + 3 + a[i + 1 :].sum() for i in range(4)], np.float32))


@hw.kernel
def blurred(out, image):
    x, y = hw.grid(2)
    h, w = image.shape[0], image.shape[1]
    if 0 < x < w - 1 and 0 < y < h - 1:
        for c in range(image.shape[2]):
            total = hw.int32(0)
            for row in image[y - 1 : y + 2, x - 1 : x + 2, c]:
                for value in row:
                    total += value
            out[y, x, c] = hw.uint8(total // 9)


def test_images_of_bytes(device: hw.Device) -> None:
    image = np.random.default_rng(0).integers(0, 256, (10, 12, 3)).astype(np.uint8)
    out, _ = launch(blurred[(2, 2), (8, 8)], device, np.zeros_like(image), image)
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), (0, 1))
    assert_same(out[1:-1, 1:-1], (windows.sum((3, 4), dtype=int) // 9).astype(np.uint8))
