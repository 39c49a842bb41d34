"""The library as kernels reach it: names, types, what is documented, and what was found while it was made."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.language.bench import assert_same, launch
from validation.mathematics.functions import FUNCTIONS

import headwater as hw
from headwater.frontend import library
from headwater.math import NAMES, device_function
from headwater.types import FLOAT32, FLOAT64

PAGE = Path(__file__).parents[2] / "docs" / "mathematics.md"


def test_it_has_exactly_the_functions_that_the_frontend_asks_for() -> None:
    assert set(NAMES) == set(library.FUNCTIONS)


@pytest.mark.parametrize("name", NAMES)
def test_each_function_takes_what_its_signature_says(name: str) -> None:
    for kind in (FLOAT32, FLOAT64):
        code = device_function(name, kind).python.__code__
        assert code.co_argcount == len(library.FUNCTIONS[name].parameters)
        assert device_function(name, kind).__doc__


def test_every_measured_function_has_its_error_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for function in FUNCTIONS:
        name = function.label or function.name
        rows = re.findall(rf"^\| {re.escape(name)} \| (float\d\d) \| .*$", text, re.MULTILINE)
        assert set(rows) == {"float32", "float64"}, name


def test_import_of_the_package_does_not_load_it() -> None:
    code = "import sys, headwater; print('headwater.math' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@hw.kernel
def in_kernels(out, x):
    i = hw.grid(1)
    s, c = hw.sincos(x[i])
    out[i] = math.exp(x[i]) + np.arctan2(s, c) * hw.log1p(x[i]) + x[i] ** 0.25


def test_names_of_python_and_numpy_mean_the_library(device: hw.Device) -> None:
    x = np.array([0.5, 1.0, 2.0], np.float32)
    (found, _) = launch(in_kernels.over(3), device, np.zeros_like(x), x)
    wide = x.astype(np.float64)
    right = np.exp(wide) + wide * np.log1p(wide) + wide**0.25
    assert np.allclose(found, right, rtol=1e-6)


TABLE = np.array([0xFE5163ABDEBBC561, 1, 0xB7246E3A424DD2E0], np.uint64)


@hw.kernel
def look_up(out):
    i = hw.grid(1)
    out[i] = hw.const.array_like(TABLE)[i]


def test_constant_tables_of_uint64_keep_all_bits(device: hw.Device) -> None:
    """They went through float64, and lost the low bits, which 2 / pi showed."""
    assert_same(launch(look_up.over(3), device, np.zeros(3, np.uint64))[0], TABLE)
