"""The one module that touches wgpu-py and its C library, pinned to one minor version.

Objects that live long are made with wgpu-py's own wrappers. The paths that run for each launch call the C functions
themselves. `safe` has the same functions as `lib`, but raises what the library reports during a call: a command buffer
that comes out of a failed `finish` must never be submitted, because that ends the process.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from headwater.errors import DeviceError

VERSION = "0.32"
INSTALL = f"pip install 'wgpu=={VERSION}.*'"
_NO_COMPUTE = (
    "it takes OpenGL 4.3 or OpenGL ES 3.1, for compute shaders; use 'vulkan' where it is there"
)
# Opaque C handles and structs.
Handle = Any


@dataclass(frozen=True, slots=True)
class Library:
    """wgpu-py and the C library under it."""

    wgpu: Any
    lib: Any
    ffi: Any
    safe: Any


def installed_version() -> str | None:
    """The version of wgpu-py, found without importing it; None where it is not installed."""
    try:
        return importlib.metadata.version("wgpu")
    except importlib.metadata.PackageNotFoundError:
        return None


@cache
def library() -> Library:
    """Load the library; 50 ms the first time."""
    import wgpu
    from wgpu.backends.wgpu_native import _api, ffi, lib

    return Library(wgpu, lib, ffi, _api.libf)


@contextmanager
def reported(what: str, hint: str = "") -> Iterator[None]:
    """Turn what the library raises into a DeviceError that begins with `what`; `hint` stands for the usual one."""
    errors = (library().wgpu.GPUError, RuntimeError)
    try:
        yield
    except errors as error:
        text = summary(str(error))
        if "device is lost" in text:
            usual = "open the device in a new process; other devices of this one go on working"
            raise DeviceError(f"{what}: the device is lost", hint=hint or usual) from error
        raise DeviceError(f"{what}: {text}", hint=hint or None) from error


def summary(text: str) -> str:
    """A report of the library without its frame: the lines that say something."""
    noise = ("Validation Error", "Caused by:", "In wgpu")
    lines = [line.strip() for line in text.splitlines()]
    return "; ".join(line for line in lines if line and not line.startswith(noise)) or text


# --- things that live long ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Layout:
    """The layouts of one set of bindings: of the bind group, and of the pipeline with its immediates."""

    group: Any
    pipeline: Any


class Gpu:
    """An open device, with the calls that the driver needs."""

    def __init__(self, adapter: Any, features: Sequence[str], label: str) -> None:
        self.library = library()
        self.label = label
        old = adapter.info["backend_type"].startswith("OpenGL")
        with reported(f"the device '{label}' cannot be opened", _NO_COMPUTE if old else ""):
            # Asking for the adapter's limits: without, a device may get WebGPU's small defaults.
            self.device = adapter.request_device_sync(
                required_features=list(features), required_limits=dict(adapter.limits)
            )
        self.handle: Handle = self.device._internal
        self.queue: Handle = self.device.queue._internal

    def buffer(self, nbytes: int, *usages: str) -> Any:
        """A new buffer. `usages` are names of wgpu.BufferUsage."""
        flags = 0
        for usage in usages:
            flags |= self.library.wgpu.BufferUsage[usage]
        return self.device.create_buffer(size=nbytes, usage=flags)

    def layout(self, kinds: Sequence[str], immediate: int) -> Layout:
        """`kinds` are the types of the bindings; a uniform one has a dynamic offset."""
        entries = [
            {
                "binding": number,
                "visibility": self.library.wgpu.ShaderStage.COMPUTE,
                "buffer": {"type": kind, "has_dynamic_offset": kind == "uniform"},
            }
            for number, kind in enumerate(kinds)
        ]
        group = self.device.create_bind_group_layout(entries=entries)
        pipeline = self.device.create_pipeline_layout(
            bind_group_layouts=[group], immediate_size=immediate
        )
        return Layout(group, pipeline)

    def pipeline(self, text: str, layout: Layout, *, checked: bool) -> Any:
        """Compile a module and make a pipeline of its entry `main`."""
        make = self.device.create_shader_module if checked else self.unchecked_module
        module = make(code=text)
        return self.device.create_compute_pipeline(
            layout=layout.pipeline, compute={"module": module, "entry_point": "main"}
        )

    def unchecked_module(self, code: str) -> Any:
        """A module without bounds checks and loop counters, which wgpu-py does not wrap."""
        ffi, lib = self.library.ffi, self.library.lib
        text = code.encode()
        data = ffi.new("char[]", text)
        source = ffi.new("WGPUShaderSourceWGSL *")
        source.chain.sType = lib.WGPUSType_ShaderSourceWGSL
        source.code.data = data
        source.code.length = len(text)
        descriptor = ffi.new("WGPUShaderModuleDescriptor *")
        descriptor.nextInChain = ffi.cast("WGPUChainedStruct *", source)
        handle = self.library.safe.wgpuDeviceCreateShaderModuleTrusted(self.handle, descriptor, 0)
        return self.library.wgpu.backends.wgpu_native.GPUShaderModule("", handle, self.device)

    # --- things of a moment -----------------------------------------------------------------------

    def bind_group(self, layout: Layout, parts: Sequence[tuple[Any, int]]) -> Handle:
        """A bind group over whole buffers or their first bytes; give it back with `release_group`."""
        ffi = self.library.ffi
        entries = ffi.new("WGPUBindGroupEntry[]", len(parts))
        for number, (buffer, size) in enumerate(parts):
            entries[number].binding = number
            entries[number].buffer = buffer._internal
            entries[number].size = size
        descriptor = ffi.new("WGPUBindGroupDescriptor *")
        descriptor.layout = layout.group._internal
        descriptor.entryCount = len(parts)
        descriptor.entries = entries
        return self.library.safe.wgpuDeviceCreateBindGroup(self.handle, descriptor)

    def release_group(self, group: Handle) -> None:
        self.library.lib.wgpuBindGroupRelease(group)

    def write(self, buffer: Any, offset: int, data: memoryview) -> None:
        """Copy host bytes; they may be changed afterwards. Offset and size are multiples of 4."""
        # Released by hand: a view that the collector meets in a traceback's cycle ends the process.
        with self.library.ffi.from_buffer(data) as pointer:
            self.library.safe.wgpuQueueWriteBuffer(
                self.queue, buffer._internal, offset, pointer, data.nbytes
            )

    def wait(self, submission: int) -> None:
        """Wait until a submission is done; the lock on Python is released meanwhile."""
        index = self.library.ffi.new("WGPUSubmissionIndex *", submission)
        self.library.lib.wgpuDevicePoll(self.handle, 1, index)
