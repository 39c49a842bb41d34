"""How deep threads part before a barrier, and what is refused of it on a driver that loses them."""

# The kernels are made of branches and loops that do next to nothing.
# ruff: noqa: B007

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.frontend.build import array, build

import headwater as hw
from headwater.backends.contract import Options
from headwater.backends.webgpu.compiler import compile_kernel
from headwater.backends.webgpu.features import features_of
from headwater.backends.webgpu.reunion import deepest_parting
from headwater.backends.webgpu.sketch import typical
from headwater.errors import CapabilityError
from headwater.types import INT32


def parts_before(y, x, n):
    t = hw.threadIdx.x
    for a in range(x[t]):
        if y[a] > t:
            y[t] = a
    hw.syncthreads()
    y[t] = 0


def parts_after(y, x, n):
    t = hw.threadIdx.x
    hw.syncthreads()
    for a in range(x[t]):
        if y[a] > t:
            y[t] = a


def parts_and_meets_again(y, x, n):
    t = hw.threadIdx.x
    for k in range(n):
        hw.syncthreads()
        for a in range(x[t]):
            y[t] = a


def goes_together(y, x, n):
    t = hw.threadIdx.x
    for a in range(n):
        if x[a] > n:
            y[t] = a
    hw.syncthreads()


def leaves_early(y, x, n):
    t = hw.threadIdx.x
    for a in range(n):
        if y[a] > t:
            break
        y[t] = a
    hw.syncthreads()


def goes_on_early(y, x, n):
    t = hw.threadIdx.x
    k = t
    while k > 0:
        k -= 1
        if y[k] > t:
            continue
        y[t] = k
    hw.syncthreads()


def side_by_side(y, x, n):
    t = hw.threadIdx.x
    for a in range(x[t]):
        y[t] = a
    if x[t] > 2:
        y[t] = 1
    elif x[t] > 1:
        y[t] = 2
    hw.syncthreads()


def seven_deep(y, x, n):
    t = hw.threadIdx.x
    for a in range(x[t]):
        for b in range(x[a + t]):
            for c in range(x[b + t]):
                if y[c] > t:
                    for d in range(x[c + t]):
                        for e in range(x[d + t]):
                            if y[e] > t:
                                y[t] = e
    hw.syncthreads()
    y[t] += 1


LIMITS = (
    "max-compute-invocations-per-workgroup",
    "max-compute-workgroup-size-x",
    "max-compute-workgroup-size-y",
    "max-compute-workgroup-size-z",
    "max-storage-buffer-binding-size",
    "max-buffer-size",
    "max-storage-buffers-per-shader-stage",
    "max-compute-workgroup-storage-size",
    "max-compute-workgroups-per-dimension",
    "max-immediate-size",
)
TYPES = (array(INT32), array(INT32), INT32)
CASES: list[tuple[Callable[..., None], int]] = [
    (parts_before, 2),
    (parts_after, 0),
    (parts_and_meets_again, 1),
    (goes_together, 0),
    (leaves_early, 2),
    (goes_on_early, 3),
    (side_by_side, 2),
    (seven_deep, 7),
]


@pytest.mark.parametrize(("function", "depth"), CASES, ids=[case[0].__name__ for case in CASES])
def test_depth(function: Callable[..., None], depth: int) -> None:
    kernel = build(function, *TYPES)
    assert deepest_parting(kernel)[0] == depth


def test_a_driver_of_nvidia_loses_them() -> None:
    limits = dict.fromkeys(LIMITS, 64)
    assert features_of("vulkan", [], limits, vendor=0x10DE).max_partings == 6
    assert features_of("vulkan", [], limits, vendor=0x1002).max_partings > 100


def test_what_a_driver_loses_is_refused() -> None:
    features = typical("vulkan")
    assert features is not None
    kernel = build(seven_deep, *TYPES)
    compile_kernel(kernel, Options(), replace(features, max_partings=7))
    kernel = build(seven_deep, *TYPES)
    with pytest.raises(CapabilityError, match="'seven_deep' parts its threads 7 times") as caught:
        compile_kernel(kernel, Options(), replace(features, max_partings=6))
    assert "the device 'cuda'" in str(caught.value)
    assert caught.value.span is not None
