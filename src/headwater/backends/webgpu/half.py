"""float16, which WGSL lets devices round as they like: casts by integer code, to the nearest, ties to even.

A float16 value is a u32 that holds its 16 bits.
"""

from __future__ import annotations

from headwater.emit import Helper, Row

CASTS = {
    "float16.float32": Row("hw_f32_of_f16({0})", ("f32_of_f16",)),
    "float32.float16": Row("hw_f16_of_f32({0})", ("f16_of_f32",)),
    "float64.float16": Row(
        "hw_f16_of_f32(hw_odd_f32_of_f64({0}))", ("f16_of_f32", "odd_f32_of_f64")
    ),
    "float16.bool": Row("({0} & 0x7fffu) != 0u"),
}


def helpers() -> dict[str, Helper]:
    """The functions that the rows call, by name."""
    return {
        "f32_of_f16": Helper(_WIDEN),
        "f16_of_f32": Helper(_NARROW, ("bits_f32",)),
        "odd_f32_of_f64": Helper(_ODD, ("exact_f32", "isnan_f64")),
    }


# A subnormal number counts units of 2**-24.
_WIDEN = """\
fn hw_f32_of_f16(half: u32) -> f32 {
    let sign = (half & 0x8000u) << 16u;
    let size = half & 0x7fffu;
    if (size >= 0x7c00u) {
        return bitcast<f32>(sign | 0x7f800000u | ((size & 0x3ffu) << 13u));
    }
    if (size < 0x400u) {
        return bitcast<f32>(sign | bitcast<u32>(f32(size) * 5.9604644775390625e-8f));
    }
    return bitcast<f32>(sign | ((size << 13u) + 0x38000000u));
}"""

# 0x477ff000 is 65520, the first number that rounds to infinity; 0x38800000 is 2**-14, the smallest normal one, and
# 0x33000000 is 2**-25, half of the smallest of all.
_NARROW = """\
fn hw_f16_of_f32(x: f32) -> u32 {
    let bits = hw_bits_f32(x);
    let sign = (bits >> 16u) & 0x8000u;
    let size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) {
        return sign | 0x7e00u | ((size >> 13u) & 0x3ffu);
    }
    if (size >= 0x477ff000u) {
        return sign | 0x7c00u;
    }
    if (size >= 0x38800000u) {
        return sign | ((size - 0x38000000u + 0xfffu + ((size >> 13u) & 1u)) >> 13u);
    }
    if (size <= 0x33000000u) {
        return sign;
    }
    let whole = (size & 0x7fffffu) | 0x800000u;
    let shift = 126u - (size >> 23u);
    let units = whole >> shift;
    return sign | ((whole + (1u << (shift - 1u)) - 1u + (units & 1u)) >> shift);
}"""

# Rounded to odd, what was cut off is kept in the last bit, and a second rounding does no harm.
_ODD = """\
fn hw_odd_f32_of_f64(x: f64) -> f32 {
    let near = hw_exact_f32(f32(x));
    let bits = bitcast<u32>(near);
    if (hw_isnan_f64(x) || f64(near) == x || (bits & 1u) == 1u) {
        return near;
    }
    return bitcast<f32>(select(bits + 1u, bits - 1u, abs(f64(near)) > abs(x)));
}"""
