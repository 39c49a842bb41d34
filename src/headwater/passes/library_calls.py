"""Where a kernel calls functions of the library of mathematics, whose nodes carry the place of the call."""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater import ir
from headwater.errors import Span


@dataclass(eq=False, slots=True)
class Call:
    """One call: the name, and the floats from outside that it uses."""

    name: str
    arguments: dict[ir.Value, None] = field(default_factory=dict)


class LibraryCalls:
    """All calls of one kernel, as it is when this is made."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self._calls: dict[int, Call] = {}
        self._origins: dict[ir.Value, Call] = {}
        # Values that are used outside of the call that makes them.
        self._given: set[ir.Value] = set()
        constants: set[ir.Value] = set()
        for node in ir.walk(kernel.body):
            call = self._call(node.span)
            for value in ir.operands(node):
                origin = self._origins.get(value)
                if origin is call:
                    continue
                if origin is not None:
                    self._given.add(value)
                if call is not None and value.type.is_float and value not in constants:
                    call.arguments[value] = None
            if isinstance(node, ir.Constant):
                constants.add(node.result)
            elif call is not None:
                self._origins |= dict.fromkeys(ir.results(node), call)

    def _call(self, span: Span | None) -> Call | None:
        if span is None or not span.inside:
            return None
        return self._calls.setdefault(id(span), Call(span.inside))

    def holds(self, node: ir.Node) -> bool:
        """Whether the node is part of a call."""
        return node.span is not None and bool(node.span.inside)

    def given_by(self, node: ir.Node) -> Call | None:
        """The call that hands out the float which a node makes; None for all other nodes."""
        for value in ir.results(node):
            if value in self._given and value.type.is_float:
                return self._origins[value]
        return None
