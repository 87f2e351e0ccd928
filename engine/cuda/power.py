"""Kernels of powers: libdevice's `pow` of floats, and the special ones of `engine/cpu/power.py`.

Mirrors aten/src/ATen/native/cuda/PowKernel.cu.
"""

from typing import Any

from ..aten.native import pow as native
from ..aten.scalar_ops import checked_convert
from ..cpu.power import GENERAL, KERNELS, SPECIAL, power, power_float32
from .elementwise import register


def pow_tensor_scalar(iter: Any, exponent: float) -> None:
    """Compute out = a ** exponent over the iterator.

    Raises:
        RuntimeError: the exponent is outside the range of the dtype.
    """
    special = SPECIAL.get(exponent)
    if special is not None:
        special.kernels["cuda"](iter)
    else:
        GENERAL.kernels["cuda"](iter, checked_convert(exponent, iter.plan.common_dtype))


register(KERNELS, {power_float32: power})
native.pow_tensor_scalar_stub.register("cuda", pow_tensor_scalar)
