"""Where in the user's program a launch stands, for errors."""

from __future__ import annotations

import linecache
import os
import sys
from itertools import islice
from pathlib import Path
from types import FrameType

from headwater.errors import HeadwaterError, Span

_PACKAGE = f"{Path(__file__).parent.parent}{os.sep}"


def located(error: HeadwaterError) -> HeadwaterError:
    """The error, which points at the user's line that called into Headwater unless it points elsewhere."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    if frame is not None and error.span is None:
        error.span = _span(frame)
    return error


def _span(frame: FrameType) -> Span:
    code = frame.f_code
    places = islice(code.co_positions(), frame.f_lasti // 2, None)
    line, end_line, column, end_column = next(places, (None, None, None, None))
    if line is None or column is None or end_line is None or end_column is None:
        return Span(code.co_filename, frame.f_lineno, 0, frame.f_lineno, 1)
    start, end = _characters(code.co_filename, line, column), end_column
    return Span(
        code.co_filename, line, start, end_line, _characters(code.co_filename, end_line, end)
    )


def _characters(file: str, line: int, offset: int) -> int:
    """Python counts columns in UTF-8 bytes; people count characters."""
    text = linecache.getline(file, line)
    return offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))
