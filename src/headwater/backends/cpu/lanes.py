"""Emits the body of one SIMD group: W threads of a block in the lanes of vectors.

Every value is uniform (a scalar), linear (a scalar plus the lane number) or varying (a vector). `if` on a varying
condition becomes a mask, a loop with varying trips runs while any lane lives, uniform control stays branches.
With one lane everything is uniform and the result is plain scalar code.

An executed stretch of code always has at least one lane on, so a uniform load is one that the program itself
performs: arms of a varying `if` are skipped where no lane takes them, and what follows an exit is skipped where
no lane is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import singledispatchmethod

from headwater import ir
from headwater.backends.cpu.access import Access
from headwater.backends.cpu.atomics import emit_atomic
from headwater.backends.cpu.choices import of_operation, of_select
from headwater.backends.cpu.cooperation import Cooperation
from headwater.backends.cpu.linear import (
    chosen,
    combined,
    known_lanes,
    known_scalar,
    lane_bools,
    lane_text,
    recast,
)
from headwater.backends.cpu.loops import emit_for, emit_while
from headwater.backends.cpu.operations import Operations
from headwater.backends.cpu.state import Loop, Slot
from headwater.backends.cpu.text import FunctionWriter, Operand, literal, scalar_text
from headwater.backends.cpu.variance import Variance, escapes
from headwater.backends.cpu.waiting import Waiting
from headwater.errors import InternalError
from headwater.types import BOOL, INT32, ScalarType

# An arm of an `if` with at most this many plain operations is run under its mask without a branch.
_STRAIGHT_LINE = 12


class LaneEmitter:
    """Emits nodes for the current SIMD group into a writer."""

    def __init__(
        self, writer: FunctionWriter, lanes: int, contract: bool, variance: Variance, access: Access
    ) -> None:
        self.w = writer
        # Of the code at hand, and of a whole group.
        self.lanes = self.group_lanes = lanes
        self.variance = variance
        self.access = access
        self.scalar = Operations(writer, 0, contract)
        self.vector = Operations(writer, lanes, contract)
        self.values: dict[ir.Value, Operand] = {}
        self.slots: dict[ir.Variable, Slot] = {}
        self.threads: tuple[Operand, ...] = ()
        self.blocks: dict[str, tuple[Operand, ...]] = {}
        # The lanes that are on: a vector of i1, or None for all.
        self.mask: str | None = None
        self.loop: Loop | None = None
        # In a cooperative block the lanes work for one thread, which is that of `lane`.
        self.inside = False
        self.lane = ""
        # Whether all control from the root is uniform, so that a return is a branch.
        self.chain = True
        # Whether threads may end early; those of a group that have not are then kept in `alive`.
        self.returns = False
        self.alive: str | None = None
        self.return_label = ""
        # What watches loops that wait for other threads, in a kernel that has some.
        self.waiting: Waiting | None = None

    @contextmanager
    def in_lanes(self, lanes: int) -> Iterator[None]:
        """Emit for another number of lanes for a while."""
        before = self.lanes, self.vector, self.variance
        self.lanes, self.vector = lanes, replace(self.vector, lanes=lanes)
        if lanes == 1:
            self.variance = Variance()
        yield
        self.lanes, self.vector, self.variance = before

    def declare(self, variable: ir.Variable) -> None:
        """Give a variable a place of its own for the group at hand."""
        vector = self.lanes > 1 and variable in self.variance.variables
        kind = self.type(variable.type) if vector else scalar_text(variable.type)
        self.slots[variable] = Slot(self.w.slot(kind, 64, variable.name), vector)

    def clear_variables(self) -> None:
        """Start a group with zeros, so that lanes that are off never hold an undefined value."""
        for variable, slot in self.slots.items():
            if slot.vector:
                zero = f"{self.type(variable.type)} zeroinitializer"
                self.w.emit(f"store {zero}, ptr {slot.pointer}, align 8")

    # --- operands ---------------------------------------------------------------------------------

    def type(self, kind: ScalarType) -> str:
        return self.vector.type(kind)

    def use(self, value: ir.Value) -> Operand:
        return self.values[value]

    def spread(self, operand: Operand) -> str:
        """The operand as a vector's text."""
        if operand.kind == "varying":
            return operand.text
        kind = operand.type
        if operand.kind == "linear":
            base = self.broadcast(operand.text, kind)
            return self.vector.binary("add", kind, base, self.lane_constants(kind, operand.offsets))
        return self.broadcast(operand.text, kind)

    def broadcast(self, text: str, kind: ScalarType) -> str:
        scalar, vector = scalar_text(kind), self.type(kind)
        if not text.startswith("%"):
            return f"splat ({scalar} {text})"
        one = self.w.value(f"insertelement {vector} poison, {scalar} {text}, i64 0")
        shape = f"<{self.lanes} x i32> zeroinitializer"
        return self.w.value(f"shufflevector {vector} {one}, {vector} poison, {shape}")

    def iota(self, kind: ScalarType) -> str:
        """The lane numbers."""
        return self.lane_constants(kind, range(self.lanes))

    def lane_constants(self, kind: ScalarType, numbers: Iterable[int]) -> str:
        """A constant for each lane."""
        scalar = scalar_text(kind)
        return f"<{', '.join(f'{scalar} {literal(number, kind)}' for number in numbers)}>"

    def consecutive(self, first: str, kind: ScalarType, divisor: int = 1) -> Operand:
        """`first` plus the lane number; `divisor` is a power of two that divides it."""
        if self.lanes == 1:
            return Operand("uniform", first, kind)
        return Operand("linear", first, kind, tuple(range(self.lanes)), divisor)

    def on(self) -> str:
        """The mask as a vector."""
        return self.mask if self.mask is not None else "splat (i1 true)"

    def any(self, mask: str) -> str:
        """Whether any lane of a mask is on, as a scalar."""
        return self.w.call("i1", f"llvm.vector.reduce.or.v{self.lanes}i1", (self.type(BOOL), mask))

    def fold_lanes(self, vector: str, kind: ScalarType, operation: str) -> str:
        """All lanes of a vector combined, in a fixed tree."""
        text, half = self.type(kind), self.lanes // 2
        while half:
            picks = ", ".join(f"i32 {(lane + half) % self.lanes}" for lane in range(self.lanes))
            shifted = self.w.value(
                f"shufflevector {text} {vector}, {text} poison, <{self.lanes} x i32> <{picks}>"
            )
            vector = self.vector.apply(operation, kind, kind, (vector, shifted))
            half //= 2
        return self.w.value(f"extractelement {text} {vector}, i64 0")

    def both(self, a: str | None, b: str) -> str:
        """The lanes of a mask for which a condition holds."""
        if a is None:
            return b
        ours, theirs = lane_bools(a), lane_bools(b)
        if ours is None or theirs is None:
            return self.vector.binary("and", BOOL, a, b)
        return lane_text(x and y for x, y in zip(ours, theirs, strict=True))

    def without(self, mask: str | None, off: str) -> str:
        """Those for which it does not."""
        known = lane_bools(off)
        if known is not None:
            return self.both(mask, lane_text(not held for held in known))
        return self.both(mask, self.vector.binary("xor", BOOL, off, "splat (i1 true)"))

    def load_mask(self, pointer: str) -> str:
        return self.w.value(f"load {self.type(BOOL)}, ptr {pointer}, align 8", "mask")

    def store_mask(self, pointer: str, mask: str) -> None:
        self.w.emit(f"store {self.type(BOOL)} {mask}, ptr {pointer}, align 8")

    def remove_lanes(self, pointer: str) -> None:
        """Take the lanes that are on out of a set of lanes."""
        self.store_mask(pointer, self.without(self.load_mask(pointer), self.on()))

    # --- blocks -----------------------------------------------------------------------------------

    def block(self, block: ir.Block) -> None:
        self.run(block.nodes)

    def run(self, nodes: list[ir.Node]) -> None:
        """Emit nodes in order; after one that may switch lanes off, the rest needs a lane."""
        for position, node in enumerate(nodes):
            if self.w.terminated:
                return
            before = self.mask
            self.node(node)
            rest = nodes[position + 1 :]
            if rest and self.mask is not before and not self.w.terminated:
                self.guarded(rest)
                return

    def guarded(self, rest: list[ir.Node]) -> None:
        """Emit `rest` where any lane is on."""
        some, end = self.w.new_label("some"), self.w.new_label("end")
        mask, source = self.on(), self.w.label
        self.w.branch_if(self.any(mask), some, end)
        self.w.place(some)
        self.run(rest)
        after = self.on()
        incoming = [("zeroinitializer", source)]
        if not self.w.terminated:
            incoming.append((after, self.w.label))
        self.w.place(end)
        self.mask = self.merge(incoming)

    def merge(self, incoming: list[tuple[str, str]]) -> str:
        """A mask that came by one of several basic blocks."""
        texts = {text for text, _ in incoming}
        if len(texts) == 1:
            return texts.pop()
        pairs = ", ".join(f"[ {text}, %{label} ]" for text, label in incoming)
        return self.w.value(f"phi {self.type(BOOL)} {pairs}", "mask")

    @singledispatchmethod
    def node(self, node: object) -> None:
        raise InternalError(f"the cpu backend does not know the node {type(node).__name__}")

    # --- values -----------------------------------------------------------------------------------

    @node.register
    def _(self, node: ir.Constant) -> None:
        kind = node.result.type
        self.values[node.result] = Operand("uniform", literal(node.value, kind), kind)

    @node.register
    def _(self, node: ir.Compute) -> None:
        arguments = tuple(map(self.use, node.arguments))
        kind, result = arguments[0].type, node.result.type
        if node.operation == "uniform":
            self.values[node.result] = self.first_lane(arguments[0])
        elif node.operation == "select":
            self.values[node.result] = self.choose(*arguments)
        elif node.operation == "cast" and (same := recast(arguments[0], result)):
            self.values[node.result] = same
        elif linear := combined(node.operation, arguments, self.lanes, self.scalar_operation):
            self.values[node.result] = linear
        elif all(argument.uniform for argument in arguments):
            texts = tuple(argument.text for argument in arguments)
            known = known_scalar(node.operation, kind, result, texts)
            text = known or self.scalar.apply(node.operation, kind, result, texts, node.contract)
            self.values[node.result] = Operand("uniform", text, result)
        elif known_now := known_lanes(node.operation, result, arguments, self.lanes):
            self.values[node.result] = known_now
        else:
            texts = tuple(map(self.spread, arguments))
            text = self.vector.apply(node.operation, kind, result, texts, node.contract)
            either = of_operation(self, node.operation, result, arguments)
            self.values[node.result] = Operand("varying", text, result, either=either)

    def scalar_operation(self, operation: str, kind: ScalarType, texts: tuple[str, ...]) -> str:
        """An operation on integers, done now where they are literals."""
        known = known_scalar(operation, kind, kind, texts)
        return known or self.scalar.apply(operation, kind, kind, texts)

    def choose(self, condition: Operand, a: Operand, b: Operand) -> Operand:
        kind = a.type
        known = known_lanes("select", kind, (condition, a, b), self.lanes)
        known = known or chosen(condition, a, b, self.lanes)
        if known is not None:
            return known
        if condition.uniform and a.uniform and b.uniform:
            return Operand(
                "uniform", self.scalar.select(kind, condition.text, a.text, b.text), kind
            )
        if condition.uniform and a.kind == b.kind == "linear" and a.offsets == b.offsets:
            return replace(
                a, text=self.scalar.select(kind, condition.text, a.text, b.text), divisor=1
            )
        lanes = self.spread(condition)
        text = self.vector.select(kind, lanes, self.spread(a), self.spread(b))
        return Operand("varying", text, kind, either=of_select(lanes, a, b))

    def first_lane(self, operand: Operand) -> Operand:
        """A value that the user asserts to be uniform: any lane that is on has it."""
        if operand.uniform:
            return operand
        lane = self.first_on(self.mask_bits())
        text = f"extractelement {self.type(operand.type)} {self.spread(operand)}, i32 {lane}"
        return Operand("uniform", self.w.value(text), operand.type)

    def mask_bits(self) -> str:
        """The mask as an i32, lane 0 in the lowest bit."""
        if self.mask is None:
            return str((1 << self.lanes) - 1)
        bits = f"i{self.lanes}"
        packed = self.w.value(f"bitcast {self.type(BOOL)} {self.mask} to {bits}")
        return self.w.value(f"zext {bits} {packed} to i32")

    def first_on(self, bits: str) -> str:
        return self.w.call("i32", "llvm.cttz.i32", ("i32", bits), ("i1", "true"))

    @node.register
    def _(self, node: ir.Index) -> None:
        source = self.threads if node.kind == "thread" else self.blocks[node.kind]
        self.values[node.result] = source[node.axis]

    @node.register
    def _(self, node: ir.Extent) -> None:
        self.values[node.result] = Operand(
            "uniform", self.access.extent(node.array, node.axis), INT32
        )

    @node.register
    def _(self, node: ir.Read) -> None:
        slot, kind = self.slots[node.variable], node.variable.type
        text = self.type(kind) if slot.vector else scalar_text(kind)
        value = self.w.value(f"load {text}, ptr {slot.pointer}, align 8", node.variable.name)
        self.values[node.result] = Operand("varying" if slot.vector else "uniform", value, kind)

    @node.register
    def _(self, node: ir.Assign) -> None:
        slot, kind, value = self.slots[node.variable], node.variable.type, self.use(node.value)
        if not slot.vector:
            self.w.emit(f"store {scalar_text(kind)} {value.text}, ptr {slot.pointer}, align 8")
            return
        text = self.spread(value)
        if self.mask is not None:
            old = self.w.value(f"load {self.type(kind)}, ptr {slot.pointer}, align 8")
            text = self.vector.select(kind, self.mask, text, old)
        self.w.emit(f"store {self.type(kind)} {text}, ptr {slot.pointer}, align 8")

    # --- memory -----------------------------------------------------------------------------------

    @node.register
    def _(self, node: ir.Load) -> None:
        self.values[node.result] = self.access.load(self, node)

    @node.register
    def _(self, node: ir.Store) -> None:
        self.access.store(self, node)

    @node.register
    def _(self, node: ir.Atomic) -> None:
        self.values[node.result] = emit_atomic(self.access, self, node)

    @node.register
    def _(self, node: ir.Fence) -> None:
        # A block runs on one core, which sees its own writes in order; only the compiler must not move them.
        scope = 'syncscope("singlethread") ' if node.scope == "block" else ""
        self.w.emit(f"fence {scope}seq_cst")

    # --- if ---------------------------------------------------------------------------------------

    @node.register
    def _(self, node: ir.If) -> None:
        condition = self.use(node.condition)
        if condition.text in ("true", "false"):
            self.block(node.then if condition.text == "true" else node.orelse)
        elif condition.uniform:
            self.uniform_if(node, condition.text)
        else:
            self.varying_if(node, self.spread(condition))

    def uniform_if(self, node: ir.If, condition: str) -> None:
        then, orelse, end = (self.w.new_label(hint) for hint in ("then", "else", "end"))
        before = self.mask
        self.w.branch_if(condition, then, orelse)
        incoming: list[tuple[str, str]] = []
        for label, arm in ((then, node.then), (orelse, node.orelse)):
            self.w.place(label)
            self.mask = before
            self.block(arm)
            if not self.w.terminated:
                incoming.append((self.on(), self.w.label))
            self.w.branch(end)
        self.w.place(end)
        self.mask = before
        if not incoming:
            self.w.emit("unreachable")
            self.w.terminated = True
        elif any(mask != self.on() for mask, _ in incoming):
            self.mask = self.merge(incoming)

    def varying_if(self, node: ir.If, condition: str) -> None:
        before, chain = self.mask, self.chain
        self.chain = False
        taken = self.both(before, condition)
        left = self.arm(node.then, taken)
        other = self.without(before, condition)
        right = self.arm(node.orelse, other) if node.orelse.nodes else other
        exits = escapes(node.then) | escapes(node.orelse)
        self.mask = self.vector.binary("or", BOOL, left, right) if exits else before
        self.chain = chain

    def arm(self, block: ir.Block, mask: str) -> str:
        """Emit one arm under its mask; gives the lanes that come out of it."""
        self.mask = mask
        if self.is_straight(block):
            self.block(block)
            return self.on()
        arm, end = self.w.new_label("arm"), self.w.new_label("end")
        source = self.w.label
        self.w.branch_if(self.any(mask), arm, end)
        self.w.place(arm)
        self.block(block)
        after, last = self.on(), self.w.label
        self.w.place(end)
        if not escapes(block):
            return mask
        return self.merge([("zeroinitializer", source), (after, last)])

    def is_straight(self, block: ir.Block) -> bool:
        """Whether a block is short and cannot fail where no lane is on."""
        plain = (ir.Constant, ir.Compute, ir.Read, ir.Assign, ir.Break, ir.Continue, ir.Return)
        return len(block.nodes) <= _STRAIGHT_LINE and all(
            isinstance(node, plain) and getattr(node, "operation", "") != "uniform"
            for node in block.nodes
        )

    # --- loops and cooperation --------------------------------------------------------------------

    @node.register
    def _(self, node: ir.For) -> None:
        emit_for(self, node)

    @node.register
    def _(self, node: ir.While) -> None:
        emit_while(self, node)

    @node.register
    def _(self, node: ir.Cooperative) -> None:
        if self.lanes == 1:
            self.block(node.body)
        else:
            Cooperation(self, node).emit()

    # --- exits ------------------------------------------------------------------------------------

    @node.register
    def _(self, node: ir.Break) -> None:
        assert self.loop is not None
        if self.loop.live is None:
            self.w.branch(self.loop.exit_label)
            return
        self.remove_lanes(self.loop.live)
        self.mask = "zeroinitializer"

    @node.register
    def _(self, node: ir.Continue) -> None:
        assert self.loop is not None
        if self.loop.live is None and not self.loop.spread:
            self.w.branch(self.loop.next_label)
            return
        self.mask = "zeroinitializer"

    @node.register
    def _(self, node: ir.Return) -> None:
        if self.chain:
            if self.waiting is not None:
                self.waiting.go_on(self)
            self.w.branch(self.return_label)
            return
        assert self.alive is not None
        self.remove_lanes(self.alive)
        self.mask = "zeroinitializer"
