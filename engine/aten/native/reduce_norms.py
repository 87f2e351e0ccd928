"""norm, linalg.vector_norm: the length of vectors. Mirrors aten/src/ATen/native/{ReduceOps,LinearAlgebra}.cpp."""

import math
from collections.abc import Sequence

from ...dtypes import dtype as Dtype
from ...strides import wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..reduction import make_reduction, resize_reduction
from ..structured import MetaBase
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES, promote_types
from .fill import fill_stub

Dims = Sequence[int] | None
Number = bool | int | float

norm_stub = DispatchStub("norm_stub")
"""kernel(iter, ord): the length of order `ord` over the plan and operands of `make_reduction`."""


def linalg_vector_norm_meta(
    op: MetaBase, self: Tensor, ord: Number, dim: Dims, keepdim: bool, dtype: Dtype | None
) -> None:
    """Declare an output of the reduced sizes, in `dtype` if given.

    Raises:
        RuntimeError: `self` or `dtype` is not floating-point; `dtype` is narrower than `self.dtype`; there are no
            elements to find the largest or smallest of; a dim is named twice.
        IndexError: a dim is out of range.
    """
    name = "linalg.vector_norm"
    if not self._dtype.is_floating_point:
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {SCALAR_TYPE_NAMES[self._dtype]}"
        )
    if 0 in self._sizes and (ord < 0 or ord == math.inf):
        _require_elements(self, ord, dim)
    if dtype is not None:
        _check_linalg_norm_dtype(name, dtype, self._dtype)
    resize_reduction(op, self, dim, keepdim, dtype or self._dtype)


def _require_elements(self: Tensor, ord: Number, dim: Dims) -> None:
    refused = f"linalg.vector_norm cannot compute the {_shown(ord)} norm on "
    if not dim:
        raise RuntimeError(f"{refused}an empty tensor because the operation does not have an identity")
    for d in dim:
        if self._sizes[wrap_dim(d, len(self._sizes))] == 0:
            raise RuntimeError(
                f"{refused}the dimension {d}because this dimension is empty and the operation does not have an identity"
            )


def _shown(number: Number) -> str:
    return f"{number:g}"


def _check_linalg_norm_dtype(name: str, dtype: Dtype, scalar_type: Dtype) -> None:
    if not dtype.is_floating_point:
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {SCALAR_TYPE_NAMES[dtype]}")
    if promote_types(dtype, scalar_type) is not dtype:
        raise RuntimeError(
            f"{name}: the dtype of the input ({SCALAR_TYPE_NAMES[scalar_type]}) should be convertible without "
            f"narrowing to the specified dtype ({SCALAR_TYPE_NAMES[dtype]})"
        )


def linalg_vector_norm_out(
    op: MetaBase, self: Tensor, ord: Number, dim: Dims, keepdim: bool, dtype: Dtype | None, out: Tensor
) -> None:
    """Compute out = sum(|x| ** ord) ** (1 / ord) along `dim`; ord 0 counts nonzero x, ord inf takes the largest |x|.

    Of one element each order but 0 gives |x|, also where its power overflows.
    """
    if 0 in self._sizes:
        fill_stub.kernels[op.device_type](out, 0)
        return
    if ord != 0 and self.numel() == out.numel():
        ord = math.inf
    norm_stub.kernels[op.device_type](make_reduction(out, self, dim, keepdim, out._dtype), float(ord))


# ---- norm: the older name


def norm_ScalarOpt_dim_meta(op: MetaBase, self: Tensor, p: Number | None, dim: Dims, keepdim: bool) -> None:
    """Declare an output of the reduced sizes.

    Raises:
        RuntimeError: `self` is not floating-point; a dim is named twice.
        IndexError: a dim is out of range.
    """
    _require_floating_point("input dtype", self._dtype)
    resize_reduction(op, self, dim, keepdim, self._dtype)


def norm_out(op: MetaBase, self: Tensor, p: Number | None, dim: Dims, keepdim: bool, out: Tensor) -> None:
    """Compute out = `linalg.vector_norm` of order `p`, or of order 2 if `p` is None."""
    at.linalg_vector_norm_out(self, 2 if p is None else p, dim, keepdim, dtype=None, out=out)


def norm_ScalarOpt_dim_dtype_meta(
    op: MetaBase, self: Tensor, p: Number | None, dim: Dims, keepdim: bool, dtype: Dtype
) -> None:
    """Declare an output of the reduced sizes in `dtype`; raise RuntimeError if `dtype` is not floating-point."""
    _require_floating_point("the desired output dtype", dtype)
    resize_reduction(op, self, dim, keepdim, dtype)


def norm_dtype_out(
    op: MetaBase, self: Tensor, p: Number | None, dim: Dims, keepdim: bool, dtype: Dtype, out: Tensor
) -> None:
    """Compute out = `linalg.vector_norm` of order `p`, or of order 2 if `p` is None."""
    at.linalg_vector_norm_out(self, 2 if p is None else p, dim, keepdim, dtype=dtype, out=out)


def norm_Scalar(self: Tensor, p: Number) -> Tensor:
    """Return the norm of order `p` of all elements."""
    return at.norm_ScalarOpt_dim(self, p, (), False)


def norm_ScalarOpt_dtype(self: Tensor, p: Number | None, dtype: Dtype) -> Tensor:
    """Return the norm of order `p` of all elements, in `dtype`."""
    return at.norm_ScalarOpt_dim_dtype(self, p, (), False, dtype=dtype)


def _require_floating_point(what: str, scalar_type: Dtype) -> None:
    if not scalar_type.is_floating_point:
        raise RuntimeError(
            f"norm(): {what} should be either floating point or complex. Got {SCALAR_TYPE_NAMES[scalar_type]} instead."
        )
