"""Counts of each number: bincount, by counting in shared memory.

The plain loop that the kernel replaces:

    for number in x:
        out[number] += 1

Threads that meet the same number change the same cell, and one of two additions would be lost: they are atomic. Atomic
additions to one cell wait for each other, and in global memory each wait is long: so a block counts for itself first,
in shared memory. Mirrors kernelHistogram1D of aten/src/ATen/native/cuda/SummaryOps.cu.
"""

from collections.abc import Callable
from typing import Any

from numba import types

from ..aten.at import at
from ..aten.native import summary_ops
from ..compiled import memo
from ..dtypes import int64
from ..tensor_impl import Tensor
from .driver import cuda
from .launch import grid_of, launch

BINS = 1024  # that a block has room for


def block_histogram(bins: int) -> Callable:
    """Make the kernel that counts up to `bins` different numbers, first in shared memory, then in `out`.

    Args:
        bins: cells of shared memory, which are int64 (`types.int64`).
    Returns:
        A function that becomes a kernel under `@cuda.jit`, for a grid and blocks of one dimension. Its arguments:
        n: how many numbers there are; there may be more threads, or fewer.
        out: (size,) int64; cell b grows by the count of the number b. Other kernels may have counted there before.
        x, p, step: the numbers, x[p], x[p + step], x[p + 2 * step], ...; 0 <= each < size. `p` and `step` in elements.
        size: how many of the `bins` cells are in use.

    The threads of the grid share the numbers evenly, and the threads of a block share its cells evenly. Each number is
    loaded once. A block counts in shared memory by atomic additions; a thread may gather equal numbers before it adds.
    A block adds to a cell of `out` at most once, atomically, and not at all if it has met no such number. Shared memory
    has `bins` cells, or twice as many.

    Source: kernelHistogram1D, CUDAHistogramMemoryType::SHARED (aten/src/ATen/native/cuda/SummaryOps.cu).
    """

    def histogram(n, out, x, p, step, size):
        counts = cuda.shared.array(bins, types.int64)
        for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):
            counts[b] = 0
        cuda.syncthreads()
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            cuda.atomic.add(counts, x[p + i * step], 1)
        cuda.syncthreads()
        for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):
            if counts[b] > 0:
                cuda.atomic.add(out, b, counts[b])

    return histogram


@memo
def histogram_of(bins: int) -> Any:
    """Return the kernel that counts up to `bins` different numbers, cached."""
    return cuda.jit(block_histogram(bins))


def histogram_kernel(self: Tensor, out: Tensor) -> None:
    """Add the number of elements of `self`, int64, equal to b to out[b]. Many bins are counted in global memory."""
    n, size = self.numel(), out.numel()
    if size > BINS:
        at.scatter_add_(out, 0, self, at.ones_like(self, dtype=int64))
        return
    cells: Any = out._flat()
    grid, block = grid_of("elementwise", -(-n // 8))
    launch(histogram_of(BINS), grid, block, n, cells, self._flat(), self._storage_offset, self._strides[0], size)


summary_ops.histogram_stub.register("cuda", histogram_kernel)
