"""The text form of a kernel: what golden tests compare and `headwater show` prints."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatchmethod

from headwater.ir import nodes as ir


def format_kernel(kernel: ir.Kernel) -> str:
    """The whole kernel; values are numbered in order, so equal kernels give equal text."""
    return _Printer().kernel(kernel)


class _Printer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0
        self.names: dict[ir.Value, str] = {}

    def kernel(self, kernel: ir.Kernel) -> str:
        shape = ", ".join(map(str, kernel.block_shape))
        self.line(f"kernel {kernel.name} block=({shape}) {{")
        self.depth += 1
        for parameter in kernel.parameters:
            self.parameter(parameter)
        if kernel.dynamic_shared:
            self.line(f"dynamic shared memory: {kernel.dynamic_shared} bytes")
        for shared in kernel.shared:
            self.own_array("dynamic shared" if shared.dynamic else "shared", shared)
        for local in kernel.locals:
            self.own_array("local", local)
        for constant in kernel.constants:
            self.own_array("constant", constant, f" = {list(constant.values)}")
        for variable in kernel.variables:
            self.line(f"var {variable.name}: {variable.type}")
        self.block(kernel.body)
        self.depth -= 1
        self.line("}")
        return "\n".join(self.lines) + "\n"

    def own_array(
        self, word: str, array: ir.SharedArray | ir.LocalArray | ir.ConstantArray, rest: str = ""
    ) -> None:
        parts = "" if array.components == 1 else f" x {array.components}"
        self.line(f"{word} {array.name}: {array.scalar}{list(array.shape)}{parts}{rest}")

    def parameter(self, parameter: ir.Parameter) -> None:
        if isinstance(parameter, ir.ScalarParameter):
            self.names[parameter] = parameter.name
            self.line(f"param {parameter.name}: {parameter.type}")
            return
        marks = [mark for mark in ("written", "atomic") if getattr(parameter, mark)]
        self.line(" ".join([f"param {parameter.name}: {parameter.type}", *marks]))

    def line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def block(self, block: ir.Block) -> None:
        for node in block.nodes:
            self.node(node)

    def nested(self, block: ir.Block) -> None:
        self.depth += 1
        self.block(block)
        self.depth -= 1

    def name(self, value: ir.Value) -> str:
        if value not in self.names:
            self.names[value] = f"%{len(self.names)}"
        return self.names[value]

    def list(self, values: Iterable[ir.Value]) -> str:
        return ", ".join(map(self.name, values))

    def define(self, value: ir.Value, text: str) -> None:
        self.line(f"{self.name(value)}: {value.type} = {text}")

    def place(self, node: ir.Load | ir.Store | ir.Atomic) -> str:
        parts = (
            node.array.type.components
            if isinstance(node.array, ir.ArrayParameter)
            else node.array.components
        )
        suffix = "" if parts == 1 else f".{node.component}"
        return f"{node.array.name}[{self.list(node.indices)}]{suffix}"

    def reductions(self, reductions: tuple[ir.Reduction, ...]) -> str:
        if not reductions:
            return ""
        return f" reduce({', '.join(f'{r.operation} {r.variable.name}' for r in reductions)})"

    @singledispatchmethod
    def node(self, node: object) -> None:
        raise TypeError(f"the printer does not know the node {type(node).__name__}")

    @node.register
    def _(self, node: ir.Constant) -> None:
        self.define(node.result, f"constant {node.value!r}")

    @node.register
    def _(self, node: ir.Compute) -> None:
        exact = "" if node.contract else " exact"
        self.define(node.result, f"{node.operation}{exact} {self.list(node.arguments)}")

    @node.register
    def _(self, node: ir.Index) -> None:
        self.define(node.result, f"{node.kind}.{'xyz'[node.axis]}")

    @node.register
    def _(self, node: ir.Extent) -> None:
        self.define(node.result, f"extent {node.array.name}, {node.axis}")

    @node.register
    def _(self, node: ir.Read) -> None:
        self.define(node.result, f"read {node.variable.name}")

    @node.register
    def _(self, node: ir.Load) -> None:
        self.define(node.result, f"load {self.place(node)}")

    @node.register
    def _(self, node: ir.Store) -> None:
        self.line(f"store {self.place(node)} = {self.name(node.value)}")

    @node.register
    def _(self, node: ir.Atomic) -> None:
        values = [node.value] if node.compare is None else [node.compare, node.value]
        self.define(node.result, f"atomic {node.operation} {self.place(node)}, {self.list(values)}")

    @node.register
    def _(self, node: ir.Assign) -> None:
        self.line(f"{node.variable.name} := {self.name(node.value)}")

    @node.register
    def _(self, node: ir.If) -> None:
        self.line(f"if {self.name(node.condition)} {{")
        self.nested(node.then)
        if node.orelse.nodes:
            self.line("} else {")
            self.nested(node.orelse)
        self.line("}")

    @node.register
    def _(self, node: ir.For) -> None:
        head = "spread for" if node.spread else "for"
        bounds = self.list((node.start, node.stop, node.step))
        reductions = self.reductions(node.reductions)
        self.line(f"{head} {self.name(node.index)}: {node.index.type} in {bounds}{reductions} {{")
        self.nested(node.body)
        self.line("}")

    @node.register
    def _(self, node: ir.While) -> None:
        self.line("while {")
        self.nested(node.test)
        self.line(f"}} {self.name(node.condition)} {{")
        self.nested(node.body)
        self.line("}")

    @node.register
    def _(self, node: ir.Break) -> None:
        self.line("break")

    @node.register
    def _(self, node: ir.Continue) -> None:
        self.line("continue")

    @node.register
    def _(self, node: ir.Return) -> None:
        self.line("return")

    @node.register
    def _(self, node: ir.Barrier) -> None:
        self.line("barrier")

    @node.register
    def _(self, node: ir.BarrierVote) -> None:
        self.define(node.result, f"barrier {node.operation} {self.name(node.predicate)}")

    @node.register
    def _(self, node: ir.Warp) -> None:
        width = "" if node.width == 32 else f" width {node.width}"
        text = f"warp {node.operation} {self.list(node.arguments)}{width}".rstrip()
        if node.result is None:
            self.line(text)
        else:
            self.define(node.result, text)

    @node.register
    def _(self, node: ir.Fence) -> None:
        self.line(f"fence {node.scope}")

    @node.register
    def _(self, node: ir.Assert) -> None:
        self.line(f"assert {self.name(node.condition)}, {node.message!r}")

    @node.register
    def _(self, node: ir.Breakpoint) -> None:
        pairs = zip(node.names, node.values, strict=True)
        seen = [f"{name}={self.name(value)}" for name, value in pairs]
        self.line(f"breakpoint {', '.join([*seen, *node.labels])}".rstrip())

    @node.register
    def _(self, node: ir.Within) -> None:
        place = f"axis {node.axis} of a view of {node.name}"
        self.line(f"within {self.name(node.subscript)}, {self.name(node.extent)} on {place}")

    @node.register
    def _(self, node: ir.Print) -> None:
        parts = [repr(p) if isinstance(p, str) else self.name(p) for p in node.parts]
        self.line(f"print {', '.join(parts)}")

    @node.register
    def _(self, node: ir.Inlined) -> None:
        self.line(f"inlined {node.name} {{")
        self.nested(node.body)
        self.line("}")

    @node.register
    def _(self, node: ir.Cooperative) -> None:
        self.line("cooperative {")
        self.nested(node.body)
        self.line("}")

    @node.register
    def _(self, node: ir.Neighbors) -> None:
        center = self.list(node.center)
        index = "" if node.center_index is None else f" not {self.name(node.center_index)}"
        seen = self.list((node.index, *node.offset, node.distance2))
        mode = " sequential" if node.sequential else self.reductions(node.reductions)
        self.line(f"neighbors {seen} of {node.grid.name}({center}){index}{mode} {{")
        self.nested(node.body)
        self.line("}")
