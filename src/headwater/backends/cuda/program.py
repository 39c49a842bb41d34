"""A compiled kernel: machine code, and what a launch must fill in. Made by `compile`, kept on disk."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import TypeAlias

from headwater.backends.contract import LaunchArgument
from headwater.errors import InternalError

# A payload is this header, a JSON text of what `load` needs, and the machine code.
_MAGIC = b"HWCUDA\x01"
_HEADER = struct.Struct("<7sxI")

Pack: TypeAlias = Callable[[Sequence[LaunchArgument]], tuple[bool | int | float, ...]]


@dataclass(frozen=True, slots=True)
class Slot:
    """One parameter of the generated text.

    `source` is 'scalar', 'pointer', 'extent' or 'stride' of the argument `position`, or 'literal' for `value` itself;
    `format` is its type in the notation of `struct`. Strides count elements: they are divided by `divisor`, the
    scalars of one element.
    """

    source: str
    format: str
    position: int
    axis: int = 0
    divisor: int = 1
    value: float = 0.0

    def text(self) -> str:
        """The Python expression of the value, of a launch's arguments `given` and the addresses `live`."""
        argument = f"given[{self.position}]"
        if self.source == "literal":
            return repr(self.value)
        if self.source == "pointer":
            return f"live[{argument}.memory.serial] + {argument}.offset"
        if self.source == "extent":
            return f"{argument}.shape[{self.axis}]"
        if self.source == "stride":
            return f"{argument}.strides[{self.axis}] // {self.divisor}"
        return argument


def packer(slots: Sequence[Slot], live: Mapping[int, int]) -> Pack:
    """The function from a launch's arguments to the values of the slots; `live` maps serials to addresses.

    It is evaluated from a text, as a launch spends half of its time here otherwise.
    """
    values = "".join(f"{slot.text()}, " for slot in slots)
    made: Pack = eval(f"lambda given: ({values})", {"live": live, "inf": math.inf})
    return made


@dataclass(frozen=True, slots=True)
class Program:
    """Everything that `load` needs. `symbol` is the kernel's name in the machine code."""

    name: str
    symbol: str
    block_shape: tuple[int, int, int]
    dynamic_shared: int
    parameters: int
    slots: tuple[Slot, ...]
    code: bytes

    @property
    def layout(self) -> struct.Struct:
        """How the parameters lie behind each other, aligned as in C."""
        return struct.Struct("@" + "".join(slot.format for slot in self.slots))

    def to_bytes(self) -> bytes:
        """The payload of the program cache."""
        facts = {
            "name": self.name,
            "symbol": self.symbol,
            "block_shape": self.block_shape,
            "dynamic_shared": self.dynamic_shared,
            "parameters": self.parameters,
            "slots": [astuple(slot) for slot in self.slots],
        }
        text = json.dumps(facts).encode()
        return _HEADER.pack(_MAGIC, len(text)) + text + self.code

    @staticmethod
    def from_bytes(payload: bytes) -> Program:
        """The program of a payload; InternalError where the bytes are not one of this version."""
        try:
            magic, length = _HEADER.unpack_from(payload)
            start = _HEADER.size
            facts = json.loads(payload[start : start + length]) if magic == _MAGIC else {}
            facts["slots"] = tuple(Slot(*slot) for slot in facts["slots"])
            facts["block_shape"] = tuple(facts["block_shape"])
            return Program(**facts, code=payload[start + length :])
        except (struct.error, ValueError, KeyError, TypeError):
            text = "a payload of the CUDA device is damaged or of another version"
            raise InternalError(text) from None
