"""The verifier: what breaks a rule of the nodes is found, and the text form knows every node."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from headwater import ir
from headwater.errors import InternalError
from headwater.types import (
    BOOL,
    FLOAT16,
    FLOAT32,
    INT8,
    INT32,
    UINT32,
    ArrayType,
    ScalarType,
)


class Bench:
    """A kernel with one array of each kind."""

    def __init__(self) -> None:
        self.kernel = ir.Kernel("example", [], (32, 1, 1))
        self.build = ir.Builder(self.kernel.body)
        self.array = ir.ArrayParameter("a", ArrayType(INT32, 1), ("a",), written=True)
        self.kernel.parameters.append(self.array)
        self.tile = ir.SharedArray("tile", FLOAT32, (4,))
        self.own = ir.LocalArray("own", INT32, (2, 2))
        self.table = ir.ConstantArray("table", INT32, (3,), (1, 2, 3))
        self.kernel.shared.append(self.tile)
        self.kernel.locals.append(self.own)
        self.kernel.constants.append(self.table)

    def int(self, value: int = 0, kind: ScalarType = INT32) -> ir.Value:
        return self.build.constant(value, kind)

    def warp(self, operation: str, result: ScalarType | None, *arguments: ir.Value) -> None:
        made = None if result is None else ir.Value(result)
        self.build.append(ir.Warp(made, operation, arguments))


def store_to_a_constant(bench: Bench) -> None:
    bench.build.store(bench.table, (bench.int(),), bench.int())


def too_few_values(bench: Bench) -> None:
    bench.kernel.constants.append(ir.ConstantArray("short", INT32, (3,), (1, 2)))


def values_of_another_type(bench: Bench) -> None:
    bench.kernel.constants.append(ir.ConstantArray("mixed", INT32, (2,), (1, 2.0)))


def dynamic_array_too_large(bench: Bench) -> None:
    bench.kernel.dynamic_shared = 16
    bench.kernel.shared.append(ir.SharedArray("all", FLOAT32, (5,), dynamic=True))


def one_name_for_two(bench: Bench) -> None:
    bench.kernel.locals.append(ir.LocalArray("tile", INT32, (1,)))


def wrong_dimensions(bench: Bench) -> None:
    bench.build.load(bench.own, (bench.int(),))


def atomic_on_an_array_of_one_thread(bench: Bench) -> None:
    bench.build.atomic("add", bench.own, (bench.int(), bench.int()), bench.int())


def atomic_bits_of_a_float(bench: Bench) -> None:
    one = bench.build.constant(1.0, FLOAT32)
    bench.build.atomic("or", bench.tile, (bench.int(),), one)


def atomic_that_counts_signed(bench: Bench) -> None:
    bench.build.atomic("inc", bench.array, (bench.int(),), bench.int())


def swap_without_a_comparison(bench: Bench) -> None:
    bench.build.atomic("cas", bench.array, (bench.int(),), bench.int())


def addition_with_a_comparison(bench: Bench) -> None:
    bench.build.atomic("add", bench.array, (bench.int(),), bench.int(), compare=bench.int())


def vote_of_a_number(bench: Bench) -> None:
    bench.build.append(ir.BarrierVote(ir.Value(INT32), "count", bench.int()))


def vote_with_another_result(bench: Bench) -> None:
    predicate = bench.build.constant(True, BOOL)
    bench.build.append(ir.BarrierVote(ir.Value(BOOL), "count", predicate))


def unknown_vote(bench: Bench) -> None:
    predicate = bench.build.constant(True, BOOL)
    bench.build.append(ir.BarrierVote(ir.Value(BOOL), "most", predicate))


def shuffle_without_a_mask(bench: Bench) -> None:
    bench.warp("shuffle", INT32, bench.int(), bench.int())


def shuffle_of_another_type(bench: Bench) -> None:
    bench.warp("shuffle", FLOAT32, bench.int(), bench.int(), bench.int(1, UINT32))


def ballot_without_a_result(bench: Bench) -> None:
    bench.warp("ballot", None, bench.build.constant(True, BOOL), bench.int(1, UINT32))


def shuffle_of_a_strange_width(bench: Bench) -> None:
    arguments = (bench.int(), bench.int(), bench.int(1, UINT32))
    bench.build.append(ir.Warp(ir.Value(INT32), "shuffle", arguments, width=12))


def fence_of_an_unknown_scope(bench: Bench) -> None:
    bench.build.append(ir.Fence("galaxy"))


def assertion_of_a_number(bench: Bench) -> None:
    bench.build.append(ir.Assert(bench.int(), "text"))


def arithmetic_in_half_precision(bench: Bench) -> None:
    half = bench.build.cast(bench.int(), FLOAT16)
    bench.build.compute("add", half, half)


def bits_of_another_width(bench: Bench) -> None:
    bench.build.bitcast(bench.int(), INT8)


def value_from_a_branch(bench: Bench) -> None:
    with bench.build.when(bench.build.constant(True, BOOL)):
        inside = bench.int(3)
    bench.build.store(bench.array, (bench.int(),), inside)


BAD: list[tuple[Callable[[Bench], None], str]] = [
    (store_to_a_constant, "'table' is constant"),
    (too_few_values, "'short' holds 2 values, not 3"),
    (values_of_another_type, "'mixed' holds values that are no int32"),
    (dynamic_array_too_large, "'all' is larger than the dynamic shared memory"),
    (one_name_for_two, "have one name"),
    (wrong_dimensions, "'own' takes 2 indices"),
    (atomic_on_an_array_of_one_thread, "the array is local"),
    (atomic_bits_of_a_float, "'or' takes no float32"),
    (atomic_that_counts_signed, "'inc' takes no int32"),
    (swap_without_a_comparison, "'cas' and only 'cas' compares"),
    (addition_with_a_comparison, "'cas' and only 'cas' compares"),
    (vote_of_a_number, "the predicate must be a bool"),
    (vote_with_another_result, "the result must be int32"),
    (unknown_vote, "unknown vote 'most'"),
    (shuffle_without_a_mask, "'shuffle' does not take"),
    (shuffle_of_another_type, "the result must be int32"),
    (ballot_without_a_result, "a result is needed"),
    (shuffle_of_a_strange_width, "unknown width 12"),
    (fence_of_an_unknown_scope, "unknown scope 'galaxy'"),
    (assertion_of_a_number, "the condition must be a bool"),
    (arithmetic_in_half_precision, "float16 is a type of storage"),
    (bits_of_another_width, "two numbers of one width"),
    (value_from_a_branch, "a value is used where it is not defined"),
]


@pytest.mark.parametrize(("write", "text"), BAD, ids=[write.__name__ for write, _ in BAD])
def test_refused(write: Callable[[Bench], None], text: str) -> None:
    bench = Bench()
    write(bench)
    with pytest.raises(InternalError, match=text):
        ir.verify(bench.kernel)


def test_text_of_every_node(golden: Callable[[str, str], None]) -> None:
    bench = Bench()
    build = bench.build
    bench.kernel.dynamic_shared = 64
    bench.kernel.shared.append(ir.SharedArray("bytes", INT8, (64,), dynamic=True))
    zero, mask = bench.int(), bench.int(0xFFFF, UINT32)
    value = build.load(bench.own, (zero, zero))
    holds = build.compute("lt", value, build.load(bench.table, (zero,)))
    count = ir.Value(INT32)
    build.append(ir.BarrierVote(count, "count", holds))
    bench.warp("shuffle_up", INT32, value, zero, mask)
    bench.warp("match_any", UINT32, value, mask)
    bench.warp("active", UINT32)
    bench.warp("sync", None, mask)
    build.append(ir.Warp(ir.Value(INT32), "shuffle", (value, zero, mask), width=8))
    build.append(ir.Fence("device"))
    build.append(ir.Assert(holds, "i < n"))
    build.append(ir.Print(("i is ", count)))
    build.atomic("cas", bench.array, (zero,), value, compare=count)
    half = build.cast(value, FLOAT16)
    build.append(ir.Compute(ir.Value(FLOAT32), "cast", (half,), contract=False))
    build.append(ir.Barrier())
    ir.verify(bench.kernel)
    golden("every_node.txt", ir.format_kernel(bench.kernel))


def test_what_users_write_for_it() -> None:
    assert ir.called(ir.Barrier()) == "syncthreads"
    vote = ir.BarrierVote(ir.Value(BOOL), "or", ir.Value(BOOL))
    assert ir.called(vote) == "syncthreads_or"
    for operation in ir.WARP_OPERATIONS:
        name = ir.called(ir.Warp(None, operation, ()))
        assert name.endswith("_sync") or name in ("activemask", "syncwarp")
