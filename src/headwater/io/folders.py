"""Checking that output can be written, before hours of work depend on it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from headwater.errors import DomainError


def writable_folder(path: Path) -> Path:
    """Make the folder and its parents where they are missing, and try to write into it.

    Raises DomainError with the system's own reason.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise DomainError(f"the folder '{path}' cannot be written: {reason}") from None
    return path
