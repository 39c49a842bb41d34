"""The text of a Python function: parsed once, with the place of every node in the user's file."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Iterator
from types import FunctionType

from headwater.errors import CompileError, Span

_MISSING = (
    "write the function to a file and import it: kernels are compiled from their text, "
    "which a prompt or exec() does not keep"
)


class Source:
    """One function: its AST, and how often each local name is assigned."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.name = function.__name__
        self.file = function.__code__.co_filename
        self._spans: dict[ast.AST, Span] = {}
        self._defaults: dict[ast.AST, list[ast.expr]] = {}
        self._lines, self._first = _text(function)
        self.tree = self._parse()
        self.span = self._head()
        self.loop_targets: set[str] = set()
        self.sites = self._count_sites()
        self.returns = [s for s in _statements(self.tree.body) if isinstance(s, ast.Return)]

    def at(self, node: ast.AST) -> Span:
        """The place of a node in the file."""
        span = self._spans.get(node)
        if span is None:
            span = self._spans[node] = self._locate(node)
        return span

    def defaults(self, node: ast.Call, values: tuple[int | None, ...]) -> list[ast.expr]:
        """Constants that stand for arguments that a call leaves out, at the call's place."""
        found = self._defaults.get(node)
        if found is None:
            found = [ast.copy_location(ast.Constant(value), node) for value in values]
            self._defaults[node] = found
        return found

    def _parse(self) -> ast.FunctionDef:
        text = "".join(self._lines)
        wrapped = text[:1].isspace()
        # A function that stands in a class or in another function is indented: parse it as the body of an
        # `if`, which keeps its columns.
        module = ast.parse("if 1:\n" + text if wrapped else text)
        self._shift = self._first - 1 - wrapped
        found = module.body[0].body[0] if isinstance(module.body[0], ast.If) else module.body[0]
        if isinstance(found, ast.FunctionDef):
            return found
        raise CompileError(
            f"'{self.name}' is not a plain function",
            span=self._locate(found),
            hint="define it with 'def'",
        )

    def _locate(self, node: ast.AST) -> Span:
        line, end_line = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
        column = self._column(line, node.col_offset)  # type: ignore[attr-defined]
        end = self._column(end_line, node.end_col_offset)  # type: ignore[attr-defined]
        return Span(self.file, line + self._shift, column, end_line + self._shift, end)

    def _column(self, line: int, offset: int) -> int:
        """Python counts columns in UTF-8 bytes; people count characters."""
        position = line + self._shift - self._first
        if not 0 <= position < len(self._lines):
            return offset
        text = self._lines[position]
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))

    def _head(self) -> Span:
        """The line of the `def`, without the body."""
        full = self._locate(self.tree)
        text = self._lines[full.line - self._first].rstrip("\n")
        return Span(self.file, full.line, full.column, full.line, len(text.rstrip()))

    def _count_sites(self) -> Counter[str]:
        """Assignments of each name; targets of `for` count only beside other assignments."""
        sites: Counter[str] = Counter()
        loops: Counter[str] = Counter()
        for statement in _statements(self.tree.body):
            targets = _targets(statement)
            into = loops if isinstance(statement, ast.For) else sites
            into.update(name for target in targets for name in names_of(target))
        for node in ast.walk(self.tree):
            if isinstance(node, ast.arg):
                sites[node.arg] += 1
            elif isinstance(node, ast.NamedExpr):
                sites[node.target.id] += 1
            elif isinstance(node, ast.MatchAs) and node.name is not None:
                sites[node.name] += 1
        self.loop_targets = {name for name in loops if name not in sites}
        return sites + loops


def first_line(node: ast.stmt) -> ast.AST:
    """Only the first line of a compound statement, so that the caret stays there."""
    body = getattr(node, "body", None)
    if not body:
        return node
    head = ast.Pass(lineno=node.lineno, col_offset=node.col_offset)
    head.end_lineno, head.end_col_offset = node.lineno, node.col_offset + 1
    return head


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements, outer before inner."""
    for statement in body:
        yield statement
        yield from _statements(getattr(statement, "body", []))
        yield from _statements(getattr(statement, "orelse", []))
        for case in getattr(statement, "cases", []):
            yield from _statements(case.body)


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, ast.AnnAssign):
        return [node.target] if node.value is not None else []
    if isinstance(node, ast.AugAssign | ast.For):
        return [node.target]
    return []


def names_of(target: ast.expr) -> list[str]:
    """The names that an assignment to the target gives values."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Tuple | ast.List):
        return [name for element in target.elts for name in names_of(element)]
    return []


def _text(function: FunctionType) -> tuple[list[str], int]:
    try:
        return inspect.getsourcelines(function)
    except (OSError, TypeError):
        code = function.__code__
        span = Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 1)
        raise CompileError(
            f"the source of '{function.__name__}' is not at hand", span=span, hint=_MISSING
        ) from None
    except (SyntaxError, IndentationError):
        raise CompileError(
            f"the source of '{function.__name__}' changed after it was read"
        ) from None


_SOURCES: dict[object, Source] = {}


def source_of(function: FunctionType) -> Source:
    """The parsed source, kept for the life of the function's code."""
    # Code is equal by its bytecode, which knows neither the file nor what annotates a variable.
    code = function.__code__
    key = (code.co_filename, code.co_firstlineno, code)
    found = _SOURCES.get(key)
    if found is None or found.function is not function:
        found = _SOURCES[key] = Source(function) if found is None else _rebind(found, function)
    return found


def _rebind(source: Source, function: FunctionType) -> Source:
    """Another closure over the same code: the text is shared, the captured values are not."""
    copy = object.__new__(Source)
    copy.__dict__.update(source.__dict__)
    copy.function = function
    return copy
