"""sort, topk, kthvalue and median along a dimension of any geometry.

The plain loop that they replace, for each row x along the dimension:

    order = sorted(range(len(x)), key=x.__getitem__, reverse=descending)
    values, indices = [x[i] for i in order], order

A merge sort. A block sorts short runs: an element's place is how many go before it. Then launch after launch makes one
run of two: an element's place is its place in its run, and how many of the other run go before it, which a binary
search finds. NaN is larger than every number; equal elements keep their order.
Mirrors aten/src/ATen/native/cuda/{Sort.cu,Sorting.cu}; those sort by radix, which takes fewer passes.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ..aten.empty_tensor import new_tensor
from ..aten.native import sorting
from ..aten.native.sorting import MEDIAN
from ..compiled import memo
from ..cpu.arg_reduce import exceeds
from ..cpu.loops import NUMBA
from ..dtypes import dtype, int64
from ..strides import Ints
from ..tensor_impl import Tensor
from . import reduce_functions
from .driver import cuda
from .launch import blocks_of, grid_of, launch
from .loops import device_function
from .reduce_walk import THREADS, power_of_two

offset = device_function(reduce_functions.offset)


def is_smaller(a, b):
    """Return True if a precedes b in ascending order."""
    return a < b or (a == a and b != b)


# ---- rows along a dimension


class Rows(NamedTuple):
    """The rows along a dimension of tensors of equal sizes, as kernels take them.

    Attributes:
        row_count, n: how many rows there are, and the elements of each.
        sizes: of the other dimensions; at least one.
        strides: of each operand along them.
        steps: of each operand, from one element of a row to the next.
    """

    row_count: int
    n: int
    sizes: Ints
    strides: tuple[Ints, ...]
    steps: Ints


@functools.lru_cache(maxsize=2048)
def rows_along(sizes: Ints, dim: int, *strides: Ints) -> Rows:
    """Return the rows along `dim` of operands with these strides. A scalar counts as a row of one element."""
    if not sizes:
        return Rows(1, 1, (1,), ((0,),) * len(strides), (1,) * len(strides))
    others = [d for d in range(len(sizes)) if d != dim]
    kept = tuple(sizes[d] for d in others) or (1,)
    of_kept = tuple(tuple(of[d] for d in others) or (0,) for of in strides)
    return Rows(math.prod(kept), sizes[dim], kept, of_kept, tuple(of[dim] for of in strides))


# ---- kernels; rows of n elements are one after the other in `held`, and in `order` the place each comes from


def sort_runs(precedes: Callable, kind: dtype) -> Any:
    """Build the kernel that reads the rows and sorts runs of `width` elements.

    Args:
        precedes: whether the first of two goes before the second.
    """
    cells = NUMBA[kind]

    def runs(held, order, x, p, rows, width):
        keys = cuda.shared.array(THREADS, cells)
        n, each, block = rows.n, (rows.n + width - 1) // width, cuda.blockIdx.x
        group, lane = cuda.threadIdx.x // width, cuda.threadIdx.x % width
        while block * (THREADS // width) < rows.row_count * each:
            run = block * (THREADS // width) + group
            row, first = run // each, run % each * width
            count = min(width, n - first) if row < rows.row_count else 0
            if lane < count:
                cell = p + offset(row, rows.sizes, rows.strides[0]) + (first + lane) * rows.steps[0]
                keys[cuda.threadIdx.x] = x[cell]
            cuda.syncthreads()
            if lane < count:
                a, place = keys[cuda.threadIdx.x], row * n + first
                for j in range(count):
                    b = keys[group * width + j]
                    if precedes(b, a) or (j < lane and not precedes(a, b)):
                        place += 1
                held[place], order[place] = a, first + lane
            cuda.syncthreads()
            block += cuda.gridDim.x

    return runs


def merge_runs(precedes: Callable, kind: dtype) -> Any:
    """Build the kernel that merges pairs of runs of `width` elements, with one thread per element."""

    def merge(held, order, runs, order_of_runs, cells, n, width):
        cell = cuda.grid(1)
        while cell < cells:
            i, a = cell % n, runs[cell]
            row, run = cell - i, i // width
            other, is_left = (run ^ 1) * width, run % 2 == 0
            low, high = min(other, n), min(other + width, n)
            while low < high:
                middle = (low + high) // 2
                b = runs[row + middle]
                if precedes(b, a) or not (is_left or precedes(a, b)):
                    low = middle + 1
                else:
                    high = middle
            place = row + (i + low - min(other, n) if is_left else i + low - other - width)
            held[place], order[place] = a, order_of_runs[cell]
            cell += cuda.gridsize(1)

    return merge


@cuda.jit
def take(values, v, indices, i, held, order, rows, count, k):
    """Write `count` elements of each sorted row from index k on to the outputs; for k = -1 the median or first NaN, for
    k = -2 the median of what is not NaN."""
    n, sizes, (to, at), steps = rows.n, rows.sizes, rows.strides, rows.steps
    cell = cuda.grid(1)
    while cell < rows.row_count * count:
        row, j = cell // count, cell % count
        first, place = row * n, k + j
        if k < 0:
            low, numbers = 0, n
            while low < numbers:
                middle = (low + numbers) // 2
                a = held[first + middle]
                if a == a:
                    low = middle + 1
                else:
                    numbers = middle
            place = numbers if k == MEDIAN and numbers < n else max(numbers - 1, 0) // 2
        values[v + offset(row, sizes, to) + j * steps[0]] = held[first + place]
        indices[i + offset(row, sizes, at) + j * steps[1]] = order[first + place]
        cell += cuda.gridsize(1)


@memo
def kernel_of(make: Callable, precedes: Callable, kind: dtype) -> Any:
    """Build the kernel that `make` returns for an order and a dtype."""
    kernel = make(device_function(precedes), kind)
    kernel.__name__ = kernel.__qualname__ = f"{make.__name__}_{precedes.__name__}"
    return cuda.jit(kernel)


# ---- launches


def sorted_rows(self: Tensor, dim: int, descending: bool) -> tuple[Any, Any]:
    """Return the rows along `dim`, sorted and stored one after the other, and the original index of each element."""
    kind, precedes = self._dtype, exceeds if descending else is_smaller
    rows = rows_along(self._sizes, dim, self._strides)
    n, count = rows.n, rows.row_count * rows.n
    width = min(power_of_two(n), THREADS)
    held, order = (new_tensor((count,), (1,), kind, self._storage.device) for kind in (kind, int64))
    grid, block = blocks_of("reduction", -(-rows.row_count * -(-n // width) // (THREADS // width)))
    operands = held._flat(), order._flat(), self._flat(), self._storage_offset
    launch(kernel_of(sort_runs, precedes, kind), grid, block, *operands, rows, width)
    while width < n:
        merged, places = (new_tensor((count,), (1,), kind, self._storage.device) for kind in (kind, int64))
        runs = merged._flat(), places._flat(), held._flat(), order._flat()
        launch(kernel_of(merge_runs, precedes, kind), *grid_of("elementwise", count), *runs, count, n, width)
        held, order, width = merged, places, 2 * width
    return held._flat(), order._flat()


def sort_kernel(values: Tensor, indices: Tensor, self: Tensor, dim: int, k: int, descending: bool = False) -> None:
    """Write the first k elements of each sorted row, and their indices."""
    take_from_rows(values, indices, self, dim, 0, k, descending)


def select_kernel(values: Tensor, indices: Tensor, self: Tensor, dim: int, k: int) -> None:
    """Write the k-th smallest element of each row, counted from 0, or the median if k is MEDIAN or NANMEDIAN."""
    take_from_rows(values, indices, self, dim, k, 1, False)


def take_from_rows(
    values: Tensor, indices: Tensor, self: Tensor, dim: int, k: int, count: int, descending: bool
) -> None:
    """Write `count` elements of each sorted row from index k on, and their original indices."""
    held, order = sorted_rows(self, dim, descending)
    rows = rows_along(self._sizes, dim, values._strides, indices._strides)
    operands = values._flat(), values._storage_offset, indices._flat(), indices._storage_offset, held, order
    launch(take, *grid_of("elementwise", rows.row_count * count), *operands, rows, count, k)


sorting.sort_stub.register("cuda", sort_kernel)
sorting.topk_stub.register("cuda", sort_kernel)
sorting.kthvalue_stub.register("cuda", select_kernel)
sorting.median_stub.register("cuda", select_kernel)
