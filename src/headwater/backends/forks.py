"""What must be made anew in the child of `os.fork`: locks that a lost thread held, threads, devices of a vendor."""

from __future__ import annotations

import os
import weakref
from typing import Protocol

from headwater.errors import DeviceError


class Renewable(Protocol):
    """An object that a child process cannot take over as it is."""

    def renew_after_fork(self) -> None:
        """Forget what belonged to the parent. Runs in the child, before anything else does."""


_registered: weakref.WeakSet[Renewable] = weakref.WeakSet()


def register(item: Renewable) -> None:
    """Call `item.renew_after_fork` in every child, as long as the item is alive."""
    _registered.add(item)


def elsewhere(name: str) -> DeviceError:
    """The error of a device that a parent process opened, where the vendor's library does not live on in a child."""
    return DeviceError(
        f"the device '{name}' was opened before this process was forked, and a child cannot use it",
        hint="start processes by multiprocessing.get_context('spawn'), or open the device in the child only",
    )


class NoLock:
    """Stands for the lock of such a device: whoever takes it is told."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        raise elsewhere(self.name)

    def __exit__(self, *_: object) -> None:
        """Never: it cannot be entered."""

    def acquire(self, blocking: bool = True) -> bool:
        """False: so finalizers leave things as they are."""
        return False

    def release(self) -> None:
        """Never."""


def _renew_all() -> None:
    for item in list(_registered):
        item.renew_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
