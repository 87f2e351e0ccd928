"""View operators that put the dimensions in another order.

Mirrors the transposes of aten/src/ATen/native/TensorShape.cpp. The arithmetic is `engine/strides.py`.
"""

import functools

from ... import strides as geometry
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at

MEMORY = 4096  # geometries that a memo keeps


def permute(self: Tensor, dims: Ints) -> Tensor:
    """Return a view with the dimensions in another order: dimension `d` of the result is dimension `dims[d]` of `self`.

    Nothing is copied. `geometry.permute(sizes, strides, dims)` gives the geometry.
    `self._alias(sizes, strides, storage_offset)` makes a tensor with the same storage, dtype and version counter and
    another geometry. The result is a new tensor even if no dimension moves, and `self` keeps its geometry.

    Args:
        self: has the geometry `self._sizes`, `self._strides`, `self._storage_offset`, in elements.
    Raises:
        IndexError: a dimension is out of range.
        RuntimeError: `dims` has the wrong length, or names a dimension twice. If there are several faults, the first
            that `geometry.permute` finds is raised.

    Source: permute, alias_with_sizes_and_strides (aten/src/ATen/native/TensorShape.cpp).
    """
    sizes, strides = _permuted(self._sizes, self._strides, dims)
    return self._alias(sizes, strides, self._storage_offset)


def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Return a view with two dimensions swapped.

    Raises:
        IndexError: a dimension is out of range.
    """
    sizes, strides = _transposed(self._sizes, self._strides, dim0, dim1)
    return self._alias(sizes, strides, self._storage_offset)


def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Change the geometry of `self` in place, like `transpose`."""
    self._sizes, self._strides = _transposed(self._sizes, self._strides, dim0, dim1)
    return self


@functools.lru_cache(MEMORY)
def _permuted(sizes: Ints, strides: Ints, dims: Ints) -> tuple[Ints, Ints]:
    return geometry.permute(sizes, strides, dims)


@functools.lru_cache(MEMORY)
def _transposed(sizes: Ints, strides: Ints, dim0: int, dim1: int) -> tuple[Ints, Ints]:
    ndim = len(sizes)
    dim0, dim1 = geometry.wrap_dim(dim0, ndim), geometry.wrap_dim(dim1, ndim)
    order = list(range(ndim))
    if ndim:
        order[dim0], order[dim1] = dim1, dim0
    return geometry.permute(sizes, strides, tuple(order))


# ---- the exchange that follows from the number of dimensions


def t(self: Tensor) -> Tensor:
    """Transpose a matrix; leave a tensor with fewer dimensions as it is.

    Raises:
        RuntimeError: more than two dimensions.
    """
    _require_matrix(self, "t")
    return transpose(self, 0, 0 if len(self._sizes) < 2 else 1)


def t_(self: Tensor) -> Tensor:
    """Change the geometry of `self` in place, like `t`."""
    _require_matrix(self, "t_")
    return at.transpose_(self, 0, 0 if len(self._sizes) < 2 else 1)


def numpy_T(self: Tensor) -> Tensor:
    """Reverse the order of all dimensions: `x.T`."""
    return at.permute(self, tuple(range(len(self._sizes) - 1, -1, -1)))


def matrix_H(self: Tensor) -> Tensor:
    """Transpose a matrix: `x.H`; conjugation does not change real numbers.

    Raises:
        RuntimeError: neither two dimensions nor none.
    """
    ndim = len(self._sizes)
    if ndim not in (0, 2):
        batches = " For batches of matrices, consider using tensor.mH" if ndim > 2 else ""
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor.{batches}")
    return at.transpose_int(self, 0, 1) if ndim else self


def mT(self: Tensor) -> Tensor:
    """Swap the last two dimensions: `x.mT`. A tensor without dimensions is returned as it is.

    Raises:
        RuntimeError: one dimension.
    """
    return _last_two_exchanged(self, "mT")


def mH(self: Tensor) -> Tensor:
    """Return `x.mH`, the same as `x.mT` because all numbers here are real."""
    return _last_two_exchanged(self, "mH")


def adjoint(self: Tensor) -> Tensor:
    """Return `x.mH`, as a function."""
    return _last_two_exchanged(self, "adjoint()")


def _last_two_exchanged(self: Tensor, name: str) -> Tensor:
    if not self._sizes:
        return self
    if len(self._sizes) == 1:
        raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return at.transpose_int(self, -2, -1)


def _require_matrix(self: Tensor, name: str) -> None:
    if len(self._sizes) > 2:
        raise RuntimeError(f"{name}() expects a tensor with <= 2 dimensions, but self is {len(self._sizes)}D")


# ---- dimensions moved


def movedim_intlist(self: Tensor, source: Ints, destination: Ints) -> Tensor:
    """Move the dimensions `source` to the positions `destination`; the others keep their order.

    Raises:
        IndexError: a dimension is out of range.
        RuntimeError: the two differ in number, or name a dimension twice.
    """
    if len(source) != len(destination):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain the same "
            f"number of dims as destination ({list(destination)} dims)"
        )
    ndim = len(self._sizes)
    origin = tuple(geometry.wrap_dim(d, ndim) for d in source)
    target = tuple(geometry.wrap_dim(d, ndim) for d in destination)
    for role, dims, given in (("source", origin, source), ("destination", target, destination)):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{role}` ({list(given)})")
    if not ndim:
        return at.alias(self)
    placed = dict(zip(target, origin, strict=True))
    others = iter(d for d in range(ndim) if d not in origin)
    return at.permute(self, tuple(placed[d] if d in placed else next(others) for d in range(ndim)))


def movedim_int(self: Tensor, source: int, destination: int) -> Tensor:
    """Move dimension `source` to position `destination`."""
    return at.movedim_intlist(self, (source,), (destination,))


def moveaxis_int(self: Tensor, source: int, destination: int) -> Tensor:
    """Move dimension `source` to position `destination`: `movedim` under its NumPy name."""
    return at.movedim_intlist(self, (source,), (destination,))
