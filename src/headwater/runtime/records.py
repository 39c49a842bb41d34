"""Arrays of records: one array for each field, so that threads side by side read neighbours in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from headwater.errors import HeadwaterError, MemoryUseError
from headwater.runtime.array import Array
from headwater.runtime.elements import host_array
from headwater.runtime.layout import Shape, is_integer
from headwater.types import RecordArrayType, RecordType, is_record_class

if TYPE_CHECKING:
    from headwater.runtime.device import Device


class RecordArray:
    """Values of a frozen dataclass in the memory of one device; made by `Device.zeros(n, Particle)` and its kin.

    `dtype` is the dataclass. The array of a field is an attribute of the field's name, or `field(name)` where the name
    is taken; it is an `Array` (or a `RecordArray`, where the field is a dataclass) of the same shape, and what one
    writes the other sees. On the host the values are a structured NumPy array. Views are as those of `Array`.
    """

    __slots__ = ("__weakref__", "_arrays", "_fields", "_keys", "_record", "_type", "device")

    _arrays: tuple[Array, ...]
    _fields: dict[str, Any]  # by name, each an Array or a RecordArray
    _keys: tuple[object, ...]
    _record: RecordType
    _type: RecordArrayType
    device: Device

    def __init__(self, device: Device, record: RecordType, fields: dict[str, Any]) -> None:
        arrays = tuple(array for part in fields.values() for array in _arrays_of(part))
        kind = RecordArrayType(
            record.name,
            arrays[0].ndim,
            tuple((name, part._type) for name, part in fields.items()),
        )
        keys = (record, *(array._key for array in arrays))
        values = (device, record, fields, arrays, kind, keys)
        names = ("device", "_record", "_fields", "_arrays", "_type", "_keys")
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)

    @classmethod
    def _new(cls, device: Device, record: RecordType, shape: Shape, owner: str) -> RecordArray:
        """An array in memory of its own, whose values are not set."""
        fields: dict[str, Any] = {}
        for name, kind in record.fields:
            make: Any = cls if isinstance(kind, RecordType) else Array
            fields[name] = make._new(device, kind, shape, owner)
        return cls(device, record, fields)

    # --- what it is -------------------------------------------------------------------------------

    @property
    def dtype(self) -> type:
        """The dataclass of the elements."""
        return self._record.python

    @property
    def shape(self) -> Shape:
        """The lengths of the axes."""
        return self._arrays[0].shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._type.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._arrays[0].size

    @property
    def nbytes(self) -> int:
        """The bytes of the values, without padding."""
        return sum(array.nbytes for array in self._arrays)

    @property
    def owner(self) -> str:
        """The label under which the memory is counted."""
        return self._arrays[0].owner

    @property
    def live(self) -> bool:
        """Whether no field's memory has been freed."""
        return all(array.live for array in self._arrays)

    def __len__(self) -> int:
        return len(self._arrays[0])

    def __repr__(self) -> str:
        freed = "" if self.live else ", freed"
        name = self._record.name
        return f"RecordArray({name}, shape={self.shape}, device='{self.device.name}'{freed})"

    def __copy__(self) -> NoReturn:
        raise HeadwaterError(f"{self!r} is not copied by 'copy.copy'", hint="call .copy()")

    def __deepcopy__(self, _: object) -> NoReturn:
        raise HeadwaterError(f"{self!r} is not copied by 'copy.deepcopy'", hint="call .copy()")

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise HeadwaterError(
            f"{self!r} cannot be pickled: its values are in device memory",
            hint="call .numpy() to download a copy",
        )

    # --- fields and views -------------------------------------------------------------------------

    def field(self, name: str) -> Any:
        """The array of a field; HeadwaterError where there is no such field."""
        if name not in self._fields:
            known = ", ".join(f"'{field}'" for field in self._fields)
            raise HeadwaterError(f"'{self._record.name}' has no field '{name}'; it has {known}")
        return self._fields[name]

    # The results are Any, so that a kernel with annotated arguments passes a type checker.
    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._fields:
            return self._fields[name]
        known = ", ".join(f"'{field}'" for field in self._fields)
        raise AttributeError(f"{self!r} has no '{name}'; its fields are {known}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise HeadwaterError(
            f"'{name}' of {self!r} is not assigned on the host",
            hint="upload values with .write(...), such as a.m.write(values), or use a kernel",
        )

    def __getitem__(self, key: Any) -> Any:
        """A view of a part, as of an `Array`."""
        return self._each(lambda part: part[key])

    def __setitem__(self, key: Any, values: Any) -> None:
        """Always an error on the host: a transfer has a name."""
        raise HeadwaterError(
            f"elements of {self!r} are not assigned on the host",
            hint="upload values with .write(...) of a view, such as a[2:10].write(values), or use a kernel",
        )

    def __iter__(self) -> Iterator[Any]:
        raise HeadwaterError(f"{self!r} has no elements on the host", hint="call .numpy()")

    @property
    def T(self) -> RecordArray:
        """A view with the axes in the opposite order."""
        return self._each(lambda part: part.T)

    def transpose(self, *axes: int) -> RecordArray:
        """A view with the axes in the order given, or in the opposite one."""
        return self._each(lambda part: part.transpose(*axes))

    def reshape(self, *shape: int | tuple[int, ...]) -> RecordArray:
        """A view of the same elements in another shape, in which one length may be -1."""
        return self._each(lambda part: part.reshape(*shape))

    def _each(self, change: Callable[[Any], Any]) -> RecordArray:
        changed = {name: change(part) for name, part in self._fields.items()}
        return RecordArray(self.device, self._record, changed)

    # --- transfers --------------------------------------------------------------------------------

    def numpy(self) -> npt.NDArray[Any]:
        """Download a copy: a structured array, in which vectors are small arrays."""
        result: npt.NDArray[Any] = np.empty(self.shape, self._record.numpy)
        for name, part in self._fields.items():
            result[name] = part.numpy()
        return result

    def write(self, values: npt.NDArray[Any]) -> None:
        """Upload a structured array of this shape with the dataclass's fields, by name.

        Types convert as in `Device.array`. HeadwaterError where shape, fields or types do not fit.
        """
        given = structured(values, self._record)
        if given.shape != self.shape:
            raise HeadwaterError(f"{self!r} takes values of shape {self.shape}, not {given.shape}")
        for name, part in self._fields.items():
            if isinstance(part, RecordArray):
                part.write(given[name])
            else:
                part.write(host_array(given[name], part.dtype)[0])

    def fill(self, value: Any) -> None:
        """Set every element to one object of the dataclass, or every field to one number; 0 is False too."""
        same = isinstance(value, self.dtype)
        if not same and is_record_class(type(value)):
            raise HeadwaterError(
                f"a '{type(value).__qualname__}' is no value of {self!r}",
                hint=f"pass a '{self._record.name}', or a number for all fields",
            )
        number = False if not same and is_integer(value) and value == 0 else value
        for name, part in self._fields.items():
            part.fill(getattr(value, name) if same else number)

    def copy_from(self, source: RecordArray) -> None:
        """Copy all values of an array of the same dataclass and shape, from this or another device."""
        if not isinstance(source, RecordArray) or source._record is not self._record:
            raise HeadwaterError(f"{source!r} cannot be copied to {self!r}: types differ")
        for name, part in self._fields.items():
            part.copy_from(source._fields[name])

    def copy_to(self, device: Device, owner: str | None = None) -> RecordArray:
        """A new array with the same values on a device; the owner's label is kept unless one is given."""
        moved = {name: part.copy_to(device, owner) for name, part in self._fields.items()}
        return RecordArray(device, self._record, moved)

    def copy(self, owner: str | None = None) -> RecordArray:
        """A new array with the same values on the same device."""
        return self.copy_to(self.device, owner)

    def free(self) -> None:
        """Give the memory of all fields back now; MemoryUseError if that was done before."""
        alive = [array for array in self._arrays if array.live]
        if not alive:
            raise MemoryUseError(f"{self!r} was freed before")
        for array in alive:
            array.free()


def _arrays_of(part: Array | RecordArray) -> tuple[Array, ...]:
    return part._arrays if isinstance(part, RecordArray) else (part,)


def structured(values: object, record: RecordType) -> npt.NDArray[Any]:
    """Host values as a structured array with the fields of a record; HeadwaterError where they have others."""
    given = np.asarray(values) if isinstance(values, np.ndarray | np.void) else None
    wanted = {name for name, _ in record.fields}
    if given is None or given.dtype.names is None:
        came = type(values).__name__ if given is None else f"array of '{given.dtype}'"
        raise HeadwaterError(
            f"an array of '{record.name}' is made from a structured NumPy array, not from a '{came}'",
            hint=f"its dtype is {record.numpy}",
        )
    names = set(given.dtype.names)
    if names != wanted:
        wrong = min(names ^ wanted)
        problem = (
            f"has no field '{wrong}'" if wrong in wanted else f"has a field '{wrong}' too many"
        )
        raise HeadwaterError(
            f"the structured array for '{record.name}' {problem}",
            hint=f"its dtype is {record.numpy}",
        )
    return given
