"""How one component of an array lies in WGSL: the declared element, and how it is read, written and updated.

| array | element | |
|---|---|---|
| int32, uint32, int64, float32, float64 | the type itself | |
| the same with atomics | `atomic<...>` of the type, or of the unsigned type as wide | float: compare-and-swap |
| float32 of which only `atomic.add` is used | `atomic<f32>` | where the device has it; never in shared memory |
| bool | `u32`, four bools a word | one byte each, as on the host |
| bool that the kernel writes | `atomic<u32>` | a byte is 0 or 1, so one `or` or one `and` stores it |
| vec2; vec3 and vec4 | `vec2<...>`; `vec4<...>` | one load gives a whole element |
| shared bool; shared vec3 | `u32`; three scalars | NVIDIA's driver loses stores to `array<bool>` |

Pointers to storage cannot be passed to functions, so atomics are written out where they stand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from headwater import ir
from headwater.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, UINT32, ScalarType

_TYPES = {INT32: "i32", UINT32: "u32", INT64: "i64", FLOAT32: "f32", FLOAT64: "f64", BOOL: "bool"}
_WORDS = {FLOAT32: "u32", FLOAT64: "u64"}
_NATIVE = {"add": "atomicAdd", "min": "atomicMin", "max": "atomicMax"}
_COMBINE = {"add": "{0} + {1}", "min": "min({0}, {1})", "max": "max({0}, {1})"}


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

    def store(self, offset: str, component: int, value: str) -> str:
        """The statement that writes."""
        return f"{self.place(offset, component)} = {value};"

    def atomic(
        self, operation: str, offset: str, value: str, result: str, combine: str = ""
    ) -> Iterable[str]:
        """Statements that update, and define `result` as the old value.

        `combine` is the expression of the new value, in place of the language's own.
        """
        raise NotImplementedError(f"'{self.name}' has no atomic elements")


@dataclass(frozen=True, slots=True)
class AtomicCell(Cell):
    """An element that the device updates itself."""

    def load(self, offset: str, component: int) -> str:
        return f"atomicLoad(&{self.place(offset, component)})"

    def store(self, offset: str, component: int, value: str) -> str:
        return f"atomicStore(&{self.place(offset, component)}, {value});"

    def atomic(
        self, operation: str, offset: str, value: str, result: str, combine: str = ""
    ) -> Iterable[str]:
        return (f"let {result} = {_NATIVE[operation]}(&{self.place(offset, 0)}, {value});",)


@dataclass(frozen=True, slots=True)
class SwappedCell(Cell):
    """A float kept as the bits of an unsigned word, updated by compare-and-swap."""

    def load(self, offset: str, component: int) -> str:
        return f"bitcast<{_TYPES[self.scalar]}>(atomicLoad(&{self.place(offset, component)}))"

    def store(self, offset: str, component: int, value: str) -> str:
        bits = f"bitcast<{_WORDS[self.scalar]}>({value})"
        return f"atomicStore(&{self.place(offset, component)}, {bits});"

    def atomic(
        self, operation: str, offset: str, value: str, result: str, combine: str = ""
    ) -> Iterable[str]:
        kind, word = _TYPES[self.scalar], _WORDS[self.scalar]
        at, seen, swap = f"{result}_at", f"{result}_seen", f"{result}_swap"
        place = f"&{self.name}[{at}]"
        combined = (combine or _COMBINE[operation]).format(f"bitcast<{kind}>({seen})", value)
        return (
            f"let {at} = {offset};",
            f"var {seen} = atomicLoad({place});",
            "loop {",
            f"    let {swap} = atomicCompareExchangeWeak({place}, {seen}, bitcast<{word}>({combined}));",
            f"    if ({swap}.exchanged) {{ break; }}",
            f"    {seen} = {swap}.old_value;",
            "}",
            f"let {result} = bitcast<{kind}>({seen});",
        )


@dataclass(frozen=True, slots=True)
class WordCell(Cell):
    """A bool as a word, 0 or 1."""

    def load(self, offset: str, component: int) -> str:
        return f"{self.place(offset, component)} != 0u"

    def store(self, offset: str, component: int, value: str) -> str:
        return f"{self.place(offset, component)} = u32({value});"


@dataclass(frozen=True, slots=True)
class BoolCell(Cell):
    """One byte of a word, 0 or 1."""

    written: bool = False

    def load(self, offset: str, component: int) -> str:
        word = f"{self.name}[({offset}) >> 2u]"
        word = f"atomicLoad(&{word})" if self.written else word
        return f"(({word} >> {_shift(offset)}) & 255u) != 0u"

    def store(self, offset: str, component: int, value: str) -> str:
        place = f"&{self.name}[({offset}) >> 2u]"
        shift = _shift(offset)
        return (
            f"if ({value}) {{ atomicOr({place}, 1u << {shift}); }} "
            f"else {{ atomicAnd({place}, ~(255u << {shift})); }}"
        )


def _shift(offset: str) -> str:
    return f"((bitcast<u32>({offset}) & 3u) * 8u)"


def cell_of_array(array: ir.ArrayParameter, atomics: frozenset[str] | None, native: bool) -> Cell:
    """How an array argument lies.

    `atomics` are the operations that the kernel does on it, None without; `native` says that the device may add to
    float32 itself.
    """
    scalar, components = array.type.scalar, array.type.components
    if scalar is BOOL:
        return BoolCell(BOOL, "atomic<u32>" if array.written else "u32", written=array.written)
    if components > 1:
        lanes = 2 if components == 2 else 4
        return Cell(scalar, f"vec{lanes}<{_TYPES[scalar]}>", lanes)
    if atomics is None:
        return Cell(scalar, _TYPES[scalar])
    if native and scalar is FLOAT32 and atomics == {"add"}:
        return AtomicCell(scalar, "atomic<f32>")
    return _atomic_cell(scalar)


def cell_of_shared(array: ir.SharedArray, atomics: frozenset[str] | None) -> Cell:
    """How a shared array lies."""
    if array.scalar is BOOL:
        return WordCell(BOOL, "u32")
    if atomics is None:
        return Cell(array.scalar, _TYPES[array.scalar])
    return _atomic_cell(array.scalar)


def _atomic_cell(scalar: ScalarType) -> Cell:
    if scalar in _WORDS:
        return SwappedCell(scalar, f"atomic<{_WORDS[scalar]}>")
    return AtomicCell(scalar, f"atomic<{_TYPES[scalar]}>")
