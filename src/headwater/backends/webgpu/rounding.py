"""Operations that must be rounded as written: what keeps a driver from rewriting them (decisions 0005 and 0007).

In a kernel with `contract=False` all are, and float32 is emulated where the device's own is not that of the language.
In other kernels single ones are: there every operand is hidden, as it may be a literal, and only divisions and roots
are emulated.
"""

from __future__ import annotations

from math import isfinite

from headwater import ir
from headwater.backends.webgpu import ieee
from headwater.backends.webgpu.features import Features
from headwater.backends.webgpu.spelling import TYPES
from headwater.emit import Row
from headwater.types import FLOAT16, FLOAT32

# What a driver may rewrite with others, or fold.
_ROUNDED = frozenset(("add", "sub", "mul", "div", "sqrt", "fma", "cast"))
_COMPARED = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))
_HIDDEN = _ROUNDED | _COMPARED
_NEARLY = ("div", "sqrt")


class Rounding:
    """The rows of one kernel's operations that take part in no contraction; asked in the order of the text."""

    def __init__(self, kernel: ir.Kernel, features: Features, *, everywhere: bool) -> None:
        self.everywhere = everywhere
        rows = ieee.rows() if features.emulates else {}
        if not everywhere:
            rows = {} if features.rounded else {name: rows[name] for name in _NEARLY if rows}
        self.rows = rows
        # Results that a driver cannot see through already.
        self.opaque: set[ir.Value] = set()
        self.literals = {
            node.result: node.value
            for node in ir.walk(kernel.body)
            if isinstance(node, ir.Constant) and node.result.type.is_float
        }

    def row(self, node: ir.Compute, row: Row) -> Row:
        """The row of a node, whose row elsewhere is `row`."""
        emulated = self.emulated(node)
        if emulated is not None:
            return emulated
        if FLOAT16 in (node.arguments[0].type, node.result.type):
            return row
        made = self.hidden(node, self.kept(node, row))
        if node.operation in _ROUNDED:
            self.opaque.add(node.result)
        return made

    def emulated(self, node: ir.Compute | ir.Atomic) -> Row | None:
        """The row where the device's own float32 is not that of the language; None where it is."""
        source, target = ir.operands(node)[-1].type, node.result.type
        if node.operation == "cast":
            return ieee.CASTS.get(f"{source}.{target}") if self.everywhere and self.rows else None
        return self.rows.get(node.operation) if source is FLOAT32 else None

    def hidden(self, node: ir.Compute, row: Row) -> Row:
        """With operands that a driver cannot know. Otherwise x - x is 0 and x <= x true, even for a NaN."""
        kind = TYPES[node.arguments[0].type]
        if not node.arguments[0].type.is_float or node.operation not in _HIDDEN:
            return row
        left, *right = (value for value in node.arguments)
        text, helpers = row.text, row.helpers
        if self.everywhere:
            hide, veil = bool(right), False
        else:
            hide = left not in self.opaque or left in right
            veil = bool(right) and not self.known(node.operation, right[0])
        if hide:
            text = text.replace("{0}", f"hw_hidden_{kind}({{0}})")
            helpers = (*helpers, f"hidden_{kind}")
        if veil:
            text = text.replace("{1}", f"hw_veiled_{kind}({{1}})")
            helpers = (*helpers, f"veiled_{kind}")
        return Row(text, helpers)

    def known(self, operation: str, right: ir.Value) -> bool:
        """Whether a right operand may stay as it is: no literal that a driver could use, and nothing to see through.

        With a literal of which the operation is the other operand itself, two zeros of a launch would meet.
        """
        literal = self.literals.get(right)
        if literal is None:
            return right in self.opaque
        if not isfinite(literal) or literal == 0.0:
            return False
        return operation in ("add", "sub") or (operation == "mul" and abs(literal) != 1.0)

    def kept(self, node: ir.Compute, row: Row) -> Row:
        """With a result that a driver cannot take further. What is a function of ours is so already."""
        kind = node.result.type
        known_bits = self.everywhere and node.operation == "bitcast"
        if not kind.is_float or row.text.startswith("hw_"):
            return row
        if node.operation not in _ROUNDED and not known_bits:
            return row
        return Row(f"hw_exact_{TYPES[kind]}({row.text})", (*row.helpers, f"exact_{TYPES[kind]}"))
