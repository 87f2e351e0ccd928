"""Right answers to the second half of lab 5, written another way."""

ANOTHER_WAY = {
    "cpu.gemv.cascade_dot": """
def cascade_dot(x, y):
    # Four levels of 32 numbers each, as ATen's; each level is emptied into the next one when it is full.
    zero = x.dtype.type(0)
    level0, level1, level2, level3 = zero, zero, zero, zero
    for i in range(x.size):
        level0 += x[i] * y[i]
        if (i + 1) % 32 == 0:
            level1 += level0
            level0 = zero
            if (i + 1) % (32 * 32) == 0:
                level2 += level1
                level1 = zero
                if (i + 1) % (32 * 32 * 32) == 0:
                    level3 += level2
                    level2 = zero
    return ((level0 + level1) + level2) + level3
""",
    "cpu.soft_max.largest_and_sum": """
def largest_and_sum(exp, x, n, inner, first, largest, sums):
    # The first row by itself, then eight columns at a time; nothing is done for what changes no sum.
    for j in range(sums.size):
        a = x[first + j] if n else -np.inf
        largest[j], sums[j] = a, a if a != a else a > -np.inf
    for left in range(0, largest.size, 8):
        right = min(left + 8, largest.size)
        for i in range(1, n):
            for j in range(left, right):
                a, m = x[first + i * inner + j], largest[j]
                if a == -np.inf or sums[j] != sums[j]:
                    continue
                if a != a:
                    sums[j] = a
                elif m == -np.inf:
                    largest[j], sums[j] = a, 1
                elif a > m:
                    largest[j], sums[j] = a, sums[j] * exp(m - a) + 1
                elif a > m - 40:
                    sums[j] = sums[j] + exp(a - m)
""",
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
    "cpu.gemm_loops.blocked_products": """
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
    "cpu.gemm.pack": """
def pack(width, x, p, step, x_k, count, k, to, o):
    for cell in range(width * k):
        t, i = cell // width, cell % width
        if i < count:
            to[o + cell] = x[p + i * step + t * x_k]
        else:
            to[o + cell] = 0
""",
    "cpu.gemm_vectors.four_rows": """
def four_rows(lanes):
    def tile(a, p, b, q, b_k, c, o, c_m, k, alpha, beta):
        r00 = r01 = r10 = r11 = r20 = r21 = r30 = r31 = broadcast(a.dtype.type(0), lanes)
        for t in range(k):
            x0 = loadu(b, q + t * b_k, lanes)
            x1 = loadu(b, q + t * b_k + lanes, lanes)
            f0, f1, f2, f3 = a[p + 4 * t], a[p + 4 * t + 1], a[p + 4 * t + 2], a[p + 4 * t + 3]
            r00 += x0 * f0
            r01 += x1 * f0
            r10 += x0 * f1
            r11 += x1 * f1
            r20, r21, r30, r31 = r20 + x0 * f2, r21 + x1 * f2, r30 + x0 * f3, r31 + x1 * f3
        if beta != 0:
            storeu(c, o, alpha * r00 + beta * loadu(c, o, lanes))
            storeu(c, o + lanes, alpha * r01 + beta * loadu(c, o + lanes, lanes))
            storeu(c, o + c_m, alpha * r10 + beta * loadu(c, o + c_m, lanes))
            storeu(c, o + c_m + lanes, alpha * r11 + beta * loadu(c, o + c_m + lanes, lanes))
            storeu(c, o + 2 * c_m, alpha * r20 + beta * loadu(c, o + 2 * c_m, lanes))
            storeu(c, o + 2 * c_m + lanes, alpha * r21 + beta * loadu(c, o + 2 * c_m + lanes, lanes))
            storeu(c, o + 3 * c_m, alpha * r30 + beta * loadu(c, o + 3 * c_m, lanes))
            storeu(c, o + 3 * c_m + lanes, alpha * r31 + beta * loadu(c, o + 3 * c_m + lanes, lanes))
        else:
            storeu(c, o, alpha * r00)
            storeu(c, o + lanes, alpha * r01)
            storeu(c, o + c_m, alpha * r10)
            storeu(c, o + c_m + lanes, alpha * r11)
            storeu(c, o + 2 * c_m, alpha * r20)
            storeu(c, o + 2 * c_m + lanes, alpha * r21)
            storeu(c, o + 3 * c_m, alpha * r30)
            storeu(c, o + 3 * c_m + lanes, alpha * r31)
    return tile
""",
}
