"""How CUDA C++ spells the operations.

The compiler may take signed overflow, shifts and float casts out of range as undefined, so wrapping integers go
through unsigned types and casts through the intrinsics. Where an intrinsic takes NaN to the smallest integer, which
is so wherever a type of 64 bits takes part, a test stands before it. C computes 8 and 16 bits in int: every value is
kept in a local of its own type, which cuts it back.

The assembler (`ptxas` of CUDA 13.0 and 13.5, for sm_80 and sm_90) takes |x| >= 0 for true, NaN or not, where x is a
float32 and the bound a literal. It does not see through the integer `and` that clears a sign bit here; for squares,
which it knows too, see `CudaLanguage.operation`.
"""

from __future__ import annotations

from headwater.backends.cuda import atomics, functions, warps
from headwater.backends.cuda.kinds import FLOATS, INTEGERS, NARROW, TYPES, to_bits, word
from headwater.emit import Row, Table
from headwater.types import FLOAT16, FLOAT32, FLOAT64, ScalarType

_BITS = {"8": "7", "16": "15", "32": "31", "64": "63"}
_WIDE = tuple(kind for kind in INTEGERS if kind.bits >= 32)
# The parts of an intrinsic's name: `__float2int_rz`.
_SHORT = {"int32": "int", "uint32": "uint", "int64": "ll", "uint64": "ull"}

ByType = dict[str, str | Row]


def table() -> Table:
    """All rows."""
    helpers = functions.helpers() | atomics.helpers() | warps.helpers()
    return Table(_rows() | atomics.rows(), helpers)


def _rows() -> dict[str, ByType]:
    return {
        **_arithmetic(),
        **_bits(),
        "lt": {"*": "{0} < {1}"},
        "le": {"*": "{0} <= {1}"},
        "gt": {"*": "{0} > {1}"},
        "ge": {"*": "{0} >= {1}"},
        "eq": {"*": "{0} == {1}"},
        "ne": {"*": "{0} != {1}"},
        "uniform": {"*": "{0}"},
        "select": {"*": "({0} ? {1} : {2})"},
        "trips": {kind.name: _called("trips", kind, 3) for kind in INTEGERS},
        "advance": {kind.name: _advance(kind) for kind in INTEGERS},
        "cast": _casts(),
        "bitcast": _bitcasts(),
    }


def _arithmetic() -> dict[str, ByType]:
    return {
        "neg": {"float": "-{0}", **_wrapped("0u - {0}", 1), **_narrow_negations()},
        "abs": {
            "float32": "__uint_as_float(__float_as_uint({0}) & 0x7fffffffu)",
            "float64": "fabs({0})",
            "uint": "{0}",
            **{kind.name: _called("abs", kind, 1) for kind in INTEGERS if kind.kind == "int"},
        },
        "sqrt": _library("sqrt", 1),
        "floor": _library("floor", 1),
        "ceil": _library("ceil", 1),
        "rint": _library("rint", 1),
        "trunc": _library("trunc", 1),
        "fma": _library("fma", 3),
        "add": {"float": "{0} + {1}", **_wrapped("{0} + {1}", 2)},
        "sub": {"float": "{0} - {1}", **_wrapped("{0} - {1}", 2)},
        "mul": {"float": "{0} * {1}", **_wrapped("{0} * {1}", 2)},
        # Intrinsics take part in no contraction.
        **{f"{name}.rounded": _intrinsic(name) for name in ("add", "sub", "mul")},
        "div": {"float": "{0} / {1}"},
        "floordiv": {kind.name: _called("floordiv", kind, 2) for kind in INTEGERS},
        "mod": {kind.name: _called("mod", kind, 2) for kind in INTEGERS},
        "min": {**_library("fmin", 2), "*": "({0} < {1} ? {0} : {1})"},
        "max": {**_library("fmax", 2), "*": "({0} > {1} ? {0} : {1})"},
        "mulhi": {
            "int32": "__mulhi({0}, {1})",
            "uint32": "__umulhi({0}, {1})",
            "int64": "__mul64hi({0}, {1})",
            "uint64": "__umul64hi({0}, {1})",
        },
    }


def _bits() -> dict[str, ByType]:
    rows: dict[str, ByType] = {
        "and": {"*": "{0} & {1}"},
        "or": {"*": "{0} | {1}"},
        "xor": {"*": "{0} ^ {1}"},
        "not": {"bool": "!{0}", "*": "~{0}"},
        "shl": {},
        "shr": {},
    }
    for kind in INTEGERS:
        mask = _BITS[str(kind.bits)]
        rows["shl"][kind.name] = f"({TYPES[kind.name]})(({word(kind)}){{0}} << ({{1}} & {mask}))"
        rows["shr"][kind.name] = f"{{0}} >> ({{1}} & {mask})"
    for name in ("popc", "clz", "ctz", "brev"):
        rows[name] = {kind.name: _counted(name, kind) for kind in INTEGERS}
    return rows


def _counted(name: str, kind: ScalarType) -> str:
    """Narrow values stand in the low bits of a word, with zeros above."""
    of, above = TYPES[kind.name], 32 - kind.bits
    if kind.bits == 64:
        wide = f"({word(kind)}){{0}}"
        texts = {
            "popc": f"__popcll({wide})",
            "clz": "__clzll((long long){0})",
            "ctz": f"__clzll((long long)__brevll({wide}))",
            "brev": f"__brevll({wide})",
        }
        return f"({of}){texts[name]}"
    low = f"(unsigned int){{0}} & {hex((1 << kind.bits) - 1)}u" if above else "(unsigned int){0}"
    stop = f"({low}) | {hex(1 << kind.bits)}u" if above else low
    texts = {
        "popc": f"__popc({low})",
        "clz": f"(__clz((int)({low})) - {above})",
        "ctz": f"__clz((int)__brev({stop}))",
        "brev": f"(__brev({low}) >> {above})",
    }
    return f"({of}){texts[name]}"


def _called(name: str, kind: ScalarType, arity: int) -> Row:
    operands = ", ".join(f"{{{position}}}" for position in range(arity))
    return Row(f"hw_{name}_{kind}({operands})", (f"{name}_{kind}",))


def _library(name: str, arity: int) -> ByType:
    operands = ", ".join(f"{{{position}}}" for position in range(arity))
    return {kind.name: f"{name}{functions.ENDING[kind]}({operands})" for kind in FLOATS}


def _intrinsic(name: str) -> ByType:
    return {kind.name: f"__{functions.LETTER[kind]}{name}_rn({{0}}, {{1}})" for kind in FLOATS}


def _wrapped(text: str, arity: int) -> ByType:
    """Integer arithmetic modulo the size of the type."""
    rows: ByType = {"uint32": text, "uint64": text}
    for kind in (*NARROW, *(kind for kind in _WIDE if kind.kind == "int")):
        operands = [f"({word(kind)}){{{position}}}" for position in range(arity)]
        rows[kind.name] = f"({TYPES[kind.name]})({text.format(*operands)})"
    return rows


def _narrow_negations() -> ByType:
    signed = (kind for kind in NARROW if kind.kind == "int")
    return {
        kind.name: Row(functions.negative(kind, "{0}"), (f"negated_{kind}",)) for kind in signed
    }


def _advance(kind: ScalarType) -> str:
    of, wide = TYPES[kind.name], word(kind)
    return f"({of})(({wide}){{0}} + {{1}} * ({wide}){{2}})"


# --- conversions ----------------------------------------------------------------------------------


def _casts() -> ByType:
    casts: ByType = {
        "float16.bool": "({0} & 0x7fffu) != 0u",
        "float32.bool": "{0} != 0.0f",
        "float64.bool": "{0} != 0.0",
        "*.bool": "{0} != 0",
        "float16.float32": _widened("{0}"),
        "float16.float64": _widened("(double){0}"),
        "bool.float16": "((unsigned short)({0} ? 0x3c00u : 0u))",
    }
    for name, text in TYPES.items():
        if name not in ("bool", "float16"):
            casts[f"*.{name}"] = f"({text}){{0}}"
    for target in INTEGERS:
        for source in FLOATS:
            casts[f"{source}.{target}"] = _truncated(source, target, "{0}")
        casts[f"float16.{target}"] = _widened(_truncated(FLOAT32, target, "{0}"))
    for source in (*FLOATS, *_WIDE):
        casts[f"{source}.float16"] = Row(f"hw_half_{source}({{0}})", (f"half_{source}",))
    for source in NARROW:
        casts[f"{source}.float16"] = Row("hw_half_int32({0})", ("half_int32",))
    return casts


def _widened(text: str) -> Row:
    """`text` of a float16 as a float32, which holds all its values."""
    return Row(text.format("hw_widen({0})"), ("widen",))


def _truncated(source: ScalarType, target: ScalarType, text: str) -> str:
    """Cut off and saturated; a NaN gives 0, which the intrinsic does only between types of 32 bits."""
    through = target
    if target.bits < 32:
        through = next(kind for kind in _WIDE if kind.kind == target.kind and kind.bits == 32)
    short = "float" if source is FLOAT32 else "double"
    found = f"__{short}2{_SHORT[through.name]}_rz({text})"
    if target.bits < 32:
        low, high = target.limits
        bounded = f"min({found}, {high})" if low == 0 else f"min(max({found}, {low}), {high})"
        found = f"({TYPES[target.name]}){bounded}"
    exact = source is FLOAT32 and target.bits < 64
    return found if exact else f"({text} == {text} ? {found} : 0)"


def _bitcasts() -> ByType:
    rows: ByType = {f"*.{kind}": f"({TYPES[kind.name]}){{0}}" for kind in (*INTEGERS, FLOAT16)}
    for kind in FLOATS:
        for other in INTEGERS:
            if other.bits == kind.bits:
                rows[f"{kind}.{other}"] = f"({TYPES[other.name]}){to_bits(kind, '{0}')}"
    rows |= {
        f"*.{FLOAT32}": "__uint_as_float((unsigned int){0})",
        f"*.{FLOAT64}": "__longlong_as_double((long long){0})",
    }
    return rows
