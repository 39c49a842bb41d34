"""From Python functions to the IR."""

from headwater.frontend.capture import fingerprint as fingerprint
from headwater.frontend.dialect import HW as HW
from headwater.frontend.dialect import Dialect as Dialect
from headwater.frontend.dialect import Guard as Guard
from headwater.frontend.function import DeviceFunction as DeviceFunction
from headwater.frontend.function import function as function
from headwater.frontend.lower import lower as lower
