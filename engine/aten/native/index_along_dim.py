"""Rows along one dimension, named by a vector: index_select, index_add, index_copy, index_fill.

Mirrors aten/src/ATen/native/TensorAdvancedIndexing.cpp.
"""

import warnings
from typing import Any

from ...dtypes import int32, int64
from ...strides import wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides, new_tensor
from ..memory_overlap import assert_no_internal_overlap, assert_no_overlap, is_expanded
from ..scalar_ops import checked_convert, scalar_to_tensor
from ..structured import MetaBase, resize_output
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .advanced_indexing import _index_put_impl_
from .copy import copy_stub
from .masked import number_of

Number = bool | int | float

index_select_stub = DispatchStub("index_select_stub")
index_copy_stub = DispatchStub("index_copy_stub")
index_add_stub = DispatchStub("index_add_stub")
"""kernel(x, dim, index, y, alpha=1): y = the rows of x along `dim` that the vector `index` names; these rows = y, or
+= alpha * y. Gives back a position that is out of [0, size), None if all are inside."""


def _as_vector(index: Tensor) -> Tensor:
    return index if index._sizes else at.reshape(index, (1,))


# ---- index_select


def index_select_cpu_(self: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the slices of `self` along `dim` at the positions in `index`.

    Raises:
        IndexError: `dim` or a position is out of range, or `index` is not a vector.
        RuntimeError: a dtype that is not an index; several rows of a tensor without dimensions.
    """
    return _index_select(None, self, dim, index)


def index_select_out_cpu_(self: Tensor, dim: int, index: Tensor, out: Tensor) -> Tensor:
    """Write the result of `index_select` into `out`, which is resized to fit.

    Raises:
        RuntimeError: `out` has another dtype, or shares cells with an input; and as `index_select`.
    """
    return _index_select(out, self, dim, index)


def _index_select(out: Tensor | None, self: Tensor, dim: int, index: Tensor) -> Tensor:
    dim = wrap_dim(dim, len(self._sizes))
    if len(index._sizes) > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    count = index.numel()
    if not self._sizes and count != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {count} value(s)")
    if index._dtype not in (int32, int64):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    sizes = (*self._sizes[:dim], count, *self._sizes[dim + 1 :]) if self._sizes else ()
    if out is None:
        out = new_tensor(sizes, contiguous_strides(sizes), self._dtype, self._storage.device)
    else:
        if out._dtype is not self._dtype:
            raise RuntimeError("index_select(): self and result must have the same scalar type")
        assert_no_internal_overlap(out._sizes, out._strides)
        assert_no_overlap(out, self)
        assert_no_overlap(out, index)
        resize_output(out, sizes)
    if count and len(self._sizes) > 1 and not self._sizes[dim]:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    x, y = (self, out) if self._sizes else (at.reshape(self, (1,)), out._alias((1,), (1,), out._storage_offset))
    if index_select_stub.kernels[out._storage.device.type](x, dim, _as_vector(index), y) is not None:
        if dim == 1 and len(self._sizes) > 1 and out.is_contiguous():
            raise RuntimeError(f"INDICES element is out of DATA bounds, axis_dim={self._sizes[dim]}")
        raise IndexError("index out of range in self")
    return out


# ---- index_copy, index_add


def index_copy_meta(op: MetaBase, self: Tensor, dim: int, index: Tensor, source: Tensor) -> dict[str, Any]:
    """Make an output like `self`; check that `source` has the same sizes, except in `dim`, where it matches `index`.

    Raises:
        IndexError: `dim` is out of range; `index` is not a vector, or not as long as `source`.
        RuntimeError: dtypes or other sizes differ; the output holds a cell twice.
    """
    dim = wrap_dim(dim, len(self._sizes))
    _prepare(op, self, index, source)
    _check_index_copy(self, dim, index, source)
    op.set_output_raw_strided(0, self._sizes, contiguous_strides(self._sizes), self._dtype, self._storage.device)
    return {"dim": dim}


def _check_index_copy(self: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    name, ndim, count = "index_copy_()", len(self._sizes), index.numel()
    if len(index._sizes) > 1:
        raise IndexError(f"{name}: Index should have dimension 1 or 0 (got {len(index._sizes)})")
    if not source._sizes and count != 1:
        raise IndexError(f"{name}: When source is scalar, index should have one element (got {count})")
    if len(source._sizes) != ndim and source._sizes and ndim:
        raise IndexError(
            f"{name}: When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({len(source._sizes)}), destination dimensionality ({ndim})"
        )
    if index._dtype is not int64:
        raise RuntimeError(f"{name}: Expected a long tensor for index, but got {SCALAR_TYPE_NAMES[index._dtype]}")
    if self._dtype is not source._dtype:
        raise RuntimeError(
            f"{name}: self and source expected to have the same dtype, but got (self) "
            f"{SCALAR_TYPE_NAMES[self._dtype]} and (source) {SCALAR_TYPE_NAMES[source._dtype]}"
        )
    mine, theirs = (sizes[:dim] + sizes[dim + 1 :] for sizes in (self._sizes, source._sizes))
    if mine != theirs:
        raise RuntimeError(
            f"{name}: Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{' '.join(map(str, mine))} at dimension {dim} and source slice shape: {' '.join(map(str, theirs))} at "
            "dimension 0."
        )
    if source._sizes and source._sizes[dim] != count:
        raise IndexError(
            f"{name}: Number of indices ({count}) should be equal to source.size(dim) ({source._sizes[dim]})"
        )


def index_copy_out(op: MetaBase, self: Tensor, dim: int, index: Tensor, source: Tensor, out: Tensor) -> None:
    """Compute out = `self` with the slices of `source` written at `index`; if an index repeats, the last slice wins.

    Raises:
        IndexError: a position is out of range.
    """
    bad = _on_rows(index_copy_stub, self, dim, index, source, out)
    if bad is not None:
        size = self._sizes[dim] if self._sizes else 1
        raise IndexError(f"index_copy_(): index {bad} is out of bounds for dimension {dim} with size {size}")


def index_add_meta(
    op: MetaBase, self: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Number
) -> dict[str, Any]:
    """Make an output like `self`; check that `source` has the same sizes, except in `dim`, where it matches `index`.

    Raises:
        IndexError: `dim` is out of range, or `index` is not a vector, or not of one element for one of `source`.
        RuntimeError: dtypes or sizes differ; the output holds a cell twice.
    """
    dim = wrap_dim(dim, len(self._sizes))
    check_index_rows("index_add_()", self, dim, index, source)
    _prepare(op, self, index, source)
    op.set_output_raw_strided(0, self._sizes, contiguous_strides(self._sizes), self._dtype, self._storage.device)
    return {"dim": dim}


def check_index_rows(name: str, self: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    """Refuse an index or a source that does not fit `self`. Source: index_func_meta_impl."""
    count = index.numel()
    if len(index._sizes) > 1:
        raise IndexError(
            f"{name}: Index is supposed to be a vector, but got dim: {len(index._sizes)} with type: "
            f"{SCALAR_TYPE_NAMES[index._dtype]} and size: {list(index._sizes)}"
        )
    if index._dtype not in (int32, int64):
        raise RuntimeError(f"{name}: Expected dtype int32/int64 for index but got: {SCALAR_TYPE_NAMES[index._dtype]}")
    if self._dtype is not source._dtype:
        mine, theirs = SCALAR_TYPE_NAMES[self._dtype], SCALAR_TYPE_NAMES[source._dtype]
        raise RuntimeError(f"{name}: self ({mine}) and source ({theirs}) must have the same scalar type")
    if dim != 0 and dim >= len(source._sizes):
        raise RuntimeError(
            f"{name}: Indexing dim {dim} is out of bounds of the source tensor with dim {len(source._sizes)}"
        )
    length = source._sizes[dim] if source._sizes else 1
    if count != length and not source._sizes:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if count != length:
        raise RuntimeError(
            f"{name}: Number of indices ({count}) should be equal to source.size(dim): ({length}), for dim: {dim}"
        )
    without = (sizes[:dim] + sizes[dim + 1 :] for sizes in (self._sizes, source._sizes))
    if len(self._sizes) != len(source._sizes) or len(set(without)) > 1:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(self._sizes)} source.shape = {list(source._sizes)}"
        )


def index_add_cpu_out(
    op: MetaBase, self: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Number, out: Tensor
) -> None:
    """Compute out = `self` with alpha times each slice of `source` added, in order, to the slice at its index.

    Raises:
        RuntimeError: a position is out of range, or `alpha` is outside the range of the dtype.
        IndexError: a position of a vector is.
    """
    bad = _on_rows(index_add_stub, self, dim, index, source, out, checked_convert(alpha, self._dtype))
    if bad is not None and len(self._sizes) < 2:
        raise IndexError("index out of range in self")
    if bad is not None:
        size = self._sizes[dim]
        raise RuntimeError(f"index {bad} is out of bounds for dimension {dim} with size {size}")


def _prepare(op: MetaBase, self: Tensor, *others: Tensor) -> None:
    """Check that the output holds no cell twice, and shares none with what is read."""
    if not op.has_given_outputs:
        return
    out = op.outputs[0]
    assert_no_internal_overlap(out._sizes, out._strides)
    for tensor in others if out is self else (self, *others):
        assert_no_overlap(out, tensor)


def _on_rows(
    stub: DispatchStub, self: Tensor, dim: int, index: Tensor, source: Tensor, out: Tensor, *alpha: Number
) -> int | None:
    if out is not self:
        copy_stub.kernels[out._storage.device.type](out, self)
    if not index.numel():
        return None
    if not self._sizes:
        out, source = (x._alias((1,), (1,), x._storage_offset) for x in (out, at.reshape(source, ())))
    elif not source._sizes:
        source = at.reshape(source, (1,))
    return stub.kernels[out._storage.device.type](out, dim, _as_vector(index), source, *alpha)


# ---- index_fill


def index_fill__int_Scalar(self: Tensor, dim: int, index: Tensor, value: Number) -> Tensor:
    """Write one number into the slices of `self` along `dim` at `index`; negative positions count from the end.

    Raises:
        IndexError: `dim` or a position is out of range, or `index` is not an int64 tensor.
        RuntimeError: `index` has more than one dimension; the number does not fit the dtype.
    """
    if index._dtype is not int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    assert_no_overlap(self, index)
    if is_expanded(self._sizes, self._strides):
        warnings.warn(
            "Use of index_fill_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
            "operation. This also applies to advanced indexing e.g. tensor[mask] = scalar",
            stacklevel=2,
        )
    dim = wrap_dim(dim, len(self._sizes))
    if len(index._sizes) > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    if self._sizes and not self._sizes[dim] and index.numel():
        if 0 in (*self._sizes[:dim], *self._sizes[dim + 1 :]):
            return self
        raise RuntimeError(f"index_fill_(): dimension {dim} has no elements to be written to")
    whole = self if self._sizes else self._alias((1,), (1,), self._storage_offset)
    indices = (None,) * dim + (_as_vector(index),)
    _index_put_impl_(whole, indices, _cell_of(value, self), False, False)
    return self


def _cell_of(value: Number, like: Tensor) -> Tensor:
    if like._storage.device.type != "meta":
        return scalar_to_tensor(value, like._dtype)
    return at.full((), value, like._dtype, None, like._storage.device, None)


def index_fill__int_Tensor(self: Tensor, dim: int, index: Tensor, value: Tensor) -> Tensor:
    """Compute `index_fill_` with the value of a 0-dimensional tensor.

    Raises:
        RuntimeError: it has dimensions; and as `index_fill_`.
    """
    if value._sizes:
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{len(value._sizes)} dimension(s)."
        )
    return at.index_fill__int_Scalar(self, dim, index, number_of(value, self))


def index_fill_int_Scalar(self: Tensor, dim: int, index: Tensor, value: Number) -> Tensor:
    """Return a copy of `self` with one number in the slices at `index`."""
    return at.index_fill__int_Scalar(at.clone(self), dim, index, value)


def index_fill_int_Tensor(self: Tensor, dim: int, index: Tensor, value: Tensor) -> Tensor:
    """Return `index_fill` with the value of a 0-dimensional tensor."""
    return at.index_fill__int_Tensor(at.clone(self), dim, index, value)
