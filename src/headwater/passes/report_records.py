"""Records of debug mode, as the instrumented kernel writes them (see `headwater.ir.reports`)."""

from __future__ import annotations

from headwater import ir
from headwater.errors import Span
from headwater.ir import reports
from headwater.ir.reports import Report, Reports, Site
from headwater.passes.rewriting import thread_number, unique_name
from headwater.types import INT32, UINT32, UINT64, ArrayType, ScalarType


class Records:
    """The buffer of one kernel, and the sites found so far.

    `start` must write the top of the kernel before any `write`: what it computes is seen everywhere below.
    """

    def __init__(self, kernel: ir.Kernel) -> None:
        self.kernel = kernel
        self.sites: list[Site] = []
        kind = ArrayType(UINT32, 1)
        name = unique_name(kernel, "debug")
        self.buffer = ir.ArrayParameter(name, kind, (reports.BUFFER,), written=True, atomic=True)
        # How many words a record has is known at the end.
        self._words: list[ir.Constant] = []

    def start(self, build: ir.Builder) -> None:
        """Where the thread is, and how many records fit."""
        self.kernel.parameters.append(self.buffer)
        blocks = [build.index("block", axis) for axis in range(3)]
        self.thread = thread_number(build, self.kernel)
        self.place = [build.cast(value, UINT32) for value in (*blocks, self.thread)]
        self.one = build.constant(1, UINT32)
        self.words = self._record_words(build)
        room = build.extent(self.buffer, 0)
        room = build.compute("sub", room, build.constant(reports.BUFFER_HEAD, INT32))
        both = build.compute("mul", self.words, build.constant(2, INT32))
        self.room = build.compute("floordiv", room, both)
        self.capacity = build.cast(self.room, UINT32)

    def _record_words(self, build: ir.Builder) -> ir.Value:
        words = build.constant(0, INT32)
        node = build.block.nodes[-1]
        assert isinstance(node, ir.Constant)
        self._words.append(node)
        return words

    def write(self, build: ir.Builder, report: Report[ir.Value], span: Span | None) -> None:
        """Append what makes a record here."""
        number = self._site(report, span)
        counter = build.constant(report.half, INT32)
        ticket = build.atomic("add", self.buffer, (counter,), self.one)
        with build.when(build.compute("lt", ticket, self.capacity)):
            record = build.cast(ticket, INT32)
            if report.half:
                record = build.compute("add", record, self.room)
            first = build.compute("mul", record, self.words)
            words = [build.constant(number, UINT32), *self.place]
            for value in report.values:
                words += _words_of(build, value)
            for position, word in enumerate(words, start=reports.BUFFER_HEAD):
                at = build.compute("add", first, build.constant(position, INT32))
                build.store(self.buffer, (at,), word)

    def _site(self, report: Report[ir.Value], span: Span | None) -> int:
        parts = tuple(part.type if isinstance(part, ir.Value) else part for part in report.parts)
        self.sites.append(Site(Report(report.kind, parts, report.hint), span))
        return len(self.sites) - 1

    def finish(self) -> Reports:
        """All sites; the length of the records is put in."""
        longest = max((_length(site) for site in self.sites), default=0)
        words = reports.RECORD_HEAD + longest
        for node in self._words:
            node.value = words
        return Reports(self.kernel.name, self.kernel.block_shape, tuple(self.sites), words)


def _length(site: Site) -> int:
    return sum(words_in(kind) for kind in site.report.values)


def words_in(kind: ScalarType) -> int:
    """The words that a value takes in a record."""
    return 2 if kind.bits == 64 else 1


def _words_of(build: ir.Builder, value: ir.Value) -> list[ir.Value]:
    kind = value.type
    if kind.bits == 64:
        bits = value if kind is UINT64 else build.bitcast(value, UINT64)
        high = build.compute("shr", bits, build.constant(32, UINT64))
        return [build.cast(bits, UINT32), build.cast(high, UINT32)]
    if kind.is_float:
        return [build.bitcast(value, UINT32)]
    return [build.cast(value, UINT32)]
