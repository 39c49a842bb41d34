"""How WGSL names scalar types and their bits.

Values of 8 and 16 bits exist only between an array and a cast: integers as an i32 or u32 that holds the number,
float16 as a u32 that holds the bits.
"""

from __future__ import annotations

from headwater.types import (
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    ScalarType,
)

# The type of a value.
TYPES: dict[ScalarType, str] = {
    BOOL: "bool",
    INT8: "i32",
    INT16: "i32",
    INT32: "i32",
    INT64: "i64",
    UINT8: "u32",
    UINT16: "u32",
    UINT32: "u32",
    UINT64: "u64",
    FLOAT16: "u32",
    FLOAT32: "f32",
    FLOAT64: "f64",
}
SUFFIX = {"i32": "i", "u32": "u", "i64": "li", "u64": "lu", "f32": "f", "f64": "lf"}
UNSIGNED = {"i32": "u32", "u32": "u32", "i64": "u64", "u64": "u64"}
BITS = {"i32": 32, "u32": 32, "i64": 64, "u64": 64}


def word(kind: ScalarType) -> str:
    """The unsigned type that holds a value's bits."""
    return "u64" if kind.bits == 64 else "u32"


def from_bits(kind: ScalarType, text: str) -> str:
    """The value of a word."""
    if kind is BOOL:
        return f"({text}) != 0u"
    return text if TYPES[kind] == word(kind) else f"bitcast<{TYPES[kind]}>({text})"


def to_bits(kind: ScalarType, text: str) -> str:
    """The word of a value."""
    if kind is BOOL:
        return f"u32({text})"
    return text if TYPES[kind] == word(kind) else f"bitcast<{word(kind)}>({text})"


def narrowed(kind: ScalarType, text: str) -> str:
    """The number of `kind` that the low bits of a u32 hold, as a value."""
    if kind is BOOL:
        return f"({text} & 255u) != 0u"
    if kind.kind == "int":
        shift = f"{32 - kind.bits}u"
        return f"bitcast<i32>({text} << {shift}) >> {shift}"
    return f"{text} & {(1 << kind.bits) - 1}u"
