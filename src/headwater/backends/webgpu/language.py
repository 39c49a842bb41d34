"""WGSL, as the shared writer needs it: types, literals, statements, and where memory lies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from headwater import ir
from headwater.backends.webgpu import ieee
from headwater.backends.webgpu.barriers import storage_barriers
from headwater.backends.webgpu.cells import Cell, cell_of_array, cell_of_shared
from headwater.backends.webgpu.features import FLOAT32_ATOMIC_ADD, Features
from headwater.backends.webgpu.features import INT64 as HAS_INT64
from headwater.backends.webgpu.program import ARGUMENTS, Binding, Field
from headwater.backends.webgpu.rows import table
from headwater.emit import Names, Operand, Row, Target
from headwater.ir.nodes import Array
from headwater.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, UINT32, ScalarType

TYPES = {
    BOOL: "bool",
    INT32: "i32",
    UINT32: "u32",
    INT64: "i64",
    FLOAT32: "f32",
    FLOAT64: "f64",
}
_SUFFIX = {INT32: "i", UINT32: "u", INT64: "li"}
# What a driver may rewrite with others, or fold: kept as written with `contract` off.
_ROUNDED = frozenset(("add", "sub", "mul", "div", "sqrt", "floordiv", "cast"))
_COMPARED = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))
_HIDDEN = _ROUNDED | _COMPARED | {"mod"}
_AXES = "xyz"


class Wgsl(Target):
    """One kernel's text; collects the members of the argument block and the bindings on the way."""

    # naga refuses 127 nested blocks; the writer counts the function as one.
    max_nesting = 120

    def __init__(
        self, kernel: ir.Kernel, features: Features, names: Names, *, contract: bool
    ) -> None:
        self.kernel = kernel
        self.table = table(int64=features.has(HAS_INT64))
        self.contract = contract
        self.ieee = ieee.rows() if features.emulates and not contract else {}
        self.names = names
        self.helpers: set[str] = set()
        self.fields: dict[tuple[object, ...], Field] = {}
        self.numbers = {parameter: n for n, parameter in enumerate(kernel.parameters)}
        self.cells: dict[Array, Cell] = {}
        self.bindings: list[Binding] = []
        self.declared_shared: list[str] = []
        atomics = _atomics_by_array(kernel)
        for parameter in kernel.parameters:
            if isinstance(parameter, ir.ArrayParameter):
                native = features.has(FLOAT32_ATOMIC_ADD) and not self.ieee
                self.bind(parameter, cell_of_array(parameter, atomics.get(parameter), native))
        written = {binding.name for binding in self.bindings if binding.written}
        arrays = {array for array, cell in self.cells.items() if cell.name in written}
        self.storage_barriers = storage_barriers(kernel, arrays)
        for shared in kernel.shared:
            self.share(shared, cell_of_shared(shared, atomics.get(shared)))

    def bind(self, array: ir.ArrayParameter, cell: Cell) -> None:
        """Arrays that share memory share a binding: through two, some drivers reorder loads and stores."""
        for position, other in enumerate(self.bindings):
            if array.type.alias and (array.type.alias, cell.element) == (
                other.alias,
                other.element,
            ):
                self.cells[array] = cell.named(other.name)
                written = other.written or array.written
                self.bindings[position] = replace(other, written=written)
                return
        name = self.names.unique("b", array.name)
        self.cells[array] = cell.named(name)
        parts = (cell.element, self.numbers[array], array.written, array.type.alias)
        self.bindings.append(Binding(name, array.name, *parts))

    def share(self, array: ir.SharedArray, cell: Cell) -> None:
        name = self.names.unique("s", array.name)
        self.cells[array] = cell.named(name)
        count = int(np.prod(array.shape)) * array.components
        self.declared_shared.append(f"var<workgroup> {name}: array<{cell.element}, {count}>;")

    # --- the argument block ------------------------------------------------------------------------

    def member(self, label: str, kind: str, source: str, *key: int, divisor: int = 1) -> str:
        """The expression of a member of the argument block, which it joins at its first use."""
        field = self.fields.get((source, *key))
        if field is None:
            name = self.names.unique("a", label)
            parameter, axis = (*key, 0)[:2]
            field = Field(name, kind, source, parameter, axis, divisor)
            self.fields[source, *key] = field
        return f"{ARGUMENTS}.{field.name}"

    def reserved(self, name: str, kind: str, source: str, axis: int = 0) -> None:
        """A member that the frame or a helper calls by its own name."""
        self.fields[source, 0, axis] = Field(name, kind, source, 0, axis)

    def scalar_parameter(self, parameter: ir.ScalarParameter) -> str:
        kind = "u32" if parameter.type is BOOL else TYPES[parameter.type]
        text = self.member(parameter.name, kind, "scalar", self.numbers[parameter])
        return f"({text} != 0u)" if parameter.type is BOOL else text

    def extent(self, array: ir.ArrayParameter, axis: int) -> str:
        label = f"{array.name}_n{axis}"
        return self.member(label, "i32", "extent", self.numbers[array], axis)

    # --- types, literals, statements ---------------------------------------------------------------

    def literal(self, kind: ScalarType, value: bool | int | float) -> str:
        if kind is BOOL:
            return "true" if value else "false"
        if kind.is_float:
            return self.float_literal(kind, float(value))
        if value == kind.limits[0] and value < 0:
            return "i32(-2147483648)" if kind is INT32 else "(-9223372036854775807li - 1li)"
        text = f"{value}{_SUFFIX[kind]}"
        return f"({text})" if value < 0 else text

    def float_literal(self, kind: ScalarType, value: float) -> str:
        with np.errstate(over="ignore", under="ignore"):
            rounded = np.float32(value) if kind is FLOAT32 else np.float64(value)
        if np.isnan(rounded):
            self.helpers.add("nan_f32")
            return "hw_nan_f32()" if kind is FLOAT32 else "f64(hw_nan_f32())"
        if np.isinf(rounded):
            bits = "bitcast<f32>(0x7f800000u)" if value > 0 else "bitcast<f32>(0xff800000u)"
            return bits if kind is FLOAT32 else f"f64({bits})"
        text = f"{rounded}{'f' if kind is FLOAT32 else 'lf'}"
        if self.ieee and kind is FLOAT32:  # a driver may take a subnormal literal for 0
            text = f"bitcast<f32>({int(rounded.view(np.uint32))}u)"
        if not self.contract:  # a driver makes 0 of x * 0.0
            self.helpers.add(f"exact_{TYPES[kind]}")
            return f"hw_exact_{TYPES[kind]}({text})"
        return f"({text})" if text.startswith("-") else text

    def inlines(self, kind: ScalarType) -> bool:
        """naga folds no cast of a 64-bit literal, and a literal hidden from the driver is a call."""  # noqa: D403
        return kind.bits <= 32 and (self.contract or not kind.is_float)

    def operation(self, node: ir.Compute) -> Row:
        row = super().operation(node)
        if self.contract:
            return row
        text, helpers = row.text, row.helpers
        left, kind = node.arguments[0].type, node.result.type
        emulated = self.emulated(node) if self.ieee else None
        if emulated is not None:
            return emulated
        if left.is_float and node.operation in _HIDDEN and len(node.arguments) == 2:
            # Otherwise x - x is 0 and x <= x true, even for a NaN.
            text = text.replace("{0}", f"hw_hidden_{TYPES[left]}({{0}})")
            helpers = (*helpers, f"hidden_{TYPES[left]}")
        hidden = text.startswith("hw_exact")  # twice would cancel
        if kind.is_float and node.operation in _ROUNDED and not hidden:
            text = f"hw_exact_{TYPES[kind]}({text})"
            helpers = (*helpers, f"exact_{TYPES[kind]}")
        return Row(text, helpers)

    def emulated(self, node: ir.Compute) -> Row | None:
        """The row where the device's own float32 is not that of the language; None where it is."""
        source, target = node.arguments[-1].type, node.result.type
        if node.operation == "cast":
            return ieee.CASTS.get(f"{source}.{target}")
        return self.ieee.get(node.operation) if source is FLOAT32 else None

    def constant_local(self, kind: ScalarType, name: str, expression: str) -> str:
        return f"let {name} = {expression};"

    def variable(self, kind: ScalarType, name: str) -> str:
        return f"var {name}: {TYPES[kind]};"

    def endless_loop(self) -> str:
        return "loop {"

    def unit_loop(self, kind: ScalarType, name: str, start: str, stop: str, up: bool) -> str:
        test, sign = ("<", "+") if up else (">", "-")
        one = self.literal(kind, 1)
        head = f"var {name}: {TYPES[kind]} = {start}"
        return f"for ({head}; {name} {test} {stop}; {name} = {name} {sign} {one}) {{"

    def trip_count(self, kind: ScalarType, name: str, expression: str) -> str:
        return f"let {name} = {expression};"

    def trip_loop(self, kind: ScalarType, name: str, trips: str) -> str:
        counter, zero, one = ("u64", "0lu", "1lu") if kind is INT64 else ("u32", "0u", "1u")
        head = f"var {name}: {counter} = {zero}"
        return f"for ({head}; {name} < {trips}; {name} = {name} + {one}) {{"

    def barrier(self, node: ir.Barrier) -> Iterable[str]:
        storage = ("storageBarrier();",) if id(node) in self.storage_barriers else ()
        return (*storage, "workgroupBarrier();")

    # --- positions and memory ------------------------------------------------------------------------

    def index(self, kind: str, axis: int) -> str:
        if kind == "block_size":
            return f"{self.kernel.block_shape[axis]}i"
        base = {"thread": "hw_thread", "block": "hw_block", "grid_size": "hw_grid"}[kind]
        return f"i32({base}.{_AXES[axis]})"

    def load(self, array: Array, indices: tuple[Operand, ...], component: int) -> str:
        return self.cells[array].load(self.offset(array, indices, component), component)

    def element_local(self, array: Array, indices: tuple[Operand, ...], name: str) -> str | None:
        """Each access is checked by some drivers, so one load of four numbers is better than three of one."""
        cell = self.cells[array]
        if cell.lanes == 1:
            return None
        return f"let {name} = {cell.name}[{self.offset(array, indices, 0)}];"

    def part(self, name: str, component: int) -> str:
        return f"{name}.{'xyzw'[component]}"

    def store(
        self, array: Array, indices: tuple[Operand, ...], component: int, value: Operand
    ) -> Iterable[str]:
        offset = self.offset(array, indices, component)
        return (self.cells[array].store(offset, component, value.text),)

    def atomic(
        self, node: ir.Atomic, indices: tuple[Operand, ...], value: Operand, result: str
    ) -> Iterable[str]:
        offset = self.offset(node.array, indices, node.component)
        cell, row = self.cells[node.array], self.ieee.get(node.operation)
        if row is None or node.result.type is not FLOAT32:
            return cell.atomic(node.operation, offset, value.text, result)
        self.helpers.update(row.helpers)
        return cell.atomic(node.operation, offset, value.text, result, row.text)

    def offset(self, array: Array, indices: tuple[Operand, ...], component: int) -> str:
        """The position of an element in its WGSL array, as an i32."""
        texts = [_as_i32(index) for index in indices]
        if isinstance(array, ir.SharedArray):
            text = _row_major(texts, [f"{length}i" for length in array.shape])
            if array.components == 1:
                return text
            return f"({text}) * {array.components}i + {component}i"
        number, divisor = self.numbers[array], self.cells[array].lanes
        size = divisor * array.type.scalar.size
        start = self.member(f"{array.name}_at", "i32", "offset", number, divisor=size)
        if array.type.contiguous:
            lengths = [self.extent(array, axis) if axis else "" for axis in range(len(texts))]
            return f"{start} + {_row_major(texts, lengths)}"
        terms = [start]
        for axis, text in enumerate(texts):
            label = f"{array.name}_s{axis}"
            stride = self.member(label, "i32", "stride", number, axis, divisor=divisor)
            terms.append(f"{text} * {stride}")
        return " + ".join(terms)


def _row_major(indices: list[str], lengths: list[str]) -> str:
    text = indices[0]
    for index, length in zip(indices[1:], lengths[1:], strict=True):
        left = f"({text})" if "+" in text else text
        text = f"{left} * {length} + {index}"
    return text


def _as_i32(index: Operand) -> str:
    if index.type is INT32:
        return index.text
    if index.literal is not None:  # naga folds no cast from a 64-bit literal
        return f"{index.literal}i"
    return f"bitcast<i32>({index.text})" if index.type is UINT32 else f"i32({index.text})"


def _atomics_by_array(kernel: ir.Kernel) -> dict[Array, frozenset[str]]:
    """The atomic operations that the kernel does on each array."""
    found: dict[Array, set[str]] = {}
    for node in ir.walk(kernel.body):
        if isinstance(node, ir.Atomic):
            found.setdefault(node.array, set()).add(node.operation)
    return {array: frozenset(operations) for array, operations in found.items()}
