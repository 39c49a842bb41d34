"""Checks that a kernel is well formed. Tests run it after every pass."""

from __future__ import annotations

import math
from typing import TypeAlias

from headwater.errors import InternalError
from headwater.ir import nodes as ir
from headwater.ir.builder import scalar_of
from headwater.ir.operations import ATOMICS, OPERATIONS, VOTES
from headwater.types import BOOL, INT32, UINT32, ScalarType

_Own: TypeAlias = ir.SharedArray | ir.LocalArray | ir.ConstantArray
_INDEX_KINDS = ("thread", "block", "block_size", "grid_size")
_SCOPES = ("block", "device", "system")
_INTEGERS = ("int", "uint")
_ATOMIC_KINDS = {
    "and": _INTEGERS,
    "or": _INTEGERS,
    "xor": _INTEGERS,
    "inc": ("uint",),
    "dec": ("uint",),
}
# The types of a warp operation's arguments, then of its result; None for any, and a shuffle's is that of its value.
_WARP: dict[str, tuple[ScalarType | None, ...]] = {
    "shuffle": (None, INT32, UINT32, None),
    "shuffle_up": (None, INT32, UINT32, None),
    "shuffle_down": (None, INT32, UINT32, None),
    "shuffle_xor": (None, INT32, UINT32, None),
    "all": (BOOL, UINT32, BOOL),
    "any": (BOOL, UINT32, BOOL),
    "ballot": (BOOL, UINT32, UINT32),
    "match_any": (None, UINT32, UINT32),
    "match_all": (None, UINT32, UINT32),
    "active": (UINT32,),
    "sync": (UINT32, None),
}


def verify(kernel: ir.Kernel) -> None:
    """Raise InternalError at the first node that breaks a rule of `nodes.py` or of the operation table."""
    _Verifier(kernel).run()


class _Verifier:
    def __init__(self, kernel: ir.Kernel) -> None:
        self.kernel = kernel
        self.own: tuple[_Own, ...] = (*kernel.shared, *kernel.locals, *kernel.constants)
        parameters = (p for p in kernel.parameters if isinstance(p, ir.ArrayParameter))
        self.arrays: set[ir.Array] = {*parameters, *self.own}
        self.variables = set(kernel.variables)
        self.defined: set[ir.Value] = set()

    def run(self) -> None:
        names = [p.name for p in self.kernel.parameters] + [array.name for array in self.own]
        names += [v.name for v in self.kernel.variables]
        if len(set(names)) != len(names):
            raise self.fail("two parameters, arrays or variables have one name")
        for array in self.own:
            self.own_array(array)
        scope = {p for p in self.kernel.parameters if isinstance(p, ir.ScalarParameter)}
        self.block(self.kernel.body, set(scope), loops=0)

    def fail(self, text: str, node: ir.Node | None = None) -> InternalError:
        kind = "" if node is None else f"{type(node).__name__}: "
        return InternalError(
            f"kernel '{self.kernel.name}': {kind}{text}", span=getattr(node, "span", None)
        )

    def own_array(self, array: _Own) -> None:
        total = math.prod(array.shape) * array.components
        if not array.shape or min(array.shape) < 0:
            raise self.fail(f"'{array.name}' has the shape {array.shape}")
        if isinstance(array, ir.SharedArray) and array.dynamic:
            if total * array.scalar.size > self.kernel.dynamic_shared:
                raise self.fail(f"'{array.name}' is larger than the dynamic shared memory")
        if isinstance(array, ir.ConstantArray):
            if len(array.values) != total:
                raise self.fail(f"'{array.name}' holds {len(array.values)} values, not {total}")
            if any(type(value) is not _python(array.scalar) for value in array.values):
                raise self.fail(f"'{array.name}' holds values that are no {array.scalar}")

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
        elif isinstance(node, ir.BarrierVote):
            self.require(node.operation in VOTES, f"unknown vote '{node.operation}'", node)
            self.require(node.predicate.type is BOOL, "the predicate must be a bool", node)
            expected = INT32 if node.operation == "count" else BOOL
            self.require(node.result.type is expected, f"the result must be {expected}", node)
        elif isinstance(node, ir.Warp):
            self.warp(node)
        elif isinstance(node, ir.Fence):
            self.require(node.scope in _SCOPES, f"unknown scope '{node.scope}'", node)
        elif isinstance(node, ir.Assert):
            self.require(node.condition.type is BOOL, "the condition must be a bool", node)
        elif isinstance(node, ir.Breakpoint):
            named = len(node.names) == len(node.values) and len(node.labels) == len(node.arrays)
            self.require(named, "each value and array needs a name", node)
            self.require(self.arrays.issuperset(node.arrays), "the array is not the kernel's", node)
        elif isinstance(node, ir.Within):
            self.require(node.subscript.type.is_integer, "the subscript must be an integer", node)
            self.require(node.extent.type is INT32, "the extent must be int32", node)
        elif isinstance(node, ir.Print):
            parts = all(isinstance(part, str | ir.Value) for part in node.parts)
            self.require(parts, "the parts are texts and values", node)
        elif isinstance(node, ir.For):
            kinds: set[ScalarType] = {
                v.type for v in (node.index, node.start, node.stop, node.step)
            }
            self.require(
                len(kinds) == 1 and node.index.type.is_integer,
                "bounds of one integer type are needed",
                node,
            )

    def warp(self, node: ir.Warp) -> None:
        rule = _WARP.get(node.operation)
        if rule is None:
            raise self.fail(f"unknown operation '{node.operation}'", node)
        types = tuple(a.type for a in node.arguments)
        self.require(
            len(types) == len(rule[:-1])
            and all(want in (None, found) for want, found in zip(rule, types, strict=False)),
            f"'{node.operation}' does not take ({', '.join(map(str, types))})",
            node,
        )
        self.require(node.width in (1, 2, 4, 8, 16, 32), f"unknown width {node.width}", node)
        if node.result is None:
            self.require(node.operation == "sync", "a result is needed", node)
            return
        expected = types[0] if node.operation.startswith("shuffle") else rule[-1]
        self.require(node.result.type is expected, f"the result must be {expected}", node)

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
        expected = _python(kind)
        self.require(
            type(node.value) is expected, f"a {kind} holds a Python {expected.__name__}", node
        )
        if kind.is_integer:
            low, high = kind.limits
            self.require(low <= node.value <= high, f"{node.value} does not fit {kind}", node)

    def access(self, node: ir.Load | ir.Store | ir.Atomic) -> None:
        array = node.array
        self.require(array in self.arrays, "the array is not the kernel's", node)
        if isinstance(array, ir.ArrayParameter):
            ndim, parts = array.type.ndim, array.type.components
            written = array.written or isinstance(node, ir.Load)
            self.require(written, f"'{array.name}' is not marked as written", node)
        else:
            ndim, parts = len(array.shape), array.components
            fixed = isinstance(array, ir.ConstantArray) and not isinstance(node, ir.Load)
            self.require(not fixed, f"'{array.name}' is constant", node)
        self.require(len(node.indices) == ndim, f"'{array.name}' takes {ndim} indices", node)
        self.require(all(i.type.is_integer for i in node.indices), "indices must be integers", node)
        self.require(0 <= node.component < parts, f"'{array.name}' has {parts} components", node)
        value = node.result if isinstance(node, ir.Load) else node.value
        self.require(
            value.type is scalar_of(array), f"'{array.name}' holds {scalar_of(array)}", node
        )
        if isinstance(node, ir.Atomic):
            self.atomic(node, value.type)

    def atomic(self, node: ir.Atomic, kind: ScalarType) -> None:
        self.require(node.operation in ATOMICS, f"unknown atomic '{node.operation}'", node)
        self.require(not isinstance(node.array, ir.LocalArray), "the array is local", node)
        self.require(node.result.type is kind, "the result has the element's type", node)
        self.require(kind.bits >= 32, "an element of 32 or 64 bits is needed", node)
        kinds = _ATOMIC_KINDS.get(node.operation, ("int", "uint", "float"))
        self.require(kind.kind in kinds, f"'{node.operation}' takes no {kind}", node)
        compare = () if node.compare is None else (node.compare,)
        self.require(
            len(compare) == (node.operation == "cas")
            and all(other.type is kind for other in compare),
            "'cas' and only 'cas' compares, with a value of the element's type",
            node,
        )


def _python(kind: ScalarType) -> type:
    """The Python type that holds a constant of a type."""
    return bool if kind.is_bool else float if kind.is_float else int
