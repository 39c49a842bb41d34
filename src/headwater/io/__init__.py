"""Files: written whole or not at all, in formats that other programs of the field open."""

from headwater.io.atomic import write_atomically
from headwater.io.folders import writable_folder
from headwater.io.polydata import Snapshot, collection, polydata

__all__ = [
    "Snapshot",
    "collection",
    "polydata",
    "writable_folder",
    "write_atomically",
]
