"""Memory, launches, batching and faults of the driver."""

from __future__ import annotations

import dataclasses
import gc
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from webgpu_hand import Hand, download, run, upload

from headwater import ir
from headwater.backends.contract import Absence, ArrayArgument, Options
from headwater.backends.webgpu import native, software
from headwater.backends.webgpu.adapters import adapters
from headwater.backends.webgpu.backend import WebGpuBackend
from headwater.backends.webgpu.driver import WebGpuDriver
from headwater.backends.webgpu.executable import ShaderError, WebGpuExecutable
from headwater.backends.webgpu.queue import BATCH
from headwater.errors import DeviceError, LaunchError, MemoryUseError
from headwater.types import FLOAT32, INT32


def adding(block: int = 64) -> Hand:
    """y[i] += x[i]."""
    hand = Hand(block)
    y, x = hand.array("y", FLOAT32, written=True), hand.array("x", FLOAT32)
    i, build = hand.thread(), hand.build
    with build.when(build.compute("lt", i, build.extent(y, 0))):
        build.store(y, (i,), build.compute("add", build.load(y, (i,)), build.load(x, (i,))))
    return hand


def loaded(driver: WebGpuDriver, hand: Hand) -> WebGpuExecutable:
    executable = driver.load(driver.compile(hand.kernel, Options()))
    assert isinstance(executable, WebGpuExecutable)
    return executable


# --- memory ---------------------------------------------------------------------------------------


def test_bytes_survive_at_any_offset_and_size(driver: WebGpuDriver) -> None:
    random = np.random.default_rng(1)
    expected = random.integers(0, 256, 101, dtype=np.uint8)
    memory = driver.allocate(101)
    driver.write(memory, 0, memoryview(expected))
    for offset, size in [(0, 1), (1, 1), (3, 2), (4, 4), (5, 90), (99, 2), (100, 1), (0, 101)]:
        part = random.integers(0, 256, size, dtype=np.uint8)
        driver.write(memory, offset, memoryview(part))
        expected[offset : offset + size] = part
        out = np.empty(101, np.uint8)
        driver.read(memory, 0, memoryview(out))
        assert np.array_equal(out, expected)
        driver.read(memory, offset, memoryview(out[:size]))
        assert np.array_equal(out[:size], part)


@pytest.mark.parametrize(("start", "at", "size"), [(0, 0, 40), (4, 8, 12), (1, 2, 7), (0, 0, 41)])
def test_copies(driver: WebGpuDriver, start: int, at: int, size: int) -> None:
    source, target = np.arange(41, dtype=np.uint8), np.zeros(41, np.uint8)
    a, b = upload(driver, source), upload(driver, target)
    driver.copy(a.memory, start, b.memory, at, size)
    target[at : at + size] = source[start : start + size]
    assert np.array_equal(download(driver, b, target), target)


def test_a_copy_inside_one_memory(driver: WebGpuDriver) -> None:
    values = np.arange(16, dtype=np.int32)
    a = upload(driver, values)
    driver.copy(a.memory, 0, a.memory, 16, 32)
    assert np.array_equal(download(driver, a, values), [*range(4), *range(8), *range(12, 16)])


def test_larger_than_one_chunk(driver: WebGpuDriver) -> None:
    values = np.random.default_rng(2).integers(0, 256, (64 << 20) + 1001, dtype=np.uint8)
    memory = driver.allocate(values.nbytes)
    driver.write(memory, 0, memoryview(values))
    out = np.empty_like(values)
    driver.read(memory, 0, memoryview(out))
    assert np.array_equal(out, values)
    driver.free(memory)


def test_nothing_is_allocated_for_no_bytes(driver: WebGpuDriver) -> None:
    memory = driver.allocate(0)
    driver.write(memory, 0, memoryview(b""))
    driver.read(memory, 0, memoryview(bytearray()))
    driver.free(memory)


def test_a_buffer_beyond_the_limit_names_it(driver: WebGpuDriver) -> None:
    limit = driver.features.max_buffer
    with pytest.raises(DeviceError, match=r"more than one buffer of the device 'vulkan' can have"):
        driver.allocate(limit + 1)


def test_an_array_beyond_the_binding_limit_is_refused(driver: WebGpuDriver) -> None:
    """The limit is the device's own: 128 MiB in software, 2 GiB on large cards."""
    limit = driver.features.max_binding
    executable = loaded(driver, adding())
    large = driver.allocate(limit + 4)
    argument = ArrayArgument(large, 0, (8,), (1,))
    with pytest.raises(LaunchError, match=rf"'y' of the kernel 'hand'.*binds at most {limit:,}"):
        executable.launch((1, 1, 1), (argument, argument))
    driver.free(large)
    assert driver.capabilities.max_array_bytes <= limit


def test_use_after_free(driver: WebGpuDriver) -> None:
    values = np.ones(64, np.float32)
    executable = loaded(driver, adding())
    a, b = upload(driver, values), upload(driver, values)
    driver.free(b.memory)
    driver.synchronize()
    with pytest.raises(MemoryUseError):
        executable.launch((1, 1, 1), (a, b))
    with pytest.raises(MemoryUseError):
        driver.read(b.memory, 0, memoryview(bytearray(4)))


def test_memory_freed_while_work_that_uses_it_waits(driver: WebGpuDriver) -> None:
    """A submit that uses a destroyed buffer ends the process."""
    values = np.ones(64, np.float32)
    executable = loaded(driver, adding())
    y = upload(driver, values)
    for _ in range(3 * BATCH + 5):
        x = upload(driver, values)
        executable.launch((1, 1, 1), (y, x))
        driver.free(x.memory)
    assert np.array_equal(download(driver, y, values), np.full(64, 3 * BATCH + 6))


def test_free_inside_another_call_does_not_wait(driver: WebGpuDriver) -> None:
    """Finalizers run anywhere, also while this thread holds the driver's lock."""
    memory = driver.allocate(64)
    with driver.queue.lock:
        driver.free(memory)
    driver.synchronize()
    with pytest.raises(MemoryUseError):
        driver.read(memory, 0, memoryview(bytearray(4)))


# --- launches -------------------------------------------------------------------------------------


@pytest.mark.parametrize("launches", [1, BATCH - 1, BATCH, 10 * BATCH + 3])
def test_launches_run_in_order(driver: WebGpuDriver, launches: int) -> None:
    """Each y = x + y depends on the one before; batches are submitted by themselves."""
    values = np.ones(1000, np.float32)
    executable = loaded(driver, adding())
    y, x = upload(driver, values), upload(driver, values)
    for number in range(launches):
        pair = (y, x) if number % 2 == 0 else (x, y)
        executable.launch((16, 1, 1), pair)
    a = b = np.float32(1)
    with np.errstate(over="ignore"):
        for number in range(launches):
            a, b = (a + b, b) if number % 2 == 0 else (a, b + a)
    assert np.array_equal(download(driver, y, values), np.full(1000, a))


def test_writes_stay_between_launches(driver: WebGpuDriver) -> None:
    executable = loaded(driver, adding())
    y, x = upload(driver, np.zeros(64, np.float32)), upload(driver, np.zeros(64, np.float32))
    for number in range(10):
        values = np.full(64, number, np.float32)
        driver.write(x.memory, 0, memoryview(values).cast("B"))
        executable.launch((1, 1, 1), (y, x))
        driver.copy(y.memory, 0, x.memory, 0, 128)
    assert np.array_equal(download(driver, y, values), np.full(64, 45))
    assert np.array_equal(download(driver, x, values), [45.0] * 32 + [9.0] * 32)


def test_one_array_as_two_arguments(driver: WebGpuDriver) -> None:
    """Reading and writing one buffer under two bindings is an error unless both may write."""
    values = np.arange(64, dtype=np.float32)
    executable = loaded(driver, adding())
    y = upload(driver, values)
    executable.launch((1, 1, 1), (y, y))
    assert np.array_equal(download(driver, y, values), 2 * values)
    x = upload(driver, values)
    executable.launch((1, 1, 1), (y, x))
    assert np.array_equal(download(driver, y, values), 3 * values)


def test_two_parts_of_one_memory(driver: WebGpuDriver) -> None:
    """Offsets that no binding could have: they travel with the arguments."""
    values = np.arange(20, dtype=np.float32)
    executable = loaded(driver, adding())
    whole = upload(driver, values)
    parts = [dataclasses.replace(whole, offset=4 * at, shape=(7,)) for at in (1, 9)]
    executable.launch((1, 1, 1), parts)
    values[1:8] += values[9:16]
    assert np.array_equal(download(driver, whole, values), values)


def test_strides(driver: WebGpuDriver) -> None:
    hand = Hand()
    y = hand.array("y", FLOAT32, written=True, contiguous=False)
    i, build = hand.thread(), hand.build
    with build.when(build.compute("lt", i, build.extent(y, 0))):
        build.store(y, (i,), hand.const(7.0, FLOAT32))
    values = np.zeros(20, np.float32)
    executable = loaded(driver, hand)
    whole = upload(driver, values)
    executable.launch((1, 1, 1), (dataclasses.replace(whole, offset=8, shape=(6,), strides=(3,)),))
    values[2::3] = 7
    assert np.array_equal(download(driver, whole, values), values)


def test_more_blocks_than_a_dispatch_takes(driver: WebGpuDriver) -> None:
    """65,535 is the limit on an axis. A barrier behind the added guard still holds."""
    hand = Hand(2)
    out = hand.array("out", INT32, written=True)
    tile = hand.shared("tile", INT32, 2)
    build = hand.build
    t, i = build.index("thread", 0), hand.thread()
    build.store(tile, (t,), i)
    build.append(ir.Barrier())
    other = build.compute("sub", hand.const(1), t)
    build.store(out, (i,), build.load(tile, (other,)))
    count = 2 * 70_001
    got = run(driver, hand, np.zeros(count, np.int32))[0]
    assert np.array_equal(got.reshape(-1, 2), np.arange(count).reshape(-1, 2)[:, ::-1])


def test_a_large_grid_of_more_axes(driver: WebGpuDriver) -> None:
    hand = Hand(1)
    out = hand.array("out", INT32, written=True)
    build = hand.build
    x, y, z = (build.index("block", axis) for axis in range(3))
    row = build.compute("add", build.compute("mul", z, build.index("grid_size", 1)), y)
    i = build.compute("add", build.compute("mul", row, build.index("grid_size", 0)), x)
    build.store(out, (i,), i)
    for grid in ((3, 66_000, 2), (66_000, 2, 2), (5, 4, 3)):
        count = grid[0] * grid[1] * grid[2]
        got = run(driver, hand, np.zeros(count, np.int32), grid=grid)[0]
        assert np.array_equal(got, np.arange(count))


def test_too_many_blocks_are_refused(driver: WebGpuDriver) -> None:
    a = upload(driver, np.zeros(64, np.float32))
    with pytest.raises(LaunchError, match="at most 4,294,836,225"):
        loaded(driver, adding()).launch((1 << 20, 1 << 12, 1), (a, a))


def test_an_empty_grid_does_nothing(driver: WebGpuDriver) -> None:
    a = upload(driver, np.zeros(64, np.float32))
    loaded(driver, adding()).launch((0, 1, 1), (a, a))


def test_threads_share_a_driver(driver: WebGpuDriver) -> None:
    """Each thread compiles, launches, frees and reads; the sums are its own."""
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            values = np.full(500, seed, np.float32)
            executable = loaded(driver, adding())
            y = upload(driver, np.zeros(500, np.float32))
            for _ in range(50):
                x = upload(driver, values)
                executable.launch((8, 1, 1), (y, x))
                driver.free(x.memory)
            assert np.array_equal(download(driver, y, values), 50 * values)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_arguments_in_a_uniform_buffer_stay_apart(driver: WebGpuDriver) -> None:
    """More launches than the ring of argument blocks has places."""
    hand = Hand(1)
    out = hand.array("out", INT32, written=True)
    place, value = hand.scalar("place", INT32), hand.scalar("value", INT32)
    hand.build.store(out, (place,), value)
    plain = driver.features
    driver.features = dataclasses.replace(plain, max_immediate=0)
    try:
        executable = loaded(driver, hand)
    finally:
        driver.features = plain
    values = np.zeros(700, np.int32)
    target = upload(driver, values)
    for number in range(700):
        executable.launch((1, 1, 1), (target, number, 3 * number))
    assert np.array_equal(download(driver, target, values), 3 * np.arange(700))


def test_a_payload_loads_in_another_process(driver: WebGpuDriver) -> None:
    payload = driver.compile(adding().kernel, Options())
    assert driver.load(payload).program == loaded(driver, adding()).program  # type: ignore[attr-defined]
    assert driver.fingerprint(Options()) != driver.fingerprint(Options(contract=False))


# --- faults ---------------------------------------------------------------------------------------


def test_a_refused_shader_names_the_kernel_and_keeps_the_text(driver: WebGpuDriver) -> None:
    program = loaded(driver, adding()).program
    broken = dataclasses.replace(program, body="    let v = nonsense;")
    with pytest.raises(
        ShaderError, match=r"'vulkan' refused the kernel 'hand': .*nonsense"
    ) as caught:
        driver.load(broken.to_bytes())
    assert "let v = nonsense;" in caught.value.source
    driver.synchronize()


def test_a_lost_device_is_an_exception_and_others_go_on(driver: WebGpuDriver) -> None:
    other = WebGpuDriver(driver.adapter, checked=False)
    executable = loaded(other, adding())
    y = upload(other, np.ones(64, np.float32))
    executable.launch((1, 1, 1), (y, y))
    other.gpu.device.destroy()
    with pytest.raises(DeviceError, match=r"'vulkan'.*lost"):
        other.read(y.memory, 0, memoryview(bytearray(4)))
    with pytest.raises(DeviceError, match="lost"):
        other.allocate(64)
    with pytest.raises(DeviceError, match="lost"):
        other.write(y.memory, 0, memoryview(bytes(4)))
    with pytest.raises(DeviceError, match="lost"):
        loaded(other, adding())
    other.free(y.memory)
    other.synchronize()
    test_launches_run_in_order(driver, 3)


def test_no_memory_left_is_an_exception(driver: WebGpuDriver, monkeypatch: Any) -> None:
    """What the library raises for it; drivers in software do not run out before the machine does."""

    def refuse(*_: object) -> None:
        raise driver.gpu.library.wgpu.GPUOutOfMemoryError("Not enough memory left")

    monkeypatch.setattr(driver.gpu, "buffer", refuse)
    with pytest.raises(
        DeviceError, match=r"'vulkan' has no memory left for 1,024 bytes: Not enough"
    ):
        driver.allocate(1024)


def test_a_driver_that_cuts_loops_short_is_refused(driver: WebGpuDriver, monkeypatch: Any) -> None:
    software.check_software(driver)

    def read_old(memory: object, offset: int, out: memoryview) -> None:
        out[:] = (65_535).to_bytes(4, "little")

    monkeypatch.setattr(driver, "read", read_old)
    with pytest.raises(DeviceError, match=r"(?s)loop of 70,000 trips after 65,535.*Mesa 25"):
        software.check_software(driver)


def test_a_checked_device_drops_stores_out_of_range(driver: WebGpuDriver) -> None:
    checked = WebGpuDriver(driver.adapter, checked=True)
    hand = Hand(1)
    out = hand.array("out", INT32, written=True)
    hand.build.store(out, (hand.scalar("i", INT32),), hand.const(5))
    assert list(run(checked, hand, np.zeros(64, np.int32), 1 << 20)[0]) == [0] * 64


# --- finding devices ------------------------------------------------------------------------------


def test_without_the_package_the_backend_says_what_to_install(monkeypatch: Any) -> None:
    monkeypatch.setattr(native, "installed_version", lambda: None)
    found = WebGpuBackend().devices()
    assert isinstance(found, Absence)
    assert "'wgpu' is not installed" in found.reason
    assert "pip install" in found.hint


def test_another_version_is_refused(monkeypatch: Any) -> None:
    monkeypatch.setattr(native, "installed_version", lambda: "0.20.1")
    found = WebGpuBackend().devices()
    assert isinstance(found, Absence)
    assert "0.20.1" in found.reason


def test_without_a_graphics_driver(monkeypatch: Any) -> None:
    monkeypatch.setattr("headwater.backends.webgpu.adapters.adapters", list)
    found = WebGpuBackend().devices()
    assert isinstance(found, Absence)
    assert "mesa-vulkan-drivers" in found.hint


def test_listing_backends_does_not_import_the_library() -> None:
    program = (
        "import sys; from headwater.backends import registry; registry.backends(); "
        "sys.exit('wgpu' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_an_unknown_option(driver: WebGpuDriver) -> None:
    with pytest.raises(DeviceError, match="no option 'threads'"):
        WebGpuBackend().open(0, threads=2)


def test_devices_have_names_and_numbers(driver: WebGpuDriver) -> None:
    infos = [adapter.info for adapter in adapters()]
    assert len({(info.name, info.index) for info in infos}) == len(infos)
    assert {info.name for info in infos} <= {"vulkan", "metal", "dx12", "opengl"}
    assert driver.info.description
    gc.collect()


def test_arguments_of_one_alias_group_share_a_binding(driver: WebGpuDriver) -> None:
    """Through two bindings OpenGL's driver moves loads past stores to the same place."""
    hand = Hand(1)
    parts = [hand.array(name, INT32, written=name == "out", alias=1) for name in ("out", "x")]
    build, running = hand.build, hand.variable("running", INT32)
    build.assign(running, hand.const(0))
    with build.loop(hand.const(0), build.extent(parts[1], 0), hand.const(1)) as loop:
        value = build.load(parts[1], (loop.index,))
        build.store(parts[0], (loop.index,), build.read(running))
        build.assign(running, build.compute("add", build.read(running), value))
    executable = loaded(driver, hand)
    assert [binding.written for binding in executable.program.bindings] == [True]
    values = np.arange(10, dtype=np.int32)
    array = upload(driver, values)
    executable.launch((1, 1, 1), (array, array))
    assert np.array_equal(download(driver, array, values), np.cumsum(values) - values)
