"""Loads that the compiler would join."""

from __future__ import annotations

import headwater as hw
from headwater.backends.cuda.choices import chosen_arrays
from headwater.frontend.lower import lower
from headwater.types import FLOAT32, INT32, ArrayType


@hw.kernel
def by_turns(a, b, c, out):
    i = hw.grid(1)
    if i % 2 == 0:
        a[i] = c[i]
        out[i] = a[i + 1]
    else:
        out[i] = b[i + 1]


def test_arrays_of_two_ways_are_found_where_one_is_written() -> None:
    names = ("a", "b", "c", "out")
    types = [(name, ArrayType(FLOAT32, 1)) for name in names]
    kernel = lower(by_turns.function, types, (32, 1, 1))
    assert {array.name for array in chosen_arrays(kernel)} == {"a", "b"}


def test_arrays_of_other_widths_are_not() -> None:
    types = [("a", ArrayType(INT32, 1)), ("b", ArrayType(hw.int8, 1))]
    types += [("c", ArrayType(INT32, 1)), ("out", ArrayType(INT32, 1))]
    assert chosen_arrays(lower(by_turns.function, types, (32, 1, 1))) == frozenset()
