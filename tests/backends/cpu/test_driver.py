"""The driver of the CPU device, below the runtime."""

from __future__ import annotations

import struct
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from headwater import ir
from headwater.backends import registry
from headwater.backends.contract import ArrayArgument, Memory, Options
from headwater.backends.cpu import driver as driver_module
from headwater.backends.cpu import jit
from headwater.backends.cpu.driver import CpuDriver, pack_payload, unpack_payload
from headwater.backends.cpu.packing import parameter_format
from headwater.backends.cpu.pool_text import JOB_FORMAT
from headwater.errors import DeviceError, HeadwaterError, InternalError, LaunchError, MemoryUseError
from headwater.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    UINT32,
    ArrayType,
    ScalarType,
    VectorType,
)


def open_cpu(**options: int) -> CpuDriver:
    driver = registry.backends()["cpu"].open(0, **options)
    assert isinstance(driver, CpuDriver)
    return driver


@pytest.fixture(scope="module")
def cpu() -> CpuDriver:
    return open_cpu(threads=2)


def scale_kernel(block: int = 32) -> ir.Kernel:
    """y[i] = a * x[i] for all i in range."""
    y = ir.ArrayParameter("y", ArrayType(FLOAT32, 1), ("y",), written=True)
    x = ir.ArrayParameter("x", ArrayType(FLOAT32, 1), ("x",))
    a = ir.ScalarParameter(FLOAT32, "a", ("a",))
    kernel = ir.Kernel("scale", [y, x, a], (block, 1, 1))
    build = ir.Builder(kernel.body)
    width = build.compute("mul", build.index("block", 0), build.index("block_size", 0))
    i = build.compute("add", width, build.index("thread", 0))
    with build.when(build.compute("lt", i, build.extent(y, 0))):
        build.store(y, (i,), build.compute("mul", a, build.load(x, (i,))))
    ir.verify(kernel)
    return kernel


def upload(driver: CpuDriver, values: np.ndarray) -> Memory:
    memory = driver.allocate(values.nbytes)
    driver.write(memory, 0, memoryview(values))
    return memory


def download(driver: CpuDriver, memory: Memory, like: np.ndarray) -> np.ndarray:
    out = np.empty_like(like)
    driver.read(memory, 0, memoryview(out))
    return out


def whole(memory: Memory, *shape: int) -> ArrayArgument:
    """A contiguous array of float32 at the start of memory."""
    strides = tuple(int(np.prod(shape[k + 1 :])) for k in range(len(shape)))
    return ArrayArgument(memory, 0, shape, strides)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("lanes", [0, 1, 4, 8, 16])
def test_compile_load_launch(threads: int, lanes: int) -> None:
    cpu = open_cpu(threads=threads, lanes=lanes)
    executable = cpu.load(cpu.compile(scale_kernel(), Options()))
    x = np.arange(10_001, dtype=np.float32)
    source, target = upload(cpu, x), upload(cpu, np.zeros_like(x))
    executable.launch((313, 1, 1), [whole(target, x.size), whole(source, x.size), 2.5])
    cpu.synchronize()
    np.testing.assert_array_equal(download(cpu, target, x), x * np.float32(2.5))


def test_offsets_move_the_start(cpu: CpuDriver) -> None:
    executable = cpu.load(cpu.compile(scale_kernel(), Options()))
    x = np.arange(100, dtype=np.float32)
    memory = upload(cpu, x)
    part = ArrayArgument(memory, 40, (20,), (1,))
    executable.launch((1, 1, 1), [part, part, 3.0])
    x[10:30] *= 3
    np.testing.assert_array_equal(download(cpu, memory, x), x)


def test_a_payload_runs_in_another_process(cpu: CpuDriver, tmp_path: object) -> None:
    payload = cpu.compile(scale_kernel(), Options())
    program = """
import sys, numpy as np
import llvmlite.binding as llvm
llvm.parse_assembly = None
from headwater.backends import registry
from headwater.backends.contract import ArrayArgument
cpu = registry.backends()["cpu"].open(0, threads=2)
executable = cpu.load(sys.stdin.buffer.read())
x = np.arange(64, dtype=np.float32)
memory = cpu.allocate(x.nbytes)
cpu.write(memory, 0, memoryview(x))
array = ArrayArgument(memory, 0, (64,), (1,))
executable.launch((2, 1, 1), [array, array, 2.0])
cpu.read(memory, 0, memoryview(x))
print(int(x.sum()))
"""
    result = subprocess.run([sys.executable, "-c", program], input=payload, capture_output=True)
    assert (result.stdout.strip(), result.stderr) == (b"4032", b"")


def test_launch_after_the_memory_was_freed(cpu: CpuDriver) -> None:
    executable = cpu.load(cpu.compile(scale_kernel(), Options()))
    memory = cpu.allocate(400)
    array = whole(memory, 100)
    executable.launch((4, 1, 1), [array, array, 1.0])
    cpu.free(memory)
    with pytest.raises(MemoryUseError, match="after it was freed"):
        executable.launch((4, 1, 1), [array, array, 1.0])
    with pytest.raises(MemoryUseError):
        cpu.free(memory)


def test_arguments_that_do_not_fit(cpu: CpuDriver) -> None:
    executable = cpu.load(cpu.compile(scale_kernel(), Options()))
    array = whole(cpu.allocate(400), 100)
    plane = whole(array.memory, 10, 10)
    for arguments in ([], [array, array], [array, array, 1.0, 2.0], [array, plane, 1.0]):
        with pytest.raises(LaunchError, match="do not fit the 3 parameters of 'scale'"):
            executable.launch((1, 1, 1), arguments)
    with pytest.raises(LaunchError, match="bad sizes"):
        executable.launch((1, -1, 1), [array, array, 1.0])
    with pytest.raises(LaunchError, match="bad sizes"):
        executable.launch((1 << 31, 1, 1), [array, array, 1.0])


def test_an_empty_grid_runs_nothing(cpu: CpuDriver) -> None:
    executable = cpu.load(cpu.compile(scale_kernel(), Options()))
    x = np.ones(8, np.float32)
    memory = upload(cpu, x)
    for grid in ((0, 1, 1), (4, 0, 1), (1, 1, 0)):
        executable.launch(grid, [whole(memory, 8), whole(memory, 8), 2.0])
    np.testing.assert_array_equal(download(cpu, memory, x), x)


# --- packing --------------------------------------------------------------------------------------


def packed(cpu: CpuDriver, parameters: list[ir.Parameter], arguments: list[object]) -> bytes:
    layout = [parameter_format(parameter) for parameter in parameters]
    text = "define void @kernel() {\n ret void\n}"
    code = jit.Code(jit.compile_text(text, jit.host()), ("kernel",))
    executable = driver_module.CpuExecutable(driver_module.Facts("k", layout), code, cpu)
    job = executable.pack((1, 2, 3, 6, 1), arguments)  # type: ignore[arg-type]
    head = struct.calcsize("@" + JOB_FORMAT)
    address = code.addresses["kernel"]
    assert struct.unpack("@" + JOB_FORMAT, job[:head]) == (address, 1, 2, 3, 6, 1)
    return job[head:]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (BOOL, True, struct.pack("<?7x", True)),
        (INT32, -5, struct.pack("<i4x", -5)),
        (UINT32, (1 << 32) - 1, struct.pack("<I4x", (1 << 32) - 1)),
        (INT64, -(1 << 63), struct.pack("<q", -(1 << 63))),
        (FLOAT32, float("inf"), struct.pack("<f4x", float("inf"))),
        (FLOAT32, 0.1, struct.pack("<f4x", 0.1)),
        (FLOAT64, 0.1, struct.pack("<d", 0.1)),
    ],
)
def test_scalar_slots(cpu: CpuDriver, kind: ScalarType, value: object, expected: bytes) -> None:
    before = ir.ScalarParameter(INT32, "before", ("before",))
    scalar = ir.ScalarParameter(kind, "value", ("value",))
    one = struct.pack("<i4x", 1)
    assert packed(cpu, [before, scalar, before], [1, value, 1]) == one + expected + one


def test_array_slots(cpu: CpuDriver) -> None:
    volume = ir.ArrayParameter("v", ArrayType(VectorType(FLOAT32, 3), 3), ("v",))
    line = ir.ArrayParameter("l", ArrayType(BOOL, 1), ("l",))
    flag = ir.ScalarParameter(BOOL, "flag", ("flag",))
    memory = cpu.allocate(1000)
    address = cpu.memory.address(memory)
    three = ArrayArgument(memory, 64, (2, 3, 4), (12, 4, 1), 48)
    one = ArrayArgument(memory, 0, (7,), (-2,))
    assert packed(cpu, [volume, flag, line], [three, True, one]) == struct.pack(
        "<Q7q?7xQ3q", address + 64, 2, 3, 4, 12, 4, 1, 48, True, address, 7, -2, 0
    )


# --- what the device says of itself ---------------------------------------------------------------


def test_vector_layout_is_planes_with_room_for_a_vector(cpu: CpuDriver) -> None:
    for count in (0, 1, 15, 16, 17, 1000):
        layout = cpu.vector_layout(3, count)
        assert layout.element_stride == 1
        assert layout.component_stride % 16 == 0
        assert count + 16 <= layout.component_stride < count + 32


def test_fingerprints_tell_programs_apart() -> None:
    prints = [
        open_cpu(lanes=lanes).fingerprint(Options(contract=contract, lanes=forced))
        for lanes, contract, forced in [(8, True, 0), (1, True, 0), (8, False, 0), (8, True, 4)]
    ]
    assert len(set(prints)) == len(prints)
    assert open_cpu(lanes=8).fingerprint(Options()) == prints[0]
    assert open_cpu(lanes=1).fingerprint(Options(lanes=8)) == prints[0]
    # Threads do not change the code.
    assert open_cpu(lanes=8, threads=7).fingerprint(Options()) == prints[0]
    assert jit.versions() in prints[0]


def test_source_is_text_that_compiles(cpu: CpuDriver) -> None:
    text = cpu.source(scale_kernel(), Options())
    assert "define void @kernel(" in text
    assert jit.compile_text(text, cpu.target(Options()))


def test_options_of_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = registry.backends()["cpu"]
    monkeypatch.setenv("HEADWATER_THREADS", "3")
    monkeypatch.setenv("HEADWATER_LANES", "4")
    assert open_cpu().pool.threads == 3
    assert open_cpu().target(Options()).lanes == 4
    assert open_cpu(threads=5, lanes=8).pool.threads == 5
    assert open_cpu(threads=5, lanes=8).target(Options()).lanes == 8
    assert open_cpu(lanes=0).target(Options()).lanes == jit.host().lanes
    for options, message in [
        ({"speed": 1}, "no option 'speed'"),
        ({"threads": 0}, "at least 1 thread"),
        ({"lanes": 3}, "no vectors of 3 lanes"),
        ({"lanes": "4"}, "the option 'lanes' of the CPU device is an int"),
    ]:
        with pytest.raises(DeviceError, match=message):
            backend.open(0, **options)  # type: ignore[arg-type]
    with pytest.raises(DeviceError, match="one CPU device"):
        backend.open(1)
    monkeypatch.setenv("HEADWATER_LANES", "5")
    with pytest.raises(HeadwaterError, match="5 lanes"):
        open_cpu()


def test_damaged_payloads(cpu: CpuDriver) -> None:
    payload = cpu.compile(scale_kernel(), Options())
    facts = driver_module.Facts("n", ["q"], scratch=64, waiting=[None, {"file": "k.py", "line": 3}])
    assert unpack_payload(pack_payload(facts, b"image")) == (facts, b"image")
    for damaged in (b"", payload[:8], b"X" + payload[1:], payload[:10] + b"\xff" * 500):
        with pytest.raises(InternalError, match="payload"):
            cpu.load(damaged)
    with pytest.raises(InternalError):
        cpu.load(payload[: len(payload) // 2])


# --- several threads ------------------------------------------------------------------------------


def test_threads_compile_load_and_launch_at_once(cpu: CpuDriver) -> None:
    failures: list[str] = []

    def work(number: int) -> None:
        x = np.full(5000, number, np.float32)
        for block in (16, 32, 64):
            executable = cpu.load(cpu.compile(scale_kernel(block), Options()))
            memory, out = upload(cpu, x), cpu.allocate(x.nbytes)
            for factor in range(20):
                arguments = [whole(out, x.size), whole(memory, x.size), float(factor)]
                executable.launch((-(-x.size // block), 1, 1), arguments)
                if not (download(cpu, out, x) == x * factor).all():
                    failures.append(f"{number} {block} {factor}")
            cpu.free(memory)
            cpu.free(out)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_python_goes_on_during_a_launch(cpu: CpuDriver) -> None:
    executable = cpu.load(cpu.compile(scale_kernel(), Options()))
    x = np.ones(32, np.float32)
    array = whole(upload(cpu, x), 32)
    ended = threading.Event()

    def launch() -> None:
        executable.launch((1 << 26, 1, 1), [array, array, 1.0])
        ended.set()

    thread = threading.Thread(target=launch)
    thread.start()
    ticks = 0
    while not ended.is_set():
        time.sleep(0.001)
        ticks += 1
    thread.join()
    assert ticks > 5
