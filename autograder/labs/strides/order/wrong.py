"""Wrong answers to strides.has_internal_overlap, strides.infer_dense_strides."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

HAS_INTERNAL_OVERLAP = "strides.has_internal_overlap"
DENSE = "strides.infer_dense_strides"
WALKED = "for stride, size in sorted(((stride, size) for size, stride in zip(sizes, strides) if size {} 1)):"
OVERWRITTEN = "every entry is overwritten before it is read: only the length of the list counts"

WRONG_ANSWERS = (
    WrongAnswer(HAS_INTERNAL_OVERLAP, "only the given order of the dimensions counts", ("ordinary", "edge"), """
def has_internal_overlap(sizes, strides):
    if is_contiguous(sizes, strides):
        return MemOverlap.NO
    if any(stride == 0 and size > 1 for size, stride in zip(sizes, strides)):
        return MemOverlap.YES
    return MemOverlap.TOO_HARD
"""),
    WrongAnswer(HAS_INTERNAL_OVERLAP, "stride 0 overlaps even with one element", ("edge",), """
def has_internal_overlap(sizes, strides):
    if 0 in strides:
        return MemOverlap.YES
    expected = 1
    for stride, size in sorted((s, n) for n, s in zip(sizes, strides) if n > 1):
        if stride != expected:
            return MemOverlap.TOO_HARD
        expected *= size
    return MemOverlap.NO
"""),
    WrongAnswer(HAS_INTERNAL_OVERLAP, "cells left out are taken for no overlap", ("ordinary", "edge"), """
def has_internal_overlap(sizes, strides):
    if any(stride == 0 and size > 1 for size, stride in zip(sizes, strides)):
        return MemOverlap.YES
    reach = 1
    for stride, size in sorted((s, n) for n, s in zip(sizes, strides) if n > 1):
        if stride < reach:
            return MemOverlap.TOO_HARD
        reach += (size - 1) * stride
    return MemOverlap.NO
"""),
    WrongAnswer(HAS_INTERNAL_OVERLAP, "says it in words", ("ordinary", "edge"), """
def has_internal_overlap(sizes, strides):
    expected, dense = 1, True
    for stride, size in sorted((s, n) for n, s in zip(sizes, strides) if n > 1):
        dense = dense and stride == expected
        expected *= size
    if dense:
        return "NO"
    return "YES" if any(s == 0 and n > 1 for n, s in zip(sizes, strides)) else "TOO_HARD"
"""),
    WrongAnswer(HAS_INTERNAL_OVERLAP, "a dimension of size 0 is ignored, the others still count", ("edge",), """
def has_internal_overlap(sizes, strides):
    expected, dense = 1, True
    for stride, size in sorted((s, n) for n, s in zip(sizes, strides) if n > 1):
        dense = dense and stride == expected
        expected *= size
    if dense:
        return MemOverlap.NO
    return MemOverlap.YES if any(s == 0 and n > 1 for n, s in zip(sizes, strides)) else MemOverlap.TOO_HARD
"""),
    WrongAnswer(HAS_INTERNAL_OVERLAP, "compares numbers by identity", ("ordinary", "edge"), """
def has_internal_overlap(sizes, strides):
    expected, dense = 1, True
    for stride, size in sorted((s, n) for n, s in zip(sizes, strides) if n > 1):
        dense = dense and stride is expected
        expected *= size
    if dense:
        return MemOverlap.NO
    return MemOverlap.YES if any(s == 0 and n > 1 for n, s in zip(sizes, strides)) else MemOverlap.TOO_HARD
"""),
    WrongAnswer(HAS_INTERNAL_OVERLAP, "looks at the last cell only", ("ordinary", "edge"), """
def has_internal_overlap(sizes, strides):
    steps = [(size, stride) for size, stride in zip(sizes, strides) if size > 1]
    if any(stride == 0 for _, stride in steps):
        return MemOverlap.YES
    cells = 1 + sum((size - 1) * stride for size, stride in steps)
    return MemOverlap.NO if cells == math.prod(size for size, _ in steps) else MemOverlap.TOO_HARD
"""),
    WrongAnswer(HAS_INTERNAL_OVERLAP, "divides two strides and drops the remainder", ("ordinary", "edge"), """
def has_internal_overlap(sizes, strides):
    steps = sorted((stride, size) for size, stride in zip(sizes, strides) if size > 1)
    if 0 in sizes or not steps:
        return MemOverlap.NO
    if steps[0][0] == 0:
        return MemOverlap.YES
    dense = all(outer[0] // inner[0] == inner[1] for inner, outer in zip(steps, steps[1:]))
    return MemOverlap.NO if steps[0][0] == 1 and dense else MemOverlap.TOO_HARD
"""),
    WrongAnswer(HAS_INTERNAL_OVERLAP, "windows that overlap are YES", ("ordinary", "edge"), """
def has_internal_overlap(sizes, strides):
    cells = sorted(strided_offsets(sizes, strides))
    if cells == list(range(len(cells))):
        return MemOverlap.NO
    return MemOverlap.YES if len(set(cells)) < len(cells) else MemOverlap.TOO_HARD
"""),
    WrongAnswer(DENSE, "a dense original keeps its strides", ("edge",), (
        "places = range(len(sizes) - 1, -1, -1)",
        """
if is_non_overlapping_and_dense(sizes, strides):
    return strides
places = range(len(sizes) - 1, -1, -1)
""",
    )),
    WrongAnswer(DENSE, "stride and size in one number", ("edge",), (
        "moving = sorted((d for d in places if strides[d]), key=lambda d: (strides[d], sizes[d]))",
        "moving = sorted((d for d in places if strides[d]), key=lambda d: 1000 * strides[d] + sizes[d])",
    )),
    WrongAnswer(DENSE, "of equal strides the larger size goes inside", ("ties",), (
        "moving = sorted((d for d in places if strides[d]), key=lambda d: (strides[d], sizes[d]))",
        "moving = sorted((d for d in places if strides[d]), key=lambda d: (strides[d], -sizes[d]))",
    )),
    WrongAnswer(DENSE, "contiguous strides, whatever the order", ("ordinary", "edge", "ties"), """
def infer_dense_strides(sizes, strides):
    return contiguous_strides(sizes)
"""),
    WrongAnswer(DENSE, "sorted by stride alone, from the first dimension", ("ties",), """
def infer_dense_strides(sizes, strides):
    dense, step = [0] * len(sizes), 1
    for d in sorted(range(len(sizes)), key=lambda d: strides[d]):
        dense[d] = step
        step *= max(sizes[d], 1)
    return tuple(dense)
"""),
    WrongAnswer(DENSE, "dimensions of stride 0 go innermost", ("ties",), """
def infer_dense_strides(sizes, strides):
    dense, step = [0] * len(sizes), 1
    for d in sorted(reversed(range(len(sizes))), key=lambda d: (strides[d], sizes[d])):
        dense[d] = step
        step *= max(sizes[d], 1)
    return tuple(dense)
"""),
    WrongAnswer(DENSE, "a size of 0 makes the strides outside it 0", ("edge",), """
def infer_dense_strides(sizes, strides):
    places = range(len(sizes) - 1, -1, -1)
    moving = sorted((d for d in places if strides[d]), key=lambda d: (strides[d], sizes[d]))
    dense, step = [0] * len(sizes), 1
    for place in places:
        d = moving.pop(0) if strides[place] else place
        dense[d] = step
        step *= sizes[d]
    return tuple(dense)
"""),
    WrongAnswer(DENSE, "sorts the strides and loses whose they were", ("ordinary", "edge", "ties"), """
def infer_dense_strides(sizes, strides):
    return tuple(sorted(contiguous_strides(sizes), reverse=True))
"""),
    WrongAnswer(DENSE, "the walk stops at a stride of 0", ("ties",), """
def infer_dense_strides(sizes, strides):
    order = list(reversed(range(len(sizes))))
    for i in range(1, len(order)):
        while i and strides[order[i - 1]] and strides[order[i]]:
            a, b = order[i - 1], order[i]
            if (strides[a], sizes[a]) <= (strides[b], sizes[b]):
                break
            order[i - 1], order[i] = b, a
            i -= 1
    dense, step = [0] * len(sizes), 1
    for d in order:
        dense[d] = step
        step *= max(sizes[d], 1)
    return tuple(dense)
"""),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        "strides.has_internal_overlap", "expanded = expanded or stride == 0", "expanded = expanded or stride <= 0",
        "strides are not negative",
    ),
    Equivalent(
        "strides.has_internal_overlap", WALKED.format(">"), WALKED.format("!="), "a size of 0 has returned before",
    ),
    Equivalent(DENSE, "dense = [0] * len(sizes)", "dense = [1] * len(sizes)", OVERWRITTEN),
    Equivalent(DENSE, "dense = [0] * len(sizes)", "dense = [-1] * len(sizes)", OVERWRITTEN),
)  # fmt: skip
