"""What the lanes of a warp do together, in CUDA's own functions.

These wait for the lanes of the mask that have not exited, and so does a barrier for the threads of the block (PTX ISA:
`shfl.sync`, `match.sync`, `barrier`, `exit`): full masks are right after an early return and in partial last warps.
"""

from __future__ import annotations

from headwater import ir
from headwater.backends.cuda.functions import function
from headwater.backends.cuda.kinds import TYPES
from headwater.emit import Helper, Operand, Row
from headwater.types import FLOAT32, FLOAT64, ScalarType

VOTES = {
    "count": "__syncthreads_count({0})",
    "and": "__syncthreads_and({0}) != 0",
    "or": "__syncthreads_or({0}) != 0",
}
FENCES = {
    "block": "__threadfence_block();",
    "device": "__threadfence();",
    "system": "__threadfence_system();",
}
_SHUFFLES = {
    "shuffle": "__shfl_sync",
    "shuffle_up": "__shfl_up_sync",
    "shuffle_down": "__shfl_down_sync",
    "shuffle_xor": "__shfl_xor_sync",
}
_OTHERS = {
    "all": "__all_sync({1}, {0}) != 0",
    "any": "__any_sync({1}, {0}) != 0",
    "ballot": "__ballot_sync({1}, {0})",
    "active": "__activemask()",
    "sync": "__syncwarp({0})",
}


def row(node: ir.Warp, arguments: tuple[Operand, ...]) -> Row:
    """The expression of the result, of the operands' texts."""
    if node.operation in _SHUFFLES:
        return Row(_shuffle(node, arguments))
    if node.operation in _OTHERS:
        return Row(_OTHERS[node.operation])
    kind = arguments[0].type
    value = _bits(kind)
    if node.operation == "match_any":
        return Row(f"__match_any_sync({{1}}, {value})")
    width = 64 if kind.bits == 64 else 32
    return Row(f"hw_match_all_{width}({{1}}, {value})", (f"match_all_{width}",))


def _shuffle(node: ir.Warp, arguments: tuple[Operand, ...]) -> str:
    kind, amount = arguments[0].type, arguments[1]
    distance = "{1}"
    known = amount.literal is not None and 0 <= amount.literal < 32
    if node.operation != "shuffle" and not known:
        # The hardware reads five bits; with 0 a lane keeps its own value.
        distance = "(({1} & ~31) != 0 ? 0 : {1})"
    value = "{0}" if kind.bits >= 32 else "(int){0}"
    text = f"{_SHUFFLES[node.operation]}({{2}}, {value}, {distance}, {node.width})"
    return text if kind.bits >= 32 else f"({TYPES[kind.name]}){text}"


def _bits(kind: ScalarType) -> str:
    """What is compared: bits, not numbers."""
    if kind is FLOAT32:
        return "__float_as_uint({0})"
    if kind is FLOAT64:
        return "(unsigned long long)__double_as_longlong({0})"
    return f"({'unsigned long long' if kind.bits == 64 else 'unsigned int'}){{0}}"


def helpers() -> dict[str, Helper]:
    """By the names that rows give."""
    return {
        f"match_all_{width}": Helper(
            function(
                "unsigned int",
                f"match_all_{width}",
                f"unsigned int mask, {word} value",
                "int all;",
                "return __match_all_sync(mask, value, &all);",
            )
        )
        for width, word in ((32, "unsigned int"), (64, "unsigned long long"))
    }
