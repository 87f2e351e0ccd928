"""softmax and log_softmax along any dimension of a contiguous tensor.

Mirrors aten/src/ATen/native/cpu/SoftMaxKernel.cpp.

The plain loops that they replace, for each row x of n elements that are `inner` apart:

    powers = [exp(a - max(x)) for a in x]                  # softmax
    out = [power / sum(powers) for power in powers]

    total = sum(exp(a - max(x)) for a in x)                # log_softmax
    out = [a - max(x) - log(total) for a in x]

A row stays in the first cache while it is read three times. Where the elements of a row are apart, a block of
neighboring rows is worked on side by side.
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from llvmlite import ir
from numba.extending import register_jitable

from ..aten.native import soft_max
from ..compiled import follow
from ..dtypes import dtype, float32, float64
from ..strides import Ints
from ..tensor_impl import Tensor
from .float_bits import bits_of, fma, from_bits
from .loops import INDEX, NUMBA, named
from .ranges import Ranged, is_shared
from .reduce_functions import of_two, plus
from .unary_ops import exp

LANES = 64  # columns into which a row of neighbors is cut, where it is read in one pass
BLOCK = 128  # neighboring rows at a time: 2,000 elements of each stay in the second cache

# ---- functions of single numbers


def exp_float32(x):
    """Return e**x for a float32 x <= 0, within 1 unit in the last place; 0 if the result is below normal numbers.

    x = n * log(2) + r. Adding 1.5 * 2**23 rounds to a whole number, which is then in the last bits.
    """
    shifted = fma(x, np.float32(1.442695040888963407), np.float32(12582912))
    n = shifted - np.float32(12582912)
    r = fma(n, np.float32(2.12194440e-4), fma(n, np.float32(-0.693359375), x))
    p = fma(np.float32(1.98527617612853646e-4), r, np.float32(1.39304355252534151e-3))
    p = fma(p, r, np.float32(8.33336077630519867e-3))
    p = fma(p, r, np.float32(4.16664853692054749e-2))
    p = fma(p, r, np.float32(1.66666671633720398e-1))
    p = fma(p, r, np.float32(0.5))
    p = fma(p * r, r, r) + np.float32(1)
    power = from_bits((bits_of(shifted) << np.int32(23)) + np.int32(127 << 23), x)
    return np.float32(0) if x < np.float32(-87.3365478515625) else p * power


EXP = {float32: exp_float32, float64: exp}


def maximum_of_numbers(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """Build a call of llvm.maximum that assumes no NaN and disregards the sign of 0: it is one instruction then."""
    kind = ir.FunctionType(a.type, (a.type, a.type))
    intrinsic = builder.module.declare_intrinsic("llvm.maximum", (a.type,), kind)
    return builder.call(intrinsic, (a, b), fastmath=("nnan", "nsz"))


# A NaN need not become the largest of its row: it makes the sum, and so the whole row, NaN by itself.
larger = of_two("larger", maximum_of_numbers, maximum_of_numbers, maximum_of_numbers)

# ---- a row of neighbors


@register_jitable
def largest_of(x):
    """Return the largest element of a row."""
    largest = x[0]
    for i in range(x.size):
        largest = larger(largest, x[i])
    return largest


@register_jitable
def softmax_row(exp, out, x):
    """Compute softmax of a row, out = exp(x - max) / sum."""
    largest, total = largest_of(x), x.dtype.type(0)
    for i in range(x.size):
        power = exp(x[i] - largest)
        out[i] = power
        total = plus(total, power)
    for i in range(x.size):
        out[i] /= total


@register_jitable
def log_softmax_row(exp, out, x):
    """Compute log_softmax of a row, out = x - max - log(sum)."""
    largest, total = largest_of(x), x.dtype.type(0)
    for i in range(x.size):
        total = plus(total, exp(x[i] - largest))
    total = math.log(total)
    for i in range(x.size):
        out[i] = x[i] - largest - total


# ---- neighboring rows side by side: `largest.size` of them, from cell `first` of each `inner`


@register_jitable
def largest_of_columns(x, n, inner, first, largest):
    """Write the largest element of each column to `largest`."""
    largest[:] = -np.inf
    for row in range(first, first + n * inner, inner):
        of = x[row : row + largest.size]
        for j in range(largest.size):
            largest[j] = larger(largest[j], of[j])


@register_jitable
def softmax_columns(exp, out, x, n, inner, first, largest, sums):
    """Compute softmax of adjacent columns, out = exp(x - max) / sum."""
    largest_of_columns(x, n, inner, first, largest)
    sums[:] = 0
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


@register_jitable
def largest_and_sum(exp, x, n, inner, first, largest, sums):
    """Compute largest = max and sums = the sum of exp(x - max) of adjacent columns; read x once, and keep no copy.

    Each element is in its sum soon after it was read, so of the elements so far `largest` and `sums` are always known.
    A cache line of x is fetched once. `exp` is called at most twice for an element.

    Args:
        exp: e**x of a number that is not positive; 0 of -inf, NaN of NaN.
        x: a flat array; element i of column j is x[first + i * inner + j].
        n, inner: elements of a column, which may be none; from one of them to the next.
        largest, sums: (columns,) written to, whatever they hold. Of a column of -inf alone, and of no elements, the
            sum is 0, and the largest any number; of a column with a NaN the sum is NaN, and the largest any number; of
            one with inf the largest is inf, and the sum any number.
    """
    largest[:] = np.finfo(largest.dtype).min  # not -inf, from which -inf cannot be subtracted
    sums[:] = 0
    for row in range(first, first + n * inner, inner):
        of = x[row : row + sums.size]
        for j in range(sums.size):
            element = of[j]
            step = element - largest[j]
            factor = exp(-abs(step))
            sums[j] = sums[j] * factor + 1 if step > 0 else sums[j] + factor
            largest[j] = larger(largest[j], element)


@register_jitable
def log_softmax_columns(exp, out, x, n, inner, first, largest, sums):
    """Compute log_softmax of adjacent columns, out = x - max - log(sum)."""
    largest_and_sum(exp, x, n, inner, first, largest, sums)
    for j in range(sums.size):  # inf - inf is NaN, as is all of a column with inf in it
        sums[j] = math.log(sums[j]) if largest[j] < np.inf else np.nan
    for row in range(first, first + n * inner, inner):
        of, to = x[row : row + sums.size], out[row : row + sums.size]
        for j in range(sums.size):
            to[j] = of[j] - largest[j] - sums[j]


# ---- a row of neighbors, by the loop for columns


@register_jitable
def largest_and_sum_of_row(exp, x):
    """Return (max, the sum of exp(x - max)) of a row, split into LANES columns and, for the rest, single elements."""
    lanes = min(LANES, x.size)
    n, left = x.size // lanes, x.size % lanes
    largest, sums = np.empty(lanes + left, x.dtype), np.empty(lanes + left, x.dtype)
    largest_and_sum(exp, x, n, lanes, 0, largest[:lanes], sums[:lanes])
    if left:
        largest_and_sum(exp, x, 1, left, n * lanes, largest[lanes:], sums[lanes:])
    of_all, total = x.dtype.type(-np.inf), x.dtype.type(0)
    for j in range(sums.size):
        if sums[j] != 0 or largest[j] == np.inf:  # the largest of a column of -inf is any number
            of_all = larger(of_all, largest[j])
    for j in range(sums.size):
        if sums[j] != 0 or largest[j] == np.inf:
            total += sums[j] * exp(largest[j] - of_all)
    return of_all, total


@register_jitable
def softmax_row_in_one_pass(exp, out, x):
    """Compute softmax of a row, out = exp(x - max) / sum, with max and sum from one pass."""
    largest, total = largest_and_sum_of_row(exp, x)
    for i in range(x.size):
        out[i] = exp(x[i] - largest) / total


@register_jitable
def log_softmax_row_in_one_pass(exp, out, x):
    """Compute log_softmax of a row, out = x - max - log(sum), with max and sum from one pass."""
    largest, total = largest_and_sum_of_row(exp, x)
    total = math.log(total)
    for i in range(x.size):
        out[i] = x[i] - largest - total


IN_ONE_PASS = {"softmax_row": softmax_row_in_one_pass, "log_softmax_row": log_softmax_row_in_one_pass}
READS = {"of a row": 2}


def _read_once(is_replaced: bool) -> None:
    READS["of a row"] = 1 if is_replaced else 2


follow("cpu.soft_max.largest_and_sum", _read_once)

# ---- the kernels


def over_rows(row: Callable) -> Callable[[Callable], Callable]:
    """Return a function of `exp` that builds the kernel for contiguous rows; `row` computes one row.

    A row stays in the cache, so reading it twice is faster than the powers that one pass needs more. But a
    `largest_and_sum` that is replaced also does rows.
    """

    def of(exp: Callable) -> Callable:
        one = IN_ONE_PASS[row.__name__] if READS["of a row"] == 1 else row

        def kernel(begin, end, out, o, x, p, n, inner):
            for first in range(begin * n, end * n, n):
                one(exp, out[o + first : o + first + n], x[p + first : p + first + n])

        return kernel

    return of


def over_columns(columns: Callable) -> Callable[[Callable], Callable]:
    """Return a function of `exp` that builds the kernel for strided rows; its range counts blocks of rows."""

    def of(exp: Callable) -> Callable:
        def kernel(begin, end, out, o, x, p, n, inner):
            largest, sums = np.empty(min(inner, BLOCK), out.dtype), np.empty(min(inner, BLOCK), out.dtype)
            blocks = (inner + BLOCK - 1) // BLOCK
            for block in range(begin, end):
                which, first = block // blocks * n * inner, block % blocks * BLOCK
                width = min(BLOCK, inner - first)
                columns(exp, out[o + which :], x[p + which :], n, inner, first, largest[:width], sums[:width])

        return kernel

    return of


@functools.lru_cache(maxsize=1024)
def loop_of(sizes: Ints, dim: int) -> Ints:
    """Return (product of the sizes before a dimension, its size, product of the sizes after it)."""
    sizes = sizes or (1,)
    dim %= len(sizes)
    return math.prod(sizes[:dim]), sizes[dim], math.prod(sizes[dim + 1 :])


@functools.lru_cache(maxsize=1024)
def work_of(sizes: Ints, dim: int) -> tuple[int, int, int, int, bool]:
    """Return a kernel's number of indices, the cost of each, its `n` and `inner`, and True if threads share it."""
    outer, n, inner = loop_of(sizes, dim)
    count, cost = (outer, 4 * n) if inner == 1 else (outer * -(-inner // BLOCK), 4 * n * BLOCK)
    return count, cost, n, inner, is_shared(count, cost)


def signature(kind: dtype) -> tuple:
    """Return numba's types of the arguments after `begin` and `end`."""
    return (*(NUMBA[kind][::1], INDEX) * 2, INDEX, INDEX)


def softmax_kernel(name: str, row: Callable, columns: Callable) -> Callable[[Tensor, Tensor, int], None]:
    """Build kernel(out, self, dim); both tensors are contiguous, of the same sizes and dtype, and not empty."""

    def ranged(make: Callable, scalar: Callable) -> Ranged:
        return Ranged(
            name, tuple(EXP), lambda kind: named(make(scalar)(register_jitable(EXP[kind])), scalar), signature
        )

    rows, blocks = ranged(over_rows, row), ranged(over_columns, columns)

    def kernel(out: Tensor, self: Tensor, dim: int) -> None:
        count, cost, n, inner, for_threads = work_of(self._sizes, dim)
        kind, loop = self._dtype, rows if inner == 1 else blocks
        to, o, x, p = out._flat(), out._storage_offset, self._flat(), self._storage_offset
        if for_threads:
            loop(kind, count, cost, to, o, x, p, n, inner)
        else:
            loop.compiled[kind](0, count, to, o, x, p, n, inner)

    return kernel


soft_max.softmax_stub.register("cpu", softmax_kernel("softmax_lastdim_kernel_impl", softmax_row, softmax_columns))
soft_max.log_softmax_stub.register(
    "cpu", softmax_kernel("log_softmax_lastdim_kernel_impl", log_softmax_row, log_softmax_columns)
)
