"""What may be passed to a kernel: weak and strong scalars of all types, vectors, tuples, constants."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import headwater as hw
from headwater.errors import CompileError, LaunchError

INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
VECTORS = [f"vec{size}{kind}" for size in (2, 3, 4) for kind in "fdiu"]


@hw.kernel
def store(out, value):
    out[0] = value


@hw.kernel
def store2(out, v):
    out[0] = v
    out[1].y = v.x


@pytest.mark.parametrize("dtype", INTEGERS)
def test_weak_integers_fit_their_type_or_are_refused(device: hw.Device, dtype: str) -> None:
    kind = getattr(hw, dtype)
    out = device.zeros(1, kind)
    low, high = kind.limits
    for value in (low, high, 1):
        store[1, 1](out, value)
        assert out.numpy()[0] == value
    for value in (low - 1, high + 1):
        with pytest.raises(LaunchError, match=f"'value' is {value}, which does not fit {dtype}"):
            store[1, 1](out, value)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_strong_integers(device: hw.Device, dtype: str) -> None:
    kind = getattr(hw, dtype)
    out = device.zeros(1, kind)
    for value in kind.limits:
        store[1, 1](out, kind(value))
        assert out.numpy()[0] == value


def test_a_half_is_passed_as_a_float32(device: hw.Device) -> None:
    out = device.zeros(1)
    store[1, 1](out, np.float16(0.1))
    assert out.numpy()[0] == np.float32(np.float16(0.1))
    assert "param value: float32" in store.ir(out, np.float16(1))
    half = device.zeros(1, hw.float16)
    store[1, 1](half, 0.1)
    assert half.numpy()[0] == np.float16(0.1)
    store[1, 1](half, 1e6)
    assert half.numpy()[0] == np.inf


def test_the_hint_names_the_narrowest_type_that_helps(oracle: hw.Device) -> None:
    for value, hint in ((300, "int32"), (2**40, "int64"), (2**63, "uint64")):
        with pytest.raises(LaunchError, match=rf"(?s)fit uint8.*np\.{hint}\(value\)"):
            store[1, 1](oracle.zeros(1, hw.uint8), value)


# --- vectors --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", VECTORS)
def test_host_vectors_weak_and_strong(device: hw.Device, dtype: str) -> None:
    kind = getattr(hw, dtype)
    numbers = [3, 5, 7, 9][: kind.size]
    maker = {2: hw.Vec2, 3: hw.Vec3, 4: hw.Vec4}[kind.size]
    for value in (kind(*numbers), maker(*numbers), getattr(hw, f"vec{kind.size}")(*numbers)):
        out = device.zeros(2, kind)
        store2[1, 1](out, value)
        assert out.numpy().tolist() == [numbers, [0, 3, 0, 0][: kind.size]]


def test_components_of_a_host_vector_have_one_type(oracle: hw.Device) -> None:
    out = oracle.zeros(2, hw.vec2f)
    bad = {
        r"'v' is a Vec2 of \(float32, int32\); 2 scalars": hw.Vec2(np.float32(1), np.int32(1)),
        r"(?s)'v' is a Vec4 of \(weak int, weak int, weak int, float32\).*hw\.vec4f": hw.Vec4(
            1, 2, 3, np.float32(4)
        ),
        r"'v\.y' is a 'str'": hw.Vec2(1, "2"),
    }
    for message, value in bad.items():
        with pytest.raises(LaunchError, match=message):
            store2[1, 1](out, value)
    for wrong in ((1, 2), (1, 2, 3, 4)):
        with pytest.raises(hw.errors.HeadwaterError, match=f"of 3 .* not of {len(wrong)}"):
            hw.vec3f(*wrong)


# --- tuples ---------------------------------------------------------------------------------------


class Pair(NamedTuple):
    scale: float
    x: hw.Array


@hw.kernel
def use_tuple(out, t):
    i = hw.grid(1)
    scale, x = t
    out[i] = scale * x[i] + len(t)


@hw.kernel
def use_nested(out, t):
    i = hw.grid(1)
    out[i] = t[0][0][i] + t[0][1] * t[1].y


def test_tuples(device: hw.Device) -> None:
    out, x = device.zeros(4), device.array(np.arange(4, dtype=np.float32))
    use_tuple.over(4)(out, (2.0, x))
    assert out.numpy().tolist() == [2, 4, 6, 8]
    use_tuple.over(4)(out, Pair(np.float32(3), x))
    assert out.numpy().tolist() == [2, 5, 8, 11]
    use_nested.over(4)(out, ((x, 10), hw.vec3f(1, 2, 3)))
    assert out.numpy().tolist() == [20, 21, 22, 23]
    with pytest.raises(LaunchError, match=r"'t\.0\.1' is a 'list'"):
        use_nested.over(4)(out, ((x, [1]), hw.vec3f(1, 2, 3)))


@hw.kernel
def use_named(out, pair):
    i = hw.grid(1)
    out[i] = pair.scale * pair.x[i]


def test_named_tuples_that_share_memory_keep_their_names(device: hw.Device) -> None:
    x = device.array(np.arange(4, dtype=np.float32))
    use_named.over(4)(x, Pair(2.0, x))
    assert x.numpy().tolist() == [0, 2, 4, 6]


def test_tuples_that_share_memory(device: hw.Device) -> None:
    x = device.array(np.arange(4, dtype=np.float32))
    use_tuple.over(4)(x, (2.0, x))
    assert x.numpy().tolist() == [2, 4, 6, 8]


# --- compile-time parameters ----------------------------------------------------------------------


@hw.function
def double(x):
    return x * 2


@hw.function
def triple(x):
    return x * 3


@hw.kernel
def constant(out, n: hw.constexpr, kind: hw.constexpr, apply: hw.constexpr = double):
    total = kind(0)
    for k in hw.static_range(n):
        total += kind(apply(k + 1))
    out[0] = total


@hw.kernel
def choose(out, mode: hw.constexpr):
    if mode == "one":
        out[0] = 1
    elif mode == "two":
        out[0] = 2
    else:
        out[0] = not_defined_anywhere  # noqa: F821


@hw.kernel
def sized(out, shape: hw.constexpr):
    tile = hw.shared.array(shape, hw.float32)
    for y in range(shape[0]):
        for x in range(shape[1]):
            tile[y, x] = y * 10 + x
    out[0] = tile[shape[0] - 1, shape[1] - 1]


def test_constants(device: hw.Device) -> None:
    out = device.zeros(1)
    constant[1, 1](out, 3, hw.float32)
    assert out.numpy()[0] == 12
    constant[1, 1](out, 4, hw.int32, triple)
    assert out.numpy()[0] == 30
    constant[1, 1](out, apply=triple, n=1, kind=hw.float32)
    assert out.numpy()[0] == 3
    choose[1, 1](out, "one")
    assert out.numpy()[0] == 1
    choose[1, 1](out, "two")
    assert out.numpy()[0] == 2
    with pytest.raises(CompileError, match="'not_defined_anywhere' is not known"):
        choose[1, 1](out, "three")
    sized[1, 1](out, (2, 3))
    assert out.numpy()[0] == 12


def test_constants_are_part_of_the_key(oracle: hw.Device) -> None:
    @hw.kernel
    def show(out, value: hw.constexpr):
        out[0] = value

    out = oracle.zeros(1, hw.float64)
    values: list[Any] = [1, 2, True, 1.0, 0.0, -0.0, np.float32(1), np.float64(1)]
    for value in values:
        show[1, 1](out, value)
        assert out.numpy().tobytes() == np.float64(value).tobytes()
    launch = show[1, 1]
    assert len(launch._entries) == len(values)
    show[1, 1](out, float("nan"))
    show[1, 1](out, float("nan"))
    assert len(launch._entries) == len(values) + 1


def test_an_enumeration_is_its_value(oracle: hw.Device) -> None:
    class Mode(enum.IntEnum):
        FAST = 3

    class Name(enum.StrEnum):
        ONE = "one"

    out = oracle.zeros(1)
    constant[1, 1](out, Mode.FAST, hw.float32)
    assert out.numpy()[0] == 12
    choose[1, 1](out, Name.ONE)
    assert out.numpy()[0] == 1


def test_what_cannot_be_a_constant_is_refused(oracle: hw.Device) -> None:
    out = oracle.zeros(1)
    bad: dict[str, Any] = {
        r"(?s)'mode' is a 'list'.*a number, a bool, a text": [1],
        r"'mode' is a 'ndarray'": np.zeros(2),
        r"'mode' is a 'Array', which is no value that is known": out,
        r"'mode\[1\]' is a 'dict'": (1, {}),
        r"(?s)'mode' is a plain Python function.*@hw\.function": double.python,
        r"(?s)'mode' is the NumPy type 'float32'.*pass hw\.float32": np.float32,
        r"'mode' is a 'complex128'": np.complex128(1),
    }
    for message, value in bad.items():
        for _ in range(2):
            with pytest.raises(LaunchError, match=message) as caught:
                choose[1, 1](out, value)
            assert str(caught.value).startswith("kernel 'choose': ")


def test_functions_of_one_name_are_different_constants(device: hw.Device) -> None:
    def times(factor: int) -> Any:
        @hw.function
        def scaled(x):
            return x * factor

        return scaled

    out = device.zeros(1)
    two, five = times(2), times(5)
    for function, expected in ((two, 12), (five, 30), (two, 12)):
        constant[1, 1](out, 3, hw.float32, function)
        assert out.numpy()[0] == expected


FACTOR = 2


@hw.function
def captured(x):
    return x * FACTOR


def test_what_a_constant_function_captures_is_frozen(
    oracle: hw.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = oracle.zeros(1)
    constant[1, 1](out, 2, hw.float32, captured)
    assert out.numpy()[0] == 6
    monkeypatch.setitem(globals(), "FACTOR", 7)
    with pytest.raises(LaunchError, match=r"captured 'FACTOR'.* was 2 when .* and is 7 now"):
        constant[1, 1](out, 3, hw.float32, captured)


# --- dynamic shared memory ------------------------------------------------------------------------


@hw.kernel
def reverse(out):
    tile = hw.shared.array(0, hw.float32)
    t = hw.threadIdx.x
    tile[t] = out[t]
    hw.syncthreads()
    out[t] = tile[len(tile) - 1 - t]


def test_dynamic_shared_memory(device: hw.Device) -> None:
    for n in (32, 48):
        out = device.array(np.arange(n, dtype=np.float32))
        reverse[1, n, None, n * 4](out)
        assert out.numpy().tolist() == list(range(n))[::-1]
    reverse[1, 48, 0, np.int64(192)](out)
    assert out.numpy().tolist() == list(range(48))
    assert repr(reverse[1, 48, 0, 192]).endswith("192 shared bytes]>")


@dataclass(frozen=True)
class Annotated:
    count: hw.int16
    scale: hw.float32
    shift: hw.vec3f = (1, 2, 3)
    small: np.uint8 = 3
    on: hw.boolean = True
    free: float = 0.5


@hw.kernel
def spread_fields(out, s):
    out[0] = s.count
    out[1] = s.scale
    out[2] = s.shift.x + s.shift.y * 10 + s.shift.z * 100
    out[3] = s.small * 100
    out[4] = s.free if s.on else 0.0
    out[5] = s.count * 10000


def test_fields_have_the_types_that_they_are_annotated_with(device: hw.Device) -> None:
    given = Annotated(7, 2**24 + 1)
    out = device.zeros(6)
    spread_fields[1, 1](out, given)
    assert out.numpy().tolist() == [7, 2**24, 321, 300 % 256, 0.5, np.int16(70000 - 65536)]
    given = Annotated(np.int64(-2), np.float64(0.1), hw.vec3(1.0, 0.0, 2.0), 0, False)
    spread_fields[1, 1](out, given)
    expected = [-2, np.float32(0.1), 201, 0, 0, -20000]
    assert out.numpy().tolist() == np.array(expected, np.float32).tolist()


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("count", 1.75, "takes int16, not 1.75"),
        ("count", 1 << 15, "takes int16, which 32768 does not fit"),
        ("small", -1, "takes uint8, which -1 does not fit"),
        ("shift", (1, 2), "takes vec3<float32>, not (1, 2)"),
        ("shift", 1.0, "takes vec3<float32>, not 1.0"),
        ("on", 1, "takes bool, not 1"),
        ("scale", (1.0,), "takes float32, not (1.0,)"),
    ],
)
def test_fields_that_do_not_hold_a_value(
    oracle: hw.Device, field: str, value: Any, words: str
) -> None:
    given = Annotated(**({"count": 1, "scale": 1.0} | {field: value}))
    with pytest.raises(LaunchError) as caught:
        spread_fields[1, 1](oracle.zeros(6), given)
    assert f"the field '{field}' of 'Annotated'" in caught.value.message
    assert words in caught.value.message


def test_captured_fields_have_their_types_too(device: hw.Device) -> None:
    held, wrong = Annotated(7, 2**24 + 1), Annotated(1.5, 0.0)  # type: ignore[arg-type]

    @hw.kernel
    def spread_captured(out):
        out[0] = held.count * 10000
        out[1] = held.scale
        s = held
        out[2] = s.small * 100

    @hw.kernel
    def capture_wrong(out):
        out[0] = wrong.count

    out = device.zeros(3)
    spread_captured[1, 1](out)
    assert out.numpy().tolist() == [70000 - 65536, 2**24, 300 % 256]
    with pytest.raises(
        CompileError, match=r"the field 'count' of 'Annotated' takes int16, not 1\.5"
    ):
        capture_wrong[1, 1](out)
