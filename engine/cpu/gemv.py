"""gemv: y = alpha * A @ x + beta * y, of a matrix with any strides. It reads each element of A once.

The plain loop that it replaces:

    for i in range(m):
        total = sum(a[p + i * a_m + t * a_k] * x[q + t * x_k] for t in range(k))
        y[o + i * y_m] = alpha * total + beta * y[o + i * y_m]  # not read if beta is 0

Memory is read in order: where the elements of a row are contiguous, a row at a time, else columns side by side; four
of them, so that x or y need not be read again for each.
Mirrors aten/src/ATen/native/BlasKernel.cpp.
"""

from collections.abc import Callable

import numpy as np
from numba.extending import register_jitable

from .loops import named

GROUP = 4  # rows or columns at a time
STRIP = 1024  # elements of y that stay in the first cache while columns are added to them
RUN, LEVELS = 256, 48  # elements that are summed one after the other; 2**48 of such runs are more than there is memory


@register_jitable
def finish(total, alpha, beta, y, cell):
    """Compute y[cell] = alpha * total + beta * y[cell], without reading y if beta is 0."""
    y[cell] = alpha * total + (beta * y[cell] if beta != 0 else y.dtype.type(0))


@register_jitable
def cascade_dot(x, y):
    """Return the sum of x[i] * y[i] by cascade summation: no number is added to a sum of far more terms.

    A product takes part in at most 400 additions, for n up to ten million. Each element is read once. It is compiled
    with `reassoc`: LLVM may add in another order, so no step may rely on what a rounding has lost.

    Args:
        x, y: arrays of one dimension, of one dtype and size n; n may be 0.
    Returns:
        a number of their dtype, in which all is added.

    >>> cascade_dot(np.array([1, 2, 3]), np.array([10, 0, 1])).item()
    13

    Source: cascade_sum (aten/src/ATen/native/cpu/SumKernel.cpp).
    """
    sums = np.zeros(LEVELS, x.dtype)  # at each level the sum of 2**level runs that waits for another one, or 0
    for run in range(0, x.size, RUN):
        total = x.dtype.type(0)
        for i in range(np.uintp(run), np.uintp(min(run + RUN, x.size))):
            total += x[i] * y[i]
        for level in range(LEVELS):
            if sums[level] == 0:
                sums[level] = total
                break
            total += sums[level]
            sums[level] = 0
    return x.dtype.type(sums.sum())


def by_rows(m, k, alpha, matrix, p, vector, q, beta, y, o):
    """Compute y = alpha * A @ x + beta * y if x and the rows of A are contiguous.

    Args:
        m, k: A is (m, k).
        matrix, vector, y: a `MatrixBatch` and two of `VectorBatch`.
        p, q, o: where A, x and y begin, in the batch at hand.
    """
    a, a_m, out, y_m = matrix.elements, matrix.row_stride, y.elements, y.stride
    zero = out.dtype.type(0)
    v = vector.elements[q : q + k]
    fours = m // GROUP * GROUP
    for i in range(0, fours, GROUP):
        r = p + i * a_m
        a0, a1 = a[r : r + k], a[r + a_m : r + a_m + k]
        a2, a3 = a[r + 2 * a_m : r + 2 * a_m + k], a[r + 3 * a_m : r + 3 * a_m + k]
        s0, s1, s2, s3 = zero, zero, zero, zero
        for t in range(v.size):
            s0 += a0[t] * v[t]
            s1 += a1[t] * v[t]
            s2 += a2[t] * v[t]
            s3 += a3[t] * v[t]
        to = o + i * y_m
        finish(s0, alpha, beta, out, to)
        finish(s1, alpha, beta, out, to + y_m)
        finish(s2, alpha, beta, out, to + 2 * y_m)
        finish(s3, alpha, beta, out, to + 3 * y_m)
    for i in range(fours, m):
        row = a[p + i * a_m : p + i * a_m + k]
        finish(cascade_dot(row, v), alpha, beta, out, o + i * y_m)


def by_columns(m, k, alpha, matrix, p, vector, q, beta, y, o):
    """Compute y = alpha * A @ x + beta * y if the columns of A are contiguous; arguments as in `by_rows`."""
    a, a_k, x, x_k, out = matrix.elements, matrix.column_stride, vector.elements, vector.stride, y.elements
    sums = np.empty(min(m, STRIP), out.dtype)
    for first in range(0, m, STRIP):
        n = min(STRIP, m - first)
        sums[:n] = 0
        fours = k // GROUP * GROUP
        for t in range(0, fours, GROUP):
            c = p + first + t * a_k
            a0, a1 = a[c : c + n], a[c + a_k : c + a_k + n]
            a2, a3 = a[c + 2 * a_k : c + 2 * a_k + n], a[c + 3 * a_k : c + 3 * a_k + n]
            x0, x1 = x[q + t * x_k], x[q + (t + 1) * x_k]
            x2, x3 = x[q + (t + 2) * x_k], x[q + (t + 3) * x_k]
            for i in range(np.uintp(n)):
                sums[i] = sums[i] + x0 * a0[i] + x1 * a1[i] + x2 * a2[i] + x3 * a3[i]
        for t in range(fours, k):
            column = a[p + first + t * a_k : p + first + t * a_k + n]
            x0 = x[q + t * x_k]
            for i in range(np.uintp(n)):
                sums[i] += x0 * column[i]
        for i in range(n):
            finish(sums[i], alpha, beta, out, o + (first + i) * y.stride)


def one_by_one(m, k, alpha, matrix, p, vector, q, beta, y, o):
    """Compute y = alpha * A @ x + beta * y by a plain loop, for any strides; arguments as in `by_rows`."""
    a, a_m, a_k, x, x_k = matrix.elements, matrix.row_stride, matrix.column_stride, vector.elements, vector.stride
    out = y.elements
    for i in range(m):
        total = out.dtype.type(0)
        for t in range(k):
            total += a[np.uintp(p + i * a_m + t * a_k)] * x[np.uintp(q + t * x_k)]
        finish(total, alpha, beta, out, o + i * y.stride)


def in_batches(one: Callable[..., None]) -> Callable[..., None]:
    """Build the kernel that runs `one`, a function such as `by_rows`, over a batch of matrices and vectors."""
    gemv = register_jitable(error_model="numpy")(one)

    def matrices_times_vectors(begin, end, m, k, alpha, a, x, beta, y):
        """Compute y = alpha * A @ x + beta * y, in groups begin..end of rows, counted through the matrices of a batch.

        Args:
            m, k: A is (m, k), x is (k,), y is (m,); none is 0.
            alpha, beta: numbers of the arrays' dtype; if beta is 0, y is not read.
            a, x, y: a `MatrixBatch` and two of `VectorBatch`. y shares no element with A or x.
        """
        groups = (m + GROUP - 1) // GROUP
        while begin < end:
            which, first = begin // groups, begin % groups
            last = min(groups, first + end - begin)
            i, end_i = first * GROUP, min(last * GROUP, m)
            of_a = a.start + which * a.batch_stride + i * a.row_stride
            of_x, to = x.start + which * x.batch_stride, y.start + which * y.batch_stride + i * y.stride
            gemv(end_i - i, k, alpha, a, of_a, x, of_x, beta, y, to)
            begin += last - first

    return named(matrices_times_vectors, one)
