"""The gradient of group_norm of a contiguous tensor. Mirrors aten/src/ATen/native/cpu/group_norm_kernel.cpp.

The plain loop that it replaces, x being the n elements of a group of channels of one sample and g the gradient of its
output, of which channel c has x[c] and g[c]:

    dbetas[c] = sum(g[c])
    dgammas[c] = sum(a * (b - mean) * rstd for a, b in zip(g[c], x[c]))
    of_mean = sum(weight[c] * dbetas[c] for c in channels) / n
    of_rstd = sum(weight[c] * dgammas[c] for c in channels) / n
    dx[c] = [(a * weight[c] - of_mean - (b - mean) * rstd * of_rstd) * rstd for a, b in zip(g[c], x[c])]
"""

from typing import NamedTuple

from numba.extending import register_jitable

from ..aten.native import group_norm
from ..dtypes import dtype
from ..tensor_impl import Tensor
from .argument_structs import Elements, type_of
from .ranges import Ranged
from .row_sums import FLOATS, gradient, sums_of_gradient, vector


@register_jitable
def sums_of_group(dgamma, dbeta, g, x, mean, rstd, weight, size):
    """Compute a group's dgamma and dbeta, and return two sums for the gradient of the input, not yet divided by n."""
    of_mean, of_rstd = 0.0, 0.0
    for c in range(dgamma.size):
        first, last = c * size, c * size + size
        total, products = sums_of_gradient(g[first:last], x[first:last], mean)
        dbeta[c], dgamma[c] = total, products * rstd
        factor = weight[c] if weight.size else x.dtype.type(1)
        of_mean += factor * total
        of_rstd += factor * products * rstd
    return of_mean, of_rstd


@register_jitable
def input_of_group(dx, g, x, mean, rstd, weight, size, shift, slope):
    """Compute the gradient of the input for one group."""
    for c in range(x.size // size):
        first, last = c * size, c * size + size
        factor = weight[c] * rstd if weight.size else rstd
        gradient(dx[first:last], g[first:last], x[first:last], mean, factor, slope, shift)


class GroupNormBackward(NamedTuple):
    """The arguments of the group_norm backward kernel; an empty grad_input is not computed, an empty weight means ones.

    Attributes:
        grad_input, grad_output, input: flat arrays.
        dgammas, dbetas: the parts of each sample in the gradients of weight and bias.
        means, rstds: of all groups of all samples.
        groups, channels, size: groups of a sample, channels of a group, elements of a channel.
    """

    grad_input: Elements
    dgammas: Elements
    dbetas: Elements
    grad_output: Elements
    input: Elements
    means: Elements
    rstds: Elements
    weight: Elements
    groups: int
    channels: int
    size: int


def groups(begin, end, norm):
    """Compute the gradients of groups `begin` to `end`, numbered over samples; `norm` is a `GroupNormBackward`."""
    dx, g, x, weight, channels, size = (
        norm.grad_input, norm.grad_output, norm.input, norm.weight, norm.channels, norm.size)  # fmt: skip
    n = channels * size
    number = x.dtype.type
    for which in range(begin, end):
        first, last = which * n, which * n + n
        row, c = which * channels, which % norm.groups * channels
        of_g, of_x, weights = g[first:last], x[first:last], weight[c : c + channels]
        mean, rstd = norm.means[which], norm.rstds[which]
        of_mean, of_rstd = sums_of_group(
            norm.dgammas[row : row + channels], norm.dbetas[row : row + channels], of_g, of_x, mean, rstd, weights, size
        )
        if dx.size:
            shift, slope = number(of_mean / n * rstd), number(of_rstd / n * rstd * rstd)
            input_of_group(dx[first:last], of_g, of_x, mean, rstd, weights, size, shift, slope)


def arguments(kind: dtype) -> tuple:
    """Return numba's types of the arguments that follow `begin` and `end`."""
    return (type_of(GroupNormBackward, kind),)


GROUPS = Ranged("GroupNormBackwardKernelImpl", FLOATS, lambda kind: groups, arguments, ("contract",))


def group_norm_backward_kernel(
    dx: Tensor | None, dgammas: Tensor, dbetas: Tensor, g: Tensor, x: Tensor, mean: Tensor, rstd: Tensor,
    gamma: Tensor | None, N: int, C: int, HxW: int, group: int,
) -> None:  # fmt: skip
    """Compute dx, unless it is None, and the contribution of each sample to dgammas and dbetas."""
    channels = C // group
    norm = GroupNormBackward(
        vector(dx, x), vector(dgammas, x), vector(dbetas, x), vector(g, x), vector(x, x),
        vector(mean, x), vector(rstd, x), vector(gamma, x), group, channels, HxW,
    )  # fmt: skip
    GROUPS(x._dtype, N * group, 4 * channels * HxW, norm)


group_norm.group_norm_backward_stub.register("cpu", group_norm_backward_kernel)
