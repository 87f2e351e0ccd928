"""Wrong answers to cuda.gemm.gemm_naive_kernel, cuda.gemm.gemm_tiled_kernel."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

NAIVE = "cuda.gemm.gemm_naive_kernel"
TILED = "cuda.gemm.gemm_tiled_kernel"
OF_A = "of_a[row_a, step_a] = a[cell_of(p, a_steps, which, i_a, t_a)] if i_a < m and t_a < k else "
OF_B = "of_b[step_b, column_b] = b[cell_of(q, b_steps, which, t_b, j_b)] if j_b < n and t_b < k else "
EDGE = "beyond the end of k the other factor is 0; beyond the rows and columns nothing is stored"
NAIVE_HEAD = """
def gemm_naive_kernel(kind):
    def gemm_naive(sizes, alpha, a, p, a_steps, b, q, b_steps, beta, c, o, c_steps):
        batch, m, n, k = sizes
"""
TILED_HEAD = """
def gemm_tiled_kernel(kind, is_row_a, is_row_b, side=T):
    pitch_a, pitch_b = (side if is_row else pitch_of(kind, side) for is_row in (is_row_a, is_row_b))

    def gemm_tiled(sizes, alpha, a, p, a_steps, b, q, b_steps, beta, c, o, c_steps):
        of_a = cuda.shared.array((side, pitch_a), kind)
        of_b = cuda.shared.array((side, pitch_b), kind)
        batch, m, n, k = sizes
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        row_a, step_a = (y, x) if is_row_a else (x, y)
        step_b, column_b = (y, x) if is_row_b else (x, y)
        down, across = (m + side - 1) // side, (n + side - 1) // side
        for tile in range(cuda.blockIdx.x, batch * down * across, cuda.gridDim.x):
            which, top, left = tile // (down * across), tile // across % down * side, tile % across * side
"""
STORE = """
            if top + y < m and left + x < n:
                write(total, alpha, beta, c, o + which * c_steps[0] + (top + y) * c_steps[1] + (left + x) * c_steps[2])

    return cuda.jit(named(gemm_tiled, "gemm_tiled"))
"""
FILL = """
                of_a[row_a, step_a] = kind(0)
                of_b[step_b, column_b] = kind(0)
                if top + row_a < m and t + step_a < k:
                    at = p + which * a_steps[0] + (top + row_a) * a_steps[1] + (t + step_a) * a_steps[2]
                    of_a[row_a, step_a] = a[at]
                if left + column_b < n and t + step_b < k:
                    at = q + which * b_steps[0] + (t + step_b) * b_steps[1] + (left + column_b) * b_steps[2]
                    of_b[step_b, column_b] = b[at]
"""
MULTIPLY = """
                cuda.syncthreads()
                for u in range(side):
                    total += of_a[y, u] * of_b[u, x]
                cuda.syncthreads()
"""
START = """
            total = kind(0)
            for t in range(0, k, side):
"""
RIGHT = TILED_HEAD + START + FILL + MULTIPLY + STORE

WRONG_ANSWERS = (
    WrongAnswer(NAIVE, "the sum begins as a float, whatever the kind", ("ordinary", "loads"),
        ("total = kind(0)", "total = 0.0")),
    WrongAnswer(NAIVE, "the first matrix of the batch for all", ("strides",), (
        "of_a, of_b = cell_of(p, a_steps, which, i, 0), cell_of(q, b_steps, which, 0, j)",
        "of_a, of_b = cell_of(p, a_steps, 0, i, 0), cell_of(q, b_steps, 0, 0, j)",
    )),
    WrongAnswer(NAIVE, "the last product alone", ("ordinary", "strides", "loads"), (
        "total += a[of_a] * b[of_b]", "total = a[of_a] * b[of_b]",
    )),
    WrongAnswer(NAIVE, "without alpha", ("strides",), (
        "write(total, alpha, beta, c, cell_of(o, c_steps, which, i, j))",
        "write(total, kind(1), beta, c, cell_of(o, c_steps, which, i, j))",
    )),
    WrongAnswer(TILED, "thread (x, y) makes column y", ("loads", "shared"), (
        "x, y = cuda.threadIdx.x, cuda.threadIdx.y",
        "x, y = cuda.threadIdx.y, cuda.threadIdx.x",
    )),
    WrongAnswer(TILED, "the sum begins anew with each tile along k", ("ordinary", "loads", "shared"), (
        "cuda.syncthreads()\nfor u in range(side):",
        "cuda.syncthreads()\ntotal = kind(0)\nfor u in range(side):",
    )),
    WrongAnswer(NAIVE, "an element a thread, no steps of the grid", ("ordinary", "strides", "loads"), NAIVE_HEAD + '''
        at = cuda.grid(1)
        if at < batch * m * n:
            which, i, j = at // (m * n), at // n % m, at % n
            total = kind(0)
            for t in range(k):
                total += (a[p + which * a_steps[0] + i * a_steps[1] + t * a_steps[2]]
                          * b[q + which * b_steps[0] + t * b_steps[1] + j * b_steps[2]])
            write(total, alpha, beta, c, o + which * c_steps[0] + i * c_steps[1] + j * c_steps[2])
    return cuda.jit(named(gemm_naive, "gemm_naive"))
'''),
    WrongAnswer(NAIVE, "rows and columns of the output exchanged", ("ordinary", "strides", "loads"), (
        """
which, i, j = at // (m * n), at // n % m, at % n
of_a, of_b = cell_of(p, a_steps, which, i, 0), cell_of(q, b_steps, which, 0, j)
""",
        "which, i, j = at // (m * n), at % m, at // m % n",
        """
for _ in range(k):
    total += a[of_a] * b[of_b]
    of_a += a_steps[2]
    of_b += b_steps[1]
write(total, alpha, beta, c, cell_of(o, c_steps, which, i, j))
""",
        """
for t in range(k):
    total += (a[p + which * a_steps[0] + j * a_steps[1] + t * a_steps[2]]
              * b[q + which * b_steps[0] + t * b_steps[1] + i * b_steps[2]])
write(total, alpha, beta, c, o + which * c_steps[0] + i * c_steps[1] + j * c_steps[2])
""",
    )),
    WrongAnswer(NAIVE, "half of k", ("ordinary", "strides", "loads"), (
        """
which, i, j = at // (m * n), at // n % m, at % n
of_a, of_b = cell_of(p, a_steps, which, i, 0), cell_of(q, b_steps, which, 0, j)
""",
        "which, i, j = at // (m * n), at // n % m, at % n",
        """
for _ in range(k):
    total += a[of_a] * b[of_b]
    of_a += a_steps[2]
    of_b += b_steps[1]
write(total, alpha, beta, c, cell_of(o, c_steps, which, i, j))
""",
        """
for t in range((k + 1) // 2):
    total += (a[p + which * a_steps[0] + i * a_steps[1] + t * a_steps[2]]
              * b[q + which * b_steps[0] + t * b_steps[1] + j * b_steps[2]])
write(total, alpha, beta, c, o + which * c_steps[0] + i * c_steps[1] + j * c_steps[2])
""",
    )),
    WrongAnswer(NAIVE, "rows lie close, whatever the steps say", ("strides",), (
        """
which, i, j = at // (m * n), at // n % m, at % n
of_a, of_b = cell_of(p, a_steps, which, i, 0), cell_of(q, b_steps, which, 0, j)
""",
        "which, i, j = at // (m * n), at // n % m, at % n",
        """
for _ in range(k):
    total += a[of_a] * b[of_b]
    of_a += a_steps[2]
    of_b += b_steps[1]
write(total, alpha, beta, c, cell_of(o, c_steps, which, i, j))
""",
        """
for t in range(k):
    total += a[p + (which * m + i) * k + t] * b[q + (which * k + t) * n + j]
write(total, alpha, beta, c, o + at)
""",
    )),
    WrongAnswer(NAIVE, "adds beta * c also where beta is 0", ("ordinary", "strides", "loads"), NAIVE_HEAD + '''
        at = cuda.grid(1)
        while at < batch * m * n:
            which, i, j = at // (m * n), at // n % m, at % n
            total = kind(0)
            for t in range(k):
                total += (a[p + which * a_steps[0] + i * a_steps[1] + t * a_steps[2]]
                          * b[q + which * b_steps[0] + t * b_steps[1] + j * b_steps[2]])
            cell = o + which * c_steps[0] + i * c_steps[1] + j * c_steps[2]
            c[cell] = alpha * total + beta * c[cell]
            at += cuda.gridsize(1)
    return cuda.jit(named(gemm_naive, "gemm_naive"))
'''),
    WrongAnswer(NAIVE, "sums up in memory", ("loads",), (
        """
of_a, of_b = cell_of(p, a_steps, which, i, 0), cell_of(q, b_steps, which, 0, j)
total = kind(0)
for _ in range(k):
    total += a[of_a] * b[of_b]
    of_a += a_steps[2]
    of_b += b_steps[1]
write(total, alpha, beta, c, cell_of(o, c_steps, which, i, j))
""",
        """
cell = o + which * c_steps[0] + i * c_steps[1] + j * c_steps[2]
c[cell] = beta * c[cell] if beta != 0 else kind(0)
for t in range(k):
    c[cell] += (alpha * a[p + which * a_steps[0] + i * a_steps[1] + t * a_steps[2]]
                * b[q + which * b_steps[0] + t * b_steps[1] + j * b_steps[2]])
""",
    )),
    WrongAnswer(NAIVE, "sums up in memory, by atomics", ("loads",), NAIVE_HEAD + '''
        for at in range(cuda.grid(1), batch * m * n, cuda.gridsize(1)):
            which, i, j = at // (m * n), at // n % m, at % n
            cell = cell_of(o, c_steps, which, i, j)
            c[cell] = beta * c[cell] if beta != 0 else kind(0)
            for t in range(k):
                x, y = a[cell_of(p, a_steps, which, i, t)], b[cell_of(q, b_steps, which, t, j)]
                cuda.atomic.add(c, cell, alpha * x * y)
    return cuda.jit(named(gemm_naive, "gemm_naive"))
'''),
    WrongAnswer(NAIVE, "neighboring threads go down a column", ("loads",), (
        """
which, i, j = at // (m * n), at // n % m, at % n
of_a, of_b = cell_of(p, a_steps, which, i, 0), cell_of(q, b_steps, which, 0, j)
""",
        "which, i, j = at // (m * n), at % m, at // m % n",
        """
for _ in range(k):
    total += a[of_a] * b[of_b]
    of_a += a_steps[2]
    of_b += b_steps[1]
write(total, alpha, beta, c, cell_of(o, c_steps, which, i, j))
""",
        """
for t in range(k):
    total += (a[p + which * a_steps[0] + i * a_steps[1] + t * a_steps[2]]
              * b[q + which * b_steps[0] + t * b_steps[1] + j * b_steps[2]])
write(total, alpha, beta, c, o + which * c_steps[0] + i * c_steps[1] + j * c_steps[2])
""",
    )),
    WrongAnswer(TILED, "no tiles: each thread loads its row and its column", ("loads", "shared"), TILED_HEAD + '''
            if top + y < m and left + x < n:
                total = kind(0)
                for t in range(k):
                    total += (a[p + which * a_steps[0] + (top + y) * a_steps[1] + t * a_steps[2]]
                              * b[q + which * b_steps[0] + t * b_steps[1] + (left + x) * b_steps[2]])
                write(total, alpha, beta, c, o + which * c_steps[0] + (top + y) * c_steps[1] + (left + x) * c_steps[2])
    return cuda.jit(named(gemm_tiled, "gemm_tiled"))
'''),
    WrongAnswer(TILED, "no second barrier", ("ordinary", "loads", "shared"), TILED_HEAD + '''
            total = kind(0)
            for t in range(0, k, side):
''' + FILL + '''
                cuda.syncthreads()
                for u in range(side):
                    total += of_a[y, u] * of_b[u, x]
''' + STORE),
    WrongAnswer(TILED, "no first barrier", ("ordinary", "loads", "shared"), TILED_HEAD + '''
            total = kind(0)
            for t in range(0, k, side):
''' + FILL + '''
                for u in range(side):
                    total += of_a[y, u] * of_b[u, x]
                cuda.syncthreads()
''' + STORE),
    WrongAnswer(TILED, "barriers for those only who have an element", ("ordinary", "loads", "shared"), TILED_HEAD + '''
            total = kind(0)
            for t in range(0, k, side):
                if top + y < m and left + x < n:
''' + FILL.replace("\n    ", "\n        ") + '''
                    cuda.syncthreads()
                    for u in range(side):
                        total += of_a[y, u] * of_b[u, x]
                    cuda.syncthreads()
''' + STORE),
    WrongAnswer(TILED, "a tile of T x T, whatever the block", ("ordinary", "loads", "shared"),
                RIGHT.replace("def gemm_tiled(", "side = T\n\n    def gemm_tiled(").replace(
        "(is_row_a, is_row_b))\n\n    side", "(is_row_a, is_row_b))\n    side")),
    WrongAnswer(TILED, "rows close together: a warp that stores a column meets in a bank", ("shared",),
                RIGHT.replace("side if is_row else pitch_of(kind, side)", "side")),
    WrongAnswer(TILED, "loads along rows also where a matrix is transposed", ("loads",),
                RIGHT.replace("(y, x) if is_row_a else (x, y)", "y, x")
                .replace("(y, x) if is_row_b else (x, y)", "y, x")
                .replace("side if is_row else pitch_of(kind, side)", "side")),
    WrongAnswer(TILED, "no zeros where a tile hangs over the edge", ("ordinary", "loads", "shared"), RIGHT.replace(
        "of_a[row_a, step_a] = kind(0)", "pass").replace("of_b[step_b, column_b] = kind(0)", "pass")),
    WrongAnswer(TILED, "the sum travels to memory and back for each pair of tiles", ("loads",),
                TILED_HEAD + START + FILL + MULTIPLY + '''
                if top + y < m and left + x < n:
                    cell = cell_of(o, c_steps, which, top + y, left + x)
                    write(total, alpha, beta if t == 0 else kind(1), c, cell)
                total = kind(0)

    return cuda.jit(named(gemm_tiled, "gemm_tiled"))
'''),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        NAIVE, "return cuda.jit(named(gemm_naive, 'gemm_naive'))", "return cuda.jit(gemm_naive)",
        "only the name that a profiler shows",
    ),
    Equivalent(
        NAIVE, "total = kind(0)", "total = 0", "in the recorder a number takes the dtype of what is added to it",
    ),
    Equivalent(
        NAIVE, "write(total, alpha, beta, c, cell_of(o, c_steps, which, i, j))",
        "write(alpha, total, beta, c, cell_of(o, c_steps, which, i, j))",
        "total * alpha is alpha * total",
    ),
    Equivalent(
        TILED, "return cuda.jit(named(gemm_tiled, 'gemm_tiled'))", "return cuda.jit(gemm_tiled)",
        "only the name that a profiler shows",
    ),
    Equivalent(
        TILED, "total = kind(0)", "total = 0", "in the recorder a number takes the dtype of what is added to it",
    ),
    Equivalent(
        TILED, "write(total, alpha, beta, c, cell_of(o, c_steps, which, i, j))",
        "write(alpha, total, beta, c, cell_of(o, c_steps, which, i, j))",
        "total * alpha is alpha * total",
    ),
    *(
        Equivalent(TILED, f"{fill}kind(0)", f"{fill}{other}", reason)
        for fill in (OF_A, OF_B)
        for other, reason in (("0", "a shared array has its dtype"), ("kind(1)", EDGE), ("kind(-1)", EDGE))
    ),
)  # fmt: skip
