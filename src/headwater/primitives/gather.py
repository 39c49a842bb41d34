"""Gather: elements in a given order."""

from __future__ import annotations

import headwater as hw
from headwater.errors import LaunchError
from headwater.primitives.workspace import Workspace, check_vector, workspace_for
from headwater.runtime.array import Array
from headwater.types import INT32


@hw.kernel
def _gather(destination, source, order):
    i = hw.grid(1)
    destination[i] = source[order[i]]


def gather(
    destination: Array,
    source: Array,
    order: Array,
    *,
    count: Array | None = None,
    workspace: Workspace | None = None,
) -> None:
    """destination[i] = source[order[i]] for the first `count` (by default all) elements of `order`.

    `destination` and `source` hold one scalar or vector type and share no memory; `order` is int32 and holds
    valid subscripts of `source`. `destination` is as long as `order`, or, with `count`, has so many elements.
    LaunchError otherwise.
    """
    check_vector("order", order, INT32)
    check_vector("source", source)
    check_vector("destination", destination, least=0 if count is not None else len(order))
    if destination.dtype != source.dtype or destination is source:
        raise LaunchError(f"{source!r} cannot be gathered into {destination!r}")
    most = min(len(order), len(destination))
    if most == 0:
        return
    space = workspace_for(order, workspace)
    _gather.over(space.count(most, count), capacity=most)(destination, source, order)
