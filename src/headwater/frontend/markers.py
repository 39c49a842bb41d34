"""What a name of the language is: a marker that the frontend knows, with its meaning for people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn

from headwater.errors import HeadwaterError
from headwater.types import HOST_VECTORS


def outside(name: str) -> HeadwaterError:
    """The error of a name that is used where no kernel is."""
    return HeadwaterError(
        f"'{name}' has a meaning only inside a kernel",
        hint="use it in a function decorated with @hw.kernel or @hw.function",
    )


@dataclass(frozen=True, repr=False)
class Marker:
    """A name of the language. Equal by name; `signature` and `meaning` are for people."""

    name: str
    signature: str = field(default="", compare=False)
    meaning: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Give the object a docstring of its own, which is what `help` shows."""
        object.__setattr__(self, "__doc__", self.meaning or None)

    def __repr__(self) -> str:
        return f"hw.{self.name}{self.signature}"


@dataclass(frozen=True, repr=False)
class Intrinsic(Marker):
    """A function of the language, such as `grid` or `atomic.add`."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Outside a kernel: an error."""
        raise outside(self.name)


@dataclass(frozen=True, repr=False)
class VectorConstructor(Intrinsic):
    """`vec3` and its kin: a vector value in a kernel, a `Vec3` on the host."""

    size: int = 3

    # The result is Any, because the size is a value and not a type.
    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """On the host: the components as they are given."""
        return HOST_VECTORS[self.size](*arguments, **keywords)


@dataclass(frozen=True, repr=False)
class ThreadValue(Marker):
    """A number that each thread has, such as `laneid`."""


@dataclass(frozen=True, repr=False)
class Axes(Marker):
    """Three int32 values, such as `threadIdx`; `kind` is that of `ir.Index`."""

    kind: str = ""

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
        raise outside(f"{self.name}.{axis}")


class Namespace:
    """A group of intrinsics, such as `atomic`."""

    def __init__(self, name: str, *members: Intrinsic) -> None:
        self.name = name
        self.members = {member.name.removeprefix(f"{name}."): member for member in members}
        self.__doc__ = "\n\n".join(f"{member!r}\n{member.meaning}" for member in members)

    def __getattr__(self, name: str) -> Intrinsic:
        members: dict[str, Intrinsic] = self.__dict__.get("members", {})
        if name not in members:
            known = ", ".join(members)
            raise AttributeError(f"'{self.__dict__.get('name')}' has no '{name}'; it has {known}")
        return members[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.members]

    def __repr__(self) -> str:
        return f"hw.{self.name}, which has {', '.join(self.members)}"
