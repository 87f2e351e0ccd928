def view_strides(sizes: Ints, strides: Ints, new_sizes: Ints) -> Ints | None:
    """Strides under which `new_sizes` reads the same elements in the same order, without a copy.

    Args:
        sizes, strides: geometry of the tensor, in elements; `len(sizes) == len(strides)`.
        new_sizes: the wanted sizes; the products of `sizes` and `new_sizes` are equal, no -1.
    Returns:
        tuple of ints, one per new dimension, or None if no strides do it. A new dimension of size 1 gets the
        stride `size * stride` of the new dimension to its right. (Nothing to the right: the last of `strides`,
        or 1 if there is none.) Without elements: the old strides if the sizes stay the same, else the
        contiguous strides of `new_sizes`.

    >>> view_strides((2, 3), (3, 1), (6,))
    (1,)
    >>> view_strides((3, 2), (1, 3), (6,)) is None
    True

    Source: computeStride_impl (aten/src/ATen/TensorUtils.cpp).
    """
    if not sizes:
        return (1,) * len(new_sizes)
    if 0 in sizes:
        return tuple(strides) if tuple(sizes) == tuple(new_sizes) else contiguous_strides(new_sizes)
    new_strides = [1] * len(new_sizes)
    new_d = len(new_sizes) - 1
    base_stride = strides[-1]
    group = walked = 1
    for d in reversed(range(len(sizes))):
        group *= sizes[d]
        group_ends = d == 0 or (sizes[d - 1] != 1 and strides[d - 1] != group * base_stride)
        if group_ends:
            while new_d >= 0 and (walked < group or new_sizes[new_d] == 1):
                new_strides[new_d] = walked * base_stride
                walked *= new_sizes[new_d]
                new_d -= 1
            if walked != group:
                return None
            base_stride = strides[d - 1]  # of the next group; past the last one, nobody reads it
            group = walked = 1
    return tuple(new_strides)
