"""Functions of one number as a GPU computes them: nan and infinity where Python's `math` raises.

In a kernel for a GPU they are those of `math`, which numba compiles to calls of libdevice; on the simulator those of
NumPy, which give the same numbers and raise nothing.
"""

import math
from typing import Any

import numpy as np

from .driver import is_simulated

_of: Any = np if is_simulated() else math

exp, expm1, exp2 = _of.exp, _of.expm1, _of.exp2
log, log1p, log2, log10 = _of.log, _of.log1p, _of.log2, _of.log10
sqrt, floor, ceil, trunc = _of.sqrt, _of.floor, _of.ceil, _of.trunc
sin, cos, tan, sinh, cosh, tanh = _of.sin, _of.cos, _of.tan, _of.sinh, _of.cosh, _of.tanh
asin = np.arcsin if is_simulated() else math.asin
acos = np.arccos if is_simulated() else math.acos
atan = np.arctan if is_simulated() else math.atan
fabs, fmod, copysign, hypot = _of.fabs, _of.fmod, _of.copysign, _of.hypot
isnan, isinf, isfinite = _of.isnan, _of.isinf, _of.isfinite
erf = math.erf
