"""The types of one random kernel: some of all, so that no kernel binds too many arrays."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from headwater.types import SCALARS, join

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")
NUMBERS = (*INTEGERS, *FLOATS)
_LETTERS = {"f": "float32", "d": "float64", "i": "int32", "u": "uint32"}
VECTORS = {f"vec{n}{letter}": kind for n in (2, 3, 4) for letter, kind in _LETTERS.items()}
HALF = "float16"

_TYPES = {scalar.name: scalar for scalar in SCALARS}
# Pairs of different number types by what they join to.
JOINS: Mapping[str, tuple[tuple[str, str], ...]] = {
    kind: tuple(
        (a, b)
        for a in NUMBERS
        for b in NUMBERS
        if a != b and join(_TYPES[a], _TYPES[b]) is _TYPES[kind]
    )
    for kind in NUMBERS
}


def size(vector: str) -> int:
    """How many components a vector type has."""
    return int(vector[3])


def bits(kind: str) -> int:
    """The width of a number type."""
    return np.dtype(kind).itemsize * 8


@dataclass(frozen=True)
class Palette:
    """The types that a kernel names; int32, uint32, float32 and vec3f are always there; `half`: arrays of float16."""

    integers: tuple[str, ...]
    floats: tuple[str, ...]
    vectors: tuple[str, ...]
    half: bool

    @property
    def numbers(self) -> tuple[str, ...]:
        return (*self.integers, *self.floats)

    @property
    def scalars(self) -> tuple[str, ...]:
        return (*self.numbers, "bool")

    @property
    def words(self) -> tuple[str, ...]:
        """Integers that have atomics."""
        return tuple(kind for kind in self.integers if bits(kind) >= 32)

    @property
    def float_vectors(self) -> tuple[str, ...]:
        return tuple(kind for kind in self.vectors if VECTORS[kind] in FLOATS)

    def joins(self, kind: str) -> list[tuple[str, str]]:
        """Pairs of types that join to `kind`; any integers, as casts make them."""
        known = {*self.numbers, *INTEGERS}
        return [pair for pair in JOINS[kind] if set(pair) <= known]


def choose(chance: random.Random) -> Palette:
    """Four integers or five, one float or two, and vectors of these."""
    others = [kind for kind in INTEGERS if kind not in ("int32", "uint32")]
    integers = ("int32", "uint32", *sorted(chance.sample(others, chance.choice((2, 3)))))
    floats = FLOATS if chance.random() < 0.6 else ("float32",)
    fitting = [v for v, kind in VECTORS.items() if kind in (*integers, *floats) and v != "vec3f"]
    vectors = ("vec3f", *sorted(chance.sample(fitting, min(2, len(fitting)))))
    return Palette(integers, floats, vectors, chance.random() < 0.4)
