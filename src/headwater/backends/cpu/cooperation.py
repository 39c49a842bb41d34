"""The lanes of a SIMD group work together on one thread after another; see `ir.Cooperative`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater import ir
from headwater.backends.cpu.operations import identity
from headwater.backends.cpu.state import NO_UNROLL, Slot
from headwater.backends.cpu.text import Operand, scalar_text
from headwater.types import BOOL, INT32, ScalarType

if TYPE_CHECKING:
    from headwater.backends.cpu.lanes import LaneEmitter


class Cooperation:
    """Emits one cooperative block.

    What the block uses from outside is spilled once and read back as scalars for each thread. The sums of the
    spread loops stay vectors until a thread's last row is done, and are then folded in a fixed tree.
    """

    def __init__(self, lanes: LaneEmitter, node: ir.Cooperative) -> None:
        self.e = lanes
        self.w = lanes.w
        self.node = node
        self.reductions = {
            r.variable: r.operation
            for inner in ir.walk(node.body)
            if isinstance(inner, ir.For)
            for r in inner.reductions
        }
        # In order of appearance, so that the text is the same each time.
        self.assigned = list(
            dict.fromkeys(n.variable for n in ir.walk(node.body) if isinstance(n, ir.Assign))
        )
        self.spills: dict[ir.Value | ir.Variable, tuple[str, ScalarType]] = {}
        # The axes of the thread's index that the block asks for.
        self.axes: dict[int, tuple[str, ScalarType]] = {}

    def emit(self) -> None:
        e, w = self.e, self.w
        self.spill_captured()
        results = {v: self.spill(self.read_vector(v), v.type) for v in self.reductions}
        bits = w.slot("i32", 8, "bits")
        w.emit(f"store i32 {e.mask_bits()}, ptr {bits}, align 8")
        outer = (dict(e.values), dict(e.slots), e.threads, e.mask, e.loop, e.chain)
        thread, end = w.new_label("thread"), w.new_label("end")
        w.place(thread)
        pending = w.value(f"load i32, ptr {bits}, align 8")
        lane = e.first_on(pending)
        self.enter(lane)
        e.block(self.node.body)
        self.fold(results, lane)
        rest = w.value(f"and i32 {pending}, {w.value(f'sub i32 {pending}, 1')}")
        w.emit(f"store i32 {rest}, ptr {bits}, align 8")
        w.branch_if(w.value(f"icmp ne i32 {rest}, 0"), thread, end, NO_UNROLL)
        w.place(end)
        e.values, e.slots, e.threads, e.mask, e.loop, e.chain = outer
        e.inside = False
        for variable, (pointer, kind) in results.items():
            folded = w.value(f"load {e.type(kind)}, ptr {pointer}, align 64")
            w.emit(f"store {e.type(kind)} {folded}, ptr {e.slots[variable].pointer}, align 8")

    def read_vector(self, variable: ir.Variable) -> str:
        kind = self.e.type(variable.type)
        return self.w.value(f"load {kind}, ptr {self.e.slots[variable].pointer}, align 8")

    def spill(self, vector: str, kind: ScalarType) -> tuple[str, ScalarType]:
        """Store a vector where its elements can be reached; bools take a byte each."""
        e, w = self.e, self.w
        if kind is BOOL:
            vector = w.value(f"zext {e.type(BOOL)} {vector} to <{e.lanes} x i8>")
            pointer, text = w.slot(f"<{e.lanes} x i8>"), f"<{e.lanes} x i8>"
        else:
            pointer, text = w.slot(e.type(kind)), e.type(kind)
        w.emit(f"store {text} {vector}, ptr {pointer}, align 64")
        return pointer, kind

    def spill_captured(self) -> None:
        e = self.e
        defined = {value for node in ir.walk(self.node.body) for value in ir.results(node)}
        assigned = set(self.assigned)
        for node in ir.walk(self.node.body):
            for value in ir.operands(node):
                if value in defined or value in self.spills or e.use(value).uniform:
                    continue
                self.spills[value] = self.spill(e.spread(e.use(value)), value.type)
            if isinstance(node, ir.Index) and node.kind == "thread":
                index = e.threads[node.axis]
                if not index.uniform and node.axis not in self.axes:
                    self.axes[node.axis] = self.spill(e.spread(index), INT32)
            if isinstance(node, ir.Read) and node.variable not in assigned | self.spills.keys():
                if e.slots[node.variable].vector:
                    self.spills[node.variable] = self.spill(
                        self.read_vector(node.variable), node.variable.type
                    )

    def enter(self, lane: str) -> None:
        """Switch to the meaning of lanes inside: everything captured is this thread's scalar."""
        e, w = self.e, self.w
        e.mask, e.loop, e.chain, e.inside, e.lane = None, None, False, True, lane
        threads = list(e.threads)
        for axis, (pointer, kind) in self.axes.items():
            threads[axis] = Operand("uniform", self.element(pointer, kind, lane), kind)
        e.threads = tuple(threads)
        for key, (pointer, kind) in self.spills.items():
            scalar = self.element(pointer, kind, lane)
            if isinstance(key, ir.Value):
                e.values[key] = Operand("uniform", scalar, kind)
                continue
            slot = w.slot(scalar_text(kind), 8)
            w.emit(f"store {scalar_text(kind)} {scalar}, ptr {slot}, align 8")
            e.slots[key] = Slot(slot, vector=False)
        for variable in self.assigned:
            slot = w.slot(e.type(variable.type))
            e.slots[variable] = Slot(slot, vector=True)
            if variable in self.reductions:
                start = e.vector.constant(
                    identity(self.reductions[variable], variable.type), variable.type
                )
                w.emit(f"store {e.type(variable.type)} {start}, ptr {slot}, align 64")

    def element(self, pointer: str, kind: ScalarType, lane: str) -> str:
        w = self.w
        text = "i8" if kind is BOOL else scalar_text(kind)
        place = w.value(f"getelementptr {text}, ptr {pointer}, i32 {lane}")
        value = w.value(f"load {text}, ptr {place}, align 1")
        return w.value(f"trunc i8 {value} to i1") if kind is BOOL else value

    def fold(self, results: dict[ir.Variable, tuple[str, ScalarType]], lane: str) -> None:
        """Combine the lanes' partial results in a fixed tree, then with what the variable held before."""
        e, w = self.e, self.w
        for variable, operation in self.reductions.items():
            pointer, kind = results[variable]
            total = e.fold_lanes(self.read_vector(variable), kind, operation)
            old = self.element(pointer, kind, lane)
            new = e.scalar.apply(operation, kind, kind, (old, total))
            place = w.value(f"getelementptr {scalar_text(kind)}, ptr {pointer}, i32 {lane}")
            w.emit(f"store {scalar_text(kind)} {new}, ptr {place}, align {kind.size}")
