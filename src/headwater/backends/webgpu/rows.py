"""How WGSL spells the operations.

What WGSL, naga and drivers get wrong is worked round here, each with its reason: they fold NaN tests, widen by the
target's sign, clamp float casts to a wrong bound, round `%` away, and reassociate.
"""

from __future__ import annotations

from headwater.backends.webgpu import bits, fused, half, ieee
from headwater.backends.webgpu.features import FLOAT64 as HAS_FLOAT64
from headwater.backends.webgpu.features import INT64 as HAS_INT64
from headwater.backends.webgpu.features import Features
from headwater.backends.webgpu.spelling import BITS, SUFFIX, UNSIGNED
from headwater.emit import Helper, Row, Table

_NAMES = {
    "int32": "i32",
    "uint32": "u32",
    "int64": "i64",
    "uint64": "u64",
    "float32": "f32",
    "float64": "f64",
}
_INTEGERS = ("int32", "uint32", "int64", "uint64")
_WIDE = ("int64", "uint64")
_FLOATS = ("float32", "float64")
_UNSIGNED_NAMES = ("u32", "u64")


def table(features: Features) -> Table:
    """All rows, as a device needs them."""
    int64 = features.has(HAS_INT64)
    helpers = {
        **_helpers(int64),
        **bits.helpers(int64),
        **half.helpers(),
        **fused.helpers(int64 and features.has(HAS_FLOAT64)),
        **ieee.helpers(),
    }
    fma: dict[str, str | Row] = {
        kind: "fma({0}, {1}, {2})" if fused_itself else _called(f"fma_{_NAMES[kind]}", 3)
        for kind, fused_itself in (("float32", features.fused), ("float64", features.fused64))
    }
    return Table({**_rows(), **bits.rows(), "fma": fma}, helpers)


def _called(name: str, arity: int) -> Row:
    operands = ", ".join(f"{{{position}}}" for position in range(arity))
    return Row(f"hw_{name}({operands})", (name,))


def low_half(kind: str, wrapped: str = "{}") -> Row:
    """The lower half of a 64-bit integer, as an i32."""
    name = f"low_{_NAMES[kind]}"
    return Row(wrapped.format(f"hw_{name}({{0}})"), (name,))


def _everywhere(text: str) -> dict[str, str | Row]:
    return {"*": text}


def _helper_rows(operation: str, types: tuple[str, ...], arity: int) -> dict[str, str | Row]:
    return {kind: _called(f"{operation}_{_NAMES[kind]}", arity) for kind in types}


def _rows() -> dict[str, dict[str, str | Row]]:
    rows: dict[str, dict[str, str | Row]] = {
        "neg": {**_helper_rows("neg", ("int32", "uint32"), 1), "uint64": "0lu - {0}", "*": "-{0}"},
        "abs": {"uint": "{0}", **_helper_rows("abs", ("int32", "int64"), 1), "*": "abs({0})"},
        "sqrt": _everywhere("sqrt({0})"),
        "floor": _everywhere("floor({0})"),
        "ceil": _everywhere("ceil({0})"),
        "rint": _everywhere("round({0})"),  # ties to even, by WGSL's definition
        "trunc": _everywhere("trunc({0})"),
        "add": _everywhere("{0} + {1}"),
        "sub": _everywhere("{0} - {1}"),
        "mul": {**_helper_rows("mul", _WIDE, 2), "*": "{0} * {1}"},
        "div": _everywhere("{0} / {1}"),
        "floordiv": _helper_rows("floordiv", _INTEGERS, 2),
        "mod": _helper_rows("mod", _INTEGERS, 2),
        "min": _everywhere("min({0}, {1})"),
        "max": _everywhere("max({0}, {1})"),
        "and": _everywhere("{0} & {1}"),
        "or": _everywhere("{0} | {1}"),
        "xor": {"bool": "{0} != {1}", "*": "{0} ^ {1}"},
        "not": {"bool": "!{0}", "*": "~{0}"},
        "shl": _shift("<<"),
        "shr": _shift(">>"),
        "lt": _everywhere("{0} < {1}"),
        "le": _everywhere("{0} <= {1}"),
        "gt": _everywhere("{0} > {1}"),
        "ge": _everywhere("{0} >= {1}"),
        "eq": _everywhere("{0} == {1}"),
        # Drivers fold x != x to false, but not this.
        "ne": {"float": "!({0} == {1})", "*": "{0} != {1}"},
        "uniform": _everywhere("{0}"),
        "select": _everywhere("select({2}, {1}, {0})"),
        "trips": _helper_rows("trips", _INTEGERS, 3),
        "advance": {
            "int32": "{0} + bitcast<i32>({1}) * {2}",
            "uint32": "{0} + {1} * {2}",
            "int64": "{0} + i64({1}) * {2}",
            "uint64": "{0} + {1} * {2}",
        },
        "cast": _casts(),
        "bitcast": _bit_casts(),
    }
    return rows


def _shift(sign: str) -> dict[str, str | Row]:
    """A literal amount of 32 or more is refused even where the left side is not constant: always masked."""
    return {
        "int32": f"{{0}} {sign} (bitcast<u32>({{1}}) & 31u)",
        "uint32": f"{{0}} {sign} ({{1}} & 31u)",
        "int64": f"{{0}} {sign} (u32({{1}}) & 63u)",
        "uint64": f"{{0}} {sign} (u32({{1}}) & 63u)",
    }


def _casts() -> dict[str, str | Row]:
    casts: dict[str, str | Row] = {
        "int32.uint32": "bitcast<u32>({0})",
        "uint32.int32": "bitcast<i32>({0})",
        "int64.uint64": "bitcast<u64>({0})",
        "uint64.int64": "bitcast<i64>({0})",
        # naga extends by the sign of the target, so the source is widened in its own first.
        "uint32.int64": "i64(u64({0}))",
        "int32.uint64": "bitcast<u64>(i64({0}))",
        **{f"{kind}.int32": low_half(kind) for kind in _WIDE},
        **{f"{kind}.uint32": low_half(kind, "bitcast<u32>({})") for kind in _WIDE},
        # A driver drops the rounding where the result is widened again.
        "float64.float32": Row("hw_exact_f32(f32({0}))", ("exact_f32",)),
        "float.bool": "!({0} == 0)",
        "*.bool": "{0} != 0",
        **half.CASTS,
        **_narrow_casts(),
    }
    for name, text in _NAMES.items():
        casts.setdefault(f"*.{name}", f"{text}({{0}})")
    for source in _FLOATS:
        for target in _INTEGERS:
            helper = f"{_NAMES[target]}_of_{_NAMES[source]}"
            casts[f"{source}.{target}"] = _called(helper, 1)
    return casts


def _narrow_casts() -> dict[str, str | Row]:
    """Those that `lower_narrow` leaves beside memory: values of 8 and 16 bits are kept in 32."""
    casts: dict[str, str | Row] = {
        "int32.int8": "({0} << 24u) >> 24u",
        "int32.int16": "({0} << 16u) >> 16u",
        "uint32.uint8": "{0} & 255u",
        "uint32.uint16": "{0} & 65535u",
    }
    for width in (8, 16):
        casts[f"int{width}.int32"] = casts[f"uint{width}.uint32"] = "{0}"
    return casts


def _bit_casts() -> dict[str, str | Row]:
    """float16 is kept as the bits of a u32.

    NVIDIA's driver knows tests for NaN and infinity by their bits, and takes them for true or false; not so where
    the bits are joined with a zero that it cannot see.
    """
    rows: dict[str, str | Row] = {
        f"*.{name}": f"bitcast<{text}>({{0}})" for name, text in _NAMES.items()
    }
    for kind, width in (("float32", 32), ("float64", 64)):
        used = (f"bits_f{width}",)
        rows[f"{kind}.uint{width}"] = Row(f"hw_bits_f{width}({{0}})", used)
        rows[f"{kind}.int{width}"] = Row(f"bitcast<i{width}>(hw_bits_f{width}({{0}}))", used)
    return rows | {
        "uint16.float16": "{0}",
        "float16.uint16": "{0}",
        "int16.float16": "bitcast<u32>({0}) & 65535u",
        "float16.int16": "bitcast<i32>({0} << 16u) >> 16u",
    }


# --- functions of the generated text ------------------------------------------------------------


def _helpers(int64: bool) -> dict[str, Helper]:
    helpers = {
        "nan_f32": Helper(
            "fn hw_nan_f32() -> f32 {\n    var bits = 0x7fc00000u;\n    return bitcast<f32>(bits);\n}"
        ),
        "exact_f32": Helper(_through_bits("exact_f32", "zero")),
        "exact_f64": Helper(_through_bits("exact_f64", "zero", int64)),
        "hidden_f32": Helper(_through_bits("hidden_f32", "nought")),
        "hidden_f64": Helper(_through_bits("hidden_f64", "nought", int64)),
        "veiled_f32": Helper(_through_bits("veiled_f32", "blank")),
        "veiled_f64": Helper(_through_bits("veiled_f64", "blank", int64)),
        "bits_f32": Helper(
            "fn hw_bits_f32(x: f32) -> u32 {\n    return bitcast<u32>(x) | hw.nought;\n}"
        ),
        "bits_f64": Helper(
            f"fn hw_bits_f64(x: f64) -> u64 {{\n    return bitcast<u64>(x) | {_zero('nought', 'u64')};\n}}"
        ),
        "isnan_f32": Helper(
            "fn hw_isnan_f32(x: f32) -> bool {\n"
            "    return (hw_bits_f32(x) & 0x7fffffffu) > 0x7f800000u;\n}",
            ("bits_f32",),
        ),
        "isnan_f64": Helper(_isnan_f64(int64), ("bits_f64",) if int64 else ()),
    }
    for kind in _FLOATS:
        name = _NAMES[kind]
        for target in _INTEGERS:
            integer = _NAMES[target]
            helpers[f"{integer}_of_{name}"] = Helper(_truncate(integer, name), (f"isnan_{name}",))
    for kind in _INTEGERS:
        name = _NAMES[kind]
        helpers[f"floordiv_{name}"] = Helper(_floordiv(name))
        helpers[f"mod_{name}"] = Helper(_mod(name))
        helpers[f"trips_{name}"] = Helper(_trips(name))
        helpers[f"abs_{name}"] = Helper(_abs(name))
    for name in ("i32", "u32"):
        helpers[f"neg_{name}"] = Helper(_negation(name))
    for name in ("i64", "u64"):
        helpers[f"mul_{name}"] = Helper(_product(name))
        helpers[f"low_{name}"] = Helper(
            f"fn hw_low_{name}(x: {name}) -> i32 {{\n    return i32(x) ^ bitcast<i32>(hw.zero);\n}}"
        )
    return helpers


def _zero(name: str, kind: str) -> str:
    """One of the launch's zeros as an integer of another type.

    Its sign is extended: of a zero that is widened without one, drivers know the upper half.
    """
    wide = {"u32": "{}", "i32": "bitcast<i32>({})", "i64": "i64(bitcast<i32>({}))"}
    wide["u64"] = f"bitcast<u64>({wide['i64']})"
    return wide[kind].format(f"hw.{name}")


def _through_bits(name: str, zero: str, int64: bool = True) -> str:
    """A zero that only the launch knows keeps a driver from rewriting across this point.

    Results take `zero`, left operands `nought` and right ones `blank`: one zero twice would cancel. Without 64-bit
    integers a float64 stays as it is.
    """
    kind, bits = ("f64", "u64") if name.endswith("64") else ("f32", "u32")
    value = f"bitcast<{kind}>(bitcast<{bits}>(x) ^ {_zero(zero, bits)})" if int64 else "x"
    return f"fn hw_{name}(x: {kind}) -> {kind} {{\n    return {value};\n}}"


def _isnan_f64(int64: bool) -> str:
    test = "(hw_bits_f64(x) & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu"
    return f"fn hw_isnan_f64(x: f64) -> bool {{\n    return {test if int64 else '!(x == x)'};\n}}"


def _abs(name: str) -> str:
    """Drivers take abs of an integer for positive, which that of the smallest is not, and know it by its pattern."""
    return (
        f"fn hw_abs_{name}(x: {name}) -> {name} {{\n"
        f"    let sign = (x >> {BITS[name] - 1}u) ^ {_zero('zero', name)};\n"
        "    return (x ^ sign) - sign;\n}"
    )


def _negation(name: str) -> str:
    """NVIDIA's driver drops a negation, where it sees one, in the maximum of a maximum (decision 0010)."""
    return f"fn hw_neg_{name}(x: {name}) -> {name} {{\n    return {_zero('zero', name)} - x;\n}}"


def _product(name: str) -> str:
    """NVIDIA's driver takes the single bit of x & 1 for whether x is not 0, where that bit multiplies.

    Halves of such a value are hidden too: see `low_half`.
    """
    left, right = _zero("zero", name), _zero("nought", name)
    return (
        f"fn hw_mul_{name}(a: {name}, b: {name}) -> {name} {{\n"
        f"    return (a ^ {left}) * (b ^ {right});\n}}"
    )


def _floordiv(name: str) -> str:
    head = f"fn hw_floordiv_{name}(a: {name}, b: {name}) -> {name} {{\n"
    zero, one = f"0{SUFFIX[name]}", f"1{SUFFIX[name]}"
    guard = f"    if (b == {zero}) {{\n        return {zero};\n    }}\n"
    if name in _UNSIGNED_NAMES:
        return f"{head}{guard}    return a / b;\n}}"
    below = f"(a != {_turned(name)}) && ((a ^ b) < {zero})"
    return f"{head}{guard}    let q = a / b;\n    return select(q, q - {one}, {below});\n}}"


def _mod(name: str) -> str:
    head = f"fn hw_mod_{name}(a: {name}, b: {name}) -> {name} {{\n"
    zero = f"0{SUFFIX[name]}"
    guard = f"    if (b == {zero}) {{\n        return a;\n    }}\n"
    if name in _UNSIGNED_NAMES:
        return f"{head}{guard}    return a % b;\n}}"
    moved = f"(r != {zero}) && ((r ^ b) < {zero})"
    # Not a % b, which GLSL leaves open where a side is negative.
    rest = f"    let q = a / b;\n    let r = a - {_turned(name)};\n"
    return f"{head}{guard}{rest}    return select(r, r + b, {moved});\n}}"


def _turned(name: str) -> str:
    """The product of a quotient q and its divisor b; of 64 bits as in `_product`."""
    return "q * b" if BITS[name] == 32 else f"(q ^ {_zero('zero', name)}) * b"


def _trips(name: str) -> str:
    unsigned = UNSIGNED[name]
    zero, one = f"0{SUFFIX[name]}", f"1{SUFFIX[unsigned]}"
    none = f"0{SUFFIX[unsigned]}"

    def steps(low: str, high: str, step: str) -> str:
        return f"({_as_unsigned(high, name)} - {_as_unsigned(low, name)} - {one}) / {step} + {one}"

    size = _as_unsigned("step", name)
    text = (
        f"fn hw_trips_{name}(start: {name}, stop: {name}, step: {name}) -> {unsigned} {{\n"
        f"    if (step > {zero} && start < stop) {{\n"
        f"        return {steps('start', 'stop', size)};\n    }}\n"
    )
    if name not in _UNSIGNED_NAMES:
        text += (
            f"    if (step < {zero} && start > stop) {{\n"
            f"        return {steps('stop', 'start', f'({none} - {size})')};\n    }}\n"
        )
    return f"{text}    return {none};\n}}"


def _as_unsigned(text: str, name: str) -> str:
    return text if name in _UNSIGNED_NAMES else f"bitcast<{UNSIGNED[name]}>({text})"


def _truncate(integer: str, name: str) -> str:
    """The own clamp of naga ends at the largest float below the bound, and takes NaN to the smallest integer."""
    suffix = SUFFIX[name]
    width, signed = BITS[integer], integer not in _UNSIGNED_NAMES
    low = -(1 << (width - 1)) if signed else 0
    high = (1 << (width - 1)) if signed else 1 << width
    smallest = {"i32": "i32(-2147483648)", "i64": "(-9223372036854775807li - 1li)"}
    smallest |= {"u32": "0u", "u64": "0lu"}
    largest = f"{high - 1}{SUFFIX[integer]}"
    return (
        f"fn hw_{integer}_of_{name}(x: {name}) -> {integer} {{\n"
        f"    if (hw_isnan_{name}(x)) {{\n        return 0{SUFFIX[integer]};\n    }}\n"
        f"    if (x >= {float(high)!r}{suffix}) {{\n        return {largest};\n    }}\n"
        f"    if (x <= {float(low)!r}{suffix}) {{\n        return {smallest[integer]};\n    }}\n"
        f"    return {integer}(x);\n}}"
    )
