"""Particles as a set of arrays, one for each field."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

import headwater as hw
from headwater.errors import DomainError, HeadwaterError
from headwater.particles.domain import Domain
from headwater.primitives import Workspace, gather, select
from headwater.runtime.array import Array
from headwater.runtime.device import Device
from headwater.runtime.elements import (
    ElementType,
    converted,
    element_type,
    host_shape,
    host_values,
    scalar_of,
)
from headwater.types import BOOL, FLOAT32, FLOAT64, INT32, UINT32, ScalarType, VectorType

_RESERVED = ("id", "removed", "count")
_OWNER = "particles"


@hw.kernel
def _append(destination, source, start):
    i = hw.grid(1)
    destination[start + i] = source[i]


@hw.kernel
def _find_kept(kept, removed, flags):
    """Which particles stay; the marks are reset, because the marked ones go now."""
    i = hw.grid(1)
    kept[i] = hw.int32(removed[i] == 0 and not bool(flags[i]))
    removed[i] = 0


@hw.kernel
def _clamp(places, order, count):
    i = hw.grid(1)
    places[i] = min(max(order[i], 0), count[0] - 1)


class ParticleSet:
    """Up to `capacity` particles with named fields on a device.

    In a kernel `p.name[i]` is field `name` of particle i, and fields that a kernel does not name are not passed.
    Beside the fields given there are always

    - `position`: vec3 of float32, or as `fields` says; in the domain's length unit;
    - `id`: int32, 0, 1, 2 ... in the order in which particles were added, never used again;
    - `removed`: int32, 0; a kernel that writes another value marks the particle. It takes part in everything until
      the next `CellGrid.update` or `remove` drops it;
    - `count`: an int32 array of one element, the number of particles. Launch with
      `kernel.over(p.count, capacity=p.capacity)`.

    Kernels read `p.id` and `p.count`, and cannot write them.

    Fields named in `transient` hold values of one step only: they are not carried along when particles change
    places, and are unknown after that. On the host `p.name` is the field's array of this moment: it is another one
    after each reordering. Values are given by `p.name.write(...)` or `p.name.copy_from(...)`; nothing can be
    assigned to `p.name`.
    """

    __slots__ = (
        "__weakref__",
        "_arrays",
        "_capacity",
        "_device",
        "_domain",
        "_next_id",
        "_spares",
        "_transient",
        "_types",
        "_version",
        "_workspace",
    )

    __kernel_read_only__ = frozenset({"id", "count"})

    def __init__(
        self,
        device: Device,
        domain: Domain,
        capacity: int,
        fields: Mapping[str, ElementType | npt.DTypeLike] | None = None,
        *,
        transient: Iterable[str] = (),
        workspace: Workspace | None = None,
    ) -> None:
        """DomainError for a capacity below 1, reserved or unknown names, or a position that is no float vec3."""
        if not isinstance(device, Device):
            raise DomainError(f"a particle set lives on a Device, not on {device!r}")
        if not isinstance(domain, Domain):
            raise DomainError(f"a particle set lives in a Domain, not in {domain!r}")
        whole = isinstance(capacity, int | np.integer) and not isinstance(capacity, bool)
        if not whole or not 1 <= capacity < 2**31 - 2**16:
            raise DomainError(
                f"a capacity of 1 to 2^31 - 2^16 particles is possible, not {capacity!r}"
            )
        self._device = device
        self._domain = domain
        self._capacity = int(capacity)
        self._workspace = workspace or Workspace(device, _OWNER)
        self._version = 0
        self._types = _field_types(fields or {})
        self._transient = frozenset([transient] if isinstance(transient, str) else transient)
        unknown = sorted(self._transient - set(self._types))
        if unknown:
            raise DomainError(f"there is no field '{unknown[0]}' that could be transient")
        self._arrays = {name: self._zeros(kind) for name, kind in self._types.items()}
        self._spares = {
            name: self._zeros(kind)
            for name, kind in self._types.items()
            if name not in self._transient
        }
        self._arrays["removed"] = self._zeros(INT32)
        self._arrays["count"] = device.zeros(1, INT32, owner=_OWNER)
        self._next_id = 0

    def _zeros(self, kind: ElementType) -> Array:
        return self.device.zeros(self.capacity, kind, owner=_OWNER)

    def __getattr__(self, name: str) -> Array:
        if name in ParticleSet.__slots__:  # not set yet
            raise AttributeError(name)
        if name not in self._arrays:
            raise AttributeError(
                f"the particles have no field '{name}'; they have {', '.join(self._arrays)}"
            )
        return self._arrays[name]

    def __setattr__(self, name: str, value: object) -> None:
        if name in ParticleSet.__slots__:
            super().__setattr__(name, value)
        elif name in self._arrays:
            raise DomainError(
                f"'{name}' of the particles is an array on the device, and no other takes its place",
                hint=f"use p.{name}.write(...) or p.{name}.copy_from(...)",
            )
        else:
            raise DomainError(f"'{name}' of the particles cannot be assigned", hint=self._hint())

    def __kernel_argument__(self) -> Mapping[str, object]:
        return self._arrays

    def __repr__(self) -> str:
        return f"ParticleSet({', '.join(self._types)}; capacity {self.capacity})"

    @property
    def device(self) -> Device:
        """Where the fields are."""
        return self._device

    @property
    def domain(self) -> Domain:
        """The box, and along which axes it is periodic."""
        return self._domain

    @property
    def capacity(self) -> int:
        """How many particles there is room for; the length of each field."""
        return self._capacity

    @property
    def workspace(self) -> Workspace:
        """Scratch arrays of sorting and removing."""
        return self._workspace

    @property
    def version(self) -> int:
        """Counts how often particles were added, removed or reordered; not how often they moved."""
        return self._version

    @property
    def fields(self) -> Mapping[str, ElementType]:
        """The type of each field, `position` and `id` included."""
        return dict(self._types)

    @property
    def scalar(self) -> ScalarType:
        """The scalar type of positions."""
        return scalar_of(self._types["position"])

    # --- on the host ------------------------------------------------------------------------------

    def __len__(self) -> int:
        """How many particles there are, those marked as removed left out. Waits for the device."""
        return int(np.count_nonzero(self._kept_on_host()))

    def host(self, name: str) -> npt.NDArray[Any]:
        """Download a field of all particles, those marked as removed left out; (n,) or (n, 3)."""
        if name not in self._types:
            raise DomainError(f"the particles have no field '{name}'", hint=self._hint())
        kept = self._kept_on_host()
        return self._arrays[name].numpy()[: len(kept)][kept]

    def _kept_on_host(self) -> npt.NDArray[np.bool_]:
        marks: npt.NDArray[np.bool_] = self._arrays["removed"].numpy()[: self._host_count()] == 0
        return marks

    def _host_count(self) -> int:
        return int(self._arrays["count"].numpy()[0])

    def _hint(self) -> str:
        return f"the fields are {', '.join(self._types)}"

    # --- adding and removing ----------------------------------------------------------------------

    def add(self, position: npt.ArrayLike, **values: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Append particles at positions (n, 3); returns their ids.

        Each field takes one value for each particle, or one for all; fields left out are 0. Cell grids of the set
        must be updated before their next use. DomainError where the capacity does not suffice, positions are
        not finite, or a field or shape does not fit.
        """
        points = self._host_values("position", position, None)
        added, start = len(points), self._host_count()
        if start + added > self.capacity:
            raise DomainError(
                f"{added} particles do not fit: {start} of {self.capacity} places are taken"
            )
        if not np.isfinite(points).all():
            worst = int(np.argmin(np.isfinite(points).all(axis=1)))
            raise DomainError(f"position {worst} is not finite: {points[worst].tolist()}")
        unknown = sorted(set(values) - (set(self._types) - {"id"}))
        if unknown:
            raise DomainError(f"the particles have no field '{unknown[0]}'", hint=self._hint())
        ids = np.arange(self._next_id, self._next_id + added, dtype=np.int32)
        given = {name: self._host_values(name, v, added) for name, v in values.items()}
        given |= {"position": points, "id": ids}
        if added == 0:
            return ids
        for name, kind in self._types.items():
            blank = np.zeros(host_shape(kind, (added,)), scalar_of(kind).numpy)
            staged = self.device.array(given.get(name, blank), kind, owner=_OWNER)
            _append.over(added)(self._arrays[name], staged, start)
        self._arrays["count"].fill(start + added)
        self._next_id += added
        self._version += 1
        return ids

    def _host_values(self, name: str, values: npt.ArrayLike, count: int | None) -> npt.NDArray[Any]:
        """Values of a field in its type; (n, 3) positions if `count` is None."""
        kind = self._types[name]
        try:
            given = host_values(values, kind)
        except HeadwaterError as error:
            raise DomainError(f"field '{name}': {error.message}", hint=error.hint) from None
        shape = host_shape(kind, (len(given) if count is None and given.ndim else count or 0,))
        try:
            fitting = given if count is None else np.broadcast_to(given, shape)
        except ValueError:
            fitting = given
        if fitting.shape != shape:
            raise DomainError(f"field '{name}' takes the shape {shape}, not {given.shape}")
        try:
            return np.ascontiguousarray(converted(fitting, scalar_of(kind)))
        except HeadwaterError as error:
            raise DomainError(f"field '{name}': {error.message}", hint=error.hint) from None

    def remove(self, flags: Array) -> None:
        """Drop the particles with a true flag, and those marked as removed; the others keep their order.

        `flags` is a bool, int32 or uint32 array on the device, of at least the capacity. The host does not wait.
        Cell grids of the set must be updated before their next use. DomainError for other flags.
        """
        kept = self.workspace.array("particles.kept", self.capacity, INT32)
        order = self.workspace.array("particles.order", self.capacity, INT32)
        total = self.workspace.array("particles.total", 1, INT32)
        count = self._arrays["count"]
        self._check("flags", flags, BOOL, INT32, UINT32)
        _find_kept.over(count, capacity=self.capacity)(kept, self._arrays["removed"], flags)
        select(kept, order, total, count=count, workspace=self.workspace)
        count.copy_from(total)
        self._permute(order)

    def _check(self, name: str, given: Array, *dtypes: ScalarType) -> None:
        """DomainError unless it is an array with an element of such a type for each place."""
        if not isinstance(given, Array):
            raise DomainError(
                f"'{name}' must be an Array on a device, not a '{type(given).__name__}'",
                hint="upload it with device.array(...)",
            )
        if given.ndim != 1 or given.dtype not in dtypes:
            known = ", ".join(map(str, dtypes))
            raise DomainError(f"'{name}' must hold {known} in one dimension, not {given!r}")
        if len(given) < self.capacity:
            raise DomainError(f"'{name}' must have {self.capacity} elements, not {len(given)}")

    def reorder(self, order: Array) -> None:
        """Put particle order[i] in place i, for all i below `count`: `order` is an int32 array on the device.

        It has at least the capacity's length, and is meant to hold each of 0 ... count - 1 once: of two equal
        values both copy one particle, its id too, and those outside of 0 ... count - 1 count as the nearest
        that is there. Transient fields are not carried along. Cell grids of the set must be updated before their
        next use. DomainError for another type or a smaller length.
        """
        self._check("order", order, INT32)
        places = self.workspace.array("particles.order", self.capacity, INT32)
        count = self._arrays["count"]
        _clamp.over(count, capacity=self.capacity)(places, order, count)
        self._permute(places)

    def _permute(self, order: Array) -> None:
        """As `reorder`, for orders that Headwater itself made on the device: nothing is checked."""
        count = self._arrays["count"]
        for name, spare in self._spares.items():
            current = self._arrays[name]
            gather(spare, current, order, count=count, workspace=self.workspace)
            self._arrays[name], self._spares[name] = spare, current
        self._version += 1


def _field_types(
    fields: Mapping[str, ElementType | npt.DTypeLike],
) -> dict[str, ElementType]:
    """The types by name: position and id first."""
    if not isinstance(fields, Mapping):
        raise DomainError(
            f"'fields' are types by name, not {fields!r}", hint="write {'density': hw.float32}"
        )
    for name in fields:
        if not _is_field_name(name):
            raise DomainError(f"{name!r} cannot be the name of a field")
    kinds = {name: _field_type(name, kind) for name, kind in fields.items()}
    position = kinds.pop("position", VectorType(FLOAT32, 3))
    if position not in (VectorType(FLOAT32, 3), VectorType(FLOAT64, 3)):
        raise DomainError(f"positions are vec3f or vec3d, not {position}")
    return {"position": position, "id": INT32, **kinds}


def _is_field_name(name: object) -> bool:
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        return False
    return name not in _RESERVED and not hasattr(ParticleSet, name)


def _field_type(name: str, kind: ElementType | npt.DTypeLike) -> ElementType:
    try:
        return element_type(kind)
    except HeadwaterError as error:
        raise DomainError(f"field '{name}': {error.message}", hint=error.hint) from None
