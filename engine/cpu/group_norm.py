"""group_norm of a contiguous tensor. Mirrors aten/src/ATen/native/cpu/group_norm_kernel.cpp.

The plain loop that it replaces, x being the elements of a group of channels of one sample:

    mean, variance = sum(x) / n, sum((a - mean) ** 2 for a in x) / n
    out = [(a - mean) / sqrt(variance + eps) * weight[c] + bias[c] for each a of x, in channel c]
"""

import math
from typing import NamedTuple

from ..aten.native import group_norm
from ..dtypes import dtype
from ..tensor_impl import Tensor
from .argument_structs import Elements, type_of
from .ranges import Ranged
from .row_sums import FLOATS, scale, squares_about, sum_of, vector


class GroupNorm(NamedTuple):
    """The arguments of the group_norm kernel; an empty weight means ones, an empty bias zeros.

    Attributes:
        out, input: flat arrays; `input` begins at its element `start`.
        means, rstds: of all groups of all samples, which are written.
        groups, channels, size: groups of a sample, channels of a group, elements of a channel.
        eps: added to variances.
    """

    out: Elements
    means: Elements
    rstds: Elements
    input: Elements
    start: int
    groups: int
    channels: int
    size: int
    weight: Elements
    bias: Elements
    eps: float


def groups(begin, end, norm):
    """Normalize groups `begin` to `end`, numbered over all samples; `norm` is a `GroupNorm`."""
    out, x, p, means, rstds = norm.out, norm.input, norm.start, norm.means, norm.rstds
    weight, bias, channels, size = norm.weight, norm.bias, norm.channels, norm.size
    n = channels * size
    for which in range(begin, end):
        of, to = x[p + which * n : p + which * n + n], out[which * n : which * n + n]
        mean = sum_of(of) / n if n else 0.0
        rstd = 1 / math.sqrt(squares_about(of, mean) / n + norm.eps)
        means[which], rstds[which] = mean, rstd
        for channel in range(channels):
            c = which % norm.groups * channels + channel
            factor = rstds[which] * weight[c] if weight.size else rstds[which]
            shift = bias[c] - means[which] * factor if bias.size else -means[which] * factor
            cells = channel * size
            scale(to[cells : cells + size], of[cells : cells + size], out.dtype.type(0), factor, shift)


def arguments(kind: dtype) -> tuple:
    """Return numba's types of the arguments that follow `begin` and `end`."""
    return (type_of(GroupNorm, kind),)


GROUPS = Ranged("GroupNormKernelImpl", FLOATS, lambda kind: groups, arguments, ("contract",))


def group_norm_kernel(
    out: Tensor, mean: Tensor, rstd: Tensor, self: Tensor, weight: Tensor | None, bias: Tensor | None,
    N: int, C: int, HxW: int, group: int, eps: float,
) -> None:  # fmt: skip
    """Normalize each group of `self` into `out`; all tensors are contiguous, and the first three are new."""
    channels = C // group
    norm = GroupNorm(
        out._flat(), mean._flat(), rstd._flat(), self._flat(), self._storage_offset, group, channels, HxW,
        vector(weight, self), vector(bias, self), float(eps),
    )  # fmt: skip
    GROUPS(self._dtype, N * group, 3 * channels * HxW, norm)


group_norm.group_norm_stub.register("cpu", group_norm_kernel)
