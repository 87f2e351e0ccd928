"""View operators that read the same elements in the same order with other sizes: view, reshape, flatten.

Mirrors aten/src/ATen/native/TensorShape.cpp and view_dtype of aten/src/ATen/native/TensorConversions.cpp.
"""

import functools
import math

from ... import dtypes
from ... import strides as geometry
from ...dispatch.local import is_subclass_like
from ...strides import Ints
from ...tensor_impl import Tensor, is_contiguous
from ..at import at
from ..type_promotion import SCALAR_TYPE_NAMES

MEMORY = 4096  # geometries that a memo keeps


def view(self: Tensor, size: Ints) -> Tensor:
    """Return a view of `self` with other sizes; never copy.

    Raises:
        RuntimeError: the number of elements differs, or no strides read them in the same order.
    """
    sizes, strides = _viewed(self._sizes, self._strides, size)
    if strides is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
            "two contiguous subspaces). Use .reshape(...) instead."
        )
    return self._alias(sizes, strides, self._storage_offset)


def view_copy(self: Tensor, size: Ints) -> Tensor:
    """Return a contiguous copy with other sizes, also where `view` would refuse them for the strides."""
    return at.clone(at.reshape(self, size), memory_format=dtypes.contiguous_format)


@functools.lru_cache(MEMORY)
def _viewed(sizes: Ints, strides: Ints, wanted: Ints) -> tuple[Ints, Ints | None]:
    """Return `wanted` with its -1 replaced, and the strides that read these sizes without a copy, or None."""
    inferred = geometry.infer_size(wanted, math.prod(sizes))
    return inferred, geometry.view_strides(sizes, strides, inferred)


def _unsafe_view(self: Tensor, size: Ints) -> Tensor:
    """Return `view` of a tensor that nobody else holds: it counts as a new one, with a version of its own."""
    seen = view(self, size)
    return Tensor(
        seen._storage, seen._sizes, seen._strides, seen._storage_offset, seen._dtype, seen._key_set, seen._elements
    )


def _reshape_alias(self: Tensor, size: Ints, stride: Ints) -> Tensor:
    """Return the view of a geometry that `reshape` has found to fit."""
    return self._alias(size, stride, self._storage_offset)


def reshape(self: Tensor, shape: Ints) -> Tensor:
    """Return `self` with another shape: a view if the strides allow it, else a contiguous copy.

    Raises:
        RuntimeError: the number of elements differs.
    """
    if is_contiguous(self._sizes, self._strides):
        return at.view(self, shape)
    sizes, strides = _viewed(self._sizes, self._strides, shape)
    if strides is not None:
        return at.view(self, shape) if is_subclass_like(self) else at._reshape_alias(self, sizes, strides)
    return at._unsafe_view(at.clone(self, memory_format=dtypes.contiguous_format), sizes)


def view_as(self: Tensor, other: Tensor) -> Tensor:
    """Return a view of `self` with the sizes of `other`."""
    return at.view(self, other._sizes)


def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """Reshape `self` to the sizes of `other`."""
    return at.reshape(self, other._sizes)


def flatten(self: Tensor, start_dim: int, end_dim: int) -> Tensor:
    """Merge the dimensions from `start_dim` to `end_dim`, both included, into one.

    Raises:
        IndexError: a dimension is out of range.
        RuntimeError: the first comes after the last.
    """
    ndim = len(self._sizes)
    first, last = geometry.wrap_dim(start_dim, ndim), geometry.wrap_dim(end_dim, ndim)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not ndim:
        return at.reshape(self, (1,))
    if first == last:
        return self
    merged = math.prod(self._sizes[first : last + 1])
    return at.reshape(self, (*self._sizes[:first], merged, *self._sizes[last + 1 :]))


def unflatten(self: Tensor, dim: int, sizes: Ints) -> Tensor:
    """Split one dimension into several; one of `sizes` may be -1.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: no sizes, or their product is not the size of the dimension.
    """
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    dim = geometry.wrap_dim(dim, len(self._sizes))
    if not self._sizes:
        raise RuntimeError("unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions")
    size = self._sizes[dim]
    try:
        inferred = geometry.infer_size(sizes, size)
    except RuntimeError as error:
        if "is invalid for input of size" not in str(error):
            raise RuntimeError(f"unflatten got an unexpected error:\n{error}") from None
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({size}) in the "
            "input tensor"
        ) from None
    return at.view(self, (*self._sizes[:dim], *inferred, *self._sizes[dim + 1 :]))


def ravel(self: Tensor) -> Tensor:
    """Flatten `self` to one dimension: a view if it is contiguous, else a copy."""
    return at.view(at.contiguous(self), (-1,) if self.numel() else (0,))


# ---- the same bytes read as another dtype


def view_dtype(self: Tensor, dtype: dtypes.dtype) -> Tensor:
    """Return a view of the same bytes as another dtype. The last dimension grows or shrinks if the itemsize differs.

    Raises:
        RuntimeError: the itemsize differs, and the elements are not adjacent in runs of its multiple.
    """
    sizes, strides, offset = self._sizes, self._strides, self._storage_offset
    old, new = self._dtype.itemsize, dtype.itemsize
    if old != new:
        names = f"{SCALAR_TYPE_NAMES[self._dtype]} as {SCALAR_TYPE_NAMES[dtype]} (different element sizes)"
        if not sizes:
            raise RuntimeError(f"self.dim() cannot be 0 to view {names}")
        if strides[-1] != 1:
            raise RuntimeError(f"self.stride(-1) must be 1 to view {names}, but got {strides[-1]}")
    if old > new:
        grown = old // new
        sizes, offset = (*sizes[:-1], sizes[-1] * grown), offset * grown
        strides = (*(stride * grown for stride in strides[:-1]), 1)
    elif old < new:
        sizes, strides, offset = _geometry_of_wider(sizes, strides, offset, new // old, names)
    return Tensor(self._storage, sizes, strides, offset, dtype, self._key_set, None, self._shared_version())


def _geometry_of_wider(sizes: Ints, strides: Ints, offset: int, ratio: int, names: str) -> tuple[Ints, Ints, int]:
    """Return the geometry in elements that are `ratio` times as wide; their last dimension is dense."""
    asked = {"size(-1)": sizes[-1], "storage_offset()": offset}
    asked |= {f"stride({d})": stride for d, stride in enumerate(strides[:-1])}
    for name, number in asked.items():
        if number % ratio:
            raise RuntimeError(f"self.{name} must be divisible by {ratio} to view {names}, but got {number}")
    return (
        (*sizes[:-1], sizes[-1] // ratio),
        (*(stride // ratio for stride in strides[:-1]), 1),
        offset // ratio,
    )
