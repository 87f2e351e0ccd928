"""Right answers to lab 1, written another way than the engine."""

ANOTHER_WAY = {
    "strides.contiguous_strides": """
def contiguous_strides(sizes):
    return tuple(math.prod(max(size, 1) for size in sizes[d + 1 :]) for d in range(len(sizes)))
""",
    "strides.is_contiguous": """
def is_contiguous(sizes, strides):
    wanted = contiguous_strides(sizes)
    return 0 in sizes or all(size == 1 or a == b for size, a, b in zip(sizes, strides, wanted))
""",
    "strides.slice_dim": """
def slice_dim(sizes, strides, storage_offset, dim, start=None, end=None, step=1):
    if len(sizes) == 0:
        raise IndexError
    dim = wrap_dim(dim, len(sizes))
    if step < 1:
        raise RuntimeError
    taken = range(*slice(start, end, step).indices(sizes[dim]))
    new_sizes, new_strides = list(sizes), list(strides)
    new_sizes[dim], new_strides[dim] = len(taken), strides[dim] * step
    return tuple(new_sizes), tuple(new_strides), storage_offset + taken.start * strides[dim]
""",
    "strides.view_strides": """
def view_strides(sizes, strides, new_sizes):
    if 0 in sizes:
        return strides if sizes == new_sizes else contiguous_strides(new_sizes)
    offsets = strided_offsets(sizes, strides)
    new_strides, step = [], strides[-1] if strides else 1
    steps = contiguous_strides(new_sizes)
    for size, skipped in zip(reversed(new_sizes), reversed(steps)):
        stride = step if size == 1 else offsets[skipped] - offsets[0]
        new_strides.insert(0, stride)
        step = stride * size
    new_strides = tuple(new_strides)
    return new_strides if strided_offsets(new_sizes, new_strides) == offsets else None
""",
    "strides.strided_offsets": """
def strided_offsets(sizes, strides, storage_offset=0):
    if not sizes:
        return [storage_offset]
    return [
        offset
        for i in range(sizes[0])
        for offset in strided_offsets(sizes[1:], strides[1:], storage_offset + i * strides[0])
    ]
""",
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
    "accessor.TensorAccessor": """
class TensorAccessor:
    def offset_of(self, index):
        if type(index) is not int:
            raise TypeError
        if len(self.sizes) == 0:
            raise IndexError
        return self.storage_offset + range(self.sizes[0])[index] * self.strides[0]

    def __getitem__(self, index):
        rest = TensorAccessor(self.data, [*self.sizes[1:]], [*self.strides[1:]], self.offset_of(index))
        return rest if rest.sizes else self.data[rest.storage_offset]

    def __setitem__(self, index, value):
        if self.sizes[1:]:
            raise TypeError
        self.data[self.offset_of(index)] = value
""",
}
