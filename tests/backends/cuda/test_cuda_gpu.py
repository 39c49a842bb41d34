"""What only a GPU shows: memory that runs out, a device that is lost, threads and other users of it."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest

import headwater as hw
from headwater.backends.contract import Absence
from headwater.backends.cuda import CudaBackend
from headwater.errors import DeviceError, HeadwaterError

_FOUND = CudaBackend().devices()
pytestmark = pytest.mark.skipif(
    isinstance(_FOUND, Absence), reason=_FOUND.reason if isinstance(_FOUND, Absence) else ""
)


@pytest.fixture(scope="module")
def gpu() -> hw.Device:
    return hw.device("cuda")


def test_out_of_memory_is_an_exception(gpu: hw.Device) -> None:
    room = gpu.capabilities.max_array_bytes
    half = min(room // 8, 2**31 - 1)
    kept: list[hw.Array] = []
    with pytest.raises(DeviceError, match=r"no memory for [\d,]+ bytes: [\d,]+ of [\d,]+ are free"):
        kept.extend(gpu.empty(half, hw.float64) for _ in range(32))
    assert kept
    del kept
    values = np.arange(1000.0)
    np.testing.assert_array_equal(gpu.array(values).numpy(), values)


LOSE = """
import numpy as np, headwater as hw
from headwater.errors import DeviceError

@hw.kernel
def outside(y, start):
    y[start + hw.grid(1)] = 1.0

gpu = hw.device("cuda")
y = gpu.zeros(16)
outside[1, 16](y, 2000000000)
for use in (gpu.synchronize, y.numpy, lambda: gpu.zeros(4), lambda: outside[1, 16](y, 0)):
    try:
        use()
    except DeviceError as error:
        assert "'cuda' is lost" in str(error), error
    else:
        raise SystemExit("the loss was not seen")
cpu = hw.device("cpu")
outside[1, 16](cpu.zeros(16), 0)
assert hw.device("cpu").array(np.ones(3)).numpy().sum() == 3
y.free()
print("as it should")
"""


def test_a_lost_device(tmp_path: object) -> None:
    path = f"{tmp_path}/lose.py"
    with open(path, "w", encoding="utf-8") as file:
        file.write(LOSE)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=300)
    assert done.stdout == "as it should\n", done.stdout + done.stderr


@hw.kernel
def add_one(y):
    i = hw.grid(1)
    if i < len(y):
        y[i] += 1


def test_many_threads_use_the_device(gpu: hw.Device) -> None:
    failures: list[object] = []

    def work(number: int) -> None:
        for size in range(1000, 1100):
            y = gpu.full(size, number, hw.int32)
            add_one.forall(size)(y)
            if not (y.numpy() == number + 1).all():
                failures.append((number, size))

    workers = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures


@hw.kernel
def spin(y, trips):
    value = y[0]
    for k in range(trips):
        value = value * 1664525 + k
    y[0] = value


def test_a_wait_lets_other_threads_run(gpu: hw.Device) -> None:
    """The lock of the interpreter is not held while a device works."""
    y = gpu.zeros(1, hw.uint32)
    spin[1, 1](y, 10)
    ticks, done = [0], threading.Event()

    def tick() -> None:
        while not done.wait(0.001):
            ticks[0] += 1

    ticker = threading.Thread(target=tick)
    ticker.start()
    spin[1, 1](y, 100_000_000)
    before = ticks[0]
    gpu.synchronize()
    seen = ticks[0] - before
    done.set()
    ticker.join()
    assert seen > 10


@hw.kernel
def reverse(y):
    tile = hw.shared.array(16384, hw.float64)
    for k in range(hw.threadIdx.x, 16384, hw.blockDim.x):
        tile[k] = y[k]
    hw.syncthreads()
    for k in range(hw.threadIdx.x, 16384, hw.blockDim.x):
        y[k] = tile[16383 - k]


def test_more_shared_memory_than_every_device_has(gpu: hw.Device) -> None:
    if gpu.capabilities.max_shared_bytes < 16384 * 8:
        pytest.skip("the device has less shared memory")
    values = np.arange(16384.0)
    y = gpu.array(values)
    reverse[1, 256](y)
    np.testing.assert_array_equal(y.numpy(), values[::-1])


def test_a_grid_that_is_too_high(gpu: hw.Device) -> None:
    with pytest.raises(HeadwaterError, match="CUDA devices take up to"):
        add_one[(1, 70000), 32](gpu.zeros(4, hw.int32))


@hw.kernel
def signs(found, x, bound):
    y = x[0]
    square = y * y
    found[0] = abs(y) >= 0.0
    found[1] = abs(y) > -1.0
    found[2] = -abs(y) <= 0.0
    found[3] = square >= 0.0
    found[4] = square > -2.0
    found[5] = not square < 0.0 and square >= 0.0
    found[6] = min(square, square * 2.0) >= 0.0
    found[7] = (square if bound > 1.0 else abs(y)) >= 0.0
    found[8] = y * y + bound >= -1.0
    found[9] = hw.sqrt(square) >= 0.0
    found[10] = abs(hw.float64(y)) >= 0.0


@pytest.mark.parametrize(("value", "holds"), [(-3.0, True), (0.0, True), (np.nan, False)])
def test_no_comparison_forgets_nan(gpu: hw.Device, value: float, holds: bool) -> None:
    """The assembler takes some for true because of the sign alone."""
    found = gpu.array(np.full(11, not holds))
    signs[1, 1](found, gpu.array(np.array([value], np.float32)), 5.0)
    np.testing.assert_array_equal(found.numpy(), np.full(11, holds))


@hw.kernel
def add_to(total, x):
    hw.atomic.add(total, 0, x[0])


SMALL = np.array([1e-40, -3e-39, 1.5e-38, -1.2e-38, 1e-45, 0.0, -0.0, 2.0**-101, 1e-30], np.float32)


@pytest.mark.parametrize("start", SMALL)
def test_atomic_sums_keep_denormals(gpu: hw.Device, start: np.float32) -> None:
    """The unit for atomics takes them for 0."""
    for addend in SMALL:
        total = gpu.array(np.array([start]))
        add_to[1, 1](total, gpu.array(np.array([addend])))
        expected = start + addend
        assert total.numpy()[0] == expected
        assert np.signbit(total.numpy()[0]) == np.signbit(expected)


@hw.kernel
def exits_before(counts, values, n):
    t = hw.threadIdx.x
    if t >= n:
        return
    tile = hw.shared.array(256, hw.int32)
    tile[t] = t
    hw.syncthreads()
    counts[t] = tile[n - 1 - t]
    counts[256 + t] = hw.syncthreads_count(t % 2 == 0)
    counts[512 + t] = hw.int32(hw.syncthreads_and(t < n))
    counts[768 + t] = hw.int32(hw.syncthreads_or(t >= n))
    values[t] = hw.shfl_xor_sync(0xFFFFFFFF, t, 1)
    values[256 + t] = hw.int32(hw.ballot_sync(0xFFFFFFFF, True))
    values[512 + t] = hw.int32(hw.match_all_sync(0xFFFFFFFF, n)[0])
    values[768 + t] = hw.int32(hw.all_sync(0xFFFFFFFF, t < n))


@pytest.mark.parametrize("n", [2, 30, 32, 34, 62, 96, 250, 256])
@pytest.mark.parametrize("block", [256, 250])
def test_exited_threads_are_gone(gpu: hw.Device, n: int, block: int) -> None:
    """Barriers, votes and full masks do not wait for them, in part of a warp or in whole ones."""
    n = min(n, block)
    counts, values = gpu.zeros(1024, hw.int32), gpu.zeros(1024, hw.int32)
    exits_before[1, block](counts, values, n)
    t = np.arange(n)
    found = counts.numpy().reshape(4, 256)[:, :n]
    np.testing.assert_array_equal(found, [n - 1 - t, t * 0 + (n + 1) // 2, t * 0 + 1, t * 0])
    here = np.minimum(n - t // 32 * 32, 32)
    lanes = ((1 << here.astype(np.int64)) - 1).astype(np.uint32).view(np.int32)
    found = values.numpy().reshape(4, 256)[:, :n]
    np.testing.assert_array_equal(found, [t ^ 1, lanes, lanes, t * 0 + 1])


def test_the_device_is_listed() -> None:
    assert not isinstance(_FOUND, Absence)
    listed = {listing.name: listing for listing in hw.devices()}
    assert listed["cuda"].description == _FOUND[0].description
    assert not listed["cuda"].missing
