"""What these devices do not give although the language asks for it; the support page is made from this table."""

from __future__ import annotations

from headwater.backends.contract import Gap

GAPS = (
    Gap(
        "denormals in hw.atomic.add on float32 arrays",
        "the GPU's atomic unit flushes them to zero; shared arrays keep them",
        "add in a shared array, or in float64",
    ),
)
