"""Loops that are written out, `else` after loops, `match`, `:=` and `in`: against the same code in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.language.bench import assert_same, launch

import headwater as hw


def first_factor(n, limit):
    found = 0
    for k in range(2, limit):
        if n % k == 0:
            found = k
            break
    else:
        found = -1
    return found


def first_power(n, limit):
    k = 1
    while k < limit:
        k *= 2
        if k == n:
            k = 1000
            break
        if k % 3 == 0:
            continue
    else:
        k = -k
    return k


def nested_else(n, limit):
    total = 0
    for k in range(limit):
        for j in range(k):
            if j * k == n:
                break
        else:
            total += k
            continue
        total += 100
        break
    else:
        total = -total
    return total


def named(n, limit):
    total = 0
    while (k := n - total) > 0:
        total += (step := k // 2 + 1)
        if (m := step * 2) > limit and m % 2 == 0:
            total += m
    return total + k


def named_where_it_holds(n, limit):
    total = 0
    if n > 2 and (k := n % 5) > 1 and (m := k * limit) > 3:
        total = k * 100 + m
    elif n > 1 and (k := n + 7) % 2 == 0:
        total = -k
    j = n
    while j > 0 and (half := j // 2) != limit:
        total += half
        j = half
    return total + (q if limit > 2 and (q := n - limit) > 0 else 1000)


def matched(n, limit):
    match n:
        case 0 | 1 | 2:
            return 10
        case 5 if limit > 7:
            return 20
        case 5:
            return 30
        case -1:
            n = 40
        case other if other > 9:
            return other * 2
        case _:
            n += 50
    match limit % 2, n:
        case 0, 40:
            return 1
        case 1, _:
            return n
    return 2


def with_names(n, limit):
    total = 0
    match (n, limit, n + 1):
        case (1, y, _):
            total = y
        case (2, *rest):
            a, b = rest
            total = a * 10 + b
        case (*_, 8):
            total = 77
        case (x, 3, z):
            total = x + z * 100
        case x, y, z:
            total = x - y + z
    return total


def names_of_taken_cases(n, limit):
    y = 9
    match n, limit:
        case (3, y):
            y += 1
        case [4, *_]:
            y += 2
        case (5, *_, y, 8):
            y = 100
        case _:
            pass
    return y


def joined_tuples(n, limit):
    total = 0
    for k in (n, 2) + (limit,):  # noqa: RUF005
        total = total * 7 + k
    return total if total < float("inf") and -total > float("-inf") else 0


def among(n, limit):
    score = 0
    if n in (1, 3, limit):
        score += 1
    if n not in (2, 4):
        score += 10
    return score if 0 <= n < limit or n == 17 else -score


def written_out(n, limit):
    total = 0
    for k in (1, 2, 4, 8):
        if n & k:
            total += k * limit
            t = total
        else:
            t = n
        total += t
    return total


def chosen(n, limit):
    best = limit if n else 7
    return (best and n) + (n or limit) if False else best


CASES: list[Callable[[Any, Any], Any]] = [
    first_factor,
    first_power,
    nested_else,
    named,
    named_where_it_holds,
    matched,
    joined_tuples,
    with_names,
    names_of_taken_cases,
    among,
    written_out,
    chosen,
]


@pytest.mark.parametrize("function", CASES, ids=[case.__name__ for case in CASES])
def test_as_in_python(device: hw.Device, function: Callable[[Any, Any], Any]) -> None:
    compiled = hw.function(function)

    @hw.kernel
    def kernel(out, n, limit):
        i = hw.grid(1)
        if i < len(n):
            out[i] = compiled(n[i], limit[i])

    n = np.repeat(np.arange(-2, 20, dtype=np.int32), 5)
    limit = np.resize(np.array([2, 3, 8, 9, 30], np.int32), len(n))
    expected = [function(int(a), int(b)) for a, b in zip(n, limit, strict=True)]
    out, *_ = launch(kernel[4, 32], device, np.zeros_like(n), n, limit)
    assert_same(out, np.array(expected, np.int32))


def test_a_stencil_of_known_width(device: hw.Device) -> None:
    @hw.kernel
    def blur(out, a, width: hw.constexpr, edge: hw.constexpr):
        i = hw.grid(1)
        if i >= len(a):
            return
        total = 0
        for k in hw.static_range(-width, width + 1):
            j = i + k
            if edge == "wrap":
                j %= len(a)
            elif edge == "clamp":
                j = hw.clamp(j, 0, len(a) - 1)
            else:
                if j < 0 or j >= len(a):
                    j = -1
            total += a[j] if j >= 0 else 0
        out[i] = total

    a = np.arange(50, dtype=np.int32) ** 2
    for width in (0, 1, 3):
        for edge, mode in (("wrap", "wrap"), ("clamp", "edge"), ("zero", "constant")):
            padded = np.pad(a, width, mode=mode)  # type: ignore[call-overload]
            expected = sum(padded[k : k + len(a)] for k in range(2 * width + 1))
            out, _ = launch(blur[2, 32], device, np.zeros_like(a), a, width, edge)
            assert_same(out, np.asarray(expected, np.int32))


def test_functions_and_types_as_arguments(device: hw.Device) -> None:
    @hw.function
    def add(a, b):
        return a + b

    @hw.function
    def larger(a, b):
        return hw.max(a, b)

    @hw.kernel
    def combine(out, a, f: hw.constexpr, kind: hw.constexpr):
        i = hw.grid(1)
        tile = hw.shared.array(32, kind)
        tile[i] = a[i]
        hw.syncthreads()
        out[i] = f(tile[i], tile[31 - i])

    a = (np.arange(32) * 7 % 32).astype(np.int32)
    for function, expected in ((add, a + a[::-1]), (larger, np.maximum(a, a[::-1]))):
        for kind in (hw.int32, hw.int64):
            out, _ = launch(combine[1, 32], device, np.zeros_like(a), a, function, kind)
            assert_same(out, expected.astype(np.int32))


def test_an_assert_that_holds_changes_nothing(device: hw.Device) -> None:
    @hw.kernel
    def kernel(out, n):
        i = hw.grid(1)
        assert n > 0, "n must be positive"
        out[i] = n

    (out,) = launch(kernel[1, 32], device, np.zeros(32, np.int32), 3)
    assert_same(out, np.full(32, 3, np.int32))
