"""Records: frozen dataclasses whose fields have kernel types, so that arrays can hold them."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, get_type_hints

import numpy as np

from headwater.errors import HeadwaterError
from headwater.types.aggregates import HOST_VECTORS, HostVector, StructType, VectorType
from headwater.types.scalars import BOOL, ScalarType, from_numpy

_HINT = (
    "annotate it with a type such as hw.float32, hw.int32 or hw.vec3f, or with another "
    "frozen dataclass of such fields"
)


@dataclass(frozen=True, slots=True)
class RecordType:
    """A frozen dataclass as an element type; `python` is the class."""

    python: type
    fields: tuple[tuple[str, FieldType], ...]

    @property
    def name(self) -> str:
        """The name of the dataclass."""
        return self.python.__qualname__

    @property
    def struct(self) -> StructType:
        """The type of one value in a kernel."""
        parts = ((name, k.struct if isinstance(k, RecordType) else k) for name, k in self.fields)
        return StructType(self.name, tuple(parts))

    @property
    def numpy(self) -> np.dtype[Any]:
        """The structured NumPy dtype of the same fields; vectors are small arrays."""
        return np.dtype([(name, _numpy(kind)) for name, kind in self.fields])

    def __str__(self) -> str:
        return self.name


FieldType: TypeAlias = ScalarType | VectorType | RecordType


def is_record_class(value: object) -> bool:
    """Whether a value is a dataclass (the class, not an object of it)."""
    return isinstance(value, type) and dataclasses.is_dataclass(value)


def record_type(kind: type) -> RecordType:
    """The element type that a frozen dataclass stands for.

    Its fields are annotated with scalar types of kernels, vector types, NumPy's scalar types, or other such
    dataclasses; annotations may be texts. HeadwaterError, which names the field, where one is anything else.
    """
    return _record(kind, ())


@cache
def field_types(kind: type) -> Mapping[str, ScalarType | VectorType]:
    """The fields of a dataclass that are annotated with a scalar or a vector type of kernels, and the types.

    Other annotations are for people, also those that cannot be read here.
    """
    found = {}
    for field in dataclasses.fields(kind):
        hint = field.type
        if isinstance(hint, str):
            try:
                hint = eval(hint, vars(sys.modules[kind.__module__]))
            except Exception:  # noqa: BLE001 (it may be any text)
                continue
        if isinstance(hint, type) and issubclass(hint, np.generic):
            hint = from_numpy(np.dtype(hint))
        if isinstance(hint, VectorType) or (isinstance(hint, ScalarType) and not hint.weak):
            found[field.name] = hint
    return found


def typed_field(kind: type, name: str, value: Any, wanted: ScalarType | VectorType) -> Any:
    """The value of a field of a dataclass, on the host, in the type that it is annotated with.

    A NumPy scalar, or a host vector of such; integers become floats, and bools integers, never the other way.
    HeadwaterError, which names the field, where the value is not of such a kind or does not fit.
    """
    if isinstance(wanted, ScalarType):
        return _typed(kind, name, value, wanted)
    parts = value
    if isinstance(value, HostVector):
        parts = tuple(getattr(value, part.name) for part in dataclasses.fields(value))
    if not isinstance(parts, tuple | list | np.ndarray) or len(parts) != wanted.size:
        raise HeadwaterError(
            f"the field '{name}' of '{kind.__qualname__}' takes {wanted}, not {value!r}"
        )
    return HOST_VECTORS[wanted.size](*(_typed(kind, name, part, wanted.scalar) for part in parts))


def _typed(kind: type, name: str, value: Any, wanted: ScalarType) -> Any:
    if type(value) is wanted.numpy.type:
        return value
    field = f"the field '{name}' of '{kind.__qualname__}'"
    rank = next((k for k, classes in enumerate(_KINDS) if isinstance(value, classes)), len(_KINDS))
    if rank > (0 if wanted.is_bool else 1 if wanted.is_integer else 2):
        raise HeadwaterError(f"{field} takes {wanted}, not {value!r}")
    if wanted.is_integer:
        low, high = wanted.limits
        if not low <= int(value) <= high:
            raise HeadwaterError(f"{field} takes {wanted}, which {value} does not fit")
    try:
        with np.errstate(over="ignore"):
            return wanted.numpy.type(value)
    except OverflowError:
        raise HeadwaterError(f"{field} takes {wanted}, which {value} does not fit") from None


# A value becomes one of its own kind, or of a later one.
_KINDS = ((bool, np.bool_), (int, np.integer), (float, np.floating))


@cache
def _record(kind: type, outer: tuple[type, ...]) -> RecordType:
    name = kind.__qualname__
    if not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        raise HeadwaterError(
            f"'{name}' is a dataclass that is not frozen", hint="write @dataclass(frozen=True)"
        )
    if kind in outer:
        raise HeadwaterError(f"the dataclass '{name}' holds itself, so it has no size")
    names = [field.name for field in dataclasses.fields(kind)]
    if not names:
        raise HeadwaterError(f"the dataclass '{name}' has no fields")
    hints = _hints(kind)
    fields = tuple((part, _field(kind, part, hints.get(part), outer)) for part in names)
    return RecordType(kind, fields)


def _hints(kind: type) -> dict[str, Any]:
    try:
        return get_type_hints(kind)
    except NameError as error:
        raise HeadwaterError(
            f"the annotations of '{kind.__qualname__}' cannot be read: {error}",
            hint="define or import what they name in the module, before the dataclass is used",
        ) from None


def _field(kind: type, part: str, hint: Any, outer: tuple[type, ...]) -> FieldType:
    if isinstance(hint, VectorType) or (isinstance(hint, ScalarType) and not hint.weak):
        return hint
    if hint is bool:
        return BOOL
    if is_record_class(hint):
        return _record(hint, (*outer, kind))
    if isinstance(hint, type) and issubclass(hint, np.generic):
        return from_numpy(np.dtype(hint))
    shown = getattr(hint, "__name__", None) or repr(hint)
    raise HeadwaterError(
        f"the field '{part}' of '{kind.__qualname__}' is annotated '{shown}', which is no type of array elements",
        hint=_HINT,
    )


def _numpy(kind: FieldType) -> Any:
    if isinstance(kind, VectorType):
        return kind.scalar.numpy, (kind.size,)
    return kind.numpy
