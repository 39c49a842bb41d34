"""The thread pool, with kernels written by hand in LLVM IR text."""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from headwater.backends.cpu import jit, pool_text
from headwater.backends.cpu.pool import ThreadPool, chunk_size, load_native
from headwater.backends.cpu.pool_text import JOB_FORMAT
from headwater.backends.cpu.target import Target
from headwater.errors import DeviceError

SIGNATURE = "ptr %arguments, i32 %x, i32 %y, i32 %z, i64 %first, i64 %last"

# counts[b] += 1 for every block b, not atomic: a block that ran twice at once would also be seen.
COUNT = f"""
define void @kernel({SIGNATURE}) nounwind {{
entry:
  %counts = load ptr, ptr %arguments
  br label %loop
loop:
  %b = phi i64 [ %first, %entry ], [ %after, %loop ]
  %at = getelementptr i32, ptr %counts, i64 %b
  %old = load i32, ptr %at
  %new = add i32 %old, 1
  store i32 %new, ptr %at
  %after = add i64 %b, 1
  %more = icmp slt i64 %after, %last
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""

# Every block turns in place for arguments[1] rounds; the volatile store keeps the loop.
SPIN = f"""
define void @kernel({SIGNATURE}) nounwind {{
entry:
  %turns = alloca i64
  %at_rounds = getelementptr i64, ptr %arguments, i64 1
  %rounds = load i64, ptr %at_rounds
  %blocks = sub i64 %last, %first
  %total = mul i64 %rounds, %blocks
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %after, %loop ]
  store volatile i64 %n, ptr %turns
  %after = add i64 %n, 1
  %more = icmp slt i64 %after, %total
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""

# out[b] = in[b] * 0.5 in float32.
HALVE = f"""
define void @kernel({SIGNATURE}) nounwind {{
entry:
  %in = load ptr, ptr %arguments
  %at_out = getelementptr i64, ptr %arguments, i64 1
  %out = load ptr, ptr %at_out
  br label %loop
loop:
  %b = phi i64 [ %first, %entry ], [ %after, %loop ]
  %at = getelementptr float, ptr %in, i64 %b
  %v = load float, ptr %at
  %h = fmul float %v, 0.5
  %to = getelementptr float, ptr %out, i64 %b
  store float %h, ptr %to
  %after = add i64 %b, 1
  %more = icmp slt i64 %after, %last
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


@pytest.fixture(scope="module")
def count() -> jit.Code:
    return jit.Code(jit.compile_text(COUNT, jit.host()), ("kernel",))


@pytest.fixture(scope="module")
def spin() -> jit.Code:
    return jit.Code(jit.compile_text(SPIN, jit.host()), ("kernel",))


def run(pool: ThreadPool, code: jit.Code, grid: tuple[int, int, int], *arguments: int) -> None:
    blocks = grid[0] * grid[1] * grid[2]
    chunk = chunk_size(blocks, pool.threads)
    job = struct.pack("@" + JOB_FORMAT, code.addresses["kernel"], *grid, blocks, chunk)
    pool.run(job + np.array(arguments, np.int64).tobytes(), alone=blocks <= chunk)


def run_count(pool: ThreadPool, code: jit.Code, grid: tuple[int, int, int]) -> np.ndarray:
    blocks = grid[0] * grid[1] * grid[2]
    counts = np.zeros(blocks, np.int32)
    run(pool, code, grid, counts.ctypes.data)
    return counts


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_each_block_runs_once(threads: int, count: jit.Code) -> None:
    pool = ThreadPool(threads)
    for grid in [(1, 1, 1), (2, 1, 1), (3, 5, 1), (13, 7, 11), (100_003, 1, 1)]:
        np.testing.assert_array_equal(run_count(pool, count, grid), 1)
    pool.close()


def test_many_short_launches(count: jit.Code) -> None:
    pool = ThreadPool(3)
    for size in range(1, 1500):
        np.testing.assert_array_equal(run_count(pool, count, (size % 97 + 1, 1, 1)), 1)
    pool.close()


def test_launches_after_a_pause_wake_the_sleeping_workers(count: jit.Code) -> None:
    pool = ThreadPool(3)
    for _ in range(20):
        time.sleep(0.003)
        np.testing.assert_array_equal(run_count(pool, count, (500, 1, 1)), 1)
    pool.close()


def test_concurrent_launches(count: jit.Code) -> None:
    pool = ThreadPool(3)
    failures: list[str] = []

    def launch_often() -> None:
        for size in range(1, 200):
            if not (run_count(pool, count, (size, 3, 1)) == 1).all():
                failures.append(f"size {size}")

    callers = [threading.Thread(target=launch_often) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert failures == []
    pool.close()


def test_pools_of_different_sizes_live_side_by_side(count: jit.Code) -> None:
    pools = [ThreadPool(n) for n in (1, 2, 5)]
    for _ in range(20):
        for pool in pools:
            np.testing.assert_array_equal(run_count(pool, count, (333, 1, 1)), 1)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_lock_of_python_is_released(threads: int, spin: jit.Code) -> None:
    """While one thread is in a launch, this one counts; with the lock held it could not."""
    pool = ThreadPool(threads)
    started, ended = threading.Event(), threading.Event()

    def launch() -> None:
        started.set()
        run(pool, spin, (64, 1, 1), 0, 10_000_000)
        ended.set()

    caller = threading.Thread(target=launch)
    caller.start()
    started.wait()
    ticks = 0
    while not ended.is_set():
        ticks += 1
        time.sleep(0.001)
    caller.join()
    assert ticks > 10
    pool.close()


def test_close_and_run_again(count: jit.Code) -> None:
    pool = ThreadPool(4)
    for _ in range(3):
        np.testing.assert_array_equal(run_count(pool, count, (300, 1, 1)), 1)
        pool.close()
        pool.close()


def test_chunks_cover_the_blocks() -> None:
    assert chunk_size(1000, 1) == 1000
    assert chunk_size(1, 8) == 1
    assert chunk_size(10, 8) == 1
    for threads in (2, 3, 64):
        for blocks in (1, 63, 1000, 1_000_000):
            chunk = chunk_size(blocks, threads)
            assert chunk >= 1
            assert chunk == 1 or blocks // chunk >= 8 * threads


def test_bad_numbers_of_threads() -> None:
    with pytest.raises(DeviceError, match="at least 1 thread"):
        ThreadPool(0)


@pytest.mark.parametrize("threads", [1, 3])
def test_denormals_survive_whatever_mode_the_caller_has(threads: int) -> None:
    if jit.host().triple.partition("-")[0] != "x86_64":
        pytest.skip("the mode is set by hand on x86_64 only")
    code = jit.Code(jit.compile_text(HALVE, jit.host()), ("kernel",))
    set_mode = jit.Code(jit.compile_text(SET_MODE, jit.host()), ("set_mode",))
    mode = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)(set_mode.addresses["set_mode"])
    values = np.full(5000, np.finfo(np.float32).tiny, np.float32)
    out = np.empty_like(values)
    pool = ThreadPool(threads)
    flush = 0x1F80 | 0x8040
    before = mode(flush)
    try:
        run(pool, code, (5000, 1, 1), values.ctypes.data, out.ctypes.data)
    finally:
        left = mode(before)
    assert left & 0x8040 == 0x8040
    np.testing.assert_array_equal(out, values * np.float32(0.5))
    assert (out > 0).all()
    pool.close()


SET_MODE = """
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
define i32 @set_mode(i32 %mode) nounwind {
  %old = alloca i32
  %new = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %old)
  store i32 %mode, ptr %new
  call void @llvm.x86.sse.ldmxcsr(ptr %new)
  %before = load i32, ptr %old
  ret i32 %before
}
"""


def in_child(work: object) -> int:
    """The exit status of a forked child that runs `work`; killed after a minute."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads, Python 3.12
        child = os.fork()
    if child == 0:
        status = 1
        try:
            work()  # type: ignore[operator]
            status = 0
        finally:
            os._exit(status)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_child_has_its_own_workers(count: jit.Code) -> None:
    pool = ThreadPool(3)
    run_count(pool, count, (300, 1, 1))

    def work() -> None:
        assert (run_count(pool, count, (300, 1, 1)) == 1).all()
        pool.close()

    assert in_child(work) == 0
    np.testing.assert_array_equal(run_count(pool, count, (300, 1, 1)), 1)
    pool.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_fork_while_other_threads_launch_and_compile(count: jit.Code) -> None:
    pool = ThreadPool(3)
    over = threading.Event()

    def launch_often() -> None:
        while not over.is_set():
            run_count(pool, count, (300, 1, 1))

    def compile_often() -> None:
        while not over.is_set():
            jit.Code(jit.compile_text(COUNT, jit.host()), ("kernel",))

    def work() -> None:
        code = jit.Code(jit.compile_text(COUNT, jit.host()), ("kernel",))
        assert (run_count(pool, code, (300, 1, 1)) == 1).all()

    others = [threading.Thread(target=f) for f in (launch_often, launch_often, compile_often)]
    for other in others:
        other.start()
    try:
        assert [in_child(work) for _ in range(8)] == [0] * 8
    finally:
        over.set()
        for other in others:
            other.join()
    pool.close()


EXIT = """
import os, sys
from test_pool import COUNT, run_count
from headwater.backends.cpu import jit
from headwater.backends.cpu.pool import ThreadPool

code = jit.Code(jit.compile_text(COUNT, jit.host()), ("kernel",))
pool = ThreadPool(4)
def run():
    assert (run_count(pool, code, (1000, 1, 1)) == 1).all()
run()
if "fork" in sys.argv:
    child = os.fork()
    run()
    if child:
        assert os.waitpid(child, 0)[1] == 0
print("done")
"""


@pytest.mark.parametrize("mode", ["plain", "fork"])
def test_the_program_ends_with_running_workers(mode: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(EXIT)
    folder = str(Path(__file__).parent)
    result = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", str(program), mode],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([folder, *sys.path])},
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert set(result.stdout.split()) == {"done"}


def test_a_damaged_cached_pool_is_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER_CACHE", "1")
    monkeypatch.setenv("HEADWATER_CACHE_DIR", str(tmp_path))
    load_native()
    (file,) = (tmp_path / "cpu").iterdir()
    intact = file.read_bytes()
    for damage in (b"", intact[:40], intact[:-1], intact[:100] + b"\0" + intact[101:], b"x" * 999):
        file.write_bytes(damage)
        assert load_native().code.addresses["headwater_run"] != 0
        assert file.read_bytes() == intact
    assert list((tmp_path / "cpu").iterdir()) == [file]


def test_an_intact_cached_pool_is_not_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER_CACHE", "1")
    monkeypatch.setenv("HEADWATER_CACHE_DIR", str(tmp_path))
    load_native()

    def never(text: str, target: Target) -> bytes:
        raise AssertionError("compiled again")

    monkeypatch.setattr(jit, "compile_text", never)
    load_native()


def test_a_cache_that_cannot_be_written_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("HEADWATER_CACHE", "1")
    monkeypatch.setenv("HEADWATER_CACHE_DIR", str(blocked))
    assert load_native().code.addresses["headwater_run"] != 0


@pytest.mark.parametrize("machine", ["x86_64", "aarch64", "riscv64"])
@pytest.mark.parametrize("threads", [True, False])
def test_the_text_is_good_for_every_machine(machine: str, threads: bool) -> None:
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    text = pool_text.pool_text(machine, threads=threads)
    module = llvm.parse_assembly(text, llvm.create_context())
    module.verify()
    triple = f"{machine}-unknown-linux-gnu"
    target = llvm.Target.from_triple(triple).create_target_machine()
    assert target.emit_object(module)
    exported = {
        f.name for f in module.functions if not f.is_declaration and f.linkage.name == "external"
    }
    assert ("headwater_run" in exported) == threads
    assert "headwater_inline" in exported
