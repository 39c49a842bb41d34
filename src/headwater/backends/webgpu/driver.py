"""The driver of one device: a thin front to compiler, memory and queue."""

from __future__ import annotations

import json
from collections.abc import Mapping

from headwater import ir
from headwater.backends.contract import (
    DeviceInfo,
    Executable,
    Memory,
    Options,
    VectorLayout,
)
from headwater.backends.webgpu.adapters import Adapter
from headwater.backends.webgpu.compiler import compile_kernel, decisions
from headwater.backends.webgpu.executable import WebGpuExecutable
from headwater.backends.webgpu.features import (
    Features,
    capabilities_of,
    features_of,
    layout_of,
)
from headwater.backends.webgpu.memory import Transfers
from headwater.backends.webgpu.native import Gpu, installed_version
from headwater.backends.webgpu.program import Program
from headwater.backends.webgpu.queue import Buffer, Queue


class WebGpuDriver:
    """Fulfils `Driver`. `checked` keeps the library's bounds checks in every kernel."""

    def __init__(self, adapter: Adapter, *, checked: bool) -> None:
        self.info: DeviceInfo = adapter.info
        self.adapter = adapter
        self.checked = checked
        label, native = adapter.label, adapter.native
        self.features: Features = features_of(
            label, native.features, native.limits, native.info["vendor_id"]
        )
        self.capabilities = capabilities_of(self.features)
        self.gpu = Gpu(native, self.features.names, label)
        self.queue = Queue(self.gpu)
        self.transfers = Transfers(self.gpu, self.queue, self.features)

    @property
    def settings(self) -> Mapping[str, int]:
        return {"checked": int(self.checked)}

    def fingerprint(self, options: Options) -> str:
        info = self.adapter.native.info
        parts = [info[key] for key in ("backend_type", "vendor", "device", "description")]
        parts += [installed_version(), repr(options), repr(self.features)]
        return json.dumps(parts)

    def vector_layout(self, components: int, count: int) -> VectorLayout:
        """Components side by side, three padded to four: the neighbour loop reads a position at once."""
        return layout_of(components)

    # --- memory -----------------------------------------------------------------------------------

    def allocate(self, nbytes: int) -> Memory:
        return self.transfers.allocate(nbytes)

    def free(self, memory: Memory) -> None:
        buffer = memory.handle
        if isinstance(buffer, Buffer):
            self.queue.retire(buffer)

    def write(self, memory: Memory, offset: int, data: memoryview) -> None:
        self.transfers.write(memory, offset, data)

    def read(self, memory: Memory, offset: int, out: memoryview) -> None:
        self.transfers.read(memory, offset, out)

    def copy(
        self, source: Memory, source_offset: int, target: Memory, target_offset: int, nbytes: int
    ) -> None:
        self.transfers.copy(source, source_offset, target, target_offset, nbytes)

    # --- programs ---------------------------------------------------------------------------------

    def compile(self, kernel: ir.Kernel, options: Options) -> bytes:
        return compile_kernel(kernel, options, self.features).to_bytes()

    def load(self, payload: bytes) -> Executable:
        program = Program.from_bytes(payload)
        return WebGpuExecutable(program, self.gpu, self.queue, self.features, self.checked)

    def source(self, kernel: ir.Kernel, options: Options) -> str:
        return compile_kernel(kernel, options, self.features).text()

    def decisions(self, kernel: ir.Kernel, options: Options) -> Mapping[str, str]:
        return decisions(kernel, options, self.features)

    def synchronize(self) -> None:
        with self.queue.lock:
            self.queue.flush()
            submission = self.queue.last if self.queue.submitted else None
        if submission is not None:
            self.gpu.wait(submission)
