"""The scenes that the command line knows by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from headwater.errors import DomainError
from headwater.sph.scenes.dambreak import PUBLISHED_SPACING, dambreak
from headwater.sph.scenes.scene import Scene

SCENES: Mapping[str, Callable[[float, str | None], Scene]] = {"dambreak": dambreak}


def build_scene(name: str, spacing: float | None = None, variant: str | None = None) -> Scene:
    """The scene of that name; its own spacing and variant where none is given.

    Raises DomainError for an unknown scene, and what the scene itself refuses.
    """
    scene = SCENES.get(name)
    if scene is None:
        known = "', '".join(SCENES)
        raise DomainError(f"there is no scene '{name}'; '{known}' was expected")
    return scene(PUBLISHED_SPACING if spacing is None else spacing, variant)
