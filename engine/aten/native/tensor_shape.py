"""View operators: another geometry over the same storage. Nothing here reads or writes an element.

Mirrors aten/src/ATen/native/TensorShape.cpp. The arithmetic is `engine/strides.py`; memos keep what it says of a
geometry that returns, and are outside of it because it is taught as it is.
"""

import functools

from ... import strides as geometry
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at

MEMORY = 4096  # geometries that a memo keeps


def alias(self: Tensor) -> Tensor:
    """Return a new tensor with the same storage, geometry and version counter."""
    return self._alias(self._sizes, self._strides, self._storage_offset)


def lift_fresh(self: Tensor) -> Tensor:
    """Return `self`: by this operator a mode sees a tensor that was just made from data."""
    return self


def detach(self: Tensor) -> Tensor:
    """Return a view of `self` without its autograd history; share the storage and the version counter."""
    return self._alias(self._sizes, self._strides, self._storage_offset)


def detach_(self: Tensor) -> Tensor:
    """Return `self`; the autograd kernel detaches it from the graph."""
    return self


# ---- any geometry


def as_strided_tensorimpl(self: Tensor, size: Ints, stride: Ints, storage_offset: int | None) -> Tensor:
    """Return a view of the storage with any sizes, strides and offset, as long as every element is inside the storage.

    Args:
        size, stride: new geometry, in elements.
        storage_offset: elements before the first one; the offset of `self` if None.
    Raises:
        RuntimeError: sizes and strides differ in number, one is negative, or the storage is too small.
    """
    offset = _checked_offset(self, size, stride, storage_offset)
    _require_within_storage(self, size, stride, offset)
    return self._alias(size, stride, offset)


def as_strided_tensorimpl_meta(self: Tensor, size: Ints, stride: Ints, storage_offset: int | None) -> Tensor:
    """Return `as_strided` of a meta tensor, which has no storage bounds to check."""
    return self._alias(size, stride, _checked_offset(self, size, stride, storage_offset))


def as_strided_(self: Tensor, size: Ints, stride: Ints, storage_offset: int | None) -> Tensor:
    """Change the geometry of `self` in place, like `as_strided`."""
    offset = _checked_offset(self, size, stride, storage_offset)
    if self.device.type != "meta":
        _require_within_storage(self, size, stride, offset)
    self._sizes, self._strides, self._storage_offset = size, stride, offset
    return self


def _checked_offset(self: Tensor, size: Ints, stride: Ints, storage_offset: int | None) -> int:
    offset = self._storage_offset if storage_offset is None else storage_offset
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if stride and min(stride) < 0:
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if size and min(size) < 0:
        raise RuntimeError(f"as_strided: sizes must not be negative, got sizes: {list(size)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    return offset


def _require_within_storage(self: Tensor, size: Ints, stride: Ints, offset: int) -> None:
    itemsize = self._dtype.itemsize
    needed = geometry.compute_storage_nbytes(size, stride, itemsize, offset)
    if needed > self._storage.nbytes():
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
            f"{itemsize} requiring a storage size of {needed} are out of bounds for storage of size "
            f"{self._storage.nbytes()}"
        )


# ---- parts of a dimension


def select(self: Tensor, dim: int, index: int) -> Tensor:
    """Return the view `x[..., index, ...]`, with one dimension fewer.

    Raises:
        IndexError: there is no dimension, or `dim` or `index` is out of range.
    """
    sizes, strides, skipped = _selected(self._sizes, self._strides, dim, index)
    return self._alias(sizes, strides, self._storage_offset + skipped)


@functools.lru_cache(MEMORY)
def _selected(sizes: Ints, strides: Ints, dim: int, index: int) -> tuple[Ints, Ints, int]:
    return geometry.select(sizes, strides, 0, dim, index)


def slice(self: Tensor, dim: int, start: int | None, end: int | None, step: int) -> Tensor:
    """Return the view `x[..., start:end:step, ...]`.

    Raises:
        IndexError: there is no dimension, or `dim` is out of range.
        RuntimeError: `step` is not positive.
    """
    sizes, strides, skipped = _sliced(self._sizes, self._strides, dim, start, end, step)
    return self._alias(sizes, strides, self._storage_offset + skipped)


@functools.lru_cache(MEMORY)
def _sliced(
    sizes: Ints, strides: Ints, dim: int, start: int | None, end: int | None, step: int
) -> tuple[Ints, Ints, int]:
    return geometry.slice_dim(sizes, strides, 0, dim, start, end, step)


def narrow(self: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return `length` entries of dimension `dim` from `start` on; a negative `start` counts from the end.

    Raises:
        IndexError: `dim` or `start` is out of range.
        RuntimeError: no dimension, a negative length, or one that reaches past the end.
    """
    if not self._sizes:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    size = self._sizes[geometry.wrap_dim(dim, len(self._sizes))]
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    start = start + size if start < 0 else start
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return at.slice_Tensor(self, dim, start, start + length, 1)


def narrow_tensor(self: Tensor, dim: int, start: Tensor, length: int) -> Tensor:
    """Return `narrow` with the start taken from a 0-dim integer tensor.

    Raises:
        RuntimeError: `start` has dimensions, or is not an integer; and as `narrow`.
    """
    if start._sizes or start._dtype.numpy.kind != "i":
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    return at.narrow(self, dim, at.item(start), length)


def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Return windows of `size` elements along a dimension, `step` apart, laid out along a new last dimension.

    Raises:
        IndexError: `dimension` is out of range.
        RuntimeError: `size` is negative or larger than the dimension, or `step` is not positive.
    """
    sizes, strides = geometry.unfold(self._sizes, self._strides, dimension, size, step)
    return self._alias(sizes, strides, self._storage_offset)


def diagonal(self: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """Return a view of the elements with `index[dim2] - index[dim1] == offset`, in a new last dimension.

    Raises:
        IndexError: a dimension is out of range.
        RuntimeError: the two dimensions are the same.
    """
    sizes, strides, skipped = _diagonal_geometry(self._sizes, self._strides, offset, dim1, dim2)
    return self._alias(sizes, strides, self._storage_offset + skipped)


@functools.lru_cache(MEMORY)
def _diagonal_geometry(sizes: Ints, strides: Ints, offset: int, dim1: int, dim2: int) -> tuple[Ints, Ints, int]:
    """Return the sizes and strides of a diagonal, and its offset in elements from the start of the tensor."""
    ndim = len(sizes)
    first, second = geometry.wrap_dim(dim1, ndim), geometry.wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    rows, columns = sizes[first], sizes[second]
    length = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    skipped = offset * strides[second] if offset >= 0 else -offset * strides[first]
    rest = [d for d in range(ndim) if d not in (first, second)]
    return (
        (*(sizes[d] for d in rest), length),
        (*(strides[d] for d in rest), strides[first] + strides[second]),
        skipped if length else 0,
    )


# ---- dimensions of size 1


def unsqueeze(self: Tensor, dim: int) -> Tensor:
    """Insert a new dimension of size 1 at position `dim`.

    Raises:
        IndexError: `dim` is out of range.
    """
    sizes, strides = _unsqueezed(self._sizes, self._strides, dim)
    return self._alias(sizes, strides, self._storage_offset)


def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """Change the geometry of `self` in place, like `unsqueeze`."""
    self._sizes, self._strides = _unsqueezed(self._sizes, self._strides, dim)
    return self


@functools.lru_cache(MEMORY)
def _unsqueezed(sizes: Ints, strides: Ints, dim: int) -> tuple[Ints, Ints]:
    dim = geometry.wrap_dim(dim, len(sizes) + 1)
    step = sizes[dim] * strides[dim] if dim < len(sizes) else 1
    return (*sizes[:dim], 1, *sizes[dim:]), (*strides[:dim], step, *strides[dim:])


def squeeze(self: Tensor) -> Tensor:
    """Drop the dimensions of size 1."""
    sizes, strides = _squeezed(self._sizes, self._strides, None)
    return self._alias(sizes, strides, self._storage_offset)


def squeeze_dim(self: Tensor, dim: int) -> Tensor:
    """Drop the dimension `dim`, if its size is 1.

    Raises:
        IndexError: `dim` is out of range.
    """
    sizes, strides = _squeezed(self._sizes, self._strides, (dim,))
    return self._alias(sizes, strides, self._storage_offset)


def squeeze_dims(self: Tensor, dim: Ints) -> Tensor:
    """Drop each of the dimensions `dim` whose size is 1.

    Raises:
        IndexError: a dimension is out of range.
        RuntimeError: `dim` names one twice.
    """
    sizes, strides = _squeezed(self._sizes, self._strides, dim)
    return self._alias(sizes, strides, self._storage_offset)


def squeeze_(self: Tensor) -> Tensor:
    """Change the geometry of `self` in place, like `squeeze`."""
    self._sizes, self._strides = _squeezed(self._sizes, self._strides, None)
    return self


def squeeze__dim(self: Tensor, dim: int) -> Tensor:
    """Change the geometry of `self` in place, like `squeeze` of one dimension."""
    self._sizes, self._strides = _squeezed(self._sizes, self._strides, (dim,))
    return self


def squeeze__dims(self: Tensor, dim: Ints) -> Tensor:
    """Change the geometry of `self` in place, like `squeeze` of several dimensions."""
    self._sizes, self._strides = _squeezed(self._sizes, self._strides, dim)
    return self


@functools.lru_cache(MEMORY)
def _squeezed(sizes: Ints, strides: Ints, dim: Ints | None) -> tuple[Ints, Ints]:
    ndim = len(sizes)
    dims: list[int] = []
    for d in range(ndim) if dim is None else dim:
        d = geometry.wrap_dim(d, ndim)
        if d in dims:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        dims.append(d)
    kept = [d for d in range(ndim) if d not in dims or sizes[d] != 1]
    return tuple(sizes[d] for d in kept), tuple(strides[d] for d in kept)
