"""The scenes that the command line knows by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from headwater.errors import DomainError
from headwater.sph.scenes.dambreak import PUBLISHED_SPACING as PUBLISHED_SPACING
from headwater.sph.scenes.dambreak import count_dambreak, dambreak
from headwater.sph.scenes.scene import Scene

SCENES: Mapping[str, Callable[[float, str | None], Scene]] = {"dambreak": dambreak}
_COUNTS: Mapping[str, Callable[[float, str | None], int]] = {"dambreak": count_dambreak}


def build_scene(name: str, spacing: float | None = None, variant: str | None = None) -> Scene:
    """The scene of that name; its own spacing and variant where none is given.

    Raises DomainError for an unknown scene, and what the scene itself refuses.
    """
    _check(name)
    return SCENES[name](PUBLISHED_SPACING if spacing is None else spacing, variant)


def count_particles(name: str, spacing: float | None = None, variant: str | None = None) -> int:
    """How many particles `build_scene` would make; raises the same, and takes no memory."""
    _check(name)
    return _COUNTS[name](PUBLISHED_SPACING if spacing is None else spacing, variant)


def _check(name: str) -> None:
    if name not in SCENES:
        known = "', '".join(SCENES)
        raise DomainError(f"there is no scene '{name}'; '{known}' was expected")
