"""Launching a kernel on NumPy values and comparing bits."""

from __future__ import annotations

from typing import Any

import numpy as np

import headwater as hw

SIZES = (0, 1, 15, 16, 17, 33, 257)
BLOCKS = (1, 25, 32, 33, 64, 256)
INTEGERS = ("int32", "uint32", "int64")
FLOATS = ("float32", "float64")
NUMBERS = (*INTEGERS, *FLOATS)


def launch(configured: Any, device: hw.Device, *arguments: Any) -> list[np.ndarray]:
    """Upload the arrays among the arguments, launch, and give all arrays as the kernel left them.

    An array of shape (..., 3) inside a tuple ('vec', array) is one of vectors.
    """
    sent = [upload(device, argument) for argument in arguments]
    configured(*sent)
    return [value.numpy() for value in sent if isinstance(value, hw.Array)]


def upload(device: hw.Device, value: Any) -> Any:
    if isinstance(value, tuple):
        kind = {"float32": hw.vec3f, "float64": hw.vec3d, "int32": hw.vec3i}[value[1].dtype.name]
        return device.array(value[1], kind)
    return device.array(value) if isinstance(value, np.ndarray) else value


def assert_same(found: np.ndarray, expected: Any) -> None:
    """Equal type, shape and bits; every NaN equals every other, whatever its sign and payload."""
    expected = np.asarray(expected)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    same = found == expected
    if found.dtype.kind == "f":
        signs = np.signbit(found) == np.signbit(expected)
        same = (same & signs) | (np.isnan(found) & np.isnan(expected))
    wrong = np.argwhere(~same)[:5]
    text = [f"{tuple(p)}: {found[tuple(p)]!r}, not {expected[tuple(p)]!r}" for p in wrong.tolist()]
    assert not text, "; ".join(text)


def edges(kind: str) -> np.ndarray:
    """The values of a type where operations go wrong."""
    if kind == "bool":
        return np.array([False, True])
    dtype = np.dtype(kind)
    if dtype.kind == "f":
        limits = np.finfo(dtype)
        values = [0.0, -0.0, 0.1, 0.5, 1.0, -1.0, 2.5, -2.5, 3.7, -3.7, 1e10, -3e9, 1e19]
        values += [np.inf, -np.inf, np.nan, limits.max, limits.tiny, limits.smallest_subnormal]
        return np.array(values).astype(dtype)
    info = np.iinfo(dtype)
    small = (-64, -33, -7, -2, -1, 0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 2**24 + 1)
    chosen = {
        v
        for v in (*small, info.min, info.min + 1, info.max - 1, info.max)
        if info.min <= v <= info.max
    }
    return np.array(sorted(chosen), dtype)


def pairs(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Every edge value against every other."""
    values = edges(kind)
    return np.repeat(values, len(values)), np.tile(values, len(values))


def blocks_for(n: int, block: int) -> int:
    return max(1, -(-n // block))
