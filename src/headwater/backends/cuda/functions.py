"""Functions of the generated text for operations that are no expression."""

from __future__ import annotations

from headwater.backends.cuda.kinds import INTEGERS, TYPES, word
from headwater.emit import Helper
from headwater.types import FLOAT32, FLOAT64, INT32, INT64, UINT32, UINT64, ScalarType

# The letter of the arithmetic intrinsics, which are never contracted: `__fmul_rn`.
LETTER = {FLOAT32: "f", FLOAT64: "d"}
# The ending of the functions of the mathematics library: `floorf`.
ENDING = {FLOAT32: "f", FLOAT64: ""}
# Operands of inline assembly: PTX's type, and the letter of its register.
_REGISTERS = {
    FLOAT32: ("f32", "f"),
    FLOAT64: ("f64", "d"),
    INT32: ("s32", "r"),
    UINT32: ("u32", "r"),
    INT64: ("s64", "l"),
    UINT64: ("u64", "l"),
}


def helpers() -> dict[str, Helper]:
    """By the names that rows give."""
    found: dict[str, Helper] = {"widen": Helper(_widen())}
    for kind in INTEGERS:
        found[f"floordiv_{kind}"] = Helper(_floordiv(kind))
        found[f"mod_{kind}"] = Helper(_mod(kind))
        found[f"trips_{kind}"] = Helper(_trips(kind))
        if kind.kind == "int":
            needs = (f"negated_{kind}",)
            found[f"abs_{kind}"] = Helper(_abs(kind), needs)
            found[f"floordiv_{kind}"] = Helper(_floordiv(kind), needs if kind.bits < 32 else ())
            found[f"negated_{kind}"] = Helper(_negated(kind))
    for kind in _REGISTERS:
        found[f"half_{kind}"] = Helper(_half(kind))
    return found


def function(result: str, name: str, operands: str, *lines: str) -> str:
    """The text of a function that is copied into its callers."""
    head = f"static __device__ __forceinline__ {result} hw_{name}({operands})"
    return "\n".join([f"{head} {{", *(f"    {line}" for line in lines), "}"])


def negative(kind: ScalarType, text: str) -> str:
    """The expression of -`text`; the smallest of a signed type stays itself."""
    if kind.bits < 32:
        return f"hw_negated_{kind}({text})"
    return f"({TYPES[kind.name]})(0u - ({word(kind)}){text})"


def _negated(kind: ScalarType) -> str:
    """An instruction of 32 or 64 bits: the assembler takes 32768 for what `neg.s16` makes of the smallest."""
    of = TYPES[kind.name]
    name, register = _REGISTERS[INT64 if kind.bits == 64 else INT32]
    held = TYPES["int64" if kind.bits == 64 else "int32"]
    negate = f'asm("neg.{name} %0, %1;" : "={register}"(wide) : "{register}"(({held})a));'
    declared, returned = f"{held} wide;", f"return ({of})wide;"
    return function(of, f"negated_{kind}", f"{of} a", declared, negate, returned)


def _abs(kind: ScalarType) -> str:
    """Not `abs.s64`, whose result the assembler takes for positive, which that of the smallest is not."""
    of = TYPES[kind.name]
    return function(of, f"abs_{kind}", f"{of} a", f"return a < 0 ? hw_negated_{kind}(a) : a;")


def _floordiv(kind: ScalarType) -> str:
    of = TYPES[kind.name]
    lines = ["if (b == 0) { return 0; }"]
    if kind.kind == "uint":
        return function(of, f"floordiv_{kind}", f"{of} a, {of} b", *lines, "return a / b;")
    lines += [
        f"if (b == -1) {{ return {negative(kind, 'a')}; }}",
        f"const {of} quotient = a / b;",
        "const bool below = quotient * b != a && (a ^ b) < 0;",
        "return below ? quotient - 1 : quotient;",
    ]
    return function(of, f"floordiv_{kind}", f"{of} a, {of} b", *lines)


def _mod(kind: ScalarType) -> str:
    of = TYPES[kind.name]
    lines = ["if (b == 0) { return a; }"]
    if kind.kind == "uint":
        return function(of, f"mod_{kind}", f"{of} a, {of} b", *lines, "return a % b;")
    lines += [
        "if (b == -1) { return 0; }",
        f"const {of} rest = a % b;",
        "return rest != 0 && (rest ^ b) < 0 ? rest + b : rest;",
    ]
    return function(of, f"mod_{kind}", f"{of} a, {of} b", *lines)


def _trips(kind: ScalarType) -> str:
    of, unsigned = TYPES[kind.name], word(kind)

    def steps(low: str, high: str, size: str) -> str:
        return f"return (({unsigned}){high} - ({unsigned}){low} - 1u) / {size} + 1u;"

    lines = [f"if (step > 0 && start < stop) {{ {steps('start', 'stop', f'({unsigned})step')} }}"]
    if kind.kind == "int":
        size = f"(0u - ({unsigned})step)"
        lines.append(f"if (step < 0 && start > stop) {{ {steps('stop', 'start', size)} }}")
    return function(
        unsigned, f"trips_{kind}", f"{of} start, {of} stop, {of} step", *lines, "return 0;"
    )


# --- float16 ------------------------------------------------------------------------------------------

# The header that has a type for it is no part of NVRTC.


def _widen() -> str:
    return function(
        "float",
        "widen",
        "unsigned short a",
        "float result;",
        'asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(a));',
        "return result;",
    )


def _half(kind: ScalarType) -> str:
    """Rounded once, from any type of 32 or 64 bits."""
    name, register = _REGISTERS[kind]
    return function(
        "unsigned short",
        f"half_{kind}",
        f"{TYPES[kind.name]} a",
        "unsigned short result;",
        f'asm("cvt.rn.f16.{name} %0, %1;" : "=h"(result) : "{register}"(a));',
        "return result;",
    )
