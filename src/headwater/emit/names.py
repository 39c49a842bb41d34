"""Names for generated text: ASCII, prefixed so that no keyword is hit, unique."""

from __future__ import annotations

import re


class Names:
    """Gives names that no other call has given."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def unique(self, prefix: str, name: str) -> str:
        """`prefix` and what can be kept of `name`, with a number where that is taken."""
        kept = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
        base = f"{prefix}_{kept}" if kept else prefix
        result, number = base, 1
        while result in self._taken:
            number += 1
            result = f"{base}_{number}"
        self._taken.add(result)
        return result
