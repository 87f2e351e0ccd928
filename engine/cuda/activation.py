"""The kernels of activation functions, with the functions of `engine/cpu/activation.py`.

Mirrors aten/src/ATen/native/cuda/Activation*Kernel.cu.
"""

from ..cpu.activation import KERNELS
from .elementwise import register

register(KERNELS)
