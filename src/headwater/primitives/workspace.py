"""Scratch memory that outlives a call, so that a time loop allocates nothing."""

from __future__ import annotations

import numpy as np

from headwater.errors import LaunchError, MemoryUseError
from headwater.runtime.array import Array
from headwater.runtime.device import Device
from headwater.types import INT32, ScalarType

_MOST_CONSTANTS = 256


class Workspace:
    """Scratch arrays by use, and small constants, on one device.

    Work of a device runs in order, so calls may follow each other on one workspace without a wait. It
    is not meant for several threads at once: give each its own.
    """

    def __init__(self, device: Device, owner: str = "workspace") -> None:
        self.device = device
        self.owner = owner
        self._scratch: dict[tuple[str, ScalarType], Array] = {}
        self._constants: dict[tuple[int, ScalarType], Array] = {}

    def array(self, use: str, count: int, dtype: ScalarType) -> Array:
        """At least `count` elements of unknown content; the same memory for the same use each time."""
        key = (use, dtype)
        known = self._scratch.get(key)
        if known is not None and len(known) >= count:
            return known
        self._scratch[key] = self.device.empty(max(count, 1), dtype, owner=self.owner)
        return self._scratch[key]

    def constant(self, value: int, dtype: ScalarType = INT32) -> Array:
        """An array of one element that holds `value`; kernels must not write it."""
        key = (value, dtype)
        known = self._constants.get(key)
        if known is None:
            if len(self._constants) >= _MOST_CONSTANTS:
                self._constants.clear()  # the device frees them after the work that uses them
            known = self._constants[key] = self.device.full(1, value, dtype, owner=self.owner)
        return known

    def count(self, elements: int, given: Array | None) -> Array:
        """The number of elements on the device: the one given, or a constant."""
        if given is None:
            return self.constant(elements)
        check_single("count", given, INT32)
        return given


def workspace_for(array: Array, given: Workspace | None) -> Workspace:
    """The workspace given, or a new one; MemoryUseError where it is on another device."""
    if given is None:
        return Workspace(array.device)
    if given.device is not array.device:
        raise MemoryUseError(
            f"the workspace is on '{given.device.name}', the array on '{array.device.name}'"
        )
    return given


def check_array(name: str, given: object) -> None:
    """LaunchError unless it is an array on a device."""
    if isinstance(given, np.ndarray):
        raise LaunchError(
            f"'{name}' is a NumPy array, in host memory", hint="upload it with device.array(...)"
        )
    if not isinstance(given, Array):
        raise LaunchError(f"'{name}' must be an Array on a device, not {given!r}")


def check_vector(name: str, array: Array, *dtypes: ScalarType, least: int = 0) -> None:
    """LaunchError unless the array has one dimension, one of the types, and `least` elements."""
    check_array(name, array)
    if array.ndim != 1:
        raise LaunchError(f"'{name}' must have one dimension, not the shape {array.shape}")
    if dtypes and array.dtype not in dtypes:
        known = ", ".join(map(str, dtypes))
        raise LaunchError(f"'{name}' must hold {known}, not {array.dtype}")
    if len(array) < least:
        raise LaunchError(f"'{name}' must have at least {least} elements, not {len(array)}")


def check_single(name: str, array: Array, dtype: ScalarType) -> None:
    """LaunchError unless the array holds one element of the type."""
    check_array(name, array)
    if array.shape != (1,) or array.dtype is not dtype:
        raise LaunchError(f"'{name}' must be one {dtype}, not {array!r}")


def runs(count: int, run: int) -> int:
    """How many runs of `run` elements hold `count` elements; at least one."""
    return max(1, -(-count // run))
