"""Kernels of two operands beyond arithmetic: the larger one, bits, angles, logarithms of sums.

The functions are defined in `engine/cpu/binary_math.py`, which finds float32 angles and lengths by polynomials of its
own; here they are libdevice's. Mirrors aten/src/ATen/native/cuda/Binary*Kernel.cu and MaxMinElementwiseKernel.cu.
"""

from ..cpu import binary_math
from .elementwise import register

register(
    binary_math.KERNELS,
    {binary_math.atan2_float32: binary_math.atan2, binary_math.hypot_float32: binary_math.hypot},
)
