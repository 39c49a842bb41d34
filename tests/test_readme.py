"""The Python of README.md and docs/ runs, and what they say about the code is so."""

import re
import runpy
from pathlib import Path

import pytest

from headwater import config
from headwater.frontend import language
from headwater.frontend.language import Marker, Namespace
from headwater.types import SCALARS, WEAK_FLOAT, WEAK_INT, ScalarType, join

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "docs/language.md")
TEXTS = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
README, LANGUAGE = TEXTS.values()


def python_blocks() -> list[tuple[str, int, str]]:
    """Each fenced Python block with its page and the number of lines above it."""
    return [
        (page, text.count("\n", 0, block.start(1)), block.group(1))
        for page, text in TEXTS.items()
        for block in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]


def rows(text: str, head: str) -> list[list[str]]:
    """The cells of the table whose first line starts with `head`, without its head."""
    table = text[text.index(f"\n{head}") + 1 :].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.split("\n")[2:]]


@pytest.mark.parametrize(
    ("page", "line", "code"),
    [pytest.param(*b, id=f"{b[0]}-line{b[1] + 1}") for b in python_blocks()],
)
def test_python_block_runs(page: str, line: int, code: str, tmp_path: Path) -> None:
    """A block is a program of its own; padded so that an error's line is the page's line."""
    program = tmp_path / f"{Path(page).stem}.py"
    program.write_text("\n" * line + code, encoding="utf-8")
    runpy.run_path(str(program), run_name="__main__")


@pytest.mark.parametrize("page", PAGES)
def test_there_is_a_python_block(page: str) -> None:
    """Keeps the test above from passing because the fence changed."""
    assert any(found == page for found, _, _ in python_blocks())


def test_named_tasks_exist() -> None:
    """Every `make NAME` of the README is a task of the Makefile."""
    tasks = re.findall(
        r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.MULTILINE)) <= set(tasks)


def test_the_environment_variables_are_those_that_are_read() -> None:
    written = {name.strip("`"): meaning for name, meaning, _ in rows(README, "| variable |")}
    assert written == {variable.name: variable.meaning for variable in config.TABLE}


def test_every_name_of_the_language_has_a_row() -> None:
    """With the first paragraph of its meaning, which `help` shows too."""
    values = list(language.names().values())
    markers = [value for value in values if isinstance(value, Marker)]
    markers += [m for v in values if isinstance(v, Namespace) for m in v.members.values()]
    parts = LANGUAGE.split("\n| name |")[1:]
    written = {name: text for part in parts for name, text in rows(f"\n| name |{part}", "| name |")}
    expected = {f"`{m!r}`": " ".join(m.meaning.split("\n\n")[0].split()) for m in markers}
    assert written == expected


def test_every_type_of_the_language_is_named() -> None:
    kinds = [name for name, value in language.names().items() if isinstance(value, ScalarType)]
    shown = " ".join(name for name, _ in rows(LANGUAGE, "| written | meaning |"))
    ranges = {f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)}
    assert all(f"`hw.{kind}`" in shown or kind in ranges for kind in kinds)


def test_the_promotion_table_is_the_compilers() -> None:
    known = {kind.name: kind for kind in (*SCALARS, WEAK_INT, WEAK_FLOAT)}
    head = LANGUAGE[LANGUAGE.index("\n| | bool |") :].split("\n")[1]
    columns = [name.strip() for name in head.strip("|").split("|")[1:]]
    assert set(columns) == set(known)
    for name, *cells in rows(LANGUAGE, "| | bool |"):
        kind = known[name.strip("*")]
        assert cells == [join(kind, known[column]).name for column in columns]


@pytest.mark.parametrize("page", [*PAGES, "ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#:]+)\)", text)
    assert [t for t in targets if not ((ROOT / page).parent / t).exists()] == []
