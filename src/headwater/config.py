"""Every environment variable that Headwater reads, in one table."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from headwater.errors import HeadwaterError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Variable(Generic[T]):
    """One environment variable: read at each use, so tests may set it."""

    name: str
    meaning: str
    parse: Callable[[str], T]
    default: Callable[[], T]

    def read(self) -> T:
        """The parsed value, or the default where the variable is unset or empty."""
        text = os.environ.get(self.name, "")
        if not text:
            return self.default()
        try:
            return self.parse(text)
        except ValueError as error:
            problem = f"the environment variable '{self.name}' has the bad value '{text}': {error}"
            raise HeadwaterError(problem) from None


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError("a number of at least 1 was expected")
    return value


def _flag(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError("0 or 1 was expected")
    return text == "1"


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cache_directory() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "headwater"


DEVICE = Variable("HEADWATER_DEVICE", "the default device's name", str, lambda: "cpu")
THREADS = Variable("HEADWATER_THREADS", "threads of the CPU device", _positive, _usable_cores)
LANES = Variable(
    "HEADWATER_LANES",
    "SIMD width of the CPU device in 32-bit lanes: 1, 4, 8 or 16; 0 for the machine's",
    int,
    lambda: 0,
)
CACHE = Variable(
    "HEADWATER_CACHE", "1 to keep compiled programs on disk, 0 not to", _flag, lambda: True
)
CACHE_DIRECTORY = Variable(
    "HEADWATER_CACHE_DIR", "folder of compiled programs", Path, _cache_directory
)
DEBUG = Variable(
    "HEADWATER_DEBUG",
    "1 to check subscripts, assertions, NaNs and more while kernels run, and to let them print",
    _flag,
    lambda: False,
)

TABLE: tuple[Variable[str] | Variable[int] | Variable[bool] | Variable[Path], ...] = (
    DEVICE,
    THREADS,
    LANES,
    CACHE,
    CACHE_DIRECTORY,
    DEBUG,
)
