"""What a C-like language brings to the writer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

from headwater import ir
from headwater.emit.rows import Row, Table
from headwater.errors import InternalError
from headwater.ir.nodes import Array
from headwater.types import ScalarType

_CONVERSIONS = ("cast", "bitcast")


@dataclass(frozen=True, slots=True)
class Operand:
    """A value as the text names it: the name of a constant local, or a literal of the given value."""

    text: str
    type: ScalarType
    literal: bool | int | float | None = None


class Target(ABC):
    """One language, for one kernel. The writer calls these in the order of the kernel's text.

    Statements are given without indentation. Operation rows come from `table`; memory, names and types
    from the methods. A target may collect what it meets (arguments used, helpers) for its frame.
    """

    table: Table
    # Blocks nested deeper than this are refused by name, before the language's compiler does.
    max_nesting: int = 120

    def inlines(self, kind: ScalarType) -> bool:
        """May: say that literals of a type must not stand inside expressions, but get a name first."""
        return True

    @abstractmethod
    def literal(self, kind: ScalarType, value: bool | int | float) -> str:
        """Must: an expression of exactly this value and type; in parentheses where it is negative."""

    def operation(self, node: ir.Compute) -> Row:
        """May: choose the row of a pure operation; the default looks it up by the last operand's type."""
        kind = node.arguments[-1].type
        if node.operation in _CONVERSIONS:
            if kind is node.result.type:
                return Row("{0}")
            return self.table.conversion(node.operation, kind, node.result.type)
        find = self.table.row if node.contract else self.table.rounded
        return find(node.operation, kind)

    # --- statements ------------------------------------------------------------------------------

    @abstractmethod
    def constant_local(self, kind: ScalarType, name: str, expression: str) -> str:
        """Must: define a local that never changes."""

    @abstractmethod
    def variable(self, kind: ScalarType, name: str) -> str:
        """Must: declare a mutable local, of any value."""

    @abstractmethod
    def endless_loop(self) -> str:
        """Must: the head of a loop that only `break` leaves, up to the opening brace."""

    @abstractmethod
    def unit_loop(self, kind: ScalarType, name: str, start: str, stop: str, up: bool) -> str:
        """Must: the head of a loop over start, start ± 1, … while it is before `stop`."""

    @abstractmethod
    def trip_count(self, kind: ScalarType, name: str, expression: str) -> str:
        """Must: define a constant local of the unsigned type as wide as `kind`."""

    @abstractmethod
    def trip_loop(self, kind: ScalarType, name: str, trips: str) -> str:
        """Must: the head of a loop whose `name` counts 0 … trips - 1, in the unsigned type as wide as `kind`."""

    @abstractmethod
    def barrier(self, node: ir.Barrier) -> Iterable[str]:
        """Must: wait for the block's threads, and make their shared and global writes seen."""

    def barrier_vote(self, node: ir.BarrierVote, predicate: Operand, result: str) -> Iterable[str]:
        """Must, where no pass takes them away: a barrier that defines the constant local `result`."""
        raise _absent("votes at barriers")

    def warp(
        self, node: ir.Warp, arguments: tuple[Operand, ...], result: str | None
    ) -> Iterable[str]:
        """Must, where no pass takes them away: define the constant local `result`, where there is one."""
        raise _absent("operations of warps")

    def fence(self, node: ir.Fence) -> Iterable[str]:
        """Must: order this thread's writes for those that `node.scope` names."""
        raise _absent("fences")

    # --- where the thread is, and memory -----------------------------------------------------------

    @abstractmethod
    def index(self, kind: str, axis: int) -> str:
        """Must: the expression of an `ir.Index`."""

    @abstractmethod
    def scalar_parameter(self, parameter: ir.ScalarParameter) -> str:
        """Must: the expression that reads a scalar argument."""

    @abstractmethod
    def extent(self, array: ir.ArrayParameter, axis: int) -> str:
        """Must: the length of an array argument's axis, as an int32."""

    def local_array(self, array: ir.LocalArray) -> Iterable[str]:
        """Must: declare an array of one thread, at the top of the text."""
        raise _absent("arrays of one thread")

    @abstractmethod
    def load(self, array: Array, indices: tuple[Operand, ...], component: int) -> str:
        """Must: the expression that reads one component of an element."""

    def element_local(self, array: Array, indices: tuple[Operand, ...], name: str) -> str | None:
        """May: define a constant local that holds a whole element of a vector array, read with `part`.

        None where components are better read one by one.
        """
        return None

    def part(self, name: str, component: int) -> str:
        """Must, beside `element_local`: the expression of a component of such a local."""
        raise NotImplementedError

    @abstractmethod
    def store(
        self, array: Array, indices: tuple[Operand, ...], component: int, value: Operand
    ) -> Iterable[str]:
        """Must: statements that write one component of an element."""

    @abstractmethod
    def atomic(
        self, node: ir.Atomic, indices: tuple[Operand, ...], value: Operand, result: str
    ) -> Iterable[str]:
        """Must: statements that update an element and define the constant local `result`, its old value."""

    def compare_and_swap(
        self,
        node: ir.Atomic,
        indices: tuple[Operand, ...],
        compare: Operand,
        value: Operand,
        result: str,
    ) -> Iterable[str]:
        """Must: as `atomic`, for the operation 'cas', which alone compares."""
        raise _absent("compare-and-swap")


def _absent(what: str) -> InternalError:
    return InternalError(f"the language writes no {what}")
