"""The names that users write in kernels.

Each is a marker that the frontend knows by identity. Called or read outside a kernel it raises an error
that says so. Scalar and vector types are the objects of `headwater.types`: dtypes for arrays, casts in kernels.
Signatures and meanings stand here once: `help(hw.grid)` shows them, and docs/language.md is checked against them.
"""

from __future__ import annotations

from headwater.frontend import mathematics
from headwater.frontend.markers import Axes as Axes
from headwater.frontend.markers import Intrinsic as Intrinsic
from headwater.frontend.markers import Marker as Marker
from headwater.frontend.markers import Namespace as Namespace
from headwater.frontend.markers import ThreadValue as ThreadValue
from headwater.frontend.markers import VectorConstructor as VectorConstructor
from headwater.types import (
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    ScalarType,
    VectorType,
)

# --- threads --------------------------------------------------------------------------------------

grid = Intrinsic(
    "grid",
    "(axes) -> int32, or a tuple of two or three",
    """The thread's position in the whole launch: blockIdx * blockDim + threadIdx.

`axes` is the literal 1, 2 or 3: `i = hw.grid(1)`, `x, y = hw.grid(2)`. x is the fastest axis.""",
)
gridsize = Intrinsic(
    "gridsize",
    "(axes) -> int32, or a tuple of two or three",
    """The number of threads of the whole launch along each axis: gridDim * blockDim.

It is the step of a loop in which a few threads walk over many elements.""",
)
threadIdx = Axes(
    "threadIdx", ".x .y .z: int32", "The thread's position in its block, from 0.", "thread"
)
blockIdx = Axes("blockIdx", ".x .y .z: int32", "The block's position in the grid, from 0.", "block")
blockDim = Axes(
    "blockDim",
    ".x .y .z: int32",
    "The number of threads of a block along each axis; known when the kernel is compiled.",
    "block_size",
)
gridDim = Axes(
    "gridDim", ".x .y .z: int32", "The number of blocks of the launch along each axis.", "grid_size"
)

# --- blocks that cooperate ------------------------------------------------------------------------

syncthreads = Intrinsic(
    "syncthreads",
    "() -> None",
    """Wait for all threads of the block; what they wrote before is then seen by all of them.

Every thread of the block must reach it, or none: under a condition or in a loop that differs between threads of a
block it is refused when the kernel is compiled. Threads that returned before it do not count.""",
)
syncthreads_count = Intrinsic(
    "syncthreads_count",
    "(predicate) -> int32",
    "As `syncthreads`; and for how many threads of the block, of those that have not returned, the predicate holds.",
)
syncthreads_and = Intrinsic(
    "syncthreads_and",
    "(predicate) -> bool",
    "As `syncthreads`; and whether the predicate holds for all threads of the block that have not returned.",
)
syncthreads_or = Intrinsic(
    "syncthreads_or",
    "(predicate) -> bool",
    "As `syncthreads`; and whether the predicate holds for one thread of the block that has not returned.",
)
threadfence_block = Intrinsic(
    "threadfence_block",
    "() -> None",
    "What this thread wrote before is seen by its block no later than what it writes after.",
)
threadfence = Intrinsic(
    "threadfence", "() -> None", "As `threadfence_block`, for all threads of the device."
)
threadfence_system = Intrinsic(
    "threadfence_system", "() -> None", "As `threadfence`, for the host too."
)
shared = Namespace(
    "shared",
    Intrinsic(
        "shared.array",
        "(shape, dtype) -> array",
        """An array that the threads of a block share, one for each block; its values are not set.

`shape` is an integer or a tuple of up to four, known when compiling (a literal or a captured constant); `dtype` is a
scalar or vector type, or a frozen dataclass of such. With length 0 the array is dynamic: it takes all the bytes that
the launch gives, `kernel[blocks, threads, None, shared_bytes]`, and so do all such arrays of a kernel: they overlap.
Synchronise with `hw.syncthreads()`.""",
    ),
)
local = Namespace(
    "local",
    Intrinsic(
        "local.array",
        "(shape, dtype) -> array",
        """An array of one thread; its values are not set.

`shape` and `dtype` are as for `shared.array`, but no length is 0; at most 64 KiB.""",
    ),
)
const = Namespace(
    "const",
    Intrinsic(
        "const.array_like",
        "(table) -> array",
        """A table that is part of the program, and only read.

`table` is a captured NumPy array, or a tuple of numbers, or of tuples of these; at most 64 KiB. Its values are those of
the kernel's first compile.""",
    ),
)
atomic = Namespace(
    "atomic",
    Intrinsic(
        "atomic.add",
        "(array, index, value) -> the old value",
        """array[index] += value, in one step that no other thread can interrupt.

`array` holds numbers (no vectors, no bools), in device or shared memory; `index` is an integer or a tuple. The order of
threads is open, so float sums may differ in the last digits from run to run.""",
    ),
    Intrinsic(
        "atomic.sub",
        "(array, index, value) -> the old value",
        "array[index] -= value, in one step.",
    ),
    Intrinsic(
        "atomic.min",
        "(array, index, value) -> the old value",
        "array[index] = min(array[index], value), in one step; a NaN loses to a number.",
    ),
    Intrinsic(
        "atomic.max",
        "(array, index, value) -> the old value",
        "array[index] = max(array[index], value), in one step; a NaN loses to a number.",
    ),
    Intrinsic(
        "atomic.and_",
        "(array, index, value) -> the old value",
        "array[index] = array[index] and value, bit by bit, in one step; integers.",
    ),
    Intrinsic(
        "atomic.or_",
        "(array, index, value) -> the old value",
        "array[index] = array[index] or value, bit by bit, in one step; integers.",
    ),
    Intrinsic(
        "atomic.xor",
        "(array, index, value) -> the old value",
        "array[index] = array[index] xor value, bit by bit, in one step; integers.",
    ),
    Intrinsic(
        "atomic.inc",
        "(array, index, value) -> the old value",
        "array[index] = 0 where array[index] >= value, else array[index] + 1, in one step; unsigned.",
    ),
    Intrinsic(
        "atomic.dec",
        "(array, index, value) -> the old value",
        "array[index] = value where array[index] is 0 or > value, else array[index] - 1, in one step; unsigned.",
    ),
    Intrinsic(
        "atomic.exch",
        "(array, index, value) -> the old value",
        "array[index] = value, in one step.",
    ),
    Intrinsic(
        "atomic.cas",
        "(array, index, old, value) -> the old value",
        "array[index] = value where array[index] == old, in one step.",
    ),
    Intrinsic(
        "atomic.compare_and_swap",
        "(array, old, value) -> the old value",
        "atomic.cas(array, 0, old, value), of an array of one dimension.",
    ),
)
uniform = Intrinsic(
    "uniform",
    "(value) -> value",
    """The value itself; you assert that all threads of a block have the same one.

It makes a barrier under a condition on this value acceptable. A wrong assertion is undefined behaviour.""",
)

# --- warps: 32 threads of a block, by their linear index ------------------------------------------

laneid = ThreadValue(
    "laneid",
    ": int32",
    "The thread's position in its warp: its linear index in the block modulo 32, x fastest.",
)
warpsize = ThreadValue("warpsize", ": int32", "The number of lanes of a warp: 32.")
syncwarp = Intrinsic(
    "syncwarp",
    "(mask=0xffffffff) -> None",
    """Wait for the lanes of the mask; what they wrote before is then seen by all of them.

In all functions of a warp, bit k of `mask` says that lane k takes part; each of these that has not returned must come
to this call.""",
)
shfl_sync = Intrinsic(
    "shfl_sync",
    "(mask, value, lane, width=32) -> value",
    """The value of another lane: of lane `lane` modulo `width`, in the section of `width` lanes that this one is in.

`width` is 1, 2, 4, 8, 16 or 32. What a lane that takes no part has is open. A vector goes as a whole.""",
)
shfl_up_sync = Intrinsic(
    "shfl_up_sync",
    "(mask, value, delta, width=32) -> value",
    "The value of the lane `delta` below; the lanes below the section's first keep their own.",
)
shfl_down_sync = Intrinsic(
    "shfl_down_sync",
    "(mask, value, delta, width=32) -> value",
    "The value of the lane `delta` above; the lanes above the section's last keep their own.",
)
shfl_xor_sync = Intrinsic(
    "shfl_xor_sync",
    "(mask, value, lane_mask, width=32) -> value",
    "The value of lane `laneid ^ lane_mask`; where that is in a later section, its own.",
)
all_sync = Intrinsic(
    "all_sync", "(mask, predicate) -> bool", "Whether the predicate holds in all lanes of the mask."
)
any_sync = Intrinsic(
    "any_sync", "(mask, predicate) -> bool", "Whether the predicate holds in a lane of the mask."
)
eq_sync = Intrinsic(
    "eq_sync",
    "(mask, predicate) -> bool",
    "Whether the predicate is the same in all lanes of the mask.",
)
ballot_sync = Intrinsic(
    "ballot_sync",
    "(mask, predicate) -> uint32",
    "The lanes of the mask where the predicate holds, as bits.",
)
match_any_sync = Intrinsic(
    "match_any_sync",
    "(mask, value) -> uint32",
    "The lanes of the mask that have the same bits in value as this one.",
)
match_all_sync = Intrinsic(
    "match_all_sync",
    "(mask, value) -> (uint32, bool)",
    "The lanes of the mask if all have the same bits in value, else 0; and whether they have.",
)
activemask = Intrinsic(
    "activemask",
    "() -> uint32",
    "The lanes that are here together, as bits; which these are is open.",
)
lanemask_lt = Intrinsic("lanemask_lt", "() -> uint32", "The lanes below this one, as bits.")

# --- loops ----------------------------------------------------------------------------------------

static_range = Intrinsic(
    "static_range",
    "(start, stop, step) -> numbers known when compiling",
    """As `range`, of constants, but the loop is written out: each trip is a copy of the body with a constant.

At most 1024 trips. `break` and `continue` need a condition that is known when compiling.""",
)

# --- vectors --------------------------------------------------------------------------------------

vec2 = VectorConstructor(
    "vec2", "(x, y) -> vector", "A vector of two scalars, as `vec3`; on the host an `hw.Vec2`.", 2
)
vec3 = VectorConstructor(
    "vec3",
    "(x, y, z) -> vector",
    """A vector of three scalars, all in their joined type; components are .x .y .z, or [0] [1] [2].

+ - * / work component by component and with a scalar. On the host it makes an `hw.Vec3` to pass to a kernel.""",
    3,
)
vec4 = VectorConstructor(
    "vec4",
    "(x, y, z, w) -> vector",
    "A vector of four scalars, as `vec3`; on the host an `hw.Vec4`.",
    4,
)
dot = Intrinsic(
    "dot",
    "(a, b) -> scalar",
    "((a.x * b.x + a.y * b.y) + a.z * b.z) + a.w * b.w, of two vectors of one size.",
)
cross = Intrinsic("cross", "(a, b) -> vector", "The vector product of two vectors of three.")
length = Intrinsic("length", "(a) -> float", "sqrt(dot(a, a)) of a vector.")

# --- parameters that are known when compiling -------------------------------------------------------

constexpr = Marker(
    "constexpr",
    ": the annotation of a kernel's parameter",
    """The argument is known when the kernel is compiled: `def k(x, n: hw.constexpr)`.

It may be a number, a bool, a text, a dtype, a function decorated with @hw.function, or a tuple of these. A program is
compiled for each value; `if` on it lowers only the arm that is taken, and sizes and `hw.static_range` may use it.""",
)

# --- types: dtypes of arrays, casts in kernels ----------------------------------------------------

int8 = INT8
int16 = INT16
int32 = INT32
int64 = INT64
uint8 = UINT8
uint16 = UINT16
uint32 = UINT32
uint64 = UINT64
float16 = FLOAT16
float32 = FLOAT32
float64 = FLOAT64
boolean = BOOL
vec2f = VectorType(FLOAT32, 2)
vec2d = VectorType(FLOAT64, 2)
vec2i = VectorType(INT32, 2)
vec2u = VectorType(UINT32, 2)
vec3f = VectorType(FLOAT32, 3)
vec3d = VectorType(FLOAT64, 3)
vec3i = VectorType(INT32, 3)
vec3u = VectorType(UINT32, 3)
vec4f = VectorType(FLOAT32, 4)
vec4d = VectorType(FLOAT64, 4)
vec4i = VectorType(INT32, 4)
vec4u = VectorType(UINT32, 4)


def names() -> dict[str, object]:
    """All names of the language, those of functions of numbers too, as they stand in `hw`."""
    own = {name: value for name, value in globals().items() if _is_name(name, value)}
    return own | mathematics.NAMES


def _is_name(name: str, value: object) -> bool:
    known = isinstance(value, Marker | Namespace | ScalarType | VectorType)
    return known and not name.isupper()
