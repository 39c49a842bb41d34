"""CUDA C++, as the shared writer needs it: types, literals, statements, and where memory lies.

The text includes nothing. A vector of three lies as four scalars (`hw_float32_4`, aligned to 16 bytes), so that the
compiler reads an element at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from headwater import ir
from headwater.backends.cuda import own_arrays, warps
from headwater.backends.cuda.choices import chosen_arrays
from headwater.backends.cuda.kinds import TYPES, literal, word
from headwater.backends.cuda.program import Slot
from headwater.backends.cuda.rows import table
from headwater.emit import Names, Operand, Row, Target
from headwater.ir.nodes import Array
from headwater.types import FLOAT32, INT32, ScalarType

_AXES = "xyz"
_COMPONENTS = "xyzw"
# In the notation of `struct`.
_FORMATS = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint8": "B",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
    "float32": "f",
    "float64": "d",
}
_ORDERED = frozenset(("lt", "le", "gt", "ge"))


def lanes(components: int) -> int:
    """How many scalars an element takes in memory: vectors are padded to a power of two."""
    return 1 << (components - 1).bit_length()


class CudaLanguage(Target):
    """One kernel's text; collects its parameters and the helpers of its atomics on the way."""

    table = table()

    def __init__(self, kernel: ir.Kernel, names: Names, *, contract: bool) -> None:
        self.kernel = kernel
        self.names = names
        self.contract = contract
        self.helpers: set[str] = set()
        self.declarations: list[str] = []
        self.slots: list[Slot] = []
        self.vectors: set[tuple[ScalarType, int]] = set()
        self._parameters: dict[tuple[object, ...], str] = {}
        self._numbers = {parameter: n for n, parameter in enumerate(kernel.parameters)}
        self._literals = {
            node.result: float(node.value)
            for node in ir.walk(kernel.body)
            if isinstance(node, ir.Constant) and node.result.type is FLOAT32
        }
        self._names: dict[Array, str] = {}
        written = _written_groups(kernel)
        self._chosen = chosen_arrays(kernel)
        for parameter in kernel.parameters:
            if isinstance(parameter, ir.ArrayParameter):
                self._names[parameter] = self.pointer(parameter, written)
        for prefix, arrays in (("s", kernel.shared), ("l", kernel.locals), ("c", kernel.constants)):
            for array in arrays:
                self._names[array] = names.unique(prefix, array.name)

    # --- the kernel's parameters -------------------------------------------------------------------

    def parameter(self, key: tuple[object, ...], label: str, kind: str, slot: Slot) -> str:
        """The name of a parameter of the text, which it joins at its first use."""
        name = self._parameters.get(key)
        if name is None:
            name = self._parameters[key] = self.names.unique("a", label)
            self.declarations.append(f"{kind} {name}")
            self.slots.append(slot)
        return name

    def pointer(self, array: ir.ArrayParameter, written: Mapping[int, bool]) -> str:
        group = array.type.alias
        constant = not array.written and not (group and written[group])
        element = self.element(array.type.scalar, array.type.components)
        kind = f"{'const ' if constant else ''}{element}*"
        if array not in self._chosen and (not group or not written[group]):
            kind += " __restrict__"
        number = self._numbers[array]
        return self.parameter((number,), array.name, kind, Slot("pointer", "P", number))

    def element(self, scalar: ScalarType, components: int) -> str:
        """The type of an array argument's element."""
        if components == 1:
            return TYPES[scalar.name]
        self.vectors.add((scalar, lanes(components)))
        return f"hw_{scalar}_{lanes(components)}"

    def scalar_parameter(self, parameter: ir.ScalarParameter) -> str:
        kind, number = parameter.type, self._numbers[parameter]
        slot = Slot("scalar", _FORMATS[kind.name], number)
        return self.parameter((number,), parameter.name, TYPES[kind.name], slot)

    def extent(self, array: ir.ArrayParameter, axis: int) -> str:
        number = self._numbers[array]
        slot = Slot("extent", "i", number, axis)
        return self.parameter(("extent", number, axis), f"{array.name}_n{axis}", "int", slot)

    def stride(self, array: ir.ArrayParameter, axis: int) -> str:
        number, divisor = self._numbers[array], lanes(array.type.components)
        slot = Slot("stride", "q", number, axis, divisor)
        return self.parameter(("stride", number, axis), f"{array.name}_s{axis}", "long long", slot)

    def operation(self, node: ir.Compute) -> Row:
        """As the table has it, but no literal of 0 or below is compared with a float32 that may be a square.

        The assembler takes x * x >= 0 for true, NaN or not, also behind variables, where the product may be
        contracted. It cannot where the bound comes as a parameter, which an instruction reads as fast as a literal.
        """
        row = super().operation(node)
        if not (self.contract and node.operation in _ORDERED):
            return row
        texts = [
            self.hidden(self._literals.get(argument, 1.0), f"{{{position}}}")
            for position, argument in enumerate(node.arguments)
        ]
        return Row(row.text.format(*texts), row.helpers)

    def hidden(self, literal: float, text: str) -> str:
        """The parameter that passes a literal of 0 or below; `text` for any other."""
        if not literal <= 0.0:
            return text
        slot = Slot("literal", "f", 0, value=literal)
        return self.parameter(("literal", literal), "bound", "float", slot)

    # --- types, literals, statements ---------------------------------------------------------------

    def literal(self, kind: ScalarType, value: bool | int | float) -> str:
        return literal(kind, value)

    def constant_local(self, kind: ScalarType, name: str, expression: str) -> str:
        return f"const {TYPES[kind.name]} {name} = {expression};"

    def variable(self, kind: ScalarType, name: str) -> str:
        return f"{TYPES[kind.name]} {name};"

    def endless_loop(self) -> str:
        return "for (;;) {"

    def unit_loop(self, kind: ScalarType, name: str, start: str, stop: str, up: bool) -> str:
        test, step = ("<", "++") if up else (">", "--")
        head = f"{TYPES[kind.name]} {name} = {start}"
        return f"for ({head}; {name} {test} {stop}; {step}{name}) {{"

    def trip_count(self, kind: ScalarType, name: str, expression: str) -> str:
        return f"const {word(kind)} {name} = {expression};"

    def trip_loop(self, kind: ScalarType, name: str, trips: str) -> str:
        return f"for ({word(kind)} {name} = 0; {name} < {trips}; ++{name}) {{"

    def barrier(self, node: ir.Barrier) -> Iterable[str]:
        return ("__syncthreads();",)

    def barrier_vote(self, node: ir.BarrierVote, predicate: Operand, result: str) -> Iterable[str]:
        text = warps.VOTES[node.operation].format(predicate.text)
        return (self.constant_local(node.result.type, result, text),)

    def warp(
        self, node: ir.Warp, arguments: tuple[Operand, ...], result: str | None
    ) -> Iterable[str]:
        row = warps.row(node, arguments)
        self.helpers.update(row.helpers)
        text = row.text.format(*(argument.text for argument in arguments))
        if node.result is None or result is None:
            return (f"{text};",)
        return (self.constant_local(node.result.type, result, text),)

    def fence(self, node: ir.Fence) -> Iterable[str]:
        return (warps.FENCES[node.scope],)

    # --- positions and memory ------------------------------------------------------------------------

    def index(self, kind: str, axis: int) -> str:
        if kind == "block_size":
            return str(self.kernel.block_shape[axis])
        base = {"thread": "threadIdx", "block": "blockIdx", "grid_size": "gridDim"}[kind]
        return f"(int){base}.{_AXES[axis]}"

    def local_array(self, array: ir.LocalArray) -> Iterable[str]:
        return (own_arrays.local_line(array, self._names[array]),)

    def load(self, array: Array, indices: tuple[Operand, ...], component: int) -> str:
        place = self.place(array, indices, component)
        if isinstance(array, ir.ConstantArray):
            return own_arrays.constant_value(array, place)
        return place

    def store(
        self, array: Array, indices: tuple[Operand, ...], component: int, value: Operand
    ) -> Iterable[str]:
        return (f"{self.place(array, indices, component)} = {value.text};",)

    def atomic(
        self, node: ir.Atomic, indices: tuple[Operand, ...], value: Operand, result: str
    ) -> Iterable[str]:
        return (self._atomic(node, indices, (value,), result),)

    def compare_and_swap(
        self,
        node: ir.Atomic,
        indices: tuple[Operand, ...],
        compare: Operand,
        value: Operand,
        result: str,
    ) -> Iterable[str]:
        return (self._atomic(node, indices, (compare, value), result),)

    def _atomic(
        self,
        node: ir.Atomic,
        indices: tuple[Operand, ...],
        operands: tuple[Operand, ...],
        result: str,
    ) -> str:
        kind, name = node.result.type, f"atomic.{node.operation}"
        row = self.table.row(name, kind)
        if isinstance(node.array, ir.SharedArray):
            row = self.table.find(f"{name}.shared", kind.name) or row
        self.helpers.update(row.helpers)
        address = f"&{self.place(node.array, indices, node.component)}"
        text = row.text.format(address, *(operand.text for operand in operands))
        return self.constant_local(kind, result, text)

    def place(self, array: Array, indices: tuple[Operand, ...], component: int) -> str:
        """The element, or its component, as something that can be read and assigned."""
        name, texts = self._names[array], [_as_int(index) for index in indices]
        if not isinstance(array, ir.ArrayParameter):
            return f"{name}[{_own_offset(array, texts, component)}]"
        part = f".{_COMPONENTS[component]}" if array.type.components > 1 else ""
        return f"{name}[{self.offset(array, texts)}]{part}"

    def offset(self, array: ir.ArrayParameter, indices: list[str]) -> str:
        """The position of an element. Arrays have less than 2^31 elements, so a dense one takes ints."""
        if array.type.contiguous:
            lengths = [self.extent(array, axis) if axis else "" for axis in range(len(indices))]
            return _row_major(indices, lengths)
        return " + ".join(
            f"{text} * {self.stride(array, axis)}" for axis, text in enumerate(indices)
        )

    # --- the frame -----------------------------------------------------------------------------------

    def dynamic_bytes(self) -> int:
        """The shared memory that each launch must ask for."""
        return own_arrays.dynamic_bytes(self.kernel)

    def shared_declarations(self) -> list[str]:
        """Statements that declare the shared arrays."""
        return own_arrays.shared_lines(self.kernel, self._names)

    def tables(self) -> list[str]:
        """Definitions of the constant arrays."""
        return own_arrays.constant_lines(self.kernel, self._names)

    def vector_types(self) -> list[str]:
        """The structs that vector elements need."""
        lines = []
        for scalar, count in sorted(self.vectors, key=lambda pair: (pair[0].name, pair[1])):
            members = ", ".join(_COMPONENTS[:count])
            alignment = min(16, count * scalar.size)
            kind = TYPES[scalar.name]
            lines.append(
                f"struct __align__({alignment}) hw_{scalar}_{count} {{ {kind} {members}; }};"
            )
        return lines


def _written_groups(kernel: ir.Kernel) -> dict[int, bool]:
    """For each group of arrays that share memory: whether the kernel writes one of them."""
    groups: dict[int, bool] = {}
    for parameter in kernel.parameters:
        if isinstance(parameter, ir.ArrayParameter):
            group = parameter.type.alias
            groups[group] = groups.get(group, False) or parameter.written
    return groups


def _as_int(index: Operand) -> str:
    return index.text if index.type is INT32 else f"(int){index.text}"


def _row_major(indices: list[str], lengths: list[str]) -> str:
    text = indices[0]
    for index, length in zip(indices[1:], lengths[1:], strict=True):
        left = f"({text})" if "+" in text else text
        text = f"{left} * {length} + {index}"
    return text


def _own_offset(array: own_arrays.Own, indices: list[str], component: int) -> str:
    text = _row_major(indices, list(map(str, array.shape)))
    return text if array.components == 1 else f"({text}) * {array.components} + {component}"
