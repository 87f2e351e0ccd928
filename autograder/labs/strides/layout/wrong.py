"""Wrong answers to the exercises about layout."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

CONTIGUOUS_STRIDES = "strides.contiguous_strides"
COMPUTE_STORAGE_NBYTES = "strides.compute_storage_nbytes"
IS_CONTIGUOUS = "strides.is_contiguous"
STRIDED_OFFSETS = "strides.strided_offsets"

WRONG_ANSWERS = (
    WrongAnswer(CONTIGUOUS_STRIDES, "a size of 0 makes the strides to its left 0", ("ordinary", "edge"), (
        """
strides = []
step = 1
""",
        "strides, step = [], 1",
        "step *= max(size, 1)",
        "step *= size",
    )),
    WrongAnswer(CONTIGUOUS_STRIDES, "a product with a 0 in it counts as 1", ("ordinary", "edge"), """
def contiguous_strides(sizes):
    return tuple(max(math.prod(sizes[i + 1 :]), 1) for i in range(len(sizes)))
"""),
    WrongAnswer(CONTIGUOUS_STRIDES, "the function of lab 0", ("ordinary", "edge"), """
def contiguous_strides(sizes):
    strides, step = [], 1
    for size in reversed(sizes):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))
"""),
    WrongAnswer(CONTIGUOUS_STRIDES, "those of an array of NumPy", ("ordinary", "edge"), """
def contiguous_strides(sizes):
    import numpy
    return numpy.empty(sizes, numpy.int8).strides
"""),
    WrongAnswer(CONTIGUOUS_STRIDES, "the last `reversed` is forgotten", ("ordinary", "edge"), (
        """
strides = []
step = 1
""",
        "strides, step = [], 1",
        "return tuple(reversed(strides))",
        "return tuple(strides)",
    )),
    WrongAnswer(CONTIGUOUS_STRIDES, "the first dimension moves fastest", ("ordinary", "edge"), """
def contiguous_strides(sizes):
    strides, step = [], 1
    for size in sizes:
        strides.append(step)
        step *= max(size, 1)
    return tuple(strides)
"""),
    WrongAnswer(CONTIGUOUS_STRIDES, "fails without dimensions", ("edge",), """
def contiguous_strides(sizes):
    strides = [1] * len(sizes)
    strides[-1] = 1
    for d in range(len(sizes) - 2, -1, -1):
        strides[d] = strides[d + 1] * max(sizes[d + 1], 1)
    return tuple(strides)
"""),
    WrongAnswer(CONTIGUOUS_STRIDES, "a list", ("ordinary", "edge"), """
def contiguous_strides(sizes):
    strides, step = [], 1
    for size in reversed(sizes):
        strides.insert(0, step)
        step *= max(size, 1)
    return strides
"""),
    WrongAnswer(CONTIGUOUS_STRIDES, "written out for up to five dimensions", ("ordinary",), """
def contiguous_strides(sizes):
    b, c, d, e = [max(size, 1) for size in (*sizes[1:], 1, 1, 1, 1)[:4]]
    return (b * c * d * e, c * d * e, d * e, e, 1)[: len(sizes)]
"""),
    WrongAnswer(CONTIGUOUS_STRIDES, "the product so far is a float", ("edge",), (
        "step = 1",
        "step = 1.0",
        "strides.append(step)",
        "strides.append(int(step))",
    )),
    WrongAnswer(CONTIGUOUS_STRIDES, "divides the number of elements with /", ("edge",), """
def contiguous_strides(sizes):
    strides, left = [], math.prod(max(size, 1) for size in sizes)
    for size in sizes:
        left = int(left / max(size, 1))
        strides.append(left)
    return tuple(strides)
"""),
    WrongAnswer(COMPUTE_STORAGE_NBYTES, "counts elements, not cells", ("ordinary", "edge"), """
def compute_storage_nbytes(sizes, strides, itemsize, storage_offset=0):
    return (storage_offset + math.prod(sizes)) * itemsize
"""),
    WrongAnswer(COMPUTE_STORAGE_NBYTES, "no elements still need the cells before the offset", ("edge",), """
def compute_storage_nbytes(sizes, strides, itemsize, storage_offset=0):
    if 0 in sizes:
        return storage_offset * itemsize
    return (storage_offset + 1 + sum((n - 1) * s for n, s in zip(sizes, strides))) * itemsize
"""),
    WrongAnswer(COMPUTE_STORAGE_NBYTES, "forgets the offset", ("edge",), (
        """
last = storage_offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
return (last + 1) * itemsize
""",
        "return (1 + sum((n - 1) * s for n, s in zip(sizes, strides))) * itemsize",
    )),
    WrongAnswer(COMPUTE_STORAGE_NBYTES, "counts the gap after the last element", ("ordinary", "edge"), (
        """
last = storage_offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
return (last + 1) * itemsize
""",
        """
cells = max([n * s for n, s in zip(sizes, strides)] + [1])
return (storage_offset + cells) * itemsize
""",
    )),
    WrongAnswer(COMPUTE_STORAGE_NBYTES, "an offset in bytes", ("edge",), (
        """
last = storage_offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
return (last + 1) * itemsize
""",
        "return storage_offset + (1 + sum((n - 1) * s for n, s in zip(sizes, strides))) * itemsize",
    )),
    WrongAnswer(COMPUTE_STORAGE_NBYTES, "counts in floats", ("edge",), (
        """
last = storage_offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
return (last + 1) * itemsize
""",
        """
last = sum((size - 1) * float(stride) for size, stride in zip(sizes, strides))
return int((storage_offset + last + 1) * itemsize)
""",
    )),
    WrongAnswer(IS_CONTIGUOUS, "the stride of a dimension of size 1 matters", ("edge",), """
def is_contiguous(sizes, strides):
    if 0 in sizes:
        return True
    expected = 1
    for size, stride in zip(reversed(sizes), reversed(strides)):
        if stride != expected:
            return False
        expected *= size
    return True
"""),
    WrongAnswer(IS_CONTIGUOUS, "a tensor without elements is compared too", ("edge",), (
        """
if 0 in sizes:
    return True
expected = 1
""",
        "expected = 1",
        "for size, stride in zip(reversed(sizes), reversed(strides), strict=True):",
        "for size, stride in zip(reversed(sizes), reversed(strides)):",
    )),
    WrongAnswer(IS_CONTIGUOUS, "only asks whether the strides fall", ("ordinary", "edge"), """
def is_contiguous(sizes, strides):
    return 0 in sizes or list(strides) == sorted(strides, reverse=True)
"""),
    WrongAnswer(IS_CONTIGUOUS, "compares numbers by identity", ("ordinary",), (
        "for size, stride in zip(reversed(sizes), reversed(strides), strict=True):",
        "for size, stride in zip(reversed(sizes), reversed(strides)):",
        "if stride != expected:",
        "if stride is not expected:",
    )),
    WrongAnswer(IS_CONTIGUOUS, "only asks whether no cell is left out", ("ordinary", "edge"), """
def is_contiguous(sizes, strides):
    return 0 in sizes or 1 + sum((n - 1) * s for n, s in zip(sizes, strides)) == math.prod(sizes)
"""),
    WrongAnswer(IS_CONTIGUOUS, "looks at the last cell and at whether the strides fall", ("ordinary",), """
def is_contiguous(sizes, strides):
    if 0 in sizes:
        return True
    steps = [(size, stride) for size, stride in zip(sizes, strides) if size != 1]
    falling = all(outer[1] > inner[1] for outer, inner in zip(steps, steps[1:]))
    return falling and sum((size - 1) * stride for size, stride in steps) == math.prod(sizes) - 1
"""),
    WrongAnswer(IS_CONTIGUOUS, "divides two strides and drops the remainder", ("ordinary",), """
def is_contiguous(sizes, strides):
    steps = [(size, stride) for size, stride in zip(sizes, strides) if size != 1]
    if 0 in sizes or not steps:
        return True
    if steps[-1][1] != 1:
        return False
    return all(inner[1] and outer[1] // inner[1] == inner[0] for outer, inner in zip(steps, steps[1:]))
"""),
    WrongAnswer(IS_CONTIGUOUS, "divides a stride by a size and drops the remainder", ("ordinary",), """
def is_contiguous(sizes, strides):
    steps = [(size, stride) for size, stride in zip(sizes, strides) if size != 1]
    if 0 in sizes or not steps:
        return True
    if steps[-1][1] != 1:
        return False
    return all(outer[1] // inner[0] == inner[1] for outer, inner in zip(steps, steps[1:]))
"""),
    WrongAnswer(STRIDED_OFFSETS, "the first index moves fastest", ("ordinary", "edge"), """
def strided_offsets(sizes, strides, storage_offset=0):
    offsets = [storage_offset]
    for size, stride in zip(sizes, strides):
        offsets = [offset + i * stride for i in range(size) for offset in offsets]
    return offsets
"""),
    WrongAnswer(STRIDED_OFFSETS, "the cells in the order of memory", ("ordinary", "edge"), """
def strided_offsets(sizes, strides, storage_offset=0):
    offsets = [storage_offset]
    for size, stride in zip(sizes, strides):
        offsets = [offset + i * stride for offset in offsets for i in range(size)]
    return sorted(offsets)
"""),
    WrongAnswer(STRIDED_OFFSETS, "no elements give one offset", ("edge",), """
def strided_offsets(sizes, strides, storage_offset=0):
    offsets = [storage_offset]
    for size, stride in zip(sizes, strides):
        offsets = [offset + i * stride for offset in offsets for i in range(max(size, 1))]
    return offsets
"""),
    WrongAnswer(STRIDED_OFFSETS, "forgets the offset", ("ordinary", "edge"), """
def strided_offsets(sizes, strides, storage_offset=0):
    offsets = [0]
    for size, stride in zip(sizes, strides):
        offsets = [offset + i * stride for offset in offsets for i in range(size)]
    return offsets
"""),
    WrongAnswer(STRIDED_OFFSETS, "nothing without dimensions", ("edge",), """
def strided_offsets(sizes, strides, storage_offset=0):
    if not sizes:
        return []
    offsets = [storage_offset]
    for size, stride in zip(sizes, strides):
        offsets = [offset + i * stride for offset in offsets for i in range(size)]
    return offsets
"""),
    WrongAnswer(STRIDED_OFFSETS, "an index that runs over is set back a step too little", ("ordinary", "edge"), (
        "offset -= sizes[d] * strides[d]",
        "offset -= (sizes[d] - 1) * strides[d]",
    )),
    WrongAnswer(STRIDED_OFFSETS, "a cell that is reached twice is given once", ("ordinary", "edge"), (
        "return offsets",
        "return list(dict.fromkeys(offsets))",
    )),
    WrongAnswer(STRIDED_OFFSETS, "counts in floats", ("edge",), (
        "offset = storage_offset",
        "offset = float(storage_offset)",
        "offsets.append(offset)",
        "offsets.append(int(offset))",
    )),
    WrongAnswer(STRIDED_OFFSETS, "a loop for each of at most four dimensions", ("ordinary",), """
def strided_offsets(sizes, strides, storage_offset=0):
    a, b, c, d = (1, 1, 1, 1)[len(sizes) :] + sizes[:4]
    p, q, r, s = (0, 0, 0, 0)[len(sizes) :] + strides[:4]
    start = storage_offset
    return [
        start + i * p + j * q + k * r + m * s for i in range(a) for j in range(b) for k in range(c) for m in range(d)
    ]
"""),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        "strides.is_contiguous", "if size != 1:", "if size > 1:",
        "sizes are not negative, and a size of 0 has returned before",
    ),
    Equivalent(
        "strides.strided_offsets", "if index[d] < sizes[d]:", "if index[d] != sizes[d]:",
        "an index grows by 1 and is set back when it reaches the size: it never passes it",
    ),
)  # fmt: skip
