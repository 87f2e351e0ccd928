"""The kernels of losses of two operands, with the functions of `engine/cpu/loss.py`.

An input of binary_cross_entropy outside 0 to 1 gives nan: a GPU's kernel can't raise, and PyTorch's stops the
program. Mirrors aten/src/ATen/native/cuda/Loss.cu and BinaryMiscOpsKernels.cu.
"""

import math

from ..cpu import loss as cpu
from .elementwise import register
from .libdevice import like, log, log1p, select


def binary_cross_entropy(a, target):
    """Return (target - 1) * log(1 - a) - target * log(a), with logarithms clamped to >= -100; nan outside 0..1."""
    least = like(a, -100)
    of_rest, of_a = log1p(-a), log(a)
    of_rest, of_a = select(of_rest < least, least, of_rest), select(of_a < least, least, of_a)
    loss = (target - like(a, 1)) * of_rest - target * of_a
    return select((a >= 0) & (a <= 1) & (target >= 0) & (target <= 1), loss, like(a, math.nan))


register(cpu.KERNELS, {cpu.binary_cross_entropy: binary_cross_entropy})
