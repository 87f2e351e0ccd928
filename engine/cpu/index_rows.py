"""The loops over rows of a tensor that positions name.

The plain loop of a read, `x` seen as rows along the indexed dimension, each a geometry of its own:

    for k, position in enumerate(positions):
        for i in every place of a row:
            out[k][i] = x[position][i]

A write and an addition go the other way. Several indices become one first: the cell that each tuple of them names.
Positions are checked and turned into cells a block at a time, and the block stays in the first cache while rows are
copied. Mirrors aten/src/ATen/native/cpu/IndexKernel.cpp.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import register_jitable

from ..dtypes import bool_, dtype, float32, float64, int8, int16, int32, int64, uint8
from .argument_structs import Int64s, Int64Table, type_of
from .half_bits import BITS
from .loops import GEOMETRY, INDEX, NUMBA, Compiled, advance, named, rows_of
from .ranges import Ranged

BLOCK = 1024  # positions at a time
CELLS = types.int64[::1]


class Walk(NamedTuple):
    """A walk through the rows at given positions, as the loop reads it.

    Attributes:
        lowest, size: positions are at least `lowest`, and less than `size`.
        x_stride, y_stride: from one position to the next.
        row: (3, n) sizes of a row, its strides in x, in y.
        places: offset in y of each position, if they are not evenly spaced; else empty.
    """

    lowest: int
    size: int
    x_stride: int
    y_stride: int
    row: Int64Table
    places: Int64s


# ---- what is done with one element: x the indexed tensor, y that which is as large as the positions


def read(x, cell, y, at, alpha):
    """Set y[at] = x[cell]."""
    y[at] = x[cell]


def write(x, cell, y, at, alpha):
    """Set x[cell] = y[at]."""
    x[cell] = y[at]


def add(x, cell, y, at, alpha):
    """Add alpha * y[at] to x[cell]."""
    x[cell] += alpha * y[at]


def add_bool(x, cell, y, at, alpha):
    """Set x[cell] = x[cell] or (alpha and y[at])."""
    x[cell] = x[cell] | (alpha & y[at])


# ---- loops


def rows(f: Callable) -> Callable:
    """Build the loop over positions and rows that applies `f` to each element; `walk` is a `Walk`."""

    def loop(begin, end, x, p, y, r, positions, q, walk, report, alpha):
        lowest, size, step, y_step = walk.lowest, walk.size, walk.x_stride, walk.y_stride
        row, places = walk.row, walk.places
        last = row.shape[1] - 1
        width, sx, sy = np.uintp(row[0, last]), np.uintp(row[1, last]), np.uintp(row[2, last])
        across = width == 1 or (not places.size and abs(y_step) < sy)  # positions are densest in y
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
            for _ in range(rows_of(row)):
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
                advance(index, cells, row)

    return loop


def add_cells(cells, positions, q, geometry, size, step, report):
    """Add the offset of each position to `cells`, or report one out of range; geometry: (2, n) sizes and strides."""
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


def place_of_each(places, geometry):
    """Set places[k] to the offset of element k of a geometry, (2, n) sizes and strides."""
    last = geometry.shape[1] - 1
    index, at = np.zeros(last, np.int64), np.zeros(1, np.int64)
    first = 0
    for _ in range(rows_of(geometry)):
        for i in range(geometry[0, last]):
            places[first + i] = at[0] + i * geometry[1, last]
        first += geometry[0, last]
        advance(index, at, geometry)


# ---- compiled


def compiled(name: str, functions: dict[tuple[dtype, ...], Callable]) -> Ranged:
    """Return the kernel that runs, for each dtype, the loop that `rows` builds from the dtype's function."""
    function_of = {kind: function for kinds, function in functions.items() for kind in kinds}

    def arguments(kind: dtype) -> tuple:
        cells = (NUMBA[kind][::1], INDEX)
        return (*cells, *cells, CELLS, INDEX, type_of(Walk, kind), CELLS, NUMBA[kind])

    def loop(kind: dtype) -> Callable:
        return named(rows(register_jitable(function_of[kind])), function_of[kind])

    return Ranged(name, function_of, loop, arguments)


NUMBERS = (float32, float64, uint8, int8, int16, int32, int64)
READ = compiled("index", {BITS: read})
WRITE = compiled("index_put", {BITS: write})
ADD = compiled("index_add", {NUMBERS: add, (bool_,): add_bool})
ADD_CELLS = Compiled(
    "index", (int64,), lambda kind: add_cells, lambda kind: (CELLS, CELLS, INDEX, GEOMETRY, INDEX, INDEX, CELLS)
)
PLACE_OF_EACH = Compiled("index", (int64,), lambda kind: place_of_each, lambda kind: (CELLS, GEOMETRY))
