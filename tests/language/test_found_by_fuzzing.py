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


@hw.kernel(contract=False)
def finite_remainders(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = hw.isfinite(a % b[i])


def test_the_upper_half_of_a_float64_tells_no_driver_that_it_is_finite(
    device: hw.Device,
) -> None:
    """NVIDIA's driver for Vulkan once took `isfinite` for true: only the lower half of the bits was hidden from it."""
    b = np.array([np.nan, 0.0, 1.5, np.inf, -np.inf, 5e-324, -2.0], np.float64)
    out, *_ = launch(finite_remainders.forall(7), device, np.zeros(7, bool), 2.5, b)
    with np.errstate(all="ignore"):
        expected = np.isfinite(np.remainder(2.5, b))
    assert_same(out, expected)


@hw.kernel(contract=False)
def times_a_bit(cubes, chosen, a, table):
    i = hw.grid(1)
    if i < len(a):
        cubes[i] = max(a[i], a[0]) ** 3 & 3
        chosen[i] = table[(~a[i] + 1) % 2, (a[i] + 2) % 3, i % 2]


def test_a_bit_of_64_times_a_number(device: hw.Device) -> None:
    """NVIDIA's driver for Vulkan took x**3 & 3 for x & 3, and an index of one bit for whether there are any."""
    a = np.array([0, 1, 2, 6, 10, 1 << 40, 3 << 62, 14651799467691264894, 2**64 - 1], np.uint64)
    table = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    outputs = np.zeros(9, np.uint64), np.zeros(9, np.float32)
    cubes, chosen, *_ = launch(times_a_bit.forall(9), device, *outputs, a, table)
    numbers = [int(x) for x in a]
    assert_same(cubes, np.array([x**3 & 3 for x in numbers], np.uint64))
    wrapped = [(x + 2) % 2**64 % 3 for x in numbers]
    rows = [-x % 2 for x in numbers]
    assert_same(
        chosen,
        np.array([table[r, w, i % 2] for i, (r, w) in enumerate(zip(rows, wrapped, strict=True))]),
    )


@hw.kernel(contract=False)
def by_the_smallest(out, a):
    i = hw.grid(1)
    if i < len(out):
        out[i] = 61 // abs(a[i])


def test_the_absolute_value_of_the_smallest_is_negative(device: hw.Device) -> None:
    """CUDA's assembler takes the result of `abs.s64` for positive."""
    a = np.array([-(2**63), 2**63 - 1, -7, 7], np.int64)
    out, *_ = launch(by_the_smallest.forall(4), device, np.zeros(4, np.int64), a)
    assert_same(out, np.array([-1, 0, 8, 8], np.int64))


@hw.kernel(contract=False)
def never_above_zero(out, a, first):
    i = hw.grid(1)
    if i < len(out):
        out[i] = a[8] ** 4 % hw.clamp(
            hw.select(first[0], hw.int16(0), hw.int16(25)), a[i], hw.int16(0)
        )


def test_the_minimum_of_small_integers_and_zero(device: hw.Device) -> None:
    """The assembler of CUDA 13.0 took this zero for what is left of a `min`, and divided by it."""
    a = np.arange(-40, 60, 1, np.int16)
    first = np.array([True])
    out, *_ = launch(never_above_zero.forall(100), device, np.zeros(100, np.int16), a, first)
    assert_same(out, np.full(100, np.int64(-32) ** 4 % 65536, np.uint16).astype(np.int16))


@hw.kernel(contract=False)
def times_hidden_zero(out, bits):
    i = hw.grid(1)
    if i < len(out):
        out[i] *= hw.bitcast(hw.min(bits[i], hw.uint32(0)), hw.float32)


def test_a_zero_made_of_bits_keeps_the_sign_of_a_product(device: hw.Device) -> None:
    """Mesa sees that the factor is 0 and made 0.0 of the product."""
    a = np.array([-2.0, 3.0, -0.0, np.nan], np.float32)
    out, _ = launch(times_hidden_zero.forall(4), device, a.copy(), np.arange(4, dtype=np.uint32))
    assert_same(out, a * np.float32(0.0))


@hw.kernel(contract=False)
def three_maxima(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = max(max(out[i], -a[i]), min(b[i], i))


def test_a_maximum_of_three_keeps_the_sign_of_a_negation(device: hw.Device) -> None:
    """The assemblers of CUDA 13.0 to 13.3 lost it, which is why such a compiler is refused."""
    a = np.array([5, -7, 100, -2_000_000_000, 1], np.int32)
    b = np.array([-3, 2, 9, 4, -8], np.int32)
    old = np.array([-9, 3, -200, 8, 0], np.int32)
    out, *_ = launch(three_maxima.forall(5), device, old, a, b)
    assert_same(out, np.maximum(np.maximum(old, -a), np.minimum(b, np.arange(5, dtype=np.int32))))
