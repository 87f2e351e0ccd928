"""The register tile of four rows, written with vectors.

The plain loop that `four_rows` replaces is the one in `gemm_tile`, with 4 rows and the columns of two vectors. It takes
the last rows of a matrix, where a tile of more rows would compute with rows that are not there.
"""

from collections.abc import Callable

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from .gemm_tile import BYTES, make_tile
from .vectorized import broadcast, fmadd, loadu, storeu

HEIGHT = 4
tile_of_rows_anywhere = make_tile(HEIGHT)


def writer(lanes: int) -> Callable[..., None]:
    """Build write(c, cell, one, other, alpha, beta), which sets two vectors: c = alpha * (one, other) + beta * c.

    They come to `c[cell]` and what follows. If beta is 0, c is not read.
    """

    def write(c, cell, one, other, alpha, beta):
        if beta == 0:
            storeu(c, cell, alpha * one)
            storeu(c, cell + lanes, alpha * other)
        else:
            storeu(c, cell, fmadd(beta, loadu(c, cell, lanes), alpha * one))
            storeu(c, cell + lanes, fmadd(beta, loadu(c, cell + lanes, lanes), alpha * other))

    return register_jitable(write)


def four_rows(lanes: int) -> Callable[..., None]:
    """Build tile(a, p, b, q, b_k, c, o, c_m, k, alpha, beta): 4 rows x 2 vectors of C, held in registers.

    C[i, j] = alpha * (sum over t of A[i, t] * B[t, j]) + beta * C[i, j], for i < 4 and j < 2 * lanes.

    Each step of t reads two vectors of B and four elements of A, once, for eight products; C is read at most once and
    written once, at the end. No other cell is written. All is computed in the dtype of the arrays.

    Args:
        lanes: elements of a vector.
    The tile's:
        a, p: a flat array and where the tile begins; A is packed: A[i, t] is a[p + 4 * t + i].
        b, q, b_k: B[t, j] is b[q + t * b_k + j].
        c, o, c_m: C[i, j] is c[o + i * c_m + j].
        k: steps, at least 1.
        alpha, beta: numbers of the arrays' dtype; if beta is 0, C is not read.
    """
    write = writer(lanes)

    def tile(a, p, b, q, b_k, c, o, c_m, k, alpha, beta):
        nothing = broadcast(a.dtype.type(0), lanes)
        s0, s1, s2, s3 = nothing, nothing, nothing, nothing
        u0, u1, u2, u3 = nothing, nothing, nothing, nothing
        for t in range(k):
            first, row = p + HEIGHT * t, q + t * b_k
            left, right = loadu(b, row, lanes), loadu(b, row + lanes, lanes)
            a0, a1 = a[np.uintp(first)], a[np.uintp(first + 1)]
            a2, a3 = a[np.uintp(first + 2)], a[np.uintp(first + 3)]
            s0, u0 = fmadd(a0, left, s0), fmadd(a0, right, u0)
            s1, u1 = fmadd(a1, left, s1), fmadd(a1, right, u1)
            s2, u2 = fmadd(a2, left, s2), fmadd(a2, right, u2)
            s3, u3 = fmadd(a3, left, s3), fmadd(a3, right, u3)
        write(c, o, s0, u0, alpha, beta)
        write(c, o + c_m, s1, u1, alpha, beta)
        write(c, o + 2 * c_m, s2, u2, alpha, beta)
        write(c, o + 3 * c_m, s3, u3, alpha, beta)

    return tile


def tile_of_four_rows(a, p, b, q, b_k, c, o, c_m, k, alpha, beta):
    """Run the tile of `four_rows` for the dtype of `a`; `b_k` may also be an array, as in `make_tile`."""
    four_rows(BYTES // a.itemsize)(a, p, b, q, b_k, c, o, c_m, k, alpha, beta)


@overload(tile_of_four_rows)
def _(a, p, b, q, b_k, c, o, c_m, k, alpha, beta):
    if isinstance(b_k, types.Array):
        tile = tile_of_rows_anywhere
    else:
        tile = register_jitable(four_rows(BYTES * 8 // a.dtype.bitwidth))
    return lambda a, p, b, q, b_k, c, o, c_m, k, alpha, beta: tile(a, p, b, q, b_k, c, o, c_m, k, alpha, beta)
