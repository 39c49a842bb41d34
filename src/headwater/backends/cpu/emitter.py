"""From a kernel's IR to the text of one LLVM module.

The module has one public function, which runs a range of blocks:

    void kernel(ptr arguments, i32 grid_x, i32 grid_y, i32 grid_z, i64 first, i64 last)

`arguments` are slots of 8 bytes in the order of the kernel's parameters: a scalar takes one; an array takes its
pointer, its extents, its strides in scalars, and the distance of its component planes in scalars. Where the kernel
has loops that wait, the state of the launch follows (`waiting`); where it needs scratch memory, two more: its start,
and how many blocks a call is for; each call has a piece.

It finds the memory of all arrays and hands it to a second function, whose parameters can say which pointers have no
other name for what they point to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headwater import ir
from headwater.backends.contract import Options
from headwater.backends.cpu.access import Access
from headwater.backends.cpu.blocks import block_loop
from headwater.backends.cpu.frame import Frame
from headwater.backends.cpu.groups import group_count, group_loop
from headwater.backends.cpu.lanes import LaneEmitter
from headwater.backends.cpu.places import Place, constant_place, own_places
from headwater.backends.cpu.regions import Regions, has_barrier
from headwater.backends.cpu.target import Target
from headwater.backends.cpu.text import FunctionWriter, Operand, memory_text
from headwater.backends.cpu.variance import Variance, analyse
from headwater.backends.cpu.waiting import FUNCTIONS
from headwater.types import BOOL


@dataclass(frozen=True, slots=True)
class Module:
    """The text, how many bytes of scratch memory each call of its function needs, and the loops that are watched.

    There are none of the latter, but a slot for the launch's state, where loops that wait have barriers in them.
    """

    text: str
    scratch: int
    waiting: Sequence[ir.While] | None


def emit(kernel: ir.Kernel, target: Target, options: Options) -> Module:
    """The module; the kernel's neighbour loops must be lowered already."""
    lanes = fitting_lanes(kernel, target)
    return _Function(kernel, lanes, options, target).module()


def fitting_lanes(kernel: ir.Kernel, target: Target) -> int:
    """The target's lanes, or fewer where a block has fewer threads: one thread is plain scalar code."""
    lanes = target.lanes
    while lanes > 1 and lanes // 2 >= kernel.threads:
        lanes //= 2
    return lanes


class _Function:
    """The frame around the lanes: arguments, the loop over blocks, and the threads of a block."""

    def __init__(self, kernel: ir.Kernel, lanes: int, options: Options, target: Target) -> None:
        self.kernel = kernel
        self.lanes = lanes
        self.target = target
        self.w = FunctionWriter()
        used = {value for node in ir.walk(kernel.body) for value in ir.operands(node)}
        self.access = Access(self.w, target, used)
        # Groups that wait for each other are all on their way at once.
        self.groups = group_count(kernel, lanes) if has_barrier(kernel.body) else 1
        self.frame = Frame(self.w)
        self.constants: list[str] = []
        variance = analyse(kernel) if lanes > 1 else Variance()
        self.e = LaneEmitter(self.w, lanes, options.contract, variance, self.access)
        self.e.returns = any(isinstance(node, ir.Return) for node in ir.walk(kernel.body))

    def module(self) -> Module:
        slots = self.arguments()
        if any(isinstance(node, ir.While) and node.waits for node in ir.walk(self.kernel.body)):
            self.e.waiting = self.frame.waiting(slots)
            slots += 1
        self.own_arrays()
        self.blocks()
        loops = self.e.waiting.loops if self.e.waiting else None
        return Module(self.text(slots), self.frame.scratch, loops)

    def text(self, slots: int) -> str:
        lines = [
            f'target triple = "{self.target.triple}"',
            f'target datalayout = "{self.target.data_layout}"',
            "",
            *self.constants,
            *self.frame.text(slots),
            "",
            *self.w.declarations.values(),
            *((FUNCTIONS,) if self.e.waiting else ()),
            "",
            f'attributes #0 = {{ nounwind "no-builtins" "prefer-vector-width"="{self.target.vector_bits}" '
            '"no-trapping-math"="true" }',
            "attributes #1 = { nounwind memory(inaccessiblemem: readwrite) }",
            "!0 = distinct !{!0, !1}",
            '!1 = !{!"llvm.loop.unroll.disable"}',
            "",
        ]
        return "\n".join(lines)

    # --- entry ------------------------------------------------------------------------------------

    def entry(self, text: str, hint: str) -> str:
        name = self.w.fresh(hint)
        self.w.entry.append(f"  {name} = {text}")
        return name

    def slot(self, position: int, kind: str, hint: str) -> str:
        """Load an argument slot in the entry block."""
        place = self.entry(f"getelementptr i64, ptr %arguments, i64 {position}", "slot")
        return self.entry(f"load {kind}, ptr {place}, align 8", hint)

    def arguments(self) -> int:
        """Read the parameters' slots; gives the number of the next."""
        position = 0
        for parameter in self.kernel.parameters:
            if isinstance(parameter, ir.ScalarParameter):
                self.scalar_argument(parameter, position)
                position += 1
                continue
            ndim = parameter.type.ndim
            extents = tuple(self.slot(position + 1 + k, "i64", "extent") for k in range(ndim))
            strides = [self.slot(position + 1 + ndim + k, "i64", "stride") for k in range(ndim)]
            if parameter.type.contiguous or parameter.type.unit_rows:
                strides[-1] = "1"
            self.access.places[parameter] = Place(
                self.frame.argument(position, parameter.name, alone=parameter.type.alias == 0),
                extents,
                tuple(strides),
                self.slot(position + 1 + 2 * ndim, "i64", "component"),
                parameter.type.scalar,
                padded=True,
            )
            position += 2 + 2 * ndim
        return position

    def scalar_argument(self, parameter: ir.ScalarParameter, position: int) -> None:
        kind = parameter.type
        text = self.slot(position, memory_text(kind), parameter.name)
        if kind is BOOL:
            text = self.entry(f"icmp ne i8 {text}, 0", parameter.name)
        self.e.values[parameter] = Operand("uniform", text, kind)

    def own_arrays(self) -> None:
        own = own_places(self.kernel, self.frame, self.lanes, self.groups)
        self.access.places.update(own)
        for number, constant in enumerate(self.kernel.constants):
            definition, place = constant_place(constant, number)
            self.constants.append(definition)
            self.access.places[constant] = place

    # --- blocks -----------------------------------------------------------------------------------

    def blocks(self) -> None:
        with block_loop(self.kernel, self.e):
            if has_barrier(self.kernel.body):
                Regions(self.kernel, self.e).emit()
            else:
                self.plain_threads()

    def plain_threads(self) -> None:
        """All threads of the block, a group at a time; nothing waits for another."""
        for variable in self.kernel.variables:
            self.e.declare(variable)
        with group_loop(self.kernel, self.e):
            self.e.block(self.kernel.body)
