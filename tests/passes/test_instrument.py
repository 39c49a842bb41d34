"""The pass that adds the checks of debug mode: its text, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.passes.hand_built import Loop

from headwater import ir, passes
from headwater.errors import Span
from headwater.ir import reports
from headwater.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    SCALARS,
    UINT8,
    UINT32,
    UINT64,
    ArrayType,
    ScalarType,
)

PLACE = Span("file.py", 7, 4, 7, 9)


class Kernel:
    """A kernel with one array of two axes."""

    def __init__(self, kind: ScalarType = FLOAT32, block: tuple[int, int, int] = (8, 2, 1)) -> None:
        self.a = ir.ArrayParameter("a", ArrayType(kind, 2), ("a",), written=True, atomic=True)
        self.kernel = ir.Kernel("wrong", [self.a], block)
        self.build = ir.Builder(self.kernel.body, PLACE)
        self.thread = self.build.index("thread", 0)

    def instrumented(self) -> reports.Reports:
        ir.verify(self.kernel)
        found = passes.instrument(self.kernel)
        ir.verify(self.kernel)
        passes.lower_returns(self.kernel)
        passes.check_barriers(self.kernel)
        passes.classify_reductions(self.kernel)
        ir.verify(self.kernel)
        return found


def test_golden(golden: Callable[[str, str], None]) -> None:
    made = Kernel()
    build, thread = made.build, made.thread
    tile = ir.SharedArray("tile", FLOAT32, (4, 3))
    made.kernel.shared.append(tile)
    value = build.load(made.a, (thread, thread))
    build.store(tile, (thread, build.constant(1, INT32)), build.compute("sqrt", value))
    build.append(ir.Assert(build.compute("lt", value, value), "less", PLACE))
    build.append(ir.Print(("x = ", value), PLACE))
    build.store(made.a, (thread, thread), build.load(tile, (thread, thread)))
    passes.instrument(made.kernel)
    golden("instrument.ir", ir.format_kernel(made.kernel))


def test_what_can_be_reported_is_listed() -> None:
    made = Kernel(INT64)
    build = made.build
    wide = build.cast(made.thread, INT64)
    value = build.load(made.a, (wide, made.thread))
    build.append(ir.Print((value, " and ", build.compute("lt", value, value)), PLACE))
    found = made.instrumented()
    assert (found.kernel, found.block_shape) == ("wrong", (8, 2, 1))
    assert [(site.report.kind, site.report.values) for site in found.sites] == [
        ("bounds", (INT32, INT32)),
        ("bounds", (INT64, INT32)),
        ("print", (INT64, BOOL)),
    ]
    assert {site.span for site in found.sites} == {PLACE}
    # A value of 64 bits takes two words.
    assert found.words == reports.RECORD_HEAD + 3
    buffer = made.kernel.parameters[-1]
    assert isinstance(buffer, ir.ArrayParameter)
    assert (buffer.path, buffer.type.scalar) == (("%debug",), UINT32)


def test_components_of_an_element_are_checked_once() -> None:
    made = Kernel()
    for _ in range(3):
        made.build.load(made.a, (made.thread, made.thread))
    assert len(made.instrumented().sites) == 2  # one for each axis


def test_a_check_holds_only_inside_of_its_block() -> None:
    made = Kernel()
    build, place = made.build, (made.thread, made.thread)
    condition = build.compute("lt", made.thread, build.constant(3, INT32))
    for _ in range(2):
        with build.when(condition):
            build.load(made.a, place)
            with build.when(condition):
                build.load(made.a, place)
    assert len(made.instrumented().sites) == 4


@pytest.mark.parametrize("kind", [kind for kind in SCALARS if kind.is_integer], ids=str)
def test_subscripts_of_every_type(kind: ScalarType) -> None:
    made = Kernel()
    index = made.build.cast(made.thread, kind)
    made.build.store(made.a, (index, index), made.build.constant(1.0, FLOAT32))
    assert [site.report.values[0] for site in made.instrumented().sites] == [kind, kind]


def test_literals_in_bounds_are_not_checked() -> None:
    made = Kernel()
    mine = ir.LocalArray("mine", FLOAT32, (4, 3))
    made.kernel.locals.append(mine)
    build, numbers = made.build, [made.build.constant(n, INT32) for n in range(5)]
    for place in ((0, 2), (3, 0), (3, 3)):
        build.store(mine, tuple(numbers[n] for n in place), build.constant(1.0, FLOAT32))
    build.store(mine, (made.thread, numbers[1]), build.constant(1.0, FLOAT32))
    sites = made.instrumented().sites
    assert [site.report.parts[2] for site in sites] == [
        " of 'mine' is out of bounds along axis 1: it has ",
        " of 'mine' is out of bounds along axis 0: it has ",
    ]


def test_constants_other_than_zero_divide_unchecked() -> None:
    made = Kernel(INT32)
    build = made.build
    for divisor in (3, 0, -1):
        build.compute("floordiv", made.thread, build.constant(divisor, INT32))
    build.compute("mod", made.thread, made.thread)
    kinds = [site.report.kind for site in made.instrumented().sites]
    assert kinds == ["division by zero", "division by zero"]


@pytest.mark.parametrize("kind", [FLOAT32, FLOAT64], ids=str)
def test_operations_that_may_give_a_nan(kind: ScalarType) -> None:
    made = Kernel(kind)
    build = made.build
    x = build.load(made.a, (made.thread, made.thread))
    for name, operation in ir.OPERATIONS.items():
        if operation.rule((kind,) * operation.arity, kind) is None and name != "cast":
            build.compute(name, *(x,) * operation.arity)
    sites = made.instrumented().sites
    assert sum(site.report.kind == "nan" for site in sites) == len(reports.NAN_OPERATIONS)


def test_what_is_only_chosen_is_checked_where_it_is() -> None:
    made = Kernel()
    build = made.build
    x = build.load(made.a, (made.thread, made.thread))
    condition = build.compute("lt", x, x)
    quotient = build.compute("div", x, x)
    inner = build.compute("select", condition, quotient, x)
    outer = build.cast(build.compute("select", condition, x, inner), FLOAT64)
    assert passes.only_chosen(made.kernel) == {quotient, inner}
    build.store(made.a, (made.thread, made.thread), build.cast(outer, FLOAT32))
    assert passes.only_chosen(made.kernel) == {quotient, inner}
    found = made.instrumented()
    assert [site.report.kind for site in found.sites].count("nan") == 1


def test_nans_inside_the_library_are_its_own() -> None:
    """Only what a call gives is checked, once, against its arguments."""
    made = Kernel()
    build = made.build
    x = build.load(made.a, (made.thread, made.thread))
    build.span = Span("file.py", 7, 4, 7, 9, inside="log")
    inner = build.compute("sub", build.compute("div", x, x), build.constant(1.0, FLOAT32))
    build.span = PLACE
    build.store(made.a, (made.thread, made.thread), inner)
    sites = [site for site in made.instrumented().sites if site.report.kind == "nan"]
    assert [reports.text_of(site.report) for site in sites] == [
        "'log' gives no number, though its arguments are numbers"
    ]


def test_dynamic_arrays_share_their_bits() -> None:
    """A byte that one view wrote is known to the others."""
    made = Kernel()
    made.kernel.dynamic_shared = 100
    views = [
        ir.SharedArray(str(kind), kind, (100 // kind.size,), dynamic=True)
        for kind in (UINT8, UINT64)
    ]
    made.kernel.shared += views
    made.build.store(views[0], (made.thread,), made.build.constant(1, UINT8))
    made.build.load(views[1], (made.thread,))
    found = made.instrumented()
    assert [site.report.kind for site in found.sites] == ["bounds", "bounds", "unwritten"]
    (bits,) = (array for array in made.kernel.shared if array not in views)
    assert bits.shape == (4,)


def test_arrays_that_nobody_reads_have_no_bits() -> None:
    made = Kernel()
    tile = ir.SharedArray("tile", FLOAT32, (4,))
    made.kernel.shared.append(tile)
    made.build.store(tile, (made.thread,), made.build.constant(1.0, FLOAT32))
    made.instrumented()
    assert made.kernel.shared == [tile]
    assert not any(isinstance(node, ir.Barrier) for node in ir.walk(made.kernel.body))


def test_a_neighbour_loop_that_may_report_is_sequential() -> None:
    loop = Loop((False, False, False), reach=1)
    total = loop.variable("total", FLOAT32, 0.0)
    loop.body(lambda: loop.update("add", total, loop.node.distance2))
    passes.instrument(loop.kernel)
    passes.lower_returns(loop.kernel)
    passes.classify_reductions(loop.kernel)
    assert loop.node.sequential


def test_a_load_stays_uniform() -> None:
    """A barrier may still depend on it."""
    made = Kernel(INT32)
    made.a.written = False
    build, zero = made.build, made.build.constant(0, INT32)
    limit = build.load(made.a, (zero, zero))
    with build.loop(zero, limit, build.constant(1, INT32)):
        build.append(ir.Barrier(PLACE))
    made.instrumented()
