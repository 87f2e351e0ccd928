"""Kernels of three operands, with the functions of `engine/cpu/pointwise_ops.py`: addcmul, addcdiv, lerp.

Mirrors aten/src/ATen/native/cuda/{PointwiseOpsKernel,Lerp}.cu.
"""

from ..cpu.pointwise_ops import KERNELS
from .elementwise import register

register(KERNELS)
