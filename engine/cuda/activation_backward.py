"""The kernels of the way back through activation functions, with the functions of `engine/cpu/activation_backward.py`.

Mirrors aten/src/ATen/native/cuda/Activation*Kernel.cu and BinaryMiscBackwardOpsKernels.cu.
"""

from ..cpu.activation_backward import KERNELS
from .elementwise import register

register(KERNELS)
