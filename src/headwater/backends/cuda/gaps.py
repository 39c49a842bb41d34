"""What these devices do not give although the language asks for it; the support page is made from this table."""

from __future__ import annotations

from headwater.backends.contract import Gap

GAPS: tuple[Gap, ...] = ()
