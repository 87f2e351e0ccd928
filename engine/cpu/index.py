"""Rows of a tensor, named by positions: index, index_put_, index_select, index_add, index_copy, index_fill, take.

The plain loop of a read, `x` seen as rows along the indexed dimension, each a geometry of its own:

    for k, position in enumerate(positions):
        for i in every place of a row:
            out[k][i] = x[position][i]

A write and an addition go the other way. Several indices become one first: the cell that each tuple of them names.
Positions are checked and turned into cells a block at a time, and the block stays in the first cache while rows are
copied. Mirrors aten/src/ATen/native/cpu/IndexKernel.cpp.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable

from ..aten.native import advanced_indexing, index_along_dim
from ..aten.native.indexing_utils import AdvancedIndex
from ..dtypes import bool_, dtype, float32, float64, int32, int64
from ..strides import Ints, coalesce_dims
from ..tensor_impl import Tensor
from .copy import strided_copy
from .loops import GEOMETRY, INDEX, NUMBA, Compiled, advance, named, rows_of

BLOCK = 1024  # positions at a time
EVERY = 2**62  # a size that no cell reaches
CELLS = types.int64[::1]
OF_WIDTH = {1: bool_, 4: int32, 8: int64}

# ---- what is done with one element: x the indexed tensor, y that which is as large as the positions


def read(x, cell, y, at, alpha):
    """y = x"""
    y[at] = x[cell]


def write(x, cell, y, at, alpha):
    """x = y"""
    x[cell] = y[at]


def add(x, cell, y, at, alpha):
    """x += alpha * y; of bools: or."""
    x[cell] += alpha * y[at]


def add_bool(x, cell, y, at, alpha):
    """x = x or (alpha and y)"""
    x[cell] = x[cell] | (alpha & y[at])


# ---- loops


def rows(f: Callable) -> Callable:
    """The loop over positions and rows for one of the functions above."""

    def loop(x, p, y, r, positions, q, bounds, walk, places, report, alpha, begin, end):
        # bounds: lowest, size, stride in x, stride in y; walk: (3, n) sizes of a row, strides in x, strides in y
        lowest, size, step, y_step = bounds[0], bounds[1], bounds[2], bounds[3]
        last = walk.shape[1] - 1
        width, sx, sy = np.uintp(walk[0, last]), np.uintp(walk[1, last]), np.uintp(walk[2, last])
        across = width == 1 or (not places.size and abs(y_step) < sy)  # positions lie densest in y
        index, cells = np.zeros(last, np.int64), np.empty(2, np.int64)
        of_x, of_y = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
        for first in range(begin, end, BLOCK):
            n = np.uintp(min(BLOCK, end - first))
            for i in range(n):
                position = positions[np.uintp(q + first) + i]
                if position < lowest or position >= size:
                    report[0], report[1] = 1, position
                    return
                of_x[i] = (position + size if position < 0 else position) * step
            if places.size:
                for i in range(n):
                    of_y[i] = places[np.uintp(first) + i]
            else:
                for i in range(n):
                    of_y[i] = (first + np.int64(i)) * y_step
            cells[0], cells[1] = p, r
            for _ in range(rows_of(walk)):
                a, b = cells[0], cells[1]
                if across:
                    for j in range(width):
                        to, at = np.uintp(a) + j * sx, np.uintp(b) + j * sy
                        for i in range(n):
                            f(x, to + np.uintp(of_x[i]), y, at + np.uintp(of_y[i]), alpha)
                elif sx == 1 and sy == 1:
                    for i in range(n):
                        to, at = np.uintp(a + of_x[i]), np.uintp(b + of_y[i])
                        for j in range(width):
                            f(x, to + j, y, at + j, alpha)
                else:
                    for i in range(n):
                        to, at = np.uintp(a + of_x[i]), np.uintp(b + of_y[i])
                        for j in range(width):
                            f(x, to + j * sx, y, at + j * sy, alpha)
                advance(index, cells, walk)

    return loop


@njit(cache=True, nogil=True, error_model="numpy")
def _add_cells(cells, positions, q, geometry, size, step, report):
    """cells += the cell of each position, or report one outside; geometry: (2, n) their sizes and strides."""
    last = geometry.shape[1] - 1
    index, at = np.zeros(last, np.int64), np.array((q,))
    n, stride = np.uintp(geometry[0, last]), np.uintp(geometry[1, last])
    first = np.uintp(0)
    for _ in range(rows_of(geometry)):
        for i in range(n):
            position = positions[np.uintp(at[0]) + i * stride]
            if position < -size or position >= size:
                report[0], report[1] = 1, position
                return
            cells[first + i] += (position + size if position < 0 else position) * step
        first += n
        advance(index, at, geometry)


# ---- compiled


def compiled(name: str, functions: dict[tuple[dtype, ...], Callable]) -> Compiled:
    """`rows` of the function of each dtype."""
    function_of = {kind: function for kinds, function in functions.items() for kind in kinds}

    def signature(kind: dtype) -> tuple:
        cells = (NUMBA[kind][::1], INDEX)
        return (*cells, *cells, CELLS, INDEX, CELLS, GEOMETRY, CELLS, CELLS, NUMBA[kind], INDEX, INDEX)

    def loop(kind: dtype) -> Callable:
        return named(rows(register_jitable(function_of[kind])), function_of[kind])

    return Compiled(name, function_of, loop, signature)


NUMBERS = (float32, float64, int32, int64)
READ = compiled("index", {(bool_, int32, int64): read})
WRITE = compiled("index_put", {(bool_, int32, int64): write})
ADD = compiled("index_add", {NUMBERS: add, (bool_,): add_bool})


class Rows(NamedTuple):
    """The walk through rows of two tensors.

    Args:
        walk: (3, n) sizes of a row, its strides in x, in y.
        y_step: of y from one position to the next; 0 with `places`.
        places: of y for each position, if they don't lie evenly.
        positions: (2, n) sizes and strides of a walk through the positions in the order of y, for each index.
    """

    walk: np.ndarray
    y_step: int
    places: np.ndarray
    positions: tuple[np.ndarray, ...]


NOWHERE = np.empty(0, np.int64)


def row_walk(sizes: Ints, x_strides: Ints, y_strides: Ints) -> np.ndarray:
    """(3, n): the dimensions of a row, outermost in y first, in as few as there can be."""
    order = sorted(range(len(sizes)), key=lambda d: -y_strides[d])
    rows = (tuple(numbers[d] for d in order) for numbers in (sizes, x_strides, y_strides))
    sizes, x_strides, y_strides = coalesce_dims(*rows)
    return np.array([sizes, x_strides, y_strides] if sizes else [[1], [0], [0]], np.int64)


@functools.lru_cache(4096)
def plan_rows(
    before: int, shape: Ints, sizes: Ints, x_strides: Ints, y_strides: Ints, indices: tuple[Ints, ...]
) -> Rows:
    """The walk of an advanced index.

    Args:
        before, shape: dimensions that stand before the positions', and sizes of the positions.
        sizes, x_strides, y_strides: of all dimensions.
        indices: strides of each index over the positions.
    """
    after = before + len(shape)
    kept = [d for d in range(len(sizes)) if not before <= d < after]
    walk = row_walk(*(tuple(numbers[d] for d in kept) for numbers in (sizes, x_strides, y_strides)))
    order = sorted(range(before, after), key=lambda d: -y_strides[d])
    outer = tuple(sizes[d] for d in order)
    dims, *strides = coalesce_dims(
        outer, tuple(y_strides[d] for d in order), *(tuple(index[d - before] for d in order) for index in indices)
    )
    positions = tuple(np.array([dims, index] if dims else [[1], [0]], np.int64) for index in strides[1:])
    merged = coalesce_dims(outer, tuple(y_strides[d] for d in order))
    if len(merged[0]) < 2:
        return Rows(walk, merged[1][0] if merged[0] else 0, NOWHERE, positions)
    places = np.zeros(math.prod(merged[0]), np.int64)
    _place_of_each(places, np.array(merged, np.int64))
    return Rows(walk, 0, places, positions)


@njit(cache=True, nogil=True, error_model="numpy")
def _place_of_each(places, geometry):
    """places[k] = the offset of element k of a geometry, (2, n) sizes and strides."""
    last = geometry.shape[1] - 1
    index, at = np.zeros(last, np.int64), np.zeros(1, np.int64)
    first = 0
    for _ in range(rows_of(geometry)):
        for i in range(geometry[0, last]):
            places[first + i] = at[0] + i * geometry[1, last]
        first += geometry[0, last]
        advance(index, at, geometry)


# ---- kernels


def run(info: AdvancedIndex, y: Tensor, loops: Compiled) -> None:
    """One of the loops over the elements that an index names and `y`, which has its sizes.

    Raises:
        IndexError: a position is out of bounds.
    """
    src, indices, walk = info
    if 0 in walk.sizes:
        return
    plan = plan_rows(walk.before, walk.shape, walk.sizes, walk.strides, y._strides, walk.index_strides)
    count, report = math.prod(walk.shape), np.zeros(2, np.int64)
    first, steps = indices[0], plan.positions[0]
    if len(indices) == 1 and steps.shape[1] == 1 and (steps[1, 0] == 1 or count == 1):
        positions, q, size, step = first._flat(), first._storage_offset, walk.indexed_sizes[0], walk.indexed_strides[0]
        lowest = -size
    else:
        positions, q, lowest, size, step = np.zeros(count, np.int64), 0, -EVERY, EVERY, 1
        for k, index in enumerate(indices):
            cells, size_k = (index._flat(), index._storage_offset), walk.indexed_sizes[k]
            _add_cells(positions, *cells, plan.positions[k], size_k, walk.indexed_strides[k], report)
            _require_inside(report, k, size_k)
    bounds = np.array((lowest, size, step, plan.y_step))
    apply(loops, src, y, positions, q, bounds, plan.walk, plan.places, report, 1, count)
    _require_inside(report, 0, size)


def apply(
    loops: Compiled, x: Tensor, y: Tensor, positions: np.ndarray, q: int, bounds: np.ndarray, walk: np.ndarray,
    places: np.ndarray, report: np.ndarray, alpha: Any, count: int,
) -> None:  # fmt: skip
    """Run a loop over all positions."""
    kind, of_x, of_y = x._dtype, x._flat(), y._flat()
    if loops is not ADD:
        kind = OF_WIDTH[kind.itemsize]
        of_x, of_y = of_x.view(kind.numpy), of_y.view(kind.numpy)
    loops[kind](of_x, x._storage_offset, of_y, y._storage_offset, positions, q, bounds, walk, places, report,
                kind.numpy.type(alpha), 0, count)  # fmt: skip


def _require_inside(report: np.ndarray, k: int, size: int) -> None:
    if report[0]:
        raise IndexError(f"index {report[1]} is out of bounds for dimension {k} with size {size}")


def index_kernel(out: Tensor, info: AdvancedIndex) -> None:
    """out = the elements that the indices name."""
    run(info, out, READ)


def index_put_kernel(info: AdvancedIndex, values: Tensor, accumulate: bool) -> None:
    """The elements that the indices name = values, or += values."""
    run(info, values, ADD if accumulate else WRITE)


def along_dim(loops: Compiled, x: Tensor, dim: int, index: Tensor, y: Tensor, alpha: Any = 1) -> int | None:
    """One of the loops over rows of `x` along `dim` and those of `y`, one for each position of the vector `index`.

    Returns:
        a position that is outside of [0, size), None if there is none.
    """
    if 0 in y._sizes:
        return None
    kept = [d for d in range(len(x._sizes)) if d != dim]
    walk = _walk_of(*(tuple(numbers[d] for d in kept) for numbers in (y._sizes, x._strides, y._strides)))
    size, step, y_step = (x._sizes[dim], x._strides[dim], y._strides[dim]) if x._sizes else (1, 0, 0)
    bounds, report = np.array((0, size, step, y_step)), np.zeros(2, np.int64)
    positions, q = positions_of(index)
    apply(loops, x, y, positions, q, bounds, walk, NOWHERE, report, alpha, index.numel())
    return int(report[1]) if report[0] else None


def positions_of(index: Tensor) -> tuple[np.ndarray, int]:
    """The positions of a vector, side by side, as an int64 array, and the first one's place."""
    if index._dtype is int64 and (index.numel() <= 1 or index._strides[-1] == 1):
        return index._flat(), index._storage_offset
    positions = np.empty(index.numel(), np.int64)
    strides = index._strides or (1,)
    strided_copy((positions.size,), positions, 0, (1,), index._flat(), index._storage_offset, strides)
    return positions, 0


_walk_of: Callable[..., np.ndarray] = functools.lru_cache(4096)(row_walk)


advanced_indexing.index_stub.register("cpu", index_kernel)
advanced_indexing.index_put_stub.register("cpu", index_put_kernel)
index_along_dim.index_select_stub.register("cpu", functools.partial(along_dim, READ))
index_along_dim.index_copy_stub.register("cpu", functools.partial(along_dim, WRITE))
index_along_dim.index_add_stub.register("cpu", functools.partial(along_dim, ADD))
