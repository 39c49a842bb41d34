"""Small kernels that once went wrong, each found by `tests.fuzz` and cut down."""

from __future__ import annotations

import numpy as np
from tests.language.bench import assert_same, launch

import headwater as hw


def test_names_that_end_in_numbers_stay_apart(device: hw.Device, tmp_path) -> None:
    """The CPU backend once joined a name and a number: v1 + 177 met v + 1177."""
    body = (
        "".join(f"        v{n} = a[i] * {n}\n        out[i] += v{n}\n" for n in range(1, 13)) * 40
    )
    path = tmp_path / "many_names.py"
    head = "import headwater as hw\n\n@hw.kernel(contract=False)\ndef many(out, a):\n"
    path.write_text(f"{head}    i = hw.grid(1)\n    if i < len(out):\n{body}")
    space: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    a = np.arange(5, dtype=np.int32)
    out, _ = launch(space["many"].forall(5), device, np.zeros(5, np.int32), a)
    assert_same(out, a * 78 * 40)


@hw.kernel(contract=False)
def read_after_return(out, a):
    tile = hw.shared.array(25, hw.int32)
    t = hw.threadIdx.x
    tile[t] = t
    hw.syncthreads()
    if a[t] < 0:
        return
    value = a[t] * 2
    if value > 20:
        value = 20
    hw.syncthreads()
    for k in range(value % 3):
        tile[t] += k
    out[t] = value + tile[t]


def test_exited_threads_read_no_variable_they_never_assigned(device: hw.Device) -> None:
    """The pass lower_returns once read `value` outside of its guard; the interpreter objected."""
    a = np.arange(25, dtype=np.int32) - 9
    out, _ = launch(read_after_return[1, 25], device, np.full(25, -1, np.int32), a)
    t = np.arange(25)
    value = np.minimum(2 * a, 20)
    added = np.where(value % 3 == 2, 1, 0)
    assert_same(out, np.where(a < 0, -1, value + t + added).astype(np.int32))


@hw.kernel(contract=False)
def casts_of_constants(out):
    if hw.grid(1) == 0:
        out[0] = hw.float32(hw.float64(1e308))
        out[1] = hw.float32(-hw.float64(1e308))
        out[2] = hw.float32(hw.int64(1152921573326323713))
        out[3] = out[4] + 1152921573326323713


def test_casts_of_constants_are_those_of_values(device: hw.Device) -> None:
    """A constant of type float64 was refused where a value becomes infinite; integers rounded twice."""
    (out,) = launch(casts_of_constants[1, 32], device, np.zeros(5, np.float32))
    once = np.array(2**60 + 2**36 + 1, np.int64).astype(np.float32)
    assert_same(out, np.array([np.inf, -np.inf, once, once, 0], np.float32))


@hw.kernel(contract=False)
def cast_that_changes_no_bits(out, a):
    i = hw.grid(1)
    small = a[i] + 1
    if i > 2:
        out[i] = hw.int16(small)


def test_a_cast_that_changes_no_bits_may_begin_a_block(device: hw.Device) -> None:
    """The pass lower_narrow looked for what it had made, in a block where it had made nothing."""
    a = np.array([0, 1, 2, -128, 127, -3], np.int8)
    out, _ = launch(cast_that_changes_no_bits[1, 6], device, np.zeros(6, np.int16), a)
    assert_same(out, np.array([0, 0, 0, -127, -128, -2], np.int16))


@hw.kernel(contract=False)
def stores_too_large_for_half(out):
    out[0] = hw.float32(3e38)
    out[1] = hw.float32(hw.int64(22) ** 4)
    out[2] = -hw.float32(65504)


def test_constants_too_large_for_a_float16_are_infinite(device: hw.Device) -> None:
    """A constant with a type of its own was refused, where a value becomes infinite."""
    (out,) = launch(stores_too_large_for_half[1, 1], device, np.zeros(3, np.float16))
    assert_same(out, np.array([np.inf, np.inf, -65504], np.float16))
