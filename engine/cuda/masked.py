"""Kernels of masks: masked_fill, with the function of `engine/cpu/masked.py`.

Mirrors aten/src/ATen/native/cuda/IndexKernel.cu.
"""

from ..cpu.masked import KERNELS
from .elementwise import register

register(KERNELS)
