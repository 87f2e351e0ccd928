"""group_norm of a contiguous tensor. Mirrors aten/src/ATen/native/cpu/group_norm_kernel.cpp.

The plain loop that it replaces, x being the elements of a group of channels of one sample:

    mean, variance = sum(x) / n, sum((a - mean) ** 2 for a in x) / n
    out = [(a - mean) / sqrt(variance + eps) * weight[c] + bias[c] for each a of x, in channel c]
"""

import math

from numba import types

from ..aten.native import group_norm
from ..dtypes import dtype
from ..tensor_impl import Tensor
from .loops import INDEX, NUMBA
from .ranges import Ranged
from .row_sums import FLOATS, scale, squares_about, sum_of, vector


def groups(begin, end, out, means, rstds, x, p, count, channels, size, weight, bias, eps):
    """Groups `begin` to `end`, of `channels` channels of `size` elements; each sample has `count` groups."""
    n = channels * size
    for which in range(begin, end):
        of, to = x[p + which * n : p + which * n + n], out[which * n : which * n + n]
        mean = sum_of(of) / n if n else 0.0
        rstd = 1 / math.sqrt(squares_about(of, mean) / n + eps)
        means[which], rstds[which] = mean, rstd
        for channel in range(channels):
            c = which % count * channels + channel
            factor = rstds[which] * weight[c] if weight.size else rstds[which]
            shift = bias[c] - means[which] * factor if bias.size else -means[which] * factor
            cells = channel * size
            scale(to[cells : cells + size], of[cells : cells + size], out.dtype.type(0), factor, shift)


def arguments(kind: dtype) -> tuple:
    """numba's types of what follows `begin` and `end`."""
    array = NUMBA[kind][::1]
    return (array, array, array, array, INDEX, INDEX, INDEX, INDEX, array, array, types.float64)


GROUPS = Ranged("GroupNormKernelImpl", FLOATS, lambda kind: groups, arguments, ("contract",))


def group_norm_kernel(
    out: Tensor, mean: Tensor, rstd: Tensor, self: Tensor, weight: Tensor | None, bias: Tensor | None,
    N: int, C: int, HxW: int, group: int, eps: float,
) -> None:  # fmt: skip
    """All tensors are contiguous, the first three new."""
    channels = C // group
    GROUPS(
        self._dtype, N * group, 3 * channels * HxW, out._flat(), mean._flat(), rstd._flat(), self._flat(),
        self._storage_offset, group, channels, HxW, vector(weight, self), vector(bias, self), float(eps),
    )  # fmt: skip


group_norm.group_norm_stub.register("cpu", group_norm_kernel)
