"""How one component of an array lies in WGSL: the declared element, and how it is read, written and updated.

| array | element | |
|---|---|---|
| 32 and 64 bits | the type itself | |
| the same with atomics | `atomic<...>` | a float's is of the unsigned type as wide, updated by compare-and-swap |
| float32 of which only `atomic.add` is used | `atomic<f32>` | where the device has it; never in shared memory |
| bool, 8 and 16 bits | `u32` | two or four side by side, as on the host |
| the same that the kernel writes | `atomic<u32>` | by one `or` or `and` for a bool, else by compare-and-swap |
| vec2; vec3 and vec4 | `vec2<...>`; `vec4<...>` | one load gives a whole element |
| shared or of a thread: bool, 8 and 16 bits | a word each | NVIDIA's driver loses stores to `array<bool>` |
| shared: dynamic, of several types | `u32` | see `placement` |

Pointers to storage cannot be passed to functions, so atomics are written out where they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from headwater.backends.webgpu.spelling import TYPES, from_bits, narrowed, to_bits, word
from headwater.types import BOOL, ScalarType

_NATIVE = {
    "add": "atomicAdd",
    "min": "atomicMin",
    "max": "atomicMax",
    "and": "atomicAnd",
    "or": "atomicOr",
    "xor": "atomicXor",
    "exch": "atomicExchange",
}
# Those that mean the same on the unsigned type that holds an integer's bits.
_BITWISE = ("add", "and", "or", "xor", "exch")


@dataclass(frozen=True, slots=True)
class Cell:
    """A plain element. `lanes` scalars make one element of the WGSL array, `element` is its type."""

    scalar: ScalarType
    element: str
    lanes: int = 1
    name: str = ""

    def named(self, name: str) -> Cell:
        """The same, of the WGSL variable `name`."""
        return replace(self, name=name)

    def place(self, offset: str, component: int) -> str:
        part = f".{'xyzw'[component]}" if self.lanes > 1 else ""
        return f"{self.name}[{offset}]{part}"

    def load(self, offset: str, component: int) -> str:
        """The expression that reads."""
        return self.place(offset, component)

    def store(self, offset: str, component: int, value: str) -> Iterable[str]:
        """The statements that write."""
        return (f"{self.place(offset, component)} = {value};",)


@dataclass(frozen=True, slots=True)
class WordCell(Cell):
    """A word that holds the bits of another type."""

    def load(self, offset: str, component: int) -> str:
        return from_bits(self.scalar, self.place(offset, component))

    def store(self, offset: str, component: int, value: str) -> Iterable[str]:
        return (f"{self.place(offset, component)} = {to_bits(self.scalar, value)};",)


@dataclass(frozen=True, slots=True)
class AtomicCell(Cell):
    """An element that threads update together: `atomic` of the type itself, or of the word that holds its bits."""

    @property
    def holds_bits(self) -> bool:
        return self.element != f"atomic<{TYPES[self.scalar]}>"

    def load(self, offset: str, component: int) -> str:
        return self.value(f"atomicLoad(&{self.place(offset, component)})")

    def store(self, offset: str, component: int, value: str) -> Iterable[str]:
        return (f"atomicStore(&{self.place(offset, component)}, {self.bits(value)});",)

    def value(self, bits: str) -> str:
        """The value of what lies in memory."""
        return from_bits(self.scalar, bits) if self.holds_bits else bits

    def bits(self, value: str) -> str:
        """What lies in memory for a value."""
        return to_bits(self.scalar, value) if self.holds_bits else value

    def updates_itself(self, operation: str) -> bool:
        """Whether WGSL has the operation on the element."""
        if self.element == "atomic<f32>":
            return operation == "add"
        if not self.holds_bits:
            return operation in _NATIVE
        return operation == "exch" or (operation in _BITWISE and self.scalar.is_integer)

    def update(self, operation: str, offset: str, value: str, result: str) -> Iterable[str]:
        """Statements that do what WGSL has, and define `result` as the old value."""
        called = f"{_NATIVE[operation]}(&{self.place(offset, 0)}, {self.bits(value)})"
        return (f"let {result} = {self.value(called)};",)

    def swap(
        self, offset: str, result: str, wanted: Callable[[str], str], unless: str = ""
    ) -> Iterable[str]:
        """Statements that put `wanted` of the old value in its place by compare-and-swap, and define `result`.

        Where `unless`, a format string over the old value, holds, the element stays as it is.
        """
        at, seen, old, swap = (f"{result}_{part}" for part in ("at", "seen", "old", "swap"))
        place = f"&{self.name}[{at}]"
        given = (f"    if ({unless.format(old)}) {{ break; }}",) if unless else ()
        return (
            f"let {at} = {offset};",
            f"var {seen} = atomicLoad({place});",
            "loop {",
            f"    let {old} = {self.value(seen)};",
            *given,
            f"    let {swap} = atomicCompareExchangeWeak({place}, {seen}, {self.bits(wanted(old))});",
            f"    if ({swap}.exchanged) {{ break; }}",
            f"    {seen} = {swap}.old_value;",
            "}",
            f"let {result} = {self.value(seen)};",
        )


@dataclass(frozen=True, slots=True)
class PartCell(Cell):
    """A bool or a number of 8 or 16 bits, as part of a word; `atomic` where the kernel writes it."""

    atomic: bool = False

    def load(self, offset: str, component: int) -> str:
        place = self.word_of(self.number(offset, component))
        loaded = f"atomicLoad(&{place})" if self.atomic else place
        return narrowed(self.scalar, f"({loaded} >> {self.shift(offset, component)})")

    def store(self, offset: str, component: int, value: str) -> Iterable[str]:
        place = f"&{self.word_of(self.number(offset, component))}"
        shift = self.shift(offset, component)
        if self.scalar is BOOL:
            return (
                f"if ({value}) {{ atomicOr({place}, 1u << {shift}); }} "
                f"else {{ atomicAnd({place}, ~(255u << {shift})); }}",
            )
        mask = f"{(1 << self.scalar.bits) - 1}u"
        return (
            "{",
            f"    let hw_at = {self.number(offset, component)};",
            f"    let hw_shift = {self.shift('hw_at', 0, whole=True)};",
            f"    let hw_bits = ({to_bits(self.scalar, value)} & {mask}) << hw_shift;",
            f"    var hw_seen = atomicLoad(&{self.word_of('hw_at')});",
            "    loop {",
            f"        let hw_wanted = (hw_seen & ~({mask} << hw_shift)) | hw_bits;",
            f"        let hw_swap = atomicCompareExchangeWeak(&{self.word_of('hw_at')}, hw_seen, hw_wanted);",
            "        if (hw_swap.exchanged) { break; }",
            "        hw_seen = hw_swap.old_value;",
            "    }",
            "}",
        )

    def number(self, offset: str, component: int) -> str:
        """The number of the scalar in the array."""
        return offset if self.lanes == 1 else f"({offset}) * {self.lanes}i + {component}i"

    def word_of(self, number: str) -> str:
        """The word that a scalar lies in."""
        return f"{self.name}[({number}) >> {2 if self.scalar.bits == 8 else 1}u]"

    def shift(self, offset: str, component: int, *, whole: bool = False) -> str:
        """How many bits of the word lie below the scalar; `whole` says that `offset` is the scalar's number."""
        number = offset if whole else self.number(offset, component)
        mask = 3 if self.scalar.bits == 8 else 1
        return f"((bitcast<u32>({number}) & {mask}u) * {self.scalar.bits}u)"


@dataclass(frozen=True, slots=True)
class PairCell(Cell):
    """64 bits as two words, the lower first; `atomic` where the words are."""

    atomic: bool = False

    def load(self, offset: str, component: int) -> str:
        low, high = (self.half(offset, part) for part in (0, 1))
        if self.atomic:
            low, high = f"atomicLoad(&{low})", f"atomicLoad(&{high})"
        return from_bits(self.scalar, f"(u64({low}) | (u64({high}) << 32u))")

    def store(self, offset: str, component: int, value: str) -> Iterable[str]:
        parts = ("u32(hw_bits & 0xfffffffflu)", "u32(hw_bits >> 32u)")
        stores = [
            f"    atomicStore(&{self.half('hw_at', n)}, {part});"
            if self.atomic
            else f"    {self.half('hw_at', n)} = {part};"
            for n, part in enumerate(parts)
        ]
        bits = to_bits(self.scalar, value)
        return ("{", f"    let hw_at = {offset};", f"    let hw_bits = {bits};", *stores, "}")

    def half(self, offset: str, part: int) -> str:
        return f"{self.name}[({offset}) * 2i + {part}i]"


def plain_cell(scalar: ScalarType) -> Cell:
    """An element of an array of one thread's or one block's: each number in a word of its own."""
    return WordCell(scalar, "u32") if scalar is BOOL else Cell(scalar, TYPES[scalar])


def atomic_cell(scalar: ScalarType) -> Cell:
    """An element with atomics."""
    kind = word(scalar) if scalar.is_float else TYPES[scalar]
    return AtomicCell(scalar, f"atomic<{kind}>")
