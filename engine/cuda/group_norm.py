"""group_norm of a contiguous tensor, and its gradient. Mirrors aten/src/ATen/native/cuda/group_norm_kernel.cu.

The plain loops that they replace, x being the n elements of a group of channels of one sample and g the gradient of its
output, of which channel c has x[c] and g[c]:

    mean, variance = sum(x) / n, sum((a - mean) ** 2 for a in x) / n
    out = [(a - mean) / sqrt(variance + eps) * weight[c] + bias[c] for each a of x, in channel c]

    dbetas[c] = sum(g[c])
    dgammas[c] = sum(a * (b - mean) * rstd for a, b in zip(g[c], x[c]))
    of_mean = sum(weight[c] * dbetas[c] for c in channels) / n
    of_rstd = sum(weight[c] * dgammas[c] for c in channels) / n
    dx[c] = [(a * weight[c] - of_mean - (b - mean) * rstd * of_rstd) * rstd for a, b in zip(g[c], x[c])]
"""

import math

from ..aten.empty_tensor import new_tensor
from ..aten.native import group_norm
from ..tensor_impl import Tensor
from .channel_sums import statistics, sums_of_gradient
from .driver import cuda
from .launch import grid_of, launch
from .row_sums import FLOATS, Normalization, normalize, number, require, vector


def as_matrix(self: Tensor, rows: int) -> Tensor:
    """Return a contiguous tensor as a matrix of `rows` rows."""
    n = self.numel() // rows
    return self._alias((rows, n), (n, 1), self._storage_offset)


def as_vector(self: Tensor) -> Tensor:
    """Return a contiguous tensor as a vector."""
    return self._alias((self.numel(),), (1,), self._storage_offset)


def group_norm_kernel(
    out: Tensor, mean: Tensor, rstd: Tensor, self: Tensor, weight: Tensor | None, bias: Tensor | None,
    N: int, C: int, HxW: int, group: int, eps: float,
) -> None:  # fmt: skip
    """Compute group_norm; all tensors are contiguous, the first three newly allocated.

    Raises:
        NotImplementedError: not floating-point.
    """
    require("GroupNormKernelImpl", FLOATS, self._dtype)
    rows, n = N * group, C // group * HxW
    if not rows:
        return
    statistics(as_vector(mean), as_vector(rstd), as_matrix(self, rows), (1,), eps, math.inf)
    if n:
        arrays = (vector(tensor, self) for tensor in (out, self, mean, rstd, weight, bias))
        numbers = Normalization(HxW, n, rows, C, number(eps, self), is_variance=False, is_centered=False)
        launch(normalize, *grid_of("elementwise", rows * n), rows * n, *arrays, numbers)


@cuda.jit
def sums_of_groups(rows, count, channels, of_means, of_rstds, dgammas, dbetas, rstds, weight):
    """Sum over the `channels` channels of each group, one thread per group; a sample has `count` groups.

    Turn `dgammas` from sum(g * (x - mean)) into sum(g * (x - mean) * rstd).
    """
    for row in range(cuda.grid(1), rows, cuda.gridsize(1)):
        of_mean, of_rstd = rstds.dtype.type(0), rstds.dtype.type(0)
        for c in range(channels):
            cell = row * channels + c
            dgammas[cell] *= rstds[row]
            factor = weight[row % count * channels + c] if weight.size else rstds.dtype.type(1)
            of_mean += factor * dbetas[cell]
            of_rstd += factor * dgammas[cell]
        of_means[row] = of_mean
        of_rstds[row] = of_rstd


@cuda.jit
def input_of_groups(n, dx, g, x, means, rstds, weight, of_means, of_rstds, size, per_group, channels):
    """Compute the gradient of the input; a group has `per_group` elements, a channel has `size`."""
    count = x.dtype.type(per_group)
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        row = i // per_group
        slope = g[i] * weight[i // size % channels] if weight.size else g[i]
        normalized = (x[i] - means[row]) * rstds[row]
        dx[i] = (slope - of_means[row] / count - normalized * of_rstds[row] / count) * rstds[row]


def group_norm_backward_kernel(
    dx: Tensor | None, dgammas: Tensor, dbetas: Tensor, g: Tensor, x: Tensor, mean: Tensor, rstd: Tensor,
    gamma: Tensor | None, N: int, C: int, HxW: int, group: int,
) -> None:  # fmt: skip
    """Compute the gradients of group_norm: the CUDA kernel of `group_norm_backward_stub`.

    Raises:
        NotImplementedError: not floating-point.
    """
    require("GroupNormBackwardKernelImpl", FLOATS, x._dtype)
    rows, channels = N * group, C // group
    if not rows * channels:
        return
    of_g, of_x, means, rstds, weight, products, totals = (
        vector(tensor, x) for tensor in (g, x, mean, rstd, gamma, dgammas, dbetas)
    )
    matrices = as_matrix(g, N * C), as_matrix(x, N * C)
    sums_of_gradient(as_vector(dbetas), as_vector(dgammas), *matrices, mean, (1,), channels)
    made = [new_tensor((rows,), (1,), x._dtype, x._storage.device) for _ in range(2)]
    of_means, of_rstds = (vector(tensor, x) for tensor in made)
    launch(sums_of_groups, *grid_of("elementwise", rows), rows, group, channels, of_means, of_rstds, products, totals,
           rstds, weight)  # fmt: skip
    if dx is not None and x.numel():
        launch(input_of_groups, *grid_of("elementwise", x.numel()), x.numel(), vector(dx, x), of_g, of_x, means, rstds,
               weight, of_means, of_rstds, HxW, channels * HxW, C)  # fmt: skip


group_norm.group_norm_stub.register("cuda", group_norm_kernel)
group_norm.group_norm_backward_stub.register("cuda", group_norm_backward_kernel)
