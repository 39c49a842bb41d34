"""What the interpreter looks for in debug mode only: it is defined, but seldom meant."""

from __future__ import annotations

from headwater import ir
from headwater.backends.reference.arithmetic import Scalar
from headwater.backends.reference.thread import Thread
from headwater.ir import reports
from headwater.passes import LibraryCalls

_DIVISIONS = ("floordiv", "mod")


class Checks:
    """The checks of one kernel, which run behind each of its nodes."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self._calls = LibraryCalls(kernel)

    def __call__(self, thread: Thread, node: ir.Node) -> None:
        """DebugError where an integer was divided by zero, or numbers gave a NaN."""
        if isinstance(node, ir.Compute) and not self._calls.holds(node):
            _check_operation(thread, node)
        call = self._calls.given_by(node)
        if call is None:
            return
        arguments = [thread.values[value] for value in call.arguments]
        results = [thread.values[value] for value in ir.results(node)]
        if any(map(_is_nan, results)) and not any(map(_is_nan, arguments)):
            raise thread.found(node, reports.gave_nan(call.name))


def _check_operation(thread: Thread, node: ir.Compute) -> None:
    operands = [thread.values[value] for value in node.arguments]
    kind = node.result.type
    if kind.is_integer and node.operation in _DIVISIONS and operands[1] == 0:
        raise thread.found(node, reports.divided_by_zero(node.operation, operands[0]))
    if not kind.is_float or node.operation not in reports.NAN_OPERATIONS:
        return
    if _is_nan(thread.values[node.result]) and not any(map(_is_nan, operands)):
        raise thread.found(node, reports.made_nan(node.operation, operands))


def _is_nan(value: Scalar) -> bool:
    return bool(value != value)
