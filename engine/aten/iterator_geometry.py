"""The order in which an elementwise operation walks memory, and the strides of what it makes.

Pure functions of sizes and strides; the walk over several operands is best in the order in which most of their
memory is laid out, and a new output takes that order too. Mirrors the functions of the same names in
aten/src/ATen/TensorIterator.cpp, which counts dimensions from the innermost one; so does `perm` here.
"""

from collections.abc import Sequence

from .. import strides as geometry
from ..strides import Ints


def expand_strides(sizes: Ints, strides: Ints, shape: Ints) -> Ints:
    """Return an operand's strides when broadcast to `shape`: a missing or expanded dimension has stride 0.

    >>> expand_strides((3, 1), (1, 1), (2, 3, 4))
    (0, 1, 0)

    Source: TensorIteratorBase::compute_strides.
    """
    missing = len(shape) - len(sizes)
    walked = zip(sizes, strides, shape[missing:], strict=True)
    return (0,) * missing + tuple(0 if size == 1 and wanted != 1 else step for size, step, wanted in walked)


def should_swap(shape: Ints, operands: Sequence[Ints], dim0: int, dim1: int, is_reduction: bool = False) -> int:
    """Return 1 if `dim0` belongs outside `dim1`, -1 if inside, else 0: the first operand with a preference decides.

    A stride of 0 has none. Of two strides the smaller belongs inside; if they are equal, a larger `dim0` belongs
    outside. In a reduction, dimensions along which the output stays where it is belong inside.

    Args:
        operands: strides of each over `shape`, in elements, the output first.
    Returns:
        1 to swap, -1 to leave them, 0 if no operand decides.

    Source: the lambda of that name in TensorIteratorBase::reorder_dimensions.
    """
    for index, strides in enumerate(operands):
        stride0, stride1 = strides[dim0], strides[dim1]
        if is_reduction and index == 0 and (stride0 == 0) != (stride1 == 0):
            return 1 if stride1 == 0 else -1
        if stride0 == 0 or stride1 == 0:
            continue
        if stride0 != stride1:
            return 1 if stride0 > stride1 else -1
        if shape[dim0] > shape[dim1]:
            return 1
    return 0


def reorder_dimensions(shape: Ints, operands: Sequence[Ints], is_reduction: bool = False) -> Ints:
    """Return the order of dimensions, innermost first, that traverses memory as sequentially as possible.

    An insertion sort of the list n-1, ..., 0. Each of its entries, from the second on, is compared with those further
    inside, from the nearest to the first of the list: `should_swap(shape, operands, that one, it, is_reduction)`.
    If the answer is 1, the two change places; if it is -1, the entry has found its place; if it is 0, the entry stays
    for now, but is compared with the next one further inside. The order of the two dims matters: where `should_swap`
    says 0 for a pair, it may say 1 for the same pair the other way round.

    Args:
        shape: sizes of the loop, elements.
        operands: strides of each operand over `shape`, in elements, the output first.
        is_reduction: passed on to `should_swap`.
    Returns:
        tuple of dims

    >>> reorder_dimensions((2, 3, 4), [(1, 8, 2)])
    (0, 2, 1)

    Source: TensorIteratorBase::reorder_dimensions (aten/src/ATen/TensorIterator.cpp).
    """
    perm = list(reversed(range(len(shape))))
    for place in range(1, len(perm)):
        moving = place
        for other in reversed(range(place)):
            verdict = should_swap(shape, operands, perm[other], perm[moving], is_reduction)
            if verdict < 0:
                break
            if verdict > 0:
                perm[other], perm[moving] = perm[moving], perm[other]
                moving = other
    return tuple(perm)


def strides_of_order(shape: Ints, perm: Ints) -> Ints:
    """Return the strides of a new output whose dimensions are in the order `perm` in memory, innermost first.

    As PyTorch's, a size of 0 makes the strides further outside 0, but in the usual order they are contiguous.

    >>> strides_of_order((2, 3, 4), (0, 2, 1))
    (1, 8, 2)

    Source: compatible_stride, invert_perm in TensorIteratorBase::allocate_or_resize_outputs.
    """
    if perm == tuple(reversed(range(len(shape)))):
        return geometry.contiguous_strides(shape)
    strides, step = [0] * len(shape), 1
    for d in perm:
        strides[d] = step
        step *= shape[d]
    return tuple(strides)


def fast_setup_strides(shape: Ints, operands: Sequence[Ints]) -> Ints | None:
    """Return the strides of a new output without reordering dimensions, if all operands share a dense layout.

    Args:
        shape: sizes of every operand.
        operands: strides of each, at least one.
    Returns:
        contiguous or channels_last strides if all have these, their own strides if those are the same and dense;
        None if there is no such layout.

    Source: TensorIteratorBase::compute_fast_setup_type, fast_set_up.
    """
    if all(geometry.is_contiguous(shape, strides) for strides in operands):
        return geometry.contiguous_strides(shape)
    if all(geometry.is_channels_last(shape, strides) for strides in operands):
        return geometry.channels_last_strides(shape)
    if all(strides == operands[-1] for strides in operands) and (
        geometry.is_non_overlapping_and_dense(shape, operands[-1])
    ):
        return operands[-1]
    return None


def loop_over(shape: Ints, operands: Sequence[Ints], perm: Ints) -> tuple[Ints, tuple[Ints, ...]]:
    """Return the loop over `shape` in the order `perm`, coalesced to as few dimensions as possible, but at least one.

    Returns:
        (sizes, strides of each operand), innermost last.
    """
    outermost_first = tuple(reversed(perm))
    sizes, *strides = geometry.coalesce_dims(*(tuple(row[d] for d in outermost_first) for row in (shape, *operands)))
    if not sizes:
        return (1,), ((0,),) * len(operands)
    return sizes, tuple(strides)
