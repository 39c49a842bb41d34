"""The arrays that belong to a kernel: shared, local and constant ones, as the text declares them.

Dynamic shared arrays all start at the beginning of one piece, whose size a launch gives. Other shared arrays lie
behind it where together they need more than a block has without asking.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from headwater import ir
from headwater.backends.cuda.kinds import FLOATS, TYPES, bits_text, from_bits, literal
from headwater.ir.nodes import Array
from headwater.types import FLOAT32

# What a block has without asking the driver for more.
STATIC_SHARED_BYTES = 48 * 1024
_CONSTANT_BYTES = 64 * 1024
_PIECE = "hw_shared"
_ALIGNMENT = 8  # of the widest scalar
_PER_LINE = 16

Own = ir.SharedArray | ir.LocalArray | ir.ConstantArray
Names = Mapping[Array, str]


def count(array: Own) -> int:
    """The scalars of an array."""
    return math.prod(array.shape) * array.components


def _bytes(arrays: Iterable[Own]) -> int:
    return sum(count(array) * array.scalar.size for array in arrays)


def _static(kernel: ir.Kernel) -> list[ir.SharedArray]:
    return [array for array in kernel.shared if not array.dynamic]


def _declared(kernel: ir.Kernel) -> bool:
    """Whether static shared arrays stand in the text as such."""
    return _bytes(_static(kernel)) <= STATIC_SHARED_BYTES


def dynamic_bytes(kernel: ir.Kernel) -> int:
    """The shared memory that each launch must ask for."""
    if _declared(kernel):
        return kernel.dynamic_shared
    return _first_behind(kernel) + _bytes(_static(kernel))


def _first_behind(kernel: ir.Kernel) -> int:
    return -(-kernel.dynamic_shared // _ALIGNMENT) * _ALIGNMENT


def shared_lines(kernel: ir.Kernel, names: Names) -> list[str]:
    """Statements that declare the shared arrays."""
    dynamic = {array: 0 for array in kernel.shared if array.dynamic}
    lines = []
    if _declared(kernel):
        lines += [
            f"__shared__ {TYPES[array.scalar.name]} {names[array]}[{count(array)}];"
            for array in _static(kernel)
        ]
    else:
        start = _first_behind(kernel)
        # The widest first: then every array is aligned without padding.
        for array in sorted(_static(kernel), key=lambda array: -array.scalar.size):
            dynamic[array] = start
            start += _bytes([array])
    if dynamic:
        lines.insert(0, f"extern __shared__ double {_PIECE}[];")
    for array, start in dynamic.items():
        kind = TYPES[array.scalar.name]
        lines.append(f"{kind}* const {names[array]} = ({kind}*)((char*){_PIECE} + {start});")
    return lines


def local_line(array: ir.LocalArray, name: str) -> str:
    """The statement that declares an array of one thread."""
    return f"{TYPES[array.scalar.name]} {name}[{count(array)}];"


def constant_lines(kernel: ir.Kernel, names: Names) -> list[str]:
    """Tables of the module. Floats stand as bits, because no literal is a NaN."""
    fits = _bytes(kernel.constants) <= _CONSTANT_BYTES
    memory = "__constant__" if fits else "__device__"
    lines: list[str] = []
    for array in kernel.constants:
        kind = TYPES[array.scalar.name]
        if array.scalar in FLOATS:
            kind = "unsigned int" if array.scalar is FLOAT32 else "unsigned long long"
        lines.append(f"static {memory} const {kind} {names[array]}[{count(array)}] = {{")
        texts = [_entry(array, value) for value in array.values]
        for start in range(0, len(texts), _PER_LINE):
            lines.append(f"    {', '.join(texts[start : start + _PER_LINE])},")
        lines.append("};")
    return lines


def _entry(array: ir.ConstantArray, value: bool | int | float) -> str:
    if array.scalar not in FLOATS:
        return literal(array.scalar, value)
    return bits_text(array.scalar, value) + ("u" if array.scalar is FLOAT32 else "ull")


def constant_value(array: ir.ConstantArray, entry: str) -> str:
    """The value of an entry of a table."""
    return from_bits(array.scalar, entry) if array.scalar in FLOATS else entry
