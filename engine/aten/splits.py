"""Views that cut a dimension into several tensors: split, chunk, unbind.

Mirrors aten/src/ATen/native/TensorShape.cpp.
"""

import operator
from collections.abc import Sequence

from .. import strides as geometry
from ..tensor_impl import Tensor
from .factories import as_sizes
from .registry import op
from .views import select, slice_


@op("split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]")
def split(self: Tensor, split_size: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of `split_size` entries along a dimension (the last may be smaller), or of the sizes in a list.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: no dimension, a negative size, sizes that do not add up, or size 0 for a dimension that has
            entries.
    """
    if isinstance(split_size, (tuple, list)):
        return split_with_sizes(self, split_size, dim)
    split_size = operator.index(split_size)  # type: ignore[arg-type]  # a sequence was dealt with
    if not self._sizes:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    size = self._sizes[geometry.wrap_dim(dim, len(self._sizes))]
    if split_size == 0:
        if size:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
        return (slice_(self, dim, 0, 0),)
    starts = range(0, size, split_size) or range(1)
    return tuple(slice_(self, dim, start, min(start + split_size, size)) for start in starts)


@op("split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]")
def split_with_sizes(self: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of the given sizes along a dimension.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: no dimension, a negative size, or sizes that do not add up to the dimension's.
    """
    if not self._sizes:
        raise RuntimeError("split_with_sizes expects at least a 1-dimensional tensor")
    sizes = as_sizes(split_sizes)
    dim = geometry.wrap_dim(dim, len(self._sizes))
    if any(size < 0 for size in sizes):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={list(sizes)}"
        )
    if sum(sizes) != self._sizes[dim]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {self._sizes[dim]} (input tensor's size at "
            f"dimension {dim}), but got split_sizes={list(sizes)}"
        )
    ends = [sum(sizes[: k + 1]) for k in range(len(sizes))]
    return tuple(slice_(self, dim, end - size, end) for size, end in zip(sizes, ends, strict=True))


@op("chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]")
def chunk(self: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` parts along a dimension, all of one size but the last.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: no dimension, or fewer than one chunk.
    """
    if not self._sizes:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if operator.index(chunks) <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = self._sizes[geometry.wrap_dim(dim, len(self._sizes))]
    if size == 0:
        return split_with_sizes(self, (0,) * chunks, dim)
    return split(self, -(-size // chunks), dim)


@op("unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]")
def unbind(self: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Each entry of a dimension as a tensor with one dimension fewer.

    Raises:
        IndexError: `dim` is out of range, or there is no dimension.
    """
    if not self._sizes:
        geometry.wrap_dim(dim, 0)
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    dim = geometry.wrap_dim(dim, len(self._sizes))
    return tuple(select(self, dim, index) for index in range(self._sizes[dim]))
