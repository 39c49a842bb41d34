"""What a device cannot do is refused before any text is written: kernel, line, device, and what would work."""

from __future__ import annotations

from headwater import ir
from headwater.backends.webgpu.features import FLOAT64 as HAS_FLOAT64
from headwater.backends.webgpu.features import INT64 as HAS_INT64
from headwater.backends.webgpu.features import INT64_ATOMICS, Features
from headwater.errors import CapabilityError, Span
from headwater.types import BOOL, FLOAT64, INT64, ScalarType

_WIDE_TYPES = {
    FLOAT64: (HAS_FLOAT64, "use float32, or the device 'cpu'"),
    INT64: (HAS_INT64, "use int32, or the device 'cpu'"),
}
_WIDE_ATOMICS = (INT64, FLOAT64)


def check(kernel: ir.Kernel, features: Features) -> None:
    """CapabilityError at the first thing that the device does not have."""
    _Check(kernel, features).run()


class _Check:
    def __init__(self, kernel: ir.Kernel, features: Features) -> None:
        self.kernel = kernel
        self.features = features

    def run(self) -> None:
        self.block()
        self.arrays()
        for node in ir.walk(self.kernel.body):
            for value in (*ir.results(node), *ir.operands(node)):
                self.type(value.type, node.span)
            if isinstance(node, ir.Atomic):
                self.atomic(node)

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
        limit = self.features.max_storage_buffers
        if len(arrays) > limit:
            text = f"uses {len(arrays)} arrays, more than the {limit} that can be bound"
            raise self.refuse(text, None, "split the kernel, or pack fields into vec3 arrays")
        for array in arrays:
            self.type(array.type.scalar, None)
        for shared in self.kernel.shared:
            self.type(shared.scalar, None)
        used, room = sum(map(shared_bytes, self.kernel.shared)), self.features.max_shared
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
        if kind in _WIDE_ATOMICS and not self.features.has(INT64_ATOMICS):
            hint = "use int32, uint32 or float32, or the device 'cpu'"
            raise self.refuse(f"needs atomics on {kind}, which are not there", node.span, hint)


def shared_bytes(array: ir.SharedArray) -> int:
    """The size of a shared array in workgroup memory, where a bool takes four bytes."""
    count = array.components
    for length in array.shape:
        count *= length
    size = 4 if array.scalar is BOOL else array.scalar.size
    return -(-count * size // 16) * 16
