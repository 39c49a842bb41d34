"""What a kernel takes of arrays of structs."""

from __future__ import annotations

from tests.frontend.build import VEC3F, array, build

from headwater import ir
from headwater.types import FLOAT16, FLOAT32, INT32, ArrayType, RecordArrayType

INNER = RecordArrayType("Inner", 1, (("a", array(INT32)), ("half", ArrayType(FLOAT16, 1))))
PARTICLES = RecordArrayType(
    "Particle", 1, (("x", array(VEC3F)), ("m", array(FLOAT32)), ("inner", INNER))
)


def paths(kernel: ir.Kernel) -> list[str]:
    return [".".join(p.path) for p in kernel.parameters if isinstance(p, ir.ArrayParameter)]


def loads(kernel: ir.Kernel) -> int:
    return sum(isinstance(node, ir.Load) for node in ir.walk(kernel.body))


def test_only_fields_that_are_used_are_parameters() -> None:
    def kernel(out, p):
        one = p[3]
        out[0] = one.m + p[4].inner.a

    lowered = build(kernel, array(), PARTICLES)
    assert paths(lowered) == ["out", "p.m", "p.inner.a"]
    assert loads(lowered) == 2


def test_a_half_that_is_not_used_goes_with_its_cast() -> None:
    def kernel(out, p):
        one = p[3]
        out[0] = one.x.y

    lowered = build(kernel, array(), PARTICLES)
    assert paths(lowered) == ["out", "p.x"]
    assert loads(lowered) == 1
    assert not [n for n in ir.walk(lowered.body) if isinstance(n, ir.Compute)]


def test_a_struct_that_varies_keeps_its_fields() -> None:
    def kernel(out, p, n):
        best = p[0]
        for k in range(n):
            if p[k].m > best.m:
                best = p[k]
        out[0] = best.m

    lowered = build(kernel, array(), PARTICLES, INT32)
    assert sorted(paths(lowered)) == ["out", "p.inner.a", "p.inner.half", "p.m", "p.x"]


def test_an_array_that_is_written_stays() -> None:
    def kernel(p):
        one = p[0]
        p[1].m = 2.0
        p[2] = one

    lowered = build(kernel, PARTICLES)
    assert sorted(paths(lowered)) == ["p.inner.a", "p.inner.half", "p.m", "p.x"]


def test_the_length_of_an_array_of_structs_is_that_of_a_field_that_is_used() -> None:
    def kernel(out, p):
        out[0] = p[0].m
        if len(p) > 2:
            out[1] = p.shape[0]

    assert paths(build(kernel, array(), PARTICLES)) == ["out", "p.m"]
