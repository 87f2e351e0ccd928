"""sort, argsort, topk, kthvalue, median: elements along a dimension by their order.

NaN is larger than every number. Mirrors aten/src/ATen/native/Sorting.cpp.
"""

import math

from ... import strides as geometry
from ...dtypes import bool_, dtype, int64
from ...strides import Ints, wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides, new_tensor
from ..memory_overlap import assert_no_internal_overlap, assert_no_overlap, assert_no_partial_overlap
from ..structured import MetaBase, resize_output
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .fill import fill_stub

Two = tuple[Tensor, Tensor]

sort_stub = DispatchStub("sort_stub")
topk_stub = DispatchStub("topk_stub")
"""kernel(values, indices, self, dim, k, descending): the first k of each sorted row along `dim`."""
kthvalue_stub = DispatchStub("kthvalue_stub")
median_stub = DispatchStub("median_stub")
"""kernel(values, indices, self, dim, k): the k-th smallest of each row, counted from 0; MEDIAN and NANMEDIAN for k."""
MEDIAN, NANMEDIAN = -1, -2


def _unwritten(self: Tensor, values: Tensor, indices: Tensor) -> Tensor:
    """Return `self`, or a copy if the kernel would write to its memory before it has read all of it."""
    return at.clone(self) if self._storage in (values._storage, indices._storage) else self


# ---- sort


def sort_stable_meta(op: MetaBase, self: Tensor, stable: bool | None, dim: int, descending: bool) -> None:
    """Declare dense outputs with the same order of dimensions in memory as `self`.

    Raises:
        IndexError: there is no such dimension.
    """
    wrap_dim(dim, len(self._sizes))
    sizes, strides = self._sizes, self._strides
    strides = (
        strides
        if geometry.is_non_overlapping_and_dense(sizes, strides)
        else geometry.infer_dense_strides(sizes, strides)
    )
    op.set_output_raw_strided(0, self._sizes, strides, self._dtype, self._storage.device)
    op.set_output_raw_strided(1, self._sizes, strides, int64, self._storage.device)


def sort_stable_out(
    op: MetaBase, self: Tensor, stable: bool | None, dim: int, descending: bool, values: Tensor, indices: Tensor
) -> None:
    """Compute values = the sorted elements, indices = their positions; ties keep their order, `stable` or not.

    Raises:
        RuntimeError: `values` holds a cell twice, or is a part of `self`, or has its cells in another order.
    """
    assert_no_internal_overlap(values._sizes, values._strides)
    assert_no_partial_overlap(values, self)
    if 0 not in self._sizes:
        dim = wrap_dim(dim, len(self._sizes))
        n = self._sizes[dim] if self._sizes else 1
        sort_stub.kernels[op.device_type](values, indices, _unwritten(self, values, indices), dim, n, descending)


def sort(self: Tensor, dim: int, descending: bool) -> Two:
    """Return the elements sorted along `dim`, and their indices in `self`."""
    return at.sort_stable(self, stable=False, dim=dim, descending=descending)


def sort_out(self: Tensor, dim: int, descending: bool, values: Tensor, indices: Tensor) -> Two:
    """Write `sort` into `values` and `indices`."""
    return at.sort_values_stable(self, stable=False, dim=dim, descending=descending, values=values, indices=indices)


def argsort(self: Tensor, dim: int, descending: bool) -> Tensor:
    """Return the indices along `dim` that sort the elements."""
    return at.sort(self, dim, descending)[1]


def argsort_stable(self: Tensor, stable: bool, dim: int, descending: bool) -> Tensor:
    """Return `argsort` with equal elements in their original order."""
    return at.sort_stable(self, stable=stable, dim=dim, descending=descending)[1]


def argsort_stable_out(self: Tensor, stable: bool, dim: int, descending: bool, out: Tensor) -> Tensor:
    """Write `argsort_stable` into `out`."""
    values = at.empty_memory_format((0,), dtype=self._dtype, device=self.device)
    at.sort_values_stable(self, stable=stable, dim=dim, descending=descending, values=values, indices=out)
    return out


def msort(self: Tensor) -> Tensor:
    """Return `self` sorted along dimension 0."""
    return at.sort(self, 0, False)[0]


def msort_out(self: Tensor, out: Tensor) -> Tensor:
    """Write `msort` into `out`."""
    indices = at.empty_memory_format((0,), dtype=int64, device=self.device)
    at.sort_values(self, 0, False, values=out, indices=indices)
    return out


# ---- topk


def topk_meta(op: MetaBase, self: Tensor, k: int, dim: int, largest: bool, sorted: bool) -> None:
    """Declare contiguous outputs with k elements along `dim`.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: there are fewer than `k` elements.
    """
    dim = wrap_dim(dim, len(self._sizes))
    if not 0 <= k <= (self._sizes[dim] if self._sizes else 1):
        raise RuntimeError("selected index k out of range")
    sizes = (*self._sizes[:dim], k, *self._sizes[dim + 1 :]) if self._sizes else ()
    op.set_output_raw_strided(0, sizes, contiguous_strides(sizes), self._dtype, self._storage.device)
    op.set_output_raw_strided(1, sizes, contiguous_strides(sizes), int64, self._storage.device)


def topk_out_cpu(
    op: MetaBase, self: Tensor, k: int, dim: int, largest: bool, sorted: bool, values: Tensor, indices: Tensor
) -> None:
    """Compute the k largest or smallest elements along `dim` and their indices, in sorted order even without `sorted`.

    Raises:
        RuntimeError: of bools.
    """
    if self._dtype is bool_:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    if 0 not in values._sizes:
        dim = wrap_dim(dim, len(self._sizes))
        self = _unwritten(self, values, indices)
        topk_stub.kernels[op.device_type](values, indices, self, dim, max(k, 1), largest)


# ---- kthvalue and medians: the results of one element a row


def kthvalue(self: Tensor, k: int, dim: int, keepdim: bool) -> Two:
    """Return the k-th smallest element along `dim`, counted from 1, and its index.

    Raises:
        IndexError: there is no such dimension, or it is empty.
        RuntimeError: there are fewer than `k` elements.
        NotImplementedError: of bools.
    """
    wrapped = _require_elements(self, dim, "kthvalue()")
    if not 1 <= k <= (self._sizes[wrapped] if self._sizes else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {wrapped}")
    return _one_of_each_row(kthvalue_stub, "kthvalue_cpu", self, k - 1, wrapped, keepdim)


def kthvalue_out_cpu(self: Tensor, k: int, dim: int, keepdim: bool, values: Tensor, indices: Tensor) -> Two:
    """Write `kthvalue` into `values` and `indices`.

    Raises:
        RuntimeError: one has another dtype, or shares memory with `self`; and as `kthvalue`.
    """
    if values._dtype is not self._dtype:
        raise RuntimeError("output values must be of same type as input")
    if indices._dtype is not int64:
        raise RuntimeError("output indices must be of scalar type Long")
    assert_no_overlap(values, self)
    return _written(values, indices, kthvalue(self, k, dim, keepdim))


def median(self: Tensor, dim: int, keepdim: bool) -> Two:
    """Return the median along `dim`, the lower of two middle elements, and its index; NaN if any element is NaN.

    Raises:
        IndexError: there is no such dimension, or it is empty.
        NotImplementedError: of bools.
    """
    wrapped = _require_elements(self, dim, "median()")
    return _one_of_each_row(median_stub, "median_out", self, MEDIAN, wrapped, keepdim)


def median_out_cpu(self: Tensor, dim: int, keepdim: bool, values: Tensor, indices: Tensor) -> Two:
    """Write `median` into `values` and `indices`; raise the errors of `median`, and RuntimeError for another dtype."""
    _check_outputs(self, values, indices)
    return _written(values, indices, median(self, dim, keepdim))


def nanmedian(self: Tensor, dim: int, keepdim: bool) -> Two:
    """Return the median of the elements along `dim` that are not NaN, and its index; raise the errors of `median`."""
    wrapped = _require_elements(self, dim, "nanmedian()")
    return _one_of_each_row(median_stub, "median_out", self, NANMEDIAN, wrapped, keepdim)


def nanmedian_out_cpu(self: Tensor, dim: int, keepdim: bool, values: Tensor, indices: Tensor) -> Two:
    """Write `nanmedian` into `values` and `indices`; raise the same errors as `median_out_cpu`."""
    _check_outputs(self, values, indices)
    return _written(values, indices, nanmedian(self, dim, keepdim))


def median_cpu(self: Tensor) -> Tensor:
    """Return the median of all elements; if there are none, NaN or the smallest integer of the dtype.

    Raises:
        NotImplementedError: of bools.
    """
    return _median_of_all(self, MEDIAN)


def nanmedian_cpu(self: Tensor) -> Tensor:
    """Return the median of all elements that are not NaN; raise the same errors as `median_cpu`."""
    return _median_of_all(self, NANMEDIAN)


def _median_of_all(self: Tensor, k: int) -> Tensor:
    if 0 in self._sizes:
        nothing = math.nan if self._dtype.is_floating_point else -(2 ** (8 * self._dtype.itemsize - 1))
        made = new_tensor((), (), self._dtype, self._storage.device)
        fill_stub.kernels[made.device.type](made, nothing)
        return made
    return _one_of_each_row(median_stub, "median_cpu", at.reshape(self, (-1,)), k, 0, False)[0]


def _require_elements(self: Tensor, dim: int, name: str) -> int:
    wrapped = wrap_dim(dim, len(self._sizes))
    if self._sizes and self._sizes[wrapped] == 0:
        raise IndexError(f"{name}: Expected reduction dim {wrapped} to have non-zero size.")
    return wrapped


def _one_of_each_row(stub: DispatchStub, name: str, self: Tensor, k: int, dim: int, keepdim: bool) -> Two:
    """Return new values and indices, filled by a kernel that sees the reduced dimension as one of size 1."""
    if self._dtype is bool_:
        raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_TYPE_NAMES[bool_]}'")
    kept: Ints = (*self._sizes[:dim], 1, *self._sizes[dim + 1 :]) if self._sizes else ()
    sizes = kept if keepdim or not kept else (*kept[:dim], *kept[dim + 1 :])
    device = self._storage.device

    def new(scalar_type: dtype) -> Tensor:
        return new_tensor(sizes, contiguous_strides(sizes), scalar_type, device)

    values, indices = new(self._dtype), new(int64)
    if 0 not in sizes:
        seen = (tensor if sizes == kept else at.unsqueeze(tensor, dim) for tensor in (values, indices))
        stub.kernels[device.type](*seen, self, dim, k)
    return values, indices


def _check_outputs(self: Tensor, values: Tensor, indices: Tensor) -> None:
    for name, given, expected in (("indices", indices, int64), ("values", values, self._dtype)):
        if given._dtype is not expected:
            raise RuntimeError(
                f"Expected tensor for argument '{name}' to have scalar type {SCALAR_TYPE_NAMES[expected]}; "
                f"but got {SCALAR_TYPE_NAMES[given._dtype]} instead (while checking arguments for median)"
            )


def _written(values: Tensor, indices: Tensor, made: Two) -> Two:
    for given, result in zip((values, indices), made, strict=True):
        resize_output(given, result._sizes)
        at.copy_(given, result)
    return values, indices
