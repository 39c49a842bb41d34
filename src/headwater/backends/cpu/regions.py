"""Barriers by region splitting.

A block with barriers is cut into runs of nodes without one. Each run becomes a loop over the block's groups, and
one core executes run after run, which is what a barrier asks for. Control around barriers is the same for all
threads (`check_barriers`), so it stays outside of these loops as branches on scalars. So does what a run works out
for the block as a whole, such as the step of a tree reduction. What else lives from one run to another is kept for
each group.

Assumes that `lower_returns` turned returns into masks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater import ir, passes
from headwater.backends.cpu.common_work import CommonWork
from headwater.backends.cpu.groups import (
    enter_few,
    enter_group,
    group_count,
    group_loop,
    lanes_for,
)
from headwater.backends.cpu.lanes import LaneEmitter
from headwater.backends.cpu.loops import counted_loop
from headwater.backends.cpu.narrowing import Narrowing, Span, guards_of
from headwater.backends.cpu.places import Place
from headwater.backends.cpu.state import Loop, Slot
from headwater.backends.cpu.text import Operand, scalar_text
from headwater.backends.cpu.variance import escapes
from headwater.types import BOOL, ScalarType

# A value that so many operations make again is not kept from one run to another.
_EFFORT = 8
_CHEAP = frozenset(("add", "sub", "mul", "neg", "shl", "shr", "and", "or", "xor", "not", "cast"))
_CHEAP |= frozenset(("lt", "le", "gt", "ge", "eq", "ne"))

# Loops over the groups are unrolled while the code stays short.
_UNROLLED_GROUPS = 16
_UNROLLED_NODES = 4096
_LONG = (ir.For, ir.While, ir.Cooperative, ir.Atomic)


def has_barrier(block: ir.Block) -> bool:
    """Whether a barrier stands in the block, at any depth."""
    return any(isinstance(node, ir.Barrier) for node in ir.walk(block))


@dataclass(slots=True)
class Run:
    """A stretch of nodes without a barrier."""

    nodes: list[ir.Node]
    # Those that threads execute; the rest is the block's own work.
    work: list[ir.Node]
    # Values from elsewhere that the threads use; variables and local arrays that they touch.
    incoming: list[ir.Value]
    variables: list[ir.Variable]
    arrays: list[ir.LocalArray]


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a value or a variable waits between runs: one place, or one for each group."""

    pointer: str
    text: str
    kind: str
    per_group: bool


class Regions:
    """Emits one block of a kernel with barriers."""

    def __init__(self, kernel: ir.Kernel, lanes: LaneEmitter) -> None:
        self.kernel = kernel
        self.e = lanes
        self.w = lanes.w
        self.groups = group_count(kernel, lanes.lanes)
        self.varying = passes.varying(kernel)
        self.definition = {
            value: node for node in ir.walk(kernel.body) for value in ir.results(node)
        }
        self.runs: dict[ir.Node, Run] = {}
        self.kept: dict[ir.Value | ir.Variable, Kept] = {}
        # The block's own work in runs: it is done once, before the threads.
        self.common = CommonWork(self.varying, kernel.parameters)
        self.common_slots: dict[ir.Variable, Slot] = {}
        # By the identity of the run.
        self.local: dict[int, list[ir.Variable]] = {}
        self.narrowing = Narrowing(lanes, kernel.threads, self.definition, self.block_scalar)
        self.efforts: dict[ir.Value, int] = {}
        # Nodes that unrolling may still add.
        self.growth = _UNROLLED_NODES
        # Of the local arrays of all groups.
        self.places = dict(lanes.access.places)

    def emit(self) -> None:
        self.find_common()
        self.plan(self.kernel.body, looped=False)
        self.place_variables()
        self.place_values()
        self.level(self.kernel.body, looped=False)

    # --- planning ---------------------------------------------------------------------------------

    def find_common(self) -> None:
        """Start from all block-uniform variables; drop those that are set by threads, until none is left to drop."""
        common = self.common
        common.variables = set(self.kernel.variables) - self.varying.variables
        before = -1
        while before != len(common.variables):
            before = len(common.variables)
            common.restart()
            self.mark_common(self.kernel.body, looped=False)
        for variable in sorted(common.variables, key=self.kernel.variables.index):
            pointer = self.w.slot(scalar_text(variable.type), 8, variable.name)
            self.common_slots[variable] = Slot(pointer, vector=False)

    def mark_common(self, block: ir.Block, looped: bool) -> None:
        for part in self.parts(block, looped):
            if isinstance(part, list):
                self.common.mark(part)
                continue
            if isinstance(part, ir.For):
                self.common.values.add(part.index)
            for child in ir.children(part):
                self.mark_common(child, looped or isinstance(part, ir.For | ir.While))

    def structural(self, node: ir.Node, looped: bool) -> bool:
        """Whether a node is control around barriers, not work of threads."""
        if isinstance(node, ir.Barrier | ir.Break | ir.Continue):
            return True
        if any(map(has_barrier, ir.children(node))):
            return True
        return (
            looped and isinstance(node, ir.If) and bool(escapes(node.then) | escapes(node.orelse))
        )

    def parts(self, block: ir.Block, looped: bool) -> list[ir.Node | list[ir.Node]]:
        """The block as structural nodes and runs between them."""
        parts: list[ir.Node | list[ir.Node]] = []
        for node in block.nodes:
            if self.structural(node, looped):
                parts.append(node)
            elif parts and isinstance(parts[-1], list):
                parts[-1].append(node)
            else:
                parts.append([node])
        return parts

    def plan(self, block: ir.Block, looped: bool) -> None:
        """Find the runs, what each takes from others, and which variables stay inside of one."""
        for part in self.parts(block, looped):
            if isinstance(part, list):
                work = [node for node in part if node not in self.common.nodes]
                self.runs[part[0]] = _made_run(part, work)
                continue
            inside = looped or isinstance(part, ir.For | ir.While)
            for child in ir.children(part):
                self.plan(child, inside)

    def place_variables(self) -> None:
        """A variable lives in a run alone where it is set before it is read there; else it is kept."""
        users: dict[ir.Variable, list[Run]] = {}
        for run in self.runs.values():
            for variable in run.variables:
                if variable in self.common_slots:
                    continue
                users.setdefault(variable, []).append(run)
        for variable, runs in users.items():
            vector = self.e.lanes > 1 and variable in self.e.variance.variables
            if len(runs) == 1 and _set_first(runs[0].work, variable):
                self.local.setdefault(id(runs[0]), []).append(variable)
            else:
                self.keep(variable, vector, per_group=True)

    def place_values(self) -> None:
        """Values that another run or the control between runs uses."""
        wanted = [value for run in self.runs.values() for value in run.incoming]
        for node in ir.walk(self.kernel.body):
            if self.structural(node, looped=True):
                wanted += ir.operands(node)
        for value in dict.fromkeys(wanted):
            if self.is_at_hand(value) or self.effort(value) <= _EFFORT:
                continue
            # Lanes of the last group that stand for no thread hold no value, even of what all threads agree on.
            vector = self.e.lanes > 1 and value in self.e.variance.values
            self.keep(value, vector, per_group=vector or value in self.varying.values)

    def is_at_hand(self, value: ir.Value) -> bool:
        """Whether the block as a whole has the value."""
        source = self.definition.get(value)
        return source is None or source in self.common.nodes or isinstance(source, ir.For)

    def effort(self, value: ir.Value) -> int:
        """How many operations make a value anew from what is at hand; many where it must be kept.

        Made anew, the places of consecutive threads are known to be consecutive.
        """
        if value not in self.efforts:
            self.efforts[value] = min(self.count(value), _EFFORT + 1)
        return self.efforts[value]

    def count(self, value: ir.Value) -> int:
        source = self.definition.get(value)
        if self.is_at_hand(value) or isinstance(source, ir.Index):
            return 0
        if not isinstance(source, ir.Compute) or source.operation not in _CHEAP:
            return _EFFORT + 1
        return 1 + sum(map(self.effort, source.arguments))

    def keep(self, item: ir.Value | ir.Variable, vector: bool, per_group: bool) -> None:
        text = self.e.type(item.type) if vector else scalar_text(item.type)
        count = self.groups if per_group else 1
        pointer = self.w.slot(f"[{count} x {text}]", 64, item.name or "kept")
        kind = "varying" if vector else "uniform"
        self.kept[item] = Kept(pointer, text, kind, per_group)
        self.w.call(
            "void",
            "llvm.memset.p0.i64",
            ("ptr", pointer),
            ("i8", "0"),
            ("i64", str(count * self.bytes(item.type, vector))),
            ("i1", "false"),
        )

    def bytes(self, kind: ScalarType, vector: bool) -> int:
        """What one element takes on the stack; a vector of bools takes a bit a lane."""
        lanes = self.e.lanes if vector else 1
        return -(-lanes // 8) if kind is BOOL else kind.size * lanes

    # --- control ----------------------------------------------------------------------------------

    def level(self, block: ir.Block, looped: bool) -> None:
        for part in self.parts(block, looped):
            if self.w.terminated:
                return
            if isinstance(part, list):
                self.run(self.runs[part[0]])
            else:
                self.structure(part, looped)

    def structure(self, node: ir.Node, looped: bool) -> None:
        if isinstance(node, ir.If):
            self.branch(node, looped)
        elif isinstance(node, ir.For):
            self.counted(node)
        elif isinstance(node, ir.While):
            self.tested(node)
        elif isinstance(node, ir.Break | ir.Continue):
            assert self.e.loop is not None
            leaves = isinstance(node, ir.Break)
            self.w.branch(self.e.loop.exit_label if leaves else self.e.loop.next_label)

    def scalar(self, value: ir.Value) -> str:
        """A block-uniform value for control between runs."""
        kept = self.kept.get(value)
        if kept is not None:
            return self.w.value(f"load {kept.text}, ptr {kept.pointer}, align 8")
        return self.e.use(value).text

    def branch(self, node: ir.If, looped: bool) -> None:
        then, orelse, end = (self.w.new_label(hint) for hint in ("then", "else", "end"))
        self.w.branch_if(self.scalar(node.condition), then, orelse)
        reached = False
        for label, arm in ((then, node.then), (orelse, node.orelse)):
            self.w.place(label)
            self.level(arm, looped)
            reached = reached or not self.w.terminated
            self.w.branch(end)
        self.w.place(end)
        if not reached:
            self.w.emit("unreachable")
            self.w.terminated = True

    def counted(self, node: ir.For) -> None:
        kind = node.index.type
        start, stop, step = (self.scalar(v) for v in (node.start, node.stop, node.step))
        with counted_loop(self.e, kind, start, stop, step) as index:
            self.e.values[node.index] = Operand("uniform", index, kind)
            self.level(node.body, looped=True)

    def tested(self, node: ir.While) -> None:
        test, body, end = (self.w.new_label(hint) for hint in ("test", "loop", "end"))
        self.w.place(test)
        self.level(node.test, looped=True)
        self.w.branch_if(self.scalar(node.condition), body, end)
        self.w.place(body)
        outer, self.e.loop = self.e.loop, Loop(end, test, None)
        self.level(node.body, looped=True)
        self.e.loop = outer
        self.w.branch(test)
        self.w.place(end)

    # --- runs -------------------------------------------------------------------------------------

    def run(self, run: Run) -> None:
        """The block's own work, then all threads, group after group."""
        e = self.e
        e.mask, e.slots = None, self.common_slots
        for node in run.nodes:
            if node in self.common.nodes:
                e.node(node)
        if run.work:
            self.threads(run)

    def threads(self, run: Run) -> None:
        e = self.e
        loop, values = e.loop, dict(e.values)
        e.slots = {}
        span = self.span(run)
        if span.trips == 0:
            return
        if self.few(run, span):
            self.few_threads(run, span)
        else:
            self.all_groups(run, span)
        e.loop, e.values, e.slots = loop, values, {}

    def few(self, run: Run, span: Span) -> bool:
        """Whether less than half a group has something to do, with nothing that groups keep."""
        if span.threads is None or 2 * (span.threads[1] - span.threads[0]) > self.e.lanes:
            return False
        items = (*run.incoming, *run.variables)
        kept = any(item in self.kept and self.kept[item].per_group for item in items)
        return not kept and not run.arrays

    def few_threads(self, run: Run, span: Span) -> None:
        e = self.e
        assert span.threads is not None
        first, last = span.threads
        with e.in_lanes(lanes_for(last - first)):
            self.declare(run)
            enter_few(self.kernel, e, first, last)
            e.slots |= self.common_slots
            for value in run.incoming:
                self.fetch(value, "0")
            for node in run.work:
                e.node(node)

    def declare(self, run: Run) -> None:
        for variable in self.local.get(id(run), ()):
            self.e.declare(variable)

    def all_groups(self, run: Run, span: Span) -> None:
        self.declare(run)
        if self.may_unroll(run, span):
            slots = self.e.slots
            for group in range(int(span.first), int(span.last)):
                self.e.slots = dict(slots)
                enter_group(self.kernel, self.e, group)
                self.group(run, str(group))
            return
        with group_loop(self.kernel, self.e, span) as number:
            self.group(run, number)

    def group(self, run: Run, number: str) -> None:
        e = self.e
        e.slots |= self.common_slots
        for variable in run.variables:
            if variable in self.kept:
                kept = self.kept[variable]
                e.slots[variable] = Slot(self.at(kept, number), kept.kind == "varying")
        for value in run.incoming:
            self.fetch(value, number)
        for array in run.arrays:
            e.access.places[array] = self.of_group(self.places[array], number)
        for node in run.work:
            e.node(node)
            for value in ir.results(node):
                if value in self.kept:
                    self.save(value, number)

    def span(self, run: Run) -> Span:
        """The groups that have something to do in a run."""
        all_groups = Span("0", str(self.groups))
        guards = guards_of(run.work)
        kept = any(value in self.kept for node in run.work for value in ir.results(node))
        if guards is None or kept or self.kernel.block_shape[1:] != (1, 1):
            return all_groups
        return self.narrowing.span(guards)

    def block_scalar(self, value: ir.Value) -> str | None:
        """A value that is the same for the block, where it is at hand before the threads."""
        if value in self.kept:
            return None if self.kept[value].per_group else self.scalar(value)
        return self.e.use(value).text if self.is_at_hand(value) else None

    def may_unroll(self, run: Run, span: Span) -> bool:
        """Whether the groups are few and their work short."""
        if span.trips is None or span.trips > _UNROLLED_GROUPS:
            return False
        nodes = [inner for node in run.work for inner in (node, *_nested(node))]
        growth = len(nodes) * span.trips
        if any(isinstance(node, _LONG) for node in nodes) or growth > self.growth:
            return False
        self.growth -= growth
        return True

    def at(self, kept: Kept, group: str) -> str:
        index = group if kept.per_group else "0"
        return self.w.value(f"getelementptr {kept.text}, ptr {kept.pointer}, i32 {index}", "kept")

    def of_group(self, place: Place, group: str) -> Place:
        """The part of a local array that belongs to a group."""
        number = self.w.value(f"zext i32 {group} to i64")
        offset = self.w.value(f"mul i64 {number}, {place.group_bytes}")
        pointer = self.w.value(f"getelementptr i8, ptr {place.pointer}, i64 {offset}", "local")
        return replace(place, pointer=pointer)

    def fetch(self, value: ir.Value, group: str) -> None:
        kept = self.kept.get(value)
        if kept is not None:
            text = self.w.value(f"load {kept.text}, ptr {self.at(kept, group)}, align 4")
            self.e.values[value] = Operand(kept.kind, text, value.type)
            return
        node = self.definition.get(value)
        if self.is_at_hand(value) or not isinstance(node, ir.Index | ir.Compute):
            return
        for argument in ir.operands(node):
            self.fetch(argument, group)
        self.e.node(node)

    def save(self, value: ir.Value, group: str) -> None:
        kept, operand = self.kept[value], self.e.use(value)
        text = self.e.spread(operand) if kept.kind == "varying" else operand.text
        self.w.emit(f"store {kept.text} {text}, ptr {self.at(kept, group)}, align 4")


def _made_run(nodes: list[ir.Node], work: list[ir.Node]) -> Run:
    variables = list(dict.fromkeys(_variables(work)))
    return Run(nodes, work, _incoming(work), variables, _local_arrays(work))


def _incoming(nodes: list[ir.Node]) -> list[ir.Value]:
    """Values that the nodes use and do not define, in order of first use."""
    inside = [node for top in nodes for node in (top, *_nested(top))]
    defined = {value for node in inside for value in ir.results(node)}
    used = dict.fromkeys(value for node in inside for value in ir.operands(node))
    return [value for value in used if value not in defined]


def _nested(node: ir.Node) -> list[ir.Node]:
    return [inner for child in ir.children(node) for inner in ir.walk(child)]


def _variables(nodes: list[ir.Node]) -> list[ir.Variable]:
    """Variables that the nodes touch."""
    return [
        node.variable
        for top in nodes
        for node in (top, *_nested(top))
        if isinstance(node, ir.Read | ir.Assign)
    ]


def _local_arrays(nodes: list[ir.Node]) -> list[ir.LocalArray]:
    """Local arrays that the nodes touch, in order of first use."""
    used = [
        node.array
        for top in nodes
        for node in (top, *_nested(top))
        if isinstance(node, ir.Load | ir.Store | ir.Atomic)
    ]
    return [array for array in dict.fromkeys(used) if isinstance(array, ir.LocalArray)]


def _set_first(nodes: list[ir.Node], variable: ir.Variable) -> bool:
    """Whether the first node that touches the variable sets it for all threads."""
    for node in nodes:
        if variable in _variables([node]):
            return isinstance(node, ir.Assign)
    return False
