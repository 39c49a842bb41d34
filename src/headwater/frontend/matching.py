"""`match` on constants: a chain of conditions. Names in a pattern get their values where the case is taken."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from headwater.frontend import members, static
from headwater.frontend.conditions import joined
from headwater.frontend.frame import FALSE, TRUE, Frame
from headwater.frontend.values import Literal, Nothing, Operand, Scalar, Tuple, describe
from headwater.types import BOOL

# The names in a pattern, and what they stand for.
Names = list[tuple[ast.pattern, str, Operand]]
# Lowers `if condition: body else: rest`, and says whether control reaches what follows.
Branch = Callable[[Frame, ast.AST, Scalar, Callable[[], bool], Callable[[], bool]], bool]

_HINT = "patterns are constants, '|' of them, tuples of patterns, '_' and names"


def lower(frame: Frame, node: ast.Match, branch: Branch) -> bool:
    """The first case whose pattern and guard hold; none is allowed to hold."""
    subject = frame.expression(node.subject)
    return _cases(frame, subject, node.cases, branch)


def _cases(frame: Frame, subject: Operand, cases: Sequence[ast.match_case], branch: Branch) -> bool:
    if not cases:
        return True
    case, rest = cases[0], cases[1:]
    named: Names = []
    condition = _matches(frame, case.pattern, subject, named)
    guard = case.guard
    if guard is not None:
        if isinstance(case.pattern, ast.MatchAs):
            _assign(frame, named)
        elif named:
            raise frame.fail(
                guard,
                "a guard behind a pattern with names inside is not supported in a kernel",
                "write 'if' in the body of the case",
            )
        condition = joined(frame, guard, 0, True, condition, lambda: frame.condition(guard))

    def body() -> bool:
        _assign(frame, named)
        return frame.program.execute(frame, case.body)

    return branch(
        frame, case.pattern, condition, body, lambda: _cases(frame, subject, rest, branch)
    )


def _assign(frame: Frame, named: Names) -> None:
    for pattern, name, value in named:
        frame.assign(pattern, name, value)
    named.clear()


def _matches(frame: Frame, pattern: ast.pattern, subject: Operand, named: Names) -> Scalar:
    if isinstance(pattern, ast.MatchValue):
        return static.equal(frame, pattern, subject, frame.expression(pattern.value))
    if isinstance(pattern, ast.MatchSingleton):
        if pattern.value is None:
            return TRUE if isinstance(subject, Nothing) else FALSE
        return static.equal(frame, pattern, subject, Literal(pattern.value, BOOL))
    if isinstance(pattern, ast.MatchOr):
        result: Scalar = FALSE
        inside: Names = []
        for part in pattern.patterns:
            result = static.either(frame, result, _matches(frame, part, subject, inside))
        if inside:
            raise frame.fail(inside[0][0], "a name beside '|' is not supported in a kernel", _HINT)
        return result
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
        if pattern.name is not None:
            named.append((pattern, pattern.name, subject))
        return TRUE
    if isinstance(pattern, ast.MatchSequence):
        return _sequence(frame, pattern, subject, named)
    raise frame.fail(pattern, "this pattern is not supported in a kernel", _HINT)


def _sequence(frame: Frame, pattern: ast.MatchSequence, subject: Operand, named: Names) -> Scalar:
    found = members.items(frame, subject)
    if found is None:
        raise frame.fail(pattern, f"{describe(subject)} has no items to match")
    parts, values = pattern.patterns, list(found.items)
    for position, part in enumerate(parts):
        if isinstance(part, ast.MatchStar) and len(values) >= len(parts) - 1:
            end = len(values) - (len(parts) - position - 1)
            if part.name is not None:
                named.append((part, part.name, Tuple(tuple(values[position:end]))))
            parts, values = (
                parts[:position] + parts[position + 1 :],
                values[:position] + values[end:],
            )
            break
    if len(values) != len(parts):
        return FALSE
    result: Scalar = TRUE
    for part, value in zip(parts, values, strict=True):
        result = static.both(frame, result, _matches(frame, part, value, named))
    return result
