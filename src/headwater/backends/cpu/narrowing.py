"""Which groups of a block have work in a run that is only an `if` on the thread's number, as in `if t < step:`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headwater import ir
from headwater.backends.cpu.lanes import LaneEmitter
from headwater.types import INT32

# An operation on (thread, bound), and the same with its sides exchanged.
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq"}
_PURE = (ir.Constant, ir.Compute, ir.Index, ir.Extent, ir.Read, ir.Load)


@dataclass(frozen=True, slots=True)
class Span:
    """Groups from `first` to before `last`: i32 texts. `threads` are those from which they follow, where known."""

    first: str
    last: str
    threads: tuple[int, int] | None = None

    @property
    def trips(self) -> int | None:
        """How many groups, where that is known."""
        if self.first.startswith("%") or self.last.startswith("%"):
            return None
        return max(0, int(self.last) - int(self.first))


def guards_of(work: list[ir.Node]) -> list[ir.Value] | None:
    """The conditions of all nodes with an effect, where those are `if`s without an else part."""
    guards = []
    for node in work:
        if isinstance(node, _PURE):
            continue
        if not isinstance(node, ir.If) or node.orelse.nodes:
            return None
        guards.append(node.condition)
    return guards


class Narrowing:
    """Finds the span of a condition; `scalar` gives the text of a value of the block, None for one of threads."""

    def __init__(
        self,
        e: LaneEmitter,
        threads: int,
        definition: dict[ir.Value, ir.Node],
        scalar: Callable[[ir.Value], str | None],
    ) -> None:
        self.e = e
        self.threads = threads
        self.definition = definition
        self.scalar = scalar

    def span(self, conditions: list[ir.Value]) -> Span:
        """Groups among which are all that have a thread for which one of the conditions may hold."""
        first, last = str(self.threads), "0"
        for low, high in map(self.range, conditions):
            first, last = self.pick("smin", first, low), self.pick("smax", last, high)
        known = not first.startswith("%") and not last.startswith("%")
        threads = (int(first), int(last)) if known else None
        return Span(self.divided(first, 0), self.divided(last, self.e.lanes - 1), threads)

    def range(self, condition: ir.Value) -> tuple[str, str]:
        """Threads from the first to before the last for which the condition may hold: i32 texts."""
        node = self.definition.get(condition)
        if isinstance(node, ir.Compute) and node.operation == "and":
            (a, b), (c, d) = (self.range(part) for part in node.arguments)
            return self.pick("smax", a, c), self.pick("smin", b, d)
        if isinstance(node, ir.Compute) and node.operation in _MIRRORED:
            found = self.compared(node.operation, *node.arguments)
            return (
                found or self.compared(_MIRRORED[node.operation], *node.arguments[::-1]) or self.all
            )
        return self.all

    @property
    def all(self) -> tuple[str, str]:
        return "0", str(self.threads)

    def compared(self, operation: str, thread: ir.Value, bound: ir.Value) -> tuple[str, str] | None:
        index = self.definition.get(thread)
        if not isinstance(index, ir.Index) or index.kind != "thread" or index.axis != 0:
            return None
        text = self.scalar(bound)
        if text is None:
            return None
        # Inside of the block, so that one more never wraps.
        low = self.pick("smax", self.pick("smin", text, str(self.threads)), "-1")
        after = self.add(low, 1)
        start, stop = self.pick("smax", low, "0"), self.pick("smin", after, str(self.threads))
        ranges = {
            "lt": ("0", start),
            "le": ("0", stop),
            "gt": (after, str(self.threads)),
            "ge": (start, str(self.threads)),
            "eq": (start, stop),
        }
        return ranges[operation]

    # --- arithmetic on i32, done here where the numbers are known ---------------------------------

    def pick(self, name: str, a: str, b: str) -> str:
        if a.startswith("%") or b.startswith("%"):
            return self.e.scalar.intrinsic(name, INT32, a, b)
        return str({"smin": min, "smax": max}[name](int(a), int(b)))

    def add(self, a: str, b: int) -> str:
        return (
            self.e.scalar.binary("add", INT32, a, str(b)) if a.startswith("%") else str(int(a) + b)
        )

    def divided(self, text: str, round_up: int) -> str:
        """The number of the group, or of that after, of a thread's number."""
        text = self.add(text, round_up)
        if text.startswith("%"):
            return self.e.scalar.binary("udiv", INT32, text, str(self.e.lanes))
        return str(int(text) // self.e.lanes)
