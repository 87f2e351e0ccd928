"""The gradient of layer_norm of contiguous tensors. Mirrors aten/src/ATen/native/cpu/layer_norm_kernel.cpp.

The plain loop that it replaces, for each row x of n elements and the gradient g of its output:

    normalized = [(a - mean) * rstd for a in x]
    slopes = [a * b for a, b in zip(g, gamma)]
    of_mean = sum(slopes) / n
    of_rstd = sum(a * b for a, b in zip(slopes, normalized)) / n
    dx = [(slope - of_mean - a * of_rstd) * rstd for slope, a in zip(slopes, normalized)]
    dgamma = [total + a * b for total, a, b in zip(dgamma, g, normalized)]
    dbeta = [total + a for total, a in zip(dbeta, g)]

The sums over rows are kept apart for each chunk of rows, so that chunks can be worked on side by side.
"""

from typing import NamedTuple

from numba.extending import register_jitable

from ..aten.native import layer_norm
from ..dtypes import dtype
from ..tensor_impl import Tensor
from .argument_structs import Elements, type_of
from .ranges import Ranged
from .reduce_functions import plus
from .row_sums import FLOATS, RUN, gradient, sums_of_gradient, vector


@register_jitable
def sums_with_weight(g, x, gamma, center):
    """Return the two sums of `sums_of_gradient`, for g * gamma instead of g."""
    total, products, center = 0.0, 0.0, x.dtype.type(center)
    for first in range(0, x.size, RUN):
        run, of, weight = g[first : first + RUN], x[first : first + RUN], gamma[first : first + RUN]
        part, product = x.dtype.type(0), x.dtype.type(0)
        for i in range(of.size):
            slope = run[i] * weight[i]
            part = plus(part, slope)
            product = plus(product, slope * (of[i] - center))
        total += part
        products += product
    return total, products


@register_jitable
def input_row(dx, g, x, gamma, mean, rstd):
    """Compute the gradient of the input for one row; an empty gamma means ones."""
    total, products = sums_with_weight(g, x, gamma, mean) if gamma.size else sums_of_gradient(g, x, mean)
    number = x.dtype.type
    slope = number(products / x.size * rstd * rstd * rstd)
    shift = number(total / x.size * rstd)
    if gamma.size:
        for i in range(x.size):
            dx[i] = g[i] * gamma[i] * rstd - (x[i] - mean) * slope - shift
    else:
        gradient(dx, g, x, mean, rstd, slope, shift)


@register_jitable
def add_row(dgamma, dbeta, g, x, mean, rstd):
    """Add one row's contribution to dgamma and dbeta, skipping an empty one."""
    if dgamma.size:
        for i in range(x.size):
            dgamma[i] += g[i] * ((x[i] - mean) * rstd)
    if dbeta.size:
        for i in range(x.size):
            dbeta[i] += g[i]


class LayerNormBackward(NamedTuple):
    """The arguments of the layer_norm backward kernel; a tensor that is None is an empty array.

    Attributes:
        grad_input, grad_output, input: flat, of `rows` rows of n elements.
        dgammas, dbetas: (chunks * n,) the parts of each chunk of `per` rows in the gradients of gamma and beta.
        means, rstds: (rows,)
        gamma: (n,)
    """

    grad_input: Elements
    dgammas: Elements
    dbetas: Elements
    grad_output: Elements
    input: Elements
    means: Elements
    rstds: Elements
    gamma: Elements
    rows: int
    per: int
    n: int


def chunks_of_rows(begin, end, norm):
    """Compute the gradients of chunks `begin` to `end` of rows; `norm` is a `LayerNormBackward`."""
    dx, g, x, means, rstds = norm.grad_input, norm.grad_output, norm.input, norm.means, norm.rstds
    per, n = norm.per, norm.n
    for chunk in range(begin, end):
        dgamma, dbeta = norm.dgammas[chunk * n : chunk * n + n], norm.dbetas[chunk * n : chunk * n + n]
        dgamma[:] = 0
        dbeta[:] = 0
        for row in range(chunk * per, min(norm.rows, chunk * per + per)):
            first = row * n
            a, b = g[first : first + n], x[first : first + n]
            if dx.size:
                input_row(dx[first : first + n], a, b, norm.gamma, means[row], rstds[row])
            add_row(dgamma, dbeta, a, b, means[row], rstds[row])


def arguments(kind: dtype) -> tuple:
    """Return numba's types of the arguments that follow `begin` and `end`."""
    return (type_of(LayerNormBackward, kind),)


CHUNKS = Ranged("LayerNormBackwardKernelImpl", FLOATS, lambda kind: chunks_of_rows, arguments, ("contract",))


def layer_norm_backward_kernel(
    dx: Tensor | None, dgammas: Tensor | None, dbetas: Tensor | None, g: Tensor, x: Tensor, mean: Tensor,
    rstd: Tensor, gamma: Tensor | None, rows: int, per: int, n: int,
) -> None:  # fmt: skip
    """Compute the gradients dx, dgammas and dbetas, skipping those that are None."""
    norm = LayerNormBackward(
        vector(dx, x), vector(dgammas, x), vector(dbetas, x), vector(g, x), vector(x, x),
        vector(mean, x), vector(rstd, x), vector(gamma, x), rows, per, n,
    )  # fmt: skip
    CHUNKS(x._dtype, -(-rows // per), 4 * per * n, norm)


layer_norm.layer_norm_backward_stub.register("cpu", layer_norm_backward_kernel)
