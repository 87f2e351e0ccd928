"""The gradient of group_norm of a contiguous tensor. Mirrors aten/src/ATen/native/cpu/group_norm_kernel.cpp.

The plain loop that it replaces, x being the n elements of a group of channels of one sample and g the gradient of its
output, of which channel c has x[c] and g[c]:

    dbetas[c] = sum(g[c])
    dgammas[c] = sum(a * (b - mean) * rstd for a, b in zip(g[c], x[c]))
    of_mean = sum(weight[c] * dbetas[c] for c in channels) / n
    of_rstd = sum(weight[c] * dgammas[c] for c in channels) / n
    dx[c] = [(a * weight[c] - of_mean - (b - mean) * rstd * of_rstd) * rstd for a, b in zip(g[c], x[c])]
"""

from ..aten.native import group_norm
from ..dtypes import dtype
from ..tensor_impl import Tensor
from .loops import INDEX, NUMBA
from .ranges import Ranged
from .row_sums import FLOATS, gradient, sums_of_gradient, vector


def groups(begin, end, dx, dgammas, dbetas, g, x, means, rstds, weight, count, channels, size):
    """Groups `begin` to `end`, of `channels` channels of `size` elements; each sample has `count` groups."""
    n = channels * size
    for which in range(begin, end):
        mean, rstd = means[which], rstds[which]
        of_mean, of_rstd = 0.0, 0.0
        for row in range(which * channels, (which + 1) * channels):
            total, products = sums_of_gradient(g[row * size : (row + 1) * size], x[row * size : (row + 1) * size], mean)
            dbetas[row], dgammas[row] = total, products * rstd
            factor = weight[row % (count * channels)] if weight.size else x.dtype.type(1)
            of_mean += factor * total
            of_rstd += factor * products * rstd
        if not dx.size:
            continue
        shift, slope = x.dtype.type(of_mean / n * rstd), x.dtype.type(of_rstd / n * rstd * rstd)
        for row in range(which * channels, (which + 1) * channels):
            factor = weight[row % (count * channels)] * rstd if weight.size else rstd
            first, last = row * size, (row + 1) * size
            gradient(dx[first:last], g[first:last], x[first:last], mean, factor, slope, shift)


def arguments(kind: dtype) -> tuple:
    """numba's types of what follows `begin` and `end`."""
    return (*(NUMBA[kind][::1],) * 8, INDEX, INDEX, INDEX)


GROUPS = Ranged("GroupNormBackwardKernelImpl", FLOATS, lambda kind: groups, arguments, ("contract",))


def group_norm_backward_kernel(
    dx: Tensor | None, dgammas: Tensor, dbetas: Tensor, g: Tensor, x: Tensor, mean: Tensor, rstd: Tensor,
    gamma: Tensor | None, N: int, C: int, HxW: int, group: int,
) -> None:  # fmt: skip
    """What `group_norm_backward_stub` says."""
    channels = C // group
    vectors = (vector(tensor, x) for tensor in (dx, dgammas, dbetas, g, x, mean, rstd, gamma))
    GROUPS(x._dtype, N * group, 4 * channels * HxW, *vectors, group, channels, HxW)


group_norm.group_norm_backward_stub.register("cpu", group_norm_backward_kernel)
