"""Launches: sizes, arguments, aliases, and messages that name what is wrong."""

from __future__ import annotations

import dataclasses
import enum
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as hw
from headwater.errors import (
    CapabilityError,
    CompileError,
    HeadwaterError,
    InternalError,
    KernelError,
    LaunchError,
    MemoryUseError,
)
from headwater.runtime.launch import Launch


@hw.kernel
def saxpy(y, x, a):
    """Adds a multiple of x."""
    i = hw.grid(1)
    if i < x.shape[0]:
        y[i] = a * x[i] + y[i]


@hw.kernel
def mark(out):
    i = hw.grid(1)
    out[i] += 1


@hw.kernel
def mark2(out):
    x, y = hw.grid(2)
    out[y, x] += 1


@hw.kernel
def mark3(out):
    x, y, z = hw.grid(3)
    out[z, y, x] += 1


@hw.kernel
def shape_of_launch(out):
    if hw.grid(1) == 0:
        out[0] = hw.blockDim.x
        out[1] = hw.gridDim.x
        out[2] = hw.blockDim.y
        out[3] = hw.gridDim.y


@hw.kernel
def nothing():
    hw.grid(1)


@hw.kernel
def store(out, value):
    out[0] = value


def test_saxpy(device: hw.Device) -> None:
    x = np.arange(1000, dtype=np.float32)
    y = device.array(np.ones(1000, np.float32))
    saxpy.forall(1000)(y, device.array(x), 2.0)
    np.testing.assert_array_equal(y.numpy(), 2 * x + 1)


def test_explicit_configuration(device: hw.Device) -> None:
    out = device.zeros(4, hw.int32)
    shape_of_launch[(3, 2), (8, 4)](out)
    assert out.numpy().tolist() == [8, 3, 4, 2]
    shape_of_launch[np.int64(5), [16]](out)
    assert out.numpy().tolist() == [16, 5, 1, 1]


def test_over_runs_exactly_the_shape(device: hw.Device) -> None:
    out = device.zeros(100, hw.int32)
    mark.over(37, block=16)(out)
    assert out.numpy().tolist() == [1] * 37 + [0] * 63
    plane = device.zeros((7, 50), hw.int32)
    mark2.over((45, 5))(plane)
    expected = np.zeros((7, 50), int)
    expected[:5, :45] = 1
    np.testing.assert_array_equal(plane.numpy(), expected)
    solid = device.zeros((3, 5, 40), hw.int32)
    mark3.over((33, 4, 2), block=(8, 2, 2))(solid)
    expected = np.zeros((3, 5, 40), int)
    expected[:2, :4, :33] = 1
    np.testing.assert_array_equal(solid.numpy(), expected)


def test_over_a_count_on_the_device(device: hw.Device) -> None:
    out = device.zeros(100, hw.int32)
    count = device.array(np.array([37], np.int32))
    launch = mark.over(count, capacity=100)
    launch(out)
    count.fill(60)
    launch(out)
    count.fill(0)
    launch(out)
    assert out.numpy().tolist() == [2] * 37 + [1] * 23 + [0] * 40
    count.fill(1000)
    launch(out)
    assert out.numpy().tolist() == [3] * 37 + [2] * 23 + [1] * 40
    mark.over(count, capacity=5)(out)  # threads of the last block beyond the capacity do not run
    assert out.numpy()[:7].tolist() == [4] * 5 + [3] * 2


def test_zero_sizes_run_nothing(device: hw.Device) -> None:
    out = device.zeros(1, hw.int32)
    empty = device.zeros(0)
    mark[0, 32](out)
    mark[(4, 0), 32](out)
    mark.forall(0)(out)
    mark.over(0)(out)
    mark2.over((3, 0))(device.zeros((1, 1), hw.int32))
    mark.over(device.zeros(1, hw.int32), capacity=0)(out)
    saxpy.forall(0)(empty, empty, 1.0)
    assert out.numpy().tolist() == [0]
    out.free()
    with pytest.raises(MemoryUseError):
        mark.forall(0)(out)


def test_names_and_defaults_of_arguments(device: hw.Device) -> None:
    y, x = device.full(4, 1), device.full(4, 3)
    saxpy.forall(4)(a=2, y=y, x=x)
    saxpy.forall(4)(y, x, a=np.float32(1))
    assert y.numpy().tolist() == [10] * 4


def test_kernel_without_arrays_runs_on_the_default_device(
    device: hw.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = device.name.split(",")[0]
    monkeypatch.setenv("HEADWATER_DEVICE", name)
    nothing[2, 4]()
    monkeypatch.setenv("HEADWATER_DEVICE", "abacus")
    with pytest.raises(hw.errors.DeviceError, match="abacus"):
        nothing[2, 4]()


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        (hw.float32, 3, 3.0),
        (hw.float32, 1e300, np.inf),
        (hw.float32, -1e300, -np.inf),
        (hw.float32, float("nan"), np.nan),
        (hw.float64, 1e300, 1e300),
        (hw.float64, True, 1.0),
        (hw.int32, -(2**31), -(2**31)),
        (hw.int64, 2**62 + 1, 2**62 + 1),
        (hw.uint32, 2**32 - 1, 2**32 - 1),
        (hw.boolean, True, True),
        (hw.boolean, np.bool_(True), True),
        (hw.float64, np.float32(0.1), float(np.float32(0.1))),
        (hw.int64, np.uint32(2**32 - 1), 2**32 - 1),
    ],
)
def test_scalars(device: hw.Device, dtype: Any, value: Any, expected: Any) -> None:
    out = device.zeros(1, dtype)
    store[1, 1](out, value)
    np.testing.assert_equal(out.numpy()[0], expected)


@pytest.mark.parametrize(
    ("dtype", "value"),
    [(hw.int32, 2**31), (hw.int32, -(2**31) - 1), (hw.uint32, -1), (hw.int64, 2**63)],
)
def test_weak_integers_out_of_range(device: hw.Device, dtype: Any, value: int) -> None:
    with pytest.raises(LaunchError, match=f"'value' is {value}, which does not fit {dtype}"):
        store[1, 1](device.zeros(1, dtype), value)


def test_the_hint_for_a_misfit_names_a_type_that_holds_it(oracle: hw.Device) -> None:
    for value, hint in (
        (2**31, r"np\.int64\(value\)"),
        (2**63, r"np\.uint64"),
        (2**64, "no integer type holds it"),
    ):
        with pytest.raises(LaunchError, match=rf"(?s)does not fit int32\n.*{hint}"):
            store[1, 1](oracle.zeros(1, hw.int32), value)


def test_an_integer_too_large_for_any_float(device: hw.Device) -> None:
    with pytest.raises(LaunchError, match="does not fit float64"):
        store[1, 1](device.zeros(1, hw.float64), 10**400)


def test_int_enum_is_an_int(device: hw.Device) -> None:
    class Color(enum.IntEnum):
        RED = 5

    out = device.zeros(1, hw.int32)
    store[1, 1](out, Color.RED)
    assert out.numpy()[0] == 5


# --- bundles --------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Inner:
    scale: float
    bias: np.float32


@dataclasses.dataclass(frozen=True)
class Fields:
    x: hw.Array
    y: hw.Array
    inner: Inner


@dataclasses.dataclass
class Loose:
    x: hw.Array


class Bundle:
    def __init__(self, x: hw.Array, origin: hw.Vec3) -> None:
        self.x, self.origin = x, origin

    def __kernel_argument__(self) -> dict[str, object]:
        return {"x": self.x, "origin": self.origin}


@hw.kernel
def use_fields(p, n):
    i = hw.grid(1)
    if i < n:
        p.y[i] = p.inner.scale * p.x[i] + p.inner.bias


@hw.kernel
def use_bundle(b, out):
    i = hw.grid(1)
    if i < len(out):
        out[i] = b.x[i] + b.origin.y


def test_frozen_dataclasses(device: hw.Device) -> None:
    x, y = device.full(5, 2), device.zeros(5)
    use_fields.forall(5)(Fields(x, y, Inner(3.0, np.float32(1))), 5)
    assert y.numpy().tolist() == [7] * 5


def test_bundles_and_host_vectors(device: hw.Device) -> None:
    out = device.zeros(5)
    for origin in (hw.vec3f(1, 2, 3), hw.Vec3(1, 2, 3), hw.Vec3(1, 2.0, 3)):
        use_bundle.forall(5)(Bundle(device.full(5, 2), origin), out)
        assert out.numpy().tolist() == [4] * 5


def test_refused_arguments_are_named(oracle: hw.Device) -> None:
    out, x = oracle.zeros(4), oracle.zeros(4)
    bad: dict[str, Any] = {
        r"(?s)'value' is a 'ndarray'.*device\.array": np.zeros(3),
        "'value' is a 'list'": [1],
        r"'value\.1' is a 'list'": (1, [2]),
        r"(?s)'value' is a 'str', which must be known when compiling.*hw\.constexpr": "text",
        r"(?s)'value' is a 'ScalarType'.*hw\.constexpr": hw.float32,
        r"(?s)'value' is a 'Intrinsic'.*hw\.constexpr": hw.sqrt,
        r"(?s)'value' is a 'NoneType'.*pass bool, int": None,
        r"(?s)'value' is a 'complex64'.*float32": np.complex64(1),
        r"'value' is a 'Loose', a dataclass that is not frozen(?s:.)*frozen=True": Loose(x),
        r"'value\.inner' is a 'list'": Fields(x, x, [1]),  # type: ignore[arg-type]
        r"'value\.inner\.bias' is a 'str'": Fields(x, x, Inner(1.0, "b")),  # type: ignore[arg-type]
        r"'value\.origin' is a Vec3 of \(float32, weak int, weak int\)": Bundle(
            x, hw.Vec3(np.float32(1), 2, 3)
        ),
    }
    for message, value in bad.items():
        for _ in range(2):  # the second time comes from what the first one learned
            with pytest.raises(LaunchError, match=message) as caught:
                store[1, 1](out, value)
            assert str(caught.value).startswith("kernel 'store': ")


# --- errors of the configuration ------------------------------------------------------------------


def launch_errors(out: hw.Array) -> dict[str, Callable[[], Any]]:
    most = 2**31 - 2**16
    return {
        r"(?s)without a launch configuration.*forall": lambda: mark(out),
        r"takes \(y, x, a\), and 2 were given": lambda: saxpy.forall(4)(out, out),
        "unexpected keyword argument 'b'": lambda: saxpy.forall(4)(out, out, 1, b=1),
        "too many positional": lambda: mark.forall(4)(out, out),
        "multiple values": lambda: mark.forall(4)(out, out=out),
        "blocks is negative": lambda: mark[-1, 32],
        "threads is negative": lambda: mark[1, -32],
        "has no threads": lambda: mark[1, 0],
        "blocks takes an int": lambda: mark[1.5, 32],
        r"\[blocks, threads\] was expected": lambda: mark[32],
        r"\[blocks, threads\] was expected\n": lambda: mark[1, 32, None, 0, 0],
        "streams are not there yet: 3 was given": lambda: mark[1, 32, 3],
        "streams are not there yet: False": lambda: mark[1, 32, False],
        "shared_bytes is a number of bytes, not -4": lambda: mark[1, 32, None, -4],
        r"shared_bytes is a number of bytes, not 1\.5": lambda: mark[1, 32, 0, 1.5],
        r"1,073,741,824 bytes of shared memory a block were asked for": lambda: mark[
            1, 32, 0, 2**30
        ](out),
        r"the number of threads of forall\(...\) is negative: -1": lambda: mark.forall(-1),
        "forall takes one number": lambda: mark.forall((2, 2)),
        r"the shape of over\(...\) is negative: -1": lambda: mark.over(-1),
        r"the shape of over\(...\) is negative: \(4, -4\)": lambda: mark.over((4, -4)),
        "does not fit an index space of 1 axis": lambda: mark.over(4, block=(8, 8)),
        "does not fit an index space of 2 axes": lambda: mark.over((4, 4), block=(8, 8, 2)),
        "index space of 1 axis: indices": lambda: mark.over(out, capacity=4, block=(1, 2)),
        "over takes an int or a tuple of up to three": lambda: mark.over((1, 1, 1, 1)),
        "block of .* has no threads": lambda: mark.over(4, block=0),
        f"forall of {most + 1:,} threads is too many": lambda: mark.forall(most + 1),
        "are too many: at most": lambda: mark[2**27, 32],
        "a block of .* has 1048576 threads": lambda: mark[1, (1024, 1024)](out),
        "needs a capacity": lambda: mark.over(out),
        "capacity is negative": lambda: mark.over(out, capacity=-1),
        "a capacity belongs to a count": lambda: mark.over(4, capacity=4),
        "a count is an int32 array": lambda: mark.over(out.device.zeros(2), capacity=4),
        "writes the array that counts its threads": lambda: mark.over(out, capacity=4)(out),
    }


def test_configuration_errors(device: hw.Device) -> None:
    for message, call in launch_errors(device.zeros(1, hw.int32)).items():
        with pytest.raises(LaunchError, match=message):
            call()


def test_foreign_arrays_name_both_devices(device: hw.Device) -> None:
    other = hw.device("reference", backwards=1)
    x, y = device.zeros(4), other.zeros(4)
    with pytest.raises(LaunchError, match=r"'y' is on the device .*, but 'x' is on") as caught:
        saxpy.forall(4)(y, x, 1.0)
    assert f"'{device.name}'" in str(caught.value)
    assert "'reference, backwards=1'" in str(caught.value)
    with pytest.raises(LaunchError, match="'count' is on"):
        mark.over(other.zeros(1, hw.int32), capacity=4)(device.zeros(4, hw.int32))


def test_freed_arrays(device: hw.Device) -> None:
    x, y = device.zeros(4), device.zeros(4)
    saxpy.forall(4)(y, x, 1.0)
    x.free()
    with pytest.raises(MemoryUseError, match="after it was freed"):
        saxpy.forall(4)(y, x, 1.0)


def test_only_functions_become_kernels() -> None:
    with pytest.raises(HeadwaterError, match="not a plain function"):
        hw.kernel(3)  # type: ignore[call-overload]
    with pytest.raises(HeadwaterError, match="not a plain function"):
        hw.kernel(saxpy)
    with pytest.raises(HeadwaterError, match=r"'open_ended' takes '\*' arguments"):

        @hw.kernel
        def open_ended(*arrays):
            pass

    for options in ({"foo": 1}, {"lanes": True}, {"contract": True, "lanes": 4}):
        with pytest.raises(HeadwaterError, match=r"no option '\w+'\n.*it has 'contract'"):
            hw.kernel(**options)
    for value in ("x", 1, None):
        with pytest.raises(HeadwaterError, match=f"'contract' is True or False, not {value!r}"):
            hw.kernel(contract=value)  # type: ignore[call-overload]


def test_the_kernel_looks_like_its_function() -> None:
    assert saxpy.__name__ == "saxpy"
    assert saxpy.__doc__ == "Adds a multiple of x."
    assert repr(saxpy) == "<kernel 'saxpy(y, x, a)'>"
    assert hw.kernel(contract=False)(saxpy.function).options.contract is False
    assert hw.kernel(debug=True)(saxpy.function).options.debug is True


def test_launches_say_how_they_are_configured(oracle: hw.Device) -> None:
    count = oracle.zeros(1, hw.int32)
    assert repr(mark.over(10)) == "<mark over (10,)>"
    assert repr(mark2.over((4, 5), block=8)) == "<mark2 over (4, 5), block (8, 1, 1)>"
    assert repr(mark.over(count, capacity=30)) == "<mark over a count of up to 30>"
    assert repr(mark.forall(7)) == "<mark forall (7,)>"
    assert repr(mark[2, 32]) == "<mark [(2, 1, 1), (32, 1, 1)]>"


def test_grid_takes_the_axes_of_over(device: hw.Device) -> None:
    plane = device.zeros((8, 64), hw.int32)
    with pytest.raises(CompileError, match=r"'grid\(2\)' does not fit"):
        mark2.over(64)(plane)
    with pytest.raises(CompileError, match=r"'grid\(2\)' does not fit"):
        mark2.over(device.full(1, 4, hw.int32), capacity=64)(plane)
    with pytest.raises(CompileError, match=r"'grid\(1\)' does not fit"):
        mark.over((4, 2))(device.zeros(8, hw.int32))
    assert not plane.numpy().any()


def test_forall_has_one_axis(device: hw.Device) -> None:
    plane = device.zeros((8, 64), hw.int32)
    with pytest.raises(CompileError, match=r"'grid\(2\)' does not fit .* the n of forall\(n\)"):
        mark2.forall(64)(plane)
    mark2[1, 64](plane)  # by blocks every axis is there
    assert plane.numpy().sum() == 64
    assert "kernel mark2 block=(8, 4, 1)" in mark2.ir(plane, block=(8, 4))


@hw.kernel
def broken(out):
    out[0] = unknown  # noqa: F821


def frames(error: BaseException) -> list[str]:
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


def test_tracebacks_end_at_the_launch(oracle: hw.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    out = oracle.zeros(1, hw.int32)
    freed = oracle.zeros(1, hw.int32)
    freed.free()
    uses: list[tuple[type[HeadwaterError], Callable[[], object], str]] = [
        (CompileError, lambda: broken[1, 1](out), "__call__"),
        (CompileError, lambda: broken[1, 1].compile(out), "compile"),
        (CompileError, lambda: broken[1, 1].ir(out), "ir"),
        (CompileError, lambda: broken[1, 1].source(out), "source"),
        (LaunchError, lambda: store[1, 1](out, [1]), "__call__"),
        (MemoryUseError, lambda: mark[1, 1](freed), "__call__"),
        (KernelError, lambda: mark[2, 1](out), "__call__"),
    ]
    for kind, use, last in uses:
        with pytest.raises(kind) as caught:
            use()
        assert frames(caught.value)[1:] == ["<lambda>", last]
        assert caught.value.__cause__ is None

    def defective(*_: object) -> None:
        raise InternalError("a defect")

    monkeypatch.setattr(Launch, "_new_plan", defective)
    with pytest.raises(InternalError) as found:
        hw.kernel(mark.function)[1, 1](out)
    assert frames(found.value)[-1] == "defective"


# --- what is part of a program's key --------------------------------------------------------------


def test_arrays_that_share_memory(device: hw.Device) -> None:
    x = device.full(100, 3)
    saxpy.forall(100)(x, x, 2.0)  # aliased first, then not, then aliased again
    y = device.full(100, 1)
    saxpy.forall(100)(y, x, 1.0)
    saxpy.forall(100)(y, y, 1.0)
    assert x.numpy().tolist() == [9] * 100
    assert y.numpy().tolist() == [20] * 100


def test_texts(device: hw.Device) -> None:
    x = device.zeros(4)
    text = saxpy.ir(x, device.zeros(4), 1.0, block=64)
    assert text.startswith("kernel saxpy block=(64, 1, 1)")
    assert "param a: float32" in text
    assert saxpy[1, 64].ir(x, device.zeros(4), 1.0) == text
    assert len(saxpy.source(x, x, 1.0)) > 100
    saxpy.specialize(x, x, 1.0)


def test_capabilities_are_enforced(oracle: hw.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    @hw.kernel
    def wide(out, value):
        out[0] = hw.float32(hw.float64(value) * 2.0)

    @hw.kernel
    def big(out):
        tile = hw.shared.array(1024, hw.float32)
        tile[hw.threadIdx.x] = 1.0
        hw.syncthreads()
        out[0] = tile[0]

    weak = dataclasses.replace(oracle.capabilities, float64=False, max_shared_bytes=1024)
    monkeypatch.setattr(oracle.driver, "capabilities", weak)
    out = oracle.zeros(1)
    with pytest.raises(
        CapabilityError, match="'wide': the device 'reference' has no float64"
    ) as caught:
        wide[1, 1](out, np.float32(1))
    assert caught.value.span is not None
    with pytest.raises(CapabilityError, match="need 4,096 bytes a block"):
        big[1, 32](out)
    with pytest.raises(CapabilityError, match="no float64"):
        hw.kernel(store.function)[1, 1](oracle.zeros(1, hw.float64), 1.0)


# --- where errors point ---------------------------------------------------------------------------


def test_launch_errors_point_at_the_launch(oracle: hw.Device, tmp_path: Path) -> None:
    path = tmp_path / "user.py"
    text = "größe = 3; store[1, 1](out, [größe])\n"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LaunchError) as caught:
        exec(compile(text, str(path), "exec"), {"store": store, "out": oracle.zeros(1)})
    lines = str(caught.value).split("\n")
    assert lines[1] == f"  --> {path}:1:12"
    assert lines[3:5] == [f" 1 | {text.rstrip()}", f"   | {' ' * 11}{'^' * 25}"]


def test_a_launch_without_a_text_is_named_by_its_line(oracle: hw.Device) -> None:
    with pytest.raises(LaunchError) as caught:
        exec("\n\nstore[1, 1](out, [1])", {"store": store, "out": oracle.zeros(1)})
    assert "  --> <string>:3:1\n" in str(caught.value)


def test_errors_of_the_library_point_at_the_users_call(oracle: hw.Device) -> None:
    """A launch inside of Headwater is not what the user wrote."""
    values = oracle.zeros(4, hw.int32)
    workspace = hw.primitives.Workspace(oracle)
    hw.primitives.reduce("sum", values, workspace=workspace)
    for array in workspace._scratch.values():
        array.free()
    values.free()
    with pytest.raises(MemoryUseError) as caught:
        hw.primitives.reduce("sum", values, workspace=workspace)
    assert caught.value.span is not None
    assert caught.value.span.file == __file__


def test_a_third_number_is_the_default_stream(oracle: hw.Device) -> None:
    """As `numba.cuda` writes it; the bytes of shared memory come behind it."""

    @hw.kernel
    def fill(a):
        a[hw.grid(1)] = 1

    for stream in (0, None):
        a = oracle.zeros(4)
        fill[1, 4, stream](a)
        assert a.numpy().tolist() == [1, 1, 1, 1]
    with pytest.raises(LaunchError, match="streams are not there yet: 3 was given"):
        fill[1, 4, 3](a)
    with pytest.raises(LaunchError, match=r"takes \(a\), and no 'b'"):
        fill[1, 4](b=a)
