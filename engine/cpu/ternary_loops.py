"""The loops of elementwise kernels of three inputs. `elementwise_loops` has the loops of one and two.

Mirrors cpu_kernel and cpu_kernel_vec of aten/src/ATen/native/cpu/Loops.h.
"""

from collections.abc import Callable

import numpy as np
from numba.extending import register_jitable

from .elementwise_loops import Loops, Scalar, plane_of, walk
from .vectorized import loadu, storeu


def ternary(scalar: Scalar, lanes: int) -> Loops:
    """Build the contiguous and the strided loop that compute out = f(a, b, c, *scalars)."""
    f = register_jitable(forceinline=True)(scalar.of_one)
    if scalar.of_many:
        g = register_jitable(forceinline=True)(scalar.of_many)
        return contiguous_ternary_vec(f, g, lanes), strided_ternary(f)
    return contiguous_ternary(f), strided_ternary(f)


def contiguous_ternary(f: Callable) -> Callable:
    """Build the loop of out = f(a, b, c, *scalars) over contiguous operands."""

    def contiguous(begin, end, out, o, a, p, b, q, c, r, scalars):
        to, x, y, z = out[o + begin : o + end], a[p + begin : p + end], b[q + begin : q + end], c[r + begin : r + end]
        for i in range(to.size):
            to[i] = f(x[i], y[i], z[i], *scalars)

    return contiguous


def contiguous_ternary_vec(f: Callable, g: Callable, lanes: int) -> Callable:
    """Build the loop of out = f(a, b, c, *scalars) over contiguous operands, by explicit vectors."""

    def contiguous(begin, end, out, o, a, p, b, q, c, r, scalars):
        i = begin
        while i + lanes <= end:
            x, y, z = loadu(a, p + i, lanes), loadu(b, q + i, lanes), loadu(c, r + i, lanes)
            storeu(out, o + i, g(x, y, z, *scalars))
            i += lanes
        while i < end:
            out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], c[np.uintp(r + i)], *scalars)
            i += 1

    return contiguous


def strided_ternary(f: Callable) -> Callable:
    """Build the loop for any geometry; a third input with stride 0, as a mean's gradient has, is kept in a register."""

    def strided(begin, end, out, o, a, p, b, q, c, r, geometry, scalars):
        down, right = geometry[1:, max(geometry.shape[1] - 2, 0)], geometry[1:, geometry.shape[1] - 1]
        so, sa, sb, sc = np.uintp(right[0]), np.uintp(right[1]), np.uintp(right[2]), np.uintp(right[3])
        rows, columns, tile = walk(geometry, begin, end)
        row = rows[0]
        while row < rows[1]:
            cells = np.array((o, p, q, r))
            count = plane_of(cells, geometry, row, rows[1])
            for column in range(columns[0], columns[1], tile):
                n = np.uintp(min(tile, columns[1] - column))
                for below in range(count):
                    to = np.uintp(cells[0] + below * down[0] + column * right[0])
                    of_a = np.uintp(cells[1] + below * down[1] + column * right[1])
                    of_b = np.uintp(cells[2] + below * down[2] + column * right[2])
                    of_c = np.uintp(cells[3] + below * down[3] + column * right[3])
                    if sc == 0:
                        still = c[of_c]
                        for i in range(n):
                            out[to + i * so] = f(a[of_a + i * sa], b[of_b + i * sb], still, *scalars)
                    else:
                        for i in range(n):
                            out[to + i * so] = f(a[of_a + i * sa], b[of_b + i * sb], c[of_c + i * sc], *scalars)
            row += count

    return strided
