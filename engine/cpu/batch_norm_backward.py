"""The gradient of batch_norm. Mirrors aten/src/ATen/native/cpu/batch_norm_kernel.cpp.

The plain loop that it replaces, x being the n elements of a channel and g the gradient of its output:

    dbias = sum(g)
    dweight = sum(a * (b - mean) * invstd for a, b in zip(g, x))
    dx = [(a - dbias / n - (b - mean) * invstd * dweight / n) * invstd * weight for a, b in zip(g, x)]   # in training
    dx = [a * invstd * weight for a in g]                  # where mean and invstd are running ones
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
from .batch_norm import BLOCK, CHUNK
from .loops import INDEX, NUMBA
from .ranges import Ranged
from .row_sums import FLOATS, gradient, sums_of_gradient, vector


@register_jitable
def finish(c, total, products, count, dweight, dbias, weight, invstds, training):
    """Keep the gradients of channel c's parameters; gives (factor, slope, shift), as `gradient` takes them."""
    invstd = invstds[c]
    if dweight.size:
        dweight[c] = products * invstd
    if dbias.size:
        dbias[c] = total
    number = invstds.dtype.type
    factor = invstd * weight[c] if weight.size else invstd
    if not training:
        return factor, number(0), number(0)
    return factor, number(products / count * invstd * invstd * factor), number(total / count * factor)


@register_jitable
def sums_of_columns(totals, products, parts, of_parts, g, x, centers, first, cells, step):
    """`sums_of_gradient` of each of `totals.size` columns; rows begin at cell `first` and every `step` on."""
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


def planes(begin, end, dx, dweight, dbias, g, x, weight, means, invstds, batch, channels, size, training):
    """Channels `begin` to `end`, each `batch` runs of `size` elements."""
    step = channels * size
    for c in range(begin, end):
        total, products = 0.0, 0.0
        if training or dweight.size or dbias.size:
            for first in range(c * size, batch * step, step):
                part, product = sums_of_gradient(g[first : first + size], x[first : first + size], means[c])
                total += part
                products += product
        factor, slope, shift = finish(c, total, products, batch * size, dweight, dbias, weight, invstds, training)
        if dx.size:
            for first in range(c * size, batch * step, step):
                last = first + size
                gradient(dx[first:last], g[first:last], x[first:last], means[c], factor, slope, shift)


def columns(begin, end, dx, dweight, dbias, g, x, weight, means, invstds, batch, channels, size, training):
    """Blocks `begin` to `end` of neighbouring channels; there are `batch * size` rows of all channels."""
    totals, products = np.empty(BLOCK), np.empty(BLOCK)
    parts, of_parts = np.empty(BLOCK, g.dtype), np.empty(BLOCK, g.dtype)
    factors, slopes, shifts = np.empty(BLOCK, g.dtype), np.empty(BLOCK, g.dtype), np.empty(BLOCK, g.dtype)
    cells = batch * size * channels
    for block in range(begin, end):
        left = block * BLOCK
        width = min(BLOCK, channels - left)
        centers = means[left : left + width]
        if training or dweight.size or dbias.size:
            sums_of_columns(totals[:width], products[:width], parts[:width], of_parts[:width], g, x, centers,
                            left, cells, channels)  # fmt: skip
        for j in range(width):
            factors[j], slopes[j], shifts[j] = finish(
                left + j, totals[j], products[j], batch * size, dweight, dbias, weight, invstds, training
            )
        if dx.size:
            for first in range(left, cells, channels):
                a, b, to = g[first : first + width], x[first : first + width], dx[first : first + width]
                for j in range(width):
                    to[j] = a[j] * factors[j] - (b[j] - centers[j]) * slopes[j] - shifts[j]


def ranged(body: Callable) -> Ranged:
    """The kernel of one of the two loops."""

    def arguments(kind: dtype) -> tuple:
        return (*(NUMBA[kind][::1],) * 8, *(INDEX,) * 3, types.boolean)

    return Ranged("batch_norm_backward", FLOATS, lambda kind: body, arguments, ("contract",))


PLANES, COLUMNS = ranged(planes), ranged(columns)


def batch_norm_backward_kernel(
    dx: Tensor | None, dweight: Tensor | None, dbias: Tensor | None, g: Tensor, x: Tensor, weight: Tensor | None,
    mean: Tensor, invstd: Tensor, training: bool,
) -> None:  # fmt: skip
    """The CPU kernel of `batch_norm_backward_stub`."""
    batch, channels, *rest = x._sizes
    size = math.prod(rest)
    vectors = (vector(tensor, x) for tensor in (dx, dweight, dbias, g, x, weight, mean, invstd))
    work = (*vectors, batch, channels, size, training)
    if size > 1 and is_contiguous(x._sizes, x._strides):
        PLANES(x._dtype, channels, 4 * batch * size, *work)
    else:
        COLUMNS(x._dtype, -(-channels // BLOCK), 4 * BLOCK * batch * size, *work)


normalization.batch_norm_backward_stub.register("cpu", batch_norm_backward_kernel)
