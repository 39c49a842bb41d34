"""Warp operations by way of shared memory, where all threads of the block come to them together.

Used by `lower_warps`. Each operation takes one barrier. Values that lanes exchange lie in one of two halves of a
scratch array in turn: what is written before one barrier is not overwritten before the next but one. Bits that lanes
combine lie in one of three words of each warp in turn, cleared as the counters of `lower_votes` are.
"""

from __future__ import annotations

from collections.abc import Callable

from headwater import ir
from headwater.passes.rewriting import new_shared, new_variable, next_of_three, thread_number
from headwater.types import INT32, UINT32, UINT64, ScalarType

_LANES = 32
_ALL_LANES = 0xFFFFFFFF
_COMBINED = ("all", "any", "ballot", "match_any", "match_all", "active")
_EXCHANGED = ("shuffle", "shuffle_up", "shuffle_down", "shuffle_xor", "match_any", "match_all")


def scratch_bytes(kernel: ir.Kernel) -> int:
    """Upper bound of what the kernel's warp operations take of a block's shared memory."""
    nodes = [node for node in ir.walk(kernel.body) if isinstance(node, ir.Warp)]
    exchanging = [node for node in nodes if node.operation in _EXCHANGED]
    kinds = {_stored(_exchanged_type(node)) for node in exchanging}
    exchanged = 2 * kernel.threads * sum(kind.size for kind in kinds)
    combined = any(node.operation in _COMBINED for node in nodes)
    return exchanged + (3 * UINT32.size * _warps(kernel) if combined else 0)


def _warps(kernel: ir.Kernel) -> int:
    return -(-kernel.threads // _LANES)


def _exchanged_type(node: ir.Warp) -> ScalarType:
    """The type of what lanes exchange: to be compared, floats are taken as integers."""
    kind = node.arguments[0].type
    matches = node.operation.startswith("match")
    return UINT64 if matches and kind.is_float and kind.bits == 64 else kind


def _stored(kind: ScalarType) -> ScalarType:
    """The type in which values of `kind` lie in the scratch: their bits, in a whole word."""
    return kind if kind.bits == 64 else UINT32


class WarpScratch:
    """Writes single operations; `start` is what the kernel does first of all."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.kernel = kernel
        self.start: list[ir.Node] = []
        self._begin = ir.Builder(ir.Block(self.start), kernel.span)
        self.number = thread_number(self._begin, kernel)
        self.lane = self._on_start("and", self.number, _LANES - 1)
        self.first = self._begin.compute("sub", self.number, self.lane)
        self.warp = self._on_start("shr", self.number, 5)
        one = self._begin.constant(1, UINT32)
        self.bit = self._begin.compute("shl", one, self._begin.cast(self.lane, UINT32))
        self._exchanged: dict[ScalarType, ir.SharedArray] = {}
        self._combined: ir.SharedArray | None = None
        self._side: ir.Variable | None = None
        self._turn: ir.Variable | None = None

    def _on_start(self, operation: str, value: ir.Value, other: int) -> ir.Value:
        return self._begin.compute(operation, value, self._begin.constant(other, value.type))

    def lower(self, node: ir.Warp, mask: ir.Variable | None) -> list[ir.Node]:
        """The operation, for threads that all come here; only those where `mask` holds take part."""
        build = ir.Builder(ir.Block(), node.span)
        here = None if mask is None else build.read(mask)
        _WRITERS[node.operation](self, build, node, here)
        return build.block.nodes

    # --- the scratch ------------------------------------------------------------------------------

    def exchange(self, build: ir.Builder, value: ir.Value) -> Callable[[ir.Value], ir.Value]:
        """Store what each lane has; a function that loads, after a barrier, the stored form of a lane of this warp."""
        kind = _stored(value.type)
        if kind not in self._exchanged:
            size = 2 * self.kernel.threads
            self._exchanged[kind] = new_shared(self.kernel, f"warp_{kind}", kind, size)
        array = self._exchanged[kind]
        if self._side is None:
            self._side = new_variable(self.kernel, "warp_side", INT32)
            self._begin.assign(self._side, self._begin.constant(0, INT32))
        side = build.read(self._side)
        half = build.constant(self.kernel.threads, INT32)
        build.assign(self._side, build.compute("sub", half, side))
        build.store(array, (build.compute("add", side, self.number),), _packed(build, value))
        first = build.compute("add", side, self.first)
        last = build.compute("add", side, build.compute("sub", half, build.constant(1, INT32)))

        def load(lane: ir.Value) -> ir.Value:
            place = build.compute("add", first, lane)
            if self.kernel.threads % _LANES:
                place = build.compute("min", place, last)
            return build.load(array, (place,))

        return load

    def combine(self, build: ir.Builder, holds: ir.Value | None) -> Callable[[], ir.Value]:
        """Set the bits of lanes where a bool holds; a function that gives the warp's word after a barrier."""
        warps = _warps(self.kernel)
        array, variable = self._words()
        turn = build.read(variable)
        size = build.constant(warps, INT32)
        place = build.compute("add", build.compute("mul", turn, size), self.warp)
        if holds is None:
            build.atomic("or", array, (place,), self.bit)
        else:
            with build.when(holds):
                build.atomic("or", array, (place,), self.bit)

        def word() -> ir.Value:
            result = build.load(array, (place,))
            following, before = next_of_three(build, turn)
            build.assign(variable, following)
            done = build.compute("add", build.compute("mul", before, size), self.warp)
            with build.when(self._leads(build)):
                build.store(array, (done,), build.constant(0, UINT32))
            return result

        return word

    def _leads(self, build: ir.Builder) -> ir.Value:
        return build.compute("eq", self.lane, build.constant(0, INT32))

    def _words(self) -> tuple[ir.SharedArray, ir.Variable]:
        """The words of the warps and whose turn it is; cleared when the kernel starts."""
        if self._combined is None or self._turn is None:
            warps, begin = _warps(self.kernel), self._begin
            self._combined = new_shared(self.kernel, "warp_bits", UINT32, 3 * warps)
            self._turn = new_variable(self.kernel, "warp_turn", INT32)
            begin.assign(self._turn, begin.constant(0, INT32))
            with begin.when(self._leads(begin)):
                for turn in range(3):
                    place = self._on_start("add", self.warp, turn * warps)
                    begin.store(self._combined, (place,), begin.constant(0, UINT32))
            begin.append(ir.Barrier(self.kernel.span))
        return self._combined, self._turn

    def everybody(self, build: ir.Builder) -> ir.Value:
        """The bits of the lanes that there are in this warp."""
        every = build.constant(_ALL_LANES, UINT32)
        rest = self.kernel.threads % _LANES
        if rest == 0:
            return every
        whole = build.constant(self.kernel.threads - rest, INT32)
        partial = build.constant((1 << rest) - 1, UINT32)
        return build.compute("select", build.compute("lt", self.first, whole), every, partial)


def _packed(build: ir.Builder, value: ir.Value) -> ir.Value:
    """The bits of a value as `_stored` says."""
    kind = value.type
    if kind.is_float and kind.bits == 32:
        return build.bitcast(value, UINT32)
    return value if kind.bits == 64 else build.cast(value, UINT32)


def _unpacked(build: ir.Builder, bits: ir.Value, result: ir.Value, span: ir.Warp) -> None:
    kind = result.type
    operation = "bitcast" if kind.is_float and kind.bits == 32 else "cast"
    build.append(ir.Compute(result, operation, (bits,), span.span))


# --- the operations -------------------------------------------------------------------------------


def _result(node: ir.Warp) -> ir.Value:
    assert node.result is not None
    return node.result


def _shuffle(scratch: WarpScratch, build: ir.Builder, node: ir.Warp, here: ir.Value | None) -> None:
    value, amount, _ = node.arguments
    load = scratch.exchange(build, value)
    build.append(ir.Barrier(node.span))
    bits = load(_source(build, node, scratch.lane, amount))
    _unpacked(build, bits, _result(node), node)


def _source(build: ir.Builder, node: ir.Warp, lane: ir.Value, amount: ir.Value) -> ir.Value:
    """The lane to read from."""
    width = node.width
    inner = build.constant(width - 1, INT32)
    start = build.compute("and", lane, build.constant(-width, INT32))
    if node.operation == "shuffle":
        return build.compute("or", start, build.compute("and", amount, inner))
    operation = {"shuffle_up": "sub", "shuffle_down": "add", "shuffle_xor": "xor"}[node.operation]
    source = build.compute(operation, lane, amount)
    # As unsigned numbers, so that what lies below the section is far above it.
    if node.operation == "shuffle_xor":
        reach = build.compute("add", start, build.constant(width, INT32))
        distance = source
    else:
        reach, distance = build.constant(width, INT32), build.compute("sub", source, start)
    inside = build.compute("lt", build.cast(distance, UINT32), build.cast(reach, UINT32))
    return build.compute("select", inside, source, lane)


def _vote(scratch: WarpScratch, build: ir.Builder, node: ir.Warp, here: ir.Value | None) -> None:
    predicate, mask = node.arguments
    if node.operation == "all":
        predicate = build.compute("not", predicate)
    if here is not None:
        predicate = build.compute("and", predicate, here)
    word = scratch.combine(build, predicate)
    build.append(ir.Barrier(node.span))
    bits = (word(), mask)
    if node.operation == "ballot":
        build.append(ir.Compute(_result(node), "and", bits, node.span))
        return
    zero = build.constant(0, UINT32)
    test = "eq" if node.operation == "all" else "ne"
    build.append(ir.Compute(_result(node), test, (build.compute("and", *bits), zero), node.span))


def _match(scratch: WarpScratch, build: ir.Builder, node: ir.Warp, here: ir.Value | None) -> None:
    value, mask = node.arguments
    if value.type is not _exchanged_type(node):
        value = build.bitcast(value, _exchanged_type(node))
    load = scratch.exchange(build, value)
    word = None if here is None else scratch.combine(build, here)
    build.append(ir.Barrier(node.span))
    present = scratch.everybody(build) if word is None else word()
    takes_part = build.compute("and", present, mask)
    found = build.read(_same_lanes(scratch, build, value, load))
    same = build.compute("and", found, takes_part)
    if node.operation == "match_any":
        build.append(ir.Compute(_result(node), "and", (found, takes_part), node.span))
        return
    agree = build.compute("eq", same, takes_part)
    arguments = (agree, takes_part, build.constant(0, UINT32))
    build.append(ir.Compute(_result(node), "select", arguments, node.span))


def _same_lanes(
    scratch: WarpScratch,
    build: ir.Builder,
    value: ir.Value,
    load: Callable[[ir.Value], ir.Value],
) -> ir.Variable:
    """A variable with the bits of all lanes whose value is that of this lane."""
    own = _packed(build, value)
    found = new_variable(scratch.kernel, "matching", UINT32)
    build.assign(found, build.constant(0, UINT32))
    bounds = (build.constant(bound, INT32) for bound in (0, _LANES, 1))
    one = build.constant(1, UINT32)
    with build.loop(*bounds) as loop, build.when(build.compute("eq", load(loop.index), own)):
        bit = build.compute("shl", one, build.cast(loop.index, UINT32))
        build.assign(found, build.compute("or", build.read(found), bit))
    return found


def _active(scratch: WarpScratch, build: ir.Builder, node: ir.Warp, here: ir.Value | None) -> None:
    if here is None:
        bits = scratch.everybody(build)
    else:
        word = scratch.combine(build, here)
        build.append(ir.Barrier(node.span))
        bits = word()
    build.append(ir.Compute(_result(node), "or", (bits, build.constant(0, UINT32)), node.span))


def _sync(scratch: WarpScratch, build: ir.Builder, node: ir.Warp, here: ir.Value | None) -> None:
    build.append(ir.Barrier(node.span))


_WRITERS: dict[str, Callable[[WarpScratch, ir.Builder, ir.Warp, ir.Value | None], None]] = {
    "shuffle": _shuffle,
    "shuffle_up": _shuffle,
    "shuffle_down": _shuffle,
    "shuffle_xor": _shuffle,
    "all": _vote,
    "any": _vote,
    "ballot": _vote,
    "match_any": _match,
    "match_all": _match,
    "active": _active,
    "sync": _sync,
}
