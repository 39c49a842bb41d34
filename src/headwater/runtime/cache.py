"""The program cache: in memory, and on disk.

In memory: reads take no lock, and however many threads ask for a key, one builds it. On disk: one file a key,
written to a temporary file that is renamed, so a reader or a killed writer never leaves half a file; each file
carries a checksum over its key and body, and one that does not match counts as absent. Trouble with the disk
never stops a run.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Generic, TypeVar

from headwater import config

Entry = TypeVar("Entry")

_MAGIC = b"headwater program 1\n"
_DIGEST_BYTES = 32
_SUFFIX = ".program"
# The folder is cut back to half of this when a write finds it above.
_MAX_BYTES = 512 * 1024 * 1024
# A temporary file of this age belongs to a writer that was killed.
_STALE_SECONDS = 3600.0


class BuildCache(Generic[Entry]):
    """Values by key, each built once."""

    def __init__(self) -> None:
        self._entries: dict[Hashable, Entry] = {}
        self._locks: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, build: Callable[[], Entry]) -> Entry:
        """The entry of `key`. Where `build` raises, its error reaches the caller and the next one tries again."""
        entry = self._entries.get(key)
        if entry is not None:
            return entry
        with self._locks.setdefault(key, threading.Lock()):
            entry = self._entries.get(key)
            if entry is None:
                entry = self._entries[key] = build()
            return entry


class DiskCache:
    """Files of bytes in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._warned = False

    def read(self, key: str) -> bytes | None:
        """The bytes that were written under `key`; None where there is no such file or it is damaged."""
        path = self.folder / f"{key}{_SUFFIX}"
        try:
            content = path.read_bytes()
        except OSError:
            return None
        start = len(_MAGIC) + _DIGEST_BYTES
        body = content[start:]
        if content[:start] != _MAGIC + _checksum(key, body):
            return None
        with contextlib.suppress(OSError):  # a folder that can only be read serves all the same
            os.utime(path)  # the last use, for pruning
        return body

    def write(self, key: str, body: bytes) -> None:
        """Keep the bytes. A folder that cannot be written is reported once, on the log 'headwater'."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._replace(self.folder / f"{key}{_SUFFIX}", _MAGIC + _checksum(key, body) + body)
            self._prune()
        except OSError as error:
            self._warn(error)

    def _replace(self, path: Path, content: bytes) -> None:
        temporary = path.with_suffix(f".{os.urandom(8).hex()}.writing")
        try:
            temporary.write_bytes(content)
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def _prune(self) -> None:
        """Remove what killed writers left, and the programs that were used longest ago above the limit."""
        now = time.time()
        programs: list[tuple[float, int, str]] = []
        with os.scandir(self.folder) as files:
            for file in files:
                try:
                    status = file.stat()
                except FileNotFoundError:
                    continue  # another process was faster
                if file.name.endswith(_SUFFIX):
                    programs.append((status.st_mtime, status.st_size, file.path))
                elif file.name.endswith(".writing") and now - status.st_mtime > _STALE_SECONDS:
                    Path(file.path).unlink(missing_ok=True)
        excess = sum(size for _, size, _ in programs)
        if excess <= _MAX_BYTES:
            return
        for _, size, path in sorted(programs):
            if excess <= _MAX_BYTES // 2:
                return
            Path(path).unlink(missing_ok=True)
            excess -= size

    def _warn(self, error: OSError) -> None:
        if self._warned:
            return
        self._warned = True
        import logging  # noqa: PLC0415 - seldom needed, and slow to load

        logging.getLogger("headwater").warning(
            "compiled programs cannot be kept in '%s' (%s): each run compiles anew; %s names another folder, %s=0 "
            "asks for none",
            self.folder,
            error,
            config.CACHE_DIRECTORY.name,
            config.CACHE.name,
        )


def _checksum(key: str, body: bytes) -> bytes:
    return hashlib.sha256(key.encode() + b"\n" + body).digest()


_disks: dict[Path, DiskCache] = {}


def disk_cache() -> DiskCache | None:
    """The cache of the folder that the configuration names now; None where it asks for none."""
    if not config.CACHE.read():
        return None
    try:
        folder = config.CACHE_DIRECTORY.read()
    except RuntimeError:  # the user has no home folder
        return None
    return _disks.setdefault(folder, DiskCache(folder))
