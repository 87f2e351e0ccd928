"""layer_norm of a contiguous tensor. Mirrors aten/src/ATen/native/cpu/layer_norm_kernel.cpp.

The plain loop that it replaces, for each row x of n elements:

    mean, variance = sum(x) / n, sum((a - mean) ** 2 for a in x) / n
    rstd = 1 / sqrt(variance + eps)
    out = [(a - mean) * rstd * g + b for a, g, b in zip(x, gamma, beta)]

A row stays in the first cache while it is read three times.
"""

import math
from collections.abc import Callable

from numba import types
from numba.extending import register_jitable

from ..aten.native import layer_norm
from ..dtypes import dtype
from ..tensor_impl import Tensor
from .loops import INDEX, NUMBA
from .ranges import Ranged
from .row_sums import FLOATS, squares_about, sum_of, vector


@register_jitable
def normalize_row(out, x, mean, rstd, gamma, beta):
    """Compute out = (x - mean) * rstd * gamma + beta; an empty gamma means ones, an empty beta zeros."""
    mean, rstd = x.dtype.type(mean), x.dtype.type(rstd)
    if gamma.size and beta.size:
        for i in range(x.size):
            out[i] = (x[i] - mean) * rstd * gamma[i] + beta[i]
    elif gamma.size:
        for i in range(x.size):
            out[i] = (x[i] - mean) * rstd * gamma[i]
    elif beta.size:
        for i in range(x.size):
            out[i] = (x[i] - mean) * rstd + beta[i]
    else:
        for i in range(x.size):
            out[i] = (x[i] - mean) * rstd


def layer_norm_rows(begin, end, out, means, rstds, x, p, n, gamma, beta, eps):
    """Normalize rows `begin` to `end` of n elements each; the rows of `x` begin at its cell p."""
    for row in range(begin, end):
        of = x[p + row * n : p + row * n + n]
        mean = sum_of(of) / n if n else 0.0
        rstd = 1 / math.sqrt(squares_about(of, mean) / n + eps)
        means[row], rstds[row] = mean, rstd
        normalize_row(out[row * n : row * n + n], of, mean, rstd, gamma[:n], beta[:n])


def body(kind: dtype) -> Callable:
    """Return the function that numba compiles for a dtype."""
    return layer_norm_rows


def arguments(kind: dtype) -> tuple:
    """Return numba's types of the arguments that follow `begin` and `end`."""
    array = NUMBA[kind][::1]
    return (array, array, array, array, INDEX, INDEX, array, array, types.float64)


ROWS = Ranged("LayerNormKernelImpl", FLOATS, body, arguments, ("contract",))


def layer_norm_kernel(
    out: Tensor, mean: Tensor, rstd: Tensor, self: Tensor, weight: Tensor | None, bias: Tensor | None,
    count: int, n: int, eps: float,
) -> None:  # fmt: skip
    """Normalize `count` rows of n elements; all tensors are contiguous, and the first three are new."""
    ROWS(
        self._dtype, count, 3 * n, out._flat(), mean._flat(), rstd._flat(), self._flat(), self._storage_offset, n,
        vector(weight, self), vector(bias, self), float(eps),
    )  # fmt: skip


layer_norm.layer_norm_stub.register("cpu", layer_norm_kernel)
