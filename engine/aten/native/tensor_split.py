"""View operators that cut a dimension into several tensors: split, chunk, tensor_split, unbind.

Mirrors aten/src/ATen/native/TensorShape.cpp.
"""

from itertools import accumulate, pairwise

from ... import strides as geometry
from ...dtypes import int64
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..type_promotion import SCALAR_TYPE_NAMES

Tensors = tuple[Tensor, ...]


def split_Tensor(self: Tensor, split_size: int, dim: int) -> Tensors:
    """Split a dimension into parts of `split_size` entries; the last part may be smaller.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: no dimension, a negative size, or size 0 for a dimension that has entries.
    """
    if not self._sizes:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    size = self._sizes[geometry.wrap_dim(dim, len(self._sizes))]
    if split_size == 0:
        if size:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
        return (at.slice_Tensor(self, dim, 0, 0, 1),)
    starts = range(0, size, split_size) or range(1)
    return tuple(at.slice_Tensor(self, dim, start, min(start + split_size, size), 1) for start in starts)


def split_with_sizes(self: Tensor, split_sizes: Ints, dim: int) -> Tensors:
    """Split a dimension into parts of the given sizes.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: no dimension, a negative size, or sizes that do not add up to the dimension's.
    """
    if not self._sizes:
        raise RuntimeError("split_with_sizes expects at least a 1-dimensional tensor")
    dim = geometry.wrap_dim(dim, len(self._sizes))
    if any(size < 0 for size in split_sizes):
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={list(split_sizes)}"
        )
    if sum(split_sizes) != self._sizes[dim]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {self._sizes[dim]} (input tensor's size at "
            f"dimension {dim}), but got split_sizes={list(split_sizes)}"
        )
    ends = accumulate(split_sizes, initial=0)
    return tuple(at.slice_Tensor(self, dim, start, end, 1) for start, end in pairwise(ends))


def chunk(self: Tensor, chunks: int, dim: int) -> Tensors:
    """Split a dimension into at most `chunks` parts of equal size, except that the last may be smaller.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: no dimension, or fewer than one chunk.
    """
    if not self._sizes:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = self._sizes[geometry.wrap_dim(dim, len(self._sizes))]
    if size == 0:
        return at.split_with_sizes(self, (0,) * chunks, dim)
    return at.split_Tensor(self, -(-size // chunks), dim)


def tensor_split_sections(self: Tensor, sections: int, dim: int) -> Tensors:
    """Split a dimension into exactly `sections` parts whose sizes differ by at most one, the larger ones first.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: no dimension, or fewer than one section.
    """
    dim = _dim_to_split(self, dim)
    if sections <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
    least, larger = divmod(self._sizes[dim], sections)
    ends = accumulate((least + (part < larger) for part in range(sections)), initial=0)
    return tuple(at.slice_Tensor(self, dim, start, end, 1) for start, end in pairwise(ends))


def tensor_split_indices(self: Tensor, indices: Ints, dim: int) -> Tensors:
    """Split a dimension before each index in `indices`; the indices act as slice bounds.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: no dimension.
    """
    dim = _dim_to_split(self, dim)
    bounds = (0, *indices, self._sizes[dim])
    return tuple(at.slice_Tensor(self, dim, start, end, 1) for start, end in pairwise(bounds))


def tensor_split_tensor_indices_or_sections(self: Tensor, tensor_indices_or_sections: Tensor, dim: int) -> Tensors:
    """Call `tensor_split` with a tensor: 0-dim for the number of sections, 1-dim for the indices.

    Raises:
        IndexError, RuntimeError: as the other two; RuntimeError also for any other tensor.
    """
    _dim_to_split(self, dim)
    given, ndim = tensor_indices_or_sections, len(tensor_indices_or_sections._sizes)
    wanted = "tensor_split expected tensor_indices_or_sections to"
    if given._storage.device.type != "cpu":
        raise RuntimeError(f"{wanted} be on cpu, but it's on {given._storage.device}")
    if given._dtype is not int64:
        raise RuntimeError(f"{wanted} have dtype of long, but got {SCALAR_TYPE_NAMES[given._dtype]}")
    if ndim > 1:
        raise RuntimeError(
            f"{wanted} be a zero-dimensional or one-dimensional tensor, but got a tensor with {ndim} dims"
        )
    if ndim == 0:
        return at.tensor_split_sections(self, at.item(given), dim)
    return at.tensor_split_indices(self, tuple(given.tolist()), dim)


def _dim_to_split(self: Tensor, dim: int) -> int:
    if not self._sizes:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    return geometry.wrap_dim(dim, len(self._sizes))


def unbind(self: Tensor, dim: int) -> Tensors:
    """Return all slices along a dimension, each with one dimension fewer.

    Raises:
        IndexError: `dim` is out of range, or there is no dimension.
    """
    if not self._sizes:
        geometry.wrap_dim(dim, 0)
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    dim = geometry.wrap_dim(dim, len(self._sizes))
    return tuple(at.select_int(self, dim, index) for index in range(self._sizes[dim]))
