"""What a kernel captures keeps the value of the first compile: finds what has another one now."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from types import FunctionType

from headwater.errors import LaunchError
from headwater.frontend.fingerprint import DEFAULTS, Captures, Part
from headwater.frontend.source import source_of


def check_frozen(function: FunctionType, first: Captures, now: Captures) -> None:
    """LaunchError where a value or device function that the kernel names is not that of its first compile.

    Captures hold more than the text names; what it does not name may change.
    """
    present = {key: part.text for key, part in _keyed(now)}
    for key, part in _keyed(first):
        text = present.get(key, part.text)
        if text != part.text and _matters(function, part):
            raise _error(function, part, text)


def _keyed(captured: Captures) -> Iterator[tuple[tuple[str, str, str, int], Part]]:
    """The parts by function and path; functions of one name, as a factory makes them, are counted."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for part in captured.parts:
        key = (part.function.__module__, part.function.__qualname__, part.path)
        yield (*key, counts[key]), part
        counts[key] += 1


def _matters(kernel: FunctionType, part: Part) -> bool:
    if part.path == "" or part.path.startswith(DEFAULTS):
        return part.function is not kernel
    return any(
        _covers(part.path, name) or _covers(name, part.path)
        for name in _names(source_of(part.function).tree)
    )


def _covers(outer: str, inner: str) -> bool:
    return inner == outer or inner.startswith((f"{outer}.", f"{outer}["))


def _names(node: ast.AST) -> Iterator[str]:
    """The names in a text, each with the attributes that are asked of it: 'h', 'settings.h'."""
    dotted = _dotted(node)
    if dotted is not None:
        yield dotted
        return
    for child in ast.iter_child_nodes(node):
        yield from _names(child)


def _dotted(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    base = _dotted(node.value) if isinstance(node, ast.Attribute) else None
    return f"{base}.{node.attr}" if base is not None and isinstance(node, ast.Attribute) else None


def _error(kernel: FunctionType, part: Part, now: str) -> LaunchError:
    name = part.function.__name__
    first = f"kernel '{kernel.__name__}': "
    if part.path == "":
        return LaunchError(
            f"{first}the device function '{name}' is not the one that the kernel was first compiled with",
            hint="define the kernel again",
        )
    by = "" if part.function is kernel else f" of the device function '{name}'"
    captured = "a default" if part.path.startswith(DEFAULTS) else f"captured '{part.path}'"
    return LaunchError(
        f"{first}{captured}{by} was {part.text} when the kernel was first compiled and is {now} now",
        hint="captured values are frozen: pass it as an argument",
    )
