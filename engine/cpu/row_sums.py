"""Mean and squared deviations of a row of neighbors: what the normalizations share.

The plain loops that they replace:

    mean = sum(x) / len(x)
    squares = sum((a - mean) ** 2 for a in x)

Sums of float32 are made of sums of runs, which are added up in float64, so that no number is added to a much longer
sum.
Mirrors RowwiseMoments (aten/src/ATen/native/cpu/moments_utils.h).
"""

import numpy as np
from numba.extending import register_jitable

from ..dtypes import float32, float64
from ..tensor_impl import Tensor
from .loops import NUMBA
from .reduce_functions import plus

RUN = 4096  # elements that are summed one after the other, in vectors
FLOATS = (float32, float64)
NOTHING = {kind: np.empty(0, kind.storage) for kind in NUMBA}


@register_jitable
def sum_of(x):
    """Return the sum of a row, in float64."""
    total = 0.0
    for first in range(0, x.size, RUN):
        run, part = x[first : first + RUN], x.dtype.type(0)
        for i in range(run.size):
            part = plus(part, run[i])
        total += part
    return total


@register_jitable
def squares_about(x, center):
    """Return the sum of (a - center)**2 over a row, in float64."""
    total, center = 0.0, x.dtype.type(center)
    for first in range(0, x.size, RUN):
        run, part = x[first : first + RUN], x.dtype.type(0)
        for i in range(run.size):
            deviation = run[i] - center
            part = plus(part, deviation * deviation)
        total += part
    return total


@register_jitable
def sums_of_gradient(g, x, center):
    """Return the sum of g and the sum of g * (x - center), over two rows, in float64."""
    total, products, center = 0.0, 0.0, x.dtype.type(center)
    for first in range(0, x.size, RUN):
        run, of = g[first : first + RUN], x[first : first + RUN]
        part, product = x.dtype.type(0), x.dtype.type(0)
        for i in range(of.size):
            part = plus(part, run[i])
            product = plus(product, run[i] * (of[i] - center))
        total += part
        products += product
    return total, products


@register_jitable
def gradient(out, g, x, center, factor, slope, shift):
    """Compute out = g * factor - (x - center) * slope - shift, for two rows and four numbers of their dtype."""
    for i in range(x.size):
        out[i] = g[i] * factor - (x[i] - center) * slope - shift


@register_jitable
def scale(out, x, center, factor, shift):
    """Compute out = (x - center) * factor + shift, for a row and three numbers of its dtype."""
    for i in range(x.size):
        out[i] = (x[i] - center) * factor + shift


def vector(tensor: Tensor | None, like: Tensor):
    """Return the elements of a contiguous tensor as an array, or an empty array in the dtype of `like` for None."""
    if tensor is None:
        return NOTHING[like._dtype]
    flat, count = tensor._flat(), tensor.numel()
    first = tensor._storage_offset
    return flat if flat.size == count else flat[first : first + count]
