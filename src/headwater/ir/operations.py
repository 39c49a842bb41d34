"""The operation table: every pure scalar operation, its type rule and its exact meaning.

Meanings are the contract of design section 3. The reference backend follows the text literally; every
other backend must agree with it (floats: within the device's stated accuracy; + - * / and sqrt exactly on
`cpu`). Integers wrap. Nothing traps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headwater.types import BOOL, FLOAT16, ScalarType

TypeRule = Callable[[tuple[ScalarType, ...], ScalarType], str | None]


def _same(kinds: str, result: str = "operand") -> TypeRule:
    """All operands have one type of the given kinds; the result has that type, or is a bool."""

    def rule(types: tuple[ScalarType, ...], out: ScalarType) -> str | None:
        first = types[0]
        if any(kind is not first for kind in types):
            return f"operands of one type were expected, not {', '.join(map(str, types))}"
        if first is FLOAT16:
            return "float16 is a type of storage: cast to float32 first"
        if first.kind not in kinds.split():
            return f"operands of kind {kinds} were expected, not {first}"
        expected = BOOL if result == "bool" else first
        return None if out is expected else f"the result must be {expected}, not {out}"

    return rule


def _bitcast(types: tuple[ScalarType, ...], out: ScalarType) -> str | None:
    (source,) = types
    if source.bits == out.bits and not source.is_bool and not out.is_bool:
        return None
    return f"two numbers of one width were expected, not {source} and {out}"


def _shift(types: tuple[ScalarType, ...], out: ScalarType) -> str | None:
    return _same("int uint")(types, out)


def _select(types: tuple[ScalarType, ...], out: ScalarType) -> str | None:
    condition, a, b = types
    if condition is not BOOL or a is not b or out is not a:
        return f"select takes (bool, T, T) and gives T, not ({condition}, {a}, {b}) giving {out}"
    return None


def _cast(types: tuple[ScalarType, ...], out: ScalarType) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Operation:
    """One row: how many operands, how types follow, what it computes."""

    name: str
    arity: int
    rule: TypeRule
    meaning: str


_ROWS = (
    # arithmetic
    Operation(
        "neg",
        1,
        _same("int uint float"),
        "-a; integers wrap; flips the sign of a zero and of a NaN",
    ),
    Operation(
        "abs", 1, _same("int uint float"), "|a|; the smallest integer stays itself; -0.0 gives 0.0"
    ),
    Operation("sqrt", 1, _same("float"), "correctly rounded square root on cpu; NaN below zero"),
    Operation("floor", 1, _same("float"), "largest integral value not above a"),
    Operation("ceil", 1, _same("float"), "smallest integral value not below a"),
    Operation("rint", 1, _same("float"), "nearest integral value, ties to even"),
    Operation("trunc", 1, _same("float"), "a without its fraction; keeps the sign of a zero"),
    Operation("fma", 3, _same("float"), "a * b + c, rounded once"),
    Operation("add", 2, _same("int uint float"), "a + b; integers wrap"),
    Operation("sub", 2, _same("int uint float"), "a - b; integers wrap"),
    Operation("mul", 2, _same("int uint float"), "a * b; integers wrap"),
    Operation("div", 2, _same("float"), "a / b, IEEE"),
    Operation(
        "floordiv",
        2,
        _same("int uint"),
        "floor(a / b) as in Python; 0 for b == 0, the smallest over -1 wraps to itself",
    ),
    Operation(
        "mod",
        2,
        _same("int uint"),
        "as Python's %, the sign of b; a for b == 0",
    ),
    Operation(
        "min",
        2,
        _same("int uint float"),
        "the smaller; a NaN loses to a number; the sign of a zero is open",
    ),
    Operation(
        "max",
        2,
        _same("int uint float"),
        "the larger; a NaN loses to a number; the sign of a zero is open",
    ),
    # bits
    Operation(
        "and",
        2,
        _same("bool int uint"),
        "bitwise and; on bools the logical one, both sides evaluated",
    ),
    Operation(
        "or",
        2,
        _same("bool int uint"),
        "bitwise or; on bools the logical one, both sides evaluated",
    ),
    Operation("xor", 2, _same("bool int uint"), "bitwise exclusive or"),
    Operation("not", 1, _same("bool int uint"), "bitwise complement; on bools the logical one"),
    Operation("shl", 2, _shift, "a << (b mod bits)"),
    Operation("shr", 2, _shift, "a >> (b mod bits), arithmetic for signed types"),
    Operation("popc", 1, _same("int uint"), "how many bits of a are 1"),
    Operation("clz", 1, _same("int uint"), "how many leading bits are 0; the width for 0"),
    Operation("ctz", 1, _same("int uint"), "how many trailing bits are 0; the width for 0"),
    Operation("brev", 1, _same("int uint"), "the bits of a in reverse order"),
    Operation(
        "mulhi",
        2,
        _same("int uint"),
        "the upper half of the product in twice the width (types of 32 and 64 bits)",
    ),
    Operation("bitcast", 1, _bitcast, "the bits of a, read as the result's type"),
    # comparison: ordered, so false where a side is NaN, but ne is true there
    Operation("lt", 2, _same("int uint float", "bool"), "a < b"),
    Operation("le", 2, _same("int uint float", "bool"), "a <= b"),
    Operation("gt", 2, _same("int uint float", "bool"), "a > b"),
    Operation("ge", 2, _same("int uint float", "bool"), "a >= b"),
    Operation("eq", 2, _same("bool int uint float", "bool"), "a == b"),
    Operation("ne", 2, _same("bool int uint float", "bool"), "a != b; true where a side is NaN"),
    # choice and conversion
    Operation(
        "uniform",
        1,
        _same("bool int uint float"),
        "a itself; the user asserts that it is the same for all threads of the block",
    ),
    Operation("select", 3, _select, "b where a holds, else c; both evaluated"),
    Operation(
        "cast",
        1,
        _cast,
        "to the result's type: int to int keeps the low bits (sign or zero extended by the source); float to int "
        "truncates, saturates, NaN gives 0; int to float and float to float round to nearest even; to bool is a != 0 "
        "(true for NaN); bool to number is 0 or 1",
    ),
)

OPERATIONS: dict[str, Operation] = {row.name: row for row in _ROWS}

# What an atomic does to the element x with the operand v; each returns the old element.
# Float min and max follow `min` and `max` above. A subtraction is an addition of the negative.
ATOMICS: dict[str, str] = {
    "add": "x + v",
    "min": "min(x, v)",
    "max": "max(x, v)",
    "and": "x & v; integers",
    "or": "x | v; integers",
    "xor": "x ^ v; integers",
    "exch": "v",
    "cas": "v where x == compare, else x; floats are compared by value",
    "inc": "0 where x >= v, else x + 1; unsigned",
    "dec": "v where x == 0 or x > v, else x - 1; unsigned",
}

# What the 32 lanes of a warp do together; lane = linear thread index mod 32. The last argument (but of 'active') is
# the mask, a uint32 that names the lanes that take part; those that exited do not. Each lane waits until all that
# take part have arrived at this node, in the same trips of the loops around (decision 0009). The shuffles work in
# sections of `width` lanes (a power of two).
# A shuffle's value is open where its source lane takes no part.
WARP_OPERATIONS: dict[str, str] = {
    "shuffle": "(value, lane, mask): the value of lane mod width of this section",
    "shuffle_up": "(value, delta, mask): of the lane delta below; below the section its own",
    "shuffle_down": "(value, delta, mask): of the lane delta above; above the section its own",
    "shuffle_xor": "(value, bits, mask): of lane ^ bits; in a later section its own",
    "all": "(predicate, mask): bool, whether it holds in all lanes that take part",
    "any": "(predicate, mask): bool, whether it holds in one of them",
    "ballot": "(predicate, mask): uint32, the bits of the lanes where it holds",
    "match_any": "(value, mask): uint32, the lanes that have this lane's value (bits, not numbers, are compared)",
    "match_all": "(value, mask): uint32, the lanes that take part if all have one value, else 0",
    "active": "(): uint32, the lanes that are here together; lanes that come the same way wait for each other",
    "sync": "(mask): waits, and the lanes see each other's writes",
}

# What a barrier may work out of a bool of each thread that has not exited.
VOTES: dict[str, str] = {
    "count": "int32, how many hold",
    "and": "bool, whether all hold",
    "or": "bool, whether one holds",
}
