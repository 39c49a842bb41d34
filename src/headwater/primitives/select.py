"""Select: the subscripts of the true elements, in ascending order."""

from __future__ import annotations

import headwater as hw
from headwater.primitives.scan import exclusive_scan
from headwater.primitives.workspace import Workspace, check_single, check_vector, workspace_for
from headwater.runtime.array import Array
from headwater.types import BOOL, INT32, UINT32


@hw.kernel
def _mark(places, flags):
    i = hw.grid(1)
    places[i] = hw.int32(bool(flags[i]))


@hw.kernel
def _place(order, places, flags):
    i = hw.grid(1)
    if bool(flags[i]):
        order[places[i]] = i


def select(
    flags: Array,
    order: Array,
    total: Array,
    *,
    count: Array | None = None,
    workspace: Workspace | None = None,
) -> None:
    """Write the subscripts i with a true `flags[i]` to the front of `order`, and their number to `total`.

    `flags` is bool, int32 or uint32 (true where not 0); `order` int32 and as long; `total` one int32. `count`
    limits `flags` to its first elements. LaunchError for other arguments.
    """
    check_vector("flags", flags, BOOL, INT32, UINT32)
    check_vector("order", order, INT32, least=len(flags))
    check_single("total", total, INT32)
    space = workspace_for(flags, workspace)
    if len(flags) == 0:
        total.copy_from(space.constant(0))
        return
    limit = space.count(len(flags), count)
    places = space.array("select", len(flags), INT32)
    _mark.over(limit, capacity=len(flags))(places, flags)
    exclusive_scan(places, places, total=total, count=limit, workspace=space)
    _place.over(limit, capacity=len(flags))(order, places, flags)
