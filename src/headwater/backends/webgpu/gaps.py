"""What these devices do not give although the language asks for it; the support page is made from this table.

`measured` gaps are looked for when a device is opened, and stand in its features; the others were seen on Mesa's
software driver and on an NVIDIA H200. What a device lacks by its `Capabilities` (float64, int64, sizes) is no gap:
such kernels are refused by name.
"""

from __future__ import annotations

from headwater.backends.contract import Gap

GAPS = (
    Gap(
        "arithmetic with NaN and infinity",
        "WGSL lets drivers assume that there are none: x - x and x * 0.0 become 0",
        "hw.kernel(contract=False) computes as written",
        ("vulkan", "metal", "dx12", "opengl"),
    ),
    Gap(
        "sums in the order in which they are written",
        "WGSL has no way to forbid it: Mesa's compiler makes b of (a + b) - a",
        "hw.kernel(contract=False) computes as written",
        ("vulkan", "metal", "dx12", "opengl"),
    ),
    Gap(
        "the sign of zero",
        "x * 0.0 becomes 0.0 where x is negative too",
        "hw.kernel(contract=False) computes as written",
        ("vulkan", "metal", "dx12", "opengl"),
    ),
    Gap(
        "subnormal float32 numbers",
        "WGSL lets devices take them for 0, and graphics cards do",
        "hw.kernel(contract=False) keeps them where the device has float64 and int64",
        ("vulkan", "metal", "dx12", "opengl"),
        measured=True,
    ),
    Gap(
        "float32 division and square root rounded to the nearest",
        "WGSL asks for 2.5 units in the last place, by divisors from 2**-126 to 2**126; `//` and `%` divide so too",
        "hw.kernel(contract=False) rounds them right where the device has float64 and int64",
        ("vulkan", "metal", "dx12", "opengl"),
        measured=True,
    ),
    Gap(
        "64-bit atomics in dynamic shared memory that arrays of other types share",
        "workgroup memory has one type in WGSL, here words of 32 bits",
        "make all dynamic arrays of one type, or use a shared array of fixed size",
        ("vulkan", "metal", "dx12", "opengl"),
    ),
)
