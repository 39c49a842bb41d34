"""What must be made anew in the child of `os.fork`: locks that a lost thread held, and threads."""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Renewable(Protocol):
    """An object that a child process cannot take over as it is."""

    def renew_after_fork(self) -> None:
        """Forget what belonged to the parent. Runs in the child, before anything else does."""


_registered: weakref.WeakSet[Renewable] = weakref.WeakSet()


def register(item: Renewable) -> None:
    """Call `item.renew_after_fork` in every child, as long as the item is alive."""
    _registered.add(item)


def _renew_all() -> None:
    for item in list(_registered):
        item.renew_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
