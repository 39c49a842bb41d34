"""Mathematics for float32 and float64 in the kernel language, the same on every device.

Kernels reach it as `math.sin`, `np.sin` or `hw.sin`. docs/mathematics.md gives the largest error of each function.
"""

from headwater.math.library import NAMES as NAMES
from headwater.math.library import device_function as device_function
