"""The nodes of the IR.

A kernel is a tree of blocks. A `Value` is computed once and seen in the rest of its block and the blocks
nested there. A `Variable` is a mutable scalar of one thread. All values are scalars: vectors and structs were
split by the frontend. Memory is reached only through array parameters and the kernel's own arrays (shared, local,
constant), by element index and component. Values of 8 and 16 bits are values as others; float16 is only loaded,
stored and cast.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TypeAlias

from headwater.errors import Span
from headwater.types import ArrayType, ScalarType


@dataclass(eq=False, slots=True)
class Value:
    """The result of one node. Compared by identity; `name` is only a hint for printed forms."""

    type: ScalarType
    name: str = ""


@dataclass(eq=False, slots=True)
class Variable:
    """A mutable scalar, private to a thread. The frontend proves that it is assigned before it is read."""

    name: str
    type: ScalarType


@dataclass(eq=False, slots=True)
class ScalarParameter(Value):
    """A scalar argument. `path` says where the launch finds it: ('p', 'dt') is field dt of argument p."""

    path: tuple[str, ...] = ()


@dataclass(eq=False, slots=True)
class ArrayParameter:
    """An array argument that the kernel uses. `written` covers stores and atomics through any alias."""

    name: str
    type: ArrayType
    path: tuple[str, ...] = ()
    written: bool = False
    atomic: bool = False


@dataclass(eq=False, slots=True)
class SharedArray:
    """An array of one block's threads, of compile-time shape, row-major, not initialised."""

    name: str
    scalar: ScalarType
    shape: tuple[int, ...]
    components: int = 1
    # All dynamic arrays of a kernel start at byte 0 of one piece of `Kernel.dynamic_shared` bytes and overlap.
    dynamic: bool = False


@dataclass(eq=False, slots=True)
class LocalArray:
    """An array of one thread, of compile-time shape, row-major, not initialised."""

    name: str
    scalar: ScalarType
    shape: tuple[int, ...]
    components: int = 1


@dataclass(eq=False, slots=True)
class ConstantArray:
    """A table that is known when compiling and only read. `values` is flat, row-major, components last."""

    name: str
    scalar: ScalarType
    shape: tuple[int, ...]
    values: tuple[bool | int | float, ...]
    components: int = 1


Parameter: TypeAlias = ScalarParameter | ArrayParameter
Array: TypeAlias = ArrayParameter | SharedArray | LocalArray | ConstantArray


@dataclass(eq=False, slots=True)
class Block:
    """A sequence of nodes."""

    nodes: list[Node] = field(default_factory=list)


# --- values ---------------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class Constant:
    """A literal: bool, int or float by the result's type."""

    result: Value
    value: bool | int | float
    span: Span | None = None


@dataclass(eq=False, slots=True)
class Compute:
    """A pure operation of the operation table.

    Where `contract` is false, this node is rounded as written: it takes part in no fused a * b + c, even in a kernel
    that allows it.
    """

    result: Value
    operation: str
    arguments: tuple[Value, ...]
    span: Span | None = None
    contract: bool = True


@dataclass(eq=False, slots=True)
class Index:
    """An int32: the position of the thread in its block, of the block in the grid, or a size.

    `kind` is 'thread', 'block', 'block_size' or 'grid_size' (in blocks); `axis` 0 is x, the fastest.
    """

    result: Value
    kind: str
    axis: int
    span: Span | None = None


@dataclass(eq=False, slots=True)
class Extent:
    """An int32: the length of an array's axis."""

    result: Value
    array: Array
    axis: int
    span: Span | None = None


@dataclass(eq=False, slots=True)
class Read:
    """The value of a variable at this point."""

    result: Value
    variable: Variable
    span: Span | None = None


# --- memory ---------------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class Load:
    """Read one component of an element. One integer index (any integer type) for each dimension."""

    result: Value
    array: Array
    indices: tuple[Value, ...]
    component: int = 0
    span: Span | None = None


@dataclass(eq=False, slots=True)
class Store:
    """Write one component of an element."""

    array: Array
    indices: tuple[Value, ...]
    value: Value
    component: int = 0
    span: Span | None = None


@dataclass(eq=False, slots=True)
class Atomic:
    """Update one element atomically (`operation` is a key of ATOMICS); the result is the old value.

    `compare` is there for 'cas' only. Elements have 32 or 64 bits.
    """

    result: Value
    operation: str
    array: Array
    indices: tuple[Value, ...]
    value: Value
    component: int = 0
    span: Span | None = None
    compare: Value | None = None


@dataclass(eq=False, slots=True)
class Assign:
    """Give a variable a new value."""

    variable: Variable
    value: Value
    span: Span | None = None


# --- control --------------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class If:
    """Run one of two blocks."""

    condition: Value
    then: Block
    orelse: Block
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Reduction:
    """`variable` is only combined inside a loop, by 'add', 'min' or 'max', so the order may be chosen."""

    variable: Variable
    operation: str


@dataclass(eq=False, slots=True)
class For:
    """Python's `for index in range(start, stop, step)`; all four are of one integer type.

    The number of trips is fixed at entry and the index never wraps; step 0 runs no trip. `spread` marks a loop
    inside a `Cooperative` block whose trips the cooperating lanes share: its effects are only `reductions`.
    """

    index: Value
    start: Value
    stop: Value
    step: Value
    body: Block
    spread: bool = False
    reductions: tuple[Reduction, ...] = ()
    span: Span | None = None


@dataclass(eq=False, slots=True)
class While:
    """Run `test`, and `body` as long as `condition` (a value of `test`) holds. `continue` goes to `test`.

    `waits` is set by `passes.find_waits` where the loop waits for another thread.
    """

    test: Block
    condition: Value
    body: Block
    span: Span | None = None
    waits: bool = False


@dataclass(eq=False, slots=True)
class Break:
    """Leave the innermost For, While or Neighbors."""

    span: Span | None = None


@dataclass(eq=False, slots=True)
class Continue:
    """Go on with the next trip of the innermost loop."""

    span: Span | None = None


@dataclass(eq=False, slots=True)
class Return:
    """End the thread, or the enclosing `Inlined` block where there is one."""

    span: Span | None = None


@dataclass(eq=False, slots=True)
class Inlined:
    """The body of a device function; `Return` inside leaves it. Gone after the pass `lower_returns`."""

    name: str
    body: Block
    span: Span | None = None


@dataclass(eq=False, slots=True)
class Barrier:
    """All threads of the block wait here, and see each other's shared and global writes after it."""

    span: Span | None = None


@dataclass(eq=False, slots=True)
class BarrierVote:
    """A barrier that also works out `operation` (a key of VOTES) of each thread's bool `predicate`."""

    result: Value
    operation: str
    predicate: Value
    span: Span | None = None


@dataclass(eq=False, slots=True)
class Warp:
    """What the lanes of a warp do together: `operation` is a key of WARP_OPERATIONS; 'sync' has no result."""

    result: Value | None
    operation: str
    arguments: tuple[Value, ...]
    width: int = 32
    span: Span | None = None


@dataclass(eq=False, slots=True)
class Fence:
    """The thread's writes before it are seen before those after it, by the 'block', the 'device' or the 'system'."""

    scope: str
    span: Span | None = None


# --- for debugging; gone where the program is not compiled for it -----------------------------------


@dataclass(eq=False, slots=True)
class Assert:
    """Report `message` and the thread where the condition (a bool) does not hold."""

    condition: Value
    message: str
    span: Span | None = None


@dataclass(eq=False, slots=True)
class Print:
    """Print one line: the texts as they are, the values as Python prints them."""

    parts: tuple[str | Value, ...]
    span: Span | None = None


@dataclass(eq=False, slots=True)
class Within:
    """Report a subscript that is not in 0 ... extent - 1 of a view of an array, on `axis` of `axes`.

    The array's own bounds are known without.
    """

    name: str
    subscript: Value
    extent: Value
    axis: int
    axes: int
    span: Span | None = None


@dataclass(eq=False, slots=True)
class Breakpoint:
    """Stop in a debugger of Python, where a device can: `values` and `arrays` are seen by `names` and `labels`.

    A name 'p.x' is the part x of p. `function` is the one that the user wrote it in.
    """

    names: tuple[str, ...]
    values: tuple[Value, ...]
    labels: tuple[str, ...]
    arrays: tuple[Array, ...]
    function: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class GridRef:
    """The parameters of one cell grid (see `headwater.particles` for how they are filled).

    `positions` vec3 array, sorted by cell; `cell_start` int32 array with cells + 1 entries: the particles of
    cell c are cell_start[c] ... cell_start[c + 1] - 1, and cell = x + n_x * (y + n_y * z). `low`, `inverse`
    (1 / cell size) and `box` (the period) are three floats each, `size` the three int32 cell counts, `cutoff2`
    the square of the cutoff: all of the positions' scalar type.
    """

    name: str
    positions: ArrayParameter
    cell_start: ArrayParameter
    low: tuple[Value, Value, Value]
    inverse: tuple[Value, Value, Value]
    box: tuple[Value, Value, Value]
    size: tuple[Value, Value, Value]
    cutoff2: Value
    periodic: tuple[bool, bool, bool]
    reach: int


@dataclass(eq=False, slots=True)
class Neighbors:
    """The neighbour loop: every particle j of the grid with |x_ij| < cutoff, and j != center_index.

    `center` is the point; `center_index` (int32) is the particle that sits there, or None for a free point.
    `index` (int32), `offset` (x_i - x_j, minimal image on periodic axes) and `distance2` are seen by the body.
    `reductions` is filled by the pass `classify_reductions`; empty with `sequential` means that order is free
    but nothing is accumulated. Gone after the pass `lower_neighbors`.
    """

    grid: GridRef
    center: tuple[Value, Value, Value]
    center_index: Value | None
    index: Value
    offset: tuple[Value, Value, Value]
    distance2: Value
    body: Block
    reductions: tuple[Reduction, ...] = ()
    sequential: bool = True
    span: Span | None = None


@dataclass(eq=False, slots=True)
class Cooperative:
    """The lanes of a SIMD group work together on one thread after another.

    Meaning: just its body. A backend may run the body for one thread at a time and share the trips of the loops
    marked `spread` among its lanes, combining the reductions in an order that it fixes.
    """

    body: Block
    span: Span | None = None


Node: TypeAlias = (
    Constant
    | Compute
    | Index
    | Extent
    | Read
    | Load
    | Store
    | Atomic
    | Assign
    | If
    | For
    | While
    | Break
    | Continue
    | Return
    | Inlined
    | Barrier
    | BarrierVote
    | Warp
    | Fence
    | Assert
    | Print
    | Within
    | Breakpoint
    | Neighbors
    | Cooperative
)


@dataclass(eq=False, slots=True)
class Kernel:
    """One kernel, specialised to argument types and to the shape of its blocks (x, y, z)."""

    name: str
    parameters: list[Parameter]
    block_shape: tuple[int, int, int]
    body: Block = field(default_factory=Block)
    variables: list[Variable] = field(default_factory=list)
    shared: list[SharedArray] = field(default_factory=list)
    locals: list[LocalArray] = field(default_factory=list)
    constants: list[ConstantArray] = field(default_factory=list)
    # Bytes of the block's dynamic shared memory, as the launch gave them.
    dynamic_shared: int = 0
    span: Span | None = None

    @property
    def threads(self) -> int:
        """Threads of one block."""
        x, y, z = self.block_shape
        return x * y * z


_BLOCK_FIELDS = {
    If: ("then", "orelse"),
    For: ("body",),
    While: ("test", "body"),
    Inlined: ("body",),
    Neighbors: ("body",),
    Cooperative: ("body",),
}


def children(node: Node) -> tuple[Block, ...]:
    """The blocks nested directly in a node, in order of execution."""
    return tuple(getattr(node, name) for name in _BLOCK_FIELDS.get(type(node), ()))


def walk(block: Block) -> Iterator[Node]:
    """All nodes of a block, outer before inner, in order."""
    for node in block.nodes:
        yield node
        for child in children(node):
            yield from walk(child)


def operands(node: Node) -> tuple[Value, ...]:
    """The values that a node itself uses (not those used in nested blocks, except a While's condition)."""
    used: list[Value] = []
    for entry in fields(node):
        if entry.name in _RESULT_FIELDS:
            continue
        _collect(getattr(node, entry.name), used)
    return tuple(used)


_RESULT_FIELDS = ("result", "index", "offset", "distance2")


def _collect(item: object, used: list[Value]) -> None:
    if isinstance(item, Value):
        used.append(item)
    elif isinstance(item, tuple):
        for part in item:
            _collect(part, used)
    elif isinstance(item, GridRef):
        for part in (item.low, item.inverse, item.box, item.size, item.cutoff2):
            _collect(part, used)


def results(node: Node) -> tuple[Value, ...]:
    """The values that a node defines: its result, or what its body sees of a loop."""
    if isinstance(node, Neighbors):
        return (node.index, *node.offset, node.distance2)
    if isinstance(node, For):
        return (node.index,)
    result = getattr(node, "result", None)
    return () if result is None else (result,)
