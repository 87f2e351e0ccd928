"""Elements that a mask chooses, and where a tensor is not zero: masked_fill, masked_select, masked_scatter, nonzero.

Mirrors aten/src/ATen/native/TensorAdvancedIndexing.cpp.
"""

import functools
import warnings

from ... import strides as geometry
from ...dtypes import CPU, bool_, int64
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides, new_tensor
from ..halves import element_of
from ..iterator import TensorIterator
from ..iterator_plan import IteratorConfig
from ..memory_overlap import assert_no_internal_overlap, assert_no_overlap, assert_no_partial_overlap, is_expanded
from ..scalar_ops import checked_convert
from ..structured import CPP_NAMES, resize_impl, resize_output
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .scalar import _local_scalar_dense_cpu

Number = bool | int | float

MASKED_FILL_OP = IteratorConfig(
    check_mem_overlap=False, check_all_same_dtype=False, resize_outputs=False, promote_inputs_to_common_dtype=True,
    conditions=1,
)  # fmt: skip

masked_fill_stub = DispatchStub("masked_fill_stub")
"""kernel(iter, value): out = value where the first input is True, else the second."""
count_stub = DispatchStub("count_nonzero_stub")
"""kernel(x): how many elements are not zero."""
nonzero_stub = DispatchStub("nonzero_stub")
"""kernel(x, out): write the places of these into `out`, (count, number of dimensions), whose columns are dense."""
masked_select_stub = DispatchStub("masked_select_stub")
"""kernel(self, mask, out): out = the elements of `self` where the mask is True; both of the same sizes."""
masked_scatter_stub = DispatchStub("masked_scatter_stub")
"""kernel(self, mask, source): write the elements of `source`, contiguous, in turn where the mask is True."""

broadcast_shape = functools.lru_cache(4096)(geometry.broadcast_shapes)

# ---- masked_fill


def masked_fill__Scalar(self: Tensor, mask: Tensor, value: Number) -> Tensor:
    """Write one number into the elements of `self` where the mask, expanded to `self`, is True.

    Raises:
        RuntimeError: the mask is not a bool tensor or does not broadcast; the number does not fit the dtype.
    """
    if mask._dtype is not bool_:
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {CPP_NAMES[mask._dtype]}"
        )
    if is_expanded(self._sizes, self._strides):
        warnings.warn(
            "Use of masked_fill_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
            "operation. This also applies to advanced indexing e.g. tensor[mask] = scalar",
            stacklevel=2,
        )
    assert_no_partial_overlap(self, mask)
    _fill(self, mask, self, value)
    return self


def masked_fill__Tensor(self: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    """Compute `masked_fill_` with the value of a 0-dimensional tensor.

    Raises:
        RuntimeError: it has dimensions; and as `masked_fill_`.
    """
    _require_number(value)
    return at.masked_fill__Scalar(self, mask, number_of(value, self))


def masked_fill_Scalar(self: Tensor, mask: Tensor, value: Number) -> Tensor:
    """Return a copy of `self`, broadcast with the mask, that holds one number where the mask is True."""
    if self._storage.device.type != "cpu" or mask._dtype is not bool_:
        shape = broadcast_shape(self._sizes, mask._sizes)
        whole = at.clone(at.expand(self, shape), memory_format=None)
        return at.masked_fill__Scalar(whole, mask, value)
    shape = broadcast_shape(mask._sizes, self._sizes)
    out = new_tensor(shape, contiguous_strides(shape), self._dtype, self._storage.device)
    _fill(out, mask, self, value)
    return out


def masked_fill_Tensor(self: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    """Return `masked_fill` with the value of a 0-dimensional tensor."""
    _require_number(value)
    return at.masked_fill_Scalar(self, mask, number_of(value, self))


def _fill(out: Tensor, mask: Tensor, self: Tensor, value: Number) -> None:
    iter = TensorIterator.make(MASKED_FILL_OP, out, mask, self)
    if out.numel():
        masked_fill_stub(iter, element_of(checked_convert(value, self._dtype), self._dtype))


def number_of(value: Tensor, written: Tensor) -> Number:
    """Return the value of a one-element tensor as a Python number, 0 if the tensor that is written has no memory.

    On the CPU, do not call an operator.
    """
    if value._storage.device is CPU:
        return _local_scalar_dense_cpu(value)
    return 0 if written._storage.device.type == "meta" else at.item(value)


def _require_number(value: Tensor) -> None:
    if value._sizes:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{len(value._sizes)} dimension(s)."
        )


# ---- masked_select, masked_scatter


def masked_select_cpu(self: Tensor, mask: Tensor) -> Tensor:
    """Return a vector of the elements of `self` where the mask is True, after broadcasting both.

    Raises:
        RuntimeError: the mask is not a bool tensor, or they don't broadcast.
    """
    return _masked_select(None, self, mask)


def masked_select_out_cpu(self: Tensor, mask: Tensor, out: Tensor) -> Tensor:
    """Write the result of `masked_select` into `out`, which is resized to fit.

    Raises:
        RuntimeError: `out` has another dtype or shares cells with an input; and as `masked_select`.
    """
    return _masked_select(out, self, mask)


def _masked_select(out: Tensor | None, self: Tensor, mask: Tensor) -> Tensor:
    if mask._dtype is not bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    if out is not None:
        if out._dtype is not self._dtype:
            raise RuntimeError("masked_select(): self and result must have the same scalar type")
        assert_no_internal_overlap(out._sizes, out._strides)
        assert_no_overlap(out, self)
        assert_no_overlap(out, mask)
    shape = broadcast_shape(mask._sizes, self._sizes)
    self, mask = (x if x._sizes == shape else at.expand(x, shape) for x in (self, mask))
    device = self._storage.device
    count = count_stub.kernels[device.type](mask)
    if out is None:
        out = new_tensor((count,), (1,), self._dtype, device)
    else:
        resize_output(out, (count,))
    if count:
        masked_select_stub.kernels[device.type](self, mask, out)
    return out


def masked_scatter__cpu(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Write the elements of `source` in order into the elements of `self` where the mask, expanded to `self`, is True.

    Raises:
        RuntimeError: dtypes differ, the mask is not a bool tensor or can't be expanded, `source` has too few elements.
    """
    assert_no_internal_overlap(self._sizes, self._strides)
    mask = mask if mask._sizes == self._sizes else at.expand(mask, self._sizes)
    if self._dtype is not source._dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{SCALAR_TYPE_NAMES[self._dtype]} and {SCALAR_TYPE_NAMES[source._dtype]}"
        )
    if mask._dtype is not bool_:
        raise RuntimeError(
            f"masked_scatter_ only supports boolean masks, but got mask with dtype {SCALAR_TYPE_NAMES[mask._dtype]}"
        )
    device = self._storage.device.type
    if device == "meta":
        return self
    assert_no_overlap(self, mask)
    if count_stub.kernels[device](mask) > source.numel():
        raise RuntimeError("Number of elements of source < number of ones in mask")
    if self.numel():
        masked_scatter_stub.kernels[device](self, mask, at.contiguous(source))
    return self


def masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Return a contiguous copy of `self`, broadcast with the mask, after applying `masked_scatter_` to it."""
    shape = broadcast_shape(mask._sizes, self._sizes)
    whole = new_tensor(shape, contiguous_strides(shape), self._dtype, self._storage.device)
    return masked_scatter__cpu(at.copy_(whole, self), mask, source)


# ---- nonzero


def nonzero_cpu(self: Tensor) -> Tensor:
    """Return the indices of the nonzero elements, a row per element, a column per dimension, in column-major order."""
    kernels = count_stub.kernels, nonzero_stub.kernels
    device, ndim = self._storage.device, len(self._sizes)
    count = kernels[0][device.type](self)
    out = new_tensor((count, ndim), (1, count), int64, device)
    if count and ndim:
        kernels[1][device.type](self, out)
    return out


def nonzero_out_cpu(self: Tensor, out: Tensor) -> Tensor:
    """Write the result of `nonzero` into `out`, which is resized to fit.

    Raises:
        RuntimeError: `out` is not an int64 tensor, or shares cells with `self`.
    """
    if out._dtype is not int64:
        raise RuntimeError(
            f"nonzero: Expected out tensor to have scalar type Long but got scalar type{SCALAR_TYPE_NAMES[out._dtype]}"
        )
    assert_no_internal_overlap(out._sizes, out._strides)
    assert_no_overlap(out, self)
    device, ndim = self._storage.device, len(self._sizes)
    count = count_stub.kernels[device.type](self)
    sizes, strides = (count, ndim), (1, count)
    keeps_strides = out._sizes == sizes and out._strides != strides
    places = new_tensor(sizes, strides, int64, device) if keeps_strides else resize_impl(out, sizes, strides)
    if count and ndim:
        nonzero_stub.kernels[device.type](self, places)
    return at.copy_(out, places) if keeps_strides else out


def nonzero_numpy(self: Tensor) -> tuple[Tensor, ...]:
    """Return the indices of the nonzero elements, one vector per dimension; a 0-dimensional tensor counts as 1-D."""
    return at.unbind_int(at.nonzero(self if self._sizes else at.unsqueeze(self, 0)), 1)
