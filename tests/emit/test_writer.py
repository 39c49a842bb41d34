"""The writer with a small made-up language: order, scopes, loops, literals."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from headwater import ir
from headwater.emit import Helper, Names, Operand, Row, Table, Target, write_body
from headwater.errors import CapabilityError, InternalError, Span
from headwater.ir.nodes import Array
from headwater.types import BOOL, FLOAT32, INT32, INT64, ArrayType, ScalarType

_TABLE = Table(
    {
        "add": {"*": "{0} + {1}"},
        "mul": {"float": "{0} * {1}", "int": Row("wrap_mul({0}, {1})", ("wrap_mul",))},
        "lt": {"*": "{0} < {1}"},
        "trips": {"*": "trips({0}, {1}, {2})"},
        "advance": {"*": "{0} + {1} * {2}"},
        "cast": {"int32.float": "float({0})", "*.int64": "long({0})"},
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

    def const(self, value: int, kind: ScalarType = INT32) -> ir.Value:
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
    assert _TABLE.cast(INT32, FLOAT32).text == "float({0})"
    assert _TABLE.cast(FLOAT32, INT64).text == "long({0})"
    with pytest.raises(InternalError, match="no row for a cast from float32 to int32"):
        _TABLE.cast(FLOAT32, INT32)
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
