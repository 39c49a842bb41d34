"""House rules that no linter knows; `make lint` runs it. Prints one line a finding, exits with 1 if any.

- No vendor word in code outside `backends/`, `compat/` and `cli/`; comments and docstrings may name them.
- An `__init__.py` holds its public names and nothing else; the front door also tells layers below it where to find
  what stands above them.
- In the packages that hold kernels, every function that is not one has annotations (mypy cannot tell them apart).
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "headwater"
VENDOR_WORDS = frozenset(
    "cuda nvidia nvrtc amd rocm hip apple metal intel vulkan webgpu wgpu wgsl opengl directx".split()
)
VENDOR_FOLDERS = ("backends", "compat", "cli")
# Names that a protocol of other libraries prescribes.
PROTOCOL_NAMES = frozenset({"__cuda_array_interface__"})
INIT_NAMES = frozenset({"__all__", "__version__"})
# What the front door may call.
FRONT_DOOR_CALLS = frozenset({"register"})
INIT_FUNCTIONS = frozenset({"__getattr__", "__dir__"})
KERNEL_FOLDERS = ("primitives", "math", "particles", "sph")
KERNEL_DECORATORS = frozenset({"kernel", "function"})


def words_of(text: str) -> set[str]:
    """The lower-case words of an identifier or a string: `CudaStream` and `cuda_stream` hold `cuda`."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text)}


def docstrings_of(tree: ast.Module) -> set[int]:
    """The ids of the nodes that are docstrings or bare strings."""
    return {
        id(n.value)
        for n in ast.walk(tree)
        if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)
    }


def texts_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every identifier and every string that is no docstring, with its line."""
    docstrings = docstrings_of(tree)
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 1)
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
        ):
            yield line, node.value
        for name in ("id", "attr", "name", "arg", "asname"):
            value = getattr(node, name, None)
            if isinstance(value, str):
                yield line, value


def vendor_findings(path: Path, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Vendor words where the layer table allows none."""
    if path.relative_to(SOURCE).parts[0] in VENDOR_FOLDERS:
        return
    for line, text in texts_of(tree):
        for word in sorted(words_of(text) & VENDOR_WORDS):
            if text not in PROTOCOL_NAMES:
                yield line, f"the vendor word '{word}' belongs to backends/, compat/ or cli/"


def is_public_name(node: ast.stmt) -> bool:
    """Whether a statement of an `__init__.py` only names something."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.FunctionDef):
        return node.name in INIT_FUNCTIONS
    if isinstance(node, ast.If):
        # What a type checker reads in place of `__getattr__`.
        named = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return named and all(map(is_public_name, (*node.body, *node.orelse)))
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return all(isinstance(target, ast.Name) and target.id in INIT_NAMES for target in targets)


def is_registration(node: ast.stmt) -> bool:
    """Whether a statement is a call such as `_library.register("headwater.math")`."""
    call = node.value if isinstance(node, ast.Expr) else None
    callee = call.func if isinstance(call, ast.Call) else None
    return isinstance(callee, ast.Attribute) and callee.attr in FRONT_DOOR_CALLS


def init_findings(path: Path, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Code in an `__init__.py`; a backend's own holds its entry `backend()`."""
    parts = path.relative_to(SOURCE).parts
    is_backend = len(parts) == 3 and parts[0] == "backends"
    if path.name != "__init__.py" or is_backend:
        return
    for node in tree.body:
        if not is_public_name(node) and not (len(parts) == 1 and is_registration(node)):
            yield node.lineno, "an '__init__.py' holds public names only; move the code to a module"


def is_kernel(node: ast.FunctionDef) -> bool:
    """Whether it is decorated with `@kernel`, `@hw.function` or a call of one."""
    callees = (d.func if isinstance(d, ast.Call) else d for d in node.decorator_list)
    names = {d.attr if isinstance(d, ast.Attribute) else getattr(d, "id", "") for d in callees}
    return bool(names & KERNEL_DECORATORS)


def annotation_findings(path: Path, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Host functions without annotations beside kernels."""
    if path.relative_to(SOURCE).parts[0] not in KERNEL_FOLDERS:
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or is_kernel(node):
            continue
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        bare = [a.arg for a in arguments if a.annotation is None and a.arg not in ("self", "cls")]
        if bare or node.returns is None:
            yield (
                node.lineno,
                f"the host function '{node.name}' needs annotations for {', '.join(bare) or 'its result'}",
            )


def main() -> int:
    """Check every source file."""
    findings = [
        f"{path.relative_to(SOURCE.parent.parent)}:{line}: {text}"
        for path in sorted(SOURCE.rglob("*.py"))
        for tree in [ast.parse(path.read_text(encoding="utf-8"))]
        for check in (vendor_findings, init_findings, annotation_findings)
        for line, text in check(path, tree)
    ]
    print("\n".join(findings) if findings else "House rules: kept.")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
