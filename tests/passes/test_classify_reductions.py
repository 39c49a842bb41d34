"""Which loops may run in any order, and with which reductions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hand_built import Loop

from headwater import ir, passes
from headwater.types import BOOL, FLOAT32, INT32


def classify(loop: Loop) -> list[tuple[str, str]] | None:
    """The reductions by name, or None for a sequential loop."""
    ir.verify(loop.kernel)
    passes.classify_reductions(loop.kernel)
    ir.verify(loop.kernel)
    if loop.node.sequential:
        assert loop.node.reductions == ()
        return None
    return [(r.variable.name, r.operation) for r in loop.node.reductions]


def test_sum_through_a_private_variable() -> None:
    loop = Loop()
    total, weight = loop.variable("total", FLOAT32, 0.0), loop.local("weight")

    def body() -> None:
        loop.build.assign(
            weight, loop.build.compute("mul", loop.node.distance2, loop.node.offset[0])
        )
        loop.update("add", total, loop.build.read(weight))

    loop.body(body)
    loop.store(0, loop.build.read(total))
    assert classify(loop) == [("total", "add")]


def test_no_effect_at_all() -> None:
    loop = Loop()
    loop.body(lambda: None)
    assert classify(loop) == []


@pytest.mark.parametrize(
    ("operation", "kind", "found"),
    [
        ("add", FLOAT32, "add"),
        ("sub", FLOAT32, "add"),
        ("min", FLOAT32, "min"),
        ("max", FLOAT32, "max"),
        ("sub", INT32, "add"),
        ("max", INT32, "max"),
        ("mul", FLOAT32, None),
        ("xor", INT32, None),
    ],
)
def test_operations(operation: str, kind: object, found: str | None) -> None:
    loop = Loop()
    value = loop.node.distance2 if kind is FLOAT32 else loop.node.index
    total = loop.variable("total", value.type, 0.0 if kind is FLOAT32 else 0)
    loop.body(lambda: loop.update(operation, total, value))
    loop.store(0, loop.build.read(total))
    assert classify(loop) == (None if found is None else [("total", found)])


def test_either_order_of_operands() -> None:
    loop = Loop()
    total = loop.variable("total", FLOAT32, 0.0)

    def swapped(operation: str) -> Callable[[], None]:
        def body() -> None:
            old = loop.build.read(total)
            loop.build.assign(total, loop.build.compute(operation, loop.node.distance2, old))

        return body

    loop.body(swapped("add"))
    assert classify(loop) == [("total", "add")]
    loop.node.body.nodes.clear()
    with loop.build.inside(loop.node.body):
        swapped("sub")()
    assert classify(loop) is None


def test_chain_and_several_updates() -> None:
    loop = Loop()
    total = loop.variable("total", FLOAT32, 0.0)

    def body() -> None:
        partial = loop.build.compute("add", loop.build.read(total), loop.node.offset[0])
        loop.build.assign(total, loop.build.compute("sub", partial, loop.node.offset[1]))
        with loop.build.when(loop.build.compute("lt", loop.node.offset[0], loop.node.offset[1])):
            loop.update("add", total, loop.node.distance2)

    loop.body(body)
    assert classify(loop) == [("total", "add")]


def mixed(loop: Loop, total: ir.Variable) -> None:
    loop.update("add", total, loop.node.distance2)
    loop.update("max", total, loop.node.distance2)


def mixed_chain(loop: Loop, total: ir.Variable) -> None:
    partial = loop.build.compute("add", loop.build.read(total), loop.node.offset[0])
    loop.build.assign(total, loop.build.compute("max", partial, loop.node.offset[1]))


def twice(loop: Loop, total: ir.Variable) -> None:
    old = loop.build.read(total)
    loop.build.assign(total, loop.build.compute("add", old, old))


def leaks(loop: Loop, total: ir.Variable) -> None:
    partial = loop.build.compute("add", loop.build.read(total), loop.node.distance2)
    loop.build.assign(total, partial)
    loop.build.assign(loop.local("spy"), partial)


def lost_update(loop: Loop, total: ir.Variable) -> None:
    old = loop.build.read(total)
    loop.update("add", total, loop.node.distance2)
    loop.build.assign(total, loop.build.compute("add", old, loop.node.distance2))


def conditional_assignment(loop: Loop, total: ir.Variable) -> None:
    old = loop.build.read(total)
    with loop.build.when(loop.build.compute("lt", old, loop.node.distance2)):
        loop.build.assign(total, loop.node.distance2)


def last_value(loop: Loop, total: ir.Variable) -> None:
    loop.build.assign(total, loop.node.distance2)


def also_read(loop: Loop, total: ir.Variable) -> None:
    loop.update("add", total, loop.node.distance2)
    loop.build.assign(loop.local("spy"), loop.build.read(total))


def store(loop: Loop, total: ir.Variable) -> None:
    loop.store(0, loop.node.distance2)


def breaks(loop: Loop, total: ir.Variable) -> None:
    loop.update("add", total, loop.node.distance2)
    with loop.build.when(loop.build.compute("lt", loop.node.offset[0], loop.node.offset[1])):
        loop.build.append(ir.Break())


def returns(loop: Loop, total: ir.Variable) -> None:
    with loop.build.when(loop.build.compute("lt", loop.node.offset[0], loop.node.offset[1])):
        loop.build.append(ir.Return())


@pytest.mark.parametrize(
    "write",
    [
        mixed,
        mixed_chain,
        twice,
        leaks,
        lost_update,
        conditional_assignment,
        last_value,
        also_read,
        store,
        breaks,
        returns,
    ],
)
def test_sequential(write: Callable[[Loop, ir.Variable], None]) -> None:
    loop = Loop()
    total = loop.variable("total", FLOAT32, 0.0)
    loop.body(lambda: write(loop, total))
    loop.store(0, loop.build.read(total))
    assert classify(loop) is None


def test_last_value_that_nobody_reads_is_private() -> None:
    loop = Loop()
    total = loop.variable("total", FLOAT32, 0.0)
    loop.body(lambda: last_value(loop, total))
    loop.build.assign(total, loop.build.constant(1.0, FLOAT32))
    loop.store(0, loop.build.read(total))
    assert classify(loop) == []


def test_value_carried_into_the_next_trip() -> None:
    loop = Loop()
    previous, total = loop.variable("previous", FLOAT32, 0.0), loop.variable("total", FLOAT32, 0.0)

    def body() -> None:
        loop.update("add", total, loop.build.read(previous))
        loop.build.assign(previous, loop.node.distance2)

    loop.body(body)
    assert classify(loop) is None


def test_assigned_on_some_paths_only() -> None:
    loop = Loop()
    weight, total = loop.variable("weight", FLOAT32, 0.0), loop.variable("total", FLOAT32, 0.0)
    build = loop.build

    def body() -> None:
        near = build.compute("lt", loop.node.offset[0], loop.node.offset[1])
        node = ir.If(near, ir.Block(), ir.Block())
        build.append(node)
        with build.inside(node.then):
            build.assign(weight, loop.node.distance2)
        loop.update("add", total, build.read(weight))

    loop.body(body)
    assert classify(loop) is None
    branch = loop.node.body.nodes[1]
    assert isinstance(branch, ir.If)
    branch.orelse.nodes.append(ir.Continue())
    assert classify(loop) == [("total", "add")]


def test_a_read_in_an_enclosing_loop_counts() -> None:
    """The variable is read before the neighbour loop, in the next trip of the loop around it."""
    loop = Loop()
    build = loop.build
    last = loop.variable("last", FLOAT32, 0.0)
    bounds = (build.constant(0, INT32), build.constant(3, INT32), build.constant(1, INT32))
    with build.loop(*bounds):
        loop.store(0, build.read(last))
        loop.body(lambda: build.assign(last, loop.node.distance2))
    assert classify(loop) is None


def test_reduction_inside_a_nested_loop() -> None:
    loop = Loop()
    build = loop.build
    total, found = loop.variable("total", FLOAT32, 0.0), loop.local("found", BOOL)

    def body() -> None:
        build.assign(found, build.constant(False, BOOL))
        bounds = (build.constant(0, INT32), loop.node.index, build.constant(1, INT32))
        with build.loop(*bounds):
            loop.update("add", total, loop.node.distance2)
            with build.when(build.read(found)):
                build.append(ir.Break())
            build.assign(found, build.constant(True, BOOL))

    loop.body(body)
    loop.store(0, build.read(total))
    assert classify(loop) == [("total", "add")]


@pytest.mark.parametrize("effect", ["assert", "print", "fence", "local"])
def test_other_effects_keep_the_order(effect: str) -> None:
    loop = Loop()
    total = loop.variable("total", FLOAT32, 0.0)
    own = ir.LocalArray("own", FLOAT32, (1,))
    loop.kernel.locals.append(own)

    def body() -> None:
        build, node = loop.build, loop.node
        loop.update("add", total, node.distance2)
        if effect == "assert":
            near = build.compute("lt", node.distance2, build.constant(9.0, FLOAT32))
            build.append(ir.Assert(near, "near"))
        elif effect == "print":
            build.append(ir.Print(("d2 ", node.distance2)))
        elif effect == "fence":
            build.append(ir.Fence("block"))
        else:
            build.store(own, (build.constant(0, INT32),), node.distance2)

    loop.body(body)
    loop.store(0, loop.build.read(total))
    assert classify(loop) is None
