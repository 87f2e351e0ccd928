"""The gradient of batch_norm. Mirrors aten/src/ATen/native/cpu/batch_norm_kernel.cpp.

The plain loop that it replaces, x being the n elements of a channel and g the gradient of its output:

    dbias = sum(g)
    dweight = sum(a * (b - mean) * invstd for a, b in zip(g, x))
    dx = [(a - dbias / n - (b - mean) * invstd * dweight / n) * invstd * weight for a, b in zip(g, x)]   # in training
    dx = [a * invstd * weight for a in g]                  # where mean and invstd are running ones
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
from .batch_norm import BLOCK, CHUNK
from .ranges import Ranged
from .row_sums import FLOATS, RUN, gradient, sums_of_gradient, vector
from .vectorized import broadcast, loadu, storeu

LANES = 16  # sums that are kept side by side
SHORT = 256  # elements of a run to which its own sums would cost more than its products


class BatchNormBackward(NamedTuple):
    """The arguments of the batch_norm backward kernel; a tensor that is None is an empty array.

    Attributes:
        grad_input, grad_output, input: flat arrays in one memory format.
        grad_weight, grad_bias, weight, means, invstds: (channels,)
        batch, channels, size: images, and elements of one channel of one image.
    """

    grad_input: Elements
    grad_weight: Elements
    grad_bias: Elements
    grad_output: Elements
    input: Elements
    weight: Elements
    means: Elements
    invstds: Elements
    batch: int
    channels: int
    size: int
    training: bool


@register_jitable
def needs_sums(norm):
    """Return True if the kernel needs the sums of the output gradient over a channel."""
    return norm.training or norm.grad_weight.size or norm.grad_bias.size


@register_jitable
def finish(norm, c, total, products):
    """Store the gradients of channel c's weight and bias, and return (factor, slope, shift) for `gradient`."""
    count, invstd = norm.batch * norm.size, norm.invstds[c]
    if norm.grad_weight.size:
        norm.grad_weight[c] = products * invstd
    if norm.grad_bias.size:
        norm.grad_bias[c] = total
    number = norm.invstds.dtype.type
    factor = invstd * norm.weight[c] if norm.weight.size else invstd
    if not norm.training:
        return factor, number(0), number(0)
    return factor, number(products / count * invstd * invstd * factor), number(total / count * factor)


@register_jitable
def sums_of_columns(totals, products, parts, of_parts, g, x, centers, first, cells, step):
    """Compute `sums_of_gradient` of each column; rows begin every `step` cells from `first` on."""
    totals[:] = 0
    products[:] = 0
    for chunk in range(first, cells, CHUNK * step):
        parts[:] = 0
        of_parts[:] = 0
        for cell in range(chunk, min(cells, chunk + CHUNK * step), step):
            a, b = g[cell : cell + parts.size], x[cell : cell + parts.size]
            for j in range(parts.size):
                parts[j] += a[j]
                of_parts[j] += a[j] * (b[j] - centers[j])
        for j in range(parts.size):
            totals[j] += parts[j]
            products[j] += of_parts[j]


@register_jitable
def sums_of_short_runs(g, x, first, cells, step, size, center):
    """Return `sums_of_gradient` over all runs of `size` elements, which begin every `step` cells from `first` on."""
    center, lanes = x.dtype.type(center), np.empty(2 * LANES, x.dtype)
    sums = products = broadcast(x.dtype.type(0), LANES)
    total, product = 0.0, 0.0
    for run in range(first, cells, step):
        i = run
        while i + LANES <= run + size:
            slopes = loadu(g, i, LANES)
            sums += slopes
            products += slopes * (loadu(x, i, LANES) - center)
            i += LANES
        while i < run + size:
            total += g[np.uintp(i)]
            product += g[np.uintp(i)] * (x[np.uintp(i)] - center)
            i += 1
    storeu(lanes, 0, sums)
    storeu(lanes, LANES, products)
    for i in range(LANES):
        total += lanes[i]
        product += lanes[LANES + i]
    return total, product


@register_jitable
def gradient_of_short_runs(out, g, x, first, cells, step, size, center, factor, slope, shift):
    """Compute `gradient` over the runs of `sums_of_short_runs`."""
    for run in range(first, cells, step):
        i = run
        while i + LANES <= run + size:
            storeu(out, i, loadu(g, i, LANES) * factor - (loadu(x, i, LANES) - center) * slope - shift)
            i += LANES
        while i < run + size:
            out[np.uintp(i)] = g[np.uintp(i)] * factor - (x[np.uintp(i)] - center) * slope - shift
            i += 1


def planes(begin, end, norm):
    """Compute the gradients of channels `begin` to `end`; `norm` is a `BatchNormBackward`."""
    grad_input, g, x, means, batch, size = (
        norm.grad_input, norm.grad_output, norm.input, norm.means, norm.batch, norm.size)  # fmt: skip
    step = norm.channels * size
    for c in range(begin, end):
        total, products = 0.0, 0.0
        if needs_sums(norm):
            runs = max(1, RUN // size) if size <= SHORT else 1
            for first in range(c * size, batch * step, runs * step):
                if size <= SHORT:
                    last = min(batch * step, first + runs * step)
                    part, product = sums_of_short_runs(g, x, first, last, step, size, means[c])
                else:
                    part, product = sums_of_gradient(g[first : first + size], x[first : first + size], means[c])
                total += part
                products += product
        factor, slope, shift = finish(norm, c, total, products)
        if grad_input.size and size <= SHORT:
            gradient_of_short_runs(
                grad_input, g, x, c * size, batch * step, step, size, means[c], factor, slope, shift
            )  # fmt: skip
        elif grad_input.size:
            for first in range(c * size, batch * step, step):
                last = first + size
                gradient(grad_input[first:last], g[first:last], x[first:last], means[c], factor, slope, shift)


def columns(begin, end, norm):
    """Compute the gradients of blocks `begin` to `end` of adjacent channels, over `batch * size` rows of channels."""
    grad_input, g, x, means, channels = norm.grad_input, norm.grad_output, norm.input, norm.means, norm.channels
    totals, products = np.empty(BLOCK), np.empty(BLOCK)
    parts, of_parts = np.empty(BLOCK, g.dtype), np.empty(BLOCK, g.dtype)
    factors, slopes, shifts = np.empty(BLOCK, g.dtype), np.empty(BLOCK, g.dtype), np.empty(BLOCK, g.dtype)
    cells = norm.batch * norm.size * channels
    for block in range(begin, end):
        left = block * BLOCK
        width = min(BLOCK, channels - left)
        centers = means[left : left + width]
        if needs_sums(norm):
            sums_of_columns(totals[:width], products[:width], parts[:width], of_parts[:width], g, x, centers,
                            left, cells, channels)  # fmt: skip
        for j in range(width):
            factors[j], slopes[j], shifts[j] = finish(norm, left + j, totals[j], products[j])
        if grad_input.size:
            for first in range(left, cells, channels):
                a, b, to = g[first : first + width], x[first : first + width], grad_input[first : first + width]
                for j in range(width):
                    to[j] = a[j] * factors[j] - (b[j] - centers[j]) * slopes[j] - shifts[j]


def ranged(body: Callable) -> Ranged:
    """Return the kernel that runs `body`, which is `planes` or `columns`."""

    def arguments(kind: dtype) -> tuple:
        return (type_of(BatchNormBackward, kind),)

    return Ranged("batch_norm_backward", FLOATS, lambda kind: body, arguments, ("contract",))


PLANES, COLUMNS = ranged(planes), ranged(columns)


def batch_norm_backward_kernel(
    dx: Tensor | None, dweight: Tensor | None, dbias: Tensor | None, g: Tensor, x: Tensor, weight: Tensor | None,
    mean: Tensor, invstd: Tensor, training: bool,
) -> None:  # fmt: skip
    """Compute the gradients dx, dweight and dbias, skipping those that are None."""
    batch, channels, *rest = x._sizes
    size = math.prod(rest)
    norm = BatchNormBackward(
        vector(dx, x), vector(dweight, x), vector(dbias, x), vector(g, x), vector(x, x),
        vector(weight, x), vector(mean, x), vector(invstd, x), batch, channels, size, training,
    )  # fmt: skip
    if size > 1 and is_contiguous(x._sizes, x._strides):
        PLANES(x._dtype, channels, 4 * batch * size, norm)
    else:
        COLUMNS(x._dtype, -(-channels // BLOCK), 4 * BLOCK * batch * size, norm)


normalization.batch_norm_backward_stub.register("cpu", batch_norm_backward_kernel)
