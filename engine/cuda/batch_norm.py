"""batch_norm and its gradient: reductions for each channel, then a thread an element.

The plain loops that they replace, x being the n elements of a channel and g the gradient of its output:

    mean, variance = sum(x) / n, sum((a - mean) ** 2 for a in x) / n     # in training, else the running ones
    out = [(a - mean) / sqrt(variance + eps) * weight + bias for a in x]

    dbias = sum(g)
    dweight = sum(a * (b - mean) * invstd for a, b in zip(g, x))
    dx = [(a - dbias / n - (b - mean) * invstd * dweight / n) * invstd * weight for a, b in zip(g, x)]   # in training
    dx = [a * invstd * weight for a in g]                  # where mean and invstd are running ones

Mirrors aten/src/ATen/native/cuda/Normalization.cuh.
"""

import math

from ..aten.empty_tensor import new_tensor
from ..aten.native import normalization
from ..strides import Ints, is_contiguous
from ..tensor_impl import Tensor
from .channel_sums import statistics, sums_of_gradient
from .driver import cuda
from .launch import grid_of, launch
from .row_sums import FLOATS, Normalization, normalize, number, require, vector


def elements_per_channel(self: Tensor) -> int:
    """Return the number of adjacent elements of a channel: height * width if contiguous, 1 if channels_last."""
    return math.prod(self._sizes[2:]) if is_contiguous(self._sizes, self._strides) else 1


def all_but_channels(self: Tensor) -> Ints:
    """Return all dimensions except the channels'."""
    return (0, *range(2, len(self._sizes)))


def batch_norm_kernel(
    out: Tensor, mean: Tensor, invstd: Tensor, self: Tensor, weight: Tensor | None, bias: Tensor | None,
    running_mean: Tensor | None, running_var: Tensor | None, training: bool, centered: bool, momentum: float,
    eps: float,
) -> None:  # fmt: skip
    """Compute batch_norm; `out` and `self` share a memory format, the rest are contiguous, the first three new.

    Raises:
        NotImplementedError: not floating-point.
    """
    require("batch_norm", FLOATS, self._dtype)
    channels, size, count = self._sizes[1], elements_per_channel(self), self.numel()
    if training:
        statistics(mean, invstd, self, all_but_channels(self), eps, 0.0, running_mean, running_var, momentum)
    by = (mean, invstd) if training else (running_mean, running_var)
    arrays = (vector(tensor, self) for tensor in (out, self, *by, weight, bias))
    numbers = Normalization(size, size, channels, channels, number(eps, self), not training, centered)
    launch(normalize, *grid_of("elementwise", count), count, *arrays, numbers)


@cuda.jit
def parameters(channels, dweight, dbias, totals, products, invstds):
    """Compute the gradients of weight and bias from the sums of `sums_of_gradient`; skip each whose array is empty."""
    for c in range(cuda.grid(1), channels, cuda.gridsize(1)):
        if dweight.size:
            dweight[c] = products[c] * invstds[c]
        if dbias.size:
            dbias[c] = totals[c]


@cuda.jit
def input_of_channels(n, dx, g, x, weight, means, invstds, totals, products, size, channels, training):
    """Compute the gradient of batch_norm with respect to its input."""
    count = x.dtype.type(n // channels)
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        c = i // size % channels
        factor = invstds[c] * weight[c] if weight.size else invstds[c]
        if training:
            of_invstd = (x[i] - means[c]) * (products[c] / count * invstds[c] * invstds[c])
            dx[i] = (g[i] - of_invstd - totals[c] / count) * factor
        else:
            dx[i] = g[i] * factor


def batch_norm_backward_kernel(
    dx: Tensor | None, dweight: Tensor | None, dbias: Tensor | None, g: Tensor, x: Tensor, weight: Tensor | None,
    mean: Tensor, invstd: Tensor, training: bool,
) -> None:  # fmt: skip
    """Compute the gradients of batch_norm: the CUDA kernel of `batch_norm_backward_stub`.

    Raises:
        NotImplementedError: not floating-point.
    """
    require("batch_norm_backward", FLOATS, x._dtype)
    channels, size, n = x._sizes[1], elements_per_channel(x), x.numel()
    total, product = (new_tensor((channels,), (1,), x._dtype, x._storage.device) for _ in range(2))
    totals, products, of_g, of_x, means, invstds = (
        vector(tensor, x) for tensor in (total, product, g, x, mean, invstd)
    )
    if training or dweight is not None or dbias is not None:
        sums_of_gradient(total, product, g, x, mean, all_but_channels(x))
        launch(parameters, *grid_of("elementwise", channels), channels, vector(dweight, x), vector(dbias, x), totals,
               products, invstds)  # fmt: skip
    if dx is not None and n:
        launch(input_of_channels, *grid_of("elementwise", n), n, vector(dx, x), of_g, of_x, vector(weight, x), means,
               invstds, totals, products, size, channels, training)  # fmt: skip


normalization.batch_norm_stub.register("cuda", batch_norm_kernel)
normalization.batch_norm_backward_stub.register("cuda", batch_norm_backward_kernel)
