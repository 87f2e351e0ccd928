"""The kernels of two operands: arithmetic and comparisons, with the functions of `engine/cpu/binary_ops.py`.

Mirrors aten/src/ATen/native/cuda/{BinaryMulKernel,BinaryDivTrueKernel,CompareKernels}.cu.
"""

from ..cpu.binary_ops import KERNELS
from .elementwise import register

register(KERNELS)
