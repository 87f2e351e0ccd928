"""Elements along a dimension, each place with a position of its own: gather, scatter and its reductions.

The plain loop of gather along dimension 0 of two; scatter goes the other way, or reduces:

    for i, j in every place of index:
        y[i][j] = x[index[i][j]][j]

Places of one cell differ only in their place along the dimension, which every walk goes through upwards, so the last
write wins and sums are made in order. Mirrors aten/src/ATen/native/cpu/ScatterGatherKernel.cpp.
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from numba import types
from numba.extending import register_jitable

from ..aten.at import at
from ..aten.native import scatter_gather
from ..dtypes import bool_, dtype, float32, float64, int32, int64
from ..strides import Ints, coalesce_dims
from ..tensor_impl import Tensor
from .loops import GEOMETRY, INDEX, NUMBA, advance, enter, named
from .ranges import Ranged

CELLS = types.int64[::1]
BLOCK = np.uintp(1024)  # places whose positions are checked before any is used
OF_WIDTH = {1: bool_, 4: int32, 8: int64}

# ---- what is done with one element


def gather(x, cell, y, place):
    """y = x"""
    y[place] = x[cell]


def scatter(x, cell, y, place):
    """x = y"""
    x[cell] = y[place]


def add(x, cell, y, place):
    """x += y"""
    x[cell] += y[place]


def multiply(x, cell, y, place):
    """x *= y"""
    x[cell] *= y[place]


def either(x, cell, y, place):
    """x = x or y"""
    x[cell] = x[cell] | y[place]


def both(x, cell, y, place):
    """x = x and y"""
    x[cell] = x[cell] & y[place]


def amax(x, cell, y, place):
    """x = the larger of the two; NaN if one is."""
    if not y[place] <= x[cell]:
        x[cell] = x[cell] if x[cell] != x[cell] else y[place]


def amin(x, cell, y, place):
    """x = the smaller of the two; NaN if one is."""
    if not y[place] >= x[cell]:
        x[cell] = x[cell] if x[cell] != x[cell] else y[place]


# ---- the loop


def along(f: Callable) -> Callable:
    """The loop over all places for one of the functions above."""

    def loop(begin, end, x, p, index, q, y, r, walk, size, step, report):
        # walk: (4, n) sizes, strides of x without that of the dimension, of index, of y
        last = walk.shape[1] - 1
        place, cells = np.zeros(last, np.int64), np.array((p, q, r))
        sx, si, sy = np.uintp(walk[1, last]), np.uintp(walk[2, last]), np.uintp(walk[3, last])
        n = walk[0, last]
        enter(place, cells, walk, begin // n)
        start = begin % n
        while begin < end:
            of_x, of_index, of_y = np.uintp(cells[0]), np.uintp(cells[1]), np.uintp(cells[2])
            stop = min(n, start + end - begin)
            for first in range(np.uintp(start), np.uintp(stop), BLOCK):
                after = min(first + BLOCK, np.uintp(stop))
                outside = 0
                for i in range(first, after):
                    outside |= np.uintp(index[of_index + i * si]) >= np.uintp(size)
                if outside:
                    for i in range(first, after):
                        if np.uintp(index[of_index + i * si]) >= np.uintp(size):
                            report[0], report[1] = 1, index[of_index + i * si]
                            return
                for i in range(first, after):
                    cell = of_x + np.uintp(index[of_index + i * si]) * np.uintp(step) + i * sx
                    f(x, cell, y, of_y + i * sy)
            begin += stop - start
            start = 0
            advance(place, cells, walk)

    return loop


def compiled(name: str, functions: dict[tuple[dtype, ...], Callable]) -> Ranged:
    """`along` of the function of each dtype."""
    function_of = {kind: function for kinds, function in functions.items() for kind in kinds}

    def arguments(kind: dtype) -> tuple:
        cells = NUMBA[kind][::1]
        return (cells, INDEX, CELLS, INDEX, cells, INDEX, GEOMETRY, INDEX, INDEX, CELLS)

    def loop(kind: dtype) -> Callable:
        return named(along(register_jitable(function_of[kind])), function_of[kind])

    return Ranged(name, function_of, loop, arguments)


NUMBERS = (float32, float64, int32, int64)
GATHER = compiled("gather", {(bool_, int32, int64): gather})
SCATTER = {
    None: compiled("scatter", {(bool_, int32, int64): scatter}),
    "add": compiled("scatter_add", {NUMBERS: add, (bool_,): either}),
    "multiply": compiled("scatter_multiply", {NUMBERS: multiply, (bool_,): both}),
    "amax": compiled("scatter_amax", {NUMBERS: amax, (bool_,): either}),
    "amin": compiled("scatter_amin", {NUMBERS: amin, (bool_,): both}),
}


@functools.lru_cache(4096)
def walk_of(dim: int, sizes: Ints, x_strides: Ints, index_strides: Ints, y_strides: Ints) -> tuple[int, np.ndarray]:
    """How many places there are, and (4, n) the walk through them, in the order in which the index lies."""
    x_strides = tuple(0 if d == dim else stride for d, stride in enumerate(x_strides))
    order = sorted(range(len(sizes)), key=lambda d: (-index_strides[d], -y_strides[d]))
    rows = (tuple(numbers[d] for d in order) for numbers in (sizes, x_strides, index_strides, y_strides))
    walk = coalesce_dims(*rows)
    return math.prod(sizes), np.array(walk if walk[0] else [[1], [0], [0], [0]], np.int64)


def run(loops: Ranged, by_width: bool, x: Tensor, dim: int, index: Tensor, y: Tensor) -> None:
    """A loop over the places of `index`. Reads run on several threads; the writes to a cell have an order.

    Raises:
        RuntimeError: a position is out of range.
    """
    if index._dtype is not int64:
        index = at._to_copy(index, dtype=int64)
    size, step = (x._sizes[dim], x._strides[dim]) if x._sizes else (1, 1)
    count, walk = walk_of(dim, index._sizes or (1,), x._strides or (1,), index._strides or (1,), y._strides or (1,))
    kind, report = x._dtype, np.zeros(2, np.int64)
    of_x, of_y = x._flat(), y._flat()
    if by_width and kind.is_floating_point:
        kind = OF_WIDTH[kind.itemsize]
        of_x, of_y = of_x.view(kind.numpy), of_y.view(kind.numpy)
    args = (of_x, x._storage_offset, index._flat(), index._storage_offset, of_y, y._storage_offset, walk, size, step,
            report)  # fmt: skip
    if loops is GATHER:
        loops(kind, count, 2, *args)
    else:
        loops.compiled[kind](0, count, *args)
    if report[0]:
        raise RuntimeError(f"index {report[1]} is out of bounds for dimension {dim} with size {size}")


def gather_kernel(out: Tensor, self: Tensor, dim: int, index: Tensor) -> None:
    """out = the elements of `self` at the positions that `index` gives."""
    run(GATHER, True, self, dim, index, out)


def scatter_kernel(self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str | None) -> None:
    """`self` at the positions that `index` gives = `src`, or reduced with it."""
    run(SCATTER[reduce], reduce is None, self, dim, index, src)


scatter_gather.gather_stub.register("cpu", gather_kernel)
scatter_gather.scatter_stub.register("cpu", scatter_kernel)
