"""Writing LLVM IR text: type names, constants, and a function that grows line by line.

Text is written by hand because `llvmlite.ir` cannot type vectors of pointers, and because the text is what a
reader of the generated code sees.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from headwater.types import BOOL, FLOAT16, FLOAT32, FLOAT64, SCALARS, ScalarType

# A float16 is only moved and converted, so its bits are held as an integer: no machine knows less.
_REGISTER = {kind: f"i{kind.bits}" for kind in SCALARS} | {
    BOOL: "i1",
    FLOAT32: "float",
    FLOAT64: "double",
}


def scalar_text(kind: ScalarType) -> str:
    """The type of one value in a register."""
    return _REGISTER[kind]


def memory_text(kind: ScalarType) -> str:
    """The type of one value in memory: a bool takes a byte."""
    return "i8" if kind is BOOL else _REGISTER[kind]


def literal(value: bool | int | float, kind: ScalarType) -> str:
    """A constant of the given type. Floats are written as the bits of a double, as LLVM wants them."""
    if kind.is_bool:
        return "true" if value else "false"
    if kind.is_integer:
        # LLVM integers have no sign: values above the signed maximum are written as their bits.
        bits = kind.bits
        whole = int(value) & ((1 << bits) - 1)
        return str(whole - (1 << bits) if whole >> (bits - 1) else whole)
    number = float(value)
    if kind is FLOAT16:
        return str(struct.unpack("<h", _packed("<e", number))[0])
    if kind is FLOAT32:
        number = float(struct.unpack("<f", _packed("<f", number))[0])
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"


def _packed(form: str, number: float) -> bytes:
    """Round as the hardware does: a value too large becomes infinite instead of an error."""
    try:
        return struct.pack(form, number)
    except OverflowError:
        return struct.pack(form, float("inf") if number > 0 else float("-inf"))


@dataclass(frozen=True, slots=True)
class Operand:
    """A value as the emitter holds it.

    `kind` is 'uniform' (one scalar for all lanes), 'linear' (an integer: a scalar, and a constant for each lane, in
    `offsets`) or 'varying' (a vector); `text` names the scalar or the vector. `divisor` is a power of two that
    divides the scalar.
    """

    kind: str
    text: str
    type: ScalarType
    offsets: tuple[int, ...] = ()
    divisor: int = 1
    # What a varying one is chosen from, where that is known.
    either: Either | None = None

    @property
    def uniform(self) -> bool:
        return self.kind == "uniform"


@dataclass(frozen=True, slots=True)
class Either:
    """Where the condition, a vector of bools, holds, it is `a`, else `b`; neither varies."""

    condition: str
    a: Operand
    b: Operand


class FunctionWriter:
    """One LLVM function: stack slots gather in the entry block, the rest follows in order."""

    def __init__(self) -> None:
        self.entry: list[str] = []
        self.lines: list[str] = []
        self.declarations: dict[str, str] = {}
        self.label = "start"
        self.terminated = False
        # Values that came out of wider ones by dropping bits.
        self.narrowed: set[str] = set()
        self._count = 0

    def fresh(self, hint: str = "v") -> str:
        self._count += 1
        return f"%{hint}.{self._count}"  # apart: a hint may itself end in a number

    def emit(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def value(self, text: str, hint: str = "v") -> str:
        """Emit an instruction and name its result."""
        name = self.fresh(hint)
        self.emit(f"{name} = {text}")
        if text.startswith("trunc ") or (
            text.startswith("select ") and not self.narrowed.isdisjoint(text.split())
        ):
            self.narrowed.add(name)
        return name

    def slot(self, kind: str, align: int = 64, hint: str = "slot") -> str:
        """A stack slot, made once in the entry block."""
        name = self.fresh(hint)
        self.entry.append(f"  {name} = alloca {kind}, align {align}")
        return name

    def new_label(self, hint: str) -> str:
        return self.fresh(hint)[1:]

    def branch(self, label: str) -> None:
        if not self.terminated:
            self.emit(f"br label %{label}")
        self.terminated = True

    def branch_if(self, condition: str, then: str, orelse: str, note: str = "") -> None:
        self.emit(f"br i1 {condition}, label %{then}, label %{orelse}{note}")
        self.terminated = True

    def place(self, label: str) -> None:
        """Start the basic block `label`; falls into it from the one before where that is still open."""
        self.branch(label)
        self.lines.append(f"{label}:")
        self.label = label
        self.terminated = False

    def call(self, result: str, name: str, *arguments: tuple[str, str]) -> str:
        """Call an intrinsic, declaring it once; each argument is (type with attributes, value)."""
        kinds = ", ".join(kind.split(" align")[0] for kind, _ in arguments)
        self.declarations.setdefault(name, f"declare {result} @{name}({kinds})")
        text = f"call {result} @{name}({', '.join(f'{kind} {value}' for kind, value in arguments)})"
        if result == "void":
            self.emit(text)
            return ""
        return self.value(text)
