"""Scalar types.

Weak types belong to Python literals and Python scalar arguments. They exist only while a kernel is
typed: a weak value takes the type that it is used with, and no IR value is ever weak.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from headwater.errors import HeadwaterError


@dataclass(frozen=True, slots=True)
class ScalarType:
    """One machine scalar. `kind` is 'bool', 'int' (signed), 'uint' or 'float'; `bits` is 0 if weak."""

    name: str
    kind: str
    bits: int

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[object, ...]:
        # Types are compared by identity, so a pickled or copied kernel must find the same objects.
        return _named, (self.name,)

    def __call__(self, value: Any) -> Any:
        """On the host: the value as a NumPy scalar of this type. In a kernel the same text is a cast."""
        try:
            return self.numpy.type(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise HeadwaterError(f"no {self} can be made of {value!r}: {error}") from None

    @property
    def weak(self) -> bool:
        return self.bits == 0

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def is_bool(self) -> bool:
        return self.kind == "bool"

    @property
    def numpy(self) -> np.dtype[Any]:
        """The NumPy dtype that holds one value in memory."""
        return np.dtype(self.name)

    @property
    def size(self) -> int:
        """Bytes of one element in an array; a bool takes one byte on the host."""
        return self.numpy.itemsize

    @property
    def limits(self) -> tuple[int, int]:
        """The smallest and the largest value of an integer type."""
        if self.kind == "int":
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        return 0, (1 << self.bits) - 1


BOOL = ScalarType("bool", "bool", 8)
INT8 = ScalarType("int8", "int", 8)
INT16 = ScalarType("int16", "int", 16)
INT32 = ScalarType("int32", "int", 32)
INT64 = ScalarType("int64", "int", 64)
UINT8 = ScalarType("uint8", "uint", 8)
UINT16 = ScalarType("uint16", "uint", 16)
UINT32 = ScalarType("uint32", "uint", 32)
UINT64 = ScalarType("uint64", "uint", 64)
# A type of storage: a load widens it to float32 and a store rounds; nothing computes in it.
FLOAT16 = ScalarType("float16", "float", 16)
FLOAT32 = ScalarType("float32", "float", 32)
FLOAT64 = ScalarType("float64", "float", 64)
WEAK_INT = ScalarType("weak int", "int", 0)
WEAK_FLOAT = ScalarType("weak float", "float", 0)
# Of a weak int that a program names, or makes of constants by a power or a shift.
MAXIMUM_BITS = 8192

SCALARS: tuple[ScalarType, ...] = (
    BOOL,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    FLOAT16,
    FLOAT32,
    FLOAT64,
)
_BY_NAME = {scalar.name: scalar for scalar in SCALARS}


def _named(name: str) -> ScalarType:
    weak = {scalar.name: scalar for scalar in (WEAK_INT, WEAK_FLOAT)}
    return (_BY_NAME | weak)[name]


def from_numpy(dtype: np.dtype[Any]) -> ScalarType:
    """The scalar type of a NumPy dtype; an error for one that kernels do not know yet."""
    scalar = _BY_NAME.get(dtype.name)
    if scalar is None:
        known = ", ".join(_BY_NAME)
        raise HeadwaterError(
            f"the dtype '{dtype}' is not one that kernels know", hint=f"use one of {known}"
        )
    return scalar
