"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "strides.contiguous_strides": (
        """
def contiguous_strides(sizes):
    return tuple(math.prod(max(size, 1) for size in sizes[d + 1 :]) for d in range(len(sizes)))
""",
        """
from itertools import accumulate
from operator import mul


def contiguous_strides(sizes):
    if not sizes:
        return ()
    steps = accumulate((size or 1 for size in sizes[:0:-1]), mul, initial=1)
    return tuple([*steps][::-1])
""",
        """
def contiguous_strides(sizes):
    real = [size if size else 1 for size in sizes]
    left = math.prod(real)
    strides = ()
    for size in real:
        left //= size
        strides += (left,)
    return strides
""",
    ),
    "strides.compute_storage_nbytes": """
def compute_storage_nbytes(sizes, strides, itemsize, storage_offset=0):
    cells = [storage_offset]
    for size, stride in zip(sizes, strides):
        cells = [cell + i * stride for cell in cells[-1:] for i in range(size)]
    return itemsize * (max(cells) + 1) if cells else 0
""",
    "strides.is_contiguous": (
        """
def is_contiguous(sizes, strides):
    wanted = contiguous_strides(sizes)
    return 0 in sizes or all(size == 1 or a == b for size, a, b in zip(sizes, strides, wanted))
""",
        """
def is_contiguous(sizes, strides):
    walked = strided_offsets(sizes, strides)
    return walked == [*range(len(walked))]
""",
    ),
    "strides.strided_offsets": (
        """
def strided_offsets(sizes, strides, storage_offset=0):
    if not sizes:
        return [storage_offset]
    return [
        offset
        for i in range(sizes[0])
        for offset in strided_offsets(sizes[1:], strides[1:], storage_offset + i * strides[0])
    ]
""",
        """
import itertools


def strided_offsets(sizes, strides, storage_offset=0):
    indices = itertools.product(*map(range, sizes))
    return [storage_offset + sum(i * stride for i, stride in zip(index, strides)) for index in indices]
""",
        """
def strided_offsets(sizes, strides, storage_offset=0):
    steps = contiguous_strides(sizes)
    return [
        storage_offset + sum(i // step % size * stride for size, step, stride in zip(sizes, steps, strides))
        for i in range(math.prod(sizes))
    ]
""",
    ),
}
