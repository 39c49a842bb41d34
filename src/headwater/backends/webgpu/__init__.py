"""Vulkan, Metal, DX12 and OpenGL through WebGPU: kernels become WGSL."""

from headwater.backends.contract import Backend
from headwater.backends.webgpu.backend import WebGpuBackend


def backend() -> Backend:
    """The entry that the registry looks for."""
    return WebGpuBackend()
