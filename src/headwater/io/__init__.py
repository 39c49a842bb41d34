"""Files: written whole or not at all, in formats that other programs of the field open."""

from headwater.io.atomic import replaces, writable_file, write_atomically
from headwater.io.folders import writable_folder
from headwater.io.locks import LOCK, locked_folder
from headwater.io.polydata import Snapshot, collection, polydata

__all__ = [
    "LOCK",
    "Snapshot",
    "collection",
    "locked_folder",
    "polydata",
    "replaces",
    "writable_file",
    "writable_folder",
    "write_atomically",
]
