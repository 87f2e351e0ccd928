"""The matrix product, of matrices and of batches of them, whatever their strides.

The plain loop that it replaces, for each matrix of the batch:

    for i in range(m):
        for j in range(n):
            out[i, j] = sum(self[i, t] * mat2[t, j] for t in range(k))

A block of `mat2` is copied to where its rows lie one after the other and stay in the cache; each row of `self` then
adds rows of that block, four at a time, to a row of the output.
Mirrors aten/src/ATen/native/LinearAlgebra.cpp, where a BLAS library does it.
"""

import functools
from collections.abc import Callable

import numpy as np
from numba import types

from ..aten.native import linear_algebra
from ..dtypes import dtype, float32, float64, int32, int64
from ..strides import Ints
from ..tensor_impl import Tensor
from .loops import INDEX, NUMBA, Compiled

ROWS, COLUMNS = 128, 256  # of a block: 128 KiB of float32, a half of the second cache


def matmul(out, o, self, p, mat2, q, numbers):
    """out = self @ mat2

    Args:
        numbers: (13,) int64: batch, m, n, k, then the three strides of (batch, m, n), (batch, m, k), (batch, k, n).
    """
    batch, m, n, k = numbers[0], numbers[1], numbers[2], numbers[3]
    out_batch, out_m, out_n = numbers[4], numbers[5], numbers[6]
    self_batch, self_m, self_k = numbers[7], numbers[8], numbers[9]
    mat2_batch, mat2_k, mat2_n = numbers[10], numbers[11], numbers[12]
    block = np.empty((ROWS, COLUMNS), out.dtype)
    sums = np.empty(COLUMNS, out.dtype)
    for which in range(batch):
        for first_j in range(0, n, COLUMNS):
            width = min(COLUMNS, n - first_j)
            for first_t in range(0, k, ROWS):
                height = min(ROWS, k - first_t)
                origin = q + which * mat2_batch + first_t * mat2_k + first_j * mat2_n
                for t in range(height):
                    for j in range(width):
                        block[t, j] = mat2[np.uintp(origin + t * mat2_k + j * mat2_n)]
                for i in range(m):
                    to = o + which * out_batch + i * out_m + first_j * out_n
                    for j in range(width):
                        sums[j] = out[np.uintp(to + j * out_n)] if first_t else 0
                    of = p + which * self_batch + i * self_m + first_t * self_k
                    fours = height // 4 * 4
                    for t in range(0, fours, 4):
                        x0, x1 = self[of + t * self_k], self[of + (t + 1) * self_k]
                        x2, x3 = self[of + (t + 2) * self_k], self[of + (t + 3) * self_k]
                        for j in range(np.uintp(width)):
                            total = sums[j] + x0 * block[t, j]  # one after the other, as BLAS libraries round
                            total += x1 * block[t + 1, j]
                            total += x2 * block[t + 2, j]
                            sums[j] = total + x3 * block[t + 3, j]
                    for t in range(fours, height):
                        x0 = self[of + t * self_k]
                        for j in range(np.uintp(width)):
                            sums[j] += x0 * block[t, j]
                    for j in range(width):
                        out[np.uintp(to + j * out_n)] = sums[j]


@functools.lru_cache(maxsize=1024)
def numbers_of(out: tuple[Ints, Ints], self: tuple[Ints, Ints], mat2: tuple[Ints, Ints]) -> np.ndarray:
    """What `matmul` is told of three geometries, each (sizes, strides) in two or three dimensions."""
    sizes = (1, *out[0], self[0][-1])[-4:]
    strides = [step for _, strides in (out, self, mat2) for step in (0, *strides)[-3:]]
    return np.array([*sizes, *strides], np.int64)


def matmul_kernel(name: str) -> Callable[[Tensor, Tensor, Tensor], None]:
    """kernel(out, self, mat2): all of one dtype, all with two or all with three dimensions, none of size 0."""

    def signature(kind: dtype) -> tuple:
        return (*(NUMBA[kind][::1], INDEX) * 3, types.int64[::1])

    loops = Compiled(name, (float32, float64, int64, int32), lambda kind: matmul, signature, fastmath={"contract"})

    def kernel(out: Tensor, self: Tensor, mat2: Tensor) -> None:
        geometries = (out._sizes, out._strides), (self._sizes, self._strides), (mat2._sizes, mat2._strides)
        loops[self._dtype](out._flat(), out._storage_offset, self._flat(), self._storage_offset,
                           mat2._flat(), mat2._storage_offset, numbers_of(*geometries))  # fmt: skip

    return kernel


linear_algebra.mm_stub.register("cpu", matmul_kernel("addmm_impl_cpu_"))
linear_algebra.bmm_stub.register("cpu", matmul_kernel("bmm"))
