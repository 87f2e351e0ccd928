"""softmax along any dimension of a contiguous tensor. Mirrors aten/src/ATen/native/cpu/SoftMaxKernel.cpp.

The plain loop that it replaces, for each row x of n elements that lie `inner` apart:

    powers = [exp(a - max(x)) for a in x]
    out = [power / sum(powers) for power in powers]
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from numba.extending import register_jitable

from ..aten.native import soft_max
from ..dtypes import dtype, float32, float64
from ..strides import Ints
from ..tensor_impl import Tensor
from .loops import INDEX, NUMBA, Compiled, named
from .reduce import BLOCK, maximum, plus
from .unary_ops import exp, exp_float32

EXP = {float32: exp_float32, float64: exp}


@register_jitable
def softmax_row(exp, out, x):
    """One row of neighbours."""
    largest, total = x[0], x.dtype.type(0)
    for i in range(x.size):
        largest = maximum(largest, x[i])
    for i in range(x.size):
        out[i] = exp(x[i] - largest)
    for i in range(x.size):
        total = plus(total, out[i])
    for i in range(x.size):
        out[i] /= total


@register_jitable
def softmax_columns(exp, out, x, n, inner, first, largest, sums):
    """Neighbouring rows side by side: those of elements `first` to `first + sums.size` of each `inner`."""
    largest[:], sums[:] = -np.inf, 0
    for row in range(first, first + n * inner, inner):
        of = x[row : row + sums.size]
        for j in range(sums.size):
            largest[j] = maximum(largest[j], of[j])
    for row in range(first, first + n * inner, inner):
        of, to = x[row : row + sums.size], out[row : row + sums.size]
        for j in range(sums.size):
            to[j] = exp(of[j] - largest[j])
        for j in range(sums.size):
            sums[j] += to[j]
    for row in range(first, first + n * inner, inner):
        to = out[row : row + sums.size]
        for j in range(sums.size):
            to[j] /= sums[j]


def softmax(exp: Callable) -> Callable:
    """The kernel for one dtype; `exp` is its function of single numbers."""

    def kernel(out, o, x, p, outer, n, inner):
        if inner == 1:
            for first in range(0, outer * n, n):
                softmax_row(exp, out[o + first : o + first + n], x[p + first : p + first + n])
            return
        largest, sums = np.empty(min(inner, BLOCK), out.dtype), np.empty(min(inner, BLOCK), out.dtype)
        for which in range(outer):
            to, of = out[o + which * n * inner :], x[p + which * n * inner :]
            for first in range(0, inner, BLOCK):
                width = min(BLOCK, inner - first)
                softmax_columns(exp, to, of, n, inner, first, largest[:width], sums[:width])

    return kernel


@functools.lru_cache(maxsize=1024)
def loop_of(sizes: Ints, dim: int) -> Ints:
    """How many blocks there are before a dimension, its size, and how many elements lie between two of its entries."""
    sizes = sizes or (1,)
    dim %= len(sizes)
    return math.prod(sizes[:dim]), sizes[dim], math.prod(sizes[dim + 1 :])


def loop(kind: dtype) -> Callable:
    """What numba compiles for a dtype."""
    return named(softmax(register_jitable(EXP[kind])), EXP[kind])


def signature(kind: dtype) -> tuple:
    """numba's types of the arguments."""
    return (*(NUMBA[kind][::1], INDEX) * 2, INDEX, INDEX, INDEX)


LOOPS = Compiled("softmax_lastdim_kernel_impl", tuple(EXP), loop, signature)


def softmax_kernel(out: Tensor, self: Tensor, dim: int) -> None:
    """Both contiguous, of the same sizes and dtype, with elements."""
    LOOPS[self._dtype](out._flat(), out._storage_offset, self._flat(), self._storage_offset, *loop_of(self._sizes, dim))


soft_max.softmax_stub.register("cpu", softmax_kernel)
