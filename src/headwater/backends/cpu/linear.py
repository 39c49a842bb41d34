"""What can be said of an operation's result from the form of its operands: that it is linear, or known now."""

from __future__ import annotations

from collections.abc import Callable

from headwater.backends.cpu.folding import Known, fold
from headwater.backends.cpu.text import Operand, literal
from headwater.types import BOOL, ScalarType

_LARGEST_STEP = 1 << 12
_COMPARISONS = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))


def linear_step(operation: str, arguments: tuple[Operand, ...]) -> int | None:
    """How far the lanes of a result are apart, where it is linear by an operation on the first lane's operands."""
    rule = _STEPS.get(operation)
    kinds = {argument.kind for argument in arguments}
    if rule is None or "varying" in kinds or "linear" not in kinds:
        return None
    step = rule(*arguments)
    return step if step and abs(step) <= _LARGEST_STEP else None


def known_scalar(
    operation: str, kind: ScalarType, result: ScalarType, texts: tuple[str, ...]
) -> str | None:
    """The text of a result whose operands, of one type, are literals; None where it must be worked out."""
    if kind.is_float or any(text.startswith("%") for text in texts):
        return None
    values = tuple(_value(text, kind) for text in texts)
    value = fold(operation, kind, result, values)
    return None if value is None else literal(value, result)


def known_comparison(operation: str, arguments: tuple[Operand, ...], lanes: int) -> Operand | None:
    """A comparison of lanes whose numbers are known."""
    if operation not in _COMPARISONS or any(_open(argument) for argument in arguments):
        return None
    kind = arguments[0].type
    results = []
    for lane in range(lanes):
        numbers = (int(a.text) + lane * _step(a) for a in arguments)
        wrapped = tuple(fold("cast", kind, kind, (number,)) for number in numbers)
        results.append(fold(operation, kind, BOOL, tuple(n for n in wrapped if n is not None)))
    texts = ["true" if held else "false" for held in results]
    if len(set(texts)) == 1:
        return Operand("uniform", texts[0], BOOL)
    return Operand("varying", f"<{', '.join(f'i1 {text}' for text in texts)}>", BOOL)


def _open(operand: Operand) -> bool:
    """Whether an integer's lanes are not known."""
    return operand.kind == "varying" or not operand.type.is_integer or operand.text.startswith("%")


def _value(text: str, kind: ScalarType) -> Known:
    if kind.is_bool:
        return text == "true"
    number = fold("cast", kind, kind, (int(text),))
    assert number is not None
    return number


def _step(operand: Operand) -> int:
    return 0 if operand.uniform else operand.step


def _scaled(a: Operand, b: Operand) -> int:
    """The step of a product; 0 where no factor is a literal."""
    factor, other = (a, b) if a.uniform else (b, a)
    if not factor.uniform or factor.text.startswith("%"):
        return 0
    return int(factor.text) * _step(other)


def _shifted(a: Operand, b: Operand) -> int:
    if not b.uniform or b.text.startswith("%"):
        return 0
    return _step(a) << (int(b.text) % a.type.bits)


_STEPS: dict[str, Callable[..., int]] = {
    "neg": lambda a: -_step(a),
    "add": lambda a, b: _step(a) + _step(b),
    "sub": lambda a, b: _step(a) - _step(b),
    "mul": _scaled,
    "shl": _shifted,
}
