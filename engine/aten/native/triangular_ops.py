"""Triangles and diagonals of matrices: tril, triu, diag, diag_embed.

Mirrors aten/src/ATen/native/TriangularOps.cpp and the diagonals of TensorShape.cpp.
"""

from ...dtypes import bool_, device, dtype, int32, int64, layout
from ...strides import Ints, wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides
from ..structured import MetaBase, copy_to
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES

triangle_stub = DispatchStub("triangle_stub")
"""kernel(out, self, diagonal, lower): the matrices of the last two dimensions with zeros beyond a diagonal."""


def _triangle_meta(name: str, op: MetaBase, self: Tensor) -> None:
    if len(self._sizes) < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    op.set_output_raw_strided(0, self._sizes, contiguous_strides(self._sizes), self._dtype, self._storage.device)


def tril_meta(op: MetaBase, self: Tensor, diagonal: int) -> None:
    """Declare an output like `self`.

    Raises:
        RuntimeError: `self` has fewer than two dimensions.
    """
    _triangle_meta("tril", op, self)


def triu_meta(op: MetaBase, self: Tensor, diagonal: int) -> None:
    """Declare the output like `tril_meta`."""
    _triangle_meta("triu", op, self)


def tril_cpu(op: MetaBase, self: Tensor, diagonal: int, out: Tensor) -> None:
    """Compute out = `self` with zeros above a diagonal."""
    if self.numel():
        triangle_stub.kernels[op.device_type](out, self, diagonal, True)


def triu_cpu(op: MetaBase, self: Tensor, diagonal: int, out: Tensor) -> None:
    """Compute out = `self` with zeros below a diagonal."""
    if self.numel():
        triangle_stub.kernels[op.device_type](out, self, diagonal, False)


def tril_indices_cpu(
    row: int, col: int, offset: int, dtype: dtype | None, layout: layout | None, device: device | None,
    pin_memory: bool | None,
) -> Tensor:  # fmt: skip
    """Return the row and column indices on and below a diagonal of a (row, col) matrix, as a (2, count) tensor.

    Raises:
        RuntimeError: a negative size.
        NotImplementedError: a dtype that is not of integers.
    """
    return _indices("tril", row, col, offset, dtype or int64, device)


def triu_indices_cpu(
    row: int, col: int, offset: int, dtype: dtype | None, layout: layout | None, device: device | None,
    pin_memory: bool | None,
) -> Tensor:  # fmt: skip
    """Return the row and column indices on and above a diagonal of a (row, col) matrix, as a (2, count) tensor.

    Raises:
        RuntimeError: a negative size.
        NotImplementedError: a dtype that is not of integers.
    """
    return _indices("triu", row, col, offset, dtype or int64, device)


def _indices(half: str, row: int, col: int, offset: int, kind: dtype, device: device | None) -> Tensor:
    for name, size in (("row", row), ("col", col)):
        if size < 0:
            raise RuntimeError(f"{name} must be non-negative, got{size}")
    if kind not in (int32, int64):
        raise NotImplementedError(f"\"{half}_indices\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
    below = _tril_size(row, col, offset if half == "tril" else offset - 1)
    count = below if half == "tril" else row * col - below
    if not count or (device is not None and device.type == "meta"):
        return at.empty_memory_format((2, count), kind, None, device, None)
    chosen = at.nonzero(getattr(at, half)(at.ones((row, col), bool_, None, device, None), offset))
    return at._to_copy(at.t(chosen), kind)


def _tril_size(row: int, col: int, offset: int) -> int:
    """Return the number of elements of a (row, col) matrix on and below a diagonal.

    Source: get_tril_size (aten/src/ATen/native/TensorFactories.h).
    """
    skipped = min(max(-offset, 0), row)  # rows above the diagonal's first element
    first = min(max(offset + skipped + 1, 0), col)  # elements of the first of the other rows
    growing = min(row - skipped, col - first + 1)
    return growing * first + growing * (growing - 1) // 2 + (row - skipped - growing) * col


# ---- diagonals


def diag(self: Tensor, diagonal: int) -> Tensor:
    """Return a matrix with a vector on a diagonal, or a copy of a diagonal of a matrix.

    Raises:
        RuntimeError: neither vector nor matrix.
    """
    _require_vector_or_matrix(self)
    if len(self._sizes) == 1:
        return at.diag_embed(self, diagonal)
    return at.diagonal_copy(self, diagonal)


def _require_vector_or_matrix(self: Tensor) -> None:
    if len(self._sizes) not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {len(self._sizes)}D")


def diagonal_copy_out(self: Tensor, offset: int, dim1: int, dim2: int, out: Tensor) -> Tensor:
    """Write `diagonal_copy` into `out`, resized to fit; raise the same errors as `copy_to`."""
    return copy_to(out, at.diagonal_copy(self, offset, dim1, dim2))


def diag_out(self: Tensor, diagonal: int, out: Tensor) -> Tensor:
    """Write `diag` into `out`, resized to fit.

    Raises:
        RuntimeError: `out` has another dtype; and as `diag`.
    """
    _require_vector_or_matrix(self)
    if len(self._sizes) == 1:
        return at.diag_embed_out(self, diagonal, out=out)
    return at.diagonal_copy_out(self, diagonal, out=out)


def diag_embed(self: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """Return matrices, in dimensions `dim1` and `dim2`, with the vectors of the last dimension on a diagonal.

    Raises:
        IndexError: a dim is out of range.
        RuntimeError: both are the same.
    """
    ndim = len(self._sizes) + 1
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    sizes, length = list(self._sizes[:-1]), abs(offset) + self._sizes[-1]
    for d in sorted((first, second)):
        sizes.insert(d, length)
    made = at.zeros(tuple(sizes), self._dtype, None, self._storage.device, None)
    at.copy_(at.diagonal(made, offset, first, second), self)
    return made


def diag_embed_out(self: Tensor, offset: int, dim1: int, dim2: int, out: Tensor) -> Tensor:
    """Write `diag_embed` into `out`, resized to fit; raise the same errors as `copy_to`."""
    return copy_to(out, at.diag_embed(self, offset, dim1, dim2))


# ---- a copy with a part replaced


def _clone_preserve_strides(self: Tensor) -> Tensor:
    if any(step == 0 and size > 1 for size, step in zip(self._sizes, self._strides, strict=True)):
        return at.clone(self)
    cells = self._storage.nbytes() // self._dtype.itemsize
    whole = at.clone(self._alias((cells,), (1,), 0))
    return whole._alias(self._sizes, self._strides, self._storage_offset)


def _with_part(name: str, made: Tensor, part: Tensor, src: Tensor) -> Tensor:
    if part._sizes != src._sizes:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src._sizes)}, slice size = "
            f"{list(part._sizes)}"
        )
    at.copy_(part, src)
    return made


def slice_scatter(self: Tensor, src: Tensor, dim: int, start: int | None, end: int | None, step: int) -> Tensor:
    """Return a copy of `self` with a slice replaced by `src`.

    Raises:
        RuntimeError: `src` has other sizes than the slice; and as `slice`.
    """
    made = _clone_preserve_strides(self)
    return _with_part("slice", made, at.slice_Tensor(made, dim, start, end, step), src)


def select_scatter(self: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """Return a copy of `self` with `select(dim, index)` replaced by `src`; raise the errors of `slice_scatter`."""
    made = _clone_preserve_strides(self)
    return _with_part("select", made, at.select_int(made, dim, index), src)


def as_strided_scatter(self: Tensor, src: Tensor, size: Ints, stride: Ints, storage_offset: int | None) -> Tensor:
    """Return a copy of `self` with `as_strided(size, stride, storage_offset)` replaced by `src`.

    Raises:
        RuntimeError: as `slice_scatter` and `as_strided`.
    """
    made = _clone_preserve_strides(self)
    return _with_part("as_strided", made, at.as_strided(made, size, stride, storage_offset), src)


def diagonal_scatter(self: Tensor, src: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """Return a copy of `self` with a diagonal replaced by `src`; raise the same errors as `slice_scatter`."""
    made = _clone_preserve_strides(self)
    return _with_part("diagonal", made, at.diagonal(made, offset, dim1, dim2), src)
