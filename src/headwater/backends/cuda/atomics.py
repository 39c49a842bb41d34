"""Atomic operations: rows `atomic.NAME` of the table, whose operand 0 is the address of the element.

What the hardware lacks is a loop around compare-and-swap. `atomic.NAME.shared` is for shared memory where that differs.

The unit that adds float32 in global memory takes numbers below 2^-126 for 0. An addend of at least 2^-101 hides it:
an old value that small is lost in its rounding, and the sum is a multiple of 2^-125. Smaller ones take the loop, which
writes nothing where the sum is the old value, as with an addend of 0.
"""

from __future__ import annotations

from headwater.backends.cuda.functions import ENDING, LETTER, function
from headwater.backends.cuda.kinds import FLOATS, TYPES, from_bits, to_bits, word
from headwater.emit import Helper, Row
from headwater.types import FLOAT32, FLOAT64, INT64, UINT64, ScalarType

_WORD64 = "unsigned long long"
# Of the magnitude's bits: 2^-101.
_LARGE_ENOUGH = "0x0d000000u"
_NATIVE = {
    "add": "atomicAdd",
    "min": "atomicMin",
    "max": "atomicMax",
    "and": "atomicAnd",
    "or": "atomicOr",
    "xor": "atomicXor",
    "exch": "atomicExch",
    "inc": "atomicInc",
    "dec": "atomicDec",
}
# What the unit of 64 bits knows for signed numbers; the others do not mind the sign.
_SIGNED64 = ("min", "max")


def rows() -> dict[str, dict[str, str | Row]]:
    """Operand 1 is the value; of 'cas' the one to compare with, and 2 the value."""
    found: dict[str, dict[str, str | Row]] = {
        f"atomic.{name}": {"*": f"{function}({{0}}, {{1}})"} for name, function in _NATIVE.items()
    }
    for name, native in _NATIVE.items():
        if name not in _SIGNED64:
            found[f"atomic.{name}"]["int64"] = (
                f"(long long){native}(({_WORD64}*){{0}}, ({_WORD64}){{1}})"
            )
    for name in ("min", "max"):
        found[f"atomic.{name}"] |= {kind.name: _called(name, kind) for kind in FLOATS}
    for name in ("inc", "dec"):
        found[f"atomic.{name}"]["uint64"] = _called(name, UINT64)
    found["atomic.add.shared"] = {"float32": "atomicAdd({0}, {1})"}
    found["atomic.add"]["float32"] = _called("add", FLOAT32)
    found["atomic.exch"]["float64"] = from_bits(
        FLOAT64, f"(long long)atomicExch(({_WORD64}*){{0}}, {to_bits(FLOAT64, '{1}')})"
    )
    found["atomic.cas"] = {
        "*": "atomicCAS({0}, {1}, {2})",
        "int64": f"(long long)atomicCAS(({_WORD64}*){{0}}, ({_WORD64}){{1}}, ({_WORD64}){{2}})",
        **{kind.name: _called("cas", kind, ", {2}") for kind in FLOATS},
    }
    return found


def _called(name: str, kind: ScalarType, more: str = "") -> Row:
    return Row(f"hw_atomic_{name}_{kind}({{0}}, {{1}}{more})", (f"atomic_{name}_{kind}",))


def helpers() -> dict[str, Helper]:
    """By the names that rows give."""
    found: dict[str, str] = {}
    for kind in FLOATS:
        for name in ("min", "max"):
            found[f"{name}_{kind}"] = _loop(name, kind, f"f{name}{ENDING[kind]}(old, value)")
        found[f"cas_{kind}"] = _compare_by_value(kind)
    found["inc_uint64"] = _loop("inc", UINT64, "old >= value ? 0ull : old + 1ull")
    found["dec_uint64"] = _loop("dec", UINT64, "old == 0ull || old > value ? value : old - 1ull")
    large = f"(__float_as_uint(value) & 0x7fffffffu) >= {_LARGE_ENOUGH}"
    found["add_float32"] = _loop(
        "add",
        FLOAT32,
        f"__{LETTER[FLOAT32]}add_rn(old, value)",
        f"if ({large}) {{ return atomicAdd(place, value); }}",
    )
    return {f"atomic_{name}": Helper(text) for name, text in found.items()}


def _loop(name: str, kind: ScalarType, wanted: str, *first: str) -> str:
    """`wanted` is made of `old` and `value`; what would stay is not written again."""
    bits, of = word(kind), TYPES[kind.name]
    to, back = _reading(kind)
    return function(
        of,
        f"atomic_{name}_{kind}",
        f"{of}* place, {of} value",
        *first,
        f"{bits}* const words = ({bits}*)place;",
        f"{bits} seen = *(volatile {bits}*)words;",
        "for (;;) {",
        f"    const {of} old = {back.format('seen')};",
        f"    const {bits} wanted = {to.format(wanted)};",
        f"    const {bits} found = wanted == seen ? seen : atomicCAS(words, seen, wanted);",
        "    if (found == seen) { return old; }",
        "    seen = found;",
        "}",
    )


def _compare_by_value(kind: ScalarType) -> str:
    """Zeros of both signs are equal, and a NaN equals nothing."""
    bits, of = word(kind), TYPES[kind.name]
    to, back = _reading(kind)
    return function(
        of,
        f"atomic_cas_{kind}",
        f"{of}* place, {of} compare, {of} value",
        f"{bits}* const words = ({bits}*)place;",
        f"{bits} seen = *(volatile {bits}*)words;",
        "for (;;) {",
        f"    const {of} old = {back.format('seen')};",
        "    if (!(old == compare)) { return old; }",
        f"    const {bits} found = atomicCAS(words, seen, {to.format('value')});",
        "    if (found == seen) { return old; }",
        "    seen = found;",
        "}",
    )


def _reading(kind: ScalarType) -> tuple[str, str]:
    if kind in (INT64, UINT64):
        return "{0}", "{0}"
    return to_bits(kind, "{0}"), from_bits(kind, "{0}")
