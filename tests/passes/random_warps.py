"""Random kernels full of warp operations in branches and loops that lanes go through differently.

Only lanes that are here take part, and no value of an absent lane is used, so that the result is defined.
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

_HEADER = '''"""Written by random_warps."""

import headwater as hw


@hw.function
def leaves(v, lane):
    if v % 3 == 0:
        return v + hw.int32(hw.popc(hw.activemask()))
    for k in range(v % 4):
        if hw.any_sync(hw.activemask(), (v + k) % 5 == lane % 5):
            return v - k
    return v + hw.int32(hw.popc(hw.ballot_sync(hw.activemask(), v % 2 == 0)))


def kernel(a0, a1):
    tile = hw.shared.array(1024, hw.int32)
    t = hw.threadIdx.x + hw.blockDim.x * (hw.threadIdx.y + hw.blockDim.y * hw.threadIdx.z)
    i = t + hw.blockIdx.x * hw.blockDim.x * hw.blockDim.y * hw.blockDim.z
    lane = hw.laneid
    v0 = a1[i]
    v1 = lane
    v2 = 3
    tile[t] = 0
'''
_FOOTER = """    a0[i, 0] += v0
    a0[i, 1] += v1
    a0[i, 2] += v2
"""


def source(seed: int) -> str:
    """The text of a module with a function `kernel(a0, a1)`: int32 arrays of (threads, 6) and (threads,)."""
    return _Text(random.Random(seed)).module()


def load(seed: int, folder: Path) -> Callable[..., Any]:
    """The function itself: the frontend reads its text from a file."""
    path = folder / f"warps_{seed}.py"
    path.write_text(source(seed), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel: Callable[..., Any] = module.kernel
    return kernel


class _Text:
    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.lines: list[str] = []
        self.count = 0

    def module(self) -> str:
        for _ in range(self.dice.randint(3, 6)):
            self.statement(1, 0, alike=True)
        return _HEADER + "\n".join(self.lines) + "\n" + _FOOTER

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def fresh(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def variable(self) -> str:
        return self.dice.choice(("v0", "v1", "v2"))

    def value(self) -> str:
        a, b, c = self.variable(), self.variable(), self.dice.randint(1, 7)
        forms = (a, f"({a} + {c})", f"({a} - {b})", f"({a} * {c} + lane)", f"({a} ^ {c})", "a1[i]")
        return self.dice.choice(forms)

    def condition(self) -> str:
        n = self.dice.randint(2, 5)
        return f"{self.value()} % {n} {self.dice.choice(('==', '<', '!='))} {self.dice.randint(0, n - 1)}"

    # --- statements -------------------------------------------------------------------------------

    def block(self, depth: int, loops: int, most: int = 3) -> None:
        for _ in range(self.dice.randint(1, most)):
            self.statement(depth, loops, alike=False)
        self.leave(depth, loops)

    def leave(self, depth: int, loops: int) -> None:
        """Perhaps a jump at the end of a block, which other lanes do not take."""
        if self.dice.random() > 0.35:
            return
        words = ["return"] if self.dice.random() < 0.2 else []
        words += ["break", "continue"] if loops else []
        if words:
            self.line(depth, f"if {self.condition()}:")
            self.line(depth + 1, self.dice.choice(words))

    def statement(self, depth: int, loops: int, alike: bool) -> None:
        """`alike`: all threads of the block come here, but for those that returned."""
        if alike and depth < 3 and self.dice.random() < 0.2:
            self.rounds(depth)
        elif depth < 4 and self.dice.random() < 0.5:
            control = (self.branch, self.branch, self.counted, self.waiting)
            self.dice.choice(control if loops < 2 else (self.branch,))(depth, loops)
        elif alike and self.dice.random() < 0.3:
            self.together(depth)
        else:
            self.dice.choice((self.assign, self.vote, self.vote, self.shuffle, self.exchange))(
                depth
            )

    def branch(self, depth: int, loops: int) -> None:
        self.line(depth, f"if {self.condition()}:")
        self.block(depth + 1, loops)
        if self.dice.random() < 0.5:
            self.line(depth, "else:")
            self.block(depth + 1, loops)

    def counted(self, depth: int, loops: int) -> None:
        k = self.fresh("k")
        n = self.dice.choice(("3", "2", f"{self.value()} % 4", "v2 % 3"))
        step = self.dice.choice(("", "", ", 2"))
        bounds = f"0, {n}{step}" if self.dice.random() < 0.7 else f"{n}, -1, -1"
        self.line(depth, f"for {k} in range({bounds}):")
        self.block(depth + 1, loops + 1)
        self.line(depth + 1, f"{self.variable()} += {k}")

    def waiting(self, depth: int, loops: int) -> None:
        """A loop of at most four trips, by a variable of its own."""
        w = self.fresh("w")
        self.line(depth, f"{w} = 4")
        test = self.dice.choice(
            (
                f"{w} > 0",
                f"{w} > {self.value()} % 3",
                f"hw.any_sync(hw.activemask(), {w} > lane % 4)",
            )
        )
        self.line(depth, f"while {test}:")
        self.line(depth + 1, f"{w} -= 1")
        self.block(depth + 1, loops + 1)
        # So that the loop ends, whatever the lanes do.
        self.line(depth + 1, f"if {w} < 0:")
        self.line(depth + 2, "break")

    def rounds(self, depth: int) -> None:
        """A loop of all threads, with barriers in it, that some may leave by a return."""
        k = self.fresh("k")
        self.line(depth, f"for {k} in range({self.dice.randint(1, 3)}):")
        if self.dice.random() < 0.4:
            self.line(depth + 1, f"if {self.condition()}:")
            self.line(depth + 2, f"a0[i, 5] = {self.value()}")
            self.line(depth + 2, "return")
        for _ in range(self.dice.randint(1, 3)):
            self.statement(depth + 1, 0, alike=True)
        if self.dice.random() < 0.3:
            self.line(depth + 1, f"if {k} == {self.dice.randint(0, 2)}:")
            self.line(depth + 2, self.dice.choice(("break", "continue")))
        self.together(depth + 1)

    def together(self, depth: int) -> None:
        v = self.variable()
        self.line(
            depth,
            self.dice.choice(
                (
                    "hw.syncthreads()",
                    f"{v} += hw.syncthreads_count({self.condition()})",
                    f"{v} += hw.int32(hw.syncthreads_and({self.condition()}))",
                    f"{v} += hw.int32(hw.syncthreads_or({self.condition()}))",
                )
            ),
        )

    def assign(self, depth: int) -> None:
        target = self.dice.choice((self.variable(), f"a0[i, {self.dice.randint(3, 5)}]"))
        calls = f"leaves({self.value()}, lane)"
        value = calls if self.dice.random() < 0.3 else self.value()
        self.line(depth, f"{target} {self.dice.choice(('=', '+='))} {value}")

    def vote(self, depth: int) -> None:
        mask = self.fresh("m")
        self.line(depth, f"{mask} = hw.activemask()")
        name = self.dice.choice(("all", "any", "ballot", "match_any", "active"))
        what = self.value() if name == "match_any" else self.condition()
        call = f"hw.{name}_sync({mask}, {what})" if name != "active" else mask
        count = f"hw.int32({call})" if name in ("all", "any") else f"hw.int32(hw.popc({call}))"
        self.line(depth, f"{self.variable()} += {count}")

    def shuffle(self, depth: int) -> None:
        """The value of another lane, where that lane is here."""
        mask, other = self.fresh("m"), self.fresh("s")
        by, width = self.dice.choice((1, 2, 3, 8, 16)), self.dice.choice((32, 32, 16, 8))
        name, source = self.dice.choice(
            (
                ("shfl_xor_sync", f"lane ^ {by % width}"),
                ("shfl_up_sync", f"lane - {by} if lane % {width} >= {by} else lane"),
                ("shfl_down_sync", f"lane + {by} if lane % {width} + {by} < {width} else lane"),
                ("shfl_sync", f"lane // {width} * {width} + {by} % {width}"),
            )
        )
        amount = by % width if name == "shfl_xor_sync" else by
        self.line(depth, f"{mask} = hw.activemask()")
        value = self.value()
        self.line(depth, f"{other} = hw.{name}({mask}, {value}, {amount}, {width})")
        self.line(depth, f"if ({mask} >> hw.uint32({source})) & 1 == 1:")
        self.line(depth + 1, f"{self.variable()} += {other}")

    def exchange(self, depth: int) -> None:
        """The same through shared memory, ordered by syncwarp."""
        mask, by = self.fresh("m"), self.dice.choice((1, 2, 4, 16))
        self.line(depth, f"{mask} = hw.activemask()")
        self.line(depth, f"tile[t] = {self.value()}")
        self.line(depth, f"hw.syncwarp({mask})")
        self.line(depth, f"if ({mask} >> hw.uint32(lane ^ {by})) & 1 == 1:")
        self.line(depth + 1, f"{self.variable()} += tile[t ^ {by}]")
        self.line(depth, f"hw.syncwarp({mask})")
