"""Devices: found by name, opened once, and the makers of arrays."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy.typing as npt

from headwater import config
from headwater.backends import registry
from headwater.backends.contract import Absence, Capabilities, Driver
from headwater.errors import DeviceError, HeadwaterError
from headwater.runtime.array import Array
from headwater.runtime.elements import ElementType, array_shape, element_type, host_array
from headwater.runtime.records import RecordArray, structured
from headwater.types import FLOAT32, ArrayType, VectorType, is_record_class, record_type

if TYPE_CHECKING:
    from _typeshed import DataclassInstance as Record

_DEFAULT_OWNER = "array"


class ArrayKey:
    """Stands for one array type on one device. Compared by identity, so that a launch looks it up fast."""

    __slots__ = ("device", "type")

    def __init__(self, device: Device, kind: ArrayType) -> None:
        self.device = device
        self.type = kind


class Device:
    """One open device; `headwater.device` gives the same object each time. Equal only to itself."""

    def __init__(self, name: str, driver: Driver) -> None:
        self.name = name
        self.driver = driver
        self._array_keys: dict[ArrayType, ArrayKey] = {}

    @property
    def capabilities(self) -> Capabilities:
        """What the device can do, and its limits."""
        return self.driver.capabilities

    @property
    def settings(self) -> Mapping[str, int]:
        """The values of the options that the device runs with, given or not: 'threads' and 'lanes' of 'cpu', say."""
        return self.driver.settings

    @property
    def description(self) -> str:
        """The device in words, for people."""
        return self.driver.info.description

    def __repr__(self) -> str:
        return f"Device('{self.name}')"

    def _array_key(self, kind: ArrayType) -> ArrayKey:
        """The one key of arrays of this type here."""
        key = self._array_keys.get(kind)
        return key if key is not None else self._array_keys.setdefault(kind, ArrayKey(self, kind))

    @overload
    def array(
        self, values: npt.NDArray[Any], dtype: type[Record], *, owner: str = ...
    ) -> RecordArray: ...

    @overload
    def array(
        self,
        values: npt.ArrayLike,
        dtype: ElementType | npt.DTypeLike | None = None,
        *,
        owner: str = ...,
    ) -> Array: ...

    def array(self, values: Any, dtype: Any = None, *, owner: str = _DEFAULT_OWNER) -> Any:
        """Upload a copy of host values of 1 to 4 dimensions, in any memory layout.

        The type comes from the values unless `dtype` names one. A vector type takes a last axis of components, and a
        frozen dataclass a structured array with its fields. Raises HeadwaterError for a type that kernels do not know
        or an integer that does not fit the one named, DeviceError without memory for it.
        """
        if isinstance(values, Array | RecordArray):
            raise HeadwaterError(
                f"{values!r} is in device memory", hint="use .copy_to(device) or .copy()"
            )
        if is_record_class(dtype):
            given = structured(values, record_type(dtype))
            records = self.empty(array_shape(given.shape), dtype, owner=owner)
            records.write(given)
            return records
        host, element = host_array(values, dtype)
        lengths = host.shape[:-1] if isinstance(element, VectorType) else host.shape
        result = Array._new(self, element, array_shape(lengths), owner)
        result._upload(host)
        return result

    @overload
    def empty(
        self, shape: int | tuple[int, ...], dtype: type[Record], *, owner: str = ...
    ) -> RecordArray: ...

    @overload
    def empty(
        self,
        shape: int | tuple[int, ...],
        dtype: ElementType | npt.DTypeLike = FLOAT32,
        *,
        owner: str = ...,
    ) -> Array: ...

    def empty(
        self,
        shape: int | tuple[int, ...],
        dtype: Any = FLOAT32,
        *,
        owner: str = _DEFAULT_OWNER,
    ) -> Any:
        """A new array whose values are not set; of records where `dtype` is a frozen dataclass."""
        if is_record_class(dtype):
            return RecordArray._new(self, record_type(dtype), array_shape(shape), owner)
        return Array._new(self, element_type(dtype), array_shape(shape), owner)

    @overload
    def zeros(
        self, shape: int | tuple[int, ...], dtype: type[Record], *, owner: str = ...
    ) -> RecordArray: ...

    @overload
    def zeros(
        self,
        shape: int | tuple[int, ...],
        dtype: ElementType | npt.DTypeLike = FLOAT32,
        *,
        owner: str = ...,
    ) -> Array: ...

    def zeros(
        self,
        shape: int | tuple[int, ...],
        dtype: Any = FLOAT32,
        *,
        owner: str = _DEFAULT_OWNER,
    ) -> Any:
        """A new array of zeros."""
        return self.full(shape, False, dtype, owner=owner)

    @overload
    def full(
        self, shape: int | tuple[int, ...], value: object, dtype: type[Record], *, owner: str = ...
    ) -> RecordArray: ...

    @overload
    def full(
        self,
        shape: int | tuple[int, ...],
        value: object,
        dtype: ElementType | npt.DTypeLike = FLOAT32,
        *,
        owner: str = ...,
    ) -> Array: ...

    def full(
        self,
        shape: int | tuple[int, ...],
        value: object,
        dtype: Any = FLOAT32,
        *,
        owner: str = _DEFAULT_OWNER,
    ) -> Any:
        """A new array with one value everywhere: of vectors a number or the components, of records an object."""
        result = self.empty(shape, dtype, owner=owner)
        result.fill(value)
        return result

    def synchronize(self) -> None:
        """Wait until all work of the device is done."""
        self.driver.synchronize()


# --- finding them ---------------------------------------------------------------------------------

_open: dict[tuple[str, tuple[tuple[str, type, str], ...]], Device] = {}
_opening = threading.Lock()


def device(name: str | None = None, **options: Any) -> Device:
    """The device of a name such as 'cpu' or 'reference'; the default one without a name.

    `headwater.devices()` lists the names. `options` are the backend's own, and each set of options is a device of
    its own, with its own arrays:

    - 'cpu': `threads`, how many threads run blocks (all usable cores, or HEADWATER_THREADS), and `lanes`, the SIMD
      width in 32-bit lanes: 1, 4, 8 or 16 (the machine's own, or HEADWATER_LANES);
    - 'reference': `backwards=1` runs the threads of a launch in the opposite order, which shows races;
    - 'vulkan' and the other devices of WebGPU: `checked=1` keeps bounds checks in the kernels.

    Raises DeviceError for an unknown name, with the names there are and why others are missing, and for an option
    that the device does not have.
    """
    wanted = config.DEVICE.read() if name is None else name
    if not isinstance(wanted, str):
        raise DeviceError(
            f"a device's name is a text such as 'cpu', not {wanted!r}",
            hint="hw.devices() lists the names",
        )
    # True equals 1, but a device may take one and refuse the other.
    given = sorted((option, type(value), repr(value)) for option, value in options.items())
    key = (wanted.removesuffix(":0"), tuple(given))
    known = _open.get(key)
    if known is not None:
        return known
    with _opening:
        return _open.get(key) or _open.setdefault(key, _open_device(key[0], options))


def _open_device(name: str, options: dict[str, Any]) -> Device:
    backend, position = registry.find(name)
    label = ", ".join([name, *(f"{option}={value}" for option, value in options.items())])
    return Device(label, backend.open(position, **options))


@dataclass(frozen=True, slots=True)
class Listing:
    """A device that can be opened, or (with `missing`) why a backend has none here.

    `same_as` names another device that is the same hardware and should be preferred.
    """

    name: str
    description: str
    missing: bool = False
    same_as: str = ""


def devices() -> tuple[Listing, ...]:
    """Every device there is, then every backend that has none, with the reason and what would help."""
    found: list[Listing] = []
    absent: list[Listing] = []
    for backend in registry.backends().values():
        infos = backend.devices()
        if isinstance(infos, Absence):
            absent.append(Listing(backend.name, f"{infos.reason}; {infos.hint}", missing=True))
            continue
        for info in infos:
            name = info.name if info.index == 0 else f"{info.name}:{info.index}"
            found.append(Listing(name, info.description, same_as=info.same_as))
    return (*found, *absent)
