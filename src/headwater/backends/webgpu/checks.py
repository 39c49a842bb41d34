"""What a device cannot do is refused before any text is written: kernel, line, device, and what would work."""

from __future__ import annotations

from headwater import ir
from headwater.backends.webgpu.cells import PairCell
from headwater.backends.webgpu.features import ANY_DEPTH, INT64_ATOMICS, Features
from headwater.backends.webgpu.features import FLOAT64 as HAS_FLOAT64
from headwater.backends.webgpu.features import INT64 as HAS_INT64
from headwater.backends.webgpu.placement import Placement, dynamic_cells, shared_bytes, uses_of
from headwater.backends.webgpu.reunion import deepest_parting
from headwater.errors import CapabilityError, Span
from headwater.types import BOOL, FLOAT64, INT64, UINT64, ScalarType

_WIDE_TYPES = {
    FLOAT64: (HAS_FLOAT64, "use float32, or the device 'cpu'"),
    INT64: (HAS_INT64, "use int32, or the device 'cpu'"),
    UINT64: (HAS_INT64, "use uint32, or the device 'cpu'"),
}


def check(kernel: ir.Kernel, features: Features) -> None:
    """CapabilityError at the first thing that the device does not have."""
    _Check(kernel, features).run()


def check_bindings(kernel: ir.Kernel, placement: Placement, features: Features) -> None:
    """CapabilityError where a kernel binds more buffers than the device takes."""
    arrays, tables = len(placement.bindings), len(placement.constants)
    limit = features.max_storage_buffers
    if arrays + tables <= limit:
        return
    also = f" and {tables} tables of constants" if tables else ""
    raise CapabilityError(
        f"the kernel '{kernel.name}' uses {arrays} arrays{also}, more than the {limit} buffers that the device "
        f"'{features.device}' binds at once",
        span=kernel.span,
        hint="split the kernel, pack three scalars into a vec3 array, or make arrays of one type views of one array",
    )


class _Check:
    def __init__(self, kernel: ir.Kernel, features: Features) -> None:
        self.kernel = kernel
        self.features = features
        dynamic = [array for array in kernel.shared if array.dynamic]
        cells = dynamic_cells(dynamic, uses_of(kernel)) if dynamic else {}
        self.pairs = {array for array, cell in cells.items() if isinstance(cell, PairCell)}

    def run(self) -> None:
        self.block()
        self.arrays()
        self.partings()
        for node in ir.walk(self.kernel.body):
            for value in (*ir.results(node), *ir.operands(node)):
                self.type(value.type, node.span)
            if isinstance(node, ir.Atomic):
                self.atomic(node)
            if isinstance(node, ir.Fence) and node.scope != "block":
                hint = "end the kernel there and launch another one, or use the device 'cpu'"
                raise self.refuse(
                    "orders writes between blocks, which is not there", node.span, hint
                )

    def partings(self) -> None:
        if self.features.max_partings == ANY_DEPTH:
            return
        depth, node = deepest_parting(self.kernel)
        if node is None or depth <= self.features.max_partings:
            return
        text = (
            f"parts its threads {depth} times, in loops and branches in one another, before a barrier; the driver "
            f"brings them together again after {self.features.max_partings}"
        )
        hint = "move inner loops into a kernel of their own, or use the device 'cuda' or 'cpu'"
        raise self.refuse(text, node.span, hint)

    def refuse(self, text: str, span: Span | None, hint: str) -> CapabilityError:
        where = span if span is not None else self.kernel.span
        message = f"the kernel '{self.kernel.name}' {text} on the device '{self.features.device}'"
        return CapabilityError(message, span=where, hint=hint)

    def type(self, kind: ScalarType, span: Span | None) -> None:
        needed = _WIDE_TYPES.get(kind)
        if needed is None or self.features.has(needed[0]):
            return
        raise self.refuse(f"needs {kind}, which is not there", span, needed[1])

    def block(self) -> None:
        limits = self.features.max_block
        too_long = any(a > b for a, b in zip(self.kernel.block_shape, limits, strict=True))
        if self.kernel.threads > self.features.max_threads or too_long:
            shape = self.kernel.block_shape
            hint = f"at most {self.features.max_threads} threads, and at most {limits} by axis"
            raise self.refuse(f"has blocks of {shape} threads, more than fit", None, hint)

    def arrays(self) -> None:
        arrays = [p for p in self.kernel.parameters if isinstance(p, ir.ArrayParameter)]
        for array in arrays:
            self.type(array.type.scalar, None)
        for own in (self.kernel.shared, self.kernel.locals, self.kernel.constants):
            for held in own:
                self.type(held.scalar, None)
        if self.pairs and not self.features.has(HAS_INT64):
            text = "has dynamic shared arrays of 64 bits and of other types, which need int64"
            raise self.refuse(text, None, "make all dynamic arrays of one type")
        room = self.features.max_shared
        used = shared_bytes(self.kernel, room)
        if used > room:
            text = f"uses {used} bytes of shared arrays, more than the {room} there are"
            raise self.refuse(text, None, "use smaller blocks or smaller shared arrays")

    def atomic(self, node: ir.Atomic) -> None:
        kind = node.result.type
        if isinstance(node.array, ir.ArrayParameter) and node.array.type.components > 1:
            hint = "keep the components in arrays of their own"
            raise self.refuse("updates a vector's component atomically", node.span, hint)
        if kind is BOOL:
            raise self.refuse("updates a bool atomically", node.span, "use int32")
        if node.array in self.pairs:
            hint = "make all dynamic arrays of one type, or keep a shared array of fixed size"
            text = f"updates {kind} atomically in dynamic shared memory that other types share, which cannot be done"
            raise self.refuse(text, node.span, hint)
        if kind.bits == 64 and not self.features.has(INT64_ATOMICS):
            hint = "use int32, uint32 or float32, or the device 'cpu'"
            raise self.refuse(f"needs atomics on {kind}, which are not there", node.span, hint)
