"""Integer algorithms on geometry: sizes, strides and offsets.

A tensor is a view of a storage: element (i0, ..., in-1) is at `storage_offset + sum(i_d * strides[d])`.
Everything here counts in elements unless a name says bytes. Functions take and return tuples of ints, and touch no
memory. Mirrors c10/core/TensorImpl.h, c10/core/Contiguity.h and
aten/src/ATen/{TensorUtils,ExpandUtils,MemoryOverlap}.cpp.
"""

import enum
import math

Ints = tuple[int, ...]


class MemOverlap(enum.Enum):
    """The answer to "do two elements of one tensor share memory?": `at::MemOverlap` (aten/src/ATen/MemoryOverlap.h)."""

    NO = 0
    YES = 1
    TOO_HARD = 2


def wrap_dim(dim: int, ndim: int) -> int:
    """Return the dimension in [0, ndim) that `dim` names; a negative `dim` counts from the end, `ndim` 0 counts as 1.

    Raises:
        IndexError: `dim` is outside [-ndim, ndim - 1].

    >>> wrap_dim(-1, 3)
    2

    Source: c10::maybe_wrap_dim (c10/core/WrapDimMinimal.h).
    """
    span = max(ndim, 1)
    if not -span <= dim < span:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-span}, {span - 1}], but got {dim})")
    return dim % span


def contiguous_strides(sizes: Ints) -> Ints:
    """Return the strides of a contiguous tensor: the last index varies fastest, and there are no gaps.

    Args:
        sizes: (d0, ..., dn-1), elements. A size of 0 counts as 1 here. A size may be larger than any memory.
    Returns:
        tuple of ints, one stride per dimension, in elements.

    >>> contiguous_strides((2, 3, 4))
    (12, 4, 1)
    >>> contiguous_strides((2, 0, 3))
    (3, 3, 1)

    Source: TensorImpl::empty_tensor_restride (c10/core/TensorImpl.h).
    """
    strides = []
    step = 1
    for size in reversed(sizes):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def compute_storage_nbytes(sizes: Ints, strides: Ints, itemsize: int, storage_offset: int = 0) -> int:
    """Return the number of bytes that a storage needs to hold every element of this geometry.

    Args:
        sizes, strides: geometry, in elements; strides are not negative.
        itemsize: bytes of one element.
        storage_offset: elements before the first one.
    Returns:
        int, bytes counted from the start of the storage; 0 if there are no elements.

    >>> compute_storage_nbytes((2, 3), (3, 1), 4)
    24
    >>> compute_storage_nbytes((2, 2), (4, 1), 4, storage_offset=1)
    28

    Source: at::detail::computeStorageNbytes (aten/src/ATen/EmptyTensor.cpp).
    """
    if 0 in sizes:
        return 0
    last = storage_offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    return (last + 1) * itemsize


def is_contiguous(sizes: Ints, strides: Ints) -> bool:
    """Return True if reading the elements in order of their indices walks the storage one cell at a time.

    The stride of a dimension of size 1 does not matter, and a tensor without elements is contiguous.

    Args:
        sizes, strides: geometry, in elements.
    Returns:
        bool

    >>> is_contiguous((2, 3), (3, 1))
    True
    >>> is_contiguous((3, 2), (1, 3))
    False

    Source: c10::_compute_contiguous (c10/core/Contiguity.h).
    """
    if 0 in sizes:
        return True
    expected = 1
    for size, stride in zip(reversed(sizes), reversed(strides), strict=True):
        if size != 1:
            if stride != expected:
                return False
            expected *= size
    return True


def permute(sizes: Ints, strides: Ints, dims: Ints) -> tuple[Ints, Ints]:
    """Return the geometry with its dimensions in another order; no element moves.

    Args:
        sizes, strides: geometry, in elements.
        dims: dimension `d` of the result is dimension `dims[d]` of the input; negative dims count from the end.
    Returns:
        (sizes, strides), two tuples.
    Raises:
        RuntimeError: `dims` has the wrong length (this is refused first) or names a dimension twice.
        IndexError: a dim is out of range. If `dims` also names a dimension twice, either error is right.

    >>> permute((2, 3, 4), (12, 4, 1), (2, 0, -2))
    ((4, 2, 3), (1, 12, 4))

    Source: permute (aten/src/ATen/native/TensorShape.cpp).
    """
    ndim = len(sizes)
    if len(dims) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(dims)}"
        )
    order: list[int] = []
    for dim in dims:
        dim = wrap_dim(dim, ndim)
        if dim in order:
            raise RuntimeError("permute(): duplicate dims are not allowed.")
        order.append(dim)
    return tuple(sizes[d] for d in order), tuple(strides[d] for d in order)


def select(sizes: Ints, strides: Ints, storage_offset: int, dim: int, index: int) -> tuple[Ints, Ints, int]:
    """Return the geometry of `x[..., index, ...]`: one dimension fewer, and the offset of the chosen element.

    Returns:
        (sizes, strides, storage_offset)
    Raises:
        IndexError: there is no dimension to select from, or `dim` or `index` is out of range.

    >>> select((2, 3), (3, 1), 0, 0, -1)
    ((3,), (1,), 3)

    Source: select_symint (aten/src/ATen/native/TensorShape.cpp).
    """
    if not sizes:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, len(sizes))
    size = sizes[dim]
    if not -size <= index < size:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(sizes)} at dimension {dim}")
    index %= size
    return sizes[:dim] + sizes[dim + 1 :], strides[:dim] + strides[dim + 1 :], storage_offset + index * strides[dim]


def slice_dim(
    sizes: Ints,
    strides: Ints,
    storage_offset: int,
    dim: int,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> tuple[Ints, Ints, int]:
    """Return the geometry of `x[..., start:end:step, ...]`: another size, a larger stride, a new offset.

    Args:
        sizes, strides: geometry, in elements; a size may be larger than any memory.
        storage_offset: elements before the first one.
        dim: the dimension to slice; a negative `dim` counts from the end.
        start, end: as in Python. None is the start or the end, negative values count from the end, and values
            beyond either end are clamped. An empty range gives size 0 and the offset of the (clamped) `start`.
        step: at least 1.
    Returns:
        (sizes, strides, storage_offset). The stride of `dim` is `step` times the old one, whatever the size.
    Raises:
        IndexError: there is no dimension to slice, or `dim` is out of range.
        RuntimeError: `step` is not positive. If `dim` is bad too, either error is right.

    >>> slice_dim((4, 6), (6, 1), 0, 1, 1, -1, 2)
    ((4, 2), (6, 2), 1)

    Source: slice (aten/src/ATen/native/TensorShape.cpp).
    """
    if not sizes:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, len(sizes))
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    size = sizes[dim]
    start = 0 if start is None else start + size if start < 0 else start
    end = size if end is None else end + size if end < 0 else end
    start = min(max(start, 0), size)
    end = min(max(end, start), size)
    length = (end - start + step - 1) // step
    return (
        sizes[:dim] + (length,) + sizes[dim + 1 :],
        strides[:dim] + (strides[dim] * step,) + strides[dim + 1 :],
        storage_offset + start * strides[dim],
    )


def broadcast_shapes(*shapes: Ints) -> Ints:
    """Return the shape that all `shapes` broadcast to: aligned at the last dimension, with sizes of 1 expanded.

    The shapes are taken from left to right, each together with what those before it broadcast to, and of two shapes
    the dimensions from the last to the first.

    Args:
        shapes: sizes of each tensor, elements; any number of them, a missing dimension counts as size 1.
    Raises:
        RuntimeError: two sizes differ and neither is 1. The message names the first such pair that is met: "The size
            of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1", where a is what the
            shapes so far broadcast to, b the next shape, and the dimension is counted from the first of the longer one.

    >>> broadcast_shapes((3, 1), (2, 1, 4))
    (2, 3, 4)

    Source: infer_size_impl (aten/src/ATen/ExpandUtils.cpp).
    """
    result: list[int] = []
    for shape in shapes:
        result = [1] * (len(shape) - len(result)) + result
        for d in range(-1, -len(shape) - 1, -1):
            if result[d] == 1:
                result[d] = shape[d]
            elif shape[d] not in (1, result[d]):
                raise RuntimeError(
                    f"The size of tensor a ({result[d]}) must match the size of tensor b ({shape[d]}) "
                    f"at non-singleton dimension {len(result) + d}"
                )
    return tuple(result)


def expand(sizes: Ints, strides: Ints, new_sizes: Ints) -> tuple[Ints, Ints]:
    """Return a geometry that repeats dimensions of size 1 without a copy: their stride becomes 0.

    Args:
        sizes, strides: geometry, in elements.
        new_sizes: the new sizes, at least `len(sizes)` of them, aligned at the last dimension; -1 keeps the size of
            an existing dimension.
    Returns:
        (sizes, strides). An existing dimension keeps its stride if its size stays, and gets stride 0 if it is
        repeated. A new leading dimension of size 1 gets the stride `size * stride` of the result's dimension to its
        right (0 if there is none). Any other new dimension gets stride 0.
    Raises:
        RuntimeError: there are too few sizes, an existing size other than 1 would change, a new dimension is -1, or
            a size is below -1.

    >>> expand((3, 1), (1, 1), (2, 3, 4))
    ((2, 3, 4), (0, 1, 0))

    Source: inferExpandGeometry (aten/src/ATen/ExpandUtils.cpp).
    """
    extra = len(new_sizes) - len(sizes)
    if extra < 0:
        raise RuntimeError(
            f"expand(size={list(new_sizes)}): the number of sizes provided ({len(new_sizes)}) must be greater or "
            f"equal to the number of dimensions in the tensor ({len(sizes)})"
        )
    out_sizes: list[int] = [0] * len(new_sizes)
    out_strides: list[int] = [0] * len(new_sizes)
    next_stride = 0
    for d in reversed(range(len(new_sizes))):
        target = new_sizes[d]
        if d >= extra:
            size, stride = sizes[d - extra], strides[d - extra]
            target = size if target == -1 else target
        else:
            size, stride = 1, next_stride
        if target < 0:
            raise RuntimeError(
                f"The expanded size of the tensor ({target}) isn't allowed in a leading, non-existing dimension {d}"
            )
        if size != target:
            if size != 1:
                raise RuntimeError(
                    f"The expanded size of the tensor ({target}) must match the existing size ({size}) at "
                    f"non-singleton dimension {d}.  Target sizes: {list(new_sizes)}.  Tensor sizes: {list(sizes)}"
                )
            stride = 0
        out_sizes[d], out_strides[d] = target, stride
        next_stride = target * stride
    return tuple(out_sizes), tuple(out_strides)


def infer_size(shape: Ints, numel: int) -> Ints:
    """Return `shape`, with a -1 replaced by the size that makes the product `numel`.

    Args:
        shape: the new sizes; at most one is -1.
        numel: number of elements; it may be more than any memory holds.
    Returns:
        tuple of ints whose product is `numel`.
    Raises:
        RuntimeError: there are two -1, a size is below -1, the product can't be `numel`, or there are no elements and
            a -1 is next to a size of 0 (any value would fit).

    >>> infer_size((2, -1), 6)
    (2, 3)

    Source: infer_size_impl (aten/src/ATen/InferSize.h).
    """
    inferred = None
    known = 1
    for d, size in enumerate(shape):
        if size == -1:
            if inferred is not None:
                raise RuntimeError("only one dimension can be inferred")
            inferred = d
        elif size < 0:
            raise RuntimeError(f"invalid shape dimension {size} at index {d} of shape {list(shape)}")
        else:
            known *= size
    fits = known == numel if inferred is None or known == 0 else numel % known == 0
    if not fits:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    if inferred is None:
        return tuple(shape)
    if known == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension "
            "size -1 can be any value and is ambiguous"
        )
    return tuple(numel // known if d == inferred else size for d, size in enumerate(shape))


def view_strides(sizes: Ints, strides: Ints, new_sizes: Ints) -> Ints | None:
    """Return strides for `new_sizes` that read the same elements in the same order, without a copy.

    Args:
        sizes, strides: geometry of the tensor, in elements; `len(sizes) == len(strides)`.
        new_sizes: the new sizes, without -1; the products of `sizes` and `new_sizes` are equal.
    Returns:
        tuple of ints, one per new dimension, or None if there are no such strides. A new dimension of size 1 gets the
        stride `size * stride` of the new dimension to its right. If there is none to its right, it gets the last of
        `strides`, or 1 without `strides`. Without elements: the old strides if the sizes stay the same, else the
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
            base_stride = strides[d - 1]  # of the next group; after the last group nothing reads it
            group = walked = 1
    return tuple(new_strides)


def unfold(sizes: Ints, strides: Ints, dimension: int, size: int, step: int) -> tuple[Ints, Ints]:
    """Return the geometry of all windows of `size` elements along `dimension`, which begin `step` elements apart.

    The windows overlap in memory when `step < size`; nothing is copied.

    Args:
        sizes, strides: geometry, in elements; a size may be larger than any memory.
        dimension: the dimension to cut; a negative one counts from the end.
        size: elements in a window, 0 to the size of the dimension.
        step: elements between the starts of two windows, at least 1.
    Returns:
        (sizes, strides). `dimension` now counts the windows: its stride is `step` times the old one, whatever the
        number of windows. A new last dimension walks within a window. A tensor without dimensions counts as one
        dimension of size 1, but its only window is not counted: ((size,), (1,)).
    Raises:
        IndexError: `dimension` is out of range; without dimensions, 0 and -1 are in range.
        RuntimeError: `size` is negative or larger than the dimension, or `step` is not positive. If `dimension` is
            bad too, either error is right.

    >>> unfold((6,), (1,), 0, 3, 2)
    ((2, 3), (2, 1))

    Source: unfold (aten/src/ATen/native/TensorShape.cpp).
    """
    dimension = wrap_dim(dimension, len(sizes))
    longest = sizes[dimension] if sizes else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > longest:
        raise RuntimeError(f"maximum size for tensor at dimension {dimension} is {longest} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not sizes:
        return (size,), (1,)
    windows = (longest - size) // step + 1
    return (
        sizes[:dimension] + (windows,) + sizes[dimension + 1 :] + (size,),
        strides[:dimension] + (strides[dimension] * step,) + strides[dimension + 1 :] + (strides[dimension],),
    )


def has_internal_overlap(sizes: Ints, strides: Ints) -> MemOverlap:
    """Decide whether two indices reach the same element in memory, which an in-place write would write twice.

    This is hard to decide for every geometry, so only the cheap cases are decided.

    Args:
        sizes, strides: geometry, in elements.
    Returns:
        MemOverlap.NO if there are no elements, or if some order of the dimensions is contiguous (then each cell is
        used once; dimensions of size 1 are ignored). Else MemOverlap.YES if a dimension of size 2 or more has stride
        0. Else MemOverlap.TOO_HARD.

    >>> has_internal_overlap((2, 3), (3, 1))
    <MemOverlap.NO: 0>
    >>> has_internal_overlap((2, 3), (0, 1))
    <MemOverlap.YES: 1>

    Source: at::has_internal_overlap (aten/src/ATen/MemoryOverlap.cpp).
    """
    if 0 in sizes:
        return MemOverlap.NO
    expected = 1
    dense, expanded = True, False
    for stride, size in sorted((stride, size) for size, stride in zip(sizes, strides, strict=True) if size > 1):
        dense = dense and stride == expected
        expanded = expanded or stride == 0
        expected *= size
    if dense:
        return MemOverlap.NO
    return MemOverlap.YES if expanded else MemOverlap.TOO_HARD


def is_non_overlapping_and_dense(sizes: Ints, strides: Ints) -> bool:
    """Return True if some order of the dimensions is contiguous: every cell from first to last is used once.

    A tensor without elements counts too.

    >>> is_non_overlapping_and_dense((3, 2), (1, 3))
    True

    Source: c10::_compute_non_overlapping_and_dense (c10/core/Contiguity.h).
    """
    return has_internal_overlap(sizes, strides) is MemOverlap.NO


def has_partial_overlap(a: tuple[Ints, Ints, int], b: tuple[Ints, Ints, int]) -> bool:
    """Return True if two dense geometries (sizes, strides, storage_offset) of a storage overlap only in part.

    Geometries with gaps are too hard to decide: False.

    >>> has_partial_overlap(((3,), (1,), 0), ((3,), (1,), 1))
    True

    Source: at::get_overlap_status (aten/src/ATen/MemoryOverlap.cpp).
    """
    (a_sizes, a_strides, a_first), (b_sizes, b_strides, b_first) = a, b
    if 0 in a_sizes or 0 in b_sizes:
        return False
    if not (is_non_overlapping_and_dense(a_sizes, a_strides) and is_non_overlapping_and_dense(b_sizes, b_strides)):
        return False
    a_end, b_end = a_first + math.prod(a_sizes), b_first + math.prod(b_sizes)
    if (a_first, a_end) == (b_first, b_end):
        return a_strides != b_strides
    return a_first < b_end and b_first < a_end


def coalesce_dims(sizes: Ints, *operands: Ints) -> tuple[Ints, ...]:
    """Return an equivalent loop with as few dimensions as all operands allow.

    Dimensions of size 1 are dropped. Two neighbors are merged if `outer stride == inner stride * inner size` for every
    operand: a step off the end of the inner one lands where the outer one steps next. The merged dimension has the
    product of their sizes and the strides of the inner one.

    Args:
        sizes: (d0, ..., dn-1), elements; 0 is a size like any other, to which the same rule applies.
        operands: strides of each tensor that is walked, in elements, as long as `sizes`; without operands all
            dimensions become one.
    Returns:
        (sizes, strides of the first operand, strides of the second, ...), each a tuple; all () if no dimension is left.

    >>> coalesce_dims((2, 3, 4), (12, 4, 1), (12, 4, 1))
    ((24,), (1,), (1,))
    >>> coalesce_dims((2, 3, 4), (12, 4, 1), (3, 1, 6))
    ((6, 4), (4, 1), (1, 6))

    Source: TensorIteratorBase::coalesce_dimensions (aten/src/ATen/TensorIterator.cpp).
    """
    merged: list[list[int]] = []
    for size, *steps in zip(sizes, *operands, strict=True):
        if size == 1:
            continue
        if merged and all(outer == inner * size for outer, inner in zip(merged[-1][1:], steps, strict=True)):
            merged[-1] = [merged[-1][0] * size, *steps]
        else:
            merged.append([size, *steps])
    return tuple(zip(*merged, strict=True)) if merged else ((),) * (1 + len(operands))


def strided_offsets(sizes: Ints, strides: Ints, storage_offset: int = 0) -> list[int]:
    """Return the storage offset of each element, in index order (the last index varies fastest).

    Args:
        sizes, strides: geometry, in elements.
        storage_offset: elements before the first one.
    Returns:
        list of `prod(sizes)` ints. A tensor without dimensions has one element; a size of 0 gives none.

    >>> strided_offsets((2, 3), (1, 2), 10)
    [10, 12, 14, 11, 13, 15]

    Source: the plain form of DimCounter (aten/src/ATen/TensorIterator.cpp).
    """
    offsets = []
    index = [0] * len(sizes)
    offset = storage_offset
    for _ in range(math.prod(sizes)):
        offsets.append(offset)
        for d in reversed(range(len(sizes))):
            index[d] += 1
            offset += strides[d]
            if index[d] < sizes[d]:
                break
            offset -= sizes[d] * strides[d]
            index[d] = 0
    return offsets


def channels_last_strides(sizes: Ints) -> Ints:
    """Return the strides of a (batch, channels, height, width) tensor whose channels are adjacent in memory.

    >>> channels_last_strides((2, 3, 4, 5))
    (60, 1, 15, 3)

    Source: get_channels_last_strides_2d (c10/core/MemoryFormat.h).
    """
    _, channels, height, width = sizes
    return (channels * height * width, 1, channels * width, channels)


def is_channels_last(sizes: Ints, strides: Ints) -> bool:
    """Return True if a tensor has the strides of `channels_last_strides`; dimensions of size 1 do not matter.

    >>> is_channels_last((2, 3, 4, 5), (60, 1, 15, 3))
    True

    Source: c10::_compute_channels_last_contiguous_2d (c10/core/MemoryFormat.h), which does not check first whether
    there are any elements.
    """
    if len(sizes) != 4:
        return False
    expected = 1
    for d in (1, 3, 2, 0):
        if sizes[d] != 1:
            if strides[d] != expected:
                return False
            expected *= sizes[d]
    return True


def infer_dense_strides(sizes: Ints, strides: Ints) -> Ints:
    """Return the strides of a dense copy that keeps the order of the dimensions in memory.

    So a channels_last tensor with gaps becomes a channels_last tensor without gaps.

    Args:
        sizes, strides: geometry of the original, in elements.
    Returns:
        tuple of ints. The order of the dimensions, from innermost to outermost, starts as (n-1, ..., 0). A dimension
        of stride 0 keeps its position. The others are sorted among the remaining positions: a smaller stride goes
        further inside; of equal strides, the smaller size goes further inside; equal in both, they keep their order.
        Then each stride is the product of the sizes further inside, where a size of 0 counts as 1. All of this is
        true for a dimension of size 1 too, and for an original that is already dense.

    >>> infer_dense_strides((2, 3), (1, 4))
    (1, 2)
    >>> infer_dense_strides((2, 3), (6, 2)), infer_dense_strides((1, 3), (99, 1))
    ((3, 1), (3, 1))

    Source: infer_dense_strides (aten/src/ATen/ExpandUtils.cpp).
    """
    places = range(len(sizes) - 1, -1, -1)
    moving = sorted((d for d in places if strides[d]), key=lambda d: (strides[d], sizes[d]))
    order = [moving.pop(0) if strides[d] else d for d in places]
    dense = [0] * len(sizes)
    step = 1
    for d in order:
        dense[d] = step
        step *= max(sizes[d], 1)
    return tuple(dense)
