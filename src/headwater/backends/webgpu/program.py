"""A compiled kernel: WGSL in parts, and what a launch must fill in. Made by `compile`, kept as JSON on disk."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

from headwater.backends.contract import LaunchArgument

Grid: TypeAlias = tuple[int, int, int]

_FORMATS = {"i32": "i", "u32": "I", "f32": "f", "i64": "q", "u64": "Q", "f64": "d"}
WIDE = ("i64", "u64", "f64")
ARGUMENTS = "hw"


@dataclass(frozen=True, slots=True)
class Field:
    """One member of the argument block.

    `source` is 'scalar', 'offset', 'extent', 'stride', 'grid' or 'zero'; `parameter` and `axis` say which.
    They count elements: an offset is divided by `divisor`, the bytes of one, and a stride by its scalars.
    """

    name: str
    type: str
    source: str
    parameter: int = 0
    axis: int = 0
    divisor: int = 1

    @property
    def text(self) -> str:
        """The Python expression of what a launch passes, of its `grid` and its arguments `given`."""
        argument = f"given[{self.parameter}]"
        divided = "" if self.divisor == 1 else f" // {self.divisor}"
        return {
            "zero": "0",
            "grid": f"grid[{self.axis}]",
            "offset": f"{argument}.offset{divided}",
            "extent": f"{argument}.shape[{self.axis}]",
            "stride": f"{argument}.strides[{self.axis}]{divided}",
            "scalar": argument,
        }[self.source]


@dataclass(frozen=True, slots=True)
class Binding:
    """The buffer of an array argument, or of several that share memory and the alias group `alias`.

    `element` is the element type of its WGSL array, `parameter` the first argument that lies there.
    """

    name: str
    label: str
    element: str
    parameter: int
    written: bool
    alias: int = 0


@dataclass(frozen=True, slots=True)
class Constants:
    """The values of constant arrays of one element type: a buffer that the program brings along, in base64."""

    name: str
    element: str
    text: str

    @staticmethod
    def of(name: str, element: str, content: bytes) -> Constants:
        """From the values' bytes."""
        return Constants(name, element, base64.b64encode(content).decode())

    @property
    def content(self) -> bytes:
        return base64.b64decode(self.text)


@dataclass(frozen=True, slots=True)
class Program:
    """Everything that `load` needs. `immediate` tells where the argument block travels."""

    name: str
    block_shape: tuple[int, int, int]
    fields: tuple[Field, ...]
    bindings: tuple[Binding, ...]
    constants: tuple[Constants, ...]
    immediate: bool
    module: str
    body: str

    def to_bytes(self) -> bytes:
        """The payload of the program cache."""
        return json.dumps(asdict(self)).encode()

    @staticmethod
    def from_bytes(payload: bytes) -> Program:
        """The program of a payload."""
        parts = json.loads(payload)
        parts["fields"] = tuple(Field(**part) for part in parts["fields"])
        parts["bindings"] = tuple(Binding(**part) for part in parts["bindings"])
        parts["constants"] = tuple(Constants(**part) for part in parts["constants"])
        parts["block_shape"] = tuple(parts["block_shape"])
        return Program(**parts)

    def layout(self) -> struct.Struct:
        """How the argument block lies in memory: 64-bit members first, so that nothing is padded."""
        layout = "<" + "".join(_FORMATS[field.type] for field in self.fields)
        padding = -struct.calcsize(layout) % (8 if self.has_wide_fields else 4)
        return struct.Struct(layout + "x" * padding)

    def placed(self, max_immediate: int) -> Program:
        """The program with its argument block in immediates where it fits there, else in a uniform buffer."""
        return replace(self, immediate=self.layout().size <= max_immediate)

    @property
    def has_wide_fields(self) -> bool:
        return any(field.type in WIDE for field in self.fields)

    @property
    def values(self) -> Callable[[Sequence[LaunchArgument], Grid], tuple[int | float, ...]]:
        """The function from arguments and grid to the members of the argument block.

        It is evaluated from a text, as a launch spends half of its time here otherwise.
        """
        members = "".join(f"{field.text}, " for field in self.fields)
        made: Any = eval(f"lambda given, grid: ({members})")
        return made  # type: ignore[no-any-return]

    def key(self, number: int) -> Callable[[Sequence[LaunchArgument]], tuple[int, ...]]:
        """The function from arguments to a key of the buffers that are bound, begun with `number`."""
        serials = "".join(f"given[{b.parameter}].memory.serial, " for b in self.bindings)
        made: Any = eval(f"lambda given: ({number}, {serials})")
        return made  # type: ignore[no-any-return]

    # --- the text ----------------------------------------------------------------------------------

    def text(self, *, split: bool = False, writable: bool = False) -> str:
        """The whole module.

        `split` is for grids with more blocks on an axis than a dispatch takes: blocks are counted along x and y
        together. `writable` binds every array read_write, as one buffer bound both ways is an error.
        """
        parts = [f"// kernel {self.name}", *self._arguments(), *self._buffers(writable)]
        if self.module:
            parts.append(self.module)
        shape = ", ".join(map(str, self.block_shape))
        parts += [
            f"@compute @workgroup_size({shape})",
            "fn main(",
            "    @builtin(local_invocation_id) hw_thread: vec3<u32>,",
            "    @builtin(workgroup_id) hw_group: vec3<u32>,",
            "    @builtin(num_workgroups) hw_groups: vec3<u32>,",
            ") {",
            *(_SPLIT if split else _DIRECT),
            self.body,
            "}",
        ]
        return "\n".join(parts) + "\n"

    def _arguments(self) -> list[str]:
        if not self.fields:
            return []
        members = [f"    {field.name}: {field.type}," for field in self.fields]
        space = "immediate" if self.immediate else "uniform"
        place = (
            ""
            if self.immediate
            else f"@group(0) @binding({len(self.bindings) + len(self.constants)}) "
        )
        return ["struct Arguments {", *members, "}", f"{place}var<{space}> {ARGUMENTS}: Arguments;"]

    def _buffers(self, writable: bool) -> list[str]:
        held = [(access(binding, writable), binding) for binding in self.bindings]
        declared = [(mode, binding.name, binding.element) for mode, binding in held]
        declared += [("read", constants.name, constants.element) for constants in self.constants]
        return [
            f"@group(0) @binding({number}) var<storage, {mode}> {name}: array<{element}>;"
            for number, (mode, name, element) in enumerate(declared)
        ]


def access(binding: Binding, writable: bool) -> str:
    """The access mode of a binding."""
    return "read_write" if writable or binding.written else "read"


_DIRECT = (
    "    let hw_block = hw_group;",
    "    let hw_grid = hw_groups;",
)
# The whole group leaves together, so a barrier after it is still reached by all of its threads.
_SPLIT = (
    f"    let hw_grid = vec3<u32>({ARGUMENTS}.grid_x, {ARGUMENTS}.grid_y, {ARGUMENTS}.grid_z);",
    "    let hw_number = hw_group.x + hw_groups.x * hw_group.y;",
    "    if (hw_number >= hw_grid.x * hw_grid.y * hw_grid.z) {",
    "        return;",
    "    }",
    "    let hw_row = hw_number / hw_grid.x;",
    "    let hw_block = vec3<u32>(hw_number % hw_grid.x, hw_row % hw_grid.y, hw_row / hw_grid.y);",
)
