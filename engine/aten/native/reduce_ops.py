"""sum, mean, prod, logsumexp and their like: one number from many, over some or all dimensions.

Mirrors aten/src/ATen/native/ReduceOps.cpp.
"""

import math
from collections.abc import Sequence

from ...dtypes import bool_, get_default_dtype, int32, int64
from ...dtypes import dtype as Dtype
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import new_tensor
from ..iterator import TensorIterator
from ..reduction import make_reduction, reduction_geometry, resize_reduction
from ..structured import MetaBase, resize_output
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .fill import fill_stub

Dims = Sequence[int] | None

sum_stub = DispatchStub("sum_stub")
mean_stub = DispatchStub("mean_stub")
"""kernel(iter, count): the sum over `count`."""
nansum_stub = DispatchStub("nansum_stub")
prod_stub = DispatchStub("prod_stub")
count_nonzero_stub = DispatchStub("count_nonzero_stub")


def infer_dtype_from_optional(self: Tensor, dtype: Dtype | None, result: Tensor | None) -> Dtype:
    """Return the dtype of a sum: `dtype` if given, else the dtype of `out=`, else int64 for integers and bools.

    Source: at::infer_dtype_from_optional (aten/src/ATen/native/ReduceOps.cpp).
    """
    if dtype is not None:
        return dtype
    if result is not None:
        return result._dtype
    return self._dtype if self._dtype.is_floating_point else int64


def new_reduction(self: Tensor, dim: Dims, keepdim: bool, dtype: Dtype) -> Tensor:
    """Return a new tensor for the result of a reduction; raise the same errors as `make_dim_mask`."""
    return new_tensor(*reduction_geometry(self._sizes, dim, keepdim), dtype, self._storage.device)


def require_dtype_of_result(name: str, dtype: Dtype | None, out: Tensor) -> None:
    """Check that the requested dtype is the dtype of `out=`, for an operator that is not structured.

    Source: get_dtype_from_result, make_reduction (aten/src/ATen/native/ReduceOpsUtils.h).
    """
    if dtype is not None and dtype is not out._dtype:
        raise RuntimeError(
            f"{name}: provided dtype must match dtype of result. Got {SCALAR_TYPE_NAMES[out._dtype]} and "
            f"{SCALAR_TYPE_NAMES[dtype]}."
        )


READ_AS_THEY_ARE = {(bool_, int64), (int32, int64)}
"""(dtype of the input, of the result) that kernels take beside equal ones; of others the input is cast first."""


def make_accumulation(result: Tensor, self: Tensor, dim: Dims, keepdim: bool) -> TensorIterator:
    """Return `make_reduction` with the input cast to the result's dtype, unless kernels can read it as it is."""
    kind, wanted = self._dtype, result._dtype
    is_read = kind is wanted or (kind, wanted) in READ_AS_THEY_ARE
    return make_reduction(result, self, dim, keepdim, None if is_read else wanted)


def given_output(op: MetaBase) -> Tensor | None:
    """Return the tensor given as `out=`, or None."""
    return op.outputs[0] if op.has_given_outputs else None


# ---- sum, mean


def sum(self: Tensor, dtype: Dtype | None) -> Tensor:
    """Return the sum of all elements."""
    return at.sum_dim_IntList(self, (), False, dtype=dtype)


def sum_dim_IntList_meta(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool, dtype: Dtype | None) -> None:
    """Declare an output of the reduced sizes; by default, sum integers and bools in int64.

    Raises:
        IndexError, RuntimeError: a dim is out of range, or named twice.
    """
    resize_reduction(op, self, dim, keepdim, infer_dtype_from_optional(self, dtype, given_output(op)))


def sum_out(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool, dtype: Dtype | None, out: Tensor) -> None:
    """Compute out = the sum along `dim`; empty `dim` means all dims, and an empty sum is 0."""
    if 0 in self._sizes:
        fill_stub.kernels[op.device_type](out, 0)
    else:
        sum_stub.kernels[op.device_type](make_accumulation(out, self, dim, keepdim))


def mean(self: Tensor, dtype: Dtype | None) -> Tensor:
    """Return the mean of all elements."""
    return at.mean_dim(self, (), False, dtype=dtype)


def mean_dtype_out(self: Tensor, dtype: Dtype | None, out: Tensor) -> Tensor:
    """Write `mean` into `out`."""
    return at.mean_out(self, (), False, dtype=dtype, out=out)


def mean_dim_meta(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool, dtype: Dtype | None) -> None:
    """Declare an output of the reduced sizes.

    Raises:
        RuntimeError: the mean is not requested in a floating-point dtype; a dim is named twice.
        IndexError: a dim is out of range.
    """
    scalar_type = dtype or self._dtype
    if not scalar_type.is_floating_point:
        raise RuntimeError(
            f"mean(): could not infer output dtype. {'Optional' if dtype else 'Input'} dtype must be either "
            f"a floating point or complex dtype. Got: {SCALAR_TYPE_NAMES[scalar_type]}"
        )
    resize_reduction(op, self, dim, keepdim, infer_dtype_from_optional(self, dtype, given_output(op)))


def mean_out(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool, dtype: Dtype | None, out: Tensor) -> None:
    """Compute out = the sum along `dim` divided by the number of elements; NaN if there are none.

    Raises:
        RuntimeError: `out` has no floating-point dtype.
    """
    if not out._dtype.is_floating_point:
        name = SCALAR_TYPE_NAMES[out._dtype]
        raise RuntimeError(f"result type Float can't be cast to the desired output type {name}")
    if 0 in self._sizes:
        fill_stub.kernels[op.device_type](out, math.nan)
    else:
        count = math.prod(self._sizes) // math.prod(out._sizes)
        mean_stub.kernels[op.device_type](make_reduction(out, self, dim, keepdim), count)


def nansum(self: Tensor, dim: Dims, keepdim: bool, dtype: Dtype | None) -> Tensor:
    """Return the sum along `dim` of the elements that are not NaN."""
    kind = infer_dtype_from_optional(self, dtype, None)
    if self._dtype.is_floating_point and not kind.is_floating_point:
        return at.sum_dim_IntList(at.masked_fill_Scalar(self, at.isnan(self), 0), dim, keepdim, dtype=kind)
    return _nansum(new_reduction(self, dim, keepdim, kind), self, dim, keepdim)


def nansum_out(self: Tensor, dim: Dims, keepdim: bool, dtype: Dtype | None, out: Tensor) -> Tensor:
    """Write `nansum` into `out`.

    Raises:
        RuntimeError: `out` has another dtype than the requested one.
        NotImplementedError: `out` is of integers, and `self` is not.
    """
    if not self._dtype.is_floating_point:
        return at.sum_IntList_out(self, dim, keepdim, dtype=dtype, out=out)
    require_dtype_of_result("nansum", dtype, out)
    resize_output(out, reduction_geometry(self._sizes, dim, keepdim)[0])
    return _nansum(out, self, dim, keepdim)


def _nansum(out: Tensor, self: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    device = self._storage.device.type
    if 0 in self._sizes:
        fill_stub.kernels[device](out, 0)
        return out
    if self._dtype.is_floating_point and not out._dtype.is_floating_point:
        raise NotImplementedError(f"\"nansum_{device}\" not implemented for '{SCALAR_TYPE_NAMES[out._dtype]}'")
    stub = nansum_stub if out._dtype.is_floating_point else sum_stub
    stub.kernels[device](make_accumulation(out, self, dim, keepdim))
    return out


def nanmean(self: Tensor, dim: Dims, keepdim: bool, dtype: Dtype | None) -> Tensor:
    """Return the mean along `dim` of the elements that are not NaN; NaN if there are none.

    Raises:
        RuntimeError: `self` or the dtype asked for is not floating-point.
    """
    factor = _count_numbers(self, dim, keepdim, dtype)
    return at.div_Tensor(at.nansum(self, dim, keepdim, dtype=dtype), factor)


def nanmean_out(self: Tensor, dim: Dims, keepdim: bool, dtype: Dtype | None, out: Tensor) -> Tensor:
    """Write `nanmean` into `out`.

    Raises:
        RuntimeError: `self` or the dtype asked for is not floating-point.
        NotImplementedError: `out` is of integers.
    """
    if not self._dtype.is_floating_point:
        raise RuntimeError(
            "nanmean(): integral types and 'Bool' are not supported for nanmean, even for empty tensors."
        )
    factor = _count_numbers(self, dim, keepdim, dtype)
    return at.div__Tensor(at.nansum_out(self, dim, keepdim, dtype=dtype, out=out), factor)


def _count_numbers(self: Tensor, dim: Dims, keepdim: bool, dtype: Dtype | None) -> Tensor:
    if not self._dtype.is_floating_point:
        raise RuntimeError(
            "nanmean(): expected input to have floating point or complex dtype but got "
            f"{SCALAR_TYPE_NAMES[self._dtype]}"
        )
    if dtype and not dtype.is_floating_point:
        raise RuntimeError(
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. "
            f"Got: {SCALAR_TYPE_NAMES[dtype]}"
        )
    return at.sum_dim_IntList(at.eq_Tensor(self, self), dim, keepdim)


def count_nonzero(self: Tensor, dim: int | None) -> Tensor:
    """Return the number of elements that are not 0; NaN counts as nonzero."""
    return at.count_nonzero_dim_IntList(self, () if dim is None else (dim,))


def count_nonzero_cpu(self: Tensor, dim: Sequence[int]) -> Tensor:
    """Return `count_nonzero` along several dims; empty `dim` means all dims."""
    result = new_reduction(self, dim, False, int64)
    if 0 in self._sizes:
        fill_stub.kernels[result._storage.device.type](result, 0)
        return result
    count_nonzero_stub.kernels[self._storage.device.type](make_reduction(result, self, dim, False))
    return result


# ---- prod


def prod(self: Tensor, dtype: Dtype | None) -> Tensor:
    """Return the product of all elements."""
    result = new_reduction(self, None, False, infer_dtype_from_optional(self, dtype, None))
    _prod(self._storage.device.type, result, self, None, False)
    return result


def prod_dim_int_meta(op: MetaBase, self: Tensor, dim: int, keepdim: bool, dtype: Dtype | None) -> None:
    """Declare an output of the reduced sizes; by default, multiply integers and bools in int64.

    Raises:
        IndexError: the dim is out of range.
    """
    resize_reduction(op, self, (dim,), keepdim, infer_dtype_from_optional(self, dtype, given_output(op)))


def prod_out(op: MetaBase, self: Tensor, dim: int, keepdim: bool, dtype: Dtype | None, out: Tensor) -> None:
    """Compute out = the product along `dim`; an empty product is 1."""
    _prod(op.device_type, out, self, (dim,), keepdim)


def _prod(device: str, out: Tensor, self: Tensor, dim: Dims, keepdim: bool) -> None:
    if 0 in self._sizes:
        fill_stub.kernels[device](out, 1)
    else:
        prod_stub.kernels[device](make_accumulation(out, self, dim, keepdim))


# ---- logsumexp


def logsumexp(self: Tensor, dim: Sequence[int], keepdim: bool) -> Tensor:
    """Return log(sum(e ** self)) along `dim`, without overflow; integers become floats."""
    scalar_type = self._dtype if self._dtype.is_floating_point else get_default_dtype()
    return _logsumexp(new_reduction(self, dim, keepdim, scalar_type), self, dim, keepdim)


def logsumexp_out(self: Tensor, dim: Sequence[int], keepdim: bool, out: Tensor) -> Tensor:
    """Write `logsumexp` into `out`.

    Raises:
        RuntimeError: `out` is not floating-point.
    """
    if not out._dtype.is_floating_point:
        raise RuntimeError(
            f"logsumexp(): Expected floating point type for result tensor, but got: {SCALAR_TYPE_NAMES[out._dtype]}"
        )
    resize_output(out, reduction_geometry(self._sizes, dim, keepdim)[0])
    return _logsumexp(out, self, dim, keepdim)


def _logsumexp(out: Tensor, self: Tensor, dim: Sequence[int], keepdim: bool) -> Tensor:
    if not self._dtype.is_floating_point:
        self = at._to_copy(self, dtype=get_default_dtype())
    if 0 in self._sizes:
        return at.log_(at.sum_IntList_out(at.exp(self), dim, keepdim, out=out))
    largest = at.amax(self, dim, True)
    largest = at.where_ScalarSelf(at.eq_Scalar(at.abs(largest), math.inf), 0, largest)
    at.sum_IntList_out(at.exp_(at.sub_Tensor(self, largest)), dim, keepdim, out=out)
    return at.add__Tensor(at.log_(out), largest if keepdim else at.squeeze_dims(largest, dim))
