"""How a language spells the operations of `headwater.ir.operations`: one row each.

A row's text is a format string over the operands' texts: `({0} + {1})`. Operands are names or literals (negative
literals in parentheses), so a row needs parentheses only around its own inner parts. What does not fit an expression
is a helper function, which the row names and the writer collects.

Beside the operation table the writer asks for two rows of its own, which integer types need:

- `trips` (start, stop, step): how many trips `range(start, stop, step)` has, in the unsigned type of equal width;
  0 for step 0;
- `advance` (start, trip, step): start + trip * step in the loop's type, where `trip` has that unsigned type.

An operation that must not be contracted (`Compute.contract` false) takes the row `NAME.rounded` where there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from headwater.errors import InternalError
from headwater.types import ScalarType


@dataclass(frozen=True, slots=True)
class Row:
    """`text` spells the operation; `helpers` are the names of the functions that it calls."""

    text: str
    helpers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Helper:
    """A function of the generated text; those in `needs` are written before it."""

    text: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """Rows by operation, and for each by type name ('float32'), by kind ('int') or for all ('*').

    The rows of `cast` and `bitcast` stand under 'SOURCE.TARGET', each part a type name, a kind or '*'.
    """

    rows: Mapping[str, Mapping[str, str | Row]]
    helpers: Mapping[str, Helper] = field(default_factory=dict)

    def row(self, operation: str, kind: ScalarType) -> Row:
        """The row of an operation on operands of `kind`."""
        found = self.find(operation, kind.name, kind.kind, "*")
        if found is None:
            raise InternalError(
                f"the language has no row for the operation '{operation}' on {kind}"
            )
        return found

    def rounded(self, operation: str, kind: ScalarType) -> Row:
        """The row of an operation that takes part in no contraction."""
        found = self.find(f"{operation}.rounded", kind.name, kind.kind, "*")
        return self.row(operation, kind) if found is None else found

    def conversion(self, operation: str, source: ScalarType, target: ScalarType) -> Row:
        """The row of a 'cast' or 'bitcast' between two different types."""
        parts = [(source.name, source.kind, "*"), (target.name, target.kind, "*")]
        found = self.find(operation, *(f"{a}.{b}" for a in parts[0] for b in parts[1]))
        if found is None:
            raise InternalError(
                f"the language has no row for a {operation} from {source} to {target}"
            )
        return found

    def find(self, operation: str, *keys: str) -> Row | None:
        """The row under the first of `keys` that there is."""
        by_type = self.rows.get(operation, {})
        row = next((by_type[key] for key in keys if key in by_type), None)
        return Row(row) if isinstance(row, str) else row

    def definitions(self, names: Iterable[str]) -> list[str]:
        """The texts of the helpers `names` and of those that they need, in an order that compiles."""
        done: dict[str, str] = {}
        for name in sorted(names):
            self._define(name, done)
        return list(done.values())

    def _define(self, name: str, done: dict[str, str]) -> None:
        if name in done:
            return
        helper = self.helpers[name]
        for needed in helper.needs:
            self._define(needed, done)
        done[name] = helper.text
