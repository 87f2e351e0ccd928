"""sum, mean, amax, amin: over some or all dimensions. Mirrors aten/src/ATen/native/ReduceOps.cpp."""

import math
from collections.abc import Sequence

from ...dtypes import dtype as Dtype
from ...dtypes import int64
from ...strides import wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..iterator import BINARY_FLOAT_OP, TensorIterator
from ..reduction import make_dim_mask, make_reduction, resize_reduction
from ..scalar_ops import wrapped_scalar_tensor
from ..structured import MetaBase
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .binary_ops import div_true_stub
from .fill import fill_stub

Dims = Sequence[int] | None

sum_stub = DispatchStub("sum_stub")
amax_stub = DispatchStub("max_values_stub")
amin_stub = DispatchStub("min_values_stub")


def infer_dtype_from_optional(self: Tensor, dtype: Dtype | None, result: Tensor | None) -> Dtype:
    """The dtype of a sum: the one asked for, else that of `out=`, else int64 for integers and bools.

    Source: at::infer_dtype_from_optional (aten/src/ATen/native/ReduceOps.cpp).
    """
    if dtype is not None:
        return dtype
    if result is not None:
        return result._dtype
    return self._dtype if self._dtype.is_floating_point else int64


def given_output(op: MetaBase) -> Tensor | None:
    """The tensor of `out=`, if there is one."""
    return op.outputs[0] if op.has_given_outputs else None


# ---- sum, mean


def sum(self: Tensor, dtype: Dtype | None) -> Tensor:
    """The sum of all elements."""
    return at.sum_dim_IntList(self, (), False, dtype=dtype)


def sum_dim_IntList_meta(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool, dtype: Dtype | None) -> None:
    """An output of the sizes that are left; integers and bools are summed in int64.

    Raises:
        IndexError, RuntimeError: a dim is out of range, or named twice.
    """
    resize_reduction(op, self, dim, keepdim, infer_dtype_from_optional(self, dtype, given_output(op)))


def sum_out(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool, dtype: Dtype | None, out: Tensor) -> None:
    """out = the sum along `dim`; no dims are all dims, and of no elements it is 0."""
    _sum(op.device_type, out, self, dim, keepdim)


def _sum(device: str, out: Tensor, self: Tensor, dim: Dims, keepdim: bool) -> None:
    if 0 in self._sizes:
        fill_stub.kernels[device](out, 0)
    else:
        sum_stub.kernels[device](make_reduction(out, self, dim, keepdim))


def mean(self: Tensor, dtype: Dtype | None) -> Tensor:
    """The mean of all elements."""
    return at.mean_dim(self, (), False, dtype=dtype)


def mean_dtype_out(self: Tensor, dtype: Dtype | None, out: Tensor) -> Tensor:
    """`mean`, written into `out`."""
    return at.mean_out(self, (), False, dtype=dtype, out=out)


def mean_dim_meta(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool, dtype: Dtype | None) -> None:
    """An output of the sizes that are left.

    Raises:
        RuntimeError: the mean is not asked for in a floating-point dtype; a dim is named twice.
        IndexError: a dim is out of range.
    """
    kind = dtype or self._dtype
    if not kind.is_floating_point:
        raise RuntimeError(
            f"mean(): could not infer output dtype. {'Optional' if dtype else 'Input'} dtype must be either "
            f"a floating point or complex dtype. Got: {SCALAR_TYPE_NAMES[kind]}"
        )
    resize_reduction(op, self, dim, keepdim, infer_dtype_from_optional(self, dtype, given_output(op)))


def mean_out(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool, dtype: Dtype | None, out: Tensor) -> None:
    """out = the sum along `dim` over the number of elements; NaN if there are none.

    Raises:
        RuntimeError: `out` has no floating-point dtype.
    """
    mask = make_dim_mask(dim, len(self._sizes))
    count = math.prod(size for size, is_reduced in zip(self._sizes, mask, strict=True) if is_reduced)
    division = TensorIterator.make(BINARY_FLOAT_OP, out, out, wrapped_scalar_tensor(count))
    _sum(op.device_type, out, self, dim, keepdim)
    div_true_stub.kernels[op.device_type](division)


# ---- amax, amin


def amax_meta(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool) -> None:
    """An output of the sizes that are left, in the dtype of the input.

    Raises:
        RuntimeError: `out=` has another dtype; there are no elements and no dims; a dim is named twice.
        IndexError: a dim is out of range, or has no elements.
    """
    _extremum_meta("amax()", op, self, dim, keepdim)


def amax_out(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool, out: Tensor) -> None:
    """out = the largest along `dim`; NaN if there is one; no dims are all dims."""
    if 0 not in self._sizes:
        amax_stub.kernels[op.device_type](make_reduction(out, self, dim, keepdim))


def amin_meta(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool) -> None:
    """As `amax_meta`."""
    _extremum_meta("amin()", op, self, dim, keepdim)


def amin_out(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool, out: Tensor) -> None:
    """out = the smallest along `dim`; NaN if there is one; no dims are all dims."""
    if 0 not in self._sizes:
        amin_stub.kernels[op.device_type](make_reduction(out, self, dim, keepdim))


def _extremum_meta(name: str, op: MetaBase, self: Tensor, dim: Dims, keepdim: bool) -> None:
    given = given_output(op)
    if given is not None and given._dtype is not self._dtype:
        mine, theirs = SCALAR_TYPE_NAMES[self._dtype], SCALAR_TYPE_NAMES[given._dtype]
        raise RuntimeError(
            f"Expected the dtype for input and out to match, but got {mine} for input's dtype and {theirs} "
            "for out's dtype."
        )
    if 0 in self._sizes:
        zero_numel_check_dims(self, dim, name)
    resize_reduction(op, self, dim, keepdim, self._dtype)


def zero_numel_check_dims(self: Tensor, dim: Dims, name: str) -> None:
    """Of no elements there is no largest: what is reduced must have some.

    Raises:
        RuntimeError: no dims are given.
        IndexError: one of them is out of range or has size 0.

    Source: zero_numel_check_dims (aten/src/ATen/native/ReduceOpsUtils.h).
    """
    if not dim:
        raise RuntimeError(
            f"{name}: Expected reduction dim to be specified for input.numel() == 0. "
            "Specify the reduction dim with the 'dim' argument."
        )
    for d in dim:
        if self._sizes[wrap_dim(d, len(self._sizes))] == 0:
            raise IndexError(f"{name}: Expected reduction dim {d} to have non-zero size.")
