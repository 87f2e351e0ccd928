"""sort, topk, kthvalue and median along a dimension of any geometry.

The plain loop that they replace, for each row x along the dimension:

    order = sorted(range(len(x)), key=x.__getitem__, reverse=descending)
    values, indices = [x[i] for i in order], order

Mirrors aten/src/ATen/native/cpu/SortingKernel.cpp.
"""

from collections.abc import Callable

import numpy as np
from numba import types
from numba.extending import register_jitable

from ..aten.native import sorting
from ..dtypes import bool_, dtype, float32, float64, int8, int16, int32, int64, uint8
from ..tensor_impl import Tensor
from .loops import GEOMETRY, INDEX, NUMBA
from .ranges import Ranged
from .sort_keys import BUCKETS, KEYS, filling, first_keys, quick_select, radix_select, sort_keys

NUMBERS = (float32, float64, uint8, int8, int16, int32, int64)
SMALL = 64  # as many as `first_keys` finds; more are found by sorting


@register_jitable
def cells_of(row, rows, cells, first):
    """Compute cells[k], the first cell of operand k in row `row`, from first[k], its first cell in row 0.

    Args:
        rows: (1 + operands, ndim) sizes of the other dimensions, then the strides of each operand.
    """
    for k in range(cells.size):
        cells[k] = first[k]
    for d in range(rows.shape[1] - 1, -1, -1):
        at = row % rows[0, d]
        row //= rows[0, d]
        for k in range(cells.size):
            cells[k] += at * rows[k + 1, d]


# ---- kernels over rows; `steps` are between neighbors of a row, for values, indices and x


def sort_rows(fill: Callable, unsigned: type) -> Callable:
    """Build the kernel of `sort` and `topk`, which finds the first k elements of each row in sorted order."""

    def kernel(begin, end, values, indices, x, first, rows, steps, n, k, descending):
        flip = ~unsigned(0) if descending else unsigned(0)
        keys, other_keys = np.empty(n, unsigned), np.empty(n, unsigned)
        order, other_order = np.empty(n, np.uint32), np.empty(n, np.uint32)
        counts, cells = np.empty(BUCKETS, np.int64), np.empty(3, np.int64)
        for row in range(begin, end):
            cells_of(row, rows, cells, first)
            o, q, p = cells
            fill(keys, x, p, steps[2], flip)
            found = order
            if k < n and k <= SMALL:
                first_keys(keys, other_keys[:k], order)
            else:
                found = sort_keys(keys, order, other_keys, other_order, counts)
            for i in range(k):
                which = np.int64(found[i])
                values[o + i * steps[0]] = x[p + which * steps[2]]
                indices[q + i * steps[1]] = which

    return kernel


def select_rows(select: Callable) -> Callable:
    """Return a function that builds the kernel of `kthvalue` and the medians, which finds one element of each row.

    For k = -1 it is the median, or the first NaN; for k = -2 the median of what is not NaN.
    """

    def of(fill: Callable, unsigned: type) -> Callable:
        def kernel(begin, end, values, indices, x, first, rows, steps, n, k, descending):
            keys, order, cells = np.empty(n, unsigned), np.empty(n, np.uint32), np.empty(3, np.int64)
            for row in range(begin, end):
                cells_of(row, rows, cells, first)
                o, q, p = cells
                which, numbers = -1, n
                if k < 0:
                    for i in range(n - 1, -1, -1):
                        value = x[p + i * steps[2]]
                        if value != value:
                            which, numbers = i, numbers - 1
                if k >= 0 or numbers == n or (k == -2 and numbers > 0):
                    fill(keys, x, p, steps[2], unsigned(0))
                    for i in range(n):
                        order[i] = i
                    place = k if k >= 0 else (numbers - 1) // 2
                    select(keys, order, place)
                    which = np.int64(order[place])
                values[o] = x[p + which * steps[2]]
                indices[q] = which

        return kernel

    return of


def ranged(name: str, make: Callable, kinds: tuple[dtype, ...]) -> Ranged:
    """Build, for each dtype, the kernel that `make(fill, unsigned)` returns."""

    def body(kind: dtype) -> Callable:
        unsigned = KEYS[kind][-1]
        kernel = make(register_jitable(filling(*KEYS[kind])), unsigned)
        kernel.__qualname__ = f"{name}.kernel"  # numba keeps compiled code by it
        return kernel

    def arguments(kind: dtype) -> tuple:
        array, cells = NUMBA[kind][::1], types.int64[::1]
        return (array, cells, array, cells, GEOMETRY, cells, INDEX, INDEX, types.boolean)

    return Ranged(name, kinds, body, arguments)


def kernel_of(name: str, make: Callable, kinds: tuple[dtype, ...]) -> Callable[..., None]:
    """Build kernel(values, indices, self, dim, k, descending); all have equally many dimensions, and none is empty."""
    loop = ranged(name, make, kinds)

    def kernel(values: Tensor, indices: Tensor, self: Tensor, dim: int, k: int, descending: bool = False) -> None:
        operands = (values, indices, self)
        others = [d for d in range(len(self._sizes)) if d != dim]
        sizes = [self._sizes[d] for d in others]
        rows = np.array([sizes, *([tensor._strides[d] for d in others] for tensor in operands)], np.int64)
        count, n = 1, self._sizes[dim] if self._sizes else 1
        for size in sizes:
            count *= size
        steps = np.array([tensor._strides[dim] if self._sizes else 1 for tensor in operands], np.int64)
        first = np.array([tensor._storage_offset for tensor in operands], np.int64)
        flat = (tensor._flat() for tensor in operands)
        loop(self._dtype, count, 16 * n, *flat, first, rows, steps, n, k, descending)

    return kernel


sorting.sort_stub.register("cpu", kernel_of("sorting_kernel_method_name", sort_rows, (*NUMBERS, bool_)))
sorting.topk_stub.register("cpu", kernel_of("topk_cpu", sort_rows, NUMBERS))
sorting.kthvalue_stub.register("cpu", kernel_of("kthvalue_cpu", select_rows(quick_select), NUMBERS))
sorting.median_stub.register("cpu", kernel_of("median_cpu", select_rows(radix_select), NUMBERS))
