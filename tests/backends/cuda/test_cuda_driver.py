"""Memory, launches and faults, over a stub of NVIDIA's driver."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable

import numpy as np
import pytest
from tests.backends.cuda.cuda_stub import Stub, open_stub

from headwater import ir
from headwater.backends.contract import ArrayArgument, Options
from headwater.backends.cuda.driver import CudaDriver, CudaExecutable
from headwater.backends.cuda.program import Program
from headwater.errors import (
    CapabilityError,
    DeviceError,
    InternalError,
    LaunchError,
    MemoryUseError,
)
from headwater.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    ArrayType,
    ScalarType,
    VectorType,
)

Opened = tuple[CudaDriver, Stub]


def scalar_kernel(block: tuple[int, int, int] = (32, 1, 1)) -> ir.Kernel:
    """Stores each scalar parameter, the length of a second array and its own thread."""
    out = ir.ArrayParameter("out", ArrayType(FLOAT64, 2), ("out",), written=True)
    kinds = (BOOL, FLOAT32, INT64, INT32, FLOAT64)
    scalars = [ir.ScalarParameter(kind, str(kind), (str(kind),)) for kind in kinds]
    kernel = ir.Kernel("scalars", [scalars[0], out, *scalars[1:]], block)
    build = ir.Builder(kernel.body)
    for number, scalar in enumerate(scalars):
        row = build.constant(number, INT32)
        build.append(ir.Store(out, (row, row), build.cast(scalar, FLOAT64)))
    return kernel


def shared_kernel(nbytes: int) -> ir.Kernel:
    """One thread writes to a shared array of float32 and to one of float64."""
    out = ir.ArrayParameter("out", ArrayType(FLOAT64, 1), ("out",), written=True)
    kernel = ir.Kernel("shared", [out], (1, 1, 1))
    build = ir.Builder(kernel.body)
    zero = build.constant(0, INT32)
    parts: list[tuple[ScalarType, int]] = [(FLOAT32, 1), (FLOAT64, nbytes // 8 - 1)]
    for kind, count in parts:
        array = ir.SharedArray(str(kind), kind, (count,))
        kernel.shared.append(array)
        build.append(ir.Store(array, (zero,), build.constant(1.0, kind)))
        build.append(ir.Store(out, (zero,), build.cast(build.load(array, (zero,)), FLOAT64)))
    return kernel


def loaded(driver: CudaDriver, kernel: ir.Kernel) -> CudaExecutable:
    return driver.load(driver.compile(kernel, Options()))


# --- memory -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("nbytes", [64, 1 << 20])
def test_bytes_go_up_over_and_down(opened: Opened, nbytes: int) -> None:
    driver, api = opened
    values = np.random.default_rng(1).integers(0, 255, nbytes, np.uint8)
    values.flags.writeable = False
    first, second = driver.allocate(nbytes), driver.allocate(nbytes + 16)
    api.calls.clear()
    driver.write(first, 0, values.data)
    # Only what the driver does not stage itself is waited for.
    assert (("cuStreamSynchronize", "stream") in api.calls) == (nbytes > 65536)
    driver.copy(first, 8, second, 16, nbytes - 8)
    out = np.zeros(nbytes - 8, np.uint8)
    driver.read(second, 16, out.data)
    np.testing.assert_array_equal(out, values[8:])


def test_memory_use_is_checked(opened: Opened) -> None:
    driver, _ = opened
    memory = driver.allocate(64)
    with pytest.raises(MemoryUseError, match="bytes 60 to 68 were used of a piece of 64"):
        driver.write(memory, 60, memoryview(bytes(8)))
    with pytest.raises(MemoryUseError, match="cannot be written"):
        driver.read(memory, 0, memoryview(bytes(8)))
    driver.free(memory)
    with pytest.raises(MemoryUseError, match="after it was freed"):
        driver.read(memory, 0, memoryview(bytearray(8)))
    with pytest.raises(MemoryUseError, match="freed twice"):
        driver.free(memory)
    other, _ = open_stub()
    with pytest.raises(MemoryUseError, match="foreign device"):
        other.free(driver.allocate(64))


def test_all_memory_is_given_back(opened: Opened) -> None:
    driver, api = opened
    for memory in [driver.allocate(1000) for _ in range(5)]:
        driver.free(memory)
    assert api.free == api.total
    assert not api.blocks


def test_out_of_memory_names_the_size(opened: Opened) -> None:
    driver, api = opened
    with pytest.raises(DeviceError, match=r"no memory for 1,073,741,825 bytes: 1,073,741,824 of"):
        driver.allocate((1 << 30) + 1)
    assert ("cuMemPoolTrimTo", "pool", 0) in api.calls
    driver.free(driver.allocate(64))  # the device goes on


def test_a_device_without_pools(nvrtc: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        __import__("tests.backends.cuda.cuda_stub", fromlist=["ATTRIBUTES"]).ATTRIBUTES,
        "MEMORY_POOLS_SUPPORTED",
        0,
    )
    stub = Stub()
    stub.cuMemAlloc = lambda nbytes: stub.cuMemAllocAsync(nbytes, None)  # type: ignore[attr-defined]
    driver, _ = open_stub(stub)
    driver.free(driver.allocate(64))
    assert stub.calls[-2][0] == "cuMemFree"


# --- launches ---------------------------------------------------------------------------------------


def test_parameters_lie_as_in_c(opened: Opened) -> None:
    driver, api = opened
    program = loaded(driver, scalar_kernel((32, 2, 1)))
    memory = driver.allocate(1024)
    array = ArrayArgument(memory, 8, (7, 9), (9, 1))
    program.launch((5, 4, 3), [True, array, 1.5, 1 << 40, -3, 2.5])
    assert api.calls[-1] == ("cuLaunchKernel", 5, 4, 3, 32, 2, 1, 0)
    expected = struct.pack("@Pi?fqid", 8 + int(memory.handle), 9, True, 1.5, 1 << 40, -3, 2.5)  # type: ignore[call-overload]
    assert len(api.parameters) == len(expected)
    layout = struct.Struct("@P?ifqid")
    assert layout.unpack(api.parameters) == (8 + int(memory.handle), True, 9, 1.5, 1 << 40, -3, 2.5)  # type: ignore[call-overload]


def test_strides_count_elements(opened: Opened) -> None:
    driver, api = opened
    kind = ArrayType(VectorType(FLOAT32, 3), 2, contiguous=False)
    array = ir.ArrayParameter("v", kind, ("v",), written=True)
    kernel = ir.Kernel("strided", [array], (1, 1, 1))
    build = ir.Builder(kernel.body)
    one = build.constant(1, INT32)
    build.append(ir.Store(array, (one, one), build.constant(2.0, FLOAT32), 2))
    memory = driver.allocate(4096)
    loaded(driver, kernel).launch((1, 1, 1), [ArrayArgument(memory, 0, (4, 5), (80, 8), 1)])
    assert struct.unpack("@Pqq", api.parameters)[1:] == (20, 2)


def test_grids(opened: Opened) -> None:
    driver, api = opened
    program = loaded(driver, scalar_kernel())
    api.calls.clear()
    program.launch((0, 1, 1), [])
    assert api.calls == []
    with pytest.raises(LaunchError, match=r"a grid of \(1, 65536, 1\) blocks; CUDA devices take"):
        program.launch((1, 65536, 1), [])


def test_a_launch_with_freed_memory(opened: Opened) -> None:
    driver, _ = opened
    program = loaded(driver, scalar_kernel())
    memory = driver.allocate(1024)
    driver.free(memory)
    array = ArrayArgument(memory, 0, (9, 9), (9, 1))
    with pytest.raises(MemoryUseError, match="after it was freed"):
        program.launch((1, 1, 1), [True, array, 1.0, 1, 1, 1.0])


def test_wrong_arguments(opened: Opened) -> None:
    driver, _ = opened
    with pytest.raises(
        LaunchError, match="the 1 arguments do not fit the 6 parameters of 'scalars'"
    ):
        loaded(driver, scalar_kernel()).launch((1, 1, 1), [True])


def test_threads_launch_with_buffers_of_their_own(opened: Opened) -> None:
    driver, api = opened
    program = loaded(driver, scalar_kernel())
    frames = set()

    def launch() -> None:
        frames.add(program._frame.address)

    workers = [threading.Thread(target=launch) for _ in range(2)]
    for worker in workers:
        worker.start()
        worker.join()
    launch()
    assert len(frames) >= 2  # an ended thread's may be used again
    assert ("cuCtxSetCurrent", "context") in api.calls


@pytest.mark.parametrize(("nbytes", "dynamic"), [(48 * 1024, 0), (100 * 1024, 100 * 1024 - 4)])
def test_much_shared_memory_is_asked_for(opened: Opened, nbytes: int, dynamic: int) -> None:
    driver, api = opened
    program = loaded(driver, shared_kernel(nbytes))
    program.launch((1, 1, 1), [ArrayArgument(driver.allocate(8), 0, (1,), (1,))])
    assert api.calls[-1][-1] == dynamic
    asked = [call for call in api.calls if call[0] == "cuFuncSetAttribute"]
    assert [call[-1] for call in asked] == ([dynamic] if dynamic else [])


def test_blocks_that_cuda_does_not_count(opened: Opened) -> None:
    driver, _ = opened
    with pytest.raises(CapabilityError, match="take up to 64 along z"):
        driver.compile(scalar_kernel((1, 1, 128)), Options())


def test_damaged_payloads_are_refused(opened: Opened) -> None:
    driver, _ = opened
    payload = driver.compile(scalar_kernel(), Options())
    assert Program.from_bytes(payload).to_bytes() == payload
    for damaged in (b"", payload[:10], b"X" + payload[1:]):
        with pytest.raises(InternalError, match="damaged"):
            driver.load(damaged)


def test_the_fingerprint_names_what_matters(opened: Opened) -> None:
    driver, _ = opened
    text = driver.fingerprint(Options())
    assert "--gpu-architecture=sm_90" in text
    assert "driver 13000" in text
    assert text != driver.fingerprint(Options(contract=False))


# --- faults -----------------------------------------------------------------------------------------


def fail_launch(driver: CudaDriver, api: Stub, status: int) -> None:
    program = loaded(driver, scalar_kernel())
    memory = driver.allocate(1024)
    api.fails["cuLaunchKernel"] = status
    program.launch((1, 1, 1), [True, ArrayArgument(memory, 0, (9, 9), (9, 1)), 1.0, 1, 1, 1.0])


def test_a_failed_launch_leaves_the_device_usable(opened: Opened) -> None:
    driver, api = opened
    with pytest.raises(DeviceError, match="failed in cuLaunchKernel: in words"):
        fail_launch(driver, api, 701)
    driver.synchronize()


USES: list[Callable[[CudaDriver], object]] = [
    lambda driver: driver.synchronize(),
    lambda driver: driver.allocate(64),
    lambda driver: driver.write(driver.allocate(64), 0, memoryview(bytes(8))),
]


@pytest.mark.parametrize("use", USES)
def test_a_lost_device_raises_and_others_go_on(
    opened: Opened, use: Callable[[CudaDriver], object]
) -> None:
    driver, api = opened
    memory = driver.allocate(64)
    with pytest.raises(DeviceError, match="'cuda' is lost: in words"):
        fail_launch(driver, api, 700)
    with pytest.raises(DeviceError, match="'cuda' is lost"):
        use(driver)
    driver.free(memory)  # as finalizers do
    other, _ = open_stub(index=1)
    other.synchronize()


def test_a_fault_is_found_by_the_next_wait(opened: Opened) -> None:
    driver, api = opened
    api.fails["cuStreamSynchronize"] = 700
    with pytest.raises(DeviceError, match="'cuda' is lost"):
        driver.synchronize()
