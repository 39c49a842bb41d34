"""How CUDA C++ spells the operations.

The compiler may take signed overflow, shifts and float casts out of range as undefined, so wrapping integers go
through unsigned types and casts through the intrinsics. Where an intrinsic takes NaN to the smallest integer, which
is so wherever a type of 64 bits takes part, a test stands before it.

The assembler (`ptxas` of CUDA 13.0 and 13.5, for sm_80 and sm_90) takes |x| >= 0 for true, NaN or not, where x is a
float32 and the bound a literal. It does not see through the integer `and` that clears a sign bit here; for squares,
which it knows too, see `CudaLanguage.operation`.
"""

from __future__ import annotations

from headwater.emit import Helper, Row, Table

TYPES = {
    "bool": "bool",
    "int32": "int",
    "uint32": "unsigned int",
    "int64": "long long",
    "float32": "float",
    "float64": "double",
}
UNSIGNED = {"int32": "unsigned int", "uint32": "unsigned int", "int64": "unsigned long long"}
_INTEGERS = ("int32", "uint32", "int64")
_FLOATS = ("float32", "float64")
# The parts of an intrinsic's name: `__float2int_rz`.
_SHORT = {"int32": "int", "uint32": "uint", "int64": "ll", "float32": "float", "float64": "double"}
# The letter of the arithmetic intrinsics, which are never contracted: `__fmul_rn`.
_LETTER = {"float32": "f", "float64": "d"}
# The ending of the functions of the mathematics library: `floorf`.
_ENDING = {"float32": "f", "float64": ""}

ByType = dict[str, str | Row]


def table() -> Table:
    """All rows."""
    return Table(_rows(), _helpers())


def _rows() -> dict[str, ByType]:
    return {
        "neg": {"float": "-{0}", **_wrapped("0u - {0}", 1)},
        "abs": {
            "float32": "__uint_as_float(__float_as_uint({0}) & 0x7fffffffu)",
            "float64": "fabs({0})",
            "int32": _called("abs", "int32", 1),
            "int64": _called("abs", "int64", 1),
            "uint32": "{0}",
        },
        "sqrt": _library("sqrt", 1),
        "floor": _library("floor", 1),
        "ceil": _library("ceil", 1),
        "rint": _library("rint", 1),
        "add": {"float": "{0} + {1}", **_wrapped("{0} + {1}", 2)},
        "sub": {"float": "{0} - {1}", **_wrapped("{0} - {1}", 2)},
        "mul": {"float": "{0} * {1}", **_wrapped("{0} * {1}", 2)},
        "div": {"float": "{0} / {1}"},
        "floordiv": {
            "float32": "floorf({0} / {1})",
            "float64": "floor({0} / {1})",
            **{kind: _called("floordiv", kind, 2) for kind in _INTEGERS},
        },
        "mod": {kind: _called("mod", kind, 2) for kind in (*_INTEGERS, *_FLOATS)},
        "min": {**_library("fmin", 2), "*": "({0} < {1} ? {0} : {1})"},
        "max": {**_library("fmax", 2), "*": "({0} > {1} ? {0} : {1})"},
        "and": {"*": "{0} & {1}"},
        "or": {"*": "{0} | {1}"},
        "xor": {"*": "{0} ^ {1}"},
        "not": {"bool": "!{0}", "*": "~{0}"},
        "shl": {
            "int32": "(int)((unsigned int){0} << ({1} & 31))",
            "uint32": "{0} << ({1} & 31u)",
            "int64": "(long long)((unsigned long long){0} << ({1} & 63))",
        },
        "shr": {
            "int32": "{0} >> ({1} & 31)",
            "uint32": "{0} >> ({1} & 31u)",
            "int64": "{0} >> ({1} & 63)",
        },
        "lt": {"*": "{0} < {1}"},
        "le": {"*": "{0} <= {1}"},
        "gt": {"*": "{0} > {1}"},
        "ge": {"*": "{0} >= {1}"},
        "eq": {"*": "{0} == {1}"},
        "ne": {"*": "{0} != {1}"},
        "uniform": {"*": "{0}"},
        "select": {"*": "({0} ? {1} : {2})"},
        "trips": {kind: _called("trips", kind, 3) for kind in _INTEGERS},
        "advance": {
            "int32": "(int)((unsigned int){0} + {1} * (unsigned int){2})",
            "uint32": "{0} + {1} * {2}",
            "int64": "(long long)((unsigned long long){0} + {1} * (unsigned long long){2})",
        },
        "cast": _casts(),
    }


def _called(name: str, kind: str, arity: int) -> Row:
    operands = ", ".join(f"{{{position}}}" for position in range(arity))
    return Row(f"hw_{name}_{kind}({operands})", (f"{name}_{kind}",))


def _library(name: str, arity: int) -> ByType:
    operands = ", ".join(f"{{{position}}}" for position in range(arity))
    return {kind: f"{name}{_ENDING[kind]}({operands})" for kind in _FLOATS}


def _wrapped(text: str, arity: int) -> ByType:
    """Integer arithmetic modulo the size of the type."""
    rows: ByType = {"uint32": text}
    for kind in ("int32", "int64"):
        operands = [f"({UNSIGNED[kind]}){{{position}}}" for position in range(arity)]
        rows[kind] = f"({TYPES[kind]})({text.format(*operands)})"
    return rows


def _casts() -> ByType:
    casts: ByType = {
        "float32.bool": "{0} != 0.0f",
        "float64.bool": "{0} != 0.0",
        "*.bool": "{0} != 0",
    }
    for name, text in TYPES.items():
        casts[f"*.{name}"] = f"({text}){{0}}"
    for source in _FLOATS:
        for target in _INTEGERS:
            intrinsic = f"__{_SHORT[source]}2{_SHORT[target]}_rz({{0}})"
            exact = source == "float32" and target != "int64"
            casts[f"{source}.{target}"] = (
                intrinsic if exact else f"({{0}} == {{0}} ? {intrinsic} : 0)"
            )
    return casts


# --- functions of the generated text ------------------------------------------------------------


def _helpers() -> dict[str, Helper]:
    helpers: dict[str, Helper] = {}
    for kind in _INTEGERS:
        helpers[f"floordiv_{kind}"] = Helper(_floordiv(kind))
        helpers[f"mod_{kind}"] = Helper(_integer_mod(kind))
        helpers[f"trips_{kind}"] = Helper(_trips(kind))
    for kind in ("int32", "int64"):
        helpers[f"abs_{kind}"] = Helper(_abs(kind))
    for kind in _FLOATS:
        helpers[f"mod_{kind}"] = Helper(_float_mod(kind))
        for operation in ("min", "max"):
            helpers[f"atomic_{operation}_{kind}"] = Helper(_swap(operation, kind))
    return helpers


def _function(result: str, name: str, operands: str, *lines: str) -> str:
    head = f"static __device__ __forceinline__ {result} hw_{name}({operands})"
    return "\n".join([f"{head} {{", *(f"    {line}" for line in lines), "}"])


def _abs(kind: str) -> str:
    of, unsigned = TYPES[kind], UNSIGNED[kind]
    return _function(
        of, f"abs_{kind}", f"{of} a", f"return a < 0 ? ({of})(0u - ({unsigned})a) : a;"
    )


def _floordiv(kind: str) -> str:
    of = TYPES[kind]
    lines = ["if (b == 0) { return 0; }"]
    if kind == "uint32":
        return _function(of, f"floordiv_{kind}", f"{of} a, {of} b", *lines, "return a / b;")
    lines += [
        f"if (b == -1) {{ return ({of})(0u - ({UNSIGNED[kind]})a); }}",
        f"const {of} quotient = a / b;",
        "const bool below = quotient * b != a && (a ^ b) < 0;",
        "return below ? quotient - 1 : quotient;",
    ]
    return _function(of, f"floordiv_{kind}", f"{of} a, {of} b", *lines)


def _integer_mod(kind: str) -> str:
    of = TYPES[kind]
    lines = ["if (b == 0) { return a; }"]
    if kind == "uint32":
        return _function(of, f"mod_{kind}", f"{of} a, {of} b", *lines, "return a % b;")
    lines += [
        "if (b == -1) { return 0; }",
        f"const {of} rest = a % b;",
        "return rest != 0 && (rest ^ b) < 0 ? rest + b : rest;",
    ]
    return _function(of, f"mod_{kind}", f"{of} a, {of} b", *lines)


def _float_mod(kind: str) -> str:
    """Every step is rounded: the intrinsics are not contracted."""
    of, letter, ending = TYPES[kind], _LETTER[kind], _ENDING[kind]
    return _function(
        of,
        f"mod_{kind}",
        f"{of} a, {of} b",
        f"return __{letter}sub_rn(a, __{letter}mul_rn(b, floor{ending}(a / b)));",
    )


def _trips(kind: str) -> str:
    of, unsigned = TYPES[kind], UNSIGNED[kind]

    def steps(low: str, high: str, size: str) -> str:
        return f"return (({unsigned}){high} - ({unsigned}){low} - 1u) / {size} + 1u;"

    lines = [f"if (step > 0 && start < stop) {{ {steps('start', 'stop', f'({unsigned})step')} }}"]
    if kind != "uint32":
        size = f"(0u - ({unsigned})step)"
        lines.append(f"if (step < 0 && start > stop) {{ {steps('stop', 'start', size)} }}")
    return _function(
        unsigned, f"trips_{kind}", f"{of} start, {of} stop, {of} step", *lines, "return 0;"
    )


def _swap(operation: str, kind: str) -> str:
    """Compare-and-swap on the float's bits; a value that would stay is not written again."""
    word = "unsigned int" if kind == "float32" else "unsigned long long"
    of, combine = TYPES[kind], f"f{operation}{_ENDING[kind]}"
    to_bits = "__float_as_uint" if kind == "float32" else "(unsigned long long)__double_as_longlong"
    to_float = "__uint_as_float" if kind == "float32" else "__longlong_as_double"
    return _function(
        of,
        f"atomic_{operation}_{kind}",
        f"{of}* place, {of} value",
        f"{word}* const bits = ({word}*)place;",
        f"{word} seen = *(volatile {word}*)bits;",
        "for (;;) {",
        f"    const {word} wanted = {to_bits}({combine}({to_float}(seen), value));",
        f"    const {word} found = wanted == seen ? seen : atomicCAS(bits, seen, wanted);",
        f"    if (found == seen) {{ return {to_float}(seen); }}",
        "    seen = found;",
        "}",
    )
