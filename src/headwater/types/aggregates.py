"""Vectors, arrays and structs, as the frontend sees them.

The IR holds scalars only: the frontend splits a vector value into its components and a struct into its
fields. What stays is the element type of an array, because the device chooses how vectors lie in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from headwater.errors import HeadwaterError
from headwater.types.scalars import ScalarType


@dataclass(frozen=True, slots=True)
class Vec2:
    """A vector on the host: components are Python numbers (weak) or NumPy scalars of one type.

    Kernels take it as an argument or as a captured constant.
    """

    x: Any
    y: Any


@dataclass(frozen=True, slots=True)
class Vec3:
    """A vector of three, as `Vec2`."""

    x: Any
    y: Any
    z: Any


@dataclass(frozen=True, slots=True)
class Vec4:
    """A vector of four, as `Vec2`."""

    x: Any
    y: Any
    z: Any
    w: Any


HostVector: TypeAlias = Vec2 | Vec3 | Vec4
HOST_VECTORS: dict[int, type[Vec2] | type[Vec3] | type[Vec4]] = {2: Vec2, 3: Vec3, 4: Vec4}


@dataclass(frozen=True, slots=True)
class VectorType:
    """A vector of `size` components (2 to 4) of one scalar type."""

    scalar: ScalarType
    size: int

    def __str__(self) -> str:
        return f"vec{self.size}<{self.scalar}>"

    # The result is Any, because the size is a value and not a type.
    def __call__(self, *components: Any) -> Any:
        """On the host: a `Vec2`, `Vec3` or `Vec4` of NumPy scalars. In a kernel the same text makes a vector value."""
        if len(components) != self.size:
            raise HeadwaterError(
                f"a vector of {self.size} components was expected, not of {len(components)}"
            )
        return HOST_VECTORS[self.size](*map(self.scalar, components))


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array argument.

    `alias` is 0 where the array shares its memory with no other of the launch; arrays that share memory have
    one number, from 1 on. A kernel that writes an array that is `read_only` is refused. `unit_rows` says of an array
    that is not contiguous that neighbours along its last axis are neighbours in memory all the same.
    """

    element: ScalarType | VectorType
    ndim: int
    contiguous: bool = True
    alias: int = 0
    read_only: bool = False
    unit_rows: bool = False

    def __str__(self) -> str:
        return f"array<{self.element}, {self.ndim}>"

    @property
    def scalar(self) -> ScalarType:
        return self.element.scalar if isinstance(self.element, VectorType) else self.element

    @property
    def components(self) -> int:
        return self.element.size if isinstance(self.element, VectorType) else 1


@dataclass(frozen=True, slots=True)
class StructType:
    """A frozen dataclass (or another bundle) passed as one argument, by field name."""

    name: str
    fields: tuple[tuple[str, ArgumentType], ...]

    def __str__(self) -> str:
        return self.name

    def field(self, name: str) -> ArgumentType | None:
        """The type of the field `name`, or None where there is no such field."""
        for field, kind in self.fields:
            if field == name:
                return kind
        return None


@dataclass(frozen=True, slots=True)
class TupleType:
    """A Python tuple passed as one argument; its items have the paths '0', '1', ...

    `names` are those of the items of a named tuple.
    """

    items: tuple[ArgumentType, ...]
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True, slots=True)
class RecordArrayType:
    """An array of structs: one array for each field, all of one shape of `ndim` dimensions.

    `fields` are `ArrayType`, or `RecordArrayType` where a struct is nested. `name` is that of the dataclass.
    """

    name: str
    ndim: int
    fields: tuple[tuple[str, ArrayType | RecordArrayType], ...]

    def __str__(self) -> str:
        return f"array<{self.name}, {self.ndim}>"


@dataclass(frozen=True, slots=True)
class GridType(StructType):
    """A cell grid passed as one argument; `grid.neighbors(...)` is the language's neighbour loop.

    Its fields are named by `headwater.ir.GridRef`. `periodic` and `reach` are compile-time facts:
    which axes wrap, and how many cells the cutoff spans (a cell is at least cutoff / reach wide).
    """

    periodic: tuple[bool, bool, bool] = (False, False, False)
    reach: int = 1


@dataclass(frozen=True, slots=True)
class ConstantType:
    """An argument that is frozen into the program: that of a parameter annotated `hw.constexpr`.

    `value` is hashable, and its `repr` is the same in each process: it is part of the program's key.
    """

    value: Any


ArgumentType: TypeAlias = (
    ScalarType | VectorType | ArrayType | StructType | TupleType | RecordArrayType | ConstantType
)
