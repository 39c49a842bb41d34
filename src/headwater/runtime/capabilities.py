"""Refuses a kernel that needs what its device does not have, at the user's line."""

from __future__ import annotations

import math

from headwater import ir
from headwater.backends.contract import Capabilities
from headwater.errors import CapabilityError, Span
from headwater.types import FLOAT64, INT64, ScalarType


def check_capabilities(kernel: ir.Kernel, capabilities: Capabilities, device: str) -> None:
    """Raise CapabilityError for a type, an atomic or a size that the device `device` lacks."""
    _check_shared(kernel, capabilities, device)
    missing = {
        kind: hint
        for kind, there, hint in (
            (FLOAT64, capabilities.float64, "compute in float32"),
            (INT64, capabilities.int64, "compute in int32; an int32 with a uint32 gives an int64"),
        )
        if not there
    }
    if not missing and capabilities.float_atomics:
        return
    for parameter in kernel.parameters:
        scalar = (
            parameter.type.scalar if isinstance(parameter, ir.ArrayParameter) else parameter.type
        )
        if scalar in missing:
            raise _lacks(kernel, device, scalar, missing[scalar], None)
    for node in ir.walk(kernel.body):
        result = getattr(node, "result", None)
        if result is not None and result.type in missing:
            raise _lacks(kernel, device, result.type, missing[result.type], node.span)
        if (
            isinstance(node, ir.Atomic)
            and node.value.type.is_float
            and not capabilities.float_atomics
        ):
            raise CapabilityError(
                f"kernel '{kernel.name}': the device '{device}' has no atomics on {node.value.type}",
                span=node.span,
                hint="use integer atomics, or a reduction",
            )


def _lacks(
    kernel: ir.Kernel, device: str, kind: ScalarType, hint: str, span: Span | None
) -> CapabilityError:
    return CapabilityError(
        f"kernel '{kernel.name}': the device '{device}' has no {kind}", span=span, hint=hint
    )


def _check_shared(kernel: ir.Kernel, capabilities: Capabilities, device: str) -> None:
    needed = sum(
        math.prod(shared.shape) * shared.components * shared.scalar.size for shared in kernel.shared
    )
    if needed > capabilities.max_shared_bytes:
        names = ", ".join(f"'{shared.name}'" for shared in kernel.shared)
        raise CapabilityError(
            f"kernel '{kernel.name}': the shared arrays {names} need {needed:,} bytes a block; the device "
            f"'{device}' has {capabilities.max_shared_bytes:,}",
            hint="use smaller shared arrays or smaller blocks",
        )
