"""Compute integers of 8 and 16 bits in 32, for targets without such registers.

Assumes any well-formed kernel. Leaves values of these types only next to memory and arguments: what a load gives, or a
scalar parameter holds, is cast to int32 or uint32 and used for nothing else; what a store takes comes from a cast (and
so do the bits of a float16). Arrays and parameters keep their types; variables, loops and all that is computed have 32
bits.

A wide value is the number that the narrow one is. Operations that may leave the range of the type are followed by one
that keeps the low bits: shifts up and down for signed types, a mask for the others. It waits where all that comes of a
value depends on its low bits alone, as in a * b + c.
"""

from __future__ import annotations

from collections.abc import Callable

from headwater import ir
from headwater.passes.rewriting import replace
from headwater.types import INT32, UINT32, ScalarType

_WIDTH = 32


def lower_narrow(kernel: ir.Kernel) -> None:
    """Change the kernel in place."""
    _Lowering(kernel).run()


def _narrow(kind: ScalarType) -> bool:
    return kind.is_integer and kind.bits < _WIDTH


def _wide(kind: ScalarType) -> ScalarType:
    """The type that stands for `kind`."""
    if not _narrow(kind):
        return kind
    return INT32 if kind.kind == "int" else UINT32


class _Lowering:
    def __init__(self, kernel: ir.Kernel) -> None:
        self.kernel = kernel
        # The types that values had, of those that are wide now.
        self.types: dict[ir.Value, ScalarType] = {}
        # Values that something takes as numbers; values that are right in their low bits only.
        self.numbers: set[ir.Value] = set()
        self.loose: set[ir.Value] = set()

    def run(self) -> None:
        for variable in self.kernel.variables:
            variable.type = _wide(variable.type)
        for node in ir.walk(self.kernel.body):
            for value in ir.results(node):
                if _narrow(value.type):
                    self.types[value] = value.type
                    value.type = _wide(value.type)
        for node in ir.walk(self.kernel.body):
            self.numbers.update(self.taken_as_numbers(node))
        start = self.parameters()
        self.block(self.kernel.body)
        self.kernel.body.nodes[:0] = start

    def taken_as_numbers(self, node: ir.Node) -> tuple[ir.Value, ...]:
        """The operands of a node of which more than the low bits count."""
        if isinstance(node, ir.Store):
            return node.indices
        if isinstance(node, ir.Compute) and node.result in self.types:
            if node.operation in _BY_LOW_BITS:
                return ()
            if node.operation == "shl":
                return node.arguments[1:]
        return ir.operands(node)

    def parameters(self) -> list[ir.Node]:
        """Take the casts of scalar parameters in their places."""
        start = ir.Builder(ir.Block(), self.kernel.span)
        wide: dict[ir.Value, ir.Value] = {}
        for parameter in self.kernel.parameters:
            if isinstance(parameter, ir.ScalarParameter) and _narrow(parameter.type):
                value = wide[parameter] = start.cast(parameter, _wide(parameter.type))
                self.types[value] = parameter.type
        replace(self.kernel.body.nodes, wide)
        return start.block.nodes

    def block(self, block: ir.Block) -> None:
        result = ir.Block()
        for node in block.nodes:
            for child in ir.children(node):
                self.block(child)
            build = ir.Builder(result, getattr(node, "span", None))
            if isinstance(node, ir.Compute):
                self.compute(node, build)
            elif isinstance(node, ir.Load) and node.result in self.types:
                self.narrow_result(node, build)
            else:
                if isinstance(node, ir.Store) and node.value in self.types:
                    node.value = build.cast(node.value, self.types[node.value])
                build.append(node)
        block.nodes = result.nodes

    def narrow_result(self, node: ir.Load | ir.Compute, build: ir.Builder) -> None:
        """Append the node with a result of its own type, and the cast."""
        wide = node.result
        node.result = ir.Value(self.types[wide], wide.name)
        build.append(node)
        build.append(ir.Compute(wide, "cast", (node.result,), node.span))

    def compute(self, node: ir.Compute, build: ir.Builder) -> None:
        kind = self.types.get(node.result)
        source = self.types.get(node.arguments[0])
        if node.operation == "bitcast" and (kind or source):
            self.bitcast(node, build, source, kind)
        elif kind is None:
            build.append(node)
        elif node.operation == "cast":
            value = node.arguments[0]
            _write(build, node.result, _cast, value, source or value.type, kind)
        elif node.operation in _SPECIAL:
            _write(build, node.result, _SPECIAL[node.operation], kind, *node.arguments)
        elif node.operation == "shl":
            by = _amount(build, kind, node.arguments[1])
            self.within(node, build, kind, (node.arguments[0], by))
        elif node.operation in _LEAVING[kind.kind] or not self.loose.isdisjoint(node.arguments):
            self.within(node, build, kind, node.arguments)
        else:
            build.append(node)

    def within(
        self, node: ir.Compute, build: ir.Builder, kind: ScalarType, arguments: tuple[ir.Value, ...]
    ) -> None:
        """The operation, and the low bits of its result where the number is wanted."""
        if node.result in self.numbers:
            _write(build, node.result, _low, kind, build.compute(node.operation, *arguments))
        else:
            self.loose.add(node.result)
            build.append(ir.Compute(node.result, node.operation, arguments, node.span))

    def bitcast(
        self,
        node: ir.Compute,
        build: ir.Builder,
        source: ScalarType | None,
        kind: ScalarType | None,
    ) -> None:
        """Between signed and unsigned, or of a float16."""
        value = node.arguments[0]
        if kind is not None and source is not None:
            _write(build, node.result, _cast, value, source, kind)
        elif kind is not None:
            self.narrow_result(node, build)
        else:
            assert source is not None
            node.arguments = (build.cast(value, source),)
            build.append(node)


def _write(
    build: ir.Builder, result: ir.Value, work: Callable[..., ir.Value], *arguments: object
) -> None:
    """Append what `work` makes, as the value `result`."""
    before = len(build.block.nodes)
    value = work(build, *arguments)
    made = build.block.nodes[before:]
    if made and isinstance(made[-1], ir.Compute) and made[-1].result is value:
        made[-1].result = result
    else:  # it made nothing new
        build.append(ir.Compute(result, "or", (value, build.constant(0, value.type)), build.span))


# --- arithmetic on wide values --------------------------------------------------------------------

# What may leave the range of a type. Where an operation on numbers in range gives such a number, nothing is to be done:
# floordiv leaves it for the smallest over -1 only, `mod` never, as the remainder is smaller than the divisor.
_LEAVING = {
    "int": frozenset(("neg", "abs", "add", "sub", "mul", "floordiv")),
    "uint": frozenset(("neg", "add", "sub", "mul", "not")),
}
# The low bits of their results come from those of their operands.
_BY_LOW_BITS = frozenset(("neg", "add", "sub", "mul", "not", "and", "or", "xor"))


def _low(build: ir.Builder, kind: ScalarType, value: ir.Value) -> ir.Value:
    """The number that the low bits of a wide value are in the narrow type."""
    if kind.kind == "uint":
        return build.compute("and", value, build.constant(kind.limits[1], UINT32))
    up = build.constant(_WIDTH - kind.bits, INT32)
    return build.compute("shr", build.compute("shl", value, up), up)


def _bits(build: ir.Builder, kind: ScalarType, value: ir.Value) -> ir.Value:
    """The bits of the narrow number, zeros above them."""
    if kind.kind == "uint":
        return value
    return build.compute("and", value, build.constant((1 << kind.bits) - 1, INT32))


def _cast(build: ir.Builder, value: ir.Value, source: ScalarType, kind: ScalarType) -> ir.Value:
    """From a value of type `source` (which is wide already where that is narrow) to the wide form of `kind`."""
    wide = build.cast(value, _wide(kind))
    low, high = kind.limits
    if source.is_float:
        bottom, top = build.constant(low, wide.type), build.constant(high, wide.type)
        return build.compute("min", build.compute("max", wide, bottom), top)
    if source.is_bool:
        return wide
    first, last = source.limits
    return wide if low <= first and last <= high else _low(build, kind, wide)


def _amount(build: ir.Builder, kind: ScalarType, by: ir.Value) -> ir.Value:
    return build.compute("and", by, build.constant(kind.bits - 1, by.type))


def _shr(build: ir.Builder, kind: ScalarType, value: ir.Value, by: ir.Value) -> ir.Value:
    return build.compute("shr", value, _amount(build, kind, by))


def _popc(build: ir.Builder, kind: ScalarType, value: ir.Value) -> ir.Value:
    return build.compute("popc", _bits(build, kind, value))


def _clz(build: ir.Builder, kind: ScalarType, value: ir.Value) -> ir.Value:
    above = build.constant(_WIDTH - kind.bits, value.type)
    return build.compute("sub", build.compute("clz", _bits(build, kind, value)), above)


def _ctz(build: ir.Builder, kind: ScalarType, value: ir.Value) -> ir.Value:
    """A bit just above the number ends the count."""
    stop = build.constant(1 << kind.bits, value.type)
    return build.compute("ctz", build.compute("or", value, stop))


def _brev(build: ir.Builder, kind: ScalarType, value: ir.Value) -> ir.Value:
    down = build.constant(_WIDTH - kind.bits, value.type)
    return _low(build, kind, build.compute("shr", build.compute("brev", value), down))


def _mulhi(build: ir.Builder, kind: ScalarType, a: ir.Value, b: ir.Value) -> ir.Value:
    product = build.compute("mul", a, b)
    return build.compute("shr", product, build.constant(kind.bits, product.type))


_SPECIAL: dict[str, Callable[..., ir.Value]] = {
    "shr": _shr,
    "popc": _popc,
    "clz": _clz,
    "ctz": _ctz,
    "brev": _brev,
    "mulhi": _mulhi,
}
