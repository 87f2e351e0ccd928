"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "strides.has_internal_overlap": (
        """
def has_internal_overlap(sizes, strides):
    left = {d for d, size in enumerate(sizes) if size != 1}
    is_expanded = any(strides[d] == 0 for d in left)
    cells = 1
    while 0 not in sizes and left:
        inner = next((d for d in left if strides[d] == cells), None)
        if inner is None:
            return MemOverlap.YES if is_expanded else MemOverlap.TOO_HARD
        left.remove(inner)
        cells *= sizes[inner]
    return MemOverlap.NO
""",
        """
def has_internal_overlap(sizes, strides):
    cells = sorted(strided_offsets(sizes, strides))
    if cells == list(range(len(cells))):
        return MemOverlap.NO
    return MemOverlap["YES" if (0, True) in [(b, a > 1) for a, b in zip(sizes, strides)] else "TOO_HARD"]
""",
    ),
    "strides.infer_dense_strides": (
        """
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
        """
from functools import cmp_to_key


def infer_dense_strides(sizes, strides):
    backwards = [*range(len(sizes))][::-1]

    def before(a, b):
        return (strides[a] - strides[b]) or (sizes[a] - sizes[b]) or b - a

    ordered = iter(sorted(filter(strides.__getitem__, backwards), key=cmp_to_key(before)))
    order = [next(ordered) if strides[d] else d for d in backwards]
    return tuple(math.prod(sizes[inner] or 1 for inner in order[: order.index(d)]) for d in range(len(sizes)))
""",
    ),
}
