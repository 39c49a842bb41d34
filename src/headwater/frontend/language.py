"""The names that users write in kernels.

Each is a marker that the frontend knows by identity. Called or read outside a kernel it raises an error
that says so. Scalar and vector types are the objects of `headwater.types`: dtypes for arrays, casts in kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from headwater.errors import HeadwaterError
from headwater.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    UINT32,
    Vec3,
    VectorType,
)


def _outside(name: str) -> HeadwaterError:
    return HeadwaterError(
        f"'{name}' has a meaning only inside a kernel",
        hint="use it in a function decorated with @hw.kernel or @hw.function",
    )


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """A function of the language, such as `grid` or `atomic.add`."""

    name: str

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Outside a kernel: an error."""
        raise _outside(self.name)


@dataclass(frozen=True, slots=True)
class VectorConstructor(Intrinsic):
    """`vec3`: a vector value in a kernel, a `Vec3` on the host."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Vec3:
        """On the host: the components as they are given."""
        return Vec3(*arguments, **keywords)


@dataclass(frozen=True, slots=True)
class Axes:
    """Three int32 values, such as `threadIdx`; `kind` is that of `ir.Index`."""

    name: str
    kind: str

    @property
    def x(self) -> Any:
        """The fastest axis."""
        return self._outside("x")

    @property
    def y(self) -> Any:
        """The middle axis."""
        return self._outside("y")

    @property
    def z(self) -> Any:
        """The slowest axis."""
        return self._outside("z")

    def _outside(self, axis: str) -> NoReturn:
        raise _outside(f"{self.name}.{axis}")


class Namespace:
    """A group of intrinsics, such as `atomic`."""

    def __init__(self, name: str, *members: str) -> None:
        self.name = name
        self.members = {member: Intrinsic(f"{name}.{member}") for member in members}

    def __getattr__(self, name: str) -> Intrinsic:
        members: dict[str, Intrinsic] = self.__dict__.get("members", {})
        if name not in members:
            known = ", ".join(members)
            raise AttributeError(f"'{self.__dict__.get('name')}' has no '{name}'; it has {known}")
        return members[name]


grid = Intrinsic("grid")
gridsize = Intrinsic("gridsize")
syncthreads = Intrinsic("syncthreads")
uniform = Intrinsic("uniform")
select = Intrinsic("select")
sqrt = Intrinsic("sqrt")
floor = Intrinsic("floor")
ceil = Intrinsic("ceil")
dot = Intrinsic("dot")
cross = Intrinsic("cross")
length = Intrinsic("length")
min = Intrinsic("min")
max = Intrinsic("max")
abs = Intrinsic("abs")
vec3 = VectorConstructor("vec3")

threadIdx = Axes("threadIdx", "thread")
blockIdx = Axes("blockIdx", "block")
blockDim = Axes("blockDim", "block_size")
gridDim = Axes("gridDim", "grid_size")

shared = Namespace("shared", "array")
atomic = Namespace("atomic", "add", "min", "max")

int32 = INT32
uint32 = UINT32
int64 = INT64
float32 = FLOAT32
float64 = FLOAT64
boolean = BOOL
vec3f = VectorType(FLOAT32, 3)
vec3d = VectorType(FLOAT64, 3)
vec3i = VectorType(INT32, 3)
