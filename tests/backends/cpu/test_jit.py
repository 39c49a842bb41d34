"""From LLVM IR text to code that runs."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest

from headwater.backends.cpu import jit
from headwater.backends.cpu.target import Target, natural_lanes
from headwater.errors import DeviceError, InternalError

ADD = "define i64 @add(i64 %a) nounwind {{\n  %b = add i64 %a, {}\n  ret i64 %b\n}}"


def adder(number: int) -> tuple[jit.Code, Callable[[int], int]]:
    code = jit.Code(jit.compile_text(ADD.format(number), jit.host()), ("add",))
    return code, ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(code.addresses["add"])


def test_text_becomes_code() -> None:
    code, add = adder(5)
    assert add(37) == 42
    del code


def test_the_same_name_in_several_programs() -> None:
    loaded = [adder(n) for n in range(20)]
    assert [add(100) for _, add in loaded] == [100 + n for n in range(20)]


def test_an_object_is_loaded_without_text(monkeypatch: pytest.MonkeyPatch) -> None:
    image = jit.compile_text(ADD.format(1), jit.host())
    import llvmlite.binding as llvm

    def never(*arguments: object) -> None:
        raise AssertionError("text was parsed")

    monkeypatch.setattr(llvm, "parse_assembly", never)
    code = jit.Code(image, ("add",))
    assert code.addresses["add"] != 0


def test_compiling_twice_gives_the_same_bytes() -> None:
    assert jit.compile_text(ADD.format(1), jit.host()) == jit.compile_text(
        ADD.format(1), jit.host()
    )


def test_constants_and_functions_of_the_c_library_are_found() -> None:
    text = """
    @table = private unnamed_addr constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0]
    declare float @fmaf(float, float, float)
    declare float @llvm.pow.f32(float, float)
    declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)

    define float @run(ptr %to, i64 %count, i64 %k) nounwind {
      call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %count, i1 false)
      call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr @table, i64 16, i1 false)
      %second = getelementptr float, ptr %to, i64 1
      call void @llvm.memmove.p0.p0.i64(ptr %second, ptr %to, i64 %count, i1 false)
      %at = getelementptr float, ptr @table, i64 %k
      %x = load float, ptr %at
      %y = call float @fmaf(float %x, float %x, float 1.0)
      %z = call float @llvm.pow.f32(float %y, float %x)
      ret float %z
    }
    """
    code = jit.Code(jit.compile_text(text, jit.host()), ("run",))
    types = (ctypes.c_float, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    run = ctypes.CFUNCTYPE(*types)(code.addresses["run"])
    out = np.ones(16, np.float32)
    assert run(out.ctypes.data, 40, 2) == 1000.0
    np.testing.assert_array_equal(out[:6], [1, 1, 2, 3, 4, 0])
    np.testing.assert_array_equal(out[11:], 1)


def test_bad_text_is_an_internal_error() -> None:
    with pytest.raises(InternalError, match="LLVM rejects the generated text"):
        jit.compile_text("define void @kernel() { nonsense }", jit.host())
    unsound = """
    define i32 @f(i1 %c) {
      br i1 %c, label %a, label %b
    a:
      %x = add i32 1, 1
      br label %b
    b:
      ret i32 %x
    }
    """
    with pytest.raises(InternalError, match="LLVM rejects"):
        jit.compile_text(unsound, jit.host())


def test_missing_symbols_are_an_internal_error(capfd: pytest.CaptureFixture[str]) -> None:
    text = "declare void @headwater_is_nowhere()\ndefine void @f() {\n call void @headwater_is_nowhere()\n ret void\n}"
    with pytest.raises(InternalError, match="cannot be linked"):
        jit.Code(jit.compile_text(text, jit.host()), ("f",))
    assert "headwater_is_nowhere" in capfd.readouterr().err
    with pytest.raises(InternalError, match="cannot be linked"):
        jit.Code(jit.compile_text(ADD.format(1), jit.host()), ("other",))
    with pytest.raises(InternalError, match="cannot be linked"):
        jit.Code(b"no object file", ("f",))


def test_threads_compile_and_load_at_once() -> None:
    wrong: list[int] = []

    def work(base: int) -> None:
        for number in range(base, base + 10):
            code, add = adder(number)
            if add(1) != number + 1:
                wrong.append(number)
            del code

    threads = [threading.Thread(target=work, args=(100 * n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.skipif(sys.platform != "linux", reason="counts the mappings that Linux reports")
def test_code_is_unloaded_with_its_object() -> None:
    def executable_mappings() -> int:
        with open("/proc/self/maps") as maps:
            return sum("r-xp 00000000 00:00" in line for line in maps)

    gc.collect()
    before = executable_mappings()
    for number in range(50):
        adder(number)
    assert executable_mappings() < before + 10


def test_the_binding_is_imported_late() -> None:
    program = (
        "import sys; from headwater.backends import registry; "
        "print(registry.backends()['cpu'].devices()[0].name); "
        "assert 'llvmlite' not in sys.modules"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (result.stdout.strip(), result.stderr) == ("cpu", "")


def test_the_widest_vectors_of_a_processor() -> None:
    wide = "+avx2,+fma,+avx512f,+avx512vl,+avx512dq,+avx512bw"
    assert natural_lanes(wide) == 16
    assert natural_lanes(wide.replace("+avx512vl", "-avx512vl")) == 8
    assert natural_lanes("+avx2,-fma") == 4
    assert natural_lanes("+neon") == 4
    assert natural_lanes("") == 4


def test_lanes_of_a_target() -> None:
    host = jit.host()
    assert host.lanes == natural_lanes(host.features)
    assert host.vector_bits == 32 * host.lanes
    assert host.with_lanes(0) is host
    narrow = host.with_lanes(1)
    assert (narrow.lanes, narrow.vector_bits) == (1, host.vector_bits)
    assert isinstance(narrow, Target)
    with pytest.raises(DeviceError, match="no vectors of 3 lanes; use one of 1, 4, 8, 16"):
        host.with_lanes(3)
