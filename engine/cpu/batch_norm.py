"""batch_norm: planes of channels in contiguous memory, columns of channels where those are adjacent.

The plain loop that it replaces, x being all elements of a channel:

    mean, variance = sum(x) / n, sum((a - mean) ** 2 for a in x) / n     # in training, else the running ones
    out = [(a - mean) / sqrt(variance + eps) * weight + bias for a in x]

Mirrors aten/src/ATen/native/cpu/batch_norm_kernel.cpp.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from ..aten.native import normalization
from ..dtypes import dtype
from ..strides import is_contiguous
from ..tensor_impl import Tensor
from .argument_structs import Elements, type_of
from .ranges import Ranged
from .row_sums import FLOATS, scale, squares_about, sum_of, vector

BLOCK = 64  # adjacent channels at a time
CHUNK = 64  # rows whose sums are added in the dtype of the input


class BatchNorm(NamedTuple):
    """The arguments of the batch_norm kernel; a tensor that is None is an empty array.

    Attributes:
        out, input: flat arrays in one memory format; `input` begins at its element `start`.
        batch, channels, size: images, and elements of one channel of one image.
        means, invstds: (channels,) of the batch, which training writes.
        centered: whether the mean is subtracted first, or is a part of what is added.
        momentum: the weight of the batch in the running statistics.
        eps: added to variances.
    """

    out: Elements
    input: Elements
    start: int
    batch: int
    channels: int
    size: int
    weight: Elements
    bias: Elements
    means: Elements
    invstds: Elements
    running_mean: Elements
    running_var: Elements
    training: bool
    centered: bool
    momentum: float
    eps: float


@register_jitable
def collect(norm, c, total, squares):
    """Store the mean and invstd of channel c, and update its running statistics."""
    count, momentum, eps = norm.batch * norm.size, norm.momentum, norm.eps
    mean, variance = total / count, squares / count
    norm.means[c] = mean
    norm.invstds[c] = 1 / math.sqrt(variance + eps) if variance + eps != 0 else 0
    if norm.running_mean.size:
        norm.running_mean[c] = momentum * mean + (1 - momentum) * norm.running_mean[c]
    if norm.running_var.size:
        norm.running_var[c] = momentum * (squares / (count - 1)) + (1 - momentum) * norm.running_var[c]


@register_jitable
def coefficients(norm, c):
    """Return (center, factor, shift) of channel c: its output is (input - center) * factor + shift."""
    number = norm.out.dtype.type
    if norm.training:
        mean, invstd = norm.means[c], norm.invstds[c]
    else:
        mean, invstd = norm.running_mean[c], number(1 / math.sqrt(norm.running_var[c] + norm.eps))
    factor = invstd * norm.weight[c] if norm.weight.size else invstd
    shift = norm.bias[c] if norm.bias.size else number(0)
    return (mean, factor, shift) if norm.centered else (number(0), factor, shift - mean * factor)


@register_jitable
def sums_of_columns(sums, parts, x, first, cells, step):
    """Fill `sums` with the sum of each column, in float64; rows begin every `step` cells from `first` on."""
    sums[:] = 0
    for chunk in range(first, cells, CHUNK * step):
        parts[:] = 0
        for cell in range(chunk, min(cells, chunk + CHUNK * step), step):
            row = x[cell : cell + parts.size]
            for j in range(parts.size):
                parts[j] += row[j]
        for j in range(parts.size):
            sums[j] += parts[j]


@register_jitable
def squares_of_columns(sums, parts, centers, x, first, cells, step):
    """Fill `sums` with the sum of (a - center)**2 of each column; the other arguments are as in `sums_of_columns`."""
    sums[:] = 0
    for chunk in range(first, cells, CHUNK * step):
        parts[:] = 0
        for cell in range(chunk, min(cells, chunk + CHUNK * step), step):
            row = x[cell : cell + parts.size]
            for j in range(parts.size):
                parts[j] += (row[j] - centers[j]) * (row[j] - centers[j])
        for j in range(parts.size):
            sums[j] += parts[j]


def planes(begin, end, norm):
    """Normalize channels `begin` to `end`, each made of `batch` runs of `size` elements; `norm` is a `BatchNorm`."""
    out, x, p, batch, size = norm.out, norm.input, norm.start, norm.batch, norm.size
    step = norm.channels * size
    for c in range(begin, end):
        if norm.training:
            total, squares = 0.0, 0.0
            for first in range(c * size, batch * step, step):
                total += sum_of(x[p + first : p + first + size])
            mean = total / (batch * size)
            for first in range(c * size, batch * step, step):
                squares += squares_about(x[p + first : p + first + size], mean)
            collect(norm, c, total, squares)
        center, factor, shift = coefficients(norm, c)
        for first in range(c * size, batch * step, step):
            scale(out[first : first + size], x[p + first : p + first + size], center, factor, shift)


def columns(begin, end, norm):
    """Normalize blocks `begin` to `end` of adjacent channels; the input is `batch * size` rows of all channels."""
    out, x, p, channels = norm.out, norm.input, norm.start, norm.channels
    totals, squares = np.empty(BLOCK), np.empty(BLOCK)
    parts, centers = np.empty(BLOCK, out.dtype), np.empty(BLOCK, out.dtype)
    factors, shifts = np.empty(BLOCK, out.dtype), np.empty(BLOCK, out.dtype)
    count = norm.batch * norm.size
    cells = count * channels
    for block in range(begin, end):
        left = block * BLOCK
        width = min(BLOCK, channels - left)
        if norm.training:
            sums_of_columns(totals[:width], parts[:width], x, p + left, p + cells, channels)
            for j in range(width):
                centers[j] = totals[j] / count
            squares_of_columns(squares[:width], parts[:width], centers, x, p + left, p + cells, channels)
            for j in range(width):
                collect(norm, left + j, totals[j], squares[j])
        for j in range(width):
            centers[j], factors[j], shifts[j] = coefficients(norm, left + j)
        for first in range(left, cells, channels):
            row, to = x[p + first : p + first + width], out[first : first + width]
            for j in range(width):
                to[j] = (row[j] - centers[j]) * factors[j] + shifts[j]


def ranged(body: Callable) -> Ranged:
    """Return the kernel that runs `body`, which is `planes` or `columns`."""

    def arguments(kind: dtype) -> tuple:
        return (type_of(BatchNorm, kind),)

    return Ranged("batch_norm", FLOATS, lambda kind: body, arguments, ("contract",))


PLANES, COLUMNS = ranged(planes), ranged(columns)


def batch_norm_kernel(
    out: Tensor, mean: Tensor, invstd: Tensor, self: Tensor, weight: Tensor | None, bias: Tensor | None,
    running_mean: Tensor | None, running_var: Tensor | None, training: bool, centered: bool, momentum: float,
    eps: float,
) -> None:  # fmt: skip
    """Normalize `self` into `out`, both in one memory format; the rest is contiguous, and the first three are new."""
    batch, channels, *rest = self._sizes
    size = math.prod(rest)
    norm = BatchNorm(
        out._flat(), self._flat(), self._storage_offset, batch, channels, size,
        vector(weight, self), vector(bias, self), vector(mean, self), vector(invstd, self),
        vector(running_mean, self), vector(running_var, self), training, centered, float(momentum), float(eps),
    )  # fmt: skip
    if size > 1 and is_contiguous(self._sizes, self._strides):
        PLANES(self._dtype, channels, 3 * batch * size, norm)
    else:
        COLUMNS(self._dtype, -(-channels // BLOCK), 3 * BLOCK * batch * size, norm)


normalization.batch_norm_stub.register("cpu", batch_norm_kernel)
