"""Wrong answers to cuda.loops.binary_flat and binary_strided."""

from autograder.labs.cuda.grids.right import OTHER_STRIDED
from autograder.made_up.wrong_answer import Equivalent, WrongAnswer, changed

FLAT = "cuda.loops.binary_flat"
STRIDED = "cuda.loops.binary_strided"
ELEMENT = "out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)"
TYPES = "all sizes are of one type, so it does not matter whose type a number gets"

WRONG_ANSWERS = (
    WrongAnswer(FLAT, "no guard", ("guard", "grid", "neighbors"), """
def binary_flat(f):
    def flat(n, out, o, a, p, b, q, scalars):
        i = cuda.grid(1)
        out[o + i] = f(a[p + i], b[q + i], *scalars)

    return flat
"""),
    WrongAnswer(FLAT, "a guard and no loop", ("grid", "neighbors"), """
def binary_flat(f):
    def flat(n, out, o, a, p, b, q, scalars):
        i = cuda.grid(1)
        if i < n:
            out[o + i] = f(a[p + i], b[q + i], *scalars)

    return flat
"""),
    WrongAnswer(FLAT, "one element too many", ("guard", "grid", "neighbors"), ("while i < n:", "while i <= n:")),
    WrongAnswer(FLAT, "one element too few", ("guard", "grid", "neighbors"), ("while i < n:", "while i < n - 1:")),
    WrongAnswer(FLAT, "steps of a block, not of the grid", ("guard", "grid", "neighbors"),
        ("i += cuda.gridsize(1)", "i += cuda.blockDim.x"),
    ),
    WrongAnswer(FLAT, "steps as long as the grid has blocks", ("guard", "grid", "neighbors"),
        ("i += cuda.gridsize(1)", "i += cuda.gridDim.x"),
    ),
    WrongAnswer(FLAT, "every block does everything", ("guard", "grid", "neighbors"),
        ("i = cuda.grid(1)", "i = cuda.threadIdx.x"),
    ),
    WrongAnswer(FLAT, "blocks of 32 threads, whatever the block is", ("guard", "grid", "neighbors"),
        ("i = cuda.grid(1)", "i = cuda.blockIdx.x * 32 + cuda.threadIdx.x"),
    ),
    WrongAnswer(FLAT, "counted from the first cell of each array", ("guard", "grid", "neighbors"),
        (ELEMENT, "out[i] = f(a[i], b[i], *scalars)"),
    ),
    WrongAnswer(FLAT, "a and b exchanged", ("guard", "grid", "neighbors"),
        (ELEMENT, "out[o + i] = f(b[q + i], a[p + i], *scalars)"),
    ),
    WrongAnswer(FLAT, "adds, whatever f is", ("guard", "grid", "neighbors"),
        (ELEMENT, "out[o + i] = a[p + i] + b[q + i]"),
    ),
    WrongAnswer(FLAT, "reads first and asks afterwards", ("guard", "grid", "neighbors"), """
def binary_flat(f):
    def flat(n, out, o, a, p, b, q, scalars):
        for first in range(0, n, cuda.gridsize(1)):
            i = first + cuda.grid(1)
            result = f(a[p + i], b[q + i], *scalars)
            if i < n:
                out[o + i] = result

    return flat
"""),
    WrongAnswer(FLAT, "only whole rounds of all threads", ("guard", "grid", "neighbors"), """
def binary_flat(f):
    def flat(n, out, o, a, p, b, q, scalars):
        for number in range(n // cuda.gridsize(1)):
            i = number * cuda.gridsize(1) + cuda.grid(1)
            out[o + i] = f(a[p + i], b[q + i], *scalars)

    return flat
"""),
    WrongAnswer(FLAT, "a run of elements for each thread", ("neighbors",), """
def binary_flat(f):
    def flat(n, out, o, a, p, b, q, scalars):
        each = (n + cuda.gridsize(1) - 1) // cuda.gridsize(1)
        for i in range(cuda.grid(1) * each, min(cuda.grid(1) * each + each, n)):
            out[o + i] = f(a[p + i], b[q + i], *scalars)

    return flat
"""),
    WrongAnswer(FLAT, "one thread does it all", ("neighbors",), """
def binary_flat(f):
    def flat(n, out, o, a, p, b, q, scalars):
        if cuda.grid(1) == 0:
            for i in range(n):
                out[o + i] = f(a[p + i], b[q + i], *scalars)

    return flat
"""),
    WrongAnswer(FLAT, "the last thread takes the first element", ("neighbors",),
        ("i = cuda.grid(1)", "i = cuda.gridsize(1) - 1 - cuda.grid(1)"),
    ),
    WrongAnswer(FLAT, "loads each element of a twice", ("neighbors",),
        (ELEMENT, f"x = a[p + i]\n{ELEMENT}"),
    ),
    WrongAnswer(STRIDED, "steps of a block, not of the grid", ("ordinary", "neighbors"),
        ("i += cuda.gridsize(1)", "i += cuda.blockDim.x"),
    ),
    WrongAnswer(STRIDED, "blocks of 32 threads, whatever the block is", ("ordinary", "neighbors"),
        ("i = cuda.grid(1)", "i = cuda.blockIdx.x * 32 + cuda.threadIdx.x"),
    ),
    WrongAnswer(STRIDED, "from cell 0 of each array on", ("ordinary", "neighbors"),
        ("rest, to, of_a, of_b = type(sizes[0])(i), o, p, q", "rest, to, of_a, of_b = type(sizes[0])(i), 0, 0, 0"),
    ),
    WrongAnswer(STRIDED, "a and b exchanged", ("ordinary", "neighbors"),
        ("x, y = a[np.uintp(of_a + rest * sa[0])], b[np.uintp(of_b + rest * sb[0])]",
         "y, x = a[np.uintp(of_a + rest * sa[0])], b[np.uintp(of_b + rest * sb[0])]"),
    ),
    WrongAnswer(STRIDED, "loads each element of a twice", ("neighbors",), (
        "out[np.uintp(to + rest * so[0])] = f(x, y, *scalars)",
        """
again = a[np.uintp(of_a + rest * sa[0])]
out[np.uintp(to + rest * so[0])] = f(again, y, *scalars)
""",
    )),
    WrongAnswer(STRIDED, "the last thread takes the first element", ("neighbors",),
        ("i = cuda.grid(1)", "i = cuda.gridsize(1) - 1 - cuda.grid(1)"),
    ),
    WrongAnswer(STRIDED, "one element a thread, no more", ("ordinary", "neighbors"), (
        """
while i < n:
    rest, to, of_a, of_b = type(sizes[0])(i), o, p, q
    for d in range(len(sizes) - 1, 0, -1):
""",
        """
if i < n:
    rest, to, of_a, of_b = i, o, p, q
    for d in range(len(sizes) - 1, -1, -1):
""",
        "rest = type(sizes[0])(rest // sizes[d])",
        "rest = rest // sizes[d]",
        """
x, y = a[np.uintp(of_a + rest * sa[0])], b[np.uintp(of_b + rest * sb[0])]
out[np.uintp(to + rest * so[0])] = f(x, y, *scalars)
i += cuda.gridsize(1)
""",
        "out[to] = f(a[of_a], b[of_b], *scalars)",
    )),
    WrongAnswer(STRIDED, "a run of elements for each thread", ("neighbors",), changed(
        OTHER_STRIDED,
        "for i in range(cuda.grid(1), n, cuda.gridsize(1)):",
        """
each = (n + cuda.gridsize(1) - 1) // cuda.gridsize(1)
for i in range(cuda.grid(1) * each, min(cuda.grid(1) * each + each, n)):
""",
    )),
    WrongAnswer(STRIDED, "one thread does it all", ("neighbors",), changed(
        OTHER_STRIDED,
        "for i in range(cuda.grid(1), n, cuda.gridsize(1)):",
        "for i in range(n if cuda.grid(1) == 0 else 0):",
    )),
    WrongAnswer(STRIDED, "reads first and asks afterwards", ("ordinary", "neighbors"), """
def binary_strided(f):
    def strided(n, out, o, a, p, b, q, sizes, so, sa, sb, scalars):
        for first in range(0, n, cuda.gridsize(1)):
            i = first + cuda.grid(1)
            rest, to, of_a, of_b = i, o, p, q
            for d in range(len(sizes) - 1, 0, -1):
                k = rest % sizes[d]
                rest = rest // sizes[d]
                to += k * so[d]
                of_a += k * sa[d]
                of_b += k * sb[d]
            to += rest * so[0]
            x, y = a[of_a + rest * sa[0]], b[of_b + rest * sb[0]]
            if i < n:
                out[to] = f(x, y, *scalars)

    return strided
"""),
    WrongAnswer(STRIDED, "every block does everything", ("ordinary", "neighbors"), changed(
        OTHER_STRIDED,
        "for i in range(cuda.grid(1), n, cuda.gridsize(1)):",
        "for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):",
    )),
    WrongAnswer(STRIDED, "the first dimension is taken to be the innermost", ("ordinary", "neighbors"), """
def binary_strided(f):
    def strided(n, out, o, a, p, b, q, sizes, so, sa, sb, scalars):
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            rest, to, of_a, of_b = i, o, p, q
            for d in range(len(sizes)):
                k = rest % sizes[d]
                rest = rest // sizes[d]
                to += k * so[len(sizes) - 1 - d]
                of_a += k * sa[len(sizes) - 1 - d]
                of_b += k * sb[len(sizes) - 1 - d]
            out[to] = f(a[of_a], b[of_b], *scalars)

    return strided
"""),
    WrongAnswer(STRIDED, "neighbors of the first dimension, not of the last", ("neighbors",), changed(
        OTHER_STRIDED,
        "for d in range(len(sizes) - 1, -1, -1):",
        "for d in range(len(sizes)):",
    )),
    WrongAnswer(STRIDED, "the function hard-coded", ("ordinary", "neighbors"), changed(
        OTHER_STRIDED,
        "out[to] = f(a[of_a], b[of_b], *scalars)",
        "out[to] = 2 * a[of_a] - b[of_b]",
    )),
    WrongAnswer(STRIDED, "stores without loads", ("ordinary", "neighbors"), """
def binary_strided(f):
    def strided(n, out, o, a, p, b, q, sizes, so, sa, sb, scalars):
        i = cuda.grid(1)
        while i < n:
            out[o + i] = 5.0
            i += cuda.gridsize(1)

    return strided
"""),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(STRIDED, "rest, to, of_a, of_b = (type(sizes[0])(i), o, p, q)",
               "rest, to, of_a, of_b = (type(sizes[-1])(i), o, p, q)", TYPES),
    Equivalent(STRIDED, "rest = type(sizes[0])(rest // sizes[d])", "rest = type(sizes[1])(rest // sizes[d])",
               f"{TYPES}; there are two sizes where this is reached"),
    Equivalent(STRIDED, "rest = type(sizes[0])(rest // sizes[d])", "rest = type(sizes[-1])(rest // sizes[d])", TYPES),
    Equivalent(STRIDED, "rest = type(sizes[0])(rest // sizes[d])", "rest = type(sizes[0])(rest / sizes[d])",
               "the conversion to an integer cuts off what the division has behind the point"),
    Equivalent(STRIDED, "for d in range(len(sizes) - 1, 0, -1):", "for d in range(len(sizes) - 1, -1, -1):",
               "after the first dimension nothing is left over, and nothing is added a second time"),
)  # fmt: skip
