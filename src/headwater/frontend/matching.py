"""`match` on constants: a chain of conditions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from headwater.frontend import members, static
from headwater.frontend.conditions import joined
from headwater.frontend.frame import FALSE, TRUE, Frame
from headwater.frontend.values import Literal, Nothing, Operand, Scalar, describe
from headwater.types import BOOL

# Lowers `if condition: body else: rest`, and says whether control reaches what follows.
Branch = Callable[[Frame, ast.AST, Scalar, Callable[[], bool], Callable[[], bool]], bool]

_HINT = "patterns are constants, '|' of them, tuples of patterns, '_' and a name"


def lower(frame: Frame, node: ast.Match, branch: Branch) -> bool:
    """The first case whose pattern and guard hold; none is allowed to hold."""
    subject = frame.expression(node.subject)
    return _cases(frame, subject, node.cases, branch)


def _cases(frame: Frame, subject: Operand, cases: Sequence[ast.match_case], branch: Branch) -> bool:
    if not cases:
        return True
    case, rest = cases[0], cases[1:]
    condition = _matches(frame, case.pattern, subject)
    if isinstance(case.pattern, ast.MatchAs) and case.pattern.name is not None:
        frame.assign(case.pattern, case.pattern.name, subject)
    guard = case.guard
    if guard is not None:
        condition = joined(frame, guard, 0, True, condition, lambda: frame.condition(guard))
    return branch(
        frame,
        case.pattern,
        condition,
        lambda: frame.program.execute(frame, case.body),
        lambda: _cases(frame, subject, rest, branch),
    )


def _matches(frame: Frame, pattern: ast.pattern, subject: Operand) -> Scalar:
    if isinstance(pattern, ast.MatchValue):
        return static.equal(frame, pattern, subject, frame.expression(pattern.value))
    if isinstance(pattern, ast.MatchSingleton):
        if pattern.value is None:
            return TRUE if isinstance(subject, Nothing) else FALSE
        return static.equal(frame, pattern, subject, Literal(pattern.value, BOOL))
    if isinstance(pattern, ast.MatchOr):
        result: Scalar = FALSE
        for part in pattern.patterns:
            result = static.either(frame, result, _matches(frame, _unnamed(frame, part), subject))
        return result
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
        return TRUE
    if isinstance(pattern, ast.MatchSequence):
        return _sequence(frame, pattern, subject)
    raise frame.fail(pattern, "this pattern is not supported in a kernel", _HINT)


def _sequence(frame: Frame, pattern: ast.MatchSequence, subject: Operand) -> Scalar:
    values = members.items(frame, subject)
    if values is None:
        raise frame.fail(pattern, f"{describe(subject)} has no items to match")
    if len(values.items) != len(pattern.patterns):
        return FALSE
    result: Scalar = TRUE
    for part, value in zip(pattern.patterns, values.items, strict=True):
        result = static.both(frame, result, _matches(frame, _unnamed(frame, part), value))
    return result


def _unnamed(frame: Frame, pattern: ast.pattern) -> ast.pattern:
    """A pattern inside another, which gives no name a value."""
    if isinstance(pattern, ast.MatchAs) and pattern.name is not None:
        raise frame.fail(pattern, "a name inside a pattern is not supported in a kernel", _HINT)
    return pattern
