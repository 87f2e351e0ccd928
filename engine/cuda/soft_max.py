"""softmax and log_softmax along any dimension of a contiguous tensor.

The plain loops that they replace, for each row x of n elements that are `inner` apart:

    powers = [exp(a - max(x)) for a in x]                  # softmax
    out = [power / sum(powers) for power in powers]

    total = sum(exp(a - max(x)) for a in x)                # log_softmax
    out = [a - max(x) - log(total) for a in x]

A row is read twice, not three times: when a larger element turns up, the sum so far is scaled to the new maximum.
Threads share rows as in reductions. Mirrors aten/src/ATen/native/cuda/SoftMax.cu.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..aten.native import soft_max
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..compiled import memo
from ..cpu.loops import NUMBA
from ..cpu.soft_max import loop_of
from ..dtypes import dtype
from ..tensor_impl import Tensor
from .driver import cuda
from .launch import blocks_of, launch
from .libdevice import exp, log
from .loops import device_function
from .reduce_walk import THREADS, shares_of

# ---- device functions


def sum_of(x, first, r, n, height, inner, largest, total):
    """Return the maximum of the elements r, r + height, ... of a row, and the sum of exp(element - maximum)."""
    cell, far = np.uint64(first + r * inner), np.uint64(height * inner)
    after = far + far
    while r + 3 * height < n:
        a, b, c, d = x[cell], x[cell + far], x[cell + after], x[cell + after + far]
        most = max(max(a, b), max(c, d))
        if most > largest:
            total, largest = total * exp(largest - most), most
        total += (exp(a - largest) + exp(b - largest)) + (exp(c - largest) + exp(d - largest))
        cell += after + after
        r += 4 * height
    while r < n:
        a = x[cell]
        if a > largest:
            total, largest = total * exp(largest - a), a
        total += exp(a - largest)
        cell += far
        r += height
    return largest, total


def softmax(a, largest, total):
    """Return an element of softmax, from the row's maximum and sum."""
    return exp(a - largest) / total


def log_softmax(a, largest, total):
    """Return an element of log_softmax, from the row's maximum and sum."""
    return a - largest - log(total)


sums = device_function(sum_of)


def writing(share: Callable) -> Callable:
    """Build the device function that writes `share` of the elements r, r + height, ... of a row."""

    def write(out, to, x, of, r, n, height, inner, largest, total):
        here, cell, far = np.uint64(to + r * inner), np.uint64(of + r * inner), np.uint64(height * inner)
        after = far + far
        while r + 3 * height < n:
            a, b, c, d = x[cell], x[cell + far], x[cell + after], x[cell + after + far]
            out[here], out[here + far] = share(a, largest, total), share(b, largest, total)
            out[here + after], out[here + after + far] = share(c, largest, total), share(d, largest, total)
            here += after + after
            cell += after + after
            r += 4 * height
        while r < n:
            out[here] = share(x[cell], largest, total)
            here += far
            cell += far
            r += height

    return write


# ---- kernels


def row_softmax(threads: int, cells: Any, sums: Callable, write: Callable) -> Callable:
    """Build the kernel of softmax and log_softmax: a block computes a few rows at a time, with `height` threads a row.

    Args:
        threads: number of threads of a block, height * width.
        cells: dtype of shared memory.
        sums: a device function. sums(x, first, r, end, height, inner, lowest, 0.0) returns the pair (largest, sum of
            e ** (each - largest)) of the elements r, r + height, ... below `end` of the row that begins at cell
            `first`. Without elements, or if all are -inf, it returns (lowest, 0).
        write: a device function. write(out, to, x, first, r, end, height, inner, largest, total) writes the results of
            the same elements to the row of `out` that begins at cell `to`, from the pair of the whole row.
    Returns:
        A function that becomes a kernel under `@cuda.jit`, with the arguments
        out, o, x, p: flat arrays of target and source, each with the cell of its first element.
        rows, n, inner: number of rows, elements of each row, and distance between these elements. Row r begins
            r // inner * n * inner + r % inner cells after the first element.
        shares: (height, width, down, across). A block takes `width` rows of the tensor at once: block b rows
            b * width, ..., b * width + width - 1, then it goes on in steps of the grid. Thread t works on number
            `t // across % width` of them, and is number `t // down % height` among the `height` threads of that row.
            So the first thread of row number w is thread `w * across`. `height` is a power of two, and may be 1.
        lowest: the lowest finite number; with -inf instead, -inf - -inf would be NaN.

        Each time that a block takes rows, the pairs of a row become one in log2(height) steps. There are at most two
        barriers more than steps, and all threads of the block reach all of them. Each element is loaded by one thread
        of its row, at most twice. A block has at most 4 * threads cells of shared memory. A row with an inf, or of
        -inf alone, becomes NaN; any other -inf becomes 0.

    Source: cunn_SoftMaxForward (aten/src/ATen/native/cuda/SoftMax.cu); Milakov and Gimelshein, "Online normalizer
    calculation for softmax" (2018).
    """

    def forward(out, o, x, p, rows, n, inner, shares, lowest):
        most = cuda.shared.array(threads, cells)
        totals = cuda.shared.array(threads, cells)
        height, width, down, across = shares
        thread, block = cuda.threadIdx.x, cuda.blockIdx.x
        row, column = thread // down % height, thread // across % width
        while block * width < rows:
            number = block * width + column
            first, end = number // inner * n * inner + number % inner, n if number < rows else 0
            largest, total = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)
            most[thread], totals[thread] = largest, total
            cuda.syncthreads()
            half = height >> 1
            while half > 0:
                if row < half:
                    k = thread + half * down
                    largest = max(most[thread], most[k])
                    mine = totals[thread] * exp(most[thread] - largest)
                    most[thread], totals[thread] = largest, mine + totals[k] * exp(most[k] - largest)
                cuda.syncthreads()
                half >>= 1
            k = column * across
            largest, total = most[k], totals[k]
            cuda.syncthreads()
            write(out, o + first, x, p + first, row, end, height, inner, largest, total)
            block += cuda.gridDim.x

    return forward


def kernel_of(share: Callable, kind: dtype) -> Any:
    """Build the kernel that applies `share` to each element, with the maximum and the sum of its row."""
    forward = row_softmax(THREADS, NUMBA[kind], sums, device_function(writing(device_function(share))))
    forward.__name__ = forward.__qualname__ = f"{share.__name__}_forward"
    return cuda.jit(forward)


def softmax_kernel(name: str, share: Callable) -> Callable[[Tensor, Tensor, int], None]:
    """Build kernel(out, self, dim) for non-empty contiguous tensors of equal sizes and dtype."""
    made = memo(lambda kind: kernel_of(share, kind))

    def kernel(out: Tensor, self: Tensor, dim: int) -> None:
        kind = self._dtype
        if not kind.is_floating_point:
            raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        outer, n, inner = loop_of(self._sizes, dim)
        operands = out._flat(), out._storage_offset, self._flat(), self._storage_offset
        shares = shares_of(outer * inner, n, inner > 1)
        grid, block = blocks_of("reduction", -(-outer * inner // shares[1]))
        lowest = np.finfo(kind.numpy).min
        launch(made(kind), grid, block, *operands, outer * inner, n, inner, shares, lowest)

    return kernel


soft_max.softmax_stub.register("cuda", softmax_kernel("softmax_cuda", softmax))
soft_max.log_softmax_stub.register("cuda", softmax_kernel("log_softmax_cuda", log_softmax))
