"""gemm: `blocked` makes C = alpha * A @ B + beta * C, of matrices with any strides.

The plain loop that it replaces:

    for i in range(m):
        for j in range(n):
            total = sum(a[p + i * a_m + t * a_k] * b[q + t * b_k + j * b_n] for t in range(k))
            c[o + i * c_m + j * c_n] = alpha * total + beta * c[o + i * c_m + j * c_n]  # not read if beta is 0

The product is cut into tiles that fit the registers (`gemm_tile`), and k into parts, so that what a tile reads stays in
the caches: panels of A, a tile's rows of one part (12 KiB), in the first, panels of B in the second. Both are copied
("packed") into the order in which the tile reads them; a matrix of few rows reads B where it is, once.
Mirrors what PyTorch has a BLAS library for (aten/src/ATen/native/CPUBlas.cpp).
"""

import numpy as np
from numba import njit
from numba.extending import register_jitable

from .argument_structs import Matrix
from .gemm_tile import BYTES, FEWER_ROWS, FEWEST_ROWS, QUAD, ROWS, VECTORS, full_tile, make_tile, transpose
from .gemm_vectors import HEIGHT, tile_of_four_rows

PART = 256  # of k: a tile's row of B in this many steps is 32 KiB, of A 12 KiB
DIRECT_PART = 32  # of k, where B is read without packing: rows of B that are read side by side
BLOCK = 512  # columns of B that are packed at a time: 512 KiB of float32, a half of the second cache
fewer_tile, fewest_tile = (
    tile_of_four_rows if rows == HEIGHT else make_tile(rows) for rows in (FEWER_ROWS, FEWEST_ROWS)
)
HEIGHTS = ROWS, FEWER_ROWS, FEWEST_ROWS
DIRECT_ROWS = 2 * ROWS  # a matrix of at most this many rows reads B so few times that packing it does not pay


@register_jitable
def columns_of(array):
    """Return the number of columns of a tile for the dtype of `array`."""
    return VECTORS * BYTES // array.itemsize


@register_jitable
def height_of(left):
    """Return the smallest tile height that covers the last `left` rows of A, which are at most one panel's."""
    return ROWS if left > FEWER_ROWS else FEWER_ROWS if left > FEWEST_ROWS else FEWEST_ROWS


@register_jitable
def aligned(count, like):
    """Return an uninitialized array of `count` elements, aligned to 64 bytes, the size of a cache line."""
    memory = np.empty(count + 64 // like.itemsize, like.dtype)
    first = -memory.ctypes.data % 64 // like.itemsize
    return memory[first : first + count]


@register_jitable
def pack(width, x, p, step, x_k, count, k, to, o):
    """Pack a panel: the `width` elements of X for each step t are adjacent, with zeros for those that X does not have.

    to[o + t * width + i] = X[i, t] if i < count else 0, for i < width and t < k.

    Each element of X is read once, each cell of the panel is written once, and no other cell is read or written.

    Args:
        x, p, step, x_k: a flat array, and X[i, t] is x[p + i * step + t * x_k].
        count: how many i there are, at most `width`.
        k: how many t; may be 0.
        to, o: a flat array, and where the panel begins.
    """
    for t in range(k):
        for i in range(count):
            to[np.uintp(o + t * width + i)] = x[np.uintp(p + i * step + t * x_k)]
        for i in range(count, width):
            to[np.uintp(o + t * width + i)] = 0


@register_jitable
def pack_along(width, x, p, step, count, k, to, o):
    """Pack a panel, as `pack` does, of elements contiguous along t, transposing 4 x 4 blocks in registers."""
    quads, blocks = count // QUAD * QUAD, k // QUAD * QUAD
    for i in range(0, quads, QUAD):
        for t in range(0, blocks, QUAD):
            transpose(x, p + i * step + t, step, to, o + t * width + i, width)
    for i in range(count):
        for t in range(blocks if i < quads else 0, k):
            to[np.uintp(o + t * width + i)] = x[np.uintp(p + i * step + t)]
    for t in range(k):
        for i in range(count, width):
            to[np.uintp(o + t * width + i)] = 0


@register_jitable
def pack_panel(width, x, p, step, x_k, count, k, to, o):
    """Pack a panel by the function that suits its strides."""
    if step == 1:
        pack(width, x, p, 1, x_k, count, k, to, o)
    elif x_k == 1:
        pack_along(width, x, p, step, count, k, to, o)
    else:
        pack(width, x, p, step, x_k, count, k, to, o)


@register_jitable
def multiply_tile(rows, a, p, b, q, b_k, c, o, c_m, k, alpha, beta):
    """Compute a tile of C of `rows` rows, one of HEIGHTS."""
    if rows == ROWS:
        full_tile(a, p, b, q, b_k, c, o, c_m, k, alpha, beta)
    elif rows == FEWER_ROWS:
        fewer_tile(a, p, b, q, b_k, c, o, c_m, k, alpha, beta)
    else:
        fewest_tile(a, p, b, q, b_k, c, o, c_m, k, alpha, beta)


@register_jitable
def pack_rows(height, m, k, a, p, a_m, a_k, to):
    """Pack A into panels of `height` rows, fewer in the last one, padded with zeros to whole tiles."""
    for i in range(0, m, height):
        count = min(height, m - i)
        pack_panel(height_of(count), a, p + i * a_m, a_m, a_k, count, k, to, i * k)


@register_jitable
def pack_columns(k, n, b, q, b_k, b_n, to):
    """Pack B into panels of a tile's columns, the last one padded with zeros."""
    columns = columns_of(to)
    for j in range(0, n, columns):
        pack_panel(columns_of(to), b, q + j * b_n, b_n, b_k, min(columns, n - j), k, to, j * k)


@register_jitable
def multiply_panels(height, m, n, k, alpha, a, b, beta, c, edge):
    """Compute C = alpha * A @ B + beta * C from packed panels, one register tile for each pair of panels.

    A panel of A has `height` rows, and the last one height_of(rows that are left), of which those that A does not have
    are 0. A panel of B has columns_of(a) columns, of which those that B does not have are 0. Tiles that are whole and
    have neighboring columns in C are written to C at once, others to `edge`, and from there what C has of them. No cell
    of `c` that is not an element of C is read or written.

    Args:
        height: one of HEIGHTS.
        m, n, k: A is (m, k), B is (k, n), C is (m, n); none is 0.
        alpha, beta: numbers of the arrays' dtype; if beta is 0, C is not read.
        a: a flat array, the panels of A: A[i + r, t] is a[i * k + t * rows + r] in the panel of `rows` rows from row i.
        b: a `Matrix`, the panels of B: the one from column j on begins at start + j * column_stride, and its row t
            is t * row_stride further. If column_stride is 1, it is B itself, and n is a multiple of columns_of(a).
        c: the `Matrix` C.
        edge: a flat array, memory for a tile of `height` rows of columns_of(a) cells, whatever it holds.
    """
    columns = columns_of(a)
    zero = a.dtype.type(0)
    of_b, q, b_j, b_k = b.elements, b.start, b.column_stride, b.row_stride  # not read again for each tile
    out, o, c_m, c_n = c.elements, c.start, c.row_stride, c.column_stride
    for i in range(0, m, height):
        count = min(height, m - i)
        rows = height_of(count)
        for j in range(0, n, columns):
            width = min(columns, n - j)
            first = o + i * c_m + j * c_n
            is_whole = count == rows and width == columns and c_n == 1
            to, cell, step, factor = (out, first, c_m, beta) if is_whole else (edge, 0, columns, zero)
            multiply_tile(rows, a, i * k, of_b, q + j * b_j, b_k, to, cell, step, k, alpha, factor)
            if not is_whole:
                for x in range(count):
                    for y in range(width):
                        cell = first + x * c_m + y * c_n
                        out[cell] = edge[x * columns + y] + (out[cell] * beta if beta != zero else zero)


@njit(cache=True, nogil=True, error_model="numpy")
def blocked(height, is_direct, m, n, k, alpha, a, b, beta, c):
    """Compute C = alpha * A @ B + beta * C on this thread, in cache-sized blocks of packed panels.

    Args:
        height: rows of a panel of A, one of HEIGHTS.
        is_direct: whether B is read unpacked, which needs b.column_stride == 1. Of parts of one product all must be
            direct or none, so that all add up in one order.
        m, n, k: A is (m, k), B is (k, n), C is (m, n); none is 0.
        alpha, beta: numbers of the arrays' dtype; if beta is 0, C is not read.
        a, b, c: each a `Matrix`. C shares no element with A or B.
    """
    x, p, a_m, a_k = a.elements, a.start, a.row_stride, a.column_stride
    y, q, b_k, b_n = b.elements, b.start, b.row_stride, b.column_stride
    columns = columns_of(x)
    part = min(k, DIRECT_PART if is_direct else PART)
    there = n // columns * columns if is_direct else 0  # columns that are read without packing
    block = min(-(-(n - there) // columns) * columns, BLOCK)
    rows, packed = aligned(-(-m // height) * height * part, x), aligned(block * part, y)
    edge = aligned(height * columns, x)
    for t in range(0, k, part):
        steps = min(part, k - t)
        factor = beta if t == 0 else x.dtype.type(1)
        pack_rows(height, m, steps, x, p + t * a_k, a_m, a_k, rows)
        j = 0
        while j < n:
            if j < there:
                width, panels = there, Matrix(y, q + t * b_k, b_k, 1)
            else:
                width, panels = min(BLOCK, n - j), Matrix(packed, 0, columns, steps)
                pack_columns(steps, width, y, q + t * b_k + j * b_n, b_k, b_n, packed)
            to = Matrix(c.elements, c.start + j * c.column_stride, c.row_stride, c.column_stride)
            multiply_panels(height, m, width, steps, alpha, rows, panels, factor, to, edge)
            j += width


def is_better_transposed(m, n, c_m, c_n, columns):
    """Return True if computing C.T = B.T @ A.T is faster: its rows are contiguous, or C has few columns."""
    return (c_n != 1 and c_m == 1) or (m > n and 2 * n < columns)
