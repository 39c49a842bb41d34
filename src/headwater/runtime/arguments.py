"""What may be passed to a kernel, its type, and its leaves.

An argument is a tree: frozen dataclasses, tuples and other bundles are the inner nodes, arrays and scalars the leaves;
a vector is as many leaves as it has components, an array of records one for each field. One *describer* for each Python
class gives the type (once for each specialisation) and the flat list of leaves (at each launch, so it must be fast).
The order of the leaves is the order of the type's fields everywhere.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from headwater.errors import HeadwaterError, LaunchError
from headwater.frontend import DeviceFunction
from headwater.frontend.markers import Marker
from headwater.runtime.array import Array
from headwater.runtime.memory import Allocation
from headwater.runtime.records import RecordArray
from headwater.types import (
    BOOL,
    FLOAT16,
    FLOAT32,
    HOST_VECTORS,
    SCALARS,
    WEAK_FLOAT,
    WEAK_INT,
    ArgumentType,
    ArrayType,
    ConstantType,
    GridType,
    HostVector,
    RecordArrayType,
    ScalarType,
    StructType,
    TupleType,
    VectorType,
    field_types,
    from_numpy,
    join,
    typed_field,
)

Path = tuple[str, ...]
_COMPONENTS = ("x", "y", "z", "w")


class Describer(Protocol):
    """How values of one Python class are passed."""

    def flatten(self, value: Any, leaves: list[Any], keys: list[object]) -> None:
        """Append the leaves, and keys from which the type follows; cheap to hash and to compare."""

    def describe(self, value: Any, path: Path) -> ArgumentType:
        """The type; LaunchError that names the path where a part cannot be passed."""


class _Scalar:
    """A Python or NumPy scalar; its class stands for its type."""

    def __init__(self, kind: ScalarType) -> None:
        self.kind = kind
        # A launch knows the commonest by their classes.
        classes: dict[ScalarType, type] = {WEAK_INT: int, WEAK_FLOAT: float}
        self.key: object = classes.get(kind, kind.name)

    def flatten(self, value: Any, leaves: list[Any], keys: list[object]) -> None:
        leaves.append(value)
        keys.append(self.key)

    def describe(self, value: Any, path: Path) -> ArgumentType:
        return self.kind


class _ArrayDescriber:
    """An array: its key stands for type and device."""

    def flatten(self, value: Array, leaves: list[Any], keys: list[object]) -> None:
        leaves.append(value)
        keys.append(value._key)

    def describe(self, value: Array, path: Path) -> ArgumentType:
        return value._type


class _RecordsDescriber:
    """An array of records: its arrays, one for each field."""

    def flatten(self, value: RecordArray, leaves: list[Any], keys: list[object]) -> None:
        leaves += value._arrays
        keys += value._keys

    def describe(self, value: RecordArray, path: Path) -> ArgumentType:
        return value._type


class _Vector:
    """A host vector: scalars of one type."""

    def __init__(self, kind: type) -> None:
        self.kind = kind
        self.names = tuple(field.name for field in dataclasses.fields(kind))

    def flatten(self, value: HostVector, leaves: list[Any], keys: list[object]) -> None:
        parts = [getattr(value, name) for name in self.names]
        leaves += parts
        keys.append(self.kind)
        keys += map(type, parts)

    def describe(self, value: HostVector, path: Path) -> ArgumentType:
        kinds = [describe(getattr(value, name), (*path, name)) for name in self.names]
        scalars = [kind for kind in kinds if isinstance(kind, ScalarType)]
        one_type = len(set(scalars)) == 1 or all(kind.weak for kind in scalars)
        if len(scalars) != len(self.names) or not one_type:
            found, maker = ", ".join(map(str, kinds)), f"hw.{self.kind.__name__.lower()}"
            raise LaunchError(
                f"{_called(path)} is a {self.kind.__name__} of ({found}); {len(self.names)} scalars of one type "
                "were expected",
                hint=f"make it with {maker}f(...) or {maker}d(...)",
            )
        return VectorType(functools.reduce(join, scalars), len(scalars))


class _Tuple:
    """A tuple: its items in order."""

    def flatten(self, value: tuple[Any, ...], leaves: list[Any], keys: list[object]) -> None:
        keys.append((type(value), len(value)))
        for part in value:
            DESCRIBERS[type(part)].flatten(part, leaves, keys)

    def describe(self, value: tuple[Any, ...], path: Path) -> ArgumentType:
        items = enumerate(value)
        parts = tuple(describe(part, (*path, str(place))) for place, part in items)
        return TupleType(parts, getattr(value, "_fields", ()))


class _Struct:
    """A frozen dataclass: its fields in order, in the types that they are annotated with."""

    def __init__(self, kind: type) -> None:
        self.kind = kind
        types = field_types(kind)
        self.fields = tuple((f.name, types.get(f.name)) for f in dataclasses.fields(kind))

    def flatten(self, value: Any, leaves: list[Any], keys: list[object]) -> None:
        keys.append(self.kind)
        for _, part in self._parts(value):
            DESCRIBERS[type(part)].flatten(part, leaves, keys)

    def describe(self, value: Any, path: Path) -> ArgumentType:
        fields = tuple((name, describe(part, (*path, name))) for name, part in self._parts(value))
        return StructType(self.kind.__qualname__, fields)

    def _parts(self, value: Any) -> Iterator[tuple[str, Any]]:
        for name, wanted in self.fields:
            part = getattr(value, name)
            yield name, part if wanted is None else self._typed(name, part, wanted)

    def _typed(self, name: str, value: Any, wanted: ScalarType | VectorType) -> Any:
        if isinstance(DESCRIBERS[type(value)], _Refused) and not isinstance(
            value, list | np.ndarray
        ):
            return value  # to be refused by its path
        try:
            return typed_field(self.kind, name, value, wanted)
        except HeadwaterError as error:
            raise LaunchError(error.message, hint=error.hint) from None


class _Bundle:
    """An object that names its parts itself, with `__kernel_argument__`; perhaps a cell grid.

    Arrays that its class names in `__kernel_read_only__` can be read by kernels and not written.
    """

    def __init__(self, kind: type) -> None:
        self.kind = kind
        self.is_grid = hasattr(kind, "__kernel_grid__")
        self.read_only: frozenset[str] = getattr(kind, "__kernel_read_only__", frozenset())

    def flatten(self, value: Any, leaves: list[Any], keys: list[object]) -> None:
        parts: Mapping[str, object] = value.__kernel_argument__()
        keys.append(self.kind)
        keys.append(tuple(parts))
        if self.is_grid:
            keys.append(value.__kernel_grid__())
        for part in parts.values():
            if type(part) is Array:  # most are, and a launch of a particle set has many
                leaves.append(part)
                keys.append(part._key)
            else:
                DESCRIBERS[type(part)].flatten(part, leaves, keys)

    def describe(self, value: Any, path: Path) -> ArgumentType:
        parts: Mapping[str, object] = value.__kernel_argument__()
        fields = tuple((name, self._part(part, path, name)) for name, part in parts.items())
        name = self.kind.__qualname__
        if not self.is_grid:
            return StructType(name, fields)
        periodic, reach = value.__kernel_grid__()
        x, y, z = map(bool, periodic)
        return GridType(name, fields, (x, y, z), int(reach))

    def _part(self, part: object, path: Path, name: str) -> ArgumentType:
        kind = describe(part, (*path, name))
        if isinstance(kind, ArrayType) and name in self.read_only:
            return dataclasses.replace(kind, read_only=True)
        return kind


class _Refused:
    """A class of values that no kernel takes, and what to do instead."""

    def __init__(self, kind: type, hint: str, reason: str = "which no kernel takes") -> None:
        self.kind, self.hint, self.reason = kind, hint, reason

    def flatten(self, value: Any, leaves: list[Any], keys: list[object]) -> None:
        self.describe(value, ())

    def describe(self, value: Any, path: Path) -> ArgumentType:
        name = f"'{self.kind.__name__}'"
        raise LaunchError(f"{_called(path)} is a {name}, {self.reason}", hint=self.hint)


def _called(path: Path) -> str:
    return f"the argument '{'.'.join(path)}'" if path else "an argument"


class _Describers(dict[type, Describer]):
    """The describer of each class, made when its first value comes."""

    def __missing__(self, kind: type) -> Describer:
        return self.setdefault(kind, _describer(kind))


def _describer(kind: type) -> Describer:
    for applies, make in _RULES:
        if applies(kind):
            return make(kind)
    return _Refused(
        kind,
        "pass bool, int, float, NumPy scalars, Arrays, Vec2, Vec3, Vec4, or tuples and frozen dataclasses of those",
    )


def _numpy_scalar(kind: type[np.generic]) -> Describer:
    dtype = np.dtype(kind)
    names = [scalar.name for scalar in SCALARS]
    if dtype.name not in names:
        return _Refused(kind, f"use one of {', '.join(names)}")
    scalar = from_numpy(dtype)
    return _Scalar(FLOAT32 if scalar is FLOAT16 else scalar)  # float16 is a type of storage only


def _refuse(hint: str, reason: str = "which no kernel takes") -> Callable[[type], Describer]:
    return lambda kind: _Refused(kind, hint, reason)


def _is_frozen(kind: Any) -> bool:
    parameters = getattr(kind, "__dataclass_params__", None)
    return parameters is not None and bool(parameters.frozen)


# The first rule that applies to a class decides. NumPy scalars come before Python's, because np.float64 is a
# float; a bool is an int, so it comes first of those.
_RULES: tuple[tuple[Callable[[type], bool], Callable[[type], Describer]], ...] = (
    (lambda kind: hasattr(kind, "__kernel_argument__"), _Bundle),
    (lambda kind: issubclass(kind, Array), lambda _: _ArrayDescriber()),
    (lambda kind: issubclass(kind, RecordArray), lambda _: _RecordsDescriber()),
    (lambda kind: issubclass(kind, tuple(HOST_VECTORS.values())), _Vector),
    (lambda kind: issubclass(kind, np.generic), _numpy_scalar),
    (lambda kind: issubclass(kind, bool), lambda _: _Scalar(BOOL)),
    (lambda kind: issubclass(kind, int), lambda _: _Scalar(WEAK_INT)),
    (lambda kind: issubclass(kind, float), lambda _: _Scalar(WEAK_FLOAT)),
    (
        lambda kind: issubclass(kind, np.ndarray),
        _refuse("upload it with device.array(...)", "in host memory"),
    ),
    (
        lambda kind: issubclass(
            kind, str | type | ScalarType | VectorType | DeviceFunction | Marker
        ),
        _refuse("annotate the parameter with hw.constexpr", "which must be known when compiling"),
    ),
    (_is_frozen, _Struct),
    (
        dataclasses.is_dataclass,
        _refuse("write @dataclass(frozen=True)", "a dataclass that is not frozen"),
    ),
    (lambda kind: issubclass(kind, tuple), lambda _: _Tuple()),
    (
        lambda kind: issubclass(kind, list | dict),
        _refuse("pass a tuple, or a frozen dataclass"),
    ),
)

DESCRIBERS = _Describers()


def describe(value: object, path: Path = ()) -> ArgumentType:
    """The kernel type of an argument; LaunchError that names `path` where it cannot be passed."""
    return DESCRIBERS[type(value)].describe(value, path)


def leaf_paths(kind: ArgumentType, path: Path) -> Iterator[tuple[Path, ArgumentType]]:
    """The paths and types of the leaves, in the order in which `flatten` appends them."""
    if isinstance(kind, StructType):
        for name, part in kind.fields:
            yield from leaf_paths(part, (*path, name))
    elif isinstance(kind, TupleType):
        for place, item in enumerate(kind.items):
            yield from leaf_paths(item, (*path, str(place)))
    elif isinstance(kind, RecordArrayType):
        for name, part in kind.fields:
            yield from leaf_paths(part, (*path, name))
    elif isinstance(kind, VectorType):
        for component in _COMPONENTS[: kind.size]:
            yield (*path, component), kind.scalar
    elif not isinstance(kind, ConstantType):
        yield path, kind


def with_aliases(kind: ArgumentType, groups: Iterator[int]) -> ArgumentType:
    """The type with the alias group of each of its arrays set from `groups`, in the order of the leaves."""
    if isinstance(kind, ArrayType):
        return dataclasses.replace(kind, alias=next(groups))
    if isinstance(kind, StructType | RecordArrayType):
        fields: Any = tuple((name, with_aliases(part, groups)) for name, part in kind.fields)
        return dataclasses.replace(kind, fields=fields)
    if isinstance(kind, TupleType):
        items = tuple(with_aliases(item, groups) for item in kind.items)
        return dataclasses.replace(kind, items=items)
    return kind


def alias_pattern(allocations: list[Allocation]) -> tuple[int, ...]:
    """For the memory of each array a number, the same for the same memory, in order of first occurrence."""
    seen: dict[Allocation, int] = {}
    return tuple([seen.setdefault(allocation, len(seen)) for allocation in allocations])


def alias_groups(pattern: tuple[int, ...]) -> tuple[int, ...]:
    """For each array 0 where no other has its memory, else a number from 1 for each shared one. () without any.

    `pattern` is that of `alias_pattern`; numbers are in order of first occurrence.
    """
    counts = Counter(pattern)
    shared = [number for number, count in counts.items() if count > 1]
    groups = {number: group for group, number in enumerate(shared, start=1)}
    return tuple(groups.get(number, 0) for number in pattern) if shared else ()
