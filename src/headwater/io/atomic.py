"""Writing a file so that a reader, or a crash, sees the old one or the new one and nothing between.

What exists and is no regular file (a pipe, a terminal, a device) cannot be replaced so: it is written to as it is.
Symbolic links stay; the file that they lead to is replaced.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from headwater.errors import DomainError
from headwater.io.folders import writable_folder

_DESCRIPTORS = {"/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
# Names have at most 255 bytes on most systems, and the temporary file's is longer than the file's own.
_NAME = 60


def write_atomically(path: Path, chunks: Iterable[bytes]) -> None:
    """Write the chunks to a temporary file beside `path`, then put it in its place.

    The file keeps the permissions of the one that was there. Raises OSError, which names `path`, where it
    cannot be written; nothing is left behind then.
    """
    try:
        if replaces(path):
            _replace(Path(os.path.realpath(path)), chunks)
        else:
            _write_through(path, chunks)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(error.errno or errno.EIO, reason, str(path)) from error


def replaces(path: Path) -> bool:
    """Whether the path is a regular file, or none yet; anything else keeps its place and is written to."""
    if _descriptor(path) is not None:
        return False
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True


def writable_file(path: Path) -> Path:
    """Check, before hours of work depend on it, that `write_atomically` can write the file.

    Makes its folder where it is missing. Raises DomainError for a folder, a read-only file, and a place where
    no file can be made.
    """
    try:
        _check_file(path)
    except OSError as error:
        raise DomainError(f"the file '{path}' cannot be written: {error.strerror}") from None
    if replaces(path):
        writable_folder(Path(os.path.realpath(path)).parent)
    return path


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise DomainError(f"'{path}' is a folder; a file name was expected")
    if replaces(path):
        if path.exists() and _is_read_only(path):
            raise PermissionError(errno.EACCES, "it is read-only")
    elif _descriptor(path) is None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "Permission denied")


def _is_read_only(path: Path) -> bool:
    """Whether nobody may write the file; the administrator could, and yet should not."""
    return not path.stat().st_mode & 0o222 or not os.access(path, os.W_OK)


def _descriptor(path: Path) -> int | None:
    """The number of the process's own open file that the path stands for."""
    text = os.path.abspath(path)
    found = _DESCRIPTOR.fullmatch(text)
    return int(found.group(1)) if found else _DESCRIPTORS.get(text)


def _write_through(path: Path, chunks: Iterable[bytes]) -> None:
    own = _descriptor(path)
    descriptor = os.open(path, os.O_WRONLY) if own is None else os.dup(own)
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(chunks)


def _replace(path: Path, chunks: Iterable[bytes]) -> None:
    before = path.stat() if path.exists() else None
    if before is not None and _is_read_only(path):
        raise PermissionError(errno.EACCES, "it is read-only")
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name[:_NAME]}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(chunks)
        if before is not None:
            with suppress(OSError):  # only the administrator may give files away
                os.chown(temporary, before.st_uid, before.st_gid)
        os.chmod(temporary, _mode(before))
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):  # the folder may be gone
            os.unlink(temporary)
        raise


def _mode(before: os.stat_result | None) -> int:
    if before is not None:
        return stat.S_IMODE(before.st_mode)
    # The process's mask can only be read by setting it.
    mask = os.umask(0o022)
    os.umask(mask)
    return 0o666 & ~mask
