"""The kernels of products of matrices and vectors, and of batches of them: `gemm` and `gemv` on threads.

The plain loop that they replace, for each matrix of the batch:

    for i in range(m):
        for j in range(n):
            out[i, j] = beta * out[i, j] + alpha * sum(self[i, t] * mat2[t, j] for t in range(k))

Threads share the matrices of a batch, or the rows and columns of one output.
Mirrors aten/src/ATen/native/LinearAlgebra.cpp, where a BLAS library does it.
"""

import functools
from collections.abc import Callable

import numpy as np
from numba import njit, types
from numba.extending import register_jitable

from ..aten.native import linear_algebra
from ..dtypes import dtype, float32, float64, int32, int64
from ..strides import Ints
from ..tensor_impl import Tensor
from .gemm import SMALL, blocked, columns_of, is_better_transposed, plain, reads_directly
from .gemm_tile import ROWS
from .gemv import GROUP, gemv
from .loops import INDEX, NUMBA, Compiled
from .parallel import POOL, THREADS, load, parallel_for, pool

GRAIN = 2**18  # multiplications that are worth another thread
NUMBERS = (float32, float64, int64, int32)
Number = bool | int | float

# ---- matrices


@register_jitable
def parts_of(threads, m, n):
    """Into how many parts the rows and the columns are cut: parts as square as can be pack the least."""
    down, best = 1, m + threads * n
    for rows in range(1, threads + 1):
        if threads % rows == 0 and rows * ROWS <= m and threads // rows * m + rows * n < best:
            down, best = rows, threads // rows * m + rows * n
    return down, threads // down


@register_jitable
def share_of(which, parts, size, unit):
    """(first, end) of one of several parts, which begin at multiples of `unit`."""
    units = -(-size // unit)
    return units * which // parts * unit, min(size, units * (which + 1) // parts * unit)


@njit(cache=True, nogil=True, error_model="numpy")
def products(first, last, parts, is_direct, sizes, alpha, a, p, steps_a, b, q, steps_b, beta, c, o, steps_c):
    """Parts first..last of all outputs of a batch. Steps are strides of (batch, row, column)."""
    (m, n, k), (down, across) = sizes, parts
    for part in range(first, last):
        which, part = part // (down * across), part % (down * across)
        i, end_i = share_of(part // across, down, m, ROWS)
        j, end_j = share_of(part % across, across, n, columns_of(a))
        if i < end_i and j < end_j:
            blocked(is_direct, end_i - i, end_j - j, k,
                    alpha, a, p + which * steps_a[0] + i * steps_a[1], steps_a[1], steps_a[2],
                    b, q + which * steps_b[0] + j * steps_b[2], steps_b[1], steps_b[2],
                    beta, c, o + which * steps_c[0] + i * steps_c[1] + j * steps_c[2], steps_c[1], steps_c[2])  # fmt: skip


def matmul(threads, numbers, alpha, a, p, b, q, beta, c, o):
    """c = alpha * a @ b + beta * c

    Args:
        threads: what `pool` returned.
        numbers: (13,) int64: batch, m, n, k, then the three strides of (batch, m, n), (batch, m, k), (batch, k, n).
    """
    batch, m, n, k = numbers[0], numbers[1], numbers[2], numbers[3]
    steps_c, steps_a = (numbers[4], numbers[5], numbers[6]), (numbers[7], numbers[8], numbers[9])
    steps_b = numbers[10], numbers[11], numbers[12]
    if m * n * k <= SMALL:
        for i in range(batch):
            plain(m, n, k, alpha, a, p + i * steps_a[0], steps_a[1], steps_a[2],
                  b, q + i * steps_b[0], steps_b[1], steps_b[2], beta, c, o + i * steps_c[0], steps_c[1], steps_c[2])  # fmt: skip
        return
    if is_better_transposed(m, n, steps_c[1], steps_c[2], columns_of(a)):
        m, n, steps_c = n, m, (steps_c[0], steps_c[2], steps_c[1])
        a, p, b, q = b, q, a, p
        steps_a, steps_b = (steps_b[0], steps_b[2], steps_b[1]), (steps_a[0], steps_a[2], steps_a[1])
    workers = load(threads, THREADS) if threads else 1
    parts = parts_of(workers, m, n) if batch < 2 * workers else (1, 1)
    is_direct = reads_directly(m, steps_b[2])
    arguments = (parts, is_direct, (m, n, k), alpha, a, p, steps_a, b, q, steps_b, beta, c, o, steps_c)
    parallel_for(threads, products, 0, batch * parts[0] * parts[1], 1, arguments)


@functools.lru_cache(maxsize=1024)
def numbers_of(out: tuple[Ints, Ints], self: tuple[Ints, Ints], mat2: tuple[Ints, Ints]) -> np.ndarray:
    """What `matmul` is told of three geometries, each (sizes, strides) in two or three dimensions."""
    sizes = (1, *out[0], self[0][-1])[-4:]
    strides = [step for _, strides in (out, self, mat2) for step in (0, *strides)[-3:]]
    return np.array([*sizes, *strides], np.int64)


# ---- vectors


@njit(cache=True, nogil=True, error_model="numpy")
def rows_times_vector(first, last, numbers, alpha, a, p, x, q, beta, y, o):
    """Groups first..last of the rows of each matrix of a batch."""
    batch, m, k = numbers[0], numbers[1], numbers[2]
    i, end = first * GROUP, min(last * GROUP, m)
    for which in range(batch):
        gemv(end - i, k, alpha, a, p + which * numbers[5] + i * numbers[6], numbers[6], numbers[7],
             x, q + which * numbers[8], numbers[9], beta, y, o + which * numbers[3] + i * numbers[4], numbers[4])  # fmt: skip


def matvec(threads, numbers, alpha, a, p, x, q, beta, y, o):
    """y = alpha * a @ x + beta * y

    Args:
        threads: what `pool` returned.
        numbers: (10,) int64: batch, m, k, then the strides of (batch, m), (batch, m, k), (batch, k).
    """
    groups = -(-numbers[1] // GROUP)
    grain = max(1, GRAIN // (GROUP * numbers[0] * numbers[2]))
    parallel_for(threads, rows_times_vector, 0, groups, grain, (numbers, alpha, a, p, x, q, beta, y, o))


@functools.lru_cache(maxsize=1024)
def vector_numbers_of(out: tuple[Ints, Ints], self: tuple[Ints, Ints], vec: tuple[Ints, Ints]) -> np.ndarray:
    """What `matvec` is told of geometries (..., m), (..., m, k), (..., k), the batch being left out or not."""
    sizes = (1, *self[0])[-3:]
    steps = (*(0, *out[1])[-2:], *(0, *self[1])[-3:], *(0, *vec[1])[-2:])
    return np.array([*sizes, *steps], np.int64)


# ---- kernels


def signature(kind: dtype) -> tuple:
    """numba's types of the arguments of `matmul` and `matvec`."""
    array, number = (NUMBA[kind][::1], INDEX), NUMBA[kind]
    return POOL, types.int64[::1], number, *array, *array, number, *array


def matvec_kernel(name: str) -> Callable[..., None]:
    """kernel(out, self, vec, alpha=1, beta=0): out = alpha * self @ vec + beta * out, or of batches; no size is 0."""
    loops = Compiled(name, NUMBERS, lambda kind: matvec, signature)

    def kernel(out: Tensor, self: Tensor, vec: Tensor, alpha: Number = 1, beta: Number = 0) -> None:
        geometries = (out._sizes, out._strides), (self._sizes, self._strides), (vec._sizes, vec._strides)
        loops[self._dtype](pool(self.numel(), GRAIN), vector_numbers_of(*geometries), alpha,
                           self._flat(), self._storage_offset, vec._flat(), vec._storage_offset,
                           beta, out._flat(), out._storage_offset)  # fmt: skip

    return kernel


def matmul_kernel(name: str) -> Callable[..., None]:
    """kernel(out, self, mat2, alpha=1, beta=0): out = alpha * self @ mat2 + beta * out, of two or three dimensions.

    All are of one dtype, no size is 0. A matrix of one row or column is taken for a vector.
    """
    loops, vectors = Compiled(name, NUMBERS, lambda kind: matmul, signature), matvec_kernel(name)

    def kernel(out: Tensor, self: Tensor, mat2: Tensor, alpha: Number = 1, beta: Number = 0) -> None:
        numbers = numbers_of((out._sizes, out._strides), (self._sizes, self._strides), (mat2._sizes, mat2._strides))
        loops[self._dtype](pool(out.numel() * self._sizes[-1], GRAIN), numbers, alpha,
                           self._flat(), self._storage_offset, mat2._flat(), mat2._storage_offset,
                           beta, out._flat(), out._storage_offset)  # fmt: skip

    return kernel


linear_algebra.mm_stub.register("cpu", matmul_kernel("addmm_impl_cpu_"))
linear_algebra.bmm_stub.register("cpu", matmul_kernel("bmm"))
