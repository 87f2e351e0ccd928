"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "cpu.gemm_loops.row_products": """
def row_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m):
    column, row = p, q
    for _ in range(k):
        at, to = column, o
        for _ in range(m):
            x = a[at]
            for j in range(n):
                c[to + j] = c[to + j] + x * b[row + j]
            at, to = at + a_m, to + c_m
        column, row = column + a_k, row + b_k
""",
    "cpu.gemm_loops.blocked_products": (
        """
def blocked_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m, steps, columns):
    t = 0
    while t < k:
        after = min(t + steps, k)
        j = 0
        while j < n:
            last = min(j + columns, n)
            for i in range(m):
                for s in range(t, after):
                    factor = a[p + i * a_m + s * a_k]
                    for x in range(j, last):
                        c[o + i * c_m + x] += factor * b[q + s * b_k + x]
            j = last
        t = after
""",
        """
def blocked_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m, steps, columns):
    # Blocks down first, from the last columns to the first.
    for j in range((n - 1) // columns * columns, -1, -columns):
        for t in range(0, k, steps):
            row_products(m, min(columns, n - j), min(steps, k - t), a, p + t * a_k, a_m, a_k,
                         b, q + t * b_k + j, b_k, c, o + j, c_m)
""",
    ),
}
