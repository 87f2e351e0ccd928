"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
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
}
