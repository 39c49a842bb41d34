"""Arrays in device memory. Every transfer is a call with a name; nothing is copied by itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from headwater.backends.contract import ArrayArgument, VectorLayout
from headwater.errors import DeviceError, HeadwaterError, MemoryUseError
from headwater.runtime.elements import (
    ElementType,
    Shape,
    as_bytes,
    components_of,
    host_array,
    host_shape,
    host_value,
    host_values,
    is_packed,
    row_major,
    scalar_of,
    span,
    strided_view,
)
from headwater.runtime.memory import Allocation
from headwater.types import ArrayType, VectorType

if TYPE_CHECKING:
    from headwater.runtime.device import Device


class Array:
    """Values of one type in the memory of one device; made by `Device.array`, `zeros`, `empty` or `full`.

    `dtype` is a scalar or vector type, `shape` has 1 to 3 lengths, `strides` are in elements, and `owner` is
    the label under which `headwater.memory_report` counts the memory. The memory is given back when the last
    reference is gone, or by `free`.
    """

    __slots__ = (
        "__weakref__",
        "_allocation",
        "_argument",
        "_key",
        "_layout",
        "_type",
        "device",
        "dtype",
        "shape",
        "strides",
    )

    def __init__(self, device: Device, dtype: ElementType, shape: Shape, owner: str) -> None:
        components, count, scalar = components_of(dtype), math.prod(shape), scalar_of(dtype)
        vector = isinstance(dtype, VectorType)
        layout = device.driver.vector_layout(components, count) if vector else VectorLayout(1, 0)
        nbytes = span(layout, components, count) * scalar.size
        if nbytes > device.capabilities.max_array_bytes:
            raise DeviceError(
                f"an array of {nbytes:,} bytes is too large for '{device.name}', "
                f"which takes up to {device.capabilities.max_array_bytes:,}"
            )
        self.device = device
        self.dtype = dtype
        self.shape = shape
        self.strides = row_major(shape)
        self._type = ArrayType(dtype, len(shape))
        self._key = device._array_key(self._type)
        self._layout = layout
        memory = device.driver.allocate(max(nbytes, 64))
        self._allocation = Allocation(device.driver, device.name, memory, owner)
        strides = tuple(stride * layout.element_stride for stride in self.strides)
        self._argument: ArrayArgument | None = ArrayArgument(
            memory, 0, shape, strides, layout.component_stride
        )

    # --- what it is -------------------------------------------------------------------------------

    @property
    def owner(self) -> str:
        """The label under which the memory is counted."""
        return self._allocation.owner

    @property
    def ndim(self) -> int:
        """The number of dimensions; the components of a vector are none."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The bytes of the values, without padding."""
        return self.size * components_of(self.dtype) * scalar_of(self.dtype).size

    @property
    def live(self) -> bool:
        """Whether the memory has not been freed."""
        return self._argument is not None

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        freed = "" if self.live else ", freed"
        return f"Array({self.dtype}, shape={self.shape}, device='{self.device.name}'{freed})"

    def __array__(self, *_: object, **__: object) -> NoReturn:
        raise HeadwaterError(
            f"{self!r} does not become a NumPy array by itself",
            hint="call .numpy() to download a copy",
        )

    def __copy__(self) -> NoReturn:
        raise HeadwaterError(f"{self!r} is not copied by 'copy.copy'", hint="call .copy()")

    def __deepcopy__(self, _: object) -> NoReturn:
        raise HeadwaterError(f"{self!r} is not copied by 'copy.deepcopy'", hint="call .copy()")

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise HeadwaterError(
            f"{self!r} cannot be pickled: its values are in device memory",
            hint="call .numpy() to download a copy",
        )

    def _refuse(self, *_: Any) -> Any:
        raise HeadwaterError(
            f"{self!r} has no elements and no arithmetic on the host: its values are in device memory",
            hint="call .numpy() to download a copy, or compute in a kernel",
        )

    # The result is Any, so that a kernel with annotated arguments passes a type checker.
    __getitem__ = __setitem__ = __delitem__ = __iter__ = __contains__ = _refuse
    __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = _refuse
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __abs__ = __matmul__ = _refuse

    def _usable(self) -> ArrayArgument:
        """What a launch passes; MemoryUseError after `free`."""
        argument = self._argument
        if argument is None:
            raise MemoryUseError(f"{self!r} is used after it was freed")
        return argument

    # --- transfers --------------------------------------------------------------------------------

    def numpy(self) -> npt.NDArray[Any]:
        """Download a copy, after all work launched before. Vectors come as a last axis of components."""
        memory = self._usable().memory
        components, scalar = components_of(self.dtype), scalar_of(self.dtype)
        result: npt.NDArray[Any] = np.empty(host_shape(self.dtype, self.shape), scalar.numpy)
        if result.size == 0:
            return result
        if is_packed(self._layout, components):
            self.device.driver.read(memory, 0, as_bytes(result))
            return result
        flat: npt.NDArray[Any] = np.empty(span(self._layout, components, self.size), scalar.numpy)
        self.device.driver.read(memory, 0, as_bytes(flat))
        view = strided_view(flat, self._layout, components, self.size)
        result.reshape(-1, components)[...] = view
        return result

    def write(self, values: npt.ArrayLike) -> None:
        """Upload values of this array's own type and shape, in any memory layout.

        Vectors are taken as a last axis of components. HeadwaterError where type or shape differ.
        """
        if isinstance(values, Array):
            raise HeadwaterError(f"{values!r} is in device memory", hint="use copy_from")
        given = host_values(values, self.dtype)
        expected = host_shape(self.dtype, self.shape)
        if given.dtype != scalar_of(self.dtype).numpy:
            raise HeadwaterError(
                f"values of '{given.dtype}' cannot be written to {self!r}",
                hint=f"convert them with .astype(np.{scalar_of(self.dtype)})",
            )
        if given.shape != expected:
            raise HeadwaterError(f"{self!r} takes values of shape {expected}, not {given.shape}")
        self._upload(host_array(given, self.dtype)[0])

    def _upload(self, host: npt.NDArray[Any]) -> None:
        """Write a contiguous host array of the right type and shape."""
        memory = self._usable().memory
        if host.size == 0:
            return
        components = components_of(self.dtype)
        if not is_packed(self._layout, components):
            flat: npt.NDArray[Any] = np.zeros(span(self._layout, components, self.size), host.dtype)
            strided_view(flat, self._layout, components, self.size)[...] = host.reshape(
                -1, components
            )
            host = flat
        self.device.driver.write(memory, 0, as_bytes(host))

    def fill(self, value: object) -> None:
        """Set every element to one value; a vector takes a number or its components.

        HeadwaterError where the value does not fit the type.
        """
        fitting = host_value(value, self.dtype)
        shape = host_shape(self.dtype, self.shape)
        if not fitting.any() and not np.signbit(fitting).any():
            self._upload(np.zeros(shape, fitting.dtype))  # pages that the system has cleared
        else:
            self._upload(np.broadcast_to(fitting, shape).copy())

    def copy_from(self, source: Array) -> None:
        """Copy all values of an array of the same type and shape, from this or another device."""
        if not isinstance(source, Array):
            raise HeadwaterError(
                f"an Array was expected, not '{type(source).__name__}'",
                hint="use write for host values",
            )
        if (source.dtype, source.shape) != (self.dtype, self.shape):
            raise HeadwaterError(f"{source!r} cannot be copied to {self!r}: types or shapes differ")
        origin, target = source._usable().memory, self._usable().memory
        if source.device is not self.device:
            self._upload(source.numpy())
        elif source is not self and self.size > 0:
            count = span(self._layout, components_of(self.dtype), self.size)
            self.device.driver.copy(origin, 0, target, 0, count * scalar_of(self.dtype).size)

    def copy_to(self, device: Device, owner: str | None = None) -> Array:
        """A new array with the same values on a device; the owner's label is kept unless one is given."""
        if not isinstance(device, type(self.device)):
            raise HeadwaterError(
                f"copy_to takes a Device, not {device!r}", hint="open one with hw.device(name)"
            )
        result = device.empty(self.shape, self.dtype, owner=owner or self.owner)
        result.copy_from(self)
        return result

    def copy(self, owner: str | None = None) -> Array:
        """A new array with the same values on the same device."""
        return self.copy_to(self.device, owner)

    def free(self) -> None:
        """Give the memory back now. MemoryUseError if that was done before; so is any later use."""
        self._allocation.free()
        self._argument = None
