"""Wrong answers to the products of matrices of lab 6."""

from autograder.mutants.model import WrongAnswer

NAIVE = "cuda.gemm.naive_kernel"
TILED = "cuda.gemm.tiled_kernel"
MULTIPLIER = "cuda.gemm_tile.multiplier_of"

NAIVE_HEAD = """
def naive_kernel(kind):
    def gemm_naive(sizes, alpha, a, p, a_steps, b, q, b_steps, beta, c, o, c_steps):
        batch, m, n, k = sizes
"""
TILED_HEAD = """
def tiled_kernel(kind, is_row_a, is_row_b, side=T):
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
START = """
            total = kind(0)
            for t in range(0, k, side):
"""
MULTIPLY = """
                cuda.syncthreads()
                for u in range(side):
                    total += of_a[y, u] * of_b[u, x]
                cuda.syncthreads()
"""
STORE = """
            if top + y < m and left + x < n:
                write(total, alpha, beta, c, o + which * c_steps[0] + (top + y) * c_steps[1] + (left + x) * c_steps[2])

    return cuda.jit(named(gemm_tiled, "gemm_tiled"))
"""
RIGHT = TILED_HEAD + START + FILL + MULTIPLY + STORE

WRONG_ANSWERS = (
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
    WrongAnswer(NAIVE, "rows and columns of the output exchanged", ("ordinary", "strides", "loads"), NAIVE_HEAD + '''
        at = cuda.grid(1)
        while at < batch * m * n:
            which, i, j = at // (m * n), at % m, at // m % n
            total = kind(0)
            for t in range(k):
                total += (a[p + which * a_steps[0] + j * a_steps[1] + t * a_steps[2]]
                          * b[q + which * b_steps[0] + t * b_steps[1] + i * b_steps[2]])
            write(total, alpha, beta, c, o + which * c_steps[0] + i * c_steps[1] + j * c_steps[2])
            at += cuda.gridsize(1)
    return cuda.jit(named(gemm_naive, "gemm_naive"))
'''),
    WrongAnswer(NAIVE, "half of k", ("ordinary", "strides", "loads"), NAIVE_HEAD + '''
        at = cuda.grid(1)
        while at < batch * m * n:
            which, i, j = at // (m * n), at // n % m, at % n
            total = kind(0)
            for t in range((k + 1) // 2):
                total += (a[p + which * a_steps[0] + i * a_steps[1] + t * a_steps[2]]
                          * b[q + which * b_steps[0] + t * b_steps[1] + j * b_steps[2]])
            write(total, alpha, beta, c, o + which * c_steps[0] + i * c_steps[1] + j * c_steps[2])
            at += cuda.gridsize(1)
    return cuda.jit(named(gemm_naive, "gemm_naive"))
'''),
    WrongAnswer(NAIVE, "rows lie close, whatever the steps say", ("strides",), NAIVE_HEAD + '''
        at = cuda.grid(1)
        while at < batch * m * n:
            which, i, j = at // (m * n), at // n % m, at % n
            total = kind(0)
            for t in range(k):
                total += a[p + (which * m + i) * k + t] * b[q + (which * k + t) * n + j]
            write(total, alpha, beta, c, o + at)
            at += cuda.gridsize(1)
    return cuda.jit(named(gemm_naive, "gemm_naive"))
'''),
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
    WrongAnswer(NAIVE, "sums up in memory", ("loads",), NAIVE_HEAD + '''
        at = cuda.grid(1)
        while at < batch * m * n:
            which, i, j = at // (m * n), at // n % m, at % n
            cell = o + which * c_steps[0] + i * c_steps[1] + j * c_steps[2]
            c[cell] = beta * c[cell] if beta != 0 else kind(0)
            for t in range(k):
                c[cell] += (alpha * a[p + which * a_steps[0] + i * a_steps[1] + t * a_steps[2]]
                            * b[q + which * b_steps[0] + t * b_steps[1] + j * b_steps[2]])
            at += cuda.gridsize(1)
    return cuda.jit(named(gemm_naive, "gemm_naive"))
'''),
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
    WrongAnswer(NAIVE, "neighbouring threads go down a column", ("loads",), NAIVE_HEAD + '''
        at = cuda.grid(1)
        while at < batch * m * n:
            which, i, j = at // (m * n), at % m, at // m % n
            total = kind(0)
            for t in range(k):
                total += (a[p + which * a_steps[0] + i * a_steps[1] + t * a_steps[2]]
                          * b[q + which * b_steps[0] + t * b_steps[1] + j * b_steps[2]])
            write(total, alpha, beta, c, o + which * c_steps[0] + i * c_steps[1] + j * c_steps[2])
            at += cuda.gridsize(1)
    return cuda.jit(named(gemm_naive, "gemm_naive"))
'''),
    WrongAnswer(TILED, "no tiles: each thread loads its row and its column", ("loads", "shared"), TILED_HEAD + '''
            if top + y < m and left + x < n:
                total = kind(0)
                for t in range(k):
                    total += (a[p + which * a_steps[0] + (top + y) * a_steps[1] + t * a_steps[2]]
                              * b[q + which * b_steps[0] + t * b_steps[1] + (left + x) * b_steps[2]])
                write(total, alpha, beta, c, o + which * c_steps[0] + (top + y) * c_steps[1] + (left + x) * c_steps[2])
    return cuda.jit(named(gemm_tiled, "gemm_tiled"))
'''),
    WrongAnswer(TILED, "no second barrier", ("ordinary", "shared"), TILED_HEAD + '''
            total = kind(0)
            for t in range(0, k, side):
''' + FILL + '''
                cuda.syncthreads()
                for u in range(side):
                    total += of_a[y, u] * of_b[u, x]
''' + STORE),
    WrongAnswer(TILED, "no first barrier", ("ordinary", "shared"), TILED_HEAD + '''
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
                RIGHT.replace("def gemm_tiled", "side = T\n\n    def gemm_tiled").replace(
        "(is_row_a, is_row_b))\n\n    side", "(is_row_a, is_row_b))\n    side")),
    WrongAnswer(TILED, "rows close together: a warp that stores a column meets in a bank", ("shared",),
                RIGHT.replace("side if is_row else pitch_of(kind, side)", "side")),
    WrongAnswer(TILED, "loads along rows also where a matrix is transposed", ("loads",),
                RIGHT.replace("(y, x) if is_row_a else (x, y)", "y, x")
                .replace("(y, x) if is_row_b else (x, y)", "y, x")
                .replace("side if is_row else pitch_of(kind, side)", "side")),
    WrongAnswer(TILED, "no zeros where a tile hangs over the edge", ("ordinary",), RIGHT.replace(
        "of_a[row_a, step_a] = kind(0)", "pass").replace("of_b[step_b, column_b] = kind(0)", "pass")),
    WrongAnswer(TILED, "the sum travels to memory and back for each pair of tiles", ("loads",),
                TILED_HEAD + START + FILL + MULTIPLY + '''
                if top + y < m and left + x < n:
                    cell = cell_of(o, c_steps, which, top + y, left + x)
                    write(total, alpha, beta if t == 0 else kind(1), c, cell)
                total = kind(0)

    return cuda.jit(named(gemm_tiled, "gemm_tiled"))
'''),
    WrongAnswer(MULTIPLIER, "one step", ("ordinary", "loads"), '''
def multiplier_of(tile):
    apart = tile.side * tile.lanes // tile.rows

    def vector(shared, at):
        return load_shared(shared, at)

    def two_vectors(shared, at):
        return load_shared(shared, at) + load_shared(shared, at + apart)

    fragment = device_function(vector if tile.rows == tile.lanes else two_vectors)

    def step(sums, of_a, at_a, of_b, at_b):
        return add_outer(sums, fragment(of_a, at_a), fragment(of_b, at_b))

    return device_function(step)
'''),
    WrongAnswer(MULTIPLIER, "the second vector right behind the first", ("ordinary", "loads"), '''
def multiplier_of(tile):
    def vector(shared, at):
        return load_shared(shared, at)

    def two_vectors(shared, at):
        return load_shared(shared, at) + load_shared(shared, at + tile.lanes)

    fragment = device_function(vector if tile.rows == tile.lanes else two_vectors)

    def step(sums, of_a, at_a, of_b, at_b):
        return add_outer(sums, fragment(of_a, at_a), fragment(of_b, at_b))

    multiply, steps = device_function(step), 1
    while steps < tile.depth:
        multiply, steps = twice(multiply, steps * tile.pitch), 2 * steps
    return multiply
'''),
    WrongAnswer(MULTIPLIER, "the outer product the other way round", ("ordinary", "loads"), '''
def multiplier_of(tile):
    apart = tile.side * tile.lanes // tile.rows

    def vector(shared, at):
        return load_shared(shared, at)

    def two_vectors(shared, at):
        return load_shared(shared, at) + load_shared(shared, at + apart)

    fragment = device_function(vector if tile.rows == tile.lanes else two_vectors)

    def step(sums, of_a, at_a, of_b, at_b):
        return add_outer(sums, fragment(of_b, at_b), fragment(of_a, at_a))

    multiply, steps = device_function(step), 1
    while steps < tile.depth:
        multiply, steps = twice(multiply, steps * tile.pitch), 2 * steps
    return multiply
'''),
    WrongAnswer(MULTIPLIER, "loads the numbers of B anew for each row", ("loads",), '''
def multiplier_of(tile):
    rows, lanes, side, depth, pitch = tile
    apart = side * lanes // rows

    def multiply(sums, of_a, at_a, of_b, at_b):
        for step in range(depth):
            x, totals = load_shared(of_a, at_a + step * pitch), ()
            if rows > lanes:
                x = x + load_shared(of_a, at_a + step * pitch + apart)
            for i in range(rows):
                for j in range(rows):
                    y = of_b[at_b + step * pitch + j // lanes * apart + j % lanes]
                    totals = totals + (sums[i * rows + j] + x[i] * y,)
            sums = totals
        return sums

    return device_function(multiply)
'''),
)  # fmt: skip
