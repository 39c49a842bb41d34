"""The writer with a small made-up language: order, scopes, loops, literals."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from headwater import ir
from headwater.emit import Helper, Names, Operand, Row, Table, Target, write_body
from headwater.errors import CapabilityError, InternalError, Span
from headwater.ir.nodes import Array
from headwater.types import BOOL, FLOAT32, INT32, INT64, UINT32, ArrayType, ScalarType

_TABLE = Table(
    {
        "add": {"*": "{0} + {1}"},
        "mul": {"float": "{0} * {1}", "int": Row("wrap_mul({0}, {1})", ("wrap_mul",))},
        "mul.rounded": {"float": "exactly({0} * {1})"},
        "lt": {"*": "{0} < {1}"},
        "trips": {"*": "trips({0}, {1}, {2})"},
        "advance": {"*": "{0} + {1} * {2}"},
        "cast": {"int32.float": "float({0})", "*.int64": "long({0})"},
        "bitcast": {"int32.float32": "as_float({0})"},
    },
    {"wrap_mul": Helper("WRAP_MUL", ("unsigned",)), "unsigned": Helper("UNSIGNED")},
)


class Toy(Target):
    """Enough of a language to read the writer's text; int64 literals get names."""

    table = _TABLE
    max_nesting = 5

    def inlines(self, kind: ScalarType) -> bool:
        return kind is not INT64

    def literal(self, kind: ScalarType, value: bool | int | float) -> str:
        if kind is BOOL:
            return str(value).lower()
        return f"({value})" if value < 0 else str(value)

    def constant_local(self, kind: ScalarType, name: str, expression: str) -> str:
        return f"{kind} {name} = {expression};"

    def variable(self, kind: ScalarType, name: str) -> str:
        return f"var {kind} {name};"

    def endless_loop(self) -> str:
        return "loop {"

    def unit_loop(self, kind: ScalarType, name: str, start: str, stop: str, up: bool) -> str:
        return f"for ({name} = {start} {'up' if up else 'down'} to {stop}) {{"

    def trip_count(self, kind: ScalarType, name: str, expression: str) -> str:
        return f"count {name} = {expression};"

    def trip_loop(self, kind: ScalarType, name: str, trips: str) -> str:
        return f"for ({name} < {trips}) {{"

    def barrier(self, node: ir.Barrier) -> Iterable[str]:
        return ("barrier;",)

    def index(self, kind: str, axis: int) -> str:
        return f"{kind}{axis}"

    def scalar_parameter(self, parameter: ir.ScalarParameter) -> str:
        return f"arg.{parameter.name}"

    def extent(self, array: ir.ArrayParameter, axis: int) -> str:
        return f"len({array.name}, {axis})"

    def load(self, array: Array, indices: tuple[Operand, ...], component: int) -> str:
        return f"{array.name}[{', '.join(i.text for i in indices)}].{component}"

    def store(
        self,
        array: Array,
        indices: tuple[Operand, ...],
        component: int,
        value: Operand,
    ) -> Iterable[str]:
        return (f"{self.load(array, indices, component)} = {value.text};",)

    def atomic(
        self, node: ir.Atomic, indices: tuple[Operand, ...], value: Operand, result: str
    ) -> Iterable[str]:
        return (f"{result} = {node.operation}({indices[0].text}, {value.text});",)


class Kernel:
    """A kernel with one array and a builder."""

    def __init__(self) -> None:
        self.x = ir.ArrayParameter("x", ArrayType(INT32, 1), ("x",), written=True, atomic=True)
        self.kernel = ir.Kernel("toy", [self.x], (8, 1, 1))
        self.build = ir.Builder(self.kernel.body)

    def const(self, value: bool | int, kind: ScalarType = INT32) -> ir.Value:
        return self.build.constant(value, kind)

    def text(self) -> list[str]:
        ir.verify(self.kernel)
        return [line[4:] for line in write_body(self.kernel, Toy(), Names()).lines]


def test_values_become_constants_and_literals_stand_where_they_are_used() -> None:
    made = Kernel()
    build = made.build
    i = build.index("thread", 0)
    build.store(made.x, (i,), build.compute("add", i, made.const(-3)))
    assert made.text() == [
        "int32 v_1 = thread0;",
        "int32 v_2 = v_1 + (-3);",
        "x[v_1].0 = v_2;",
    ]


def test_an_operation_on_literals_alone_is_kept_from_being_folded() -> None:
    made = Kernel()
    total = made.build.compute("add", made.const(2147483647), made.const(1))
    made.build.store(made.x, (made.const(0),), total)
    assert made.text() == [
        "int32 v_1 = 2147483647;",
        "int32 v_2 = v_1 + 1;",
        "x[0].0 = v_2;",
    ]


def test_a_literal_named_in_a_branch_is_not_used_outside() -> None:
    made = Kernel()
    build, one = made.build, made.const(1)
    with build.when(build.compute("lt", build.index("thread", 0), one)):
        build.store(made.x, (one,), build.compute("add", one, one))
    build.store(made.x, (one,), one)
    assert made.text() == [
        "int32 v_1 = thread0;",
        "bool v_2 = v_1 < 1;",
        "if (v_2) {",
        "    int32 v_3 = 1;",
        "    int32 v_4 = v_3 + 1;",
        "    x[1].0 = v_4;",
        "}",
        "x[1].0 = 1;",
    ]


def test_literals_that_a_language_does_not_inline() -> None:
    made = Kernel()
    place = made.const(5, INT64)
    made.build.store(made.x, (place,), made.const(0))
    assert made.text() == ["int64 v_1 = 5;", "x[v_1].0 = 0;"]


def test_helpers_come_once_and_after_what_they_need() -> None:
    made = Kernel()
    build, i = made.build, made.build.index("thread", 0)
    build.compute("mul", build.compute("mul", i, i), i)
    body = write_body(made.kernel, Toy(), Names())
    assert body.helpers == {"wrap_mul"}
    assert _TABLE.definitions(body.helpers) == ["UNSIGNED", "WRAP_MUL"]


@pytest.mark.parametrize(("step", "way"), [(1, "up"), (-1, "down")])
def test_loops_of_steps_of_one(step: int, way: str) -> None:
    made = Kernel()
    with made.build.loop(made.const(0), made.const(9), made.const(step)) as loop:
        made.build.store(made.x, (loop.index,), loop.index)
    assert made.text() == [f"for (v_1 = 0 {way} to 9) {{", "    x[v_1].0 = v_1;", "}"]


def test_other_loops_count_their_trips_at_entry() -> None:
    made = Kernel()
    n = made.build.extent(made.x, 0)
    with made.build.loop(made.const(0), n, made.const(4)) as loop:
        made.build.store(made.x, (loop.index,), loop.index)
    assert made.text() == [
        "int32 v_1 = len(x, 0);",
        "count v_2 = trips(0, v_1, 4);",
        "for (v_3 < v_2) {",
        "    int32 v_4 = 0 + v_3 * 4;",
        "    x[v_4].0 = v_4;",
        "}",
    ]


def test_while_tests_first_and_continue_goes_there() -> None:
    made = Kernel()
    build = made.build
    n = ir.Variable("n", INT32)
    made.kernel.variables.append(n)
    build.assign(n, made.const(0))
    loop = ir.While(ir.Block(), ir.Value(BOOL), ir.Block())
    with build.inside(loop.test):
        loop.condition = build.compute("lt", build.read(n), made.const(3))
    with build.inside(loop.body):
        build.append(ir.Continue())
    build.append(loop)
    assert made.text() == [
        "var int32 u_n;",
        "u_n = 0;",
        "loop {",
        "    int32 v_1 = u_n;",
        "    bool v_2 = v_1 < 3;",
        "    if (!(v_2)) { break; }",
        "    continue;",
        "}",
    ]


def test_branches_atomics_barriers_and_ends() -> None:
    made = Kernel()
    build, zero = made.build, made.const(0)
    build.append(ir.Barrier())
    old = build.atomic("add", made.x, (zero,), made.const(2))
    condition = build.compute("lt", old, zero)
    build.append(ir.If(condition, ir.Block([ir.Return()]), ir.Block([ir.Barrier()])))
    assert made.text() == [
        "barrier;",
        "v_1 = add(0, 2);",
        "bool v_2 = v_1 < 0;",
        "if (v_2) {",
        "    return;",
        "} else {",
        "    barrier;",
        "}",
    ]


def test_shared_arrays_have_literal_extents_and_scalars_come_from_the_target() -> None:
    made = Kernel()
    tile = ir.SharedArray("tile", INT32, (4, 6))
    made.kernel.shared.append(tile)
    n = ir.ScalarParameter(INT32, "n", ("n",))
    made.kernel.parameters.append(n)
    made.build.store(tile, (n, made.const(1)), made.build.extent(tile, 1), 0)
    assert made.text() == ["tile[arg.n, 1].0 = 6;"]


def test_comments_name_the_users_lines() -> None:
    made = Kernel()
    made.build.span = Span("kernel.py", 12, 0, 12, 5)
    made.build.store(made.x, (made.const(0),), made.const(1))
    assert made.text() == ["// line 12", "x[0].0 = 1;"]


def test_casts_are_looked_up_from_special_to_general() -> None:
    assert _TABLE.conversion("cast", INT32, FLOAT32).text == "float({0})"
    assert _TABLE.conversion("cast", FLOAT32, INT64).text == "long({0})"
    with pytest.raises(InternalError, match="no row for a cast from float32 to int32"):
        _TABLE.conversion("cast", FLOAT32, INT32)
    with pytest.raises(InternalError, match="no row for the operation 'div' on float32"):
        _TABLE.row("div", FLOAT32)


def test_a_cast_to_the_same_type_is_the_value() -> None:
    made = Kernel()
    i = made.build.index("thread", 0)
    made.build.append(ir.Compute(ir.Value(INT32), "cast", (i,)))
    assert made.text() == ["int32 v_1 = thread0;", "int32 v_2 = v_1;"]


def test_too_deep_nesting_names_the_kernel_and_line() -> None:
    made = Kernel()
    build = made.build
    outer, i = build.block, build.index("thread", 0)
    for depth in range(6):
        build.span = Span("kernel.py", depth + 1, 0, depth + 1, 3)
        node = ir.If(build.compute("lt", i, made.const(0)), ir.Block(), ir.Block(), build.span)
        build.append(node)
        build.block = node.then
    build.block = outer
    with pytest.raises(CapabilityError, match="'toy' nests more than 5 blocks") as caught:
        write_body(made.kernel, Toy(), Names())
    assert caught.value.span is not None
    assert caught.value.span.line == 5


def test_what_a_pass_should_have_removed_is_a_defect() -> None:
    made = Kernel()
    made.kernel.body.nodes.append(ir.Inlined("f", ir.Block()))
    with pytest.raises(InternalError, match="does not know the node Inlined"):
        write_body(made.kernel, Toy(), Names())


def test_names_are_ascii_and_unique() -> None:
    names = Names()
    given = ["x", "x", "größe", "__x", "a__b", "型", "", "x_2"]
    got = [names.unique("u", name) for name in given]
    assert got == ["u_x", "u_x_2", "u_gr_e", "u_x_3", "u_a_b", "u", "u_2", "u_x_2_2"]


# --- nodes that not every language has --------------------------------------------------------------


class Wide(Toy):
    """All that the language may bring beside."""

    def local_array(self, array: ir.LocalArray) -> Iterable[str]:
        return (f"local {array.scalar} {array.name}{array.shape};",)

    def barrier_vote(self, node: ir.BarrierVote, predicate: Operand, result: str) -> Iterable[str]:
        return (f"{result} = vote_{node.operation}({predicate.text});",)

    def warp(
        self, node: ir.Warp, arguments: tuple[Operand, ...], result: str | None
    ) -> Iterable[str]:
        called = f"{node.operation}({', '.join(a.text for a in arguments)})"
        return (f"{called};" if result is None else f"{result} = {called};",)

    def fence(self, node: ir.Fence) -> Iterable[str]:
        return (f"fence({node.scope});",)

    def compare_and_swap(
        self,
        node: ir.Atomic,
        indices: tuple[Operand, ...],
        compare: Operand,
        value: Operand,
        result: str,
    ) -> Iterable[str]:
        return (f"{result} = cas({indices[0].text}, {compare.text}, {value.text});",)


def everything() -> Kernel:
    made = Kernel()
    build, i = made.build, made.build.index("thread", 0)
    mask, voted, held = made.const(7, UINT32), ir.Value(INT32), ir.Value(BOOL)
    build.append(ir.BarrierVote(voted, "count", build.compute("lt", i, made.const(1))))
    build.append(ir.Warp(held, "all", (made.const(True, BOOL), mask)))
    build.append(ir.Warp(None, "sync", (mask,)))
    build.append(ir.Fence("block"))
    build.atomic("cas", made.x, (i,), voted, compare=made.const(0))
    with build.when(held):
        build.store(made.x, (i,), voted)
    return made


def test_votes_warps_fences_and_compare_and_swap() -> None:
    made = everything()
    ir.verify(made.kernel)
    lines = [line[4:] for line in write_body(made.kernel, Wide(), Names()).lines]
    assert lines[2:7] == [
        "v_3 = vote_count(v_2);",
        "v_4 = all(true, 7);",
        "sync(7);",
        "fence(block);",
        "v_5 = cas(v_1, 0, v_3);",
    ]


@pytest.mark.parametrize(
    ("number", "what"),
    [
        (0, "votes at barriers"),
        (1, "operations of warps"),
        (3, "fences"),
        (4, "compare-and-swap"),
    ],
)
def test_a_language_without_them_says_so(number: int, what: str) -> None:
    made = everything()
    special = ir.BarrierVote | ir.Warp | ir.Fence | ir.Atomic
    chosen = [node for node in made.kernel.body.nodes if isinstance(node, special)][number]
    others = [node for node in made.kernel.body.nodes if not isinstance(node, special | ir.If)]
    vote = next(node for node in made.kernel.body.nodes if isinstance(node, ir.BarrierVote))
    made.kernel.body.nodes = [*others, ir.Constant(vote.result, 0), chosen]
    with pytest.raises(InternalError, match=f"writes no {what}"):
        write_body(made.kernel, Toy(), Names())


def test_own_arrays() -> None:
    made = Kernel()
    local = ir.LocalArray("stack", INT32, (3, 5))
    table = ir.ConstantArray("table", INT32, (2,), (10, 20))
    made.kernel.locals.append(local)
    made.kernel.constants.append(table)
    i, build = made.build.index("thread", 0), made.build
    build.store(local, (i, i), build.load(table, (i,)))
    build.store(made.x, (i,), build.compute("add", i, build.extent(local, 1)))
    build.store(made.x, (i,), build.extent(table, 0))
    ir.verify(made.kernel)
    lines = [line[4:] for line in write_body(made.kernel, Wide(), Names()).lines]
    assert lines == [
        "local int32 stack(3, 5);",
        "int32 v_1 = thread0;",
        "int32 v_2 = table[v_1].0;",
        "stack[v_1, v_1].0 = v_2;",
        "int32 v_3 = v_1 + 5;",
        "x[v_1].0 = v_3;",
        "x[v_1].0 = 2;",
    ]
    with pytest.raises(InternalError, match="writes no arrays of one thread"):
        made.text()


def test_an_operation_that_is_not_contracted_has_its_own_row() -> None:
    made = Kernel()
    build, a = made.build, ir.Value(FLOAT32)
    made.build.append(ir.Constant(a, 2.0))
    build.contract = False
    build.compute("mul", a, build.compute("mul", a, a))
    build.compute("add", a, a)
    assert made.text()[1:] == [
        "float32 v_2 = exactly(v_1 * 2.0);",
        "float32 v_3 = exactly(2.0 * v_2);",
        "float32 v_4 = 2.0;",
        "float32 v_5 = v_4 + 2.0;",
    ]


def test_bit_casts_have_rows_by_both_types() -> None:
    made = Kernel()
    i = made.build.index("thread", 0)
    made.build.bitcast(made.build.bitcast(i, FLOAT32), FLOAT32)
    assert made.text()[1:] == ["float32 v_2 = as_float(v_1);", "float32 v_3 = v_2;"]
    with pytest.raises(InternalError, match="no row for a bitcast from float32 to int32"):
        _TABLE.conversion("bitcast", FLOAT32, INT32)
