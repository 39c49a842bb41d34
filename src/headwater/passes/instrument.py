"""Debug mode: a kernel that reports what goes wrong in it.

Assumes any well-formed kernel, before `lower_returns`. Leaves no `Assert`, `Print` or `Within`, and one array parameter
more at the end: the buffer that `headwater.ir.reports` describes, which the runtime reads after each launch.

Reported are subscripts out of bounds of any array, reads of shared and local elements that nobody wrote, assertions,
integer divisions by zero, NaNs that a float operation makes of numbers, and values that `hw.uniform` asserts wrongly. A
thread goes on after a report. An access out of bounds is not made: a load or an atomic gives 0.

What a `select` does not choose may be wrong: see `chosen_values`. An element that is accessed again by the same values,
as the components of a vector are, is checked once. Functions of the library of mathematics make NaNs on the way to a
number, so only what they give is checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import singledispatchmethod
from typing import TypeAlias

from headwater import ir
from headwater.errors import Span
from headwater.ir import reports
from headwater.ir.reports import Report, Reports
from headwater.passes.chosen_values import handed_on, only_chosen
from headwater.passes.library_calls import Call, LibraryCalls
from headwater.passes.report_records import Records
from headwater.passes.rewriting import new_variable, zero
from headwater.passes.uniform_checks import UniformChecks, is_assertion
from headwater.passes.written_bits import WrittenBits
from headwater.types import BOOL, INT32

Access: TypeAlias = ir.Load | ir.Store | ir.Atomic
# Elements that were checked before in this block or one around it, and whether they are in bounds.
Checked: TypeAlias = dict[tuple[ir.Array, tuple[ir.Value, ...]], ir.Value]

_DIVISIONS = ("floordiv", "mod")


@dataclass(frozen=True, slots=True)
class _Fault:
    """What is wrong with a value where `holds`."""

    holds: ir.Value
    report: Report[ir.Value]
    span: Span | None


def instrument(kernel: ir.Kernel) -> Reports:
    """Change the kernel in place; what it may report."""
    records, written, uniform = Records(kernel), WrittenBits(kernel), UniformChecks(kernel)
    rewriting = _Instrument(kernel, records, written, uniform)
    top = ir.Block()
    build = ir.Builder(top, kernel.span)
    records.start(build)
    waits = [part.start(build, records.thread) for part in (written, uniform)]
    if any(waits):
        build.append(ir.Barrier(kernel.span))
    rewriting.block(kernel.body)
    kernel.body.nodes[:0] = top.nodes
    return records.finish()


class _Instrument:
    def __init__(
        self, kernel: ir.Kernel, records: Records, written: WrittenBits, uniform: UniformChecks
    ) -> None:
        self.kernel = kernel
        self.records = records
        self.written = written
        self.uniform = uniform
        self.calls = LibraryCalls(kernel)
        self.chosen = only_chosen(kernel)
        self.faults: dict[ir.Value, list[_Fault]] = {}
        self.constants: dict[ir.Value, bool | int | float] = {}
        self.build = ir.Builder(ir.Block())
        self.checked: Checked = {}

    def block(self, block: ir.Block) -> None:
        """Rewrite a block; what was checked around it holds inside."""
        build, checked = self.build, self.checked
        self.build, self.checked = ir.Builder(ir.Block()), dict(checked)
        for node in block.nodes:
            self.build.span = node.span
            self.node(node)
        block.nodes = self.build.block.nodes
        self.build, self.checked = build, checked

    def report(self, report: Report[ir.Value]) -> None:
        self.records.write(self.build, report, self.build.span)

    # --- nodes ------------------------------------------------------------------------------------

    @singledispatchmethod
    def node(self, node: ir.Node) -> None:
        """Append the node, and what reports of it."""
        for child in ir.children(node):
            self.block(child)
        self.build.append(node)
        self.result_of_call(node)

    @node.register
    def _(self, node: ir.Constant) -> None:
        self.constants[node.result] = node.value
        self.build.append(node)

    @node.register
    def _(self, node: ir.Assert) -> None:
        with self.build.when(self.build.compute("not", node.condition)):
            self.report(reports.failed(node.message))

    @node.register
    def _(self, node: ir.Print) -> None:
        self.report(reports.printed(node.parts))

    @node.register
    def _(self, node: ir.Within) -> None:
        within = self.between(node.subscript, node.extent)
        with self.build.when(self.build.compute("not", within)):
            index, extent = node.subscript, node.extent
            report = reports.out_of_bounds(node.name, index, extent, node.axis, node.axes)
            self.report(report)

    # --- arithmetic -------------------------------------------------------------------------------

    @node.register
    def _(self, node: ir.Compute) -> None:
        kind = node.result.type
        self.build.append(node)
        if is_assertion(node):
            with self.build.when(self.uniform.differs(self.build, node)):
                self.report(reports.not_uniform(node.arguments[0]))
        elif self.calls.holds(node):
            self.result_of_call(node)
        elif kind.is_integer and node.operation in _DIVISIONS:
            self.division(node)
        elif kind.is_float and node.operation in reports.NAN_OPERATIONS:
            report = reports.made_nan(node.operation, node.arguments)
            self.fault(
                node.result, _Fault(self.new_nan(node.result, node.arguments), report, node.span)
            )
        self.hand_on(node)

    def division(self, node: ir.Compute) -> None:
        left, right = node.arguments
        if self.constants.get(right, 0) != 0:
            return
        none = self.build.compute("eq", right, self.build.constant(0, right.type))
        report = reports.divided_by_zero(node.operation, left)
        self.fault(node.result, _Fault(none, report, node.span))

    def fault(self, result: ir.Value, fault: _Fault) -> None:
        """Report it, or keep it for the `select` that may choose the result."""
        if result in self.chosen:
            self.faults.setdefault(result, []).append(fault)
            return
        with self.build.when(fault.holds):
            self.records.write(self.build, fault.report, fault.span)

    def hand_on(self, node: ir.Compute) -> None:
        """What was wrong with an operand is so with the result, where that operand matters."""
        for operand, side in handed_on(node):
            for fault in self.faults.get(operand, ()):
                holds = fault.holds
                if side is not None:
                    condition = node.arguments[0]
                    taken = condition if side else self.build.compute("not", condition)
                    holds = self.build.compute("and", holds, taken)
                self.fault(node.result, replace(fault, holds=holds))

    def new_nan(self, result: ir.Value, operands: tuple[ir.Value, ...]) -> ir.Value:
        """Whether the result is a NaN and no operand is."""
        found = self.build.compute("ne", result, result)
        for operand in dict.fromkeys(operands):
            if operand not in self.constants:
                number = self.build.compute("eq", operand, operand)
                found = self.build.compute("and", found, number)
        return found

    def result_of_call(self, node: ir.Node) -> None:
        """Check a value that a function of the library hands out."""
        call: Call | None = self.calls.given_by(node)
        if call is None:
            return
        for result in ir.results(node):
            bad = self.new_nan(result, tuple(call.arguments))
            self.fault(result, _Fault(bad, reports.gave_nan(call.name), self.build.span))

    # --- memory -----------------------------------------------------------------------------------

    @node.register
    def _(self, node: ir.Load) -> None:
        with self.build.when(self.inside(node)) as access:
            self.known(node)
        self.through_variable(node, access)

    @node.register
    def _(self, node: ir.Atomic) -> None:
        with self.build.when(self.inside(node)) as access:
            self.known(node)
            self.written.note(self.build, node)
        self.through_variable(node, access)

    @node.register
    def _(self, node: ir.Store) -> None:
        with self.build.when(self.inside(node)):
            self.build.append(node)
            self.written.note(self.build, node)

    def through_variable(self, node: ir.Load | ir.Atomic, access: ir.If) -> None:
        """Make the access inside of the branch, and hand its result out; 0 where it is not made."""
        outer = node.result
        kept = new_variable(self.kernel, "kept", outer.type)
        start = ir.Builder(ir.Block(), node.span)
        start.assign(kept, start.constant(zero(outer.type), outer.type))
        # Before the branch, which is the last node so far.
        self.build.block.nodes[-1:] = [*start.block.nodes, access]
        node.result = ir.Value(outer.type, outer.name)
        with self.build.inside(access.then):
            self.build.append(node)
            self.build.assign(kept, node.result)
        read = ir.Read(outer, kept, node.span)
        self.build.append(read)
        self.result_of_call(read)

    def known(self, node: ir.Load | ir.Atomic) -> None:
        """Report where the element was never written."""
        missing = self.written.missing(self.build, node)
        if missing is None:
            return
        with self.build.when(missing):
            local = isinstance(node.array, ir.LocalArray)
            self.report(reports.unwritten(node.array.name, node.indices, local))

    def inside(self, node: Access) -> ir.Value:
        """Whether all subscripts are in bounds; reported where they are not."""
        key = (node.array, node.indices)
        known = self.checked.get(key)
        if known is not None:
            return known
        axes = [axis for axis in range(len(node.indices)) if not self.surely_within(node, axis)]
        if not axes:
            return self.build.constant(True, BOOL)
        within = {axis: self.within(node, axis) for axis in axes}
        found, *others = within.values()
        for other in others:
            found = self.build.compute("and", found, other)
        with self.build.when(self.build.compute("not", found)):
            self.first_outside(node, within)
        self.checked[key] = found
        return found

    def surely_within(self, node: Access, axis: int) -> bool:
        """Whether a literal subscript of an array of known shape is in bounds."""
        index = self.constants.get(node.indices[axis])
        if index is None or isinstance(node.array, ir.ArrayParameter):
            return False
        return 0 <= index < node.array.shape[axis]

    def within(self, node: Access, axis: int) -> ir.Value:
        """Whether one subscript is."""
        return self.between(node.indices[axis], self.build.extent(node.array, axis))

    def between(self, index: ir.Value, extent: ir.Value) -> ir.Value:
        """Whether an index of any integer type is in 0 ... extent - 1."""
        build = self.build
        if index.type.bits < INT32.bits:
            index = build.cast(index, INT32)
        below = build.compute("lt", index, build.cast(extent, index.type))
        if index.type.kind == "uint":
            return below
        return build.compute(
            "and", build.compute("ge", index, build.constant(0, index.type)), below
        )

    def first_outside(self, node: Access, within: Mapping[int, ir.Value]) -> None:
        """Report the first of these axes whose subscript is out of bounds."""
        (axis, holds), *others = within.items()
        if not others:
            self.outside(node, axis)
            return
        branch = ir.If(holds, ir.Block(), ir.Block(), node.span)
        self.build.append(branch)
        with self.build.inside(branch.then):
            self.first_outside(node, dict(others))
        with self.build.inside(branch.orelse):
            self.outside(node, axis)

    def outside(self, node: Access, axis: int) -> None:
        extent = self.build.extent(node.array, axis)
        axes = len(node.indices)
        self.report(reports.out_of_bounds(node.array.name, node.indices[axis], extent, axis, axes))
