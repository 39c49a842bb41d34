"""How CUDA C++ names the types, and what their names lead to: literals, words of bits, parts of intrinsics."""

from __future__ import annotations

import numpy as np

from headwater.types import BOOL, FLOAT16, FLOAT32, SCALARS, ScalarType

# A float16 is only stored and converted: its bits are enough.
TYPES = {
    "bool": "bool",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long long",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long long",
    "float16": "unsigned short",
    "float32": "float",
    "float64": "double",
}
INTEGERS = tuple(kind for kind in SCALARS if kind.is_integer)
NARROW = tuple(kind for kind in INTEGERS if kind.bits < 32)
FLOATS = tuple(kind for kind in SCALARS if kind.is_float and kind is not FLOAT16)
_SUFFIXES = {"int32": "", "uint32": "u", "int64": "ll", "uint64": "ull"}
_FLOAT_WORDS = {"float16": np.uint16, "float32": np.uint32, "float64": np.uint64}


def word(kind: ScalarType) -> str:
    """The unsigned type that integers of a type wrap in: C computes in no narrower one than int."""
    return "unsigned long long" if kind.bits == 64 else "unsigned int"


def literal(kind: ScalarType, value: bool | int | float) -> str:
    """An expression of exactly this type and value, in parentheses where it is negative."""
    if kind is BOOL:
        return "true" if value else "false"
    if kind is FLOAT16:
        return f"((unsigned short){bits_text(kind, value)}u)"
    if kind.is_float:
        return _float_literal(kind, float(value))
    if kind.bits < 32:
        return f"(({TYPES[kind.name]}){value})"
    suffix = _SUFFIXES[kind.name]
    if value < 0 and value == kind.limits[0]:
        return f"({int(value) + 1}{suffix} - 1)"
    text = f"{value}{suffix}"
    return f"({text})" if value < 0 else text


def bits_text(kind: ScalarType, value: bool | int | float) -> str:
    """The bits of a float of this type, in hexadecimal digits."""
    return f"{_rounded(kind, float(value)).view(_FLOAT_WORDS[kind.name]):#x}"


def from_bits(kind: ScalarType, text: str) -> str:
    """The expression of the float (32 or 64 bits) with the bits of an unsigned expression."""
    return f"__uint_as_float({text})" if kind is FLOAT32 else f"__longlong_as_double({text})"


def to_bits(kind: ScalarType, text: str) -> str:
    """The reverse, as an unsigned expression."""
    if kind is FLOAT32:
        return f"__float_as_uint({text})"
    return f"(unsigned long long)__double_as_longlong({text})"


def _rounded(kind: ScalarType, value: float) -> np.floating[np.typing.NBitBase]:
    with np.errstate(over="ignore", under="ignore"):
        rounded: np.floating[np.typing.NBitBase] = kind.numpy.type(value)
    return rounded


def _float_literal(kind: ScalarType, value: float) -> str:
    rounded = _rounded(kind, value)
    if not np.isfinite(rounded):
        return from_bits(kind, bits_text(kind, value) + ("u" if kind is FLOAT32 else "ll"))
    text = f"{rounded!s}{'f' if kind is FLOAT32 else ''}"
    return f"({text})" if text.startswith("-") else text
