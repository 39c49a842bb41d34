"""From a kernel function to a program that a device can launch. `build` reads as the list of stages."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import headwater.types
from headwater import config
from headwater.backends.contract import Executable, Options
from headwater.frontend import Guard
from headwater.frontend.fingerprint import Captures
from headwater.runtime.cache import BuildCache, DiskCache, disk_cache
from headwater.runtime.device import Device
from headwater.types import SCALARS, ArgumentType, ArrayType, ScalarType

if TYPE_CHECKING:
    from headwater import ir
    from headwater.ir.reports import Reports

_PACKAGE = Path(headwater.types.__file__).parent.parent
# What decides which program comes out of a kernel's text. A driver's fingerprint covers versions and targets,
# but the sources of our own backends change between two commits too.
_COMPILER = ("types", "ir", "frontend", "passes", "emit", "backends", "math", "runtime/compile.py")


@dataclass(frozen=True, slots=True)
class Specialization:
    """Everything that a program depends on. `axes` is how many the launch has; None by blocks.

    `functions` are what the device functions among the arguments depend on.
    """

    function: FunctionType
    captured: Captures
    arguments: tuple[tuple[str, ArgumentType], ...]
    block: tuple[int, int, int]
    axes: int | None
    guard: Guard | None
    options: Options
    device: Device
    dynamic_shared: int = 0
    functions: tuple[Captures, ...] = ()

    def digest(self) -> str:
        """The key of the program; equal for equal programs in other processes."""
        parts = (
            self.captured.digest,
            *(captured.digest for captured in self.functions),
            repr(self.arguments),
            repr(self.block),
            repr(self.axes),
            repr(self.guard),
            repr(self.dynamic_shared),
            repr(self.options),
            repr(self.device.capabilities),
            self.device.driver.fingerprint(self.options),
            compiler_digest(),
            *self._places(),
        )
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def _places(self) -> list[str]:
        """Where the functions stand, for a program that names lines when it runs."""
        if not (self.options.debug or self.device.capabilities.checks_itself):
            return []
        parts = (part for found in (self.captured, *self.functions) for part in found.parts)
        codes = {part.function.__code__ for part in parts}
        return sorted(f"{code.co_filename}:{code.co_firstlineno}" for code in codes)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a program: where the launch finds it, and what it takes there."""

    path: tuple[str, ...]
    scalar: ScalarType
    array: bool
    written: bool


@dataclass(frozen=True, slots=True)
class Program:
    """A loaded program and the parameters it is launched with."""

    parameters: tuple[Parameter, ...]
    executable: Executable


@dataclass(frozen=True, slots=True)
class Artifact:
    """What the disk keeps of a program, so that a later process neither parses nor compiles.

    `reports` is what it may report in debug mode, as `headwater.runtime.debug` encodes it.
    """

    parameters: tuple[Parameter, ...]
    payload: bytes
    reports: list[Any] | None = None

    def encode(self) -> bytes:
        """One line of JSON, then the payload."""
        rows = [[p.path, p.scalar.name, p.array, p.written] for p in self.parameters]
        return json.dumps([rows, self.reports]).encode() + b"\n" + self.payload

    @classmethod
    def decode(cls, content: bytes) -> Artifact:
        """The reverse; ValueError, KeyError or TypeError for what `encode` did not write."""
        header, _, payload = content.partition(b"\n")
        scalars = {scalar.name: scalar for scalar in SCALARS}
        given, reports = json.loads(header)
        rows = ((tuple(path), scalars[name], *flags) for path, name, *flags in given)
        return cls(tuple(Parameter(*row) for row in rows), payload, reports)


def options_now(options: Options) -> Options:
    """The options of a kernel that is compiled now: the environment may ask for debug mode."""
    return replace(options, debug=True) if config.DEBUG.read() else options


# --- the stages -----------------------------------------------------------------------------------


def lower(wanted: Specialization) -> ir.Kernel:
    """The kernel's IR, checked, as backends take it."""
    return _lower(wanted)[0]


def _lower(wanted: Specialization) -> tuple[ir.Kernel, Reports | None]:
    """The kernel's IR, and in debug mode what it may report."""
    # A warm start needs none of these, and they take a while to load.
    from headwater import passes  # noqa: PLC0415
    from headwater.frontend.lower import lower as lower_function  # noqa: PLC0415
    from headwater.runtime.capabilities import check_capabilities  # noqa: PLC0415

    kernel = lower_function(
        wanted.function,
        wanted.arguments,
        wanted.block,
        axes=wanted.axes,
        guard=wanted.guard,
        dynamic_shared=wanted.dynamic_shared,
    )
    capabilities, reports = wanted.device.capabilities, None
    if not capabilities.checks_itself:
        passes.find_waits(kernel)
        if wanted.options.debug:
            reports = passes.instrument(kernel)
        passes.strip_debug(kernel)
    passes.lower_returns(kernel, keep=capabilities.exits_leave_barriers)
    passes.check_barriers(kernel)
    passes.classify_reductions(kernel)
    check_capabilities(kernel, capabilities, wanted.device.name)
    return kernel, reports


def build(wanted: Specialization) -> Artifact:
    """Compile, without any cache."""
    kernel, reports = _lower(wanted)
    parameters = tuple(map(_parameter, kernel.parameters))
    payload = wanted.device.driver.compile(kernel, wanted.options)
    if reports is None:
        return Artifact(parameters, payload)
    from headwater.runtime.debug import encode  # noqa: PLC0415 - only debug mode needs it

    # The last parameter is the buffer of the reports, which no argument fills.
    return Artifact(parameters[:-1], payload, encode(reports))


def program(wanted: Specialization) -> Program:
    """The program from memory, else from disk, else compiled. One thread builds, the others wait for it."""
    digest = wanted.digest()

    def make() -> Program:
        start = time.perf_counter()
        try:
            return _load_or_build(wanted, digest)
        finally:
            _seconds.append(time.perf_counter() - start)

    return _programs.get((wanted.device, digest), make)


def compile_seconds() -> float:
    """Seconds that this process has spent so far on making programs, those taken from disk included.

    The sum over all threads, waiting for another thread's program not counted.
    """
    return sum(_seconds)


def _load_or_build(wanted: Specialization, digest: str) -> Program:
    disk = disk_cache()
    kept = None if disk is None else _load(wanted, digest, disk)
    if kept is not None:
        return kept
    artifact = build(wanted)
    if disk is not None:
        disk.write(digest, artifact.encode())
    return _loaded(wanted, artifact)


def _load(wanted: Specialization, digest: str, disk: DiskCache) -> Program | None:
    content = disk.read(digest)
    if content is None:
        return None
    try:
        return _loaded(wanted, Artifact.decode(content))
    except Exception:  # noqa: BLE001 - whatever a foreign payload does to a loader, the cure is to compile
        return None


def _loaded(wanted: Specialization, artifact: Artifact) -> Program:
    executable = wanted.device.driver.load(artifact.payload)
    if artifact.reports is not None:
        from headwater.runtime.debug import Watched, decode  # noqa: PLC0415 - as above

        executable = Watched(executable, decode(artifact.reports), wanted.device)
    return Program(artifact.parameters, executable)


def _parameter(parameter: ir.Parameter) -> Parameter:
    kind = parameter.type
    if isinstance(kind, ArrayType):
        return Parameter(parameter.path, kind.scalar, True, getattr(parameter, "written", True))
    return Parameter(parameter.path, kind, False, False)


_programs: BuildCache[Program] = BuildCache()
_seconds: list[float] = []


@cache
def compiler_digest() -> str:
    """A digest of the sources of our own compiler, read once a process."""
    digest = hashlib.sha256()
    for path in _compiler_sources():
        digest.update(f"{path.relative_to(_PACKAGE)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _compiler_sources() -> Iterator[Path]:
    for part in _COMPILER:
        path = _PACKAGE / part
        yield from sorted(path.rglob("*.py")) if path.suffix == "" else [path]


def ir_text(wanted: Specialization) -> str:
    """The printed form of `lower`, for people."""
    from headwater.ir import format_kernel  # noqa: PLC0415 - as above

    return format_kernel(lower(wanted))


def generated_source(wanted: Specialization) -> str:
    """The text that the device's backend generates, for people."""
    return wanted.device.driver.source(lower(wanted), wanted.options)
