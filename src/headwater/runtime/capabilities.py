"""Refuses a kernel that needs what its device does not have, at the user's line."""

from __future__ import annotations

from collections.abc import Iterator

from headwater import ir, passes
from headwater.backends.contract import Capabilities
from headwater.errors import CapabilityError, Span
from headwater.ir.builder import scalar_of
from headwater.types import FLOAT64, INT64, UINT64, ScalarType


def check_capabilities(kernel: ir.Kernel, capabilities: Capabilities, device: str) -> None:
    """Raise CapabilityError for a type, an operation or a size that the device `device` lacks."""
    _Check(kernel, capabilities, device).run()


class _Check:
    def __init__(self, kernel: ir.Kernel, capabilities: Capabilities, device: str) -> None:
        self.kernel = kernel
        self.has = capabilities
        self.device = device
        self.missing = _missing_types(capabilities)

    def run(self) -> None:
        self.shared()
        for node in ir.walk(self.kernel.body):
            for kind in _types(node):
                self.type(kind, node.span)
            if isinstance(node, ir.Atomic):
                self.atomic(node)
            elif isinstance(node, ir.Fence):
                self.fence(node)
            elif isinstance(node, ir.Warp):
                self.warp(node)
            elif isinstance(node, ir.While):
                self.loop(node)
        # What no node touches may have to be passed or declared all the same.
        for parameter in self.kernel.parameters:
            if isinstance(parameter, ir.ArrayParameter):
                self.type(parameter.type.scalar, None)
            else:
                self.type(parameter.type, None)
        for held in (self.kernel.shared, self.kernel.locals, self.kernel.constants):
            for own in held:
                self.type(own.scalar, None)

    def lacks(self, what: str, span: Span | None, hint: str) -> CapabilityError:
        text = f"kernel '{self.kernel.name}': the device '{self.device}' has no {what}"
        return CapabilityError(text, span=span or self.kernel.span, hint=hint)

    def type(self, kind: ScalarType, span: Span | None) -> None:
        if kind in self.missing:
            raise self.lacks(str(kind), span, self.missing[kind])

    def atomic(self, node: ir.Atomic) -> None:
        kind = node.value.type
        there, hint = True, ""
        if kind.is_float:
            there = self.has.float64_atomics if kind is FLOAT64 else self.has.float_atomics
            hint = "use integer atomics, or a reduction"
            if kind is FLOAT64 and self.has.float_atomics:
                hint = "use atomics on float32, or a reduction"
        elif kind.bits == 64:
            there, hint = self.has.int64_atomics, "use atomics on int32 or uint32, or a reduction"
        if not there:
            raise self.lacks(f"atomics on {kind}", node.span, hint)

    def fence(self, node: ir.Fence) -> None:
        if node.scope == "block" or self.has.device_fences:
            return
        hint = "end the kernel there: a launch sees all that launches before it wrote"
        raise self.lacks("fence that orders writes between blocks", node.span, hint)

    def loop(self, node: ir.While) -> None:
        if not node.waits or self.has.waits:
            return
        text = "promise that a thread goes on while another waits for it in a loop"
        hint = (
            "wait at barriers, or end the kernel there and launch another, or use the device 'cpu'"
        )
        raise self.lacks(text, node.span, hint)

    def warp(self, node: ir.Warp) -> None:
        if self.has.native_warps or self.has.int64 or not node.operation.startswith("match"):
            return
        if node.arguments[0].type is FLOAT64:
            hint = "match float32 values, or the two halves"
            raise self.lacks(f"'{ir.called(node)}' of float64", node.span, hint)

    def shared(self) -> None:
        fixed, dynamic = passes.array_bytes(self.kernel), self.kernel.dynamic_shared
        added = 0 if self.has.native_warps else passes.lowering_bytes(self.kernel)
        if fixed + dynamic + added <= self.has.max_shared_bytes:
            return
        names = ", ".join(f"'{array.name}'" for array in self.kernel.shared if not array.dynamic)
        parts = [
            f"the shared arrays {names} need {fixed:,} bytes a block" if fixed else "",
            f"the launch asks for {dynamic:,} bytes of shared memory" if dynamic else "",
            f"warp functions and votes need {added:,} bytes of it" if added else "",
        ]
        raise CapabilityError(
            f"kernel '{self.kernel.name}': {', '.join(filter(None, parts))}; the device "
            f"'{self.device}' has {self.has.max_shared_bytes:,}",
            span=self.kernel.span,
            hint="use smaller shared arrays or smaller blocks",
        )


def _missing_types(capabilities: Capabilities) -> dict[ScalarType, str]:
    """The types that a device lacks, with what would work."""
    missing = {} if capabilities.float64 else {FLOAT64: "compute in float32"}
    if not capabilities.int64:
        missing[INT64] = "compute in int32; an int32 with a uint32 gives an int64"
        missing[UINT64] = "compute in uint32"
    return missing


def _types(node: ir.Node) -> Iterator[ScalarType]:
    """The types of all that a node makes and uses."""
    for value in (*ir.results(node), *ir.operands(node)):
        yield value.type
    if isinstance(node, ir.Load | ir.Store | ir.Atomic):
        yield scalar_of(node.array)
