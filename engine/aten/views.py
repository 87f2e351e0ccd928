"""View operators: another geometry over the same storage. Nothing here reads or writes an element.

Mirrors aten/src/ATen/native/TensorShape.cpp. The arithmetic is `engine/strides.py`.
"""

import math
from collections.abc import Sequence

from .. import strides as geometry
from ..strides import Ints
from ..tensor_impl import Tensor
from .factories import as_sizes, clone, contiguous, contiguous_format
from .registry import op


@op("detach(Tensor(a) self) -> Tensor(a)")
def detach(self: Tensor) -> Tensor:
    """The same view once more; the version counter is shared."""
    return self._alias(self._sizes, self._strides, self._storage_offset)


@op("as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)")
def as_strided(self: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    """Any geometry over the storage, as long as every element lies inside it.

    Args:
        size, stride: new geometry, in elements.
        storage_offset: elements before the first one; that of `self` if None.
    Raises:
        RuntimeError: sizes and strides differ in number, one is negative, or the storage is too small.
    """
    sizes, strides = as_sizes(size), as_sizes(stride)
    offset = self._storage_offset if storage_offset is None else storage_offset
    if len(sizes) != len(strides):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(step < 0 for step in strides):
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {list(strides)}"
        )
    if any(count < 0 for count in sizes):
        raise RuntimeError(f"as_strided: sizes must not be negative, got sizes: {list(sizes)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    needed = geometry.compute_storage_nbytes(sizes, strides, self.itemsize, offset)
    if needed > self._storage.nbytes():
        raise RuntimeError(
            f"setStorage: sizes {list(sizes)}, strides {list(strides)}, storage offset {offset}, and itemsize "
            f"{self.itemsize} requiring a storage size of {needed} are out of bounds for storage of size "
            f"{self._storage.nbytes()}"
        )
    return self._alias(sizes, strides, offset)


# ---- order of the dimensions


@op("permute(Tensor(a) self, int[] dims) -> Tensor(a)")
def permute(self: Tensor, dims: Sequence[int]) -> Tensor:
    """The dimensions in another order: dimension `d` of the result is `dims[d]` of `self`."""
    sizes, strides = geometry.permute(self._sizes, self._strides, as_sizes(dims))
    return self._alias(sizes, strides, self._storage_offset)


@op("transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)")
def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged."""
    ndim = len(self._sizes)
    dim0, dim1 = geometry.wrap_dim(dim0, ndim), geometry.wrap_dim(dim1, ndim)
    order = list(range(ndim))
    if ndim:
        order[dim0], order[dim1] = dim1, dim0
    return permute(self, order)


@op("swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)")
def swapaxes(self: Tensor, axis0: int, axis1: int) -> Tensor:
    """`transpose` under its NumPy name."""
    return transpose(self, axis0, axis1)


@op("t(Tensor(a) self) -> Tensor(a)")
def t(self: Tensor) -> Tensor:
    """A matrix transposed; fewer dimensions stay as they are.

    Raises:
        RuntimeError: more than two dimensions.
    """
    if len(self._sizes) > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {len(self._sizes)}D")
    return permute(self, range_of(self)[::-1])


@op("numpy_T(Tensor(a) self) -> Tensor(a)")
def numpy_T(self: Tensor) -> Tensor:
    """All dimensions in reverse order: `x.T`."""
    return permute(self, range_of(self)[::-1])


@op("mT(Tensor(a) self) -> Tensor(a)")
def mT(self: Tensor) -> Tensor:
    """The last two dimensions exchanged: `x.mT`. A tensor without dimensions is returned as it is.

    Raises:
        RuntimeError: one dimension.
    """
    if not self._sizes:
        return self
    if len(self._sizes) == 1:
        raise RuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {len(self._sizes)}-D tensor."
        )
    return transpose(self, -2, -1)


@op("movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)")
def movedim(self: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Dimensions `source` put at the positions `destination`; the others keep their order.

    Raises:
        RuntimeError: the two differ in number, or name a dimension twice.
    """
    sources, destinations = as_dims(source), as_dims(destination)
    if len(sources) != len(destinations):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(sources)} dims) should contain the same "
            f"number of dims as destination ({list(destinations)} dims)"
        )
    ndim = len(self._sizes)
    origin = tuple(geometry.wrap_dim(d, ndim) for d in sources)
    target = tuple(geometry.wrap_dim(d, ndim) for d in destinations)
    for role, dims, given in (("source", origin, sources), ("destination", target, destinations)):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{role}` ({list(given)})")
    if not ndim:
        return detach(self)
    placed = dict(zip(target, origin, strict=True))
    others = iter(d for d in range(ndim) if d not in origin)
    return permute(self, [placed[d] if d in placed else next(others) for d in range(ndim)])


# ---- parts of a dimension


@op("select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)")
def select(self: Tensor, dim: int, index: int) -> Tensor:
    """`x[..., index, ...]`: one dimension fewer."""
    return self._alias(*geometry.select(self._sizes, self._strides, self._storage_offset, dim, index))


@op("slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)")
def slice_(self: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    """`x[..., start:end:step, ...]`."""
    return self._alias(*geometry.slice_dim(self._sizes, self._strides, self._storage_offset, dim, start, end, step))


@op("narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)")
def narrow(self: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`length` entries of a dimension from `start` on; a negative start counts from the end.

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
    return slice_(self, dim, start, start + length)


@op("unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)")
def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """All windows of `size` elements along a dimension, `step` apart; a new last dimension walks within one."""
    sizes, strides = geometry.unfold(self._sizes, self._strides, dimension, size, step)
    return self._alias(sizes, strides, self._storage_offset)


@op("diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)")
def diagonal(self: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The elements with `index[dim2] - index[dim1] == offset`, in a new last dimension.

    Raises:
        IndexError: a dimension is out of range.
        RuntimeError: the two dimensions are the same.
    """
    ndim = len(self._sizes)
    first, second = geometry.wrap_dim(dim1, ndim), geometry.wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    rows, columns = self._sizes[first], self._sizes[second]
    length = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    skipped = offset * self._strides[second] if offset >= 0 else -offset * self._strides[first]
    rest = [d for d in range(ndim) if d not in (first, second)]
    return self._alias(
        (*(self._sizes[d] for d in rest), length),
        (*(self._strides[d] for d in rest), self._strides[first] + self._strides[second]),
        self._storage_offset + (skipped if length else 0),
    )


# ---- dimensions of size 1


@op("expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)")
def expand(self: Tensor, size: Sequence[int], *, implicit: bool = False) -> Tensor:
    """Dimensions of size 1 repeated without a copy; -1 keeps a size.

    PyTorch makes a tensor of negative size from `zeros(1).expand(-2, 0)`; here that raises RuntimeError, because
    no other operator could use it.
    """
    sizes, strides = geometry.expand(self._sizes, self._strides, as_sizes(size))
    return self._alias(sizes, strides, self._storage_offset)


@op("broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)")
def broadcast_to(self: Tensor, size: Sequence[int]) -> Tensor:
    """`expand` under its NumPy name."""
    return expand(self, size)


@op("expand_as(Tensor(a) self, Tensor other) -> Tensor(a)")
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Expanded to the sizes of `other`."""
    return expand(self, other._sizes)


@op("unsqueeze(Tensor(a) self, int dim) -> Tensor(a)")
def unsqueeze(self: Tensor, dim: int) -> Tensor:
    """A new dimension of size 1 at position `dim`."""
    sizes, strides = self._sizes, self._strides
    dim = geometry.wrap_dim(dim, len(sizes) + 1)
    step = sizes[dim] * strides[dim] if dim < len(sizes) else 1
    return self._alias((*sizes[:dim], 1, *sizes[dim:]), (*strides[:dim], step, *strides[dim:]), self._storage_offset)


@op("squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)")
def squeeze(self: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Without the dimensions of size 1: all of them, or those of `dim` that have it.

    Raises:
        IndexError: a dimension is out of range.
        RuntimeError: `dim` names one twice.
    """
    ndim = len(self._sizes)
    dims: list[int] = []
    for d in range_of(self) if dim is None else as_dims(dim):
        d = geometry.wrap_dim(d, ndim)
        if d in dims:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        dims.append(d)
    kept = [d for d in range(ndim) if d not in dims or self._sizes[d] != 1]
    return self._alias(tuple(self._sizes[d] for d in kept), tuple(self._strides[d] for d in kept), self._storage_offset)


# ---- other sizes for the same elements in the same order


@op("view(Tensor(a) self, SymInt[] size) -> Tensor(a)")
def view(self: Tensor, size: Sequence[int]) -> Tensor:
    """Other sizes for the same elements, never a copy.

    Raises:
        RuntimeError: the number of elements differs, or no strides read them in the same order.
    """
    sizes = geometry.infer_size(as_sizes(size), self.numel())
    strides = geometry.view_strides(self._sizes, self._strides, sizes)
    if strides is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
            "two contiguous subspaces). Use .reshape(...) instead."
        )
    return self._alias(sizes, strides, self._storage_offset)


@op("reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)")
def reshape(self: Tensor, shape: Sequence[int]) -> Tensor:
    """Other sizes for the same elements: a view where strides allow it, else a contiguous copy."""
    sizes = geometry.infer_size(as_sizes(shape), self.numel())
    if geometry.view_strides(self._sizes, self._strides, sizes) is None:
        self = clone(self, memory_format=contiguous_format)
    return view(self, sizes)


@op("view_as(Tensor(a) self, Tensor other) -> Tensor(a)")
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """A view with the sizes of `other`."""
    return view(self, other._sizes)


@op("reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)")
def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """Reshaped to the sizes of `other`."""
    return reshape(self, other._sizes)


@op("flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)")
def flatten(self: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim`, both included, made one.

    Raises:
        IndexError: a dimension is out of range.
        RuntimeError: the first comes after the last.
    """
    ndim = len(self._sizes)
    first, last = geometry.wrap_dim(start_dim, ndim), geometry.wrap_dim(end_dim, ndim)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not ndim:
        return reshape(self, (1,))
    if first == last:
        return self
    merged = math.prod(self._sizes[first : last + 1])
    return reshape(self, (*self._sizes[:first], merged, *self._sizes[last + 1 :]))


@op("unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)")
def unflatten(self: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One dimension cut into several; one of `sizes` may be -1.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: no sizes, or their product is not the size of the dimension.
    """
    wanted = as_sizes(sizes)
    if not wanted:
        raise RuntimeError("unflatten: sizes must be non-empty")
    dim = geometry.wrap_dim(dim, len(self._sizes))
    if not self._sizes:
        raise RuntimeError("unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions")
    size = self._sizes[dim]
    try:
        inferred = geometry.infer_size(wanted, size)
    except RuntimeError as error:
        if "is invalid for input of size" not in str(error):
            raise RuntimeError(f"unflatten got an unexpected error:\n{error}") from None
        raise RuntimeError(
            f"unflatten: Provided sizes {list(wanted)} don't multiply up to the size of dim {dim} ({size}) in the "
            "input tensor"
        ) from None
    return view(self, (*self._sizes[:dim], *inferred, *self._sizes[dim + 1 :]))


@op("ravel(Tensor(a) self) -> Tensor(a)")
def ravel(self: Tensor) -> Tensor:
    """All elements in one dimension: a view of a contiguous tensor, else a copy."""
    return view(contiguous(self), (self.numel(),))


def as_dims(dim: int | Sequence[int]) -> Ints:
    """One dimension or several, as a tuple."""
    return as_sizes(dim if isinstance(dim, (tuple, list)) else (dim,))


def range_of(self: Tensor) -> Ints:
    """The dimensions of a tensor: (0, ..., n-1)."""
    return tuple(range(len(self._sizes)))
