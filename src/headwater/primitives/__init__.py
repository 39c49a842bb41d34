"""Reduce, scan, sort, select and gather, written in the kernel language, on every device.

All of them run on the device alone, repeat bit for bit with any number of threads, and take the number of
elements from the host or, as `count`, from a device array of one int32.
"""

from headwater.primitives.gather import gather
from headwater.primitives.reduce import reduce
from headwater.primitives.scan import exclusive_scan
from headwater.primitives.select import select
from headwater.primitives.sort import sort
from headwater.primitives.workspace import Workspace

__all__ = [
    "Workspace",
    "exclusive_scan",
    "gather",
    "reduce",
    "select",
    "sort",
]
