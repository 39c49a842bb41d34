"""Who owns which memory. One `Allocation` is one piece of device memory that several arrays may view.

The memory goes back to the driver when the last array that views it is gone, when `free` is called, or when
the interpreter ends, whichever comes first.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass

from headwater.backends.contract import Driver, Memory
from headwater.errors import MemoryUseError


@dataclass(frozen=True, slots=True)
class Usage:
    """The live bytes of one owner on one device, in so many allocations."""

    device: str
    owner: str
    nbytes: int
    allocations: int


@dataclass(frozen=True, slots=True)
class MemoryReport:
    """Live device memory by device and owner, the largest first."""

    usages: tuple[Usage, ...]

    @property
    def nbytes(self) -> int:
        """All live bytes of all devices."""
        return sum(usage.nbytes for usage in self.usages)

    def of(self, device: str, owner: str | None = None) -> int:
        """The live bytes of one device, or of one owner there."""
        return sum(
            usage.nbytes
            for usage in self.usages
            if usage.device == device and owner in (None, usage.owner)
        )

    def __str__(self) -> str:
        if not self.usages:
            return "no live device memory"
        rows = [
            f"{usage.device:<16} {usage.owner:<24} {usage.nbytes:>16,} {usage.allocations:>8}"
            for usage in self.usages
        ]
        return "\n".join([f"{'device':<16} {'owner':<24} {'bytes':>16} {'pieces':>8}", *rows])


# Live allocations by a number of their own. Finalizers may run in any thread and at any moment, so nothing
# here takes a lock: setting, popping and copying a dict are single steps of the interpreter.
_live: dict[int, tuple[str, str, int]] = {}


class Allocation:
    """One piece of device memory and its owner's label; `freed` once `free` gave it back."""

    __slots__ = ("__weakref__", "_finalizer", "freed", "memory", "owner")

    def __init__(self, driver: Driver, device_name: str, memory: Memory, owner: str) -> None:
        self.owner = owner
        self.memory = memory
        self.freed = False
        key = id(self)
        _live[key] = (device_name, owner, memory.nbytes)
        self._finalizer = weakref.finalize(self, _give_back, driver, memory, key)

    def free(self) -> None:
        """Give the memory back now; MemoryUseError where that was done before."""
        alive = self._finalizer.detach()
        if alive is None:
            raise MemoryUseError(f"the memory of '{self.owner}' was freed before")
        self.freed = True
        _, give_back, arguments, _ = alive
        give_back(*arguments)


def _give_back(driver: Driver, memory: Memory, key: int) -> None:
    _live.pop(key, None)
    driver.free(memory)


def memory_report() -> MemoryReport:
    """The live bytes of every device by the owner labels that arrays were made with."""
    sums: dict[tuple[str, str], list[int]] = {}
    for device, owner, nbytes in _live.copy().values():
        entry = sums.setdefault((device, owner), [0, 0])
        entry[0] += nbytes
        entry[1] += 1
    usages = [Usage(device, owner, *entry) for (device, owner), entry in sums.items()]
    return MemoryReport(
        tuple(sorted(usages, key=lambda usage: (-usage.nbytes, usage.device, usage.owner)))
    )
