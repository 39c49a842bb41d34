"""What the compiler decided for a kernel, for people: `headwater show plan` and `Launch.plan`."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headwater import ir
from headwater.errors import DeviceError
from headwater.ir.builder import scalar_of
from headwater.passes import array_bytes
from headwater.runtime.compile import Specialization, generated_source, ir_text, lower
from headwater.types import FLOAT64, INT64, UINT64, ArrayType, VectorType

if TYPE_CHECKING:
    from headwater.runtime.device import Device
    from headwater.runtime.launch import Launch

Row = tuple[str, str]
_WIDE = (FLOAT64, INT64, UINT64)


def shown(
    what: str, launch: Launch, device: Device, arguments: Sequence[Any], named: Mapping[str, Any]
) -> str:
    """The 'ir', the 'code' or the 'plan' of a launch with these arguments, on this device if none is an array."""
    wanted = launch._specialization(tuple(arguments), dict(named), device)
    return {"ir": ir_text, "code": generated_source, "plan": plan_text}[what](wanted)


def plan_text(wanted: Specialization) -> str:
    """The decisions as lines of a name and what it is; the kernel is compiled for it, without any cache."""
    kernel = lower(wanted)
    rows = [*_launch(wanted, kernel), *_parameters(wanted, kernel), *_memory(kernel)]
    rows += [*_threads_together(kernel), *_neighbours(kernel), *_needs(kernel)]
    driver = wanted.device.driver
    start = time.perf_counter()  # the first time loads the compiler
    again = lower(wanted)
    lowered = time.perf_counter() - start
    rows += driver.decisions(again, wanted.options).items()
    rows.append(("compile time", f"{1e3 * lowered:.1f} ms to the IR"))
    rows.append(("compile time", _compiled(wanted, kernel)))
    return "\n".join(_aligned(rows)) + "\n"


def _compiled(wanted: Specialization, kernel: ir.Kernel) -> str:
    start = time.perf_counter()
    try:
        payload = wanted.device.driver.compile(kernel, wanted.options)
    except DeviceError as error:
        return error.message
    return f"{1e3 * (time.perf_counter() - start):.1f} ms to {len(payload):,} bytes of code"


def _aligned(rows: list[Row]) -> Iterator[str]:
    width = max(len(name) for name, _ in rows)
    before = ""
    for name, text in rows:
        yield f"{'' if name == before else name:<{width}}  {text}"
        before = name


def _launch(wanted: Specialization, kernel: ir.Kernel) -> Iterator[Row]:
    where = "" if kernel.span is None else f", {kernel.span.file}:{kernel.span.line}"
    yield "kernel", f"{kernel.name}({', '.join(name for name, _ in wanted.arguments)}){where}"
    device = wanted.device
    settings = [f"{name} {value}" for name, value in device.settings.items()]
    yield "device", ", ".join([f"{device.name} ({device.description})", *settings])
    yield "block", f"{kernel.threads} threads {kernel.block_shape}"
    options = [
        "contraction allowed" if wanted.options.contract else "each operation rounded",
        *(["debug mode"] if wanted.options.debug else []),
    ]
    yield "arithmetic", ", ".join(options)


def _parameters(wanted: Specialization, kernel: ir.Kernel) -> Iterator[Row]:
    for parameter in kernel.parameters:
        name = ".".join(parameter.path)
        if isinstance(parameter, ir.ArrayParameter):
            yield "parameters", f"{name}: {_array(wanted, parameter)}"
        else:
            yield "parameters", f"{name}: {parameter.type}"
    if not kernel.parameters:
        yield "parameters", "none"


def _array(wanted: Specialization, parameter: ir.ArrayParameter) -> str:
    kind: ArrayType = parameter.type
    strided = "rows with strides" if kind.unit_rows else "with strides"
    layout = "contiguous" if kind.contiguous else strided
    parts = [f"{kind.element}, {kind.ndim}D", layout]
    if isinstance(kind.element, VectorType):
        lies = wanted.device.driver.vector_layout(kind.components, 1)
        parts.append("in planes" if lies.element_stride == 1 else f"{lies.element_stride} apart")
    parts.append("written" if parameter.written else "read only")
    if parameter.atomic:
        parts.append("atomic")
    if kind.alias:
        parts.append(f"shares memory {kind.alias}")
    return ", ".join(parts)


def _memory(kernel: ir.Kernel) -> Iterator[Row]:
    for shared in kernel.shared:
        yield "shared memory", f"{shared.name}: {_own(shared, 'dynamic' if shared.dynamic else '')}"
    if kernel.shared or kernel.dynamic_shared:
        total = array_bytes(kernel) + kernel.dynamic_shared
        yield "shared memory", f"{total:,} bytes a block"
    for local in kernel.locals:
        yield "local memory", f"{local.name}: {_own(local)}"
    for constant in kernel.constants:
        yield "constants", f"{constant.name}: {_own(constant)}"


def _own(array: ir.SharedArray | ir.LocalArray | ir.ConstantArray, note: str = "") -> str:
    parts = f" x {array.components}" if array.components > 1 else ""
    nbytes = math.prod(array.shape) * array.components * array.scalar.size
    return f"{array.scalar}{parts} {list(array.shape)}, {note or f'{nbytes:,} bytes'}"


def _threads_together(kernel: ir.Kernel) -> Iterator[Row]:
    found: Counter[str] = Counter()
    for node in ir.walk(kernel.body):
        if isinstance(node, ir.Barrier | ir.BarrierVote):
            found["barrier"] += 1
        elif isinstance(node, ir.Warp):
            found["warp operation"] += 1
        elif isinstance(node, ir.Fence):
            found["fence"] += 1
        elif isinstance(node, ir.Atomic):
            kind = scalar_of(node.array)
            found[f"atomic {node.operation} on {kind} of '{node.array.name}'"] += 1
    for what, count in found.items():
        text = f"{count} {what}" if what.startswith("atomic") else _counted(count, what)
        yield "threads together", text


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _neighbours(kernel: ir.Kernel) -> Iterator[Row]:
    for node in ir.walk(kernel.body):
        if not isinstance(node, ir.Neighbors):
            continue
        line = "" if node.span is None else f"line {node.span.line}: "
        sums = ", ".join(f"{sum.operation} to {sum.variable.name}" for sum in node.reductions)
        how = "one after another, for its effects" if node.sequential else sums or "in any order"
        yield "neighbour loop", f"{line}{how}, {_counted(node.grid.reach, 'cell')} to a side"


def _needs(kernel: ir.Kernel) -> Iterator[Row]:
    kinds = set()
    for node in ir.walk(kernel.body):
        kinds |= {value.type for value in ir.results(node)}
    needed = [str(kind) for kind in _WIDE if kind in kinds]
    yield "needs", ", ".join(needed) or "32-bit numbers only"
