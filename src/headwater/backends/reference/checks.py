"""What the interpreter looks for in debug mode only: it is defined, but seldom meant."""

from __future__ import annotations

from headwater import ir
from headwater.backends.reference.arithmetic import Scalar
from headwater.backends.reference.thread import Thread
from headwater.errors import DebugError
from headwater.ir import reports
from headwater.ir.reports import Report
from headwater.passes import LibraryCalls, handed_on, only_chosen

_DIVISIONS = ("floordiv", "mod")


class Checks:
    """The checks of one kernel, which run behind each of its nodes.

    What is wrong with a value that is only there to be chosen is kept with the thread, until it is chosen.
    """

    def __init__(self, kernel: ir.Kernel) -> None:
        self._calls = LibraryCalls(kernel)
        self._chosen = only_chosen(kernel)

    def __call__(self, thread: Thread, node: ir.Node) -> None:
        """DebugError where an integer was divided by zero, or numbers gave a NaN."""
        for result in ir.results(node):
            error = self._wrong(thread, node) or _handed_on(thread, node)
            thread.faults.pop(result, None)
            if error is None:
                continue
            if result not in self._chosen:
                raise error
            thread.faults[result] = error

    def _wrong(self, thread: Thread, node: ir.Node) -> DebugError | None:
        report: Report[Scalar] | None = None
        call = self._calls.given_by(node)
        if isinstance(node, ir.Compute) and not self._calls.holds(node):
            report = _of_operation(thread, node)
        elif call is not None:
            arguments = [thread.values[value] for value in call.arguments]
            results = [thread.values[value] for value in ir.results(node)]
            if any(map(_is_nan, results)) and not any(map(_is_nan, arguments)):
                report = reports.gave_nan(call.name)
        return None if report is None else thread.found(node, report)


def _of_operation(thread: Thread, node: ir.Compute) -> Report[Scalar] | None:
    operands = [thread.values[value] for value in node.arguments]
    kind = node.result.type
    if kind.is_integer and node.operation in _DIVISIONS and operands[1] == 0:
        return reports.divided_by_zero(node.operation, operands[0])
    if not kind.is_float or node.operation not in reports.NAN_OPERATIONS:
        return None
    if _is_nan(thread.values[node.result]) and not any(map(_is_nan, operands)):
        return reports.made_nan(node.operation, operands)
    return None


def _handed_on(thread: Thread, node: ir.Node) -> DebugError | None:
    """What is wrong with an operand that matters."""
    for operand, side in handed_on(node):
        assert isinstance(node, ir.Compute)
        error = thread.faults.get(operand)
        if error is not None and side in (None, bool(thread.values[node.arguments[0]])):
            return error
    return None


def _is_nan(value: Scalar) -> bool:
    return bool(value != value)
