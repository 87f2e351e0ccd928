"""gemm by plain loops: for products that are over before packing would pay.

The plain loop that they replace, of matrices whose rows are contiguous:

    for i in range(m):
        for j in range(n):
            for t in range(k):
                c[o + i * c_m + j] += a[p + i * a_m + t * a_k] * b[q + t * b_k + j]

It walks down the columns of B, a cache line for each element. Here the two inner loops are swapped, and what is read
again is kept small. Mirrors gemm_notrans_ of aten/src/ATen/native/cpu/BlasKernel.cpp.
"""

import numpy as np
from numba.extending import register_jitable

STEPS, COLUMNS = 32, 2048  # of B, read again for each row of A: in the second cache, a row of it in the first
ROWS_AT_A_TIME = 8  # of C, which are set to 0 and then added to


@register_jitable
def row_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m):
    """Compute C += A @ B by a loop over single products, in the order with the fewest cache misses.

    Neighbors in B and in C are used one after the other, so a cache line that was brought in is used up.

    Args:
        m, n, k: A is (m, k), B is (k, n), C is (m, n); any may be 0.
        a, p, a_m, a_k: a flat array, the cell of the first element, the strides of a row and of a column, in elements:
            A[i, t] is a[p + i * a_m + t * a_k].
        b, q, b_k: the same; the elements of a row are neighbors: B[t, j] is b[q + t * b_k + j].
        c, o, c_m: the same: C[i, j] is c[o + i * c_m + j]. It shares no cell with A or B.

    Each product reads its element of B without a copy.
    """
    for i in range(m):
        to = c[o + i * c_m : o + i * c_m + n]
        for t in range(k):
            factor = a[p + i * a_m + t * a_k]
            row = b[q + t * b_k : q + t * b_k + n]
            for j in range(np.uintp(to.size)):
                to[j] += factor * row[j]


@register_jitable
def blocked_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m, steps, columns):
    """Compute C += A @ B, in blocks of B of at most `steps` rows and `columns` columns.

    All that a block is needed for is done before the next one is begun; the order of the blocks is free. So a block is
    brought into the cache once, if it fits in together with its parts of two rows of C and two of A. Each product reads
    its element of B in place: no copy is made.

    Args:
        m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m: as of `row_products`.
        steps, columns: sizes of a block, at least 1; those at the edges are smaller.
    """
    for j in range(0, n, columns):
        width = min(columns, n - j)
        for t in range(0, k, steps):
            depth = min(steps, k - t)
            row_products(m, width, depth, a, p + t * a_k, a_m, a_k, b, q + t * b_k + j, b_k, c, o + j, c_m)


def loop_products(begin, end, n, k, a, b, q, b_k, c, o, c_m):
    """Compute rows begin..end of C = A @ B; `a` is a `Matrix`, and the other arguments are as in `row_products`."""
    for i in range(begin, end, ROWS_AT_A_TIME):
        m = min(ROWS_AT_A_TIME, end - i)
        for row in range(i, i + m):
            c[o + row * c_m : o + row * c_m + n] = 0
        blocked_products(m, n, k, a.elements, a.start + i * a.row_stride, a.row_stride, a.column_stride,
                         b, q, b_k, c, o + i * c_m, c_m, STEPS, COLUMNS)  # fmt: skip
