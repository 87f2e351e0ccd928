"""Preparation of the indices of `index` and `index_put_`: masks become positions, and all are broadcast.

Mirrors aten/src/ATen/native/IndexingUtils.h and AdvancedIndex of TensorAdvancedIndexing.cpp.
"""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from ... import strides as geometry
from ...dtypes import CPU, bool_, int32, int64
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..iterator_geometry import expand_strides, fast_setup_strides, reorder_dimensions, strides_of_order

Indices = Sequence[Tensor | None]


class IndexGeometry(NamedTuple):
    """The geometry of `self[indices]`: everything that follows from the sizes and strides of `self` and the indices.

    Args:
        sizes, strides: of the result, and of `self` with the same sizes: along the dimensions of the indices it
            does not move (stride 0).
        before, shape: number of dimensions before the indexed ones, and the sizes of the indices.
        indexed_sizes, indexed_strides: of the dimensions of `self` that are indexed.
        index_strides: of each index over `shape`.
        output_strides: of a new result.
        plans: what a kernel remembers, by the strides of what it reads from or writes to `self`.
    """

    sizes: Ints
    strides: Ints
    before: int
    shape: Ints
    indexed_sizes: Ints
    indexed_strides: Ints
    index_strides: tuple[Ints, ...]
    output_strides: Ints
    plans: dict[Ints, Any]


class AdvancedIndex(NamedTuple):
    """A prepared `self[indices]`: `self`, the int64 index tensors in the order of their dimensions, and a geometry."""

    src: Tensor
    indices: tuple[Tensor, ...]
    geometry: IndexGeometry


def make_info(self: Tensor, indices: Indices) -> AdvancedIndex:
    """Return the prepared form of `self[indices]`, where None selects a whole dimension.

    Raises:
        IndexError: a dtype that is not an index, a mask with a shape unlike what it masks, too many indices, shapes
            that do not broadcast, or a position in a dimension of size 0.
        RuntimeError: an index that is neither on the device of `self` nor on the CPU, or none is a tensor.
    """
    device = self._storage.device
    for index in indices:
        if index is not None and (index._dtype is not int64 or index._storage.device is not device):
            indices = expand_masks(self, [None if index is None else _beside(self, index) for index in indices])
            break
    entries = tuple([None if index is None else (index._sizes, index._strides) for index in indices])
    walk = index_geometry(self._sizes, self._strides, entries)
    return AdvancedIndex(self, tuple([index for index in indices if index is not None]), walk)


@functools.lru_cache(4096)
def index_geometry(sizes: Ints, strides: Ints, entries: tuple[tuple[Ints, Ints] | None, ...]) -> IndexGeometry:
    """Return the geometry of `self[indices]`; raise like `make_info`.

    Dimensions that are indexed side by side are replaced in place; if others are between them, in front.

    Args:
        sizes, strides: of `self`.
        entries: sizes and strides of each index, None for a dimension that is taken as it is.
    """
    there = [d for d, entry in enumerate(entries) if entry is not None]
    given = [entry for entry in entries if entry is not None]
    if not given:
        raise RuntimeError("at least one of the indices must be a tensor")
    try:
        shape = geometry.broadcast_shapes(*(index_sizes for index_sizes, _ in given))
    except RuntimeError:
        shapes = ", ".join(str(list(index_sizes)) for index_sizes, _ in given)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None
    before = there[0] if there else 0
    if there and there[-1] - before + 1 != len(there):
        order = (*there, *(d for d in range(len(sizes)) if d not in there))
        sizes, strides = tuple(sizes[d] for d in order), tuple(strides[d] for d in order)
        before = 0
    after = before + len(there)
    indexed = sizes[before:after]
    if 0 in indexed and 0 not in shape:
        raise IndexError("index is out of bounds for dimension with size 0")
    expanded = tuple(geometry.expand(*entry, shape)[1] for entry in given)
    result = (*sizes[:before], *shape, *sizes[after:])
    walked = (*strides[:before], *(0,) * len(shape), *strides[after:])
    around = (1,) * before, (1,) * (len(sizes) - after)
    operands = [_reshape_indexer(shape, index_strides, *around) for index_strides in expanded]
    made = output_strides(result, walked, *operands)
    return IndexGeometry(result, walked, before, shape, indexed, strides[before:after], expanded, made, {})


def _reshape_indexer(shape: Ints, strides: Ints, before: Ints, after: Ints) -> tuple[Ints, Ints]:
    sizes = (*before, *shape, *after)
    reshaped = geometry.view_strides(shape, strides, sizes)
    assert reshaped is not None  # sizes of 1 fit any geometry
    return sizes, reshaped


def output_strides(shape: Ints, src_strides: Ints, *indices: tuple[Ints, Ints]) -> Ints:
    """Return the strides that TensorIterator gives an output for the restrided `self` and the indices."""
    if all(sizes == shape for sizes, _ in indices):
        dense = fast_setup_strides(shape, [src_strides, *(strides for _, strides in indices)])
        if dense is not None:
            return dense
    steps = [expand_strides(sizes, strides, shape) for sizes, strides in ((shape, src_strides), *indices)]
    return strides_of_order(shape, reorder_dimensions(shape, steps))


@functools.lru_cache(4096)
def expanded_strides(sizes: Ints, strides: Ints, shape: Ints) -> Ints:
    """Return the strides of a tensor expanded to `shape`."""
    return geometry.expand(sizes, strides, shape)[1]


def _beside(self: Tensor, index: Tensor) -> Tensor:
    """Return the index on the device of `self`, copied there if it is on the CPU."""
    device = self._storage.device
    if index._storage.device is device:
        return index
    if index._storage.device is not CPU:
        raise RuntimeError(
            f"indices should be either on cpu or on the same device as the indexed tensor ({device}), "
            f"but got one on {index._storage.device}"
        )
    return at._to_copy(index, device=device)


def expand_masks(self: Tensor, indices: Indices) -> list[Tensor | None]:
    """Return the indices as int64: a bool tensor of n dimensions becomes n tensors of the positions where it is True.

    Source: checkIndexTensorTypes, expandTensors.
    """
    expanded: list[Tensor | None] = []
    for index in indices:
        if index is not None and index._dtype is bool_:
            check_mask(self, index, len(expanded))
            places = at.nonzero(index)
            count, columns = places._sizes
            step, across = places._strides
            expanded += [places._alias((count,), (step,), places._storage_offset + d * across) for d in range(columns)]
        elif index is not None and index._dtype not in (int64, int32):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        else:
            is_int32 = index is not None and index._dtype is int32
            expanded.append(at._to_copy(index, dtype=int64) if is_int32 else index)
    if len(expanded) > len(self._sizes):
        raise IndexError(f"too many indices for tensor of dimension {len(self._sizes)} (got {len(expanded)})")
    return expanded


def check_mask(self: Tensor, mask: Tensor, first: int) -> None:
    """Check that a mask is of the same shape as the dimensions of `self` that it indexes, starting at `first`.

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
