"""From Python functions to the IR.

Here stands what is cheap to import; `frontend.lower` holds the entry, `frontend.fingerprint` the key of a kernel.
"""

from headwater.frontend.dialect import HW as HW
from headwater.frontend.dialect import Dialect as Dialect
from headwater.frontend.dialect import Guard as Guard
from headwater.frontend.function import DeviceFunction as DeviceFunction
from headwater.frontend.function import function as function
