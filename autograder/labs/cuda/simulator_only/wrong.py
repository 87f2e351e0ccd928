"""Answers that are right on the simulator, and that no GPU could run: they lose everything."""

from autograder.labs import CHECKS
from autograder.made_up.wrong_answer import WrongAnswer


def nowhere_else(exercise: str, about: str, text: str | tuple[str, ...]) -> WrongAnswer:
    """An answer that loses all aspects."""
    return WrongAnswer(exercise, about, tuple(aspect.name for aspect in CHECKS[exercise].aspects), text)


def strided(places: str, helpers: str = "") -> str:
    """6.1 with its three places worked out in another way."""
    return f"""
def binary_strided(f):
    {helpers.strip()}

    def strided(n, out, o, a, p, b, q, sizes, so, sa, sb, scalars):
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            {places.strip()}
            out[to] = f(a[of_a], b[of_b], *scalars)

    return strided
"""


WRONG_ANSWERS = (
    nowhere_else("cuda.loops.binary_strided", "a helper is a plain function", strided(
        "to, of_a, of_b = place(o, i, sizes, so), place(p, i, sizes, sa), place(q, i, sizes, sb)",
        """
    def place(first, rest, sizes, strides):
        for d in range(len(sizes) - 1, -1, -1):
            first += rest % sizes[d] * strides[d]
            rest //= sizes[d]
        return first
""")),
    nowhere_else("cuda.loops.binary_strided", "a helper calls itself with fewer sizes", strided(
        "to, of_a, of_b = o + far(i, sizes, so), p + far(i, sizes, sa), q + far(i, sizes, sb)",
        """
    @cuda.jit(device=True)
    def far(i, sizes, strides):
        if len(sizes) == 1:
            return i * strides[0]
        return i % sizes[-1] * strides[-1] + far(i // sizes[-1], sizes[:-1], strides[:-1])
""")),
    nowhere_else("cuda.loops.binary_strided", "a slice of the sizes has bounds that vary", strided("""
            to, of_a, of_b = o, p, q
            for d in range(len(sizes)):
                below = 1
                for size in sizes[d + 1:]:
                    below *= size
                k = i // below % sizes[d]
                to, of_a, of_b = to + k * so[d], of_a + k * sa[d], of_b + k * sb[d]
""")),
    nowhere_else("cuda.loops.binary_strided", "the indices are a tuple that grows", strided("""
            indices, rest = (), i
            for d in range(len(sizes) - 1, -1, -1):
                indices, rest = (rest % sizes[d],) + indices, rest // sizes[d]
            to, of_a, of_b = o, p, q
            for d in range(len(sizes)):
                to, of_a, of_b = to + indices[d] * so[d], of_a + indices[d] * sa[d], of_b + indices[d] * sb[d]
""")),
    nowhere_else("cuda.loops.binary_strided", "the indices are a list", strided("""
            indices, rest = [], i
            for d in range(len(sizes) - 1, -1, -1):
                indices.append(rest % sizes[d])
                rest //= sizes[d]
            to, of_a, of_b = o, p, q
            for d in range(len(sizes)):
                k = indices[len(sizes) - 1 - d]
                to, of_a, of_b = to + k * so[d], of_a + k * sa[d], of_b + k * sb[d]
""")),
    nowhere_else("cuda.loops.binary_flat", "a helper is a plain function", """
def binary_flat(f):
    def elements(n):
        return range(cuda.grid(1), n, cuda.gridsize(1))

    def flat(n, out, o, a, p, b, q, scalars):
        for i in elements(n):
            out[o + i] = f(a[p + i], b[q + i], *scalars)

    return flat
"""),
    nowhere_else("cuda.loops.binary_flat", "a list of what is to be done", """
def binary_flat(f):
    def flat(n, out, o, a, p, b, q, scalars):
        for to, x, y in [(o + i, a[p + i], b[q + i]) for i in range(cuda.grid(1), n, cuda.gridsize(1))]:
            out[to] = f(x, y, *scalars)

    return flat
"""),
    nowhere_else("cuda.transpose.transpose_naive_kernel", "a helper is a plain function", (
        """
def transpose_naive(sizes, out, o, x, p, steps, batch_sizes, out_steps, x_steps):
    batch, rows, columns = sizes
""",
        """
def corner(tile, down, across):
    return tile // across % down * side, tile % across * side

def transpose_naive(sizes, out, o, x, p, steps, batch_sizes, out_steps, x_steps):
    batch, rows, columns = sizes
""",
        "top, left = tile // across % down * side, tile % across * side",
        "top, left = corner(tile, down, across)",
    )),
    nowhere_else("cuda.transpose.transpose_naive_kernel", "`try` instead of the guards", (
        """
if i < rows and j < columns:
    out[o + to + i * steps[0] + j] = x[p + of + i + j * steps[1]]
""",
        """
try:
    if i < rows and j < columns:
        out[o + to + i * steps[0] + j] = x[p + of + i + j * steps[1]]
except IndexError:
    pass
""",
    )),
    nowhere_else("cuda.transpose.transpose_tiled_kernel", "the kernel works out how large shared memory is", (
        "tile = cuda.shared.array((side, pitch), kind)",
        "tile = cuda.shared.array((side, side + 1), kind)",
    )),
    nowhere_else("cuda.reduce.block_reduce", "a helper is a plain function", """
def block_reduce(f):
    def take_in(partial, one, other):
        partial[one] = f(partial[one], partial[other])

    def tree(partial, value, thread, row, height, down):
        partial[thread] = value
        cuda.syncthreads()
        half = height >> 1
        while half > 0:
            if row < half:
                take_in(partial, thread, thread + half * down)
            cuda.syncthreads()
            half >>= 1

    return tree
"""),
    nowhere_else("cuda.soft_max.row_softmax", "the pair grows in a branch", (
        "largest, total = most[k], totals[k]",
        """
pair = (most[k],)
if number >= 0:
    pair = pair + (totals[k],)
largest, total = pair
""",
    )),
    nowhere_else("cuda.soft_max.row_softmax", "exp is NumPy's", (
        "mine = totals[thread] * exp(most[thread] - largest)",
        "mine = totals[thread] * np.exp(most[thread] - largest)",
    )),
    nowhere_else("cuda.gemm.gemm_naive_kernel", "`finish` is not the device function `write`", (
        "write(total, alpha, beta, c, cell_of(o, c_steps, which, i, j))",
        "finish(total, alpha, beta, c, cell_of(o, c_steps, which, i, j))",
    )),
    nowhere_else("cuda.gemm.gemm_naive_kernel", "a slice of the steps has bounds that vary", (
        "of_a += a_steps[2]",
        "of_a += a_steps[k - k + 2:][0]",
    )),
    nowhere_else("cuda.gemm.gemm_tiled_kernel", "the place of an element grows in a branch", (
        "if i < m and j < n:",
        """
place = (i, j)
if batch > 0:
    place = (which,) + place
if i < m and place[-1] < n:
""",
    )),
    nowhere_else("cuda.gemm_tile.multiplier_of", "the step is a plain function", (
        "multiply, steps = device_function(step), 1",
        "multiply, steps = step, 1",
    )),
    nowhere_else("cuda.gemm_tile.multiplier_of", "the fragments are plain functions", (
        "fragment = device_function(vector if tile.rows == tile.lanes else two_vectors)",
        "fragment = vector if tile.rows == tile.lanes else two_vectors",
    )),
    nowhere_else("cuda.bias_activation.bias_activation_kernel", "a helper is a plain function", (
        """
def bias_activation(sizes, beta, bias, p, bias_steps, out, o, out_steps):
    m, n = sizes
""",
        """
def place(first, i, j, steps):
    return first + i * steps[0] + j * steps[1]

def bias_activation(sizes, beta, bias, p, bias_steps, out, o, out_steps):
    m, n = sizes
""",
        "at = o + i * out_steps[0] + j * out_steps[1]",
        "at = place(o, i, j, out_steps)",
    )),
    nowhere_else("cuda.bias_activation.bias_activation_kernel", "the indices are in a dict", (
        "i, j = element // n, element % n",
        """
at = {"row": element // n, "column": element % n}
i, j = at["row"], at["column"]
""",
    )),
    nowhere_else("cuda.summary_ops.block_histogram", "a helper is a plain function", (
        """
def histogram(n, out, x, p, step, size):
    counts = cuda.shared.array(bins, types.int64)
""",
        """
def place(i, p, step):
    return p + i * step

def histogram(n, out, x, p, step, size):
    counts = cuda.shared.array(bins, types.int64)
""",
        "cuda.atomic.add(counts, x[p + i * step], 1)",
        "cuda.atomic.add(counts, x[place(i, p, step)], 1)",
    )),
)  # fmt: skip
