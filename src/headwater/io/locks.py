"""One process a folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from headwater.errors import DomainError

LOCK = ".headwater.lock"


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Keep other processes that ask for the same folder out while the context lasts.

    The lock is the system's own on a file that names this process, so that a process that was killed leaves
    no lock, whatever it leaves of the file. Where the system has no such locks, nothing is locked. Raises
    DomainError, with the other process's number, where the folder is taken.
    """
    descriptor = _lock(folder)
    try:
        yield
    finally:
        with suppress(OSError):  # the folder may be gone
            os.unlink(folder / LOCK)
        os.close(descriptor)


def _lock(folder: Path) -> int:
    while True:
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _claim(descriptor)
        except BlockingIOError:
            owner = os.read(descriptor, 32).decode(errors="replace").strip()
            os.close(descriptor)
            raise DomainError(
                f"another run (process {owner or 'unknown'}) writes to the folder '{folder}'",
                hint="wait until it has ended, or give another folder with --out",
            ) from None
        if _is_current(descriptor, folder / LOCK):
            os.truncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode())
            return descriptor
        os.close(descriptor)  # its owner removed it between our two calls


def _claim(descriptor: int) -> None:
    if sys.platform == "win32":
        return
    import fcntl  # noqa: PLC0415  (not on Windows)

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        pass  # a file system without locks


def _is_current(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
