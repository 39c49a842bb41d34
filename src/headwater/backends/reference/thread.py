"""One thread of a running kernel, as its handlers and the order of its block see it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, TypeAlias

from headwater import ir
from headwater.backends.reference.arithmetic import Scalar
from headwater.backends.reference.memory import Region
from headwater.errors import DebugError, KernelError
from headwater.ir.reports import Report, hint_of, text_of

Triple: TypeAlias = tuple[int, int, int]
# Where a thread waits for others.
Stop: TypeAlias = ir.Barrier | ir.BarrierVote | ir.Warp
# What the threads of one block asserted to be uniform: by node, in the order of execution.
Asserted: TypeAlias = dict[ir.Compute, list[Scalar]]


class Signal(Enum):
    """How a block ended."""

    NEXT = auto()
    BREAK = auto()
    CONTINUE = auto()
    RETURN = auto()


Steps: TypeAlias = Generator[Stop, None, Signal]


@dataclass(slots=True)
class Thread:
    """The state of one thread; `regions` holds all arrays that it sees.

    `asserted` belongs to the block; `assertions` counts how often this thread has met each `uniform`. `checks` run
    behind each plain node; `faults` are theirs. `path` says where the thread is: the number of the node in its block,
    of the branch or the trip in the node, and so on inwards. So it grows as the thread goes on, as words do in a
    dictionary. `changes` counts what changed a variable or memory, and where others may have.
    """

    kernel: ir.Kernel
    grid: Triple
    block: Triple
    position: Triple
    regions: dict[object, Region]
    values: dict[ir.Value, Scalar]
    asserted: Asserted
    checks: Callable[[Thread, ir.Node], None] | None = None
    variables: dict[ir.Variable, Scalar] = field(default_factory=dict)
    assertions: dict[ir.Compute, int] = field(default_factory=dict)
    faults: dict[ir.Value, DebugError] = field(default_factory=dict)
    path: list[int] = field(default_factory=list)
    changes: int = 0

    @property
    def number(self) -> int:
        """The linear index in the block, x fastest."""
        x, y, z = self.position
        size_x, size_y, _ = self.kernel.block_shape
        return x + size_x * (y + size_y * z)

    def check(self, node: ir.Node) -> None:
        """Look at what a plain node has done."""
        if self.checks is not None:
            self.checks(self, node)

    def fail(self, node: object, text: str, hint: str | None = None) -> KernelError:
        """The error to raise: names kernel and thread, and points at the node's line."""
        return KernelError(
            f"kernel '{self.kernel.name}': {text}, in thread {self.position} of block {self.block}",
            span=getattr(node, "span", None),
            hint=hint,
        )

    def found(self, node: ir.Node, report: Report[Any]) -> DebugError:
        """The error to raise for what a check found."""
        return DebugError(
            f"kernel '{self.kernel.name}': {text_of(report)}, in thread {self.position} of block {self.block}",
            kind=report.kind,
            block=self.block,
            thread=self.position,
            span=node.span,
            hint=hint_of(report),
        )
