"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "strides.permute": (
        """
def permute(sizes, strides, dims):
    if len(dims) != len(sizes):
        raise RuntimeError
    left = list(zip(sizes, strides))
    chosen = []
    for dim in dims:
        dim = wrap_dim(dim, len(sizes))
        if left[dim] is None:
            raise RuntimeError(f"dimension {dim} is named twice")
        chosen.append(left[dim])
        left[dim] = None
    return tuple(size for size, _ in chosen), tuple(stride for _, stride in chosen)
""",
        """
def permute(sizes, strides, dims):
    ndim = len(sizes)
    if len(dims) == ndim and sorted(dim % ndim for dim in dims) == list(range(ndim)) and max(dims, default=-1) < ndim:
        if min(dims, default=0) >= -ndim:
            return tuple(sizes[dim] for dim in dims), tuple(strides[dim] for dim in dims)
    if len(dims) == ndim and any(dim not in range(-ndim, ndim) for dim in dims):
        raise IndexError(f"{dims} has a dim out of range")
    raise RuntimeError(f"{dims} names not each of {ndim} dimensions once")
""",
    ),
    "strides.slice_dim": (
        """
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
        """
def slice_dim(sizes, strides, storage_offset, dim, start=None, end=None, step=1):
    if step < 1:
        raise RuntimeError("a step goes forwards")
    if dim not in range(-len(sizes), len(sizes)):
        raise IndexError("no such dimension")
    size, stride = sizes[dim], strides[dim]

    def bound(value):
        value += size * (value < 0)
        return sorted((0, value, size))[1]

    first = bound(0 if start is None else start)
    last = bound(size if end is None else end)
    length = 0 if last <= first else (last - first - 1) // step + 1
    dim %= len(sizes)
    before, after = slice(dim), slice(dim + 1, None)
    return (
        (*sizes[before], length, *sizes[after]),
        (*strides[before], stride * step, *strides[after]),
        storage_offset + first * stride,
    )
""",
    ),
    "strides.unfold": (
        """
def unfold(sizes, strides, dimension, size, step):
    if not sizes:
        wrap_dim(dimension, 0)
        if size not in (0, 1) or step < 1:
            raise RuntimeError
        return (size,), (1,)
    new_sizes, new_strides = [*sizes, size], [*strides]
    at = wrap_dim(dimension, len(sizes))
    if not 0 <= size <= sizes[at] or step < 1:
        raise RuntimeError
    new_sizes[at] = len(range(0, sizes[at] - size + 1, step))
    new_strides.append(new_strides[at])
    new_strides[at] *= step
    return tuple(new_sizes), tuple(new_strides)
""",
        """
def unfold(sizes, strides, dimension, size, step):
    if step <= 0 or size < 0:
        raise RuntimeError("no windows")
    dimension = wrap_dim(dimension, len(sizes))
    if size > (*sizes, 1)[dimension]:
        raise RuntimeError("no room")
    if not sizes:
        return (size,), (1,)
    windows = divmod(sizes[dimension] - size, step)[0] + 1
    pairs = [*zip(sizes, strides), (size, strides[dimension])]
    pairs[dimension] = windows, strides[dimension] * step
    return tuple(zip(*pairs))
""",
    ),
}
