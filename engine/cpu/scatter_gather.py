"""Elements along a dimension, each place with a position of its own: gather, scatter and its reductions.

The plain loop of gather along dimension 0 of two; scatter goes the other way, or reduces:

    for i, j in every place of index:
        y[i][j] = x[index[i][j]][j]

Places of one cell differ only in their place along the dimension, which every walk goes through upwards, so the last
write wins and sums are made in order. Threads that scatter share out whole lines along the dimension, so that no two
of them write one cell. Mirrors aten/src/ATen/native/cpu/ScatterGatherKernel.cpp.
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from numba import types
from numba.extending import register_jitable

from ..aten.at import at
from ..aten.native import scatter_gather
from ..dtypes import bool_, dtype, float32, float64, int8, int16, int32, int64, uint8
from ..strides import Ints, coalesce_dims
from ..tensor_impl import Tensor
from .half_bits import BITS, BITS_OF
from .loops import GEOMETRY, INDEX, NUMBA, advance, enter, named
from .ranges import Ranged

CELLS = types.int64[::1]
WAY = types.UniTuple(INDEX, 5)
BLOCK = np.uintp(1024)  # places whose positions are checked before any is used

# ---- what is done with one element


def gather(x, cell, y, place):
    """Copy x[cell] to y[place]."""
    y[place] = x[cell]


def scatter(x, cell, y, place):
    """Copy y[place] to x[cell]."""
    x[cell] = y[place]


def add(x, cell, y, place):
    """Add y[place] to x[cell]."""
    x[cell] += y[place]


def multiply(x, cell, y, place):
    """Multiply x[cell] by y[place]."""
    x[cell] *= y[place]


def either(x, cell, y, place):
    """Set x[cell] = x[cell] or y[place]."""
    x[cell] = x[cell] | y[place]


def both(x, cell, y, place):
    """Set x[cell] = x[cell] and y[place]."""
    x[cell] = x[cell] & y[place]


def amax(x, cell, y, place):
    """Set x[cell] to the larger of x[cell] and y[place]; NaN if either is NaN."""
    if not y[place] <= x[cell]:
        x[cell] = x[cell] if x[cell] != x[cell] else y[place]


def amin(x, cell, y, place):
    """Set x[cell] to the smaller of x[cell] and y[place]; NaN if either is NaN."""
    if not y[place] >= x[cell]:
        x[cell] = x[cell] if x[cell] != x[cell] else y[place]


# ---- the loops


def along(f: Callable) -> Callable:
    """Build the loop that applies `f` at all places of an index."""

    def loop(begin, end, x, p, index, q, y, r, walk, size, step, report):
        # walk: (4, n) sizes, strides of x without the stride along the dimension, of index, of y
        last = walk.shape[1] - 1
        place, cells = np.zeros(last, np.int64), np.array((p, q, r))
        sx, si, sy = np.uintp(walk[1, last]), np.uintp(walk[2, last]), np.uintp(walk[3, last])
        n = walk[0, last]
        enter(place, cells, walk, begin // n)
        start = begin % n
        while begin < end:
            of_x, of_index, of_y = np.uintp(cells[0]), np.uintp(cells[1]), np.uintp(cells[2])
            stop = min(n, start + end - begin)
            if si == 0:  # an expanded index: one position for a whole row of places, which become vectors
                position = index[of_index]
                if np.uintp(position) >= np.uintp(size):
                    report[0], report[1] = 1, position
                    return
                row = of_x + np.uintp(position) * np.uintp(step)
                if sx == 1 and sy == 1:
                    for i in range(np.uintp(start), np.uintp(stop)):
                        f(x, row + i, y, of_y + i)
                else:
                    for i in range(np.uintp(start), np.uintp(stop)):
                        f(x, row + i * sx, y, of_y + i * sy)
            for first in range(np.uintp(start), np.uintp(stop if si else start), BLOCK):
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


def lines(f: Callable) -> Callable:
    """Build the loop that scatters line by line, for numba to compile.

    A line is all places of `index` that differ only in their place along the dimension. Two places may mean one cell of
    x only if they are of one line, so whoever has a line owns the cells that it writes.

    Args:
        f: f(x, cell, y, place) does to cell `cell` of x what the value at `place` of y says, for `scatter_add`
            `x[cell] += y[place]`; both are numbers of cells in the flat arrays.
    Returns:
        loop(begin, end, x, p, index, q, y, r, walk, way, report), which returns nothing: all places of the lines
        number begin..end, without end; the places of one line upwards along the dimension.
        x, index, y: flat arrays, the whole storages.
        p, q, r: offsets, elements: cells of the first element of each.
        walk: (4, n) the walk over lines, the last column the innermost: sizes, strides of x, of index, of y, elements.
        way: tuple of 5, that along the dimension: size of index, size of x, strides of x, of index, of y, elements.
        report: (2,) at the first position that is not in 0 <= position < size of x it becomes 1 and that position, and
            the loop ends: nothing of x is read or written for this place or a later one. Places before it may have been
            done or not. If no position is out of range, report is left as it is.

    Source: cpu_scatter_gather_base_kernel (aten/src/ATen/native/cpu/ScatterGatherKernel.cpp).
    """

    def loop(begin, end, x, p, index, q, y, r, walk, way, report):
        length, size, step_x, step_index, step_y = way
        line, cells = np.zeros(walk.shape[1], np.int64), np.array((p, q, r))
        enter(line, cells, walk, begin)
        for _ in range(begin, end):
            of_x, of_index, of_y = cells[0], cells[1], cells[2]
            for i in range(length):
                position = index[np.uintp(of_index + i * step_index)]
                if not 0 <= position < size:
                    report[0], report[1] = 1, position
                    return
                f(x, np.uintp(of_x + position * step_x), y, np.uintp(of_y + i * step_y))
            advance(line, cells, walk)

    return loop


def compiled(name: str, functions: dict[tuple[dtype, ...], Callable], make: Callable, *way: types.Type) -> Ranged:
    """Build the kernel that runs `make(function)` for each dtype; `way` holds the types of arguments after the walk."""
    function_of = {kind: function for kinds, function in functions.items() for kind in kinds}

    def arguments(kind: dtype) -> tuple:
        cells = NUMBA[kind][::1]
        return (cells, INDEX, CELLS, INDEX, cells, INDEX, GEOMETRY, *way, CELLS)

    def loop(kind: dtype) -> Callable:
        return named(make(register_jitable(function_of[kind])), function_of[kind])

    return Ranged(name, function_of, loop, arguments)


def both_ways(name: str, functions: dict[tuple[dtype, ...], Callable]) -> tuple[Ranged, Ranged]:
    """Build two kernels, one over lines and one over places."""
    return compiled(name, functions, lines, WAY), compiled(name, functions, along, INDEX, INDEX)


NUMBERS = (float32, float64, uint8, int8, int16, int32, int64)
GATHER = compiled("gather", {BITS: gather}, along, INDEX, INDEX)
SCATTER = {
    None: both_ways("scatter", {BITS: scatter}),
    "add": both_ways("scatter_add", {NUMBERS: add, (bool_,): either}),
    "multiply": both_ways("scatter_multiply", {NUMBERS: multiply, (bool_,): both}),
    "amax": both_ways("scatter_amax", {NUMBERS: amax, (bool_,): either}),
    "amin": both_ways("scatter_amin", {NUMBERS: amin, (bool_,): both}),
}


@functools.lru_cache(4096)
def walk_of(dim: int, sizes: Ints, x_strides: Ints, index_strides: Ints, y_strides: Ints) -> tuple[int, np.ndarray]:
    """Return the number of places, and the walk (4, n) through them in the memory order of the index."""
    x_strides = tuple(0 if d == dim else stride for d, stride in enumerate(x_strides))
    order = sorted(range(len(sizes)), key=lambda d: (-index_strides[d], -y_strides[d]))
    rows = (tuple(numbers[d] for d in order) for numbers in (sizes, x_strides, index_strides, y_strides))
    walk = coalesce_dims(*rows)
    return math.prod(sizes), np.array(walk if walk[0] else [[1], [0], [0], [0]], np.int64)


@functools.lru_cache(4096)
def lines_of(dim: int, size: int, sizes: Ints, *strides: Ints) -> tuple[int, np.ndarray, Ints] | None:
    """Return the number of lines along `dim`, the walk (4, n) from line to line, and the steps along a line.

    Args:
        size: of x along `dim`.
        sizes: of index.
        strides: of x, of index, of y.
    Returns:
        None if the lines are adjacent, so that memory is better walked across them.
    """
    order = sorted((d for d in range(len(sizes)) if d != dim), key=lambda d: (-strides[1][d], -strides[2][d]))
    walk = coalesce_dims(*(tuple(numbers[d] for d in order) for numbers in (sizes, *strides)))
    step = [numbers[dim] for numbers in strides]
    if walk[0] and step[1:] > [walk[2][-1], walk[3][-1]]:
        return None
    count = math.prod(walk[0]) if sizes[dim] else 0
    return count, np.array(walk if walk[0] else [[1], [0], [0], [0]], np.int64), (sizes[dim], size, *step)


def run(reduce: str | None, is_gather: bool, x: Tensor, dim: int, index: Tensor, y: Tensor) -> None:
    """Run a loop over the places of `index`. Reads and lines run on several threads; writes to a cell have an order.

    Raises:
        RuntimeError: a position is out of range.
    """
    if index._dtype is not int64:
        index = at._to_copy(index, dtype=int64)
    size, step = (x._sizes[dim], x._strides[dim]) if x._sizes else (1, 1)
    geometry = index._sizes or (1,), x._strides or (1,), index._strides or (1,), y._strides or (1,)
    kind, report = x._dtype, np.zeros(2, np.int64)
    of_x, of_y = x._flat(), y._flat()
    if reduce is None and kind.is_floating_point:
        kind = BITS_OF[kind]
        of_x, of_y = of_x.view(kind.numpy), of_y.view(kind.numpy)
    args = (of_x, x._storage_offset, index._flat(), index._storage_offset, of_y, y._storage_offset)
    if is_gather:
        count, walk = walk_of(dim, *geometry)
        GATHER(kind, count, 2, *args, walk, size, step, report)
    elif found := lines_of(dim, size, *geometry):
        count, walk, way = found
        SCATTER[reduce][0](kind, count, 2 * way[0], *args, walk, way, report)
    else:
        count, walk = walk_of(dim, *geometry)
        SCATTER[reduce][1].compiled[kind](0, count, *args, walk, size, step, report)
    if report[0]:
        raise RuntimeError(f"index {report[1]} is out of bounds for dimension {dim} with size {size}")


def gather_kernel(out: Tensor, self: Tensor, dim: int, index: Tensor) -> None:
    """Copy the elements of `self` at the positions in `index` along `dim` to `out`."""
    run(None, True, self, dim, index, out)


def scatter_kernel(self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str | None) -> None:
    """Write `src` to `self` at the positions in `index` along `dim`, or combine the two by `reduce`."""
    run(reduce, False, self, dim, index, src)


scatter_gather.gather_stub.register("cpu", gather_kernel)
scatter_gather.scatter_stub.register("cpu", scatter_kernel)
