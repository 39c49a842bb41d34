"""The README's Python runs, and the tasks that it names exist."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def python_blocks() -> list[tuple[int, str]]:
    """Each fenced Python block with the number of lines above it."""
    found = re.finditer(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [(README.count("\n", 0, block.start(1)), block.group(1)) for block in found]


@pytest.mark.parametrize(
    ("line", "code"), [pytest.param(*b, id=f"line{b[0] + 1}") for b in python_blocks()]
)
def test_python_block_runs(line: int, code: str, tmp_path: Path) -> None:
    """A block is a program of its own; padded so that an error's line is the README's line."""
    program = tmp_path / "README.py"
    program.write_text("\n" * line + code, encoding="utf-8")
    runpy.run_path(str(program), run_name="__main__")


def test_there_is_a_python_block() -> None:
    """Keeps the test above from passing because the fence changed."""
    assert python_blocks()


def test_named_tasks_exist() -> None:
    """Every `make NAME` of the README is a task of the Makefile."""
    tasks = re.findall(
        r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.MULTILINE)) <= set(tasks)
