"""What `index` and `index_put_` make of their indices: masks become positions, all of them broadcast.

Mirrors aten/src/ATen/native/IndexingUtils.h and AdvancedIndex of TensorAdvancedIndexing.cpp.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ... import strides as geometry
from ...dtypes import bool_, int32, int64
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at

Indices = Sequence[Tensor | None]


class AdvancedIndex(NamedTuple):
    """`self` and the indices, walked together.

    Args:
        src: `self` with the sizes of the result; along the dimensions of the indices it stands still (stride 0).
        indices: int64 tensors that broadcast to the sizes of the result.
        sizes, strides: of the dimensions of `self` that are indexed, in elements.
        dims_before: how many dimensions of the result stand before those of the indices.
        replacement: sizes of the indices.
    """

    src: Tensor
    indices: tuple[Tensor, ...]
    sizes: Ints
    strides: Ints
    dims_before: int
    replacement: Ints


def make_info(self: Tensor, indices: Indices) -> AdvancedIndex:
    """The walk of `self[indices]`, where None takes a dimension as it is.

    Dimensions that are indexed side by side are replaced in place; if others stand between them, in front.

    Raises:
        IndexError: a dtype that is no index, a mask of another shape than what it masks, too many indices, shapes that
            do not broadcast, or a position in a dimension of size 0.
    """
    expanded = expand_masks(self, indices)
    defined = [index for index in expanded if index is not None]
    try:
        shape = geometry.broadcast_shapes(*(index._sizes for index in defined))
    except RuntimeError:
        shapes = ", ".join(str(list(index._sizes)) for index in defined)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None
    full = [None if index is None else _as_positions(index, shape) for index in expanded]
    full += [None] * (len(self._sizes) - len(full))
    if not has_contiguous_subspace(full):
        order = sorted(range(len(full)), key=lambda d: full[d] is None)
        self, full = at.permute(self, tuple(order)), [full[d] for d in order]
    return _advanced_index(self, full, shape)


def _as_positions(index: Tensor, shape: Ints) -> Tensor:
    if index._sizes != shape:
        index = at.expand(index, shape)
    return index if index._dtype is int64 else at._to_copy(index, dtype=int64)


def expand_masks(self: Tensor, indices: Indices) -> list[Tensor | None]:
    """The indices with each bool tensor of n dimensions replaced by n tensors of the positions where it is True.

    Source: checkIndexTensorTypes, expandTensors.
    """
    expanded: list[Tensor | None] = []
    for index in indices:
        if index is not None and index._dtype is bool_:
            check_mask(self, index, len(expanded))
            expanded += at.unbind_int(at.nonzero(index), 1)
        elif index is not None and index._dtype not in (int64, int32):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        else:
            expanded.append(index)
    if len(expanded) > len(self._sizes):
        raise IndexError(f"too many indices for tensor of dimension {len(self._sizes)} (got {len(expanded)})")
    return expanded


def check_mask(self: Tensor, mask: Tensor, first: int) -> None:
    """A mask must be as large as the dimensions of `self` from `first` on that it stands for.

    Raises:
        IndexError: it is not.
    """
    for d, size in enumerate(mask._sizes):
        if first + d >= len(self._sizes):
            raise IndexError(f"too many indices for tensor of dimension {len(self._sizes)}")
        if size != self._sizes[first + d]:
            raise IndexError(
                f"The shape of the mask {list(mask._sizes)} at index {d} does not match the shape of the indexed "
                f"tensor {list(self._sizes)} at index {first + d}"
            )


def has_contiguous_subspace(indices: Indices) -> bool:
    """Whether the indices that are no None stand side by side."""
    there = [d for d, index in enumerate(indices) if index is not None]
    return not there or there[-1] - there[0] + 1 == len(there)


def _advanced_index(self: Tensor, indices: Indices, shape: Ints) -> AdvancedIndex:
    there = [d for d, index in enumerate(indices) if index is not None]
    before, after = there[0] if there else 0, there[-1] + 1 if there else 0
    sizes, strides = self._sizes[before:after], self._strides[before:after]
    if 0 in sizes and 0 not in shape:
        raise IndexError("index is out of bounds for dimension with size 0")
    src = self._alias(
        (*self._sizes[:before], *shape, *self._sizes[after:]),
        (*self._strides[:before], *(0,) * len(shape), *self._strides[after:]),
        self._storage_offset,
    )
    around = (1,) * before, (1,) * (len(self._sizes) - after)
    reshaped = tuple(_reshape_indexer(index, *around) for index in indices if index is not None)
    return AdvancedIndex(src, reshaped, sizes, strides, before, shape)


def _reshape_indexer(index: Tensor, before: Ints, after: Ints) -> Tensor:
    sizes = (*before, *index._sizes, *after)
    strides = geometry.view_strides(index._sizes, index._strides, sizes)
    assert strides is not None  # sizes of 1 fit any geometry
    return index._alias(sizes, strides, index._storage_offset)
