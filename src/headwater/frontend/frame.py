"""One function while it is lowered: what its names mean here, and where errors point."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from types import FunctionType
from typing import TypeAlias

from headwater import ir
from headwater.errors import CompileError, Span
from headwater.frontend import arithmetic, capture
from headwater.frontend.program import Program
from headwater.frontend.source import Source
from headwater.frontend.values import (
    ARRAYS,
    SCALAR_CLASSES,
    Key,
    Literal,
    Operand,
    Scalar,
    can_vary,
    describe,
    known_truth,
)
from headwater.types import BOOL, ArgumentType


@dataclass(frozen=True, slots=True, eq=False)
class Alias:
    """A name that is assigned once and stands for its value, as long as `block` is open."""

    value: Operand
    block: ir.Block


@dataclass(frozen=True, slots=True, eq=False)
class Argument:
    """A kernel's argument: its parameters are made when the name is read."""

    path: tuple[str, ...]
    type: ArgumentType


@dataclass(frozen=True, slots=True)
class Slot:
    """A name that is a variable, and assigned on every path to here."""


@dataclass(frozen=True, slots=True, eq=False)
class Differs:
    """A name that stands for one value or the other, by the way that was taken to here."""

    value: Operand
    other: Operand


Binding: TypeAlias = Alias | Argument | Slot | Differs
Environment: TypeAlias = dict[str, Binding]
SLOT = Slot()


@dataclass(eq=False, slots=True)
class Loop:
    """A loop of the frame.

    `before` is what is assigned where it begins; empty for a loop that is written out.
    `breaks` holds what is assigned where it is left; `flag` is the variable that is then set, where there is an `else`.
    `written_out` is the block of a loop whose trips are copies of its body, and `continues` whether one ended early.
    """

    before: Environment = field(default_factory=dict)
    breaks: list[Environment] = field(default_factory=list)
    flag: Key | None = None
    written_out: ir.Block | None = None
    continues: bool = False


class Frame:
    """A kernel's body, or that of a device function at one call."""

    def __init__(self, program: Program, source: Source, key: tuple[int, ...] = ()) -> None:
        self.program = program
        self.source = source
        self.key = key
        self.names: Environment = {}
        self.loops: list[Loop] = []
        # Which trips of loops that are written out lead here.
        self.trips: tuple[int, ...] = ()
        self.chain: tuple[FunctionType, ...] = (source.function,)
        self.inlined = False
        # Where all nodes of the IR come from, in the user's file; None for the place of what is lowered.
        self.place: Span | None = None
        # By the identity of an `and`: what names its right sides give values, where it holds.
        self.given: dict[int, Environment] = {}
        # How a device function hands its values back: see `calls`.
        self.results: Results | None = None

    def at(self, node: ast.AST) -> None:
        """New nodes of the IR carry the place of `node`."""
        self.program.builder.span = self.span(node)

    def span(self, node: ast.AST) -> Span:
        """The place that new nodes of the IR carry."""
        return self.place or self.source.at(node)

    def fail(self, node: ast.AST, text: str, hint: str | None = None) -> CompileError:
        """The error to raise, at `node`."""
        return self.program.fail(text, hint, self.source.at(node))

    # --- names ------------------------------------------------------------------------------------

    def names_where(self, node: ast.expr) -> Environment:
        """What is known where a condition that was just lowered holds: what `a and (name := b)` names, too."""
        return self.names | self.given.get(id(node), {})

    def variable(self, name: str) -> Key:
        """The key of a local name in the table of types."""
        return self.key, name

    def temporary(self, name: str) -> Key:
        """The key of a variable of the compiler's own, one for each trip that is written out."""
        return (*self.key, *self.trips), name

    def read(self, node: ast.Name) -> Operand:
        """What a name means here."""
        binding = self.names.get(node.id)
        if isinstance(binding, Slot):
            self.at(node)
            return self.program.read(self.variable(node.id))
        if isinstance(binding, Alias):
            if not self.program.is_open(binding.block):
                raise self._not_here(node, binding.value, "only in the loop that assigns it")
            return binding.value
        if isinstance(binding, Differs):
            raise self._not_here(node, binding.value, "only on one of the ways that lead here")
        if isinstance(binding, Argument):
            return self.program.argument(binding.path, binding.type)
        if node.id in self.source.sites:
            raise self.fail(
                node,
                f"'{node.id}' may be read before it is assigned",
                "assign it on every path that leads here, before the 'if' or the loop",
            )
        return self._captured(node)

    def _not_here(self, node: ast.Name, value: Operand, where: str) -> Exception:
        """What to raise where a name needs to be a variable: lower again, unless it cannot be one."""
        if can_vary(self.program.as_value(value)):
            return self.program.table.demote(self.variable(node.id))
        return self.fail(
            node,
            f"'{node.id}' stands for {describe(value)} {where}",
            "only scalars, vectors, tuples and structs of them can change",
        )

    def _captured(self, node: ast.Name) -> Operand:
        try:
            return capture.freeze(node.id, capture.look_up(self.source.function, node.id))
        except capture.Unusable as problem:
            raise self.fail(node, problem.text, problem.hint) from None

    def assign(self, node: ast.AST, name: str, value: Operand) -> None:
        """`name = value`."""
        if name == "_":  # by custom, a value that nobody reads
            self.names[name] = Alias(value, self.program.builder.block)
            return
        if not self.is_slot(name):
            self._bind(node, name, value)
            return
        value = self.program.as_value(value)
        varies = can_vary(value)
        if not (varies and self.is_held(name)) and any(name in loop.before for loop in self.loops):
            # The next trip of the loop would have to mean something else by it.
            raise self._not_a_variable(node, name, value)
        if not varies:
            self.names[name] = Alias(value, self.program.builder.block)
            return
        self.at(node)
        self.program.assign(self.variable(name), value, name)
        self.names[name] = SLOT

    def is_held(self, name: str) -> bool:
        """Whether the name is a variable that has a value here."""
        return isinstance(self.names.get(name), Slot)

    def is_local(self, name: str) -> bool:
        """Whether the name was assigned here."""
        return name in self.names

    def is_slot(self, name: str) -> bool:
        """Whether the name is a variable, not just a name for a value."""
        if self.variable(name) in self.program.table.demoted:
            return True
        return self.source.sites[name] > 1 and name not in self.source.loop_targets

    def _bind(self, node: ast.AST, name: str, value: Operand) -> None:
        present = self.names.get(name)
        if isinstance(present, Alias) and self.source.sites[name] > 1:
            # The target of a loop inside a loop with the same target. (A name that is assigned in one place has
            # a value already only where trips are written out.)
            raise self.program.table.demote(self.variable(name))
        self.names[name] = Alias(value, self.program.builder.block)

    def bind_parameter(self, node: ast.AST, name: str, value: Operand | Argument) -> None:
        """Give a parameter of the function its value: a variable only where the body assigns it again."""
        if isinstance(value, Argument):
            if not self.is_slot(name):
                self.names[name] = value
                return
            value = self.program.argument(value.path, value.type)
        if self.is_slot(name) and can_vary(self.program.as_value(value)):
            self.assign(node, name, value)
        else:
            self.names[name] = Alias(value, self.program.builder.block)

    def _not_a_variable(self, node: ast.AST, name: str, value: Operand) -> CompileError:
        present = self.names.get(name)
        held = present.value if isinstance(present, Alias) else None
        if isinstance(held, ARRAYS) and isinstance(value, ARRAYS):
            return self.fail(
                node,
                f"'{name}' would stand for another array in the next trip of the loop than in the first",
                f"choose it in each trip, as in '{name} = a if k % 2 == 0 else b', or take one array of "
                "shape (2, n)",
            )
        before = "a variable" if held is None else describe(held)
        return self.fail(
            node,
            f"'{name}' is assigned types that do not join: {before} before, {describe(value)} here"
            if present is not None
            else f"'{name}' is assigned more than once, so it cannot hold {describe(value)}",
            "only scalars, vectors, tuples and structs of them can change; use another name",
        )

    # --- expressions ------------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> Operand:
        """The value of any expression."""
        return self.program.evaluate(self, node)

    def scalar(self, node: ast.expr) -> Scalar:
        """The value of an expression that must be a scalar."""
        value = self.expression(node)
        if isinstance(value, SCALAR_CLASSES):
            return value
        raise self.fail(node, f"a scalar was expected, not {describe(value)}")

    def condition(self, node: ast.expr) -> Scalar:
        """The truth of an expression: a literal, or a runtime bool."""
        value = self.expression(node)
        if isinstance(value, SCALAR_CLASSES):
            self.at(node)
            return arithmetic.truth(self.program, value)
        known = known_truth(value)
        if known is None:
            raise self.fail(node, f"a condition is a scalar, not {describe(value)}")
        return Literal(known, BOOL)

    def constant_integer(self, node: ast.expr, meaning: str) -> int:
        """The value of an expression that must be known when compiling."""
        value = self.expression(node)
        if isinstance(value, Literal) and value.kind.is_integer:
            return int(value.value)
        raise self.fail(
            node,
            f"{meaning} must be an integer that is known when compiling, not {describe(value)}",
            "write a literal or use a captured constant",
        )


class Results:
    """What the returns of an inlined function have in common; `body` is the block of the function."""

    def __init__(self, body: ir.Block) -> None:
        self.body = body
        # None until the first return; then the number of values, or -1 for one that is no tuple.
        self.count: int | None = None
        # The value of the first return, where it is under no condition: then there is no other.
        self.only: Operand | None = None


def merged(a: Environment, b: Environment) -> Environment:
    """The names that are known whichever way was taken."""
    found: Environment = {}
    for name, binding in a.items():
        other = b.get(name)
        if other is binding:
            found[name] = binding
        elif isinstance(binding, Alias) and isinstance(other, Alias):
            found[name] = Differs(binding.value, other.value)
    return found


FALSE, TRUE = Literal(False, BOOL), Literal(True, BOOL)
