"""Refusing a run that this machine's memory cannot hold, before it takes hours or the machine down."""

from __future__ import annotations

import math
from pathlib import Path

from headwater.errors import DomainError

# Particles are numbered by int32, and a particle set keeps some room.
_MOST = (1 << 31) - (1 << 16)
# Measured: bytes a particle of the scene on the host, and of the fields, spares and the grid for each byte of a
# real number; a picture keeps up to 18 moments of the fluid's positions and speeds.
_SCENE = 200
_FIELDS = 45
_PICTURE = 120
_REAL = {"float32": 4, "float64": 8}


def check_memory(count: int, spacing: float, precision: str, frames: bool) -> None:
    """DomainError, with a spacing that would do, where `count` particles are too many for this machine."""
    needed = bytes_needed(count, precision, frames)
    there = available_bytes()
    if count <= _MOST and (there is None or needed <= there):
        return
    excess = max(count / _MOST, needed / there if there else 0.0)
    coarser = math.ceil(1e4 * spacing * math.cbrt(excess)) / 1e4
    limit = (
        f"at most {_MOST:,} particles are possible"
        if count > _MOST
        else f"they need about {_gigabytes(needed)} of memory, and {_gigabytes(there or 0)} are free"
    )
    raise DomainError(
        f"a particle spacing of {spacing:g} m makes {count:,} particles; {limit}",
        hint=f"use a larger --dp, such as {coarser:g}",
    )


def bytes_needed(count: int, precision: str, frames: bool) -> int:
    """About how many bytes a run takes at most, where the device's memory is the host's."""
    return count * (_SCENE + _REAL[precision] * (_FIELDS + (_PICTURE if frames else 0)))


def available_bytes() -> int | None:
    """Memory that this process could get without swapping; None where the system does not tell (not Linux)."""
    found = [_from_meminfo(), _from_group()]
    return min((size for size in found if size is not None), default=None)


def _from_meminfo() -> int | None:
    for line in _read("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _from_group() -> int | None:
    """What the control group leaves; containers are limited so."""
    limit = _read("/sys/fs/cgroup/memory.max").strip()
    used = _read("/sys/fs/cgroup/memory.current").strip()
    cached = [
        int(line.split()[1])
        for line in _read("/sys/fs/cgroup/memory.stat").splitlines()
        if line.startswith("inactive_file ")
    ]
    if not (limit.isdigit() and used.isdigit()):
        return None
    return max(0, int(limit) - int(used) + sum(cached))


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii")
    except OSError:
        return ""


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
