"""What only debug mode runs costs nothing without it."""

from __future__ import annotations

from headwater import ir, passes
from headwater.types import BOOL, FLOAT32, INT32, ArrayType


class Kernel:
    """A kernel with an array and a variable."""

    def __init__(self) -> None:
        self.a = ir.ArrayParameter("a", ArrayType(FLOAT32, 1), ("a",), written=True)
        self.kernel = ir.Kernel("quiet", [self.a], (8, 1, 1))
        self.build = ir.Builder(self.kernel.body)
        self.thread = self.build.index("thread", 0)

    def stripped(self) -> str:
        ir.verify(self.kernel)
        passes.strip_debug(self.kernel)
        ir.verify(self.kernel)
        return ir.format_kernel(self.kernel)


def test_what_only_an_assertion_needs_goes_too() -> None:
    made, plain = Kernel(), Kernel()
    build = made.build
    value = build.load(made.a, (made.thread,))
    build.append(ir.Assert(build.compute("lt", value, build.constant(2.0, FLOAT32)), "small"))
    for kernel in (made, plain):
        one = kernel.build.constant(1.0, FLOAT32)
        kernel.build.store(kernel.a, (kernel.thread,), one)
    assert made.stripped() == plain.stripped()


def test_what_others_need_stays() -> None:
    made = Kernel()
    value = made.build.load(made.a, (made.thread,))
    made.build.append(ir.Print(("x", value)))
    made.build.store(made.a, (made.thread,), value)
    text = made.stripped()
    assert "print" not in text
    assert "load" in text or "a[" in text


def test_variables_and_branches_of_a_condition_go() -> None:
    """`assert a and b` is an `if` that assigns a variable."""
    made = Kernel()
    build, both = made.build, ir.Variable("both", BOOL)
    made.kernel.variables.append(both)
    first = build.compute("lt", made.thread, build.constant(5, INT32))
    build.assign(both, first)
    with build.when(first):
        value = build.load(made.a, (made.thread,))
        build.assign(both, build.compute("lt", value, value))
    build.append(ir.Assert(build.read(both), "both"))
    made.stripped()
    assert made.kernel.body.nodes == []
    assert made.kernel.variables == []


def test_effects_stay() -> None:
    made = Kernel()
    build = made.build
    total = ir.ArrayParameter("n", ArrayType(INT32, 1), ("n",), written=True, atomic=True)
    made.kernel.parameters.append(total)
    old = build.atomic("add", total, (made.thread,), build.constant(1, INT32))
    build.append(ir.Print((old,)))
    made.stripped()
    assert any(isinstance(node, ir.Atomic) for node in made.kernel.body.nodes)


def test_a_branch_that_was_empty_stays() -> None:
    made = Kernel()
    condition = made.build.compute("lt", made.thread, made.build.constant(5, INT32))
    with made.build.when(condition):
        pass
    made.build.append(ir.Print(("x",)))
    made.stripped()
    assert any(isinstance(node, ir.If) for node in made.kernel.body.nodes)


def test_parameters_and_arrays_that_nothing_else_uses_go() -> None:
    made = Kernel()
    build, kernel = made.build, made.kernel
    limit = ir.ScalarParameter(INT32, "limit", ("limit",))
    other = ir.ArrayParameter("other", ArrayType(INT32, 1), ("other",))
    mine = ir.LocalArray("mine", INT32, (4,))
    kernel.parameters += [limit, other]
    kernel.locals.append(mine)
    value = build.load(other, (made.thread,))
    build.append(ir.Print((value, build.load(mine, (made.thread,)))))
    build.append(ir.Breakpoint(("limit",), (limit,), ("other",), (other,), "quiet"))
    build.append(ir.Within("a", value, build.extent(made.a, 0), 0, 1))
    build.store(made.a, (made.thread,), build.constant(1.0, FLOAT32))
    made.stripped()
    assert kernel.parameters == [made.a]
    assert kernel.locals == []
