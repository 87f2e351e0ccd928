"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "strides.infer_dense_strides": """
def infer_dense_strides(sizes, strides):
    order = list(range(len(sizes)))[::-1]
    for i in range(len(order)):
        for j in range(i, 0, -1):
            k = j - 1
            while k >= 0 and strides[order[k]] == 0:
                k -= 1
            if k < 0 or strides[order[j]] == 0:
                continue
            a, b = order[k], order[j]
            if (strides[a], sizes[a]) > (strides[b], sizes[b]):
                order[k], order[j] = b, a
    dense, step = [0] * len(sizes), 1
    for d in order:
        dense[d], step = step, step * max(sizes[d], 1)
    return tuple(dense)
""",
}
