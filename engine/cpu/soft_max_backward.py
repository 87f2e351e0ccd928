"""The gradients of softmax and log_softmax along any dimension of contiguous tensors.

Mirrors aten/src/ATen/native/cpu/SoftMaxKernel.cpp.

The plain loops that they replace, for each row y of the output and its gradient g, of n elements `inner` apart:

    total = sum(a * b for a, b in zip(g, y))               # softmax
    out = [(a - total) * b for a, b in zip(g, y)]

    total = sum(g)                                         # log_softmax
    out = [a - exp(b) * total for a, b in zip(g, y)]
"""

from collections.abc import Callable

import numpy as np
from numba.extending import register_jitable

from ..aten.native import soft_max as operators
from ..dtypes import dtype
from ..tensor_impl import Tensor
from .loops import INDEX, NUMBA, named
from .ranges import Ranged
from .reduce_functions import plus
from .soft_max import BLOCK, EXP, loop_of

# ---- a row of neighbors


@register_jitable
def softmax_row(exp, out, g, y):
    """Compute the gradient of softmax of a row, out = (g - sum(g * y)) * y."""
    total = y.dtype.type(0)
    for i in range(y.size):
        total = plus(total, g[i] * y[i])
    for i in range(y.size):
        out[i] = (g[i] - total) * y[i]


@register_jitable
def log_softmax_row(exp, out, g, y):
    """Compute the gradient of log_softmax of a row, out = g - exp(y) * sum(g)."""
    total = y.dtype.type(0)
    for i in range(y.size):
        total = plus(total, g[i])
    for i in range(y.size):
        out[i] = g[i] - exp(y[i]) * total


# ---- neighboring rows side by side: `sums.size` of them, the elements of each `inner` apart


@register_jitable
def softmax_columns(exp, out, g, y, n, inner, first, sums):
    """Compute the gradient of softmax of adjacent columns, out = (g - sum(g * y)) * y."""
    sums[:] = 0
    for row in range(first, first + n * inner, inner):
        a, b = g[row : row + sums.size], y[row : row + sums.size]
        for j in range(sums.size):
            sums[j] += a[j] * b[j]
    for row in range(first, first + n * inner, inner):
        a, b, to = g[row : row + sums.size], y[row : row + sums.size], out[row : row + sums.size]
        for j in range(sums.size):
            to[j] = (a[j] - sums[j]) * b[j]


@register_jitable
def log_softmax_columns(exp, out, g, y, n, inner, first, sums):
    """Compute the gradient of log_softmax of adjacent columns, out = g - exp(y) * sum(g)."""
    sums[:] = 0
    for row in range(first, first + n * inner, inner):
        a = g[row : row + sums.size]
        for j in range(sums.size):
            sums[j] += a[j]
    for row in range(first, first + n * inner, inner):
        a, b, to = g[row : row + sums.size], y[row : row + sums.size], out[row : row + sums.size]
        for j in range(sums.size):
            to[j] = a[j] - exp(b[j]) * sums[j]


# ---- the kernels


def over_rows(row: Callable) -> Callable[[Callable], Callable]:
    """Return a function of `exp` that builds the kernel for contiguous rows; `row` computes one row."""

    def of(exp: Callable) -> Callable:
        def kernel(begin, end, out, o, g, p, y, q, n, inner):
            for first in range(begin * n, end * n, n):
                row(exp, out[o + first : o + first + n], g[p + first : p + first + n], y[q + first : q + first + n])

        return kernel

    return of


def over_columns(columns: Callable) -> Callable[[Callable], Callable]:
    """Return a function of `exp` that builds the kernel for strided rows; its range counts blocks of rows."""

    def of(exp: Callable) -> Callable:
        def kernel(begin, end, out, o, g, p, y, q, n, inner):
            sums = np.empty(min(inner, BLOCK), out.dtype)
            blocks = (inner + BLOCK - 1) // BLOCK
            for block in range(begin, end):
                which, first = block // blocks * n * inner, block % blocks * BLOCK
                width = min(BLOCK, inner - first)
                columns(exp, out[o + which :], g[p + which :], y[q + which :], n, inner, first, sums[:width])

        return kernel

    return of


def signature(kind: dtype) -> tuple:
    """Return numba's types of the arguments after `begin` and `end`."""
    return (*(NUMBA[kind][::1], INDEX) * 3, INDEX, INDEX)


def backward_kernel(name: str, row: Callable, columns: Callable) -> Callable[[Tensor, Tensor, Tensor, int], None]:
    """Build kernel(out, grad, output, dim); all tensors are contiguous, of the same sizes and dtype, and not empty."""

    def ranged(end: str, make: Callable, scalar: Callable) -> Ranged:
        return Ranged(
            f"{name}_backward{end}_kernel_impl",
            tuple(EXP),
            lambda kind: named(make(scalar)(register_jitable(EXP[kind])), scalar),
            signature,
        )

    rows, blocks = ranged("_lastdim", over_rows, row), ranged("", over_columns, columns)

    def kernel(out: Tensor, grad: Tensor, output: Tensor, dim: int) -> None:
        outer, n, inner = loop_of(output._sizes, dim)
        count, cost = (outer, n) if inner == 1 else (outer * -(-inner // BLOCK), n * BLOCK)
        (rows if inner == 1 else blocks)(
            output._dtype, count, 3 * cost, out._flat(), out._storage_offset,
            grad._flat(), grad._storage_offset, output._flat(), output._storage_offset, n, inner,
        )  # fmt: skip

    return kernel


operators.softmax_backward_stub.register("cpu", backward_kernel("softmax", softmax_row, softmax_columns))
operators.log_softmax_backward_stub.register(
    "cpu", backward_kernel("log_softmax", log_softmax_row, log_softmax_columns)
)
