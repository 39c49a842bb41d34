"""Random functions of integers in the kernel language that are Python too, so that Python says what is right.

The interpreter is the oracle of the backends, but not of the frontend that it comes after. These functions use every
statement and every kind of condition, with names that are variables, constants, targets of loops that are written out,
and results of other such functions. They divide by constants only and loop a few times.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

OWN = ("u", "v", "w")
PARAMETERS = ("x", "y", "z")


class Writer:
    """Writes functions `f0(x, y)`, ... and `main(x, y, z)`; MODE and COUNT are captured, `hw` is the language."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.functions: list[str] = []
        self.targets = 0
        self.budget = 0
        self.changing: list[str] = []

    def text(self) -> str:
        """The source of all functions."""
        for number in range(self.random.randint(0, 2)):
            self.function(f"f{number}", PARAMETERS[:2], 8)
            self.functions.append(f"f{number}")
        self.function("main", PARAMETERS, 26)
        return "\n".join(self.lines) + "\n"

    def function(self, name: str, parameters: Sequence[str], budget: int) -> None:
        self.budget = budget
        self.changing = [*OWN, *parameters[: self.random.randint(0, 1)]]
        self.write(0, f"def {name}({', '.join(parameters)}):")
        for variable in OWN:
            self.write(1, f"{variable} = {self.random.randint(-2, 3)}")
        names = [*parameters, *OWN]
        self.block(names, 1, "", 0)
        self.write(1, f"return {self.value(names)}")

    def write(self, indent: int, line: str) -> None:
        self.lines.append("    " * indent + line)

    # --- expressions ------------------------------------------------------------------------------

    def value(self, names: Sequence[str], depth: int = 0) -> str:
        pick = self.random.choice

        def inner() -> str:
            return self.value(names, depth + 1)

        if depth > 2 or self.random.random() < 0.35:
            return pick(names) if self.random.random() < 0.7 else str(self.random.randint(-3, 5))
        forms = [
            lambda: f"({inner()} {pick('+-*')} {inner()})",
            lambda: f"({inner()} {pick('+-')} {inner()})",
            lambda: f"({inner()} {pick(['%', '//'])} {self.random.randint(1, 5)})",
            lambda: f"({inner()} if {self.condition(names, depth + 1)} else {inner()})",
            lambda: f"{pick(['min', 'max'])}({inner()}, {inner()})",
            lambda: f"abs({inner()})",
            lambda: f"({inner()} & {self.random.randint(0, 7)})",
        ]
        if self.functions:
            forms.append(lambda: f"{pick(self.functions)}({inner()}, {inner()})")
        return pick(forms)()

    def condition(self, names: Sequence[str], depth: int = 0) -> str:
        pick = self.random.choice

        def value() -> str:
            return self.value(names, depth + 1)

        def inner() -> str:
            return self.condition(names, depth + 1)

        def few() -> str:
            return "".join(f"{self.random.randint(-3, 5)}, " for _ in range(2))

        if depth > 3 or self.random.random() < 0.45:
            return f"{value()} {pick(['<', '<=', '>', '>=', '==', '!='])} {value()}"
        forms = [
            lambda: f"({inner()} {pick(['and', 'or'])} {inner()})",
            lambda: f"not ({inner()})",
            lambda: f"{value()} {pick(['in', 'not in'])} ({few()})",
            lambda: f"{value()} < {value()} <= {value()}",
            lambda: f"({pick(self.changing)} := {value()}) > {self.random.randint(-3, 5)}",
            lambda: pick(["True", "False", "MODE == 'a'", "COUNT > 2", "None is None"]),
        ]
        return pick(forms)()

    # --- statements -------------------------------------------------------------------------------

    def block(self, names: Sequence[str], indent: int, loop: str, depth: int) -> None:
        """A few statements; `loop` is 'counted' or 'written out' inside such a loop."""
        before = len(self.lines)
        for _ in range(self.random.randint(1, 3)):
            if self.budget > 0:
                self.statement(names, indent, loop, depth)
        if len(self.lines) == before:
            self.write(indent, "pass")

    def statement(self, names: Sequence[str], indent: int, loop: str, depth: int) -> None:
        self.budget -= 1
        forms = [self.assign, self.assign, self.update, self.swap]
        if depth <= 3:
            forms += [self.branch, self.count, self.while_loop, self.written_out, self.match]
            forms += [self.leave, self.known, self.branch]
        self.random.choice(forms)(names, indent, loop, depth)

    def assign(self, names: Sequence[str], indent: int, loop: str, depth: int) -> None:
        self.write(indent, f"{self.random.choice(self.changing)} = {self.value(names)}")

    def update(self, names: Sequence[str], indent: int, loop: str, depth: int) -> None:
        sign = self.random.choice(["+=", "-=", "^="])
        self.write(indent, f"{self.random.choice(self.changing)} {sign} {self.value(names)}")

    def swap(self, names: Sequence[str], indent: int, loop: str, depth: int) -> None:
        a, b = self.random.sample(self.changing, 2)
        self.write(indent, f"{a}, {b} = {self.value(names)}, {self.value(names)}")

    def branch(self, names: Sequence[str], indent: int, loop: str, depth: int) -> None:
        inner = "counted" if loop == "counted" else ""
        self.write(indent, f"if {self.condition(names)}:")
        self.block(names, indent + 1, inner, depth + 1)
        for head in ("elif", "else"):
            if self.random.random() < 0.4:
                test = f" {self.condition(names)}" if head == "elif" else ""
                self.write(indent, f"{head}{test}:")
                self.block(names, indent + 1, inner, depth + 1)

    def otherwise(self, names: Sequence[str], indent: int, depth: int) -> None:
        """Perhaps the `else` of a loop."""
        if self.random.random() < 0.4:
            self.write(indent, "else:")
            self.block(names, indent + 1, "", depth + 1)

    def target(self) -> str:
        self.targets += 1
        return f"k{self.targets}"

    def count(self, names: Sequence[str], indent: int, loop: str, depth: int) -> None:
        target = self.target()
        start, stop = f"{self.value(names)} % 4", self.random.randint(1, 5)
        self.write(indent, f"for {target} in range({start}, {stop}):")
        self.block([*names, target], indent + 1, "counted", depth + 1)
        self.otherwise(names, indent, depth)

    def while_loop(self, names: Sequence[str], indent: int, loop: str, depth: int) -> None:
        left = self.target()
        self.write(indent, f"{left} = {self.random.randint(1, 4)}")
        self.write(indent, f"while {left} > 0 and {self.condition(names)}:")
        self.write(indent + 1, f"{left} -= 1")
        self.block(names, indent + 1, "counted", depth + 1)
        self.otherwise(names, indent, depth)

    def written_out(self, names: Sequence[str], indent: int, loop: str, depth: int) -> None:
        target = self.target()
        items = ["hw.static_range(3)", "hw.static_range(COUNT)", "(1, 5, 2)", "(x, y)", "(u, 3)"]
        self.write(indent, f"for {target} in {self.random.choice(items)}:")
        self.block([*names, target], indent + 1, "written out", depth + 1)
        self.otherwise(names, indent, depth)

    def match(self, names: Sequence[str], indent: int, loop: str, depth: int) -> None:
        inner = "counted" if loop == "counted" else ""
        self.write(indent, f"match {self.value(names)}:")
        for _ in range(self.random.randint(1, 3)):
            pattern = self.random.choice(["0", "1", "-2", "3 | 4", "-1 | 2"])
            guard = f" if {self.condition(names)}" if self.random.random() < 0.3 else ""
            self.write(indent + 1, f"case {pattern}{guard}:")
            self.block(names, indent + 2, inner, depth + 1)
        if self.random.random() < 0.5:
            self.write(indent + 1, "case _:")
            self.block(names, indent + 2, inner, depth + 1)

    def leave(self, names: Sequence[str], indent: int, loop: str, depth: int) -> None:
        """`break`, `continue` or `return` under a condition, which a loop that is written out must know."""
        known = self.random.choice(["MODE == 'a'", "COUNT == 3", "COUNT < 2"])
        jump = self.random.choice(["break", "continue"])
        if loop == "" or self.random.random() < 0.3:
            jump, known = f"return {self.value(names)}", self.condition(names)
        self.write(indent, f"if {known if loop != 'counted' else self.condition(names)}:")
        self.write(indent + 1, jump)

    def known(self, names: Sequence[str], indent: int, loop: str, depth: int) -> None:
        """A branch of which one arm is compiled."""
        self.write(indent, f"if MODE == {self.random.choice(['a', 'b'])!r}:")
        self.block(names, indent + 1, loop, depth + 1)
