"""The machine that code is made for: its LLVM names, and how many SIMD lanes a vector has."""

from __future__ import annotations

import platform
from dataclasses import dataclass, replace
from pathlib import Path

from headwater.errors import DeviceError

LANE_COUNTS = (1, 4, 8, 16)

# A lane holds 32 bits. 16 lanes need masks on every width and the 64-bit multiply: all four sets.
_WIDE = frozenset({"avx512f", "avx512vl", "avx512dq", "avx512bw"})
_MIDDLE = frozenset({"avx2", "fma"})


@dataclass(frozen=True, slots=True)
class Target:
    """What the emitter and the code generator need to know about a machine.

    `triple`, `cpu`, `features` and `data_layout` are in LLVM's notation. `lanes` is how many 32-bit
    lanes the emitted vectors have; `vector_bits` is the machine's widest register, whatever the lanes.
    """

    triple: str
    cpu: str
    features: str
    data_layout: str
    lanes: int
    vector_bits: int

    def masks(self, bits: int) -> bool:
        """Whether the machine loads and stores vectors of such elements under a mask."""
        present = self.present
        if present >= _WIDE:
            return True
        return bits >= 32 and present >= _MIDDLE

    @property
    def present(self) -> set[str]:
        return _present(self.features)

    def with_lanes(self, lanes: int) -> Target:
        """The same machine with vectors of `lanes` lanes; 0 keeps them. DeviceError for odd widths."""
        if lanes == 0:
            return self
        if lanes not in LANE_COUNTS:
            known = ", ".join(map(str, LANE_COUNTS))
            raise DeviceError(f"the CPU device has no vectors of {lanes} lanes; use one of {known}")
        return replace(self, lanes=lanes)


def natural_lanes(features: str) -> int:
    """The lanes of the widest vectors that `features` (such as '+avx2,-fma') serve well."""
    present = _present(features)
    if present >= _WIDE:
        return 16
    if present >= _MIDDLE:
        return 8
    return 4


def _present(features: str) -> set[str]:
    return {name[1:] for name in features.split(",") if name.startswith("+")}


def description() -> str:
    """The processor's name as its maker gives it; cheap, and without LLVM."""
    return _linux_model() or platform.processor() or platform.machine() or "processor"


def _linux_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return ""
