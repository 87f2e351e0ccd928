"""Right answers written in another way than the reference's."""

RIGHT_ANSWERS = {
    "tiny_tensor.add": (
        """
def add(x, y):
    if tuple(x.sizes) != tuple(y.sizes):
        raise RuntimeError("sizes")
    out = Tensor([0.0] * math.prod(x.sizes), x.sizes)
    for index in product(*(range(size) for size in x.sizes)):
        out.storage[out.offset_of(index)] = x[index] + y[index]
    return out
""",
    ),
    "tiny_tensor.matmul": (
        """
def matmul(x, y):
    n, k = x.sizes
    m = y.sizes[1]
    if y.sizes[0] != k:
        raise RuntimeError("do not fit")
    cells = []
    for i in range(n):
        for j in range(m):
            element = 0.0
            for p in range(k):
                element += x[(i, p)] * y[(p, j)]
            cells.append(element)
    return Tensor(cells, [n, m])
""",
    ),
}
