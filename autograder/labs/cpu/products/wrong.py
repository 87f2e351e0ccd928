"""Wrong answers to cpu.gemm_loops.row_products, cpu.gemm_loops.blocked_products."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

ROWS = "cpu.gemm_loops.row_products"
BLOCKED_PRODUCTS = "cpu.gemm_loops.blocked_products"

WRONG_ANSWERS = (
    WrongAnswer(ROWS, "B is cleared by the last row of A", ("ordinary", "misses", "compiled"), (
        "to[j] += factor * row[j]",
        "to[j] += factor * row[j]\nif i == m - 1:\n    row[j] = 0",
    )),
    WrongAnswer(ROWS, "the element of A becomes a float", ("compiled",),
        ("factor = a[p + i * a_m + t * a_k]", "factor = float(a[p + i * a_m + t * a_k])")),
    WrongAnswer(ROWS, "the loops of the textbook: down the columns of B", ("misses",), """
def row_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m):
    for i in range(m):
        for j in range(n):
            total = c.dtype.type(0)
            for t in range(k):
                total += a[p + i * a_m + t * a_k] * b[q + t * b_k + j]
            c[o + i * c_m + j] += total
"""),
    WrongAnswer(ROWS, "columns outside: down the columns of B and of C", ("misses",), """
def row_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m):
    for j in range(n):
        for i in range(m):
            for t in range(k):
                c[o + i * c_m + j] += a[p + i * a_m + t * a_k] * b[q + t * b_k + j]
"""),
    WrongAnswer(ROWS, "C is overwritten", ("ordinary", "misses", "compiled"), """
def row_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m):
    for i in range(m):
        for t in range(k):
            for j in range(n):
                c[o + i * c_m + j] = a[p + i * a_m + t * a_k] * b[q + t * b_k + j]
"""),
    WrongAnswer(ROWS, "the strides of A exchanged", ("ordinary", "misses", "compiled"), """
def row_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m):
    for i in range(m):
        for t in range(k):
            factor = a[p + i * a_k + t * a_m] if p + i * a_k + t * a_m < a.size else a[p]
            for j in range(n):
                c[o + i * c_m + j] += factor * b[q + t * b_k + j]
"""),
    WrongAnswer(ROWS, "rows of B as long as its stride", ("ordinary", "misses", "compiled"), """
def row_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m):
    for i in range(m):
        for t in range(k):
            for j in range(n):
                c[o + i * c_m + j] += a[p + i * a_m + t * a_k] * b[q + t * n + j]
"""),
    WrongAnswer(ROWS, "hides behind a copy of B", ("misses",), """
def row_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m):
    own = {}
    for t in range(k):
        for j in range(n):
            own[t, j] = b[q + t * b_k + j]
    for i in range(m):
        for j in range(n):
            for t in range(k):
                c[o + i * c_m + j] += a[p + i * a_m + t * a_k] * own[t, j]
"""),
    WrongAnswer(ROWS, "itertools: no compiled form", ("compiled",), """
import itertools


def row_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m):
    for i, t in itertools.product(range(m), range(k)):
        for j in range(n):
            c[o + i * c_m + j] += a[p + i * a_m + t * a_k] * b[q + t * b_k + j]
"""),
    WrongAnswer(ROWS, "down the columns of C", ("misses",), """
def row_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m):
    for t in range(k):
        for j in range(n):
            for i in range(m):
                c[o + i * c_m + j] += a[p + i * a_m + t * a_k] * b[q + t * b_k + j]
"""),
    WrongAnswer(ROWS, "leaves out what is multiplied by 0", ("ordinary", "misses", "compiled"), """
def row_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m):
    for i in range(m):
        for t in range(k):
            factor = a[p + i * a_m + t * a_k]
            if factor != 0:
                for j in range(n):
                    c[o + i * c_m + j] += factor * b[q + t * b_k + j]
"""),
    WrongAnswer(BLOCKED_PRODUCTS, "no blocks at all", ("misses",), """
def blocked_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m, steps, columns):
    row_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m)
"""),
    WrongAnswer(BLOCKED_PRODUCTS, "blocks of a size that was good on one machine", ("misses",), """
def blocked_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m, steps, columns):
    for j in range(0, n, 32):
        for t in range(0, k, 32):
            row_products(m, min(32, n - j), min(32, k - t), a, p + t * a_k, a_m, a_k, b, q + t * b_k + j, b_k,
                         c, o + j, c_m)
"""),
    WrongAnswer(BLOCKED_PRODUCTS, "blocks of 8 x 8, whatever is asked for", ("misses",), (
        "for j in range(0, n, columns):", "steps = columns = 8\nfor j in range(0, n, columns):",
    )),
    WrongAnswer(BLOCKED_PRODUCTS, "blocks of 2 x 8: A goes by too often", ("misses",), (
        "for j in range(0, n, columns):", "steps, columns = 2, 8\nfor j in range(0, n, columns):",
    )),
    WrongAnswer(BLOCKED_PRODUCTS, "blocks that are always small: C goes by too often", ("misses",), """
def blocked_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m, steps, columns):
    for j in range(0, n, 4):
        for t in range(0, k, 2):
            row_products(m, min(4, n - j), min(2, k - t), a, p + t * a_k, a_m, a_k, b, q + t * b_k + j, b_k,
                         c, o + j, c_m)
"""),
    WrongAnswer(BLOCKED_PRODUCTS, "rows of A outside: each row needs all blocks", ("misses",), """
def blocked_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m, steps, columns):
    for i in range(m):
        for j in range(0, n, columns):
            for t in range(0, k, steps):
                row_products(1, min(columns, n - j), min(steps, k - t), a, p + i * a_m + t * a_k, a_m, a_k,
                             b, q + t * b_k + j, b_k, c, o + i * c_m + j, c_m)
"""),
    WrongAnswer(BLOCKED_PRODUCTS, "the ragged edge is left out", ("ordinary", "misses", "compiled"), """
def blocked_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m, steps, columns):
    for j in range(0, n - columns + 1, columns):
        for t in range(0, k - steps + 1, steps):
            row_products(m, columns, steps, a, p + t * a_k, a_m, a_k, b, q + t * b_k + j, b_k, c, o + j, c_m)
"""),
    WrongAnswer(BLOCKED_PRODUCTS, "whole blocks, past the edge", ("ordinary", "misses", "compiled"), """
def blocked_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m, steps, columns):
    for j in range(0, n, columns):
        for t in range(0, k, steps):
            row_products(m, columns, min(steps, k - t), a, p + t * a_k, a_m, a_k, b, q + t * b_k + j, b_k,
                         c, o + j, c_m)
"""),
    WrongAnswer(BLOCKED_PRODUCTS, "every block meets the first columns of A", ("ordinary", "misses", "compiled"), """
def blocked_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m, steps, columns):
    for j in range(0, n, columns):
        for t in range(0, k, steps):
            row_products(m, min(columns, n - j), min(steps, k - t), a, p, a_m, a_k, b, q + t * b_k + j, b_k,
                         c, o + j, c_m)
"""),
    WrongAnswer(BLOCKED_PRODUCTS, "steps and columns exchanged", ("misses",), """
def blocked_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m, steps, columns):
    for j in range(0, n, steps):
        for t in range(0, k, columns):
            row_products(m, min(steps, n - j), min(columns, k - t), a, p + t * a_k, a_m, a_k,
                         b, q + t * b_k + j, b_k, c, o + j, c_m)
"""),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        ROWS, "row = b[q + t * b_k:q + t * b_k + n]", "row = b[q + t * b_k:]", "the loop ends with the row of C",
    ),
)  # fmt: skip
