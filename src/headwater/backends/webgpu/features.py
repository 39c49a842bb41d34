"""What a device can do, as the compiler needs it: features and limits by WebGPU's names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from headwater.backends.contract import Capabilities, VectorLayout

FLOAT64 = "shader-f64"
INT64 = "shader-int64"
INT64_ATOMICS = "shader-int64-atomic-all-ops"
FLOAT32_ATOMIC_ADD = "shader-float32-atomic"
IMMEDIATES = "immediates"
WANTED = (FLOAT64, INT64, INT64_ATOMICS, FLOAT32_ATOMIC_ADD, IMMEDIATES)

_NVIDIA = 0x10DE  # as PCI numbers vendors
_NVIDIA_PARTINGS = 6  # measured, see `reunion`
ANY_DEPTH = 1000


@dataclass(frozen=True, slots=True)
class Features:
    """The features that an open device has, and its limits (sizes in bytes)."""

    device: str
    names: tuple[str, ...]
    max_immediate: int
    max_binding: int
    max_buffer: int
    max_storage_buffers: int
    max_shared: int
    max_threads: int
    max_block: tuple[int, int, int]
    max_groups: int
    # In how many loops and branches in one another threads may part before they meet at a barrier.
    max_partings: int = ANY_DEPTH
    # Measured when the device is opened: whether float32 keeps subnormal numbers, and rounds divisions and roots right.
    subnormals: bool = True
    rounded: bool = True
    # And whether WGSL's fma rounds once, in float32 and in float64.
    fused: bool = False
    fused64: bool = False

    @property
    def exact(self) -> bool:
        """Whether float32 is what the language asks for."""
        return self.subnormals and self.rounded

    @property
    def emulates(self) -> bool:
        """Whether kernels with `contract=False` have to compute float32 with the help of float64, and can."""
        return not self.exact and self.has(FLOAT64) and self.has(INT64)

    def has(self, feature: str) -> bool:
        return feature in self.names


def features_of(
    device: str, names: Iterable[str], limits: Mapping[str, int], vendor: int
) -> Features:
    """From an adapter's features, limits and vendor's number."""
    there = tuple(name for name in WANTED if name in set(names))
    threads = limits["max-compute-invocations-per-workgroup"]
    sizes = [limits[f"max-compute-workgroup-size-{axis}"] for axis in "xyz"]
    return Features(
        device=device,
        names=there,  # in one order: it is part of a program's key
        max_immediate=limits["max-immediate-size"] if IMMEDIATES in there else 0,
        max_binding=limits["max-storage-buffer-binding-size"],
        max_buffer=limits["max-buffer-size"],
        max_storage_buffers=limits["max-storage-buffers-per-shader-stage"],
        max_shared=limits["max-compute-workgroup-storage-size"],
        max_threads=threads,
        max_block=(sizes[0], sizes[1], sizes[2]),
        max_groups=limits["max-compute-workgroups-per-dimension"],
        max_partings=_NVIDIA_PARTINGS if vendor == _NVIDIA else ANY_DEPTH,
    )


def layout_of(components: int) -> VectorLayout:
    """How vectors lie in the memory of every device of WebGPU."""
    return VectorLayout(2 if components == 2 else 4, 1)


def capabilities_of(features: Features) -> Capabilities:
    """What a device with these features can do."""
    return Capabilities(
        float64=features.has(FLOAT64),
        int64=features.has(INT64),
        float_atomics=True,  # by compare-and-swap where the device has none of its own
        int64_atomics=features.has(INT64_ATOMICS),
        float64_atomics=features.has(INT64_ATOMICS) and features.has(FLOAT64),
        device_fences=False,  # WGSL has no fence, only barriers of a block
        waits=False,  # WebGPU promises nothing of threads that do not wait at barriers
        max_block_threads=features.max_threads,
        max_shared_bytes=features.max_shared,
        max_array_bytes=min(features.max_binding, features.max_buffer),
        default_block=128,
    )
