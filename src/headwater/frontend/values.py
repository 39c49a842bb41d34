"""What an expression is while a kernel is typed.

Scalars are `Literal`, `Weak` (symbolic: no type of its own yet) or `Runtime` (an IR value). Vectors hold
scalars; tuples and records hold values. The rest are things that only the compiler knows: arrays, struct arguments,
functions, types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import TypeAlias

import numpy as np

from headwater import ir
from headwater.errors import Span
from headwater.frontend.markers import Marker, Namespace
from headwater.types import (
    BOOL,
    WEAK_FLOAT,
    WEAK_INT,
    ArrayType,
    GridType,
    ScalarType,
    StructType,
    VectorType,
)

# A variable of one (possibly inlined) function: the path of calls that leads there, and its name.
Key: TypeAlias = tuple[tuple[int, ...], str]


@dataclass(frozen=True, slots=True)
class Literal:
    """A value that is known when compiling; weak unless a cast or a NumPy scalar gave it a type.

    `span` is the expression that gave it, for errors.
    """

    value: bool | int | float
    kind: ScalarType
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, eq=False)
class Runtime:
    """A value that the kernel computes."""

    value: ir.Value

    @property
    def kind(self) -> ScalarType:
        """Its type; never weak."""
        return self.value.type


@dataclass(frozen=True, slots=True, eq=False)
class WeakParameter:
    """A Python scalar argument: passed in the type of each use."""

    path: tuple[str, ...]
    kind: ScalarType


@dataclass(frozen=True, slots=True, eq=False)
class WeakVariable:
    """A variable that has no strong assignment so far; only seen while types are not yet settled."""

    key: Key
    kind: ScalarType


@dataclass(frozen=True, slots=True, eq=False)
class WeakOperation:
    """An operation of weak values: computed at each use, in the type of the use.

    `operation` is one of the IR's, 'same' (its operand in another weak kind), or a function of the library.
    `contract` is that of the IR's node.
    """

    operation: str
    arguments: tuple[Scalar, ...]
    kind: ScalarType
    contract: bool = True


Scalar: TypeAlias = Literal | Runtime | WeakParameter | WeakVariable | WeakOperation
SCALAR_CLASSES = (Literal, Runtime, WeakParameter, WeakVariable, WeakOperation)


@dataclass(frozen=True, slots=True, eq=False)
class Vector:
    """A small vector; all components have one kind."""

    components: tuple[Scalar, ...]

    @property
    def kind(self) -> ScalarType:
        """The kind of its components."""
        return self.components[0].kind


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """An array argument (`path`), an array of the kernel's own (`own`), or a view of one of these (`view`)."""

    name: str
    type: ArrayType
    path: tuple[str, ...] = ()
    own: OwnArray | None = None
    view: View | None = None

    @property
    def shared(self) -> ir.SharedArray | None:
        """The shared array that it is, or None."""
        return self.own if isinstance(self.own, ir.SharedArray) else None


OwnArray: TypeAlias = ir.SharedArray | ir.LocalArray | ir.ConstantArray


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """An array of structs of the dataclass `kind`: an array (or records) for each field, all of one shape."""

    name: str
    kind: str
    ndim: int
    fields: tuple[tuple[str, Array | Records], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """An axis that a view lacks: the index there."""

    index: Scalar


@dataclass(frozen=True, slots=True, eq=False)
class Sliced:
    """An axis that is axis number `axis` of the view, whose index k stands for start + step * k.

    `start` None is 0. `stop` is as the user wrote it: None is the end, a literal below 0 counts from there.
    """

    axis: int
    start: Scalar | None = None
    stop: Scalar | None = None
    step: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """How the elements of a view are reached: one entry for each axis of the array that it shows."""

    parent: Array
    axes: tuple[Fixed | Sliced, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One of two arrays of one type, as a bool says when the kernel runs."""

    condition: Scalar
    then: ArrayLike
    orelse: ArrayLike

    @property
    def name(self) -> str:
        """For messages."""
        return self.then.name


ArrayLike: TypeAlias = Array | Records | Choice
ARRAYS = (Array, Records, Choice)


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """`x.shape` of an array."""

    array: ArrayLike


@dataclass(frozen=True, slots=True, eq=False)
class Struct:
    """A struct argument; a grid is one too."""

    type: StructType
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """A struct value of the dataclass `kind`."""

    kind: str
    fields: tuple[tuple[str, Operand], ...]


@dataclass(frozen=True, slots=True, eq=False)
class RecordClass:
    """A frozen dataclass: makes records, and is the dtype of arrays of them."""

    python: type


@dataclass(frozen=True, slots=True, eq=False)
class Tuple:
    """A tuple of values; `names` are those of a named one."""

    items: tuple[Operand, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TupleClass:
    """A class of named tuples, which makes them."""

    python: type


@dataclass(frozen=True, slots=True)
class Text:
    """A string: known when compiling, and only compared."""

    value: str


@dataclass(frozen=True, slots=True, eq=False)
class Neighbors:
    """`grid.neighbors`, before it is called, or with its center once it is."""

    grid: Struct
    center: Scalar | Vector | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """`range(...)` as the iterable of a for loop."""

    start: Scalar
    stop: Scalar
    step: Scalar


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """What a loop goes over by number: `length` values, of which `item(k)` makes that of number k, where it stands."""

    length: Scalar
    item: Callable[[Scalar], Operand]


@dataclass(frozen=True, slots=True, eq=False)
class Device:
    """A device function; `contract` as in `DeviceFunction`."""

    function: FunctionType
    contract: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Captured:
    """A Python object from outside the kernel whose attributes can be reached: a module, a dataclass."""

    name: str
    value: object = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Nothing:
    """`None`, the value of a call that returns nothing."""


Operand: TypeAlias = (
    Scalar
    | Vector
    | Array
    | Records
    | Choice
    | Shape
    | Struct
    | Record
    | RecordClass
    | Tuple
    | TupleClass
    | Text
    | Neighbors
    | Range
    | Walk
    | Device
    | Captured
    | Nothing
    | Marker
    | Namespace
    | ScalarType
    | VectorType
)


def describe(value: Operand) -> str:
    """What the value is, for messages."""
    if isinstance(value, SCALAR_CLASSES):
        return "a bool" if value.kind.is_bool else article(str(value.kind))
    if isinstance(value, Vector):
        return f"a vec{len(value.components)} of {value.kind}"
    if isinstance(value, Array):
        return f"an array ({value.type})"
    if isinstance(value, Struct):
        word = "a grid" if isinstance(value.type, GridType) else "a struct"
        return f"{word} ('{value.type.name}')"
    if isinstance(value, Records):
        return f"an array (array<{value.kind}, {value.ndim}>)"
    if isinstance(value, Record):
        return f"a struct ('{value.kind}')"
    if isinstance(value, Captured):
        return _describe_captured(value)
    if isinstance(value, RecordClass | TupleClass):
        return f"the class '{value.python.__qualname__}'"
    if isinstance(value, Tuple):
        return f"a tuple of {len(value.items)}"
    if isinstance(value, ScalarType | VectorType):
        return f"the type '{value}'"
    if isinstance(value, Marker | Namespace):
        return f"the name '{value.name}' of the language"
    return _PLAIN[type(value)]


_PLAIN = {
    Choice: "one of two arrays",
    Text: "a string",
    Shape: "the shape of an array",
    Neighbors: "a neighbour loop",
    Range: "a range",
    Walk: "something to loop over",
    Device: "a device function",
    Nothing: "None",
}


def _describe_captured(captured: Captured) -> str:
    value = captured.value
    if isinstance(value, ModuleType):
        return f"the module '{captured.name}'"
    if isinstance(value, np.ndarray):
        return f"the NumPy array '{captured.name}' from outside the kernel"
    if isinstance(value, type):
        return f"the class '{captured.name}'"
    return f"a struct ('{type(value).__qualname__}')"


def article(word: str) -> str:
    """The word with 'a' or 'an' before it."""
    return f"an {word}" if word[0] in "aei" else f"a {word}"


STRUCTS = (Struct, Record, Records)


def can_vary(value: Operand) -> bool:
    """Whether a variable can hold the value: a scalar, a vector, or a tuple or record of such."""
    if isinstance(value, Tuple):
        return bool(value.items) and all(map(can_vary, value.items))
    if isinstance(value, Record):
        return all(can_vary(part) for _, part in value.fields)
    return isinstance(value, (*SCALAR_CLASSES, Vector))


def literal_kind(value: bool | int | float) -> ScalarType:
    """The kind of a Python number: numbers are weak."""
    if isinstance(value, bool):
        return BOOL
    return WEAK_INT if isinstance(value, int) else WEAK_FLOAT


def literal(value: bool | int | float) -> Literal:
    """A Python number as a value."""
    return Literal(value, literal_kind(value))


def known_truth(value: Operand) -> bool | None:
    """Whether a value that is known when compiling is true; None for others."""
    if isinstance(value, Literal | Text):
        return bool(value.value)
    if isinstance(value, Tuple):
        return bool(value.items)
    return False if isinstance(value, Nothing) else None
