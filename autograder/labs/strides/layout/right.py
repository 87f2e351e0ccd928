"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "strides.contiguous_strides": """
def contiguous_strides(sizes):
    return tuple(math.prod(max(size, 1) for size in sizes[d + 1 :]) for d in range(len(sizes)))
""",
    "strides.is_contiguous": """
def is_contiguous(sizes, strides):
    wanted = contiguous_strides(sizes)
    return 0 in sizes or all(size == 1 or a == b for size, a, b in zip(sizes, strides, wanted))
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
}
