"""WGSL, as the shared writer needs it: types, literals, statements, and where memory lies."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import numpy as np

from headwater import ir
from headwater.backends.webgpu.barriers import storage_barriers
from headwater.backends.webgpu.cells import AtomicCell, Cell, PartCell
from headwater.backends.webgpu.features import Features
from headwater.backends.webgpu.placement import Placement, cell_of_local
from headwater.backends.webgpu.program import ARGUMENTS, Field
from headwater.backends.webgpu.rounding import Rounding
from headwater.backends.webgpu.rows import low_half, table
from headwater.backends.webgpu.spelling import SUFFIX, TYPES
from headwater.emit import Names, Operand, Row, Target
from headwater.ir.nodes import Array
from headwater.types import (
    BOOL,
    FLOAT16,
    FLOAT32,
    INT32,
    ScalarType,
)

_AXES = "xyz"
_SMALLEST_NORMAL = 2.0**-126
# What WGSL has no atomic operation for: the new value of the old one and the operand.
_COUNTED = {
    "inc": "select({{0}} + {one}, {zero}, {{0}} >= {{1}})",
    "dec": "select({{0}} - {one}, {{1}}, {{0}} == {zero} || {{0}} > {{1}})",
}


class Wgsl(Target):
    """One kernel's text; collects the members of the argument block on the way."""

    # naga refuses 127 nested blocks; the writer counts the function as one, and a store may take two more.
    max_nesting = 120

    def __init__(
        self, kernel: ir.Kernel, features: Features, names: Names, *, contract: bool
    ) -> None:
        self.kernel = kernel
        self.features = features
        self.table = table(features)
        self.contract = contract
        self.rounding = Rounding(kernel, features, everywhere=not contract)
        self.names = names
        self.helpers: set[str] = set()
        self.fields: dict[tuple[object, ...], Field] = {}
        self.numbers = {parameter: n for n, parameter in enumerate(kernel.parameters)}
        # A device that adds itself flushes where the kernel must not.
        native_add = contract or not self.rounding.rows
        self.placement = Placement(kernel, features, names, native_add=native_add)
        self.cells: dict[Array, Cell] = self.placement.cells
        self.storage_barriers = storage_barriers(kernel, self.placement.written)
        self.noughts = {
            node.result
            for node in ir.walk(kernel.body)
            if isinstance(node, ir.Constant) and node.result.type.is_integer and node.value == 0
        }

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
        text = f"{value}{SUFFIX[TYPES[kind]]}"
        return f"({text})" if value < 0 else text

    def float_literal(self, kind: ScalarType, value: float) -> str:
        with np.errstate(over="ignore", under="ignore"):
            rounded = kind.numpy.type(value)
        if kind is FLOAT16:
            return f"{int(rounded.view(np.uint16))}u"
        if np.isnan(rounded):
            self.helpers.add("nan_f32")
            return "hw_nan_f32()" if kind is FLOAT32 else "f64(hw_nan_f32())"
        if np.isinf(rounded):
            bits = "bitcast<f32>(0x7f800000u)" if value > 0 else "bitcast<f32>(0xff800000u)"
            return bits if kind is FLOAT32 else f"f64({bits})"
        text = f"{rounded}{SUFFIX[TYPES[kind]]}"
        if kind is FLOAT32 and 0.0 < abs(rounded) < _SMALLEST_NORMAL:
            text = f"bitcast<f32>({int(rounded.view(np.uint32))}u)"  # drivers take others for 0
        if not self.contract:  # a driver makes 0 of x * 0.0
            self.helpers.add(f"exact_{TYPES[kind]}")
            return f"hw_exact_{TYPES[kind]}({text})"
        return f"({text})" if text.startswith("-") else text

    def inlines(self, kind: ScalarType) -> bool:
        """naga folds no cast of a 64-bit literal, and a literal hidden from the driver is a call."""  # noqa: D403
        return kind.bits <= 32 and (self.contract or not kind.is_float)

    def operation(self, node: ir.Compute) -> Row:
        row = self.widened(node) or super().operation(node)
        if node.operation == "sub" and node.arguments[0] in self.noughts:
            negation = self.table.row("neg", node.result.type)
            row = Row(negation.text.replace("{0}", "{1}"), negation.helpers)
        if self.contract and node.contract:
            return row
        return self.rounding.row(node, row)

    def widened(self, node: ir.Compute) -> Row | None:
        """The row of a cast of float16 from or to a type for which there is none: through float32."""
        source, target = node.arguments[-1].type, node.result.type
        if node.operation != "cast" or (source is FLOAT16) == (target is FLOAT16):
            return None
        if self.table.find("cast", f"{source}.{target}") is not None:
            return None
        first = self.table.conversion("cast", source, FLOAT32)
        second = self.table.conversion("cast", FLOAT32, target)
        text = second.text.format(f"({first.text})")
        return Row(text, (*first.helpers, *second.helpers))

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
        counter, zero, one = ("u64", "0lu", "1lu") if kind.bits == 64 else ("u32", "0u", "1u")
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

    def local_array(self, array: ir.LocalArray) -> Iterable[str]:
        name = self.names.unique("l", array.name)
        cell = self.cells[array] = cell_of_local(array).named(name)
        return (f"var {name}: array<{cell.element}, {prod(array.shape) * array.components}>;",)

    def load(self, array: Array, indices: tuple[Operand, ...], component: int) -> str:
        return self.cells[array].load(self.offset(array, indices, component), component)

    def element_local(self, array: Array, indices: tuple[Operand, ...], name: str) -> str | None:
        """Each access is checked by some drivers, so one load of four numbers is better than three of one."""
        cell = self.cells[array]
        if cell.lanes == 1 or isinstance(cell, PartCell):
            return None
        return f"let {name} = {cell.name}[{self.offset(array, indices, 0)}];"

    def part(self, name: str, component: int) -> str:
        return f"{name}.{'xyzw'[component]}"

    def store(
        self, array: Array, indices: tuple[Operand, ...], component: int, value: Operand
    ) -> Iterable[str]:
        offset = self.offset(array, indices, component)
        return self.cells[array].store(offset, component, value.text)

    def atomic(
        self, node: ir.Atomic, indices: tuple[Operand, ...], value: Operand, result: str
    ) -> Iterable[str]:
        cell, offset = self.atomic_cell(node), self.offset(node.array, indices, node.component)
        emulated = None if self.contract else self.rounding.emulated(node)
        if emulated is None and cell.updates_itself(node.operation):
            return cell.update(node.operation, offset, value.text, result)
        row = emulated or self.combination(node.operation, value.type)
        self.helpers.update(row.helpers)
        return cell.swap(offset, result, lambda old: row.text.format(old, value.text))

    def compare_and_swap(
        self,
        node: ir.Atomic,
        indices: tuple[Operand, ...],
        compare: Operand,
        value: Operand,
        result: str,
    ) -> Iterable[str]:
        cell, offset = self.atomic_cell(node), self.offset(node.array, indices, node.component)
        equal = "{0} == {1}"
        if value.type is FLOAT32:  # by integers: some devices take subnormal numbers for 0
            equal = "!hw_ieee_unordered({0}, {1}) && (hw_ieee_key({0}) == hw_ieee_key({1}))"
            self.helpers.update(("ieee_key", "ieee_unordered"))
        unless = f"!({equal.format('{0}', compare.text)})"
        return cell.swap(offset, result, lambda old: value.text, unless)

    def atomic_cell(self, node: ir.Atomic) -> AtomicCell:
        cell = self.cells[node.array]
        assert isinstance(cell, AtomicCell)
        return cell

    def combination(self, operation: str, kind: ScalarType) -> Row:
        """The row of an atomic's new value, of the old one and the operand."""
        counted = _COUNTED.get(operation)
        if counted is None:
            return self.table.row(operation, kind)
        suffix = SUFFIX[TYPES[kind]]
        return Row(counted.format(zero=f"0{suffix}", one=f"1{suffix}"))

    def offset(self, array: Array, indices: tuple[Operand, ...], component: int) -> str:
        """The position of an element in its WGSL array, as an i32; of the component in arrays of the kernel's own."""
        texts = [self.as_i32(index) for index in indices]
        if isinstance(array, ir.ArrayParameter):
            return self.argument_offset(array, texts)
        text = _row_major(texts, [f"{length}i" for length in array.shape])
        if array.components > 1:
            text = f"({text}) * {array.components}i + {component}i"
        start = self.placement.starts.get(array, 0)
        return f"{text} + {start}i" if start else text

    def as_i32(self, index: Operand) -> str:
        kind = TYPES[index.type]
        if kind == "i32":
            return index.text
        if index.literal is not None:  # naga folds no cast from a 64-bit literal
            return f"{index.literal}i"
        if kind == "u32":
            return f"bitcast<i32>({index.text})"
        row = low_half(index.type.name)
        self.helpers.update(row.helpers)
        return row.text.format(index.text)

    def argument_offset(self, array: ir.ArrayParameter, indices: list[str]) -> str:
        number, divisor = self.numbers[array], self.cells[array].lanes
        size = divisor * array.type.scalar.size
        start = self.member(f"{array.name}_at", "i32", "offset", number, divisor=size)
        if array.type.contiguous:
            lengths = [self.extent(array, axis) if axis else "" for axis in range(len(indices))]
            return f"{start} + {_row_major(indices, lengths)}"
        terms = [start]
        for axis, text in enumerate(indices):
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
