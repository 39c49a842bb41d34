"""float32 as IEEE 754 has it, on devices that take subnormal numbers for zero or round divisions only nearly.

Kernels with `contract=False` use these rows there. Comparisons and signs are made of integers. Sums and products run on
the device's own units, unless a number near zero takes part: then, as divisions and roots always, in float64, which
has subnormals and rounds everywhere; its results have enough bits to be rounded a second time.
"""

from __future__ import annotations

from headwater.emit import Helper, Row

_BINARY = ("add", "sub", "mul", "div", "min", "max")
_UNARY = ("neg", "abs", "sqrt", "floor", "ceil")
_COMPARED = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "=="}
_SIGNS = {"add": "+", "sub": "-", "mul": "*"}

CASTS = {
    "float32.bool": Row("(bitcast<u32>({0}) & 0x7fffffffu) != 0u"),
    "float32.float64": Row("hw_ieee_widen({0})", ("ieee_widen",)),
    "float64.float32": Row("hw_ieee_narrow({0})", ("ieee_narrow",)),
}


def rows() -> dict[str, Row]:
    """The rows of operations on float32, by name; those that are missing are right everywhere."""
    made = {name: Row(f"hw_ieee_{name}({{0}}, {{1}})", (f"ieee_{name}",)) for name in _BINARY}
    made |= {name: Row(f"hw_ieee_{name}({{0}})", (f"ieee_{name}",)) for name in _UNARY}
    made["fma"] = Row("hw_ieee_fma({0}, {1}, {2})", ("ieee_fma",))
    used = ("ieee_key", "ieee_unordered")
    for name, sign in _COMPARED.items():
        keys = f"hw_ieee_key({{0}}) {sign} hw_ieee_key({{1}})"
        made[name] = Row(f"!hw_ieee_unordered({{0}}, {{1}}) && ({keys})", used)
    equal = "hw_ieee_key({0}) == hw_ieee_key({1})"
    made["ne"] = Row(f"hw_ieee_unordered({{0}}, {{1}}) || !({equal})", used)
    return made


def helpers() -> dict[str, Helper]:
    """The functions that the rows call, by name."""
    made = {
        "ieee_regular": Helper(_REGULAR),
        "ieee_subnormal": Helper(_SUBNORMAL),
        "ieee_widen": Helper(_WIDEN),
        "ieee_narrow": Helper(_NARROW, ("exact_f32",)),
        "ieee_key": Helper(_KEY),
        "ieee_unordered": Helper(_UNORDERED, ("isnan_f32",)),
        "ieee_neg": Helper(_bits("neg", "^ (0x80000000u + hw.zero)")),
        "ieee_abs": Helper(_bits("abs", "& (0x7fffffffu - hw.zero)")),
        "ieee_sqrt": Helper(_SQRT, _WIDE),
        "ieee_fma": Helper(_FMA, ("sum_to_odd", "ieee_widen", "ieee_narrow")),
        "ieee_div": Helper(_DIVIDE, _WIDE),
        "ieee_floor": Helper(_whole("floor", "0xbf800000u * sign"), ("ieee_subnormal",)),
        "ieee_ceil": Helper(
            _whole("ceil", "0x3f800000u + 0x40800000u * sign"), ("ieee_subnormal",)
        ),
        "ieee_min": Helper(_chosen("min", "<="), ("isnan_f32", "ieee_key")),
        "ieee_max": Helper(_chosen("max", ">="), ("isnan_f32", "ieee_key")),
    }
    for name, sign in _SIGNS.items():
        needs = ("hidden_f32", "exact_f32", "ieee_regular", *_WIDE)
        made[f"ieee_{name}"] = Helper(_arithmetic(name, sign), needs)
    return made


_WIDE = ("hidden_f64", "exact_f64", "ieee_widen", "ieee_narrow")

# So far from zero that neither the number nor its neighbour below is subnormal.
_REGULAR = """\
fn hw_ieee_regular(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) > 0x00800000u;
}"""

_SUBNORMAL = """\
fn hw_ieee_subnormal(x: f32) -> bool {
    let size = bitcast<u32>(x) & 0x7fffffffu;
    return size != 0u && size < 0x00800000u;
}"""

# 2**-149, the smallest number.
_WIDEN = """\
fn hw_ieee_widen(x: f32) -> f64 {
    let bits = bitcast<u32>(x);
    if ((bits & 0x7f800000u) != 0u) {
        return f64(x);
    }
    let size = f64(bits & 0x7fffffu) * 1.401298464324817e-45lf;
    return bitcast<f64>(bitcast<u64>(size) | (u64(bits >> 31u) << 63u));
}"""

# Below 2**-126 the bits are the number of units of 2**-149: after 2**-97 is added, the end of the fraction.
_NARROW = """\
fn hw_ieee_narrow(x: f64) -> f32 {
    let size = abs(x);
    if (size < 1.1754943508222875e-38lf) {
        let units = u32(bitcast<u64>(size + 6.310887241768095e-30lf) & 0xfffffflu);
        return bitcast<f32>(units | select(0u, 0x80000000u, bitcast<i64>(x) < 0li));
    }
    return hw_exact_f32(f32(x));
}"""

# In the order of the numbers, both zeros alike.
_KEY = """\
fn hw_ieee_key(x: f32) -> i32 {
    let bits = bitcast<i32>(x);
    return select(bits, i32(-2147483648) - bits, bits < 0i);
}"""

_UNORDERED = """\
fn hw_ieee_unordered(a: f32, b: f32) -> bool {
    return hw_isnan_f32(a) || hw_isnan_f32(b);
}"""

_SQRT = """\
fn hw_ieee_sqrt(x: f32) -> f32 {
    return hw_ieee_narrow(hw_exact_f64(sqrt(hw_ieee_widen(x))));
}"""

# The product is exact in float64, and what is rounded to odd may be rounded again.
_FMA = """\
fn hw_ieee_fma(a: f32, b: f32, c: f32) -> f32 {
    let product = hw_ieee_widen(a) * hw_ieee_widen(b);
    return hw_ieee_narrow(hw_sum_to_odd(product, hw_ieee_widen(c)));
}"""

_DIVIDE = """\
fn hw_ieee_div(a: f32, b: f32) -> f32 {
    return hw_ieee_narrow(hw_exact_f64(hw_hidden_f64(hw_ieee_widen(a)) / hw_ieee_widen(b)));
}"""


def _arithmetic(name: str, sign: str) -> str:
    return (
        f"fn hw_ieee_{name}(a: f32, b: f32) -> f32 {{\n"
        f"    let near = hw_exact_f32(hw_hidden_f32(a) {sign} b);\n"
        "    if (hw_ieee_regular(a) && hw_ieee_regular(b) && hw_ieee_regular(near)) {\n"
        "        return near;\n"
        "    }\n"
        f"    let wide = hw_exact_f64(hw_hidden_f64(hw_ieee_widen(a)) {sign} hw_ieee_widen(b));\n"
        "    return hw_ieee_narrow(wide);\n"
        "}"
    )


def _bits(name: str, change: str) -> str:
    """The zero of the launch keeps a driver from taking the change for an operation on floats, which flushes."""
    return (
        f"fn hw_ieee_{name}(x: f32) -> f32 {{\n"
        f"    return bitcast<f32>(bitcast<u32>(x) {change});\n"
        "}"
    )


def _whole(name: str, tiny: str) -> str:
    """A rounding to a whole number; `tiny` are the bits of its result for subnormal numbers of a sign, 0 or 1.

    Mesa makes -0.0 of a choice between 0.0 and -1.0, and of their bits.
    """
    return (
        f"fn hw_ieee_{name}(x: f32) -> f32 {{\n"
        "    if (hw_ieee_subnormal(x)) {\n"
        "        let sign = bitcast<u32>(x) >> 31u;\n"
        f"        return bitcast<f32>({tiny});\n"
        "    }\n"
        f"    return {name}(x);\n"
        "}"
    )


def _chosen(name: str, sign: str) -> str:
    return (
        f"fn hw_ieee_{name}(a: f32, b: f32) -> f32 {{\n"
        "    if (hw_isnan_f32(a)) {\n        return b;\n    }\n"
        "    if (hw_isnan_f32(b)) {\n        return a;\n    }\n"
        f"    return select(b, a, hw_ieee_key(a) {sign} hw_ieee_key(b));\n"
        "}"
    )
