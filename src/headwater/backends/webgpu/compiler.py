"""From a kernel to a program: passes, checks, WGSL."""

from __future__ import annotations

from headwater import ir
from headwater.backends.contract import Options
from headwater.backends.webgpu.checks import check, check_bindings
from headwater.backends.webgpu.features import Features
from headwater.backends.webgpu.fences import lower_fences
from headwater.backends.webgpu.language import Wgsl
from headwater.backends.webgpu.program import ARGUMENTS, WIDE, Program
from headwater.emit import Names, write_body
from headwater.passes import lower_narrow, lower_neighbors, lower_votes, lower_warps


def compile_kernel(kernel: ir.Kernel, options: Options, features: Features) -> Program:
    """The program of a kernel, which is changed in place. CapabilityError for what the device lacks."""
    lower_fences(kernel)
    lower_neighbors(kernel, cooperative=False)
    lower_warps(kernel)
    lower_votes(kernel)
    lower_narrow(kernel)
    check(kernel, features)
    names = Names()
    # To find NaNs and infinities, they must not be folded away.
    contract = options.contract and not options.debug
    target = Wgsl(kernel, features, names, contract=contract)
    check_bindings(kernel, target.placement, features)
    body = write_body(kernel, target, names)
    helpers = target.table.definitions(body.helpers | target.helpers)
    for axis, letter in enumerate("xyz"):
        target.reserved(f"grid_{letter}", "u32", "grid", axis)
    for axis, zero in enumerate(("zero", "nought", "blank")):
        if any(f"{ARGUMENTS}.{zero}" in text for text in helpers):
            target.reserved(zero, "u32", "zero", axis)
    fields = sorted(target.fields.values(), key=lambda field: field.type not in WIDE)
    program = Program(
        name=kernel.name,
        block_shape=kernel.block_shape,
        fields=tuple(fields),
        bindings=tuple(target.placement.bindings),
        constants=tuple(target.placement.constants),
        immediate=False,
        module="\n".join([*target.placement.shared, *helpers]),
        body="\n".join(body.lines),
    )
    return program.placed(features.max_immediate)


def decisions(kernel: ir.Kernel, options: Options, features: Features) -> dict[str, str]:
    """What the program settles, for people: its bindings, and how the other arguments travel."""
    program = compile_kernel(kernel, options, features)
    bound = f"{len(program.bindings)} of at most {features.max_storage_buffers}"
    way = "in immediates" if program.immediate else "in a uniform buffer"
    return {"buffers": bound, "arguments": f"{program.layout().size} bytes, {way}"}
