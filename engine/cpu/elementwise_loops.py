"""The loops of elementwise kernels: write `a + b`, get the kernel for every dtype and layout.

The plain loop that `binary(f)` replaces, `out`, `a`, `b` being the flat arrays of three storages:

    for to, of_a, of_b in zip(offsets of out, offsets of a, offsets of b):
        out[to] = f(a[of_a], b[of_b], *scalars)

`f` is plain Python and is at the top level of a module, so that the disk cache knows it by name. Beside it may
be a function of vectors (often `f` itself): then neighbors are computed a register at a time, and `f` computes the
tail and what is strided. Each maker gives two loops over a range, which threads share: `contiguous`, where every
operand is one run, and `strided`, for any geometry. Mirrors cpu_kernel and cpu_kernel_vec of
aten/src/ATen/native/cpu/Loops.h.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from .vectorized import broadcast, loadu, storeu

COLUMNS = 16  # of a tile: an operand whose neighbors are along the rows is read a cache line at a time


class Scalar(NamedTuple):
    """An elementwise operation: a function of single numbers and, optionally, one of vectors."""

    of_one: Callable
    of_many: Callable | None = None


Loops = tuple[Callable, Callable]  # of contiguous operands, of any others

# Where the output is an input, as in `x += y`, LLVM sees that the two may overlap and gives up its vectors, unless the
# loop reads and writes one array, or loads and stores vectors itself. Indices are unsigned because numba would test
# others for being negative.


@njit(cache=True, nogil=True, error_model="numpy")
def walk(geometry, begin, end):
    """Return the rows and columns that a strided loop covers: rows begin..end, or the elements of the only row.

    Returns:
        rows (2,), columns (2,), tile: where each begins and ends, and how many columns are done at a time, at least 1.
    """
    last = geometry.shape[1] - 1
    if last == 0:
        return (0, 1), (begin, end), max(end - begin, 1)
    crossed = False
    for k in range(2, geometry.shape[0]):
        crossed |= 0 < geometry[k, last - 1] < geometry[k, last]
    return (begin, end), (0, geometry[0, last]), COLUMNS if crossed else geometry[0, last]


@register_jitable
def steps_of(geometry):
    """Return the operands' strides from one row to the next, and from one column to the next, (operands,) each."""
    return geometry[1:, max(geometry.shape[1] - 2, 0)], geometry[1:, geometry.shape[1] - 1]


@njit(cache=True, nogil=True, error_model="numpy")
def plane_of(cells, geometry, row, end):
    """Move `cells` to the first cells of a row, and return the number of evenly spaced rows from there on.

    Args:
        cells: (operands,) changed in place: from the geometry's first cells to the row's.
        end: count no row from here on.
    """
    last = geometry.shape[1] - 1
    count = 1
    if last:
        count = min(geometry[0, last - 1] - row % geometry[0, last - 1], end - row)
    for d in range(last - 1, -1, -1):
        place = row % geometry[0, d]
        row //= geometry[0, d]
        for k in range(cells.size):
            cells[k] += place * geometry[k + 1, d]
    return count


def unary(scalar: Scalar, lanes: int) -> Loops:
    """Return the contiguous and the strided loop of out = f(a, *scalars)."""
    f = register_jitable(forceinline=True)(scalar.of_one)
    if scalar.of_many:
        g = register_jitable(forceinline=True)(scalar.of_many)
        return contiguous_unary_vec(f, g, lanes), strided_unary(f)
    return contiguous_unary(f), strided_unary(f)


def contiguous_unary(f: Callable) -> Callable:
    """Return the loop of out = f(a, *scalars) over contiguous operands, vectorized if LLVM can."""

    def contiguous(begin, end, out, o, a, p, scalars):
        to, x = out[o + begin : o + end], a[p + begin : p + end]
        if to.ctypes.data == x.ctypes.data and to.itemsize == x.itemsize:
            for i in range(x.size):
                x[i] = f(x[i], *scalars)
        else:
            for i in range(x.size):
                to[i] = f(x[i], *scalars)

    return contiguous


def strided_unary(f: Callable) -> Callable:
    """Return the loop of out = f(a, *scalars) over any geometry, for numba to compile.

    It goes through the rows of a plane in tiles: some columns of all rows, then the next columns. So an operand whose
    neighbors are in adjacent rows, as in a transposed matrix, is still read a cache line at a time.

    Args:
        f: function of single numbers.
    Returns:
        strided(begin, end, out, o, a, p, geometry, scalars), which returns nothing.
        begin, end: as `walk` takes them; begin <= end, and if they are equal nothing is read or written.
        out, a: flat arrays, the whole storages; they share no cell, or are one array with equal offsets and strides, as
            in `x.neg_()`.
        o, p: offsets, elements: cells of the first element of the geometry.
        geometry: (3, ndim) sizes, strides of out, strides of a, in elements; no size is 0.
        scalars: a tuple, the further arguments of f.

    Source: VectorizedLoop2d::operator() (aten/src/ATen/native/cpu/Loops.h); PyTorch has no tiles.
    """

    def strided(begin, end, out, o, a, p, geometry, scalars):
        down, right = steps_of(geometry)
        so, sa = np.uintp(right[0]), np.uintp(right[1])
        rows, columns, tile = walk(geometry, begin, end)
        row = rows[0]
        while row < rows[1]:
            cells = np.array((o, p))
            count = plane_of(cells, geometry, row, rows[1])
            for column in range(columns[0], columns[1], tile):
                n = np.uintp(min(tile, columns[1] - column))
                for r in range(count):
                    to = np.uintp(cells[0] + r * down[0] + column * right[0])
                    of = np.uintp(cells[1] + r * down[1] + column * right[1])
                    for i in range(n):
                        out[to + i * so] = f(a[of + i * sa], *scalars)
            row += count

    return strided


def contiguous_unary_vec(f: Callable, g: Callable, lanes: int) -> Callable:
    """Return the loop of out = f(a, *scalars) over contiguous operands, by explicit vectors."""

    def contiguous(begin, end, out, o, a, p, scalars):
        i = begin
        while i + lanes <= end:
            storeu(out, o + i, g(loadu(a, p + i, lanes), *scalars))
            i += lanes
        while i < end:
            out[np.uintp(o + i)] = f(a[np.uintp(p + i)], *scalars)
            i += 1

    return contiguous


def binary(scalar: Scalar, lanes: int) -> Loops:
    """Return the contiguous and the strided loop of out = f(a, b, *scalars)."""
    f = register_jitable(forceinline=True)(scalar.of_one)
    if scalar.of_many:
        g = register_jitable(forceinline=True)(scalar.of_many)
        return contiguous_binary_vec(f, g, lanes), strided_binary_vec(f, g, lanes)
    return in_place_or(contiguous_binary(f)), strided_binary(f)


def contiguous_binary(f: Callable) -> Callable:
    """Return the loop of out = f(a, b, *scalars) over contiguous operands, for numba to compile.

    Args:
        f: function of single numbers.
    Returns:
        contiguous(begin, end, out, o, a, p, b, q, scalars), which returns nothing: for each i of begin..end, without
        end, cell o + i of `out` becomes f(cell p + i of `a`, cell q + i of `b`, *scalars). No other cell is read or
        written. If begin == end, nothing is.
        out, a, b: flat arrays, the whole storages; two may be one array, as in `x %= y`. An input shares no cell with
            the output's run, or is that run: its offset is o.
        o, p, q: offsets, elements.
        scalars: a tuple, the further arguments of f.

    >>> import operator
    >>> out = np.zeros(5)
    >>> contiguous_binary(operator.add)(1, 3, out, 1, np.arange(9.0), 0, np.full(9, 10.0), 0, ())
    >>> out.tolist()
    [0.0, 0.0, 11.0, 12.0, 0.0]

    Source: basic_loop (aten/src/ATen/native/cpu/Loops.h).
    """

    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        for i in range(begin, end):
            out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)

    return contiguous


def in_place_or(loop: Callable) -> Callable:
    """Return `loop`, specialized for an output that is one of the inputs, so that LLVM can vectorize it in place."""
    loop = register_jitable(inline="always")(loop)

    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        if is_same_run(out, o, a, p):
            loop(begin, end, a, p, a, p, b, q, scalars)
        elif is_same_run(out, o, b, q):
            loop(begin, end, b, q, a, p, b, q, scalars)
        else:
            loop(begin, end, out, o, a, p, b, q, scalars)

    return contiguous


@register_jitable
def is_same_run(a, p, b, q):
    """Return True if the runs that begin at cell p of a and cell q of b are the same memory."""
    return a.ctypes.data + p * a.itemsize == b.ctypes.data + q * b.itemsize and a.itemsize == b.itemsize


def contiguous_binary_vec(f: Callable, g: Callable, lanes: int) -> Callable:
    """Return the vectorized `contiguous_binary`: whole vectors from `begin` on, then single numbers up to `end`.

    A vector is read by `loadu(array, index, lanes)` and written by `storeu(array, index, value)`; `index` is the cell
    of its first number.

    Args:
        f: function of single numbers.
        g: function of vectors, g(x, y, *scalars).
        lanes: how many numbers a vector has.
    Returns:
        contiguous(begin, end, out, o, a, p, b, q, scalars), as of `contiguous_binary`.

    Source: vectorized_loop (aten/src/ATen/native/cpu/Loops.h).
    """

    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        i = begin
        while i + lanes <= end:
            storeu(out, o + i, g(loadu(a, p + i, lanes), loadu(b, q + i, lanes), *scalars))
            i += lanes
        while i < end:
            out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)
            i += 1

    return contiguous


def strided_binary(f: Callable) -> Callable:
    """Return the loop of out = f(a, b, *scalars) over any geometry; an input with stride 0 is kept in a register."""

    def strided(begin, end, out, o, a, p, b, q, geometry, scalars):
        down, right = geometry[1:, max(geometry.shape[1] - 2, 0)], geometry[1:, geometry.shape[1] - 1]
        so, sa, sb = np.uintp(right[0]), np.uintp(right[1]), np.uintp(right[2])
        rows, columns, tile = walk(geometry, begin, end)
        row = rows[0]
        while row < rows[1]:
            cells = np.array((o, p, q))
            count = plane_of(cells, geometry, row, rows[1])
            for column in range(columns[0], columns[1], tile):
                n = np.uintp(min(tile, columns[1] - column))
                for r in range(count):
                    to = np.uintp(cells[0] + r * down[0] + column * right[0])
                    of_a = np.uintp(cells[1] + r * down[1] + column * right[1])
                    of_b = np.uintp(cells[2] + r * down[2] + column * right[2])
                    if sb == 0:
                        still = b[of_b]
                        for i in range(n):
                            out[to + i * so] = f(a[of_a + i * sa], still, *scalars)
                    elif sa == 0:
                        still = a[of_a]
                        for i in range(n):
                            out[to + i * so] = f(still, b[of_b + i * sb], *scalars)
                    else:
                        for i in range(n):
                            out[to + i * so] = f(a[of_a + i * sa], b[of_b + i * sb], *scalars)
            row += count

    return strided


def strided_binary_vec(f: Callable, g: Callable, lanes: int) -> Callable:
    """Return the loop of out = f(a, b, *scalars) over any geometry, by vectors if rows are contiguous or broadcast."""

    def strided(begin, end, out, o, a, p, b, q, geometry, scalars):
        down, right = geometry[1:, max(geometry.shape[1] - 2, 0)], geometry[1:, geometry.shape[1] - 1]
        so, sa, sb = right[0], right[1], right[2]
        rows, columns, tile = walk(geometry, begin, end)
        row = rows[0]
        while row < rows[1]:
            cells = np.array((o, p, q))
            count = plane_of(cells, geometry, row, rows[1])
            for column in range(columns[0], columns[1], tile):
                n = min(tile, columns[1] - column)
                for r in range(count):
                    to = cells[0] + r * down[0] + column * so
                    of_a, of_b = cells[1] + r * down[1] + column * sa, cells[2] + r * down[2] + column * sb
                    i = 0
                    if so == 1 and sa < 2 and sb < 2 and n >= lanes:
                        still_a = broadcast(a[np.uintp(of_a)], lanes)
                        still_b = broadcast(b[np.uintp(of_b)], lanes)
                        while i + lanes <= n:
                            x = loadu(a, of_a + i, lanes) if sa else still_a
                            y = loadu(b, of_b + i, lanes) if sb else still_b
                            storeu(out, to + i, g(x, y, *scalars))
                            i += lanes
                    while i < n:
                        out[np.uintp(to + i * so)] = f(a[np.uintp(of_a + i * sa)], b[np.uintp(of_b + i * sb)], *scalars)
                        i += 1
            row += count

    return strided
