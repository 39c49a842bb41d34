"""The thread pool of a CPU device: runs the blocks of a launch on several cores.

The workers are threads of the C library that run compiled code only (`pool_text`); the calling thread
takes part. An idle worker watches for work some 50 microseconds and then sleeps. Launches from several
Python threads follow one after another, except small ones, which run on their caller at once. Where
the system has no POSIX threads (Windows), a pool has one thread: the caller.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from headwater.backends import forks
from headwater.backends.cpu import jit, pool_text
from headwater.errors import DeviceError

HAS_THREADS = os.name == "posix"
STACK_BYTES = 8 << 20

# Chunks are claimed while they last, so uneven blocks balance; each claim costs some 0.1 microseconds.
CHUNKS_PER_THREAD = 32

# Signals of the machine itself must reach the thread that causes them.
_OWN_SIGNALS = {"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP"}


@dataclass(frozen=True, slots=True)
class _Native:
    """The compiled functions of `pool_text`."""

    code: jit.Code
    run: Callable[..., int]
    inline: Callable[..., int]
    start: Callable[..., int]
    stop: Callable[..., int]


_loading = threading.Lock()


def _native() -> _Native:
    """One for the process: a second would be unloaded under the thread that runs it."""
    with _loading:
        return _loaded()


@cache
def _loaded() -> _Native:
    return load_native()


def load_native() -> _Native:
    """Compile the pool, or take it from the folder of compiled programs."""
    target = jit.host()
    text = pool_text.pool_text(target.triple.partition("-")[0], threads=HAS_THREADS)
    shared = ("headwater_run", "headwater_start", "headwater_stop") if HAS_THREADS else ()
    code = jit.Code(jit.cached_object(text, target), ("headwater_inline", *shared))
    pointer, job, integer, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_int64

    def function(name: str, *types: type, result: type | None = None) -> Callable[..., int]:
        prototype = ctypes.CFUNCTYPE(result, *types)
        return prototype(code.addresses.get(name, 0))

    return _Native(
        code=code,
        run=function("headwater_run", pointer, job),
        inline=function("headwater_inline", job),
        start=function("headwater_start", pointer, size, size, result=integer),
        stop=function("headwater_stop", pointer),
    )


class ThreadPool:
    """`threads` threads that share the blocks of a launch, the calling one among them."""

    def __init__(self, threads: int) -> None:
        """No thread starts before the first launch that needs one; DeviceError for bad numbers."""
        if threads < 1:
            raise DeviceError(f"the CPU device needs at least 1 thread, not {threads}")
        if threads > 1 and not HAS_THREADS:
            raise DeviceError("the CPU device runs on 1 thread on this system")
        self.threads = threads
        self._lock = threading.Lock()
        self._workers: _Workers | None = None
        self._inline: Callable[..., int] | None = None
        forks.register(self)

    def run(self, job: bytes, *, alone: bool) -> None:
        """Call a kernel for every block of a packed job once, and wait for the last.

        `job` is in `pool_text.JOB_FORMAT`. `alone` keeps it on the calling thread, as a chunk of all
        blocks calls for. Python's lock is released meanwhile. The kernel must not start launches.
        """
        if alone:
            (self._inline or self._load())(job)
            return
        workers = self._workers or self._start()
        workers.run(workers.address, job)

    def _load(self) -> Callable[..., int]:
        self._inline = _native().inline
        return self._inline

    def close(self) -> None:
        """End the workers, after the launch that runs. A later launch starts them anew."""
        with self._lock:
            if self._workers is not None:
                self._workers.stop()
                self._workers = None

    def renew_after_fork(self) -> None:
        """The child has none of the threads, and perhaps a lock that nobody will release."""
        self._lock = threading.Lock()
        if self._workers is not None:
            self._workers.forget()
            self._workers = None

    def _start(self) -> _Workers:
        with self._lock:
            if self._workers is None:
                self._workers = _Workers(self.threads - 1)
            return self._workers


def chunk_size(blocks: int, threads: int) -> int:
    """How many blocks a thread claims at a time: all for one thread, never less than one."""
    if threads == 1:
        return max(1, blocks)
    return max(1, blocks // (threads * CHUNKS_PER_THREAD))


class _Workers:
    """The running threads of a pool, and the memory through which they are told what to do."""

    def __init__(self, count: int) -> None:
        native = _native()
        self._memory = ctypes.create_string_buffer(pool_text.HANDLES + 8 * count + 128)
        self.address = -(-ctypes.addressof(self._memory) // 128) * 128
        self.run = native.run
        with _signals_blocked():
            status = native.start(self.address, count, STACK_BYTES)
        # Also runs at the end of the program, so that no worker is left inside unloaded code.
        self._end = weakref.finalize(self, _end, native, self._memory, self.address)
        if status != 0:
            self.stop()
            reason = os.strerror(status)
            raise DeviceError(
                f"the CPU device could not start {count + 1} threads: {reason}",
                hint="set HEADWATER_THREADS to a smaller number",
            )

    def stop(self) -> None:
        self._end()

    def forget(self) -> None:
        self._end.detach()


def _end(native: _Native, memory: ctypes.Array[ctypes.c_char], address: int) -> None:
    """`memory` is here to outlive the workers."""
    native.stop(address)


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Threads made inside take no signals: those must interrupt the main thread's waiting."""
    blocked = {s for s in signal.valid_signals() if getattr(s, "name", "") not in _OWN_SIGNALS}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
