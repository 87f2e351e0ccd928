"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "cpu.elementwise_loops.contiguous_binary": (
        """
def contiguous_binary(f):
    def loop(begin, end, out, o, a, p, b, q, scalars):
        to, x, y = out[o + begin : o + end], a[p + begin : p + end], b[q + begin : q + end]
        for i in range(to.size):
            left, right = x[i], y[i]
            to[i] = f(left, right, *scalars)
    return loop
""",
        """
def contiguous_binary(f):
    def one(i, out, o, a, p, b, q, scalars):
        out[i + o] = f(a[i + p], b[i + q], *scalars)

    each = register_jitable(one)

    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        if begin >= end:
            return
        for i in range(end - 1, begin - 1, -1):
            each(i, out, o, a, p, b, q, scalars)
    return contiguous
""",
    ),
    "cpu.elementwise_loops.contiguous_binary_vec": """
def contiguous_binary_vec(f, g, lanes):
    def loop(begin, end, out, o, a, p, b, q, scalars):
        whole = begin + (end - begin) // lanes * lanes
        for i in range(begin, whole, lanes):
            x, y = loadu(a, p + i, lanes), loadu(b, q + i, lanes)
            storeu(out, o + i, g(x, y, *scalars))
        for i in range(whole, end):
            out[o + i] = f(a[p + i], b[q + i], *scalars)
    return loop
""",
}
