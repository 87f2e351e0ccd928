"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
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
}
