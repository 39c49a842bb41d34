"""Where the arrays of a kernel lie: bindings, memory of the block, memory of the thread, tables.

Arguments that share memory share a binding: through two, some drivers reorder loads and stores. All dynamic shared
arrays are one WGSL array: of their element where that is the same for all, else of words, in which the others are
found by their bits. Constant arrays of one element type make one table, which the program brings to the device.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from headwater import ir
from headwater.backends.webgpu.cells import (
    AtomicCell,
    Cell,
    PairCell,
    PartCell,
    WordCell,
    atomic_cell,
    plain_cell,
)
from headwater.backends.webgpu.features import FLOAT32_ATOMIC_ADD, Features
from headwater.backends.webgpu.program import Binding, Constants
from headwater.backends.webgpu.spelling import TYPES
from headwater.emit import Names
from headwater.ir.nodes import Array
from headwater.types import FLOAT16, FLOAT32, ScalarType

_ROOM = 16  # workgroup variables are counted in multiples of this
_STORAGE: dict[str, Any] = {
    "i32": np.int32,
    "u32": np.uint32,
    "i64": np.int64,
    "u64": np.uint64,
    "f32": np.float32,
    "f64": np.float64,
}


@dataclass(slots=True)
class Use:
    """What a kernel does to an array or to those that share its memory."""

    written: bool = False
    atomics: set[str] = field(default_factory=set)


class Placement:
    """The cells of a kernel's arrays, and what the program's frame declares for them."""

    def __init__(
        self, kernel: ir.Kernel, features: Features, names: Names, *, native_add: bool
    ) -> None:
        self.names = names
        self.native_add = native_add and features.has(FLOAT32_ATOMIC_ADD)
        self.cells: dict[Array, Cell] = {}
        # Where an array starts in its WGSL array, in elements, if it shares one.
        self.starts: dict[Array, int] = {}
        self.bindings: list[Binding] = []
        self.constants: list[Constants] = []
        self.shared: list[str] = []
        uses = uses_of(kernel)
        for number, parameter in enumerate(kernel.parameters):
            if isinstance(parameter, ir.ArrayParameter):
                self.bind(parameter, number, uses[parameter])
        for array, cell in shared_cells(kernel, features.max_shared).items():
            if not array.dynamic:
                self.share(array, cell)
        dynamic = [array for array in kernel.shared if array.dynamic]
        if dynamic:
            self.share_dynamic(dynamic, uses, kernel.dynamic_shared)
        self.gather(kernel.constants)

    # --- arguments ---------------------------------------------------------------------------------

    def bind(self, array: ir.ArrayParameter, number: int, use: Use) -> None:
        cell = cell_of_argument(array, use, self.native_add)
        for other in self.bindings:
            if array.type.alias and (array.type.alias, cell.element) == (
                other.alias,
                other.element,
            ):
                self.cells[array] = cell.named(other.name)
                return
        name = self.names.unique("b", array.name)
        self.cells[array] = cell.named(name)
        parts = (cell.element, number, use.written, array.type.alias)
        self.bindings.append(Binding(name, array.name, *parts))

    @property
    def written(self) -> set[Array]:
        """The arguments that share memory with one that the kernel writes."""
        names = {binding.name for binding in self.bindings if binding.written}
        return {array for array, cell in self.cells.items() if cell.name in names}

    # --- memory of the block -------------------------------------------------------------------------

    def share(self, array: ir.SharedArray, cell: Cell) -> None:
        name = self.names.unique("s", array.name)
        self.cells[array] = cell.named(name)
        count = _scalars(array)
        if isinstance(cell, PartCell):
            count = -(-count * array.scalar.size // 4)
        self.shared.append(f"var<workgroup> {name}: array<{cell.element}, {count}>;")

    def share_dynamic(
        self, arrays: Sequence[ir.SharedArray], uses: dict[Array, Use], nbytes: int
    ) -> None:
        name = self.names.unique("s", "dynamic")
        cells = dynamic_cells(arrays, uses)
        for array, cell in cells.items():
            self.cells[array] = cell.named(name)
        element = cells[arrays[0]].element
        size = 8 if "64" in element else 4
        count = max(1, -(-nbytes // size))
        self.shared.append(f"var<workgroup> {name}: array<{element}, {count}>;")

    # --- tables --------------------------------------------------------------------------------------

    def gather(self, arrays: Iterable[ir.ConstantArray]) -> None:
        tables: dict[str, list[ir.ConstantArray]] = {}
        for array in arrays:
            tables.setdefault(plain_cell(array.scalar).element, []).append(array)
        for element, held in tables.items():
            name, start = self.names.unique("t", element), 0
            for array in held:
                self.cells[array] = plain_cell(array.scalar).named(name)
                self.starts[array] = start
                start += len(array.values)
            content = b"".join(_content(array, element) for array in held)
            self.constants.append(Constants.of(name, element, content))


def _content(array: ir.ConstantArray, element: str) -> bytes:
    with np.errstate(over="ignore", under="ignore"):
        values = np.array(array.values, array.scalar.numpy)
    if array.scalar is FLOAT16:
        values = values.view(np.uint16)
    return values.astype(_STORAGE[element]).tobytes()


# --- which cell ------------------------------------------------------------------------------------


def uses_of(kernel: ir.Kernel) -> dict[Array, Use]:
    """What happens to each array; arguments that share memory have one use."""
    groups: dict[int, Use] = {}
    own: list[Array] = [*kernel.shared, *kernel.locals]
    uses = {array: Use() for array in own}
    for parameter in kernel.parameters:
        if isinstance(parameter, ir.ArrayParameter):
            alias = parameter.type.alias
            use = uses[parameter] = groups.setdefault(alias, Use()) if alias else Use()
            use.written |= parameter.written
    for node in ir.walk(kernel.body):
        if isinstance(node, ir.Atomic):
            uses[node.array].atomics.add(node.operation)
        elif isinstance(node, ir.Store):
            uses[node.array].written = True
    return uses


def cell_of_argument(array: ir.ArrayParameter, use: Use, native_add: bool) -> Cell:
    """How an array argument lies; `native_add` says that the device may add to float32 itself."""
    scalar, components = array.type.scalar, array.type.components
    lanes = 1 if components == 1 else 2 if components == 2 else 4
    if scalar.bits < 32:
        return PartCell(scalar, "atomic<u32>" if use.written else "u32", lanes, atomic=use.written)
    if lanes > 1:
        return Cell(scalar, f"vec{lanes}<{TYPES[scalar]}>", lanes)
    if not use.atomics:
        return Cell(scalar, TYPES[scalar])
    if native_add and scalar is FLOAT32 and use.atomics == {"add"}:
        return AtomicCell(scalar, "atomic<f32>")
    return atomic_cell(scalar)


def shared_cells(kernel: ir.Kernel, room: int) -> dict[ir.SharedArray, Cell]:
    """How the static shared arrays lie: small types a word each, or side by side where those do not fit in `room`."""
    uses = uses_of(kernel)
    loose = {a: _static_cell(a, uses[a], packed=False) for a in kernel.shared if not a.dynamic}
    if _size(loose) + _dynamic_size(kernel) <= room:
        return loose
    return {array: _static_cell(array, uses[array], packed=True) for array in loose}


def _static_cell(array: ir.SharedArray, use: Use, *, packed: bool) -> Cell:
    if use.atomics:
        return atomic_cell(array.scalar)
    if packed and array.scalar.bits < 32:
        return PartCell(array.scalar, "atomic<u32>", atomic=True)
    return plain_cell(array.scalar)


def shared_bytes(kernel: ir.Kernel, room: int) -> int:
    """The bytes of workgroup memory that a kernel takes, where a block may have `room`."""
    return _size(shared_cells(kernel, room)) + _dynamic_size(kernel)


def _size(cells: dict[ir.SharedArray, Cell]) -> int:
    return sum(_rounded(_scalars(array) * _scalar_bytes(cell)) for array, cell in cells.items())


def _scalars(array: ir.SharedArray) -> int:
    return math.prod(array.shape) * array.components


def _scalar_bytes(cell: Cell) -> int:
    return cell.scalar.size if isinstance(cell, PartCell) else max(4, cell.scalar.size)


def _dynamic_size(kernel: ir.Kernel) -> int:
    return _rounded(kernel.dynamic_shared) if any(a.dynamic for a in kernel.shared) else 0


def _rounded(nbytes: int) -> int:
    return -(-nbytes // _ROOM) * _ROOM


def dynamic_cells(
    arrays: Sequence[ir.SharedArray], uses: dict[Array, Use]
) -> dict[ir.SharedArray, Cell]:
    """How the dynamic arrays lie in the one piece that they share; all cells have one element."""
    atomics = any(uses[array].atomics for array in arrays)
    kinds = {array.scalar for array in arrays}
    if len(kinds) == 1 and min(kind.bits for kind in kinds) >= 32:
        (kind,) = kinds
        return dict.fromkeys(arrays, atomic_cell(kind) if atomics else plain_cell(kind))
    parts = any(array.scalar.bits < 32 and uses[array].written for array in arrays)
    atomic = atomics or parts
    return {array: _cell_of_words(array.scalar, atomic) for array in arrays}


def _cell_of_words(scalar: ScalarType, atomic: bool) -> Cell:
    element = "atomic<u32>" if atomic else "u32"
    if scalar.bits < 32:
        return PartCell(scalar, element, atomic=atomic)
    if scalar.bits == 64:
        return PairCell(scalar, element, atomic=atomic)
    return AtomicCell(scalar, element) if atomic else WordCell(scalar, element)


def cell_of_local(array: ir.LocalArray) -> Cell:
    """How an array of one thread lies."""
    return plain_cell(array.scalar)
