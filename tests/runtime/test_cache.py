"""The program cache: one compile a key, and files that survive everything."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import headwater as hw
from headwater.runtime import compile as compiler
from headwater.runtime.cache import BuildCache, DiskCache


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the kernels that are compiled in a test, which starts with no program in memory."""
    names: list[str] = []
    build = compiler.build

    def counted(wanted: compiler.Specialization) -> compiler.Artifact:
        names.append(wanted.function.__name__)
        time.sleep(0.02)  # wide enough for other threads to ask meanwhile
        return build(wanted)

    monkeypatch.setattr(compiler, "build", counted)
    monkeypatch.setattr(compiler, "_programs", BuildCache())
    return names


def make_kernel(factor: int = 2) -> hw.Kernel:
    @hw.kernel
    def scale(out):
        i = hw.grid(1)
        if i < len(out):
            out[i] = out[i] * factor

    return scale


def programs_in(folder: Path) -> list[Path]:
    """The files of kernels; a backend may keep files of its own there."""
    return list(folder.glob("*.program"))


def run(kernel: hw.Kernel, device: hw.Device) -> float:
    out = device.full(8, 3)
    kernel.forall(8)(out)
    assert len(set(out.numpy().tolist())) == 1
    return float(out.numpy()[0])


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_programs", BuildCache())


def test_one_compile_for_many_threads(
    device: hw.Device, builds: list[str], cache_folder: Path
) -> None:
    kernels = [make_kernel() for _ in range(4)]
    start = threading.Barrier(8)
    results: list[float] = []

    def work(number: int) -> None:
        start.wait()
        results.append(run(kernels[number % 4], device))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [6.0] * 8
    assert builds == ["scale"]


def test_the_time_of_compiling_is_counted(
    oracle: hw.Device, builds: list[str], cache_folder: Path
) -> None:
    before = hw.compile_seconds()
    kernel = make_kernel()
    run(kernel, oracle)
    after = hw.compile_seconds()
    assert after - before >= 0.02  # what the fixture adds to a compile
    run(kernel, oracle)
    assert hw.compile_seconds() == after


def test_the_disk_serves_the_next_process(
    device: hw.Device, builds: list[str], cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(make_kernel(), device) == 6
    assert len(programs_in(cache_folder)) == 1
    forget(monkeypatch)

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("a warm start must not lower")

    monkeypatch.setattr(compiler, "lower", fail)
    assert run(make_kernel(), device) == 6
    assert builds == ["scale"]


def test_what_makes_another_program(
    oracle: hw.Device, builds: list[str], cache_folder: Path
) -> None:
    run(make_kernel(2), oracle)
    assert run(make_kernel(3), oracle) == 9  # a captured constant
    assert len(builds) == 2
    kernel = make_kernel(2)
    run(kernel, oracle)
    assert len(builds) == 2
    kernel.forall(8)(oracle.full(8, 3, hw.float64))  # types
    assert len(builds) == 3
    kernel.forall(8, block=4)(oracle.full(8, 3))  # the block's shape
    assert len(builds) == 4
    kernel.over(8)(oracle.full(8, 3))  # the guard
    assert len(builds) == 5
    hw.kernel(contract=False)(kernel.function).forall(8)(oracle.full(8, 3))
    assert len(builds) == 6
    run(kernel, hw.device("reference", backwards=1))


FACTOR = 2


def test_captured_values_are_frozen_at_the_first_compile(
    oracle: hw.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    @hw.kernel
    def scale(out):
        i = hw.grid(1)
        if i < len(out):
            out[i] = out[i] * FACTOR

    assert run(scale, oracle) == 6
    monkeypatch.setitem(globals(), "FACTOR", 5)
    assert run(scale, oracle) == 6


def damage(name: str) -> Callable[[bytes], bytes]:
    ways: dict[str, Callable[[bytes], bytes]] = {
        "empty": lambda content: b"",
        "truncated": lambda content: content[:-7],
        "half": lambda content: content[: len(content) // 2],
        "flipped": lambda content: content[:-20] + bytes([content[-20] ^ 1]) + content[-19:],
        "longer": lambda content: content + b"x",
        "text": lambda content: b"hello\n" * 100,
    }
    return ways[name]


@pytest.mark.parametrize("way", ["empty", "truncated", "half", "flipped", "longer", "text"])
def test_damaged_files_are_compiled_anew(
    device: hw.Device,
    builds: list[str],
    cache_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
) -> None:
    run(make_kernel(), device)
    (file,) = programs_in(cache_folder)
    whole = file.read_bytes()
    file.write_bytes(damage(way)(whole))
    forget(monkeypatch)
    assert run(make_kernel(), device) == 6
    assert len(builds) == 2
    assert DiskCache(cache_folder).read(file.stem) is not None


def test_a_file_under_a_foreign_name_is_ignored(
    oracle: hw.Device, builds: list[str], cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(make_kernel(2), oracle)
    (two,) = programs_in(cache_folder)
    run(make_kernel(3), oracle)
    (three,) = set(programs_in(cache_folder)) - {two}
    three.write_bytes(two.read_bytes())
    forget(monkeypatch)
    assert run(make_kernel(3), oracle) == 9


def test_a_sound_file_of_another_content_is_ignored(
    device: hw.Device, builds: list[str], cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(make_kernel(), device)
    (file,) = programs_in(cache_folder)
    for body in (b"", b"[]", b"[[1]]\nx", b'[[["out"], "quaternion", true, true]]\n', b"\xff\n"):
        DiskCache(cache_folder).write(file.stem, body)
        forget(monkeypatch)
        assert run(make_kernel(), device) == 6


def test_a_folder_in_the_place_of_a_file(
    oracle: hw.Device, builds: list[str], cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(make_kernel(), oracle)
    (file,) = programs_in(cache_folder)
    file.unlink()
    file.mkdir()
    forget(monkeypatch)
    assert run(make_kernel(), oracle) == 6


def test_no_disk_cache_on_request(
    oracle: hw.Device, builds: list[str], cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER_CACHE", "0")
    run(make_kernel(), oracle)
    assert builds == ["scale"]
    assert not cache_folder.exists()


def test_a_folder_that_cannot_be_written_is_reported_once(
    oracle: hw.Device,
    builds: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("HEADWATER_CACHE_DIR", str(blocked / "programs"))
    with caplog.at_level(logging.WARNING, "headwater"):
        assert run(make_kernel(2), oracle) == 6
        assert run(make_kernel(3), oracle) == 9
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "HEADWATER_CACHE_DIR" in caplog.text


def test_an_error_reaches_every_thread_and_the_next_try_compiles(oracle: hw.Device) -> None:
    cache: BuildCache[str] = BuildCache()
    start = threading.Barrier(4)
    failures: list[str] = []

    def fail() -> str:
        raise RuntimeError("broken")

    def work() -> None:
        start.wait()
        try:
            cache.get("key", fail)
        except RuntimeError as error:
            failures.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == ["broken"] * 4
    assert cache.get("key", lambda: "made") == "made"
    assert cache.get("key", fail) == "made"


def test_the_folder_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.runtime.cache._MAX_BYTES", 10_000)
    disk = DiskCache(tmp_path)
    for number in range(40):
        disk.write(f"key{number}", bytes(1000))
        os.utime(tmp_path / f"key{number}.program", (number, number))
    sizes = [file.stat().st_size for file in tmp_path.iterdir()]
    assert 1000 < sum(sizes) <= 12_000
    assert disk.read("key39") is not None
    assert disk.read("key0") is None


def test_leftovers_of_killed_writers_are_removed(tmp_path: Path) -> None:
    disk = DiskCache(tmp_path)
    (tmp_path / "old.writing").write_bytes(b"half")
    os.utime(tmp_path / "old.writing", (1, 1))
    (tmp_path / "fresh.writing").write_bytes(b"half")
    disk.write("key", b"body")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["fresh.writing", "key.program"]


WRITER = """
import sys
from pathlib import Path
from headwater.runtime.cache import DiskCache
disk = DiskCache(Path(sys.argv[1]))
print("started", flush=True)
while True:
    disk.write("key", bytes(int(sys.argv[2])) )
"""


def test_killed_writers_leave_no_half_file(tmp_path: Path) -> None:
    disk = DiskCache(tmp_path)
    size = 4_000_000
    for delay in (0.0, 0.003, 0.01, 0.02):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(size)], stdout=subprocess.PIPE
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(delay)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        assert disk.read("key") in (None, bytes(size))
    disk.write("key", b"whole")
    assert disk.read("key") == b"whole"


PROGRAM = """
import sys
import numpy as np
import headwater as hw

@hw.kernel
def scale(out):
    i = hw.grid(1)
    if i < len(out):
        out[i] = out[i] * 2.0

sys.stdin.readline()
device = hw.device(*{device})
out = device.full(8, 3.0)
scale.forall(8)(out)
print(out.numpy().tolist())
"""


def start_program(path: Path, device: hw.Device) -> subprocess.Popen[str]:
    path.write_text(PROGRAM.format(device=repr((device.name.split(",")[0],))))
    return subprocess.Popen(
        [sys.executable, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_two_processes_at_once(device: hw.Device, cache_folder: Path, tmp_path: Path) -> None:
    programs = [start_program(tmp_path / "program.py", device) for _ in range(2)]
    outputs = [program.communicate("go\n", timeout=60)[0] for program in programs]
    assert outputs == [f"{[6.0] * 8}\n"] * 2
    assert len(programs_in(cache_folder)) == 1


def test_a_changed_source_is_compiled_anew(
    oracle: hw.Device, cache_folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "program.py"
    first = start_program(path, oracle).communicate("go\n", timeout=60)[0]
    text = path.read_text().replace("2.0", "5.0")
    path.write_text(text)
    ended = subprocess.run(
        [sys.executable, str(path)], input="go\n", capture_output=True, text=True, timeout=60
    )
    assert first == f"{[6.0] * 8}\n"
    assert ended.stdout == f"{[15.0] * 8}\n", ended.stderr


def test_the_digest_follows_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ir").mkdir()
    (tmp_path / "ir" / "nodes.py").write_text("a")
    (tmp_path / "runtime").mkdir()
    (tmp_path / "runtime" / "compile.py").write_text("b")
    monkeypatch.setattr(compiler, "_PACKAGE", tmp_path)
    digest = compiler.compiler_digest.__wrapped__
    first = digest()
    assert digest() == first
    (tmp_path / "ir" / "nodes.py").write_text("c")
    second = digest()
    (tmp_path / "ir" / "other.py").write_text("")
    assert len({first, second, digest()}) == 3


def test_artifacts_survive() -> None:
    parameter = compiler.Parameter(("p", "x"), hw.float32, array=True, written=False)
    artifact = compiler.Artifact((parameter,), bytes(range(256)))
    assert compiler.Artifact.decode(artifact.encode()) == artifact
    assert np.dtype("float32") == parameter.scalar.numpy
