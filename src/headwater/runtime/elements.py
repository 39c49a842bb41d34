"""Between NumPy's view of values and the device's: dtypes, shapes, and conversions that lose nothing."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from headwater.errors import HeadwaterError
from headwater.runtime.layout import Shape, is_integer
from headwater.types import (
    HOST_VECTORS,
    SCALARS,
    HostVector,
    ScalarType,
    VectorType,
    from_numpy,
    is_record_class,
)

ElementType: TypeAlias = ScalarType | VectorType

MAX_ELEMENTS = 2**31 - 1
MAX_DIMENSIONS = 4
_HOST_VECTORS = tuple(HOST_VECTORS.values())
_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2}


def element_type(dtype: ElementType | npt.DTypeLike) -> ElementType:
    """The element type that `dtype` names: a kernel type, or anything that NumPy takes as a dtype.

    Raises HeadwaterError for a type that kernels do not know, with the list of those they do.
    """
    if isinstance(dtype, VectorType):
        return dtype
    if isinstance(dtype, ScalarType):
        if dtype.weak:
            raise HeadwaterError(f"'{dtype}' is not a type of array elements")
        return dtype
    if is_record_class(dtype):
        name = getattr(dtype, "__qualname__", dtype)
        raise HeadwaterError(f"'{name}' is a dataclass; a scalar or vector type was expected")
    try:
        parsed = np.dtype(dtype)
    except TypeError:
        known = ", ".join(scalar.name for scalar in SCALARS)
        raise HeadwaterError(
            f"{dtype!r} is not a dtype",
            hint=f"use one of {known}, a vector such as hw.vec3f, or a frozen dataclass of such fields",
        ) from None
    return from_numpy(parsed)


def scalar_of(element: ElementType) -> ScalarType:
    """The scalar type of one component."""
    return element.scalar if isinstance(element, VectorType) else element


def vector_size(value: HostVector) -> int:
    """How many components a host vector has."""
    return len(value.__slots__)


def components_of(element: ElementType) -> int:
    """How many components an element has."""
    return element.size if isinstance(element, VectorType) else 1


def array_shape(shape: object) -> Shape:
    """A shape of 1 to 4 lengths as a tuple; HeadwaterError for anything else."""
    lengths = shape if isinstance(shape, tuple | list) else (shape,)
    if not all(map(is_integer, lengths)):
        raise HeadwaterError(f"a shape is an int or a tuple of ints, not {shape!r}")
    result = tuple(int(n) for n in lengths)
    if not 1 <= len(result) <= MAX_DIMENSIONS:
        raise HeadwaterError(
            f"an array has 1 to {MAX_DIMENSIONS} dimensions, not {len(result)}: shape {result}"
        )
    if min(result) < 0:
        raise HeadwaterError(f"the shape {result} has a negative length")
    if math.prod(result) > MAX_ELEMENTS:
        raise HeadwaterError(
            f"the shape {result} has {math.prod(result):,} elements; at most {MAX_ELEMENTS:,} are possible",
            hint="kernels count with int32; split the data into several arrays",
        )
    return result


def reshape_target(shape: tuple[object, ...]) -> Shape:
    """The lengths that `reshape` was given, one by one or as a tuple; -1 may stand for one of them."""
    lengths = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    array_shape([1 if is_integer(n) and n == -1 else n for n in lengths])
    return tuple(map(int, lengths))


def host_shape(element: ElementType, shape: Shape) -> Shape:
    """The shape of the NumPy array that holds the same values: vectors have an axis of components."""
    return (*shape, element.size) if isinstance(element, VectorType) else shape


def host_array(
    values: npt.ArrayLike, dtype: ElementType | npt.DTypeLike | None
) -> tuple[npt.NDArray[Any], ElementType]:
    """A contiguous host array in native byte order, and its element type.

    `dtype` None takes the type from `values`. A named type converts within a kind or upwards (float64 to
    float32, int to float), never a float to an integer. HeadwaterError where an integer does not fit.
    """
    named = None if dtype is None else element_type(dtype)
    given = host_values(values, named)
    if given.dtype.names is not None:
        raise HeadwaterError(
            f"a structured array is no array of '{named or 'numbers'}'",
            hint="give the frozen dataclass of its fields, as in device.array(values, Particle)",
        )
    element = element_type(given.dtype) if named is None else named
    given = converted(given, scalar_of(element))
    if isinstance(element, VectorType) and (given.ndim < 2 or given.shape[-1] != element.size):
        raise HeadwaterError(
            f"an array of {element} is made from the shape (..., {element.size}), not {given.shape}"
        )
    # Not np.ascontiguousarray: it turns a single value into an array of one dimension.
    return np.asarray(given, order="C"), element


def host_value(value: object, element: ElementType) -> npt.NDArray[Any]:
    """One element's value on the host; HeadwaterError where it does not fit the type."""
    parts: Any = value
    if isinstance(value, _HOST_VECTORS):
        parts = tuple(getattr(value, name) for name in "xyzw"[: vector_size(value)])
    given = host_values(parts, element)
    if given.shape not in ((), host_shape(element, ())):
        raise HeadwaterError(f"a value of {element} was expected, not one of shape {given.shape}")
    return converted(given, scalar_of(element))


def host_values(values: npt.ArrayLike, wanted: ElementType | None) -> npt.NDArray[Any]:
    """What NumPy makes of host values; HeadwaterError where that is no array of numbers.

    Python integers beyond 64 bits become floats where a float type is wanted.
    """
    try:
        given: npt.NDArray[Any] = np.asarray(values)
    except ValueError:
        raise HeadwaterError(
            "the values do not form an array: their rows differ in length or in depth"
        ) from None
    made_here = given.dtype == object and not isinstance(values, np.ndarray)
    if not made_here or not all(isinstance(value, int) for value in given.flat):
        return given
    if wanted is None or not scalar_of(wanted).is_float:
        large = next(value for value in given.flat if not -(2**63) <= value < 2**63)
        kind = "any integer type" if wanted is None else str(scalar_of(wanted))
        raise HeadwaterError(f"the value {shown(large)} does not fit {kind}")
    try:
        return given.astype(np.float64)
    except OverflowError:
        large = max(given.flat, key=abs)
        raise HeadwaterError(f"the value {shown(large)} does not fit {scalar_of(wanted)}") from None


def converted(given: npt.NDArray[Any], scalar: ScalarType) -> npt.NDArray[Any]:
    """Host values in a type of the same or a higher kind; too large floats become infinite.

    HeadwaterError where an integer does not fit, or a float should become an integer.
    """
    if given.dtype == scalar.numpy:
        return given
    _check_kinds(given.dtype, scalar)
    if scalar.is_integer and given.size > 0 and not np.can_cast(given.dtype, scalar.numpy):
        low, high = scalar.limits
        for extreme in (int(given.min()), int(given.max())):
            if not low <= extreme <= high:
                raise HeadwaterError(f"the value {extreme} does not fit {scalar}")
    with np.errstate(over="ignore", under="ignore"):
        return given.astype(scalar.numpy)


def shown(value: int | float) -> str:
    """Short text of a number."""
    long = isinstance(value, int) and value.bit_length() > 128
    return f"of {int(value).bit_length()} bits" if long else str(value)


def _check_kinds(given: np.dtype[Any], wanted: ScalarType) -> None:
    known = ", ".join(scalar.name for scalar in SCALARS)
    if given.kind not in _RANKS:
        raise HeadwaterError(
            f"the dtype '{given}' is not one that kernels know", hint=f"use one of {known}"
        )
    if _RANKS[given.kind] > _RANKS[wanted.numpy.kind]:
        raise HeadwaterError(
            f"'{given}' values do not become '{wanted}' by themselves",
            hint="compare them, such as 'values != 0'"
            if wanted.is_bool
            else f"round them first, then .astype(np.{wanted})",
        )


def as_bytes(array: npt.NDArray[Any]) -> memoryview:
    """The memory of a contiguous, non-empty host array."""
    return array.data.cast("B")
