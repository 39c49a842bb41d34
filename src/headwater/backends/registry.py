"""Finds backends by listing the folder beside this file."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path

from headwater.backends.contract import Absence, Backend
from headwater.errors import DeviceError


@cache
def backends() -> dict[str, Backend]:
    """Every backend by folder name, in alphabetical order."""
    folders = sorted(p.parent.name for p in Path(__file__).parent.glob("*/__init__.py"))
    modules = {name: importlib.import_module(f"headwater.backends.{name}") for name in folders}
    return {name: module.backend() for name, module in modules.items()}


def find(name: str) -> tuple[Backend, int]:
    """The backend of a name such as 'cpu' or 'vulkan:1', and the device's position there.

    DeviceError where there is none.
    """
    kind, _, number = name.partition(":")
    if number and not number.isdigit():
        raise DeviceError(f"'{name}' is not a device's name; 'cpu' or 'cpu:0' was expected")
    index = int(number or 0)
    known: list[str] = []
    absences: list[str] = []
    for backend in backends().values():
        found = backend.devices()
        if isinstance(found, Absence):
            absences.append(f"{backend.name}: {found.reason}; {found.hint}")
            continue
        for position, info in enumerate(found):
            if info.name == kind and info.index == index:
                return backend, position
            known.append(info.name if info.index == 0 else f"{info.name}:{info.index}")
    hint = "\n        ".join([f"there are {', '.join(known)}", *absences])  # a line a backend
    raise DeviceError(f"there is no device '{name}' here", hint=hint)
