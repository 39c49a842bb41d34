"""How the arguments of a launch become the job that the pool runs: one generated function for each program.

A launch spends much of its time here, so the function is evaluated from a text that knows the parameters.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from headwater import ir
from headwater.backends.contract import ArrayArgument, LaunchArgument
from headwater.backends.cpu.memory import Block, HostMemory
from headwater.backends.cpu.pool_text import JOB_FORMAT
from headwater.errors import LaunchError
from headwater.types import ArrayType

Pack: TypeAlias = Callable[[Sequence[int], Sequence[LaunchArgument], Sequence[int]], bytes]

# One slot of 8 bytes for a scalar, in the notation of `struct`.
_SLOTS = {
    "bool": "?7x",
    "int8": "b7x",
    "int16": "h6x",
    "int32": "i4x",
    "int64": "q",
    "uint8": "B7x",
    "uint16": "H6x",
    "uint32": "I4x",
    "uint64": "Q",
    "float16": "e6x",
    "float32": "f4x",
    "float64": "d",
}
# What may go wrong in the generated function, where the arguments are not those of the kernel.
_MISFITS = (AttributeError, IndexError, KeyError, OverflowError, TypeError, struct.error)


def parameter_format(parameter: ir.Parameter) -> str:
    """The slots of one parameter, in the notation of `struct`."""
    if isinstance(parameter.type, ArrayType):
        return f"Q{2 * parameter.type.ndim + 1}q"
    return _SLOTS[parameter.type.name]


class Packer:
    """Makes jobs for one function: `layout` are its parameters' slots, `extra` those that follow them."""

    def __init__(
        self, name: str, layout: Sequence[str], extra: str, function: int, memory: HostMemory
    ) -> None:
        self.name = name
        self.count = len(layout)
        self._address = memory.address
        slots = struct.Struct("@" + JOB_FORMAT + "".join(layout) + extra)
        self._pack = _packer(layout, function, slots, memory.live)

    def __call__(
        self,
        sizes: Sequence[int],
        arguments: Sequence[LaunchArgument],
        extra: Sequence[int] = (),
    ) -> bytes:
        """The job; MemoryUseError where an array's memory was freed, LaunchError for arguments of other types."""
        try:
            if len(arguments) == self.count:
                return self._pack(sizes, arguments, extra)
            problem = "their number differs"
        except _MISFITS as error:
            problem = str(error)
        for argument in arguments:
            if isinstance(argument, ArrayArgument):
                self._address(argument.memory)
        raise LaunchError(
            f"the {len(arguments)} arguments do not fit the {self.count} parameters of '{self.name}': {problem}"
        ) from None


def _packer(
    layout: Sequence[str], function: int, slots: struct.Struct, live: Mapping[int, Block]
) -> Pack:
    values = "".join(f"{_value(form, position)}, " for position, form in enumerate(layout))
    text = f"lambda sizes, given, extra: pack({function}, *sizes, {values}*extra)"
    made: Pack = eval(text, {"pack": slots.pack, "live": live})
    return made


def _value(form: str, position: int) -> str:
    if not form.startswith("Q") or form == "Q":
        return f"given[{position}]"
    return (
        f"live[(array := given[{position}]).memory.serial].address + array.offset, *array.shape, *array.strides, "
        "array.component_stride"
    )
