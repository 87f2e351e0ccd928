"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
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
