"""Names of arrays after an `if`: `src = a` in one arm and `src = b` in the other.

Where both arms name parts of one array, the bounds of the part go through variables. Of two arrays, each access asks
again which arm was taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from headwater import ir
from headwater.frontend import views
from headwater.frontend.frame import FALSE, Alias, Differs, Environment, Frame, merged
from headwater.frontend.values import (
    ARRAYS,
    ArrayLike,
    Choice,
    Fixed,
    Literal,
    Operand,
    Records,
    Runtime,
    Scalar,
    Sliced,
    View,
)


@dataclass(frozen=True, slots=True)
class Arm:
    """One way through an `if`: its nodes, the names that are known at its end, and whether control gets there."""

    block: ir.Block
    names: Environment
    falls: bool


def after(frame: Frame, condition: ir.Value, then: Arm, orelse: Arm) -> Callable[[], Environment]:
    """What is known after an `if`; to be called once the `if` stands in its block."""
    if not (then.falls and orelse.falls):
        arm = then if then.falls else orelse
        return _after_one(frame, arm)
    names = merged(then.names, orelse.names)
    made: dict[str, Callable[[], Operand]] = {}
    for name, binding in names.items():
        if isinstance(binding, Differs):
            ways = (then.block, binding.value), (orelse.block, binding.other)
            found = either(frame, f"%{name}.", condition, *ways)
            if found is not None:
                made[name] = found
    return lambda: names | _bound(frame, made)


def _after_one(frame: Frame, arm: Arm) -> Callable[[], Environment]:
    made: dict[str, Callable[[], Operand]] = {}
    for name, binding in arm.names.items():
        if isinstance(binding, Alias) and isinstance(binding.value, ARRAYS):
            if not frame.program.is_open(binding.block):
                made[name] = _Kept(frame, f"%{name}.").keep(arm.block, binding.value)
    return lambda: arm.names | _bound(frame, made)


def _bound(frame: Frame, made: dict[str, Callable[[], Operand]]) -> Environment:
    block = frame.program.builder.block
    return {name: Alias(value(), block) for name, value in made.items()}


def either(
    frame: Frame,
    name: str,
    condition: ir.Value,
    then: tuple[ir.Block, Operand],
    orelse: tuple[ir.Block, Operand],
) -> Callable[[], Operand] | None:
    """The array of one of two arms; to be called as in `after`. None where the arrays do not go together.

    `name` is that of the compiler's variables.
    """
    (arm, a), (other, b) = then, orelse
    if not isinstance(a, ARRAYS) or not isinstance(b, ARRAYS) or _form(a) != _form(b):
        return None
    if _skeleton(a) == _skeleton(b):
        kept = _Kept(frame, name)
        first = kept.keep(arm, a, b)
        kept.keep(other, b, a)
        return first
    one = _Kept(frame, f"{name}then").keep(arm, a, unset=other)
    two = _Kept(frame, f"{name}else").keep(other, b, unset=arm)
    return lambda: Choice(Runtime(condition), one(), two())


def _form(array: ArrayLike) -> object:
    """What two arrays must have in common."""
    if isinstance(array, Choice):
        return _form(array.then)
    if isinstance(array, Records):
        return array.kind, array.ndim
    return array.type.element, array.type.ndim


def _skeleton(array: ArrayLike) -> object:
    """The array that is shown and how, but for the numbers."""
    if isinstance(array, Choice):
        return array  # like no other
    if isinstance(array, Records):
        return tuple(_skeleton(part) for _, part in array.fields)
    if array.view is None:
        return array.path, array.own
    return _skeleton(array.view.parent), tuple(map(_axis, array.view.axes))


def _axis(axis: Fixed | Sliced) -> object:
    if isinstance(axis, Fixed):
        return "fixed"
    stop = axis.stop
    # A literal below 0 counts from the end, which a variable would not.
    end = stop.value if isinstance(stop, Literal) else stop is None
    return axis.axis, axis.step, axis.start is None, isinstance(stop, Literal), end


class _Kept:
    """The numbers of a view, in variables that are assigned at the end of an arm and read after the `if`."""

    def __init__(self, frame: Frame, name: str) -> None:
        self.frame = frame
        self.name = name

    def keep(
        self,
        block: ir.Block,
        array: ArrayLike,
        other: ArrayLike | None = None,
        unset: ir.Block | None = None,
    ) -> Callable[[], ArrayLike]:
        """Assign the numbers in the block; gives the array of what is read. Those equal in `other` stay.

        In the block `unset`, where the array is not meant, they become 0: the read after it is of something.
        """
        numbers = list(_numbers(array))
        others: list[Scalar | None] = [n if isinstance(n, Literal) else None for n in numbers]
        others = others if other is None else [*_numbers(other)]
        kept: dict[int, int] = {}
        for position, (number, same) in enumerate(zip(numbers, others, strict=True)):
            if number is same or (isinstance(number, Literal) and number == same):
                continue
            kept[id(number)] = position
            self._assign(block, position, number)
            if unset is not None:
                nothing = FALSE if number.kind.is_bool else views.ZERO
                self._assign(unset, position, nothing)
        return lambda: self._read(array, kept)

    def _assign(self, block: ir.Block, position: int, number: Scalar) -> None:
        program = self.frame.program
        with program.inside(block):
            program.assign(self._key(position), number, self.name)

    def _read(self, array: ArrayLike, kept: dict[int, int]) -> ArrayLike:
        program = self.frame.program
        values = {
            number: program.read_scalar(self._key(position)) for number, position in kept.items()
        }
        return _mapped(array, lambda number: values.get(id(number), number))

    def _key(self, position: int) -> tuple[tuple[int, ...], str]:
        return self.frame.temporary(f"{self.name}{position}")


def _numbers(array: ArrayLike) -> Iterator[Scalar]:
    if isinstance(array, Choice):
        yield array.condition
        yield from _numbers(array.then)
        yield from _numbers(array.orelse)
    elif isinstance(array, Records):
        yield from _numbers(array.fields[0][1])  # those of the other fields are the same objects
    elif array.view is not None:
        yield from _numbers(array.view.parent)
        for axis in array.view.axes:
            if isinstance(axis, Fixed):
                yield axis.index
                continue
            yield from (n for n in (axis.start, axis.stop) if n is not None)


def _mapped(array: ArrayLike, change: Callable[[Scalar], Scalar]) -> ArrayLike:
    if isinstance(array, Choice):
        then, orelse = _mapped(array.then, change), _mapped(array.orelse, change)
        return Choice(change(array.condition), then, orelse)
    if isinstance(array, Records):
        fields = ((name, _mapped(part, change)) for name, part in array.fields)
        return replace(array, fields=tuple(fields))  # type: ignore[arg-type]
    if array.view is None:
        return array
    parent = _mapped(array.view.parent, change)
    axes = tuple(_moved(axis, change) for axis in array.view.axes)
    return replace(array, view=View(parent, axes))  # type: ignore[arg-type]


def _moved(axis: Fixed | Sliced, change: Callable[[Scalar], Scalar]) -> Fixed | Sliced:
    if isinstance(axis, Fixed):
        return Fixed(change(axis.index))
    start = None if axis.start is None else change(axis.start)
    return replace(axis, start=start, stop=None if axis.stop is None else change(axis.stop))
