"""Operations on the bits of integers as functions of the generated text.

naga ends the process at some of WGSL's own on 64 bits and gets others wrong, and Vulkan counts bits of 32 only: those
are made of two halves. So are the upper halves of products where there is no type for the whole.
"""

from __future__ import annotations

from headwater.backends.webgpu.spelling import BITS, UNSIGNED
from headwater.emit import Helper, Row

_NATIVE = {
    "popc": "countOneBits",
    "clz": "countLeadingZeros",
    "ctz": "countTrailingZeros",
    "brev": "reverseBits",
}
_NAMES = {"int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64"}


def rows() -> dict[str, dict[str, str | Row]]:
    """The rows by operation and type name."""
    made: dict[str, dict[str, str | Row]] = {
        operation: {kind: _row(operation, kind) for kind in _NAMES} for operation in _NATIVE
    }
    made["mulhi"] = {
        kind: Row(f"hw_mulhi_{name}({{0}}, {{1}})", (f"mulhi_{name}",))
        for kind, name in _NAMES.items()
    }
    return made


def _row(operation: str, kind: str) -> Row:
    if kind.endswith("32"):
        called = f"{_NATIVE[operation]}({_unsigned('{0}', _NAMES[kind])})"
        return Row(called if kind == "uint32" else f"bitcast<i32>({called})")
    called = f"hw_{operation}_u64({_unsigned('{0}', _NAMES[kind])})"
    text = called if kind == "uint64" else f"bitcast<i64>({called})"
    return Row(text, (f"{operation}_u64",))


def _unsigned(text: str, name: str) -> str:
    return text if UNSIGNED[name] == name else f"bitcast<{UNSIGNED[name]}>({text})"


def helpers(int64: bool) -> dict[str, Helper]:
    """The functions that the rows call, by name."""
    wide = {"mulhi_u32": _WIDE_U32, "mulhi_i32": _WIDE_I32}
    made = {
        "popc_u64": Helper(_halves("popc", "u64(countOneBits(low) + countOneBits(high))")),
        "brev_u64": Helper(
            _halves("brev", "(u64(reverseBits(low)) << 32u) | u64(reverseBits(high))")
        ),
        "clz_u64": Helper(_halves("clz", _counted("countLeadingZeros", "high", "low"))),
        "ctz_u64": Helper(_halves("ctz", _counted("countTrailingZeros", "low", "high"))),
        "mulhi_u64": Helper(_mulhi("u64")),
        "mulhi_i64": Helper(_signed_mulhi("i64"), ("mulhi_u64",)),
    }
    if int64:
        return made | {name: Helper(text) for name, text in wide.items()}
    made["mulhi_u32"] = Helper(_mulhi("u32"))
    made["mulhi_i32"] = Helper(_signed_mulhi("i32"), ("mulhi_u32",))
    return made


_WIDE_U32 = """\
fn hw_mulhi_u32(a: u32, b: u32) -> u32 {
    return u32((u64(a) * u64(b)) >> 32u);
}"""

_WIDE_I32 = """\
fn hw_mulhi_i32(a: i32, b: i32) -> i32 {
    return i32((i64(a) * i64(b)) >> 32u);
}"""


def _halves(name: str, result: str) -> str:
    return (
        f"fn hw_{name}_u64(x: u64) -> u64 {{\n"
        "    let low = u32(x & 0xfffffffflu);\n"
        "    let high = u32(x >> 32u);\n"
        f"    return {result};\n}}"
    )


def _counted(native: str, first: str, second: str) -> str:
    return f"u64(select({native}({first}), 32u + {native}({second}), {first} == 0u))"


def _mulhi(name: str) -> str:
    """Schoolbook multiplication of two halves each."""
    shift = BITS[name] // 2
    mask = f"{(1 << shift) - 1}{'lu' if name == 'u64' else 'u'}"
    return (
        f"fn hw_mulhi_{name}(a: {name}, b: {name}) -> {name} {{\n"
        f"    let a_low = a & {mask};\n    let a_high = a >> {shift}u;\n"
        f"    let b_low = b & {mask};\n    let b_high = b >> {shift}u;\n"
        f"    let first = a_high * b_low + ((a_low * b_low) >> {shift}u);\n"
        f"    let second = a_low * b_high + (first & {mask});\n"
        f"    return a_high * b_high + (first >> {shift}u) + (second >> {shift}u);\n}}"
    )


def _signed_mulhi(name: str) -> str:
    """Of the unsigned product: a negative a counts as a + 2**bits there."""
    unsigned, zero = UNSIGNED[name], "0i" if name == "i32" else "0li"
    product = f"hw_mulhi_{unsigned}(bitcast<{unsigned}>(a), bitcast<{unsigned}>(b))"
    return (
        f"fn hw_mulhi_{name}(a: {name}, b: {name}) -> {name} {{\n"
        f"    let high = bitcast<{name}>({product});\n"
        f"    return high - select({zero}, b, a < {zero}) - select({zero}, a, b < {zero});\n}}"
    )
