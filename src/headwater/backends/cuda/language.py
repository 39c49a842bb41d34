"""CUDA C++, as the shared writer needs it: types, literals, statements, and where memory lies.

The text includes nothing. A vector of three lies as four scalars (`hw_float32_4`, aligned to 16 bytes), so that the
compiler reads an element at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from headwater import ir
from headwater.backends.cuda.program import Slot
from headwater.backends.cuda.rows import TYPES, table
from headwater.emit import Names, Operand, Row, Target
from headwater.ir.nodes import Array
from headwater.types import BOOL, FLOAT32, INT32, INT64, UINT32, ScalarType

# What a block has without asking the driver for more.
STATIC_SHARED_BYTES = 48 * 1024
DYNAMIC_SHARED = "hw_shared"

_AXES = "xyz"
_COMPONENTS = "xyzw"
_SUFFIX = {INT32: "", UINT32: "u", INT64: "ll"}
_FORMATS = {"bool": "?", "int32": "i", "uint32": "I", "int64": "q", "float32": "f", "float64": "d"}
_ORDERED = frozenset(("lt", "le", "gt", "ge"))
# The one type that these update is unsigned.
_CASTS = {("add", INT64): "unsigned long long"}


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
        for parameter in kernel.parameters:
            if isinstance(parameter, ir.ArrayParameter):
                self._names[parameter] = self.pointer(parameter, written)
        for shared in kernel.shared:
            self._names[shared] = names.unique("s", shared.name)

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
        if not group or not written[group]:
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
        if kind is BOOL:
            return "true" if value else "false"
        if kind.is_float:
            return _float_literal(kind, float(value))
        suffix = _SUFFIX[kind]
        if value < 0 and value == kind.limits[0]:
            return f"({value + 1}{suffix} - 1)"
        text = f"{value}{suffix}"
        return f"({text})" if value < 0 else text

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
        return f"const {_counter(kind)} {name} = {expression};"

    def trip_loop(self, kind: ScalarType, name: str, trips: str) -> str:
        return f"for ({_counter(kind)} {name} = 0; {name} < {trips}; ++{name}) {{"

    def barrier(self, node: ir.Barrier) -> Iterable[str]:
        return ("__syncthreads();",)

    # --- positions and memory ------------------------------------------------------------------------

    def index(self, kind: str, axis: int) -> str:
        if kind == "block_size":
            return str(self.kernel.block_shape[axis])
        base = {"thread": "threadIdx", "block": "blockIdx", "grid_size": "gridDim"}[kind]
        return f"(int){base}.{_AXES[axis]}"

    def load(self, array: Array, indices: tuple[Operand, ...], component: int) -> str:
        return self.place(array, indices, component)

    def store(
        self, array: Array, indices: tuple[Operand, ...], component: int, value: Operand
    ) -> Iterable[str]:
        return (f"{self.place(array, indices, component)} = {value.text};",)

    def atomic(
        self, node: ir.Atomic, indices: tuple[Operand, ...], value: Operand, result: str
    ) -> Iterable[str]:
        place, kind = self.place(node.array, indices, node.component), value.type
        if kind.is_float and node.operation != "add":
            helper = f"atomic_{node.operation}_{kind}"
            self.helpers.add(helper)
            called = f"hw_{helper}(&{place}, {value.text})"
        elif (node.operation, kind) in _CASTS:
            unsigned = _CASTS[node.operation, kind]
            called = f"atomicAdd(({unsigned}*)&{place}, ({unsigned}){value.text})"
            called = f"({TYPES[kind.name]}){called}"
        else:
            called = f"atomic{node.operation.capitalize()}(&{place}, {value.text})"
        return (self.constant_local(kind, result, called),)

    def place(self, array: Array, indices: tuple[Operand, ...], component: int) -> str:
        """The element, or its component, as something that can be read and assigned."""
        name, texts = self._names[array], [_as_int(index) for index in indices]
        if isinstance(array, ir.SharedArray):
            return f"{name}[{_shared_offset(array, texts, component)}]"
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

    def shared_bytes(self) -> int:
        """The bytes of all shared arrays of a block."""
        return sum(map(_shared_bytes, self.kernel.shared))

    def shared_declarations(self) -> list[str]:
        """Statements that declare the shared arrays, in one piece where a block needs much."""
        if self.shared_bytes() <= STATIC_SHARED_BYTES:
            return [
                f"__shared__ {TYPES[shared.scalar.name]} {self._names[shared]}[{_shared_count(shared)}];"
                for shared in self.kernel.shared
            ]
        lines, start = [f"extern __shared__ double {DYNAMIC_SHARED}[];"], 0
        # The widest first: then every array is aligned without padding.
        for shared in sorted(self.kernel.shared, key=lambda shared: -shared.scalar.size):
            kind = TYPES[shared.scalar.name]
            name = self._names[shared]
            lines.append(f"{kind}* const {name} = ({kind}*)((char*){DYNAMIC_SHARED} + {start});")
            start += _shared_bytes(shared)
        return lines

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


def _counter(kind: ScalarType) -> str:
    return "unsigned long long" if kind is INT64 else "unsigned int"


def _as_int(index: Operand) -> str:
    return index.text if index.type is INT32 else f"(int){index.text}"


def _row_major(indices: list[str], lengths: list[str]) -> str:
    text = indices[0]
    for index, length in zip(indices[1:], lengths[1:], strict=True):
        left = f"({text})" if "+" in text else text
        text = f"{left} * {length} + {index}"
    return text


def _shared_offset(array: ir.SharedArray, indices: list[str], component: int) -> str:
    text = _row_major(indices, list(map(str, array.shape)))
    return text if array.components == 1 else f"({text}) * {array.components} + {component}"


def _shared_count(array: ir.SharedArray) -> int:
    return math.prod(array.shape) * array.components


def _shared_bytes(array: ir.SharedArray) -> int:
    return _shared_count(array) * array.scalar.size


def _float_literal(kind: ScalarType, value: float) -> str:
    single = kind is FLOAT32
    with np.errstate(over="ignore", under="ignore"):
        rounded = np.float32(value) if single else np.float64(value)
    if not np.isfinite(rounded):
        bits = rounded.view(np.uint32 if single else np.uint64)
        return f"__uint_as_float({bits:#x}u)" if single else f"__longlong_as_double({bits:#x}ll)"
    text = f"{rounded!s}{'f' if single else ''}"
    return f"({text})" if text.startswith("-") else text
