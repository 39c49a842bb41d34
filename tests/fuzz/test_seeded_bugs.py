"""Bugs put into the cpu backend and the passes, one at a time: the random kernels must notice each.

A test of the generator, not of the backend. Each bug is of another kind, as compilers have them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from tests.fuzz.generator import generate
from tests.fuzz.harness import check
from tests.fuzz.program import Program

import headwater as hw
from headwater.backends.cpu import access, addresses, atomics, casts, lanes, operations, variance
from headwater.backends.cpu.text import memory_text
from headwater.types import BOOL, FLOAT32, INT32

Patch = pytest.MonkeyPatch
ROWS = operations.ROWS
# How many kernels that hold the construct at hand a bug may stay unseen in.
MOST = 60


def row(name: str, wrong: Callable[..., str]) -> Callable[[Patch], None]:
    """Another text for an operation."""
    return lambda patch: patch.setitem(ROWS, name, wrong)


def method(owner: Any, name: str, wrong: Callable[..., Any]) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(owner, name, wrong)


# --- operations -----------------------------------------------------------------------------------


def logical_shift(o: Any, kind: Any, a: str, b: str) -> str:
    return o.binary("lshr", kind, a, o.binary("and", kind, b, o.constant(kind.bits - 1, kind)))


def shift_without_mask(o: Any, kind: Any, a: str, b: str) -> str:
    within = o.compare("ult", kind, b, o.constant(kind.bits, kind))
    amount = o.select(kind, within, b, o.constant(0, kind))
    return o.select(kind, within, o.binary("shl", kind, a, amount), o.constant(0, kind))


def remainder_of_c(o: Any, kind: Any, a: str, b: str, right: Any = ROWS["mod"]) -> str:
    found = right(o, kind, a, b)
    if kind.kind != "int":
        return found
    zero = o.constant(0, kind)
    opposite = o.compare("slt", kind, o.binary("xor", kind, a, b), zero)
    wrong = o.binary("and", BOOL, opposite, o.compare("ne", kind, found, zero))
    return o.select(kind, wrong, o.binary("sub", kind, found, b), found)


def quotient_of_c(o: Any, kind: Any, a: str, b: str, right: Any = ROWS["floordiv"]) -> str:
    found = right(o, kind, a, b)
    if kind.kind != "int":
        return found
    zero = o.constant(0, kind)
    rest = o.binary("sub", kind, a, o.binary("mul", kind, found, b))
    opposite = o.compare("slt", kind, o.binary("xor", kind, a, b), zero)
    wrong = o.binary("and", BOOL, opposite, o.compare("ne", kind, rest, zero))
    return o.select(kind, wrong, o.binary("add", kind, found, o.constant(1, kind)), found)


def minimum_that_keeps_nan(o: Any, kind: Any, a: str, b: str, right: Any = ROWS["min"]) -> str:
    if not kind.is_float:
        return right(o, kind, a, b)
    return o.select(kind, o.compare("ult", kind, a, b), a, b)


def fused_in_two_steps(o: Any, kind: Any, a: str, b: str, c: str) -> str:
    return o.binary("fadd", kind, o.binary("fmul", kind, a, b), c)


def always_contracted(instruction: str) -> Callable[..., str]:
    def wrong(o: Any, kind: Any, a: str, b: str) -> str:
        name = f"f{instruction} contract" if kind.is_float else instruction
        return o.binary(name, kind, a, b)

    return wrong


def contract_everything(patch: Patch) -> None:
    for name in ("add", "sub", "mul"):
        patch.setitem(ROWS, name, always_contracted(name))


def zeros_counted_in_words(o: Any, kind: Any, a: str, right: Any = ROWS["clz"]) -> str:
    found = right(o, kind, a)
    return found if kind.bits >= 32 else o.binary("add", kind, found, o.constant(8, kind))


def upper_half_unsigned(o: Any, kind: Any, a: str, b: str, right: Any = ROWS["mulhi"]) -> str:
    unsigned = {32: hw.uint32, 64: hw.uint64}[kind.bits]
    return right(o, unsigned, a, b)


def equal_to_nan(o: Any, kind: Any, a: str, b: str) -> str:
    return o.compare("one" if kind.is_float else "ne", kind, a, b)


def cast_without_sign(right: Any = casts._instruction) -> Callable[[Patch], None]:
    def wrong(source: Any, target: Any) -> str:
        found: str = right(source, target)
        return "zext" if found == "sext" and source.bits == 8 else found

    return method(casts, "_instruction", wrong)


def cast_by_float32(right: Any = casts.cast) -> Callable[[Patch], None]:
    def wrong(o: Any, a: str, source: Any, target: Any) -> str:
        if source.is_integer and target is hw.float64 and source.bits == 32:
            return str(right(o, right(o, a, source, FLOAT32), FLOAT32, target))
        return str(right(o, a, source, target))

    def put(patch: Patch) -> None:
        patch.setattr(casts, "cast", wrong)
        patch.setattr(operations, "cast", wrong)

    return put


# --- masks and control ----------------------------------------------------------------------------


def keep_all_lanes(self: Any, mask: str | None, off: str) -> str:
    return mask if mask is not None else "splat (i1 true)"


def remove_nothing(self: Any, pointer: str) -> None:
    return None


def first_lane(self: Any, bits: str) -> str:
    return "0"


def stored_by_all_lanes(
    w: Any, target: Any, kind: Any, vector: tuple[int, str], pointer: str, mask: str
) -> None:
    count, stored = vector
    w.emit(f"store <{count} x {memory_text(kind)}> {stored}, ptr {pointer}, align {kind.size}")


def exits_are_uniform(self: Any, block: Any, split: bool) -> bool:
    return False


# --- memory ---------------------------------------------------------------------------------------


def first_extent(self: Any, array: Any, axis: int) -> str:
    return str(_EXTENT(self, array, 0))


_EXTENT = access.Access.extent


def plane_of_first(self: Any, place: Any, component: int) -> str:
    return str(_PLANE(self, place, component if component < 2 else 1))


_PLANE = addresses.Addresses.plane


def unsigned_subscripts(self: Any, e: Any, operand: Any, kind: Any) -> str:
    if operand.kind == "linear":
        return str(e.iota(kind))
    source = {8: hw.uint8, 16: hw.uint16}.get(operand.type.bits, operand.type)
    # A subscript above 127 in a byte of its own sign is read as negative.
    signed = hw.int8 if source is hw.uint8 else source
    return str(e.vector.apply("cast", signed, kind, (operand.text,)))


def shared_between_lanes(self: Any, e: Any, place: Any, *rest: Any) -> Any:
    return _INTERLEAVED(self, e, replace(place, interleave=1), *rest)


_INTERLEAVED = addresses.Addresses.interleaved


# --- atomics, votes and warps ---------------------------------------------------------------------


def always_or(o: Any, node: Any, old: str, operands: list[str]) -> str:
    if node.operation == "xor":
        return str(_NEW(o, replace_operation(node, "or"), old, operands))
    return str(_NEW(o, node, old, operands))


_NEW = atomics._new


def replace_operation(node: Any, operation: str) -> Any:
    return replace(node, operation=operation)


def equal_by_bits(o: Any, kind: Any, a: str, b: str) -> str:
    whole = {32: INT32, 64: hw.int64}[kind.bits]
    x, y = (operations.bitcast(o, side, kind, whole) for side in (a, b))
    return str(o.compare("eq", whole, x, y))


def unsigned_instructions(patch: Patch) -> None:
    patch.setitem(atomics._INSTRUCTIONS, "max", ("umax", "umax", "fmax"))


# What is wrong, a construct whose kernels should show it, and how to put it in.
BUGS: dict[str, tuple[str, Callable[[Patch], None]]] = {
    "a shift of a negative number brings in zeros": ("op >> int", row("shr", logical_shift)),
    "shift counts are not taken modulo the width": ("op <<", row("shl", shift_without_mask)),
    "a remainder has the sign of the dividend": ("op % int", row("mod", remainder_of_c)),
    "a quotient is cut off": ("op // int", row("floordiv", quotient_of_c)),
    "a minimum with a NaN is one": ("op min float", row("min", minimum_that_keeps_nan)),
    "fma rounds twice": ("op fma", row("fma", fused_in_two_steps)),
    "products are contracted where the kernel forbids it": ("op * float", contract_everything),
    "leading zeros of small integers are counted in a wider type": (
        "op clz int8",
        row("clz", zeros_counted_in_words),
    ),
    "the upper half of a product ignores signs": (
        "op mulhi int",
        row("mulhi", upper_half_unsigned),
    ),
    "a NaN is equal to itself": ("op != float", row("ne", equal_to_nan)),
    "unsigned numbers are compared as signed": (
        "op < uint",
        row("lt", operations._compare("slt", "slt", "olt")),
    ),
    "int8 is widened without its sign": ("cast int8", cast_without_sign()),
    "an int32 loses bits on its way to float64": ("cast int32 float64", cast_by_float32()),
    "the arm of an else runs for all lanes": (
        "statement else",
        method(lanes.LaneEmitter, "without", keep_all_lanes),
    ),
    "a lane that left a loop goes on": (
        "statement break",
        method(lanes.LaneEmitter, "remove_lanes", remove_nothing),
    ),
    "atomics and asserted values begin at lane 0": (
        "atomic own",
        method(lanes.LaneEmitter, "first_on", first_lane),
    ),
    "a store ignores its mask": (
        "statement if",
        method(access, "masked_store", stored_by_all_lanes),
    ),
    "loops that lanes leave apart are taken for uniform": (
        "statement break",
        method(variance._Analysis, "varying_exit", exits_are_uniform),
    ),
    "every axis has the first one's length": (
        "construct extent",
        method(access.Access, "extent", first_extent),
    ),
    "the last components of a vector are those before": (
        "vector vec3",
        method(addresses.Addresses, "plane", plane_of_first),
    ),
    "lanes share their local arrays": (
        "store local",
        method(addresses.Addresses, "interleaved", shared_between_lanes),
    ),
    "an atomic exclusive or is an or": ("atomic shared", method(atomics, "_new", always_or)),
    "compare-and-swap of floats compares bits": (
        "atomic own cas float",
        method(atomics, "_equal", equal_by_bits),
    ),
    "an atomic maximum is unsigned": ("atomic max int", unsigned_instructions),
}


def holding(construct: str, first: int) -> Iterator[Program]:
    """Kernels with a construct whose name begins so."""
    for seed in count(first):
        notes = Counter[str]()
        program = generate(seed, notes)
        if any(name.startswith(construct) for name in notes):
            yield program


def noticed(kernels: Iterator[Program], oracle: hw.Device, folder: Path) -> bool:
    """Whether one of a few differs on the cpu, or fails to compile there."""
    pair = [("reference", oracle), ("cpu", hw.device("cpu", lanes=8))]
    failures = (check(program, pair, folder) for program in islice(kernels, MOST))
    return any(failure is not None and failure.name == "cpu" for failure in failures)


@pytest.mark.slow
@pytest.mark.parametrize("name", BUGS)
def test_a_bug_is_noticed(name: str, oracle: hw.Device, tmp_path: Path, monkeypatch: Patch) -> None:
    # Programs stay in memory, so each bug has seeds of its own.
    construct, put = BUGS[name]
    kernels = holding(construct, 100_000 + 1000 * list(BUGS).index(name))
    monkeypatch.setenv("HEADWATER_CACHE", "0")
    put(monkeypatch)
    assert noticed(kernels, oracle, tmp_path)
