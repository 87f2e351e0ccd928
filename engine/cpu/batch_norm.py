"""batch_norm: planes of channels in contiguous memory, columns of channels where those are adjacent.

The plain loop that it replaces, x being all elements of a channel:

    mean, variance = sum(x) / n, sum((a - mean) ** 2 for a in x) / n     # in training, else the running ones
    out = [(a - mean) / sqrt(variance + eps) * weight + bias for a in x]

Mirrors aten/src/ATen/native/cpu/batch_norm_kernel.cpp.
"""

import math
from collections.abc import Callable

import numpy as np
from numba import types
from numba.extending import register_jitable

from ..aten.native import normalization
from ..dtypes import dtype
from ..strides import is_contiguous
from ..tensor_impl import Tensor
from .loops import INDEX, NUMBA
from .ranges import Ranged
from .row_sums import FLOATS, scale, squares_about, sum_of, vector

BLOCK = 64  # neighbouring channels at a time
CHUNK = 64  # rows whose sums are added in the dtype of the input


@register_jitable
def collect(c, total, squares, count, means, invstds, running_mean, running_var, momentum, eps):
    """Keep the statistics of channel c, and let the running ones follow."""
    mean, variance = total / count, squares / count
    means[c] = mean
    invstds[c] = 1 / math.sqrt(variance + eps) if variance + eps != 0 else 0
    if running_mean.size:
        running_mean[c] = momentum * mean + (1 - momentum) * running_mean[c]
    if running_var.size:
        running_var[c] = momentum * (squares / (count - 1)) + (1 - momentum) * running_var[c]


@register_jitable
def coefficients(c, weight, bias, means, invstds, running_mean, running_var, training, centered, eps):
    """(center, factor, shift) of channel c: its output is (input - center) * factor + shift.

    `centered` says whether the mean is the center, or part of the shift.
    """
    if training:
        mean, invstd = means[c], invstds[c]
    else:
        mean, invstd = running_mean[c], running_mean.dtype.type(1 / math.sqrt(running_var[c] + eps))
    zero = bias.dtype.type(0)
    factor, shift = invstd * weight[c] if weight.size else invstd, bias[c] if bias.size else zero
    return (mean, factor, shift) if centered else (zero, factor, shift - mean * factor)


@register_jitable
def sums_of_columns(sums, parts, x, first, cells, step):
    """sums = the sum of each of `sums.size` columns, as float64; rows begin at cell `first` and every `step` on."""
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
    """sums = the sum of (a - center)**2 of each of `sums.size` columns, otherwise as `sums_of_columns`."""
    sums[:] = 0
    for chunk in range(first, cells, CHUNK * step):
        parts[:] = 0
        for cell in range(chunk, min(cells, chunk + CHUNK * step), step):
            row = x[cell : cell + parts.size]
            for j in range(parts.size):
                parts[j] += (row[j] - centers[j]) * (row[j] - centers[j])
        for j in range(parts.size):
            sums[j] += parts[j]


def planes(
    begin, end, out, x, p, batch, channels, size, weight, bias, means, invstds, running_mean, running_var,
    training, centered, momentum, eps,
):  # fmt: skip
    """Channels `begin` to `end`, each `batch` runs of `size` elements; the first element of `x` is its cell p."""
    step = channels * size
    for c in range(begin, end):
        if training:
            total, squares = 0.0, 0.0
            for first in range(c * size, batch * step, step):
                total += sum_of(x[p + first : p + first + size])
            mean = total / (batch * size)
            for first in range(c * size, batch * step, step):
                squares += squares_about(x[p + first : p + first + size], mean)
            collect(c, total, squares, batch * size, means, invstds, running_mean, running_var, momentum, eps)
        center, factor, shift = coefficients(
            c, weight, bias, means, invstds, running_mean, running_var, training, centered, eps
        )
        for first in range(c * size, batch * step, step):
            scale(out[first : first + size], x[p + first : p + first + size], center, factor, shift)


def columns(
    begin, end, out, x, p, batch, channels, size, weight, bias, means, invstds, running_mean, running_var,
    training, centered, momentum, eps,
):  # fmt: skip
    """Blocks `begin` to `end` of neighbouring channels; there are `batch * size` rows of all channels."""
    totals, squares = np.empty(BLOCK), np.empty(BLOCK)
    parts, centers = np.empty(BLOCK, out.dtype), np.empty(BLOCK, out.dtype)
    factors, shifts = np.empty(BLOCK, out.dtype), np.empty(BLOCK, out.dtype)
    count = batch * size
    cells = count * channels
    for block in range(begin, end):
        left = block * BLOCK
        width = min(BLOCK, channels - left)
        if training:
            sums_of_columns(totals[:width], parts[:width], x, p + left, p + cells, channels)
            for j in range(width):
                centers[j] = totals[j] / count
            squares_of_columns(squares[:width], parts[:width], centers, x, p + left, p + cells, channels)
            for j in range(width):
                collect(left + j, totals[j], squares[j], count,
                        means, invstds, running_mean, running_var, momentum, eps)  # fmt: skip
        for j in range(width):
            centers[j], factors[j], shifts[j] = coefficients(
                left + j, weight, bias, means, invstds, running_mean, running_var, training, centered, eps
            )
        for first in range(left, cells, channels):
            row, to = x[p + first : p + first + width], out[first : first + width]
            for j in range(width):
                to[j] = (row[j] - centers[j]) * factors[j] + shifts[j]


def ranged(body: Callable) -> Ranged:
    """The kernel of one of the two loops."""

    def arguments(kind: dtype) -> tuple:
        array = NUMBA[kind][::1]
        return (array, array, *(INDEX,) * 4, *(array,) * 6, types.boolean, types.boolean, types.float64, types.float64)

    return Ranged("batch_norm", FLOATS, lambda kind: body, arguments, ("contract",))


PLANES, COLUMNS = ranged(planes), ranged(columns)


def batch_norm_kernel(
    out: Tensor, mean: Tensor, invstd: Tensor, self: Tensor, weight: Tensor | None, bias: Tensor | None,
    running_mean: Tensor | None, running_var: Tensor | None, training: bool, centered: bool, momentum: float,
    eps: float,
) -> None:  # fmt: skip
    """`out` and `self` are in one memory format, the rest contiguous; the first three are new."""
    batch, channels, *rest = self._sizes
    size = math.prod(rest)
    vectors = (vector(tensor, self) for tensor in (weight, bias, mean, invstd, running_mean, running_var))
    work = (
        out._flat(), self._flat(), self._storage_offset, batch, channels, size, *vectors,
        training, centered, float(momentum), float(eps),
    )  # fmt: skip
    if size > 1 and is_contiguous(self._sizes, self._strides):
        PLANES(self._dtype, channels, 3 * batch * size, *work)
    else:
        COLUMNS(self._dtype, -(-channels // BLOCK), 3 * BLOCK * batch * size, *work)


normalization.batch_norm_stub.register("cpu", batch_norm_kernel)
