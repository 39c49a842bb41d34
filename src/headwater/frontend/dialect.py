"""What differs between the faces of the language, and the guard of an index space."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.types import FLOAT32, INT32, ScalarType

# The lanes of a warp, on every device.
WARP_SIZE = 32


@dataclass(frozen=True, slots=True)
class Dialect:
    """The choices that a face of the language makes; nothing else differs between faces.

    `integer` and `floating` are what a weak value becomes where nothing strong decides.
    `wrap_subscripts` is whether a negative subscript that is not a literal counts from the end.
    """

    name: str
    integer: ScalarType
    floating: ScalarType
    wrap_subscripts: bool = False


HW = Dialect("hw", INT32, FLOAT32)


@dataclass(frozen=True, slots=True)
class Guard:
    """The kernel runs over an index space: threads beyond it return at once.

    `axes` is the number of axes (1 to 3). The extents are the int32 scalars ('%extent', 'x'), ...; with
    `count`, at most the one element of the int32 array ('%count',) on the device (one axis only).
    """

    axes: int = 1
    count: bool = False
