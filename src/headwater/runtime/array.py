"""Arrays in device memory. Every transfer is a call with a name; nothing is copied by itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from headwater.backends.contract import ArrayArgument, VectorLayout
from headwater.errors import DeviceError, HeadwaterError, MemoryUseError
from headwater.runtime.elements import (
    ElementType,
    as_bytes,
    components_of,
    host_array,
    host_shape,
    host_value,
    host_values,
    reshape_target,
    scalar_of,
)
from headwater.runtime.layout import Layout, Shape, pieces, reshaped, subscripted, transposed, whole
from headwater.runtime.memory import Allocation
from headwater.types import ArrayType, VectorType

if TYPE_CHECKING:
    from headwater.runtime.device import Device


class Array:
    """Values of one type in the memory of one device; made by `Device.array`, `zeros`, `empty` or `full`.

    `dtype` is a scalar or vector type, `shape` has 1 to 4 lengths, `strides` are in elements, and `owner` is
    the label under which `headwater.memory_report` counts the memory. The memory is given back when the last
    reference is gone, or by `free`.

    A view (`a[2:10, ::2]`, `a[3]`, `a.T`, `a.transpose(...)`, `a.reshape(...)`) is an array on the same memory: what
    one writes the other sees, either keeps the memory, and `free` of one ends both.
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
    )

    def __init__(
        self, device: Device, dtype: ElementType, layout: Layout, allocation: Allocation
    ) -> None:
        self.device = device
        self.dtype = dtype
        rows = not layout.contiguous and layout.strides[-1] == 1
        self._type = ArrayType(dtype, len(layout.shape), layout.contiguous, unit_rows=rows)
        self._key = device._array_key(self._type)
        self._layout = layout
        self._allocation = allocation
        element = layout.element_stride
        self._argument = ArrayArgument(
            allocation.memory,
            layout.offset * element * scalar_of(dtype).size,
            layout.shape,
            tuple(stride * element for stride in layout.strides),
            layout.component_stride,
        )

    @classmethod
    def _new(cls, device: Device, dtype: ElementType, shape: Shape, owner: str) -> Array:
        """An array in memory of its own, whose values are not set."""
        components, count, scalar = components_of(dtype), math.prod(shape), scalar_of(dtype)
        vector = isinstance(dtype, VectorType)
        lies = device.driver.vector_layout(components, count) if vector else VectorLayout(1, 0)
        layout = whole(shape, components, lies)
        nbytes = layout.span * scalar.size
        if nbytes > device.capabilities.max_array_bytes:
            raise DeviceError(
                f"an array of {nbytes:,} bytes is too large for '{device.name}', "
                f"which takes up to {device.capabilities.max_array_bytes:,}"
            )
        memory = device.driver.allocate(max(nbytes, 64))
        return cls(device, dtype, layout, Allocation(device.driver, device.name, memory, owner))

    # --- what it is -------------------------------------------------------------------------------

    @property
    def owner(self) -> str:
        """The label under which the memory is counted."""
        return self._allocation.owner

    @property
    def shape(self) -> Shape:
        """The lengths of the axes."""
        return self._layout.shape

    @property
    def strides(self) -> Shape:
        """How many elements apart neighbours along each axis lie; negative where an axis runs backwards."""
        return self._layout.strides

    @property
    def ndim(self) -> int:
        """The number of dimensions; the components of a vector are none."""
        return len(self._layout.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._layout.size

    @property
    def nbytes(self) -> int:
        """The bytes of the values, without padding."""
        return self.size * components_of(self.dtype) * scalar_of(self.dtype).size

    @property
    def live(self) -> bool:
        """Whether the memory has not been freed."""
        return not self._allocation.freed

    def __len__(self) -> int:
        return self._layout.shape[0]

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
            f"{self!r} has no arithmetic on the host: its values are in device memory",
            hint="call .numpy() to download a copy, or compute in a kernel",
        )

    def __setitem__(self, key: Any, values: Any) -> None:
        """Always an error on the host: a transfer has a name."""
        raise HeadwaterError(
            f"elements of {self!r} are not assigned on the host",
            hint="upload values with .write(...) of a view, such as a[2:10].write(values), or use a kernel",
        )

    def __iter__(self) -> Iterator[Any]:
        """Always an error: each element would be a transfer of its own."""
        raise HeadwaterError(
            f"the host does not go through {self!r}: its values are in device memory",
            hint="call .numpy() to download a copy, and loop over that",
        )

    __delitem__ = __contains__ = _refuse
    __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = _refuse
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __abs__ = __matmul__ = _refuse

    def _usable(self) -> ArrayArgument:
        """What a launch passes; MemoryUseError after `free`."""
        if self._allocation.freed:
            raise MemoryUseError(f"{self!r} is used after it was freed")
        return self._argument

    # --- views ------------------------------------------------------------------------------------

    # The result is Any, so that a kernel with annotated arguments passes a type checker.
    def __getitem__(self, key: Any) -> Any:
        """A view of a part: integers, slices with any step, and `...`, as in NumPy.

        HeadwaterError for other subscripts, for an index outside, and for a single element.
        """
        return self._view(subscripted(self._layout, key))

    @property
    def T(self) -> Array:
        """A view with the axes in the opposite order."""
        return self.transpose()

    def transpose(self, *axes: int | tuple[int, ...]) -> Array:
        """A view with the axes in the order given (one by one, or as a tuple), or in the opposite one."""
        order: Any = axes[0] if len(axes) == 1 and isinstance(axes[0], tuple | list) else axes
        return self._view(transposed(self._layout, order))

    def reshape(self, *shape: int | tuple[int, ...]) -> Array:
        """A view of the same elements in another shape, in which one length may be -1.

        HeadwaterError where the numbers of elements differ, or where the elements do not lie in a row.
        """
        return self._view(reshaped(self._layout, reshape_target(shape)))

    def _view(self, layout: Layout) -> Array:
        return Array(self.device, self.dtype, layout, self._allocation)

    # --- transfers --------------------------------------------------------------------------------

    def numpy(self) -> npt.NDArray[Any]:
        """Download a copy, after all work launched before. Vectors come as a last axis of components."""
        memory, size = self._usable().memory, scalar_of(self.dtype).size
        read, kind = self.device.driver.read, scalar_of(self.dtype).numpy
        result: npt.NDArray[Any] = np.empty(host_shape(self.dtype, self.shape), kind)
        for piece in pieces(self._layout):
            target = piece.part(result)
            if piece.packed and target.flags.c_contiguous:
                read(memory, piece.first * size, as_bytes(target))
                continue
            flat: npt.NDArray[Any] = np.empty(piece.count, kind)
            read(memory, piece.first * size, as_bytes(flat))
            target[...] = piece.view(flat)
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
        """Write host values of the right type, of this array's shape or of one element."""
        memory, size, driver = self._usable().memory, host.itemsize, self.device.driver
        filling = host.shape != host_shape(self.dtype, self.shape)
        zero = filling and not host.any() and not np.signbit(host).any()
        for piece in pieces(self._layout):
            values = piece.part(host)
            if piece.packed and not filling and values.flags.c_contiguous:
                driver.write(memory, piece.first * size, as_bytes(values))
                continue
            # The system clears pages only when they are touched.
            flat: npt.NDArray[Any] = np.zeros(piece.count, host.dtype)
            if not piece.dense:
                driver.read(memory, piece.first * size, as_bytes(flat))
            if not (zero and piece.dense):
                piece.view(flat)[...] = values
            driver.write(memory, piece.first * size, as_bytes(flat))

    def fill(self, value: object) -> None:
        """Set every element to one value; a vector takes a number or its components.

        HeadwaterError where the value does not fit the type.
        """
        self._upload(np.broadcast_to(host_value(value, self.dtype), host_shape(self.dtype, ())))

    def copy_from(self, source: Array) -> None:
        """Copy all values of an array of the same type and shape, from this or another device."""
        if not isinstance(source, Array):
            raise HeadwaterError(
                f"an Array was expected, not '{type(source).__name__}'",
                hint="use write for host values",
            )
        if (source.dtype, source.shape) != (self.dtype, self.shape):
            raise HeadwaterError(f"{source!r} cannot be copied to {self!r}: types or shapes differ")
        origin, target = source._usable(), self._usable()
        same_device = source.device is self.device
        if same_device and origin == target:
            return
        in_rows = self._layout.contiguous and source._layout.contiguous
        if not same_device or not in_rows or origin.memory == target.memory:
            self._upload(source.numpy())
            return
        size = scalar_of(self.dtype).size
        for there, here in zip(pieces(source._layout), pieces(self._layout), strict=True):
            first, at, nbytes = there.first * size, here.first * size, here.count * size
            self.device.driver.copy(origin.memory, first, target.memory, at, nbytes)

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
        """Give the memory back now, also that of views. MemoryUseError if that was done before; so is any later use."""
        self._allocation.free()
