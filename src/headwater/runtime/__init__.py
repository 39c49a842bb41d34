"""Devices, arrays, launches and the program cache. Knows backends only through their contract."""

from headwater.runtime.array import Array as Array
from headwater.runtime.compile import compile_seconds as compile_seconds
from headwater.runtime.device import Device as Device
from headwater.runtime.device import Listing as Listing
from headwater.runtime.device import device as device
from headwater.runtime.device import devices as devices
from headwater.runtime.kernel import Kernel as Kernel
from headwater.runtime.kernel import kernel as kernel
from headwater.runtime.launch import Launch as Launch
from headwater.runtime.memory import MemoryReport as MemoryReport
from headwater.runtime.memory import memory_report as memory_report
from headwater.runtime.records import RecordArray as RecordArray
