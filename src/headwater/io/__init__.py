"""Files: written whole or not at all, in formats that other programs of the field open."""

from headwater.io.atomic import write_atomically as write_atomically
from headwater.io.folders import writable_folder as writable_folder
from headwater.io.polydata import Snapshot as Snapshot
from headwater.io.polydata import collection as collection
from headwater.io.polydata import polydata as polydata
