"""Every wrong kernel, launch and call of the corpus gives one clear sentence, and the device goes on working."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from types import ModuleType

import pytest
from tests.bad_input.corpus import Case, cases, surroundings

import headwater as hw
from headwater.errors import HeadwaterError, InternalError

CASES = list(cases())
PACKAGE = str(Path(hw.__file__).parent)


@hw.kernel
def good(out):
    out[hw.grid(1)] = 7


def test_the_corpus_is_large_and_its_cases_differ() -> None:
    assert len(CASES) >= 200
    assert len({case.id for case in CASES}) == len(CASES)
    assert len({case.code for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_one_clear_sentence(
    device: hw.Device, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "case.py"
    path.write_text(case.code, encoding="utf-8")
    module = ModuleType("a_bad_case")
    vars(module).update(surroundings(device))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    code = compile(case.code, str(path), "exec", dont_inherit=True)
    with pytest.raises(HeadwaterError) as caught:
        exec(code, vars(module))
    error = caught.value
    assert not isinstance(error, InternalError)
    text = str(error)
    for part in case.parts:
        assert part in text
    assert case.points_at(error.span, str(path)), text
    assert "\n" not in error.message
    assert not error.message.endswith(".")
    assert len(error.message) < 300
    assert error.__cause__ is None
    if case.place is not None:
        own = [
            f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(PACKAGE)
        ]
        assert len(own) <= 1, "the traceback shows our own functions"
        assert "^" in text
    out = device.zeros(4)
    good[1, 4](out)
    assert out.numpy().tolist() == [7] * 4
