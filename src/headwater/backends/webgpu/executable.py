"""A loaded program: its pipelines, and what a launch does."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headwater.backends.contract import ArrayArgument, LaunchArgument
from headwater.backends.webgpu.features import Features
from headwater.backends.webgpu.memory import SMALLEST, live, round_up
from headwater.backends.webgpu.native import Gpu, Layout, reported, summary
from headwater.backends.webgpu.program import Program, access
from headwater.backends.webgpu.queue import Buffer, Queue
from headwater.errors import DeviceError, LaunchError

_KINDS = {"read": "read-only-storage", "read_write": "storage"}
_numbers = itertools.count(1)


class ShaderError(DeviceError):
    """The device refused a kernel's text, which is kept in `source`."""

    def __init__(self, message: str, source: str) -> None:
        super().__init__(message, hint="the generated text is the error's attribute 'source'")
        self.source = source


@dataclass(frozen=True, slots=True)
class Variant:
    """One pipeline of a program."""

    pipeline: Any
    layout: Layout


class WebGpuExecutable:
    """Fulfils `Executable`."""

    def __init__(
        self, program: Program, gpu: Gpu, queue: Queue, features: Features, checked: bool
    ) -> None:
        self.program = program
        self.gpu = gpu
        self.queue = queue
        self.features = features
        self.checked = checked
        self.block = program.layout()
        self.pack = self.block.pack
        self.values = program.values
        self.keys = {split: program.key(next(_numbers)) for split in (False, True)}
        self.constants = [self._uploaded(constants.content) for constants in program.constants]
        self.building = threading.Lock()
        self.variants: dict[tuple[bool, bool], Variant] = {}
        self.variant(split=False, writable=False)

    def launch(self, grid: tuple[int, int, int], arguments: Sequence[LaunchArgument]) -> None:
        if 0 in grid:
            return
        split = max(grid) > self.features.max_groups
        key = self.keys[split](arguments)
        block = self.pack(*self.values(arguments, grid))
        groups = self.split(grid) if split else grid
        queue = self.queue
        with queue.lock:
            bound = queue.bound.get(key)
            if bound is not None:
                queue.dispatch(bound, groups, block)
                return
        buffers = self.buffers(arguments)
        variant = self.variant(split=split, writable=self.is_shared(buffers))
        with queue.lock:
            uniform_size = 0 if self.program.immediate else len(block)
            held = [*buffers, *self.constants]
            bound = queue.bind(key, variant.pipeline, variant.layout, held, uniform_size)
            queue.dispatch(bound, groups, block)

    def _uploaded(self, content: bytes) -> Buffer:
        """A buffer with the values of constant arrays; it lives as long as the program."""
        size = max(SMALLEST, round_up(len(content)))
        with reported(f"the device '{self.gpu.label}' has no memory left for a kernel's constants"):
            native = self.gpu.buffer(size, "STORAGE", "COPY_DST")
            self.gpu.write(native, 0, memoryview(content))
        return Buffer(native, size, 0)

    def buffers(self, arguments: Sequence[LaunchArgument]) -> list[Buffer]:
        """The buffers to bind; LaunchError for one that is too large to be bound."""
        result = []
        for binding in self.program.bindings:
            argument = arguments[binding.parameter]
            assert isinstance(argument, ArrayArgument)
            buffer = live(argument.memory)
            if buffer.nbytes > self.features.max_binding:
                raise LaunchError(
                    f"the array '{binding.label}' of the kernel '{self.program.name}' lies in "
                    f"{buffer.nbytes:,} bytes; the device '{self.features.device}' binds at most "
                    f"{self.features.max_binding:,} bytes",
                    hint="split the array",
                )
            result.append(buffer)
        return result

    def is_shared(self, buffers: Sequence[Buffer]) -> bool:
        """Whether one buffer would be bound both to read and to write, which is an error."""
        if len({buffer.serial for buffer in buffers}) == len(buffers):
            return False
        modes: dict[int, set[bool]] = {}
        for buffer, binding in zip(buffers, self.program.bindings, strict=True):
            modes.setdefault(buffer.serial, set()).add(binding.written)
        return any(len(seen) > 1 for seen in modes.values())

    def split(self, grid: tuple[int, int, int]) -> tuple[int, int, int]:
        """All blocks in rows that a dispatch takes; the kernel counts them again."""
        count, row = grid[0] * grid[1] * grid[2], self.features.max_groups
        if count > row * row:
            raise LaunchError(
                f"the kernel '{self.program.name}' was launched with {count:,} blocks; the device "
                f"'{self.features.device}' takes at most {row * row:,}",
                hint="use larger blocks, or several launches",
            )
        return (min(count, row), -(-count // row), 1)

    # --- pipelines ----------------------------------------------------------------------------------

    def variant(self, *, split: bool, writable: bool) -> Variant:
        """The pipeline for a kind of launch, made at the first one."""
        key = (split, writable)
        known = self.variants.get(key)
        if known is not None:
            return known
        with self.building:
            if key not in self.variants:
                self.variants[key] = self.build(split, writable)
            return self.variants[key]

    def build(self, split: bool, writable: bool) -> Variant:
        program = self.program
        kinds = [_KINDS[access(binding, writable)] for binding in program.bindings]
        kinds += ["read-only-storage"] * len(program.constants)
        if not program.immediate:
            kinds.append("uniform")
        immediate = self.block.size if program.immediate else 0
        text = program.text(split=split, writable=writable)
        try:
            layout = self.gpu.layout(kinds, immediate)
            pipeline = self.gpu.pipeline(text, layout, checked=self.checked)
        except (self.gpu.library.wgpu.GPUError, RuntimeError) as error:
            raise ShaderError(
                f"the device '{self.features.device}' refused the kernel '{program.name}': "
                f"{summary(str(error))}",
                text,
            ) from error
        return Variant(pipeline, layout)
