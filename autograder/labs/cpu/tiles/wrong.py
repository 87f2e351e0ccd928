"""Wrong answers to cpu.gemm.pack, cpu.gemm_vectors.four_rows."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

PACK = "cpu.gemm.pack"
TILE = "cpu.gemm_vectors.four_rows"


def _turned(row: int, half: str) -> Equivalent:
    """The product of a number of A and a vector of B, the other way round."""
    factors = {"left": f"a{row}, left", "right": f"a{row}, right"}
    turned = {**factors, half: ", ".join(reversed(factors[half].split(", ")))}
    before, after = (
        f"s{row}, u{row} = (fmadd({pair['left']}, s{row}), fmadd({pair['right']}, u{row}))"
        for pair in (factors, turned)
    )
    return Equivalent(TILE, before, after, "a product does not depend on the order of its factors")


WRONG_ANSWERS = (
    WrongAnswer(PACK, "X is cleared when it is packed", ("ordinary", "edge", "loads", "compiled"), (
        "to[np.uintp(o + t * width + i)] = x[np.uintp(p + i * step + t * x_k)]",
        "to[np.uintp(o + t * width + i)] = x[np.uintp(p + i * step + t * x_k)]\n"
        "x[np.uintp(p + i * step + t * x_k)] = 0",
    )),
    WrongAnswer(PACK, "no zeros at the edge", ("edge",), """
def pack(width, x, p, step, x_k, count, k, to, o):
    for t in range(k):
        for i in range(count):
            to[o + t * width + i] = x[p + i * step + t * x_k]
"""),
    WrongAnswer(PACK, "panels as wide as what is there", ("edge",), """
def pack(width, x, p, step, x_k, count, k, to, o):
    for t in range(k):
        for i in range(count):
            to[o + t * count + i] = x[p + i * step + t * x_k]
    for cell in range(o + k * count, o + k * width):
        to[cell] = 0
"""),
    WrongAnswer(PACK, "transposed: all of one i together", ("ordinary", "edge", "loads", "compiled"), """
def pack(width, x, p, step, x_k, count, k, to, o):
    for i in range(width):
        for t in range(k):
            to[o + i * k + t] = x[p + i * step + t * x_k] if i < count else 0
"""),
    WrongAnswer(PACK, "zeros everywhere first, then the numbers", ("loads",), """
def pack(width, x, p, step, x_k, count, k, to, o):
    for cell in range(o, o + width * k):
        to[cell] = 0
    for t in range(k):
        for i in range(count):
            to[o + t * width + i] = x[p + i * step + t * x_k]
"""),
    WrongAnswer(PACK, "reads beyond the edge and throws away what came", ("edge",), """
def pack(width, x, p, step, x_k, count, k, to, o):
    for t in range(k):
        for i in range(width):
            value = x[p + i * step + t * x_k]
            to[o + t * width + i] = value if i < count else 0
"""),
    WrongAnswer(PACK, "takes the elements of one t for neighbours", ("ordinary", "edge", "loads", "compiled"), """
def pack(width, x, p, step, x_k, count, k, to, o):
    for t in range(k):
        for i in range(width):
            to[o + t * width + i] = x[p + i + t * x_k] if i < count else 0
"""),
    WrongAnswer(PACK, "the panel's offset for X as well", ("ordinary", "edge", "loads", "compiled"), """
def pack(width, x, p, step, x_k, count, k, to, o):
    for t in range(k):
        for i in range(width):
            to[o + t * width + i] = x[o + i * step + t * x_k] if i < count else 0
"""),
    WrongAnswer(PACK, "zeros in all of `to` first", ("ordinary", "edge", "loads", "compiled"),
        ("for t in range(k):", "to[:] = 0\nfor t in range(k):"),
    ),
    WrongAnswer(PACK, "the zeros of the edge twice", ("edge",), (
        "for i in range(count, width):",
        """
for i in range(count, width):
    to[o + t * width + i] = 0
for i in range(count, width):
""",
    )),
    WrongAnswer(TILE, "the sums lie in C", ("loads",), """
def four_rows(lanes):
    def tile(a, p, b, q, b_k, c, o, c_m, k, alpha, beta):
        for i in range(4):
            for half in range(0, 2 * lanes, lanes):
                cell = o + i * c_m + half
                if beta == 0:
                    storeu(c, cell, broadcast(a.dtype.type(0), lanes))
                else:
                    storeu(c, cell, beta * loadu(c, cell, lanes))
        for t in range(k):
            for i in range(4):
                for half in range(0, 2 * lanes, lanes):
                    cell = o + i * c_m + half
                    product = alpha * a[p + 4 * t + i] * loadu(b, q + t * b_k + half, lanes)
                    storeu(c, cell, loadu(c, cell, lanes) + product)
    return tile
"""),
    WrongAnswer(TILE, "a row at a time: B is read four times", ("loads",), """
def four_rows(lanes):
    write = writer(lanes)

    def tile(a, p, b, q, b_k, c, o, c_m, k, alpha, beta):
        for i in range(4):
            left = right = broadcast(a.dtype.type(0), lanes)
            for t in range(k):
                factor, row = a[p + 4 * t + i], q + t * b_k
                left = fmadd(factor, loadu(b, row, lanes), left)
                right = fmadd(factor, loadu(b, row + lanes, lanes), right)
            write(c, o + i * c_m, left, right, alpha, beta)
    return tile
"""),
    WrongAnswer(TILE, "A as it lies before packing", ("ordinary", "update", "loads", "compiled"), """
def four_rows(lanes):
    write = writer(lanes)

    def tile(a, p, b, q, b_k, c, o, c_m, k, alpha, beta):
        for i in range(4):
            left = right = broadcast(a.dtype.type(0), lanes)
            for t in range(k):
                factor, row = a[p + i * k + t], q + t * b_k
                left = fmadd(factor, loadu(b, row, lanes), left)
                right = fmadd(factor, loadu(b, row + lanes, lanes), right)
            write(c, o + i * c_m, left, right, alpha, beta)
    return tile
"""),
    WrongAnswer(TILE, "beta is forgotten", ("update",), """
def four_rows(lanes):
    write = writer(lanes)

    def tile(a, p, b, q, b_k, c, o, c_m, k, alpha, beta):
        s0 = s1 = s2 = s3 = u0 = u1 = u2 = u3 = broadcast(a.dtype.type(0), lanes)
        for t in range(k):
            at, row = p + 4 * t, q + t * b_k
            left, right = loadu(b, row, lanes), loadu(b, row + lanes, lanes)
            a0, a1, a2, a3 = a[at], a[at + 1], a[at + 2], a[at + 3]
            s0, u0 = fmadd(a0, left, s0), fmadd(a0, right, u0)
            s1, u1 = fmadd(a1, left, s1), fmadd(a1, right, u1)
            s2, u2 = fmadd(a2, left, s2), fmadd(a2, right, u2)
            s3, u3 = fmadd(a3, left, s3), fmadd(a3, right, u3)
        none = beta * 0
        write(c, o, s0, u0, alpha, none)
        write(c, o + c_m, s1, u1, alpha, none)
        write(c, o + 2 * c_m, s2, u2, alpha, none)
        write(c, o + 3 * c_m, s3, u3, alpha, none)
    return tile
"""),
    WrongAnswer(TILE, "sums that begin with 0.0: vectors of float64", ("compiled",),
        ("nothing = broadcast(a.dtype.type(0), lanes)", "nothing = broadcast(0.0, lanes)"),
    ),
    WrongAnswer(TILE, "alpha is forgotten", ("ordinary", "update", "loads", "compiled"), (
        "write(c, o, s0, u0, alpha, beta)", "write(c, o, s0, u0, 1, beta)",
        "write(c, o + c_m, s1, u1, alpha, beta)", "write(c, o + c_m, s1, u1, 1, beta)",
        "write(c, o + 2 * c_m, s2, u2, alpha, beta)", "write(c, o + 2 * c_m, s2, u2, 1, beta)",
        "write(c, o + 3 * c_m, s3, u3, alpha, beta)", "write(c, o + 3 * c_m, s3, u3, 1, beta)",
    )),
    WrongAnswer(TILE, "C is read whatever beta is", ("ordinary", "update", "loads", "compiled"), (
        "write(c, o, s0, u0, alpha, beta)",
        """
before, behind = loadu(c, o, lanes), loadu(c, o + lanes, lanes)
write(c, o, s0 + before * beta, u0 + behind * beta, alpha, a.dtype.type(0))
""",
    )),
    WrongAnswer(TILE, "one vector a row: half of the tile", ("ordinary", "update", "loads", "compiled"), """
def four_rows(lanes):
    def tile(a, p, b, q, b_k, c, o, c_m, k, alpha, beta):
        for i in range(4):
            total = broadcast(a.dtype.type(0), lanes)
            for t in range(k):
                total = fmadd(a[p + 4 * t + i], loadu(b, q + t * b_k, lanes), total)
            before = broadcast(a.dtype.type(0), lanes) if beta == 0 else beta * loadu(c, o + i * c_m, lanes)
            storeu(c, o + i * c_m, alpha * total + before)
    return tile
"""),
    WrongAnswer(TILE, "arrays of NumPy for vectors, as in the run in Python", ("compiled",), """
import numpy as np


def four_rows(lanes):
    def tile(a, p, b, q, b_k, c, o, c_m, k, alpha, beta):
        sums = np.zeros((4, 2, lanes), a.dtype)
        for t in range(k):
            row = q + t * b_k
            left, right = loadu(b, row, lanes), loadu(b, row + lanes, lanes)
            for i in range(4):
                factor = a[p + 4 * t + i]
                sums[i, 0] += factor * left
                sums[i, 1] += factor * right
        for i in range(4):
            for half in range(2):
                cell = o + i * c_m + half * lanes
                before = 0 if beta == 0 else beta * loadu(c, cell, lanes)
                storeu(c, cell, alpha * sums[i, half] + before)
    return tile
"""),
    WrongAnswer(TILE, "number by number: the sums are an array, and nothing is a vector", ("loads",), """
import numpy as np


def four_rows(lanes):
    def tile(a, p, b, q, b_k, c, o, c_m, k, alpha, beta):
        sums = np.zeros((4, 2 * lanes), a.dtype)
        for t in range(k):
            at, row = p + 4 * t, q + t * b_k
            a0, a1, a2, a3 = a[at], a[at + 1], a[at + 2], a[at + 3]
            for j in range(2 * lanes):
                element = b[row + j]
                sums[0, j] += a0 * element
                sums[1, j] += a1 * element
                sums[2, j] += a2 * element
                sums[3, j] += a3 * element
        for i in range(4):
            for j in range(2 * lanes):
                cell = o + i * c_m + j
                before = 0 if beta == 0 else beta * c[cell]
                c[cell] = alpha * sums[i, j] + before
    return tile
"""),
)  # fmt: skip

EQUIVALENT = (
    *(_turned(row, half) for row in range(4) for half in ("left", "right")),
)  # fmt: skip
