"""Checks that a kernel is well formed. Tests run it after every pass."""

from __future__ import annotations

from headwater.errors import InternalError
from headwater.ir import nodes as ir
from headwater.ir.builder import scalar_of
from headwater.ir.operations import ATOMICS, OPERATIONS
from headwater.types import BOOL, INT32, ScalarType

_INDEX_KINDS = ("thread", "block", "block_size", "grid_size")


def verify(kernel: ir.Kernel) -> None:
    """Raise InternalError at the first node that breaks a rule of `nodes.py` or of the operation table."""
    _Verifier(kernel).run()


class _Verifier:
    def __init__(self, kernel: ir.Kernel) -> None:
        self.kernel = kernel
        self.arrays = {p for p in kernel.parameters if isinstance(p, ir.ArrayParameter)} | set(
            kernel.shared
        )
        self.variables = set(kernel.variables)
        self.defined: set[ir.Value] = set()

    def run(self) -> None:
        names = [p.name for p in self.kernel.parameters] + [s.name for s in self.kernel.shared]
        names += [v.name for v in self.kernel.variables]
        if len(set(names)) != len(names):
            raise self.fail("two parameters, shared arrays or variables have one name")
        scope = {p for p in self.kernel.parameters if isinstance(p, ir.ScalarParameter)}
        self.block(self.kernel.body, set(scope), loops=0)

    def fail(self, text: str, node: ir.Node | None = None) -> InternalError:
        kind = "" if node is None else f"{type(node).__name__}: "
        return InternalError(
            f"kernel '{self.kernel.name}': {kind}{text}", span=getattr(node, "span", None)
        )

    def block(self, block: ir.Block, scope: set[ir.Value], loops: int) -> None:
        """`scope` holds the values seen here; names defined inside stay inside."""
        for position, node in enumerate(block.nodes):
            if isinstance(node, ir.While):
                self.while_loop(node, scope, loops)
                continue
            for value in ir.operands(node):
                self.require(value in scope, "a value is used where it is not defined", node)
            self.check(node)
            if isinstance(node, ir.Break | ir.Continue):
                self.require(loops > 0, "stands outside of a loop", node)
            if isinstance(node, ir.Break | ir.Continue | ir.Return):
                self.require(position == len(block.nodes) - 1, "must end its block", node)
            inner = loops + isinstance(node, ir.For | ir.Neighbors)
            seen = set(ir.results(node))
            self.require(not seen & self.defined, "a value is defined twice", node)
            self.defined |= seen
            for child in ir.children(node):
                self.block(child, scope | seen, 0 if isinstance(node, ir.Inlined) else inner)
            if not ir.children(node):
                scope |= seen

    def while_loop(self, node: ir.While, scope: set[ir.Value], loops: int) -> None:
        tested = set(scope)
        self.block(node.test, tested, loops)
        self.require(node.condition in tested, "the condition is not a value of the test", node)
        self.require(node.condition.type is BOOL, "the condition must be a bool", node)
        self.block(node.body, tested, loops + 1)

    def require(self, holds: bool, text: str, node: ir.Node) -> None:
        if not holds:
            raise self.fail(text, node)

    def check(self, node: ir.Node) -> None:
        if isinstance(node, ir.Compute):
            self.compute(node)
        elif isinstance(node, ir.Constant):
            self.constant(node)
        elif isinstance(node, ir.Index):
            self.require(
                node.kind in _INDEX_KINDS and node.axis in (0, 1, 2), "unknown kind or axis", node
            )
            self.require(node.result.type is INT32, "the result must be int32", node)
        elif isinstance(node, ir.Extent):
            self.require(node.array in self.arrays, "the array is not the kernel's", node)
            self.require(node.result.type is INT32, "the result must be int32", node)
        elif isinstance(node, ir.Load | ir.Store | ir.Atomic):
            self.access(node)
        elif isinstance(node, ir.Read | ir.Assign):
            value = node.result if isinstance(node, ir.Read) else node.value
            self.require(node.variable in self.variables, "the variable is not the kernel's", node)
            self.require(value.type is node.variable.type, "the variable has another type", node)
        elif isinstance(node, ir.If):
            self.require(node.condition.type is BOOL, "the condition must be a bool", node)
        elif isinstance(node, ir.For):
            kinds: set[ScalarType] = {
                v.type for v in (node.index, node.start, node.stop, node.step)
            }
            self.require(
                len(kinds) == 1 and node.index.type.is_integer,
                "bounds of one integer type are needed",
                node,
            )

    def compute(self, node: ir.Compute) -> None:
        row = OPERATIONS.get(node.operation)
        if row is None:
            raise self.fail(f"unknown operation '{node.operation}'", node)
        self.require(
            len(node.arguments) == row.arity, f"'{row.name}' takes {row.arity} operands", node
        )
        problem = row.rule(tuple(a.type for a in node.arguments), node.result.type)
        self.require(problem is None, f"'{row.name}': {problem}", node)

    def constant(self, node: ir.Constant) -> None:
        kind = node.result.type
        expected = bool if kind.is_bool else float if kind.is_float else int
        self.require(
            type(node.value) is expected, f"a {kind} holds a Python {expected.__name__}", node
        )
        if kind.is_integer:
            low, high = kind.limits
            self.require(low <= node.value <= high, f"{node.value} does not fit {kind}", node)

    def access(self, node: ir.Load | ir.Store | ir.Atomic) -> None:
        array = node.array
        self.require(array in self.arrays, "the array is not the kernel's", node)
        if isinstance(array, ir.SharedArray):
            ndim, parts = len(array.shape), array.components
        else:
            ndim, parts = array.type.ndim, array.type.components
            written = array.written or isinstance(node, ir.Load)
            self.require(written, f"'{array.name}' is not marked as written", node)
        self.require(len(node.indices) == ndim, f"'{array.name}' takes {ndim} indices", node)
        self.require(all(i.type.is_integer for i in node.indices), "indices must be integers", node)
        self.require(0 <= node.component < parts, f"'{array.name}' has {parts} components", node)
        value = node.result if isinstance(node, ir.Load) else node.value
        self.require(
            value.type is scalar_of(array), f"'{array.name}' holds {scalar_of(array)}", node
        )
        if isinstance(node, ir.Atomic):
            self.require(node.operation in ATOMICS, f"unknown atomic '{node.operation}'", node)
            self.require(node.result.type is value.type, "the result has the element's type", node)
