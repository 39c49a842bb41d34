"""Kernels with one neighbour loop, built by hand, and a cell grid made with NumPy to run them on."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from headwater import ir
from headwater.backends import registry
from headwater.backends.contract import ArrayArgument, LaunchArgument, Options
from headwater.types import FLOAT32, INT32, ArrayType, ScalarType, VectorType

ORACLE = registry.backends()["reference"].open(0)
AXES = "xyz"


@dataclass
class Loop:
    """A kernel `for i: for j, x_ij, r2 in grid.neighbors(i): body`, then an ending."""

    periodic: tuple[bool, bool, bool] = (False, False, False)
    reach: int = 1
    free: bool = False
    kernel: ir.Kernel = field(init=False)

    def __post_init__(self) -> None:
        def floats(name: str) -> tuple[ir.Value, ir.Value, ir.Value]:
            x, y, z = (ir.ScalarParameter(FLOAT32, f"{name}_{a}", ("grid", name, a)) for a in AXES)
            return x, y, z

        low, inverse, box = floats("low"), floats("inverse"), floats("box")
        n_x, n_y, n_z = (ir.ScalarParameter(INT32, f"size_{a}", ("grid", "size", a)) for a in AXES)
        cutoff2 = ir.ScalarParameter(FLOAT32, "cutoff2", ("grid", "cutoff2"))
        vectors = ArrayType(VectorType(FLOAT32, 3), 1)
        self.positions = ir.ArrayParameter("positions", vectors, ("grid", "positions"))
        self.centers = ir.ArrayParameter("centers", vectors, ("centers",))
        self.starts = ir.ArrayParameter("cell_start", ArrayType(INT32, 1), ("grid", "cell_start"))
        self.out = ir.ArrayParameter("out", ArrayType(FLOAT32, 2), ("out",), written=True)
        parameters = [self.out, self.positions, self.centers, self.starts]
        parameters += [*low, *inverse, *box, n_x, n_y, n_z, cutoff2]
        self.kernel = ir.Kernel("loop", parameters, (1, 1, 1))
        self.build = ir.Builder(self.kernel.body)
        self.thread = self.build.index("block", 0)
        arrays = (self.positions, self.starts)
        size = (n_x, n_y, n_z)
        grid = ir.GridRef(
            "grid", *arrays, low, inverse, box, size, cutoff2, self.periodic, self.reach
        )
        x, y, z = (self.build.load(self.centers, (self.thread,), axis) for axis in range(3))
        offset = (ir.Value(FLOAT32), ir.Value(FLOAT32), ir.Value(FLOAT32))
        own = None if self.free else self.thread
        index, distance2 = ir.Value(INT32), ir.Value(FLOAT32)
        self.node = ir.Neighbors(grid, (x, y, z), own, index, offset, distance2, ir.Block())

    def variable(self, name: str, kind: ScalarType, value: float) -> ir.Variable:
        """A variable with a value before the loop."""
        result = self.local(name, kind)
        self.build.assign(result, self.build.constant(value, kind))
        return result

    def local(self, name: str, kind: ScalarType = FLOAT32) -> ir.Variable:
        result = ir.Variable(name, kind)
        self.kernel.variables.append(result)
        return result

    def body(self, write: Callable[[], None]) -> None:
        """Append the loop, with what `write` appends as its body."""
        self.build.append(self.node)
        with self.build.inside(self.node.body):
            write()

    def update(self, operation: str, variable: ir.Variable, value: ir.Value) -> None:
        self.build.assign(variable, self.build.compute(operation, self.build.read(variable), value))

    def store(self, column: int, value: ir.Value) -> None:
        place = (self.thread, self.build.constant(column, INT32))
        self.build.store(self.out, place, self.build.cast(value, FLOAT32))


def copied(kernel: ir.Kernel) -> ir.Kernel:
    result = pickle.loads(pickle.dumps(kernel))
    assert isinstance(result, ir.Kernel)
    return result


@dataclass
class Cells:
    """Particles sorted by cell; the formula of the cell is written out once more here."""

    points: np.ndarray
    size: tuple[int, int, int]
    cell: float = 1.0
    cutoff: float = 1.0

    def __post_init__(self) -> None:
        self.points = np.asarray(self.points, np.float32).reshape(-1, 3)
        counts = np.array(self.size)
        inside = np.clip(np.floor(self.points / self.cell), 0, counts - 1).astype(int)
        key = inside[:, 0] + counts[0] * (inside[:, 1] + counts[1] * inside[:, 2])
        order = np.argsort(key, kind="stable")
        self.points = self.points[order]
        edges = np.arange(counts.prod() + 1)
        self.starts = np.searchsorted(key[order], edges).astype(np.int32)

    def run(self, kernel: ir.Kernel, columns: int, centers: np.ndarray | None = None) -> np.ndarray:
        """The values that the kernel stores: one row for each centre, which are the particles."""
        ir.verify(kernel)
        middle = self.points if centers is None else np.asarray(centers, np.float32)
        out = np.full((len(middle), columns), -1, np.float32)
        box = [n * self.cell for n in self.size]
        scalars = [0.0] * 3 + [1.0 / self.cell] * 3 + box + [*self.size, self.cutoff**2]
        arrays = [array_argument(a) for a in (out, self.points, middle, self.starts)]
        program = ORACLE.load(ORACLE.compile(kernel, Options()))
        arguments: list[LaunchArgument] = [*arrays, *scalars]
        program.launch((len(middle), 1, 1), arguments)
        if out.size:
            ORACLE.read(arrays[0].memory, 0, memoryview(out).cast("B"))
        return out


def array_argument(values: np.ndarray) -> ArrayArgument:
    memory = ORACLE.allocate(max(values.nbytes, 4))
    if values.size:
        ORACLE.write(memory, 0, memoryview(np.ascontiguousarray(values)).cast("B"))
    if values.ndim == 2 and values.shape[1] == 3:
        layout = ORACLE.vector_layout(3, len(values))
        strides = (layout.element_stride,)
        return ArrayArgument(memory, 0, values.shape[:1], strides, layout.component_stride)
    strides = (values.shape[1], 1) if values.ndim == 2 else (1,)
    return ArrayArgument(memory, 0, values.shape, strides)
