"""What a backend provides. This page and the test suite are the guide for writing one.

A backend is a folder `backends/NAME/` whose `__init__.py` has a function `backend() -> Backend`. It never imports
another backend or the runtime. All sizes are in bytes unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from headwater import ir  # a warm start never needs it, and it takes a while to load


# What devices say of a loop that waits for ever.
ENDLESS = "a trip of this loop changes nothing, so it never ends"
ENDLESS_HINT = (
    "a thread that waits for another uses a barrier, or a warp function; in a loop it may wait only for threads of "
    "blocks, or of warps of its block, with smaller numbers"
)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a device can do; checked when a kernel is compiled, never silently worked round."""

    float64: bool = True
    int64: bool = True
    float_atomics: bool = True
    # Atomics on int64 and uint64; on float64.
    int64_atomics: bool = True
    float64_atomics: bool = True
    # Whether a fence orders writes between blocks.
    device_fences: bool = True
    # Whether a thread goes on while another waits for it in a loop, if the other's block or warp has a greater number.
    waits: bool = True
    # Whether an exited thread is no longer waited for: then kernels keep their early returns beside barriers.
    exits_leave_barriers: bool = False
    # Whether warp operations, and what barriers count, take none of a block's shared memory.
    native_warps: bool = False
    # Whether the device itself checks and prints in every kernel: then debug mode hands it the kernel as it is written.
    checks_itself: bool = False
    max_block_threads: int = 1024
    max_shared_bytes: int = 48 * 1024
    max_array_bytes: int = 1 << 62
    # How many threads make one block where the launch leaves it open.
    default_block: int = 256
    # Whether one thread that walks a run of elements is as good as many that share it (a CPU core).
    serial_threads: bool = False


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """One device that could be opened: `name` is what `headwater.device` takes.

    `same_as` names another device that is the same hardware through an interface to be preferred, if there is one.
    """

    name: str
    index: int
    description: str
    same_as: str = ""


@dataclass(frozen=True, slots=True)
class Absence:
    """Why a backend has no device here, and what to install."""

    reason: str
    hint: str


@dataclass(frozen=True, slots=True)
class Gap:
    """A feature of the language that a backend's devices do not give; a table of them stands in its folder.

    The reason, what helps, and the names of the devices where it was seen (empty: all of the backend's). `measured`
    gaps are looked for when a device is opened.
    """

    feature: str
    reason: str
    remedy: str
    devices: tuple[str, ...] = ()
    measured: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """How to compile; part of a program's key.

    `contract` allows a * b + c to be one rounding. `lanes` forces the SIMD width (0: the device's own). `debug` says
    that the kernel was instrumented; a backend may compile it with less optimisation.
    """

    contract: bool = True
    lanes: int = 0
    debug: bool = False


@dataclass(frozen=True, slots=True)
class VectorLayout:
    """Where component c of element i of a vector array lies: scalar i * element_stride + c * component_stride."""

    element_stride: int
    component_stride: int


@dataclass(frozen=True, slots=True)
class Memory:
    """A piece of device memory. `handle` is the backend's own; equality is identity of the allocation."""

    nbytes: int
    handle: object = field(compare=False)
    serial: int = 0


@dataclass(frozen=True, slots=True)
class ArrayArgument:
    """An array as a launch passes it. Strides are in scalars; `component_stride` is 0 for scalar elements."""

    memory: Memory
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    component_stride: int = 0


LaunchArgument: TypeAlias = ArrayArgument | bool | int | float


class Executable(Protocol):
    """A loaded program."""

    def launch(self, grid: tuple[int, int, int], arguments: Sequence[LaunchArgument]) -> None:
        """Must: run `grid` blocks after everything launched before on this device.

        `arguments` are in the order of `kernel.parameters`, scalars already of the parameter's type and range.
        May return before the work is done; `Driver.read` and `Driver.synchronize` wait.
        """


class Writer(Protocol):
    """What writes programs: an open device, or a typical one that is not there."""

    info: DeviceInfo
    capabilities: Capabilities

    @property
    def settings(self) -> Mapping[str, int]:
        """Must: the values of the options that the device runs with, given or not, by name; for people to read."""

    def vector_layout(self, components: int, count: int) -> VectorLayout:
        """Must: say how `count` elements of a vector array lie in memory."""

    def source(self, kernel: ir.Kernel, options: Options) -> str:
        """Should: the generated text, for people. The kernel may be changed in place."""

    def decisions(self, kernel: ir.Kernel, options: Options) -> Mapping[str, str]:
        """Should: what was chosen for this kernel, by name, for people. The kernel may be changed in place."""


class Driver(Writer, Protocol):
    """One open device. Every method must be safe to call from any thread."""

    def fingerprint(self, options: Options) -> str:
        """Must: name everything that a compiled payload depends on beside the kernel: target, versions, driver."""

    def allocate(self, nbytes: int) -> Memory:
        """Must: give memory aligned to 64 bytes; DeviceError where there is none left."""

    def free(self, memory: Memory) -> None:
        """Must: take it back once the work that uses it is done.

        Finalizers call this, so it may run inside any other method of the driver, on the same thread: it must not
        wait for a lock that such a method holds.
        """

    def write(self, memory: Memory, offset: int, data: memoryview) -> None:
        """Must: copy host bytes to the device, in order with launches."""

    def read(self, memory: Memory, offset: int, out: memoryview) -> None:
        """Must: copy device bytes to the host, after all launches before."""

    def copy(
        self, source: Memory, source_offset: int, target: Memory, target_offset: int, nbytes: int
    ) -> None:
        """Must: copy inside the device, in order with launches."""

    def compile(self, kernel: ir.Kernel, options: Options) -> bytes:
        """Must: give a payload that `load` takes in another process with the same fingerprint.

        The kernel has passed `lower_returns` and the barrier check; it still holds `Neighbors` loops, so that the
        backend chooses their plan with `passes.lower_neighbors`. The kernel may be changed in place.
        """

    def load(self, payload: bytes) -> Executable:
        """Must: make a program ready to launch."""

    def synchronize(self) -> None:
        """Must: wait until all work of the device is done."""


class Backend(Protocol):
    """The entry of a backend's folder. Must be cheap to make: importing heavy packages waits for `open`."""

    name: str

    def devices(self) -> Sequence[DeviceInfo] | Absence:
        """Must: the devices there are, or why there is none."""

    def open(self, index: int, **options: int) -> Driver:
        """Must: open the device at position `index` of what `devices` gave; called once for each set of options.

        Options are those of `headwater.device(name, **options)`, and the backend names the ones it has ('threads',
        say). DeviceError where one is unknown or out of range.
        """

    def sketch(self, name: str) -> Writer | None:
        """May: what writes programs for a typical device `name` where none is there; None if it has no such name."""
