"""From a kernel to machine code: the neighbour loop's plan, CUDA C++, NVRTC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from headwater import ir
from headwater.backends.contract import Options
from headwater.backends.cuda.language import CudaLanguage
from headwater.backends.cuda.program import Program, Slot
from headwater.emit import Names, write_body
from headwater.errors import CapabilityError, DeviceError, InternalError
from headwater.passes import lower_neighbors

# The hardware counts a block's threads on each axis up to these.
_MAX_BLOCK = (1024, 1024, 64)


@dataclass(frozen=True, slots=True)
class Source:
    """A kernel's text, and what a launch must fill in."""

    text: str
    symbol: str
    slots: tuple[Slot, ...]
    dynamic_shared: int


def write(kernel: ir.Kernel, options: Options) -> Source:
    """The CUDA C++ of a kernel, which is changed in place."""
    _check_block(kernel)
    lower_neighbors(kernel, cooperative=False)
    names = Names()
    symbol = names.unique("k", kernel.name)
    target = CudaLanguage(kernel, names, contract=options.contract)
    body = write_body(kernel, target, names)
    parameters = ",\n".join(f"    {declaration}" for declaration in target.declarations)
    parts = [
        f"// kernel {symbol.removeprefix('k_')}, blocks of {kernel.block_shape} threads",
        *target.vector_types(),
        *target.tables(),
        *target.table.definitions(body.helpers | target.helpers),
        f'extern "C" __global__ void __launch_bounds__({kernel.threads}) {symbol}(',
        f"{parameters})" if parameters else "    void)",
        "{",
        *(f"    {line}" for line in target.shared_declarations()),
        *body.lines,
        "}",
    ]
    text = "\n".join(parts) + "\n"
    return Source(text, symbol, tuple(target.slots), target.dynamic_bytes())


def compile_kernel(kernel: ir.Kernel, options: Options, architecture: str) -> Program:
    """The program of a kernel, which is changed in place, for an architecture such as 'sm_90'."""
    source = write(kernel, options)
    code = machine_code(kernel.name, source.text, flags(options, architecture))
    return Program(
        name=kernel.name,
        symbol=source.symbol,
        block_shape=kernel.block_shape,
        dynamic_shared=source.dynamic_shared,
        parameters=len(kernel.parameters),
        slots=source.slots,
        code=code,
    )


def decisions(kernel: ir.Kernel, options: Options) -> dict[str, str]:
    """What the text settles, for people: how many parameters it takes, and where shared arrays lie."""
    source = write(kernel, options)
    lies = f"{source.dynamic_shared:,} bytes, sized at the launch" if source.dynamic_shared else ""
    found = {"passed": f"{len(source.slots)} values, in registers and constant memory"}
    return {**found, "shared memory": lies} if lies else found


def flags(options: Options, architecture: str) -> tuple[str, ...]:
    """What NVRTC is told: IEEE arithmetic with denormals, and no contraction unless it is allowed."""
    return (
        f"--gpu-architecture={architecture}",
        "--std=c++17",
        "--ftz=false",
        "--prec-div=true",
        "--prec-sqrt=true",
        f"--fmad={'true' if options.contract else 'false'}",
        "--disable-warnings",
    )


def _check_block(kernel: ir.Kernel) -> None:
    for axis, limit in enumerate(_MAX_BLOCK):
        if kernel.block_shape[axis] > limit:
            raise CapabilityError(
                f"kernel '{kernel.name}': a block of {kernel.block_shape} threads; CUDA devices take up to "
                f"{limit} along {'xyz'[axis]}",
                span=kernel.span,
            )


# --- NVRTC ----------------------------------------------------------------------------------------


def compiler_version() -> tuple[int, int]:
    """NVRTC's version; DeviceError where it cannot be loaded."""
    nvrtc = _nvrtc()
    try:
        major, minor = _checked(nvrtc, nvrtc.nvrtcVersion())
    except RuntimeError as error:  # its wheel is missing
        raise DeviceError(f"NVRTC, CUDA's compiler, cannot be loaded: {error}") from None
    return major, minor


def architectures() -> tuple[int, ...]:
    """Compute capabilities that NVRTC compiles for: 90 is 9.0."""
    nvrtc = _nvrtc()
    return tuple(_checked(nvrtc, nvrtc.nvrtcGetSupportedArchs())[0])


def machine_code(name: str, text: str, options: Sequence[str]) -> bytes:
    """Compile a text to machine code. InternalError with NVRTC's words where it refuses; the text is a note."""
    nvrtc = _nvrtc()
    (program,) = _checked(nvrtc, nvrtc.nvrtcCreateProgram(text.encode(), b"kernel.cu", 0, [], []))
    try:
        given = [option.encode() for option in options]
        (status,) = nvrtc.nvrtcCompileProgram(program, len(given), given)
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            log = _bytes(nvrtc, program, "ProgramLog").decode(errors="replace").strip("\0\n ")
            error = InternalError(
                f"NVRTC refuses the text of the kernel '{name}': {log or status.name}"
            )
            error.add_note(text)
            raise error
        return _bytes(nvrtc, program, "CUBIN")
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def _bytes(nvrtc: Any, program: Any, what: str) -> bytes:
    (size,) = _checked(nvrtc, getattr(nvrtc, f"nvrtcGet{what}Size")(program))
    content = bytes(size)
    _checked(nvrtc, getattr(nvrtc, f"nvrtcGet{what}")(program, content))
    return content


def _checked(nvrtc: Any, result: tuple[Any, ...]) -> tuple[Any, ...]:
    status, *values = result
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise InternalError(f"NVRTC failed: {status.name}")
    return tuple(values)


@cache
def _nvrtc() -> Any:
    # Loaded when a kernel is compiled: the bindings take a while.
    from cuda.bindings import nvrtc

    return nvrtc
