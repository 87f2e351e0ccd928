"""The loops of reductions: rows of adjacent elements, rows of elements apart, columns.

The plain loop that they replace, for every part of every output (see `reduce_walk`):

    total = start
    for r in range(n): total = f(total, element(x[r * step]))
    out = finish(total)

Each is a kernel by itself, so that a program compiles those that it needs; each is one flat function, which is what
numba compiles fast. In all of them `cut` is a `Parts` of `reduce_walk`.
"""

from collections.abc import Callable

import numpy as np
from numba.extending import register_jitable

from .gemv import cascade_dot
from .reduce_walk import BLOCK


def rows(f: Callable, element: Callable, finish: Callable, cast: Callable) -> Callable:
    """Build the kernel that reduces parts of rows of adjacent elements; its inner loop is vectorized."""

    def reduce_rows(begin, end, out, o, x, p, kept, cut, start, parameter):
        n, size, parts = cut.n, cut.size, cut.parts
        for item in range(begin, end):
            number, part = (item, 0) if parts == 1 else (item // parts, item % parts)  # a division takes long
            to, of, d = o + part, p + part * size, kept.shape[1] - 1
            while d > 0:
                index, number = number % kept[0, d], number // kept[0, d]
                to += index * kept[1, d]
                of += index * kept[2, d]
                d -= 1
            first, total = np.uintp(of + number * kept[2, 0]), start
            for r in range(np.uintp(min(size, n - part * size))):
                total = f(total, element(cast, x[first + r], parameter))
            out[to + number * kept[1, 0]] = finish(total, parameter)

    return reduce_rows


@register_jitable(fastmath={"contract", "reassoc", "nsz"})
def cascade_sum(x, ones):
    """Return the sum of x by `cascade_dot` with an array of ones."""
    return cascade_dot(x, ones)


def rows_by_cascade(f: Callable, element: Callable, finish: Callable, cast: Callable) -> Callable:
    """Build a kernel as `rows` does, which sums by `cascade_dot`: half as fast, for when that is replaced."""

    def reduce_rows_by_cascade(begin, end, out, o, x, p, kept, cut, start, parameter):
        n, size, parts = cut.n, cut.size, cut.parts
        ones = np.ones(min(n, size), x.dtype)
        for item in range(begin, end):
            number, part = item // parts, item % parts
            to, of = o + part, p + part * size
            for d in range(kept.shape[1] - 1, -1, -1):
                index, number = number % kept[0, d], number // kept[0, d]
                to += index * kept[1, d]
                of += index * kept[2, d]
            count = min(size, n - part * size)
            out[to] = finish(cascade_sum(x[of : of + count], ones[:count]), parameter)

    return reduce_rows_by_cascade


def rows_apart(f: Callable, element: Callable, finish: Callable, cast: Callable) -> Callable:
    """Build the kernel that reduces parts of rows of elements `step` apart, with four accumulators."""

    def reduce_apart(begin, end, out, o, x, p, kept, cut, start, parameter):
        n, step, size, parts = cut.n, cut.step, cut.size, cut.parts
        for item in range(begin, end):
            number, part = item // parts, item % parts
            to, of, d = o + part, p + part * size * step, kept.shape[1] - 1
            while d > 0:
                index, number = number % kept[0, d], number // kept[0, d]
                to += index * kept[1, d]
                of += index * kept[2, d]
                d -= 1
            of += number * kept[2, 0]
            total, a, b, c, m = start, start, start, start, min(size, n - part * size)
            for _ in range(m >> 2):
                total = f(total, element(cast, x[np.uintp(of)], parameter))
                a = f(a, element(cast, x[np.uintp(of + step)], parameter))
                b = f(b, element(cast, x[np.uintp(of + 2 * step)], parameter))
                c = f(c, element(cast, x[np.uintp(of + 3 * step)], parameter))
                of += 4 * step
            for _ in range(m & 3):
                total = f(total, element(cast, x[np.uintp(of)], parameter))
                of += step
            out[to + number * kept[1, 0]] = finish(f(f(total, a), f(b, c)), parameter)

    return reduce_apart


def columns(f: Callable, element: Callable, finish: Callable, cast: Callable) -> Callable:
    """Build the kernel that reduces parts of columns, BLOCK columns at once, with the results as accumulators.

    The rows are `step` apart, and are taken in four at a time.
    """

    def reduce_columns(begin, end, out, o, x, p, kept, cut, start, parameter):
        n, size, parts, width = cut.n, cut.size, cut.parts, cut.width
        blocks, step = -(-width // BLOCK), np.uintp(cut.step)
        for item in range(begin, end):
            block, number = item % blocks, item // blocks
            part, number = number % parts, number // parts
            to, of = o + part * width + block * BLOCK, p + block * BLOCK + part * size * np.intp(step)
            for d in range(kept.shape[1] - 1, -1, -1):
                to += number % kept[0, d] * kept[1, d]
                of += number % kept[0, d] * kept[2, d]
                number //= kept[0, d]
            at, a, m, left = np.uintp(to), np.uintp(of), np.uintp(min(BLOCK, width - block * BLOCK)), n - part * size
            left = min(left, size)
            for j in range(m):
                out[at + j] = start
            for _ in range(left >> 2):
                b, c, e = a + step, a + step + step, a + step + step + step
                for j in range(m):
                    one = f(element(cast, x[a + j], parameter), element(cast, x[b + j], parameter))
                    two = f(element(cast, x[c + j], parameter), element(cast, x[e + j], parameter))
                    out[at + j] = f(out[at + j], f(one, two))
                a += np.uintp(4) * step
            for _ in range(left & 3):
                for j in range(m):
                    out[at + j] = f(out[at + j], element(cast, x[a + j], parameter))
                a += step
            for j in range(m):
                out[at + j] = finish(out[at + j], parameter)

    return reduce_columns
