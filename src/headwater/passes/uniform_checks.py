"""Whether what `hw.uniform` asserts holds, checked in debug mode.

The n-th time that threads of a block come to an assertion, all must have the value of the first of them. It leaves a
word made of its value in a slot of a shared array, which the others compare with theirs. The first turns are checked.
"""

from __future__ import annotations

from headwater import ir
from headwater.passes.rewriting import new_shared, new_variable
from headwater.types import BOOL, FLOAT32, FLOAT64, INT32, UINT32, UINT64

_TURNS = 32
# An odd number with bits everywhere: it mixes the upper half of a value into the lower one.
_MIX = 0x9E3779B1


class UniformChecks:
    """The slots of one kernel's assertions."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.kernel = kernel
        nodes = [node for node in ir.walk(kernel.body) if is_assertion(node)]
        self._turns = {node: new_variable(kernel, "turn", INT32) for node in nodes}
        self._numbers = {node: number for number, node in enumerate(nodes)}
        slots = len(nodes) * _TURNS
        self._slots = new_shared(kernel, "asserted", UINT32, slots) if slots else None

    def start(self, build: ir.Builder, thread: ir.Value) -> bool:
        """Empty the slots; whether a barrier must follow."""
        if self._slots is None:
            return False
        for turn in self._turns.values():
            build.assign(turn, build.constant(0, INT32))
        step = build.constant(self.kernel.threads, INT32)
        with build.loop(thread, build.extent(self._slots, 0), step) as loop:
            build.store(self._slots, (loop.index,), build.constant(0, UINT32))
        return True

    def differs(self, build: ir.Builder, node: ir.Compute) -> ir.Value:
        """Whether an earlier thread had another value, this turn."""
        assert self._slots is not None
        turns = self._turns[node]
        turn = build.read(turns)
        build.assign(turns, build.compute("add", turn, build.constant(1, INT32)))
        wrong = new_variable(self.kernel, "differs", BOOL)
        build.assign(wrong, build.constant(False, BOOL))
        with build.when(build.compute("lt", turn, build.constant(_TURNS, INT32))):
            first = build.constant(self._numbers[node] * _TURNS, INT32)
            empty, own = build.constant(0, UINT32), _word(build, node.arguments[0])
            place = (build.compute("add", first, turn),)
            other = build.atomic("cas", self._slots, place, own, compare=empty)
            there = build.compute("ne", other, empty)
            build.assign(wrong, build.compute("and", there, build.compute("ne", other, own)))
        return build.read(wrong)


def is_assertion(node: ir.Node) -> bool:
    """Whether the node is what `hw.uniform` makes."""
    return isinstance(node, ir.Compute) and node.operation == "uniform"


def _word(build: ir.Builder, value: ir.Value) -> ir.Value:
    """A word that is not 0; the same one for equal values."""
    if value.type.is_float:
        value = _one_of_equals(build, value)
        value = build.bitcast(value, UINT32 if value.type is FLOAT32 else UINT64)
    low = build.cast(value, UINT32)
    if value.type.bits == 64:
        upper = build.compute("shr", value, build.constant(32, value.type))
        mixed = build.compute("mul", build.cast(upper, UINT32), build.constant(_MIX, UINT32))
        low = build.compute("xor", low, mixed)
    zero, other = build.constant(0, UINT32), build.constant(_MIX, UINT32)
    return build.compute("select", build.compute("eq", low, zero), other, low)


def _one_of_equals(build: ir.Builder, value: ir.Value) -> ir.Value:
    """One NaN for all, and one zero."""
    kind = value.type
    assert kind in (FLOAT32, FLOAT64)
    zero = build.constant(0.0, kind)
    value = build.compute("select", build.compute("eq", value, zero), zero, value)
    nan = build.constant(float("nan"), kind)
    return build.compute("select", build.compute("ne", value, value), nan, value)
