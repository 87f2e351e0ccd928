"""var, std, and both with the mean. Mirrors std_var_out and std_var_mean_out of aten/src/ATen/native/ReduceOps.cpp."""

import math
import warnings
from collections.abc import Sequence

from ...tensor_impl import Tensor
from ..at import at
from ..reduction import make_dim_mask, make_reduction, make_reductions, reduction_geometry
from ..structured import resize_output
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES, can_cast
from .fill import fill_stub
from .reduce_ops import new_reduction

Dims = Sequence[int] | None
Number = bool | int | float
Pair = tuple[Tensor, Tensor]

std_var_stub = DispatchStub("std_var_stub")
"""kernel(iter, correction, take_sqrt): iter of `make_reduction`; the sum of squares over count - correction."""
std_var_mean_stub = DispatchStub("std_var_mean_stub")
"""kernel(iter, correction, take_sqrt): the same of `make_reductions`, and the mean into the second output."""

# ---- the forms: each is the one with a correction


def var_correction(self: Tensor, dim: Dims, correction: Number | None, keepdim: bool) -> Tensor:
    """Return the variance along `dim`: the sum of squared distances from the mean over n - correction (1 if None).

    Raises:
        RuntimeError: `self` is not floating-point; a dim is named twice.
        IndexError: a dim is out of range.
    """
    _require_floating_point("std and var", self)
    return _std_var("var", new_reduction(self, dim, keepdim, self._dtype), self, dim, correction, keepdim)


def var_correction_out(self: Tensor, dim: Dims, correction: Number | None, keepdim: bool, out: Tensor) -> Tensor:
    """Write `var_correction` into `out`.

    Raises:
        RuntimeError: as `var_correction`; `out` can't take the dtype.
    """
    return _std_var_out("var", self, dim, correction, keepdim, out)


def std_correction(self: Tensor, dim: Dims, correction: Number | None, keepdim: bool) -> Tensor:
    """Return the standard deviation: the square root of `var_correction`."""
    _require_floating_point("std and var", self)
    return _std_var("std", new_reduction(self, dim, keepdim, self._dtype), self, dim, correction, keepdim)


def std_correction_out(self: Tensor, dim: Dims, correction: Number | None, keepdim: bool, out: Tensor) -> Tensor:
    """Write `std_correction` into `out`; raise the same errors as `var_correction_out`."""
    return _std_var_out("std", self, dim, correction, keepdim, out)


def var_mean_correction(self: Tensor, dim: Dims, correction: Number | None, keepdim: bool) -> Pair:
    """Return `var_correction` and the mean, computed in one pass."""
    return _std_var_mean("var_mean", self, dim, correction, keepdim)


def std_mean_correction(self: Tensor, dim: Dims, correction: Number | None, keepdim: bool) -> Pair:
    """Return `std_correction` and the mean, computed in one pass."""
    return _std_var_mean("std_mean", self, dim, correction, keepdim)


def var(self: Tensor, unbiased: bool) -> Tensor:
    """Return the variance of all elements, with a correction of 1 if `unbiased`, else 0."""
    return at.var_correction(self, None, correction=int(unbiased), keepdim=False)


def var_dim(self: Tensor, dim: Dims, unbiased: bool, keepdim: bool) -> Tensor:
    """Return the variance along `dim`, with a correction of 1 if `unbiased`, else 0."""
    return at.var_correction(self, dim, correction=int(unbiased), keepdim=keepdim)


def var_out(self: Tensor, dim: Dims, unbiased: bool, keepdim: bool, out: Tensor) -> Tensor:
    """Write `var_dim` into `out`."""
    return at.var_correction_out(self, dim, correction=int(unbiased), keepdim=keepdim, out=out)


def std(self: Tensor, unbiased: bool) -> Tensor:
    """Return the standard deviation of all elements, with a correction of 1 if `unbiased`, else 0."""
    return at.std_correction(self, None, correction=int(unbiased), keepdim=False)


def std_dim(self: Tensor, dim: Dims, unbiased: bool, keepdim: bool) -> Tensor:
    """Return the standard deviation along `dim`, with a correction of 1 if `unbiased`, else 0."""
    return at.std_correction(self, dim, correction=int(unbiased), keepdim=keepdim)


def std_out(self: Tensor, dim: Dims, unbiased: bool, keepdim: bool, out: Tensor) -> Tensor:
    """Write `std_dim` into `out`."""
    return at.std_correction_out(self, dim, correction=int(unbiased), keepdim=keepdim, out=out)


def var_mean(self: Tensor, unbiased: bool) -> Pair:
    """Return the variance and the mean of all elements, with a correction of 1 if `unbiased`, else 0."""
    return at.var_mean_correction(self, None, correction=int(unbiased), keepdim=False)


def var_mean_dim(self: Tensor, dim: Dims, unbiased: bool, keepdim: bool) -> Pair:
    """Return the variance and the mean along `dim`, with a correction of 1 if `unbiased`, else 0."""
    return at.var_mean_correction(self, dim, correction=int(unbiased), keepdim=keepdim)


def std_mean(self: Tensor, unbiased: bool) -> Pair:
    """Return the standard deviation and the mean of all elements, with a correction of 1 if `unbiased`, else 0."""
    return at.std_mean_correction(self, None, correction=int(unbiased), keepdim=False)


def std_mean_dim(self: Tensor, dim: Dims, unbiased: bool, keepdim: bool) -> Pair:
    """Return the standard deviation and the mean along `dim`, with a correction of 1 if `unbiased`, else 0."""
    return at.std_mean_correction(self, dim, correction=int(unbiased), keepdim=keepdim)


# ---- what they share


def _std_var_out(name: str, self: Tensor, dim: Dims, correction: Number | None, keepdim: bool, out: Tensor) -> Tensor:
    _require_floating_point("std and var", self)
    sizes = reduction_geometry(self._sizes, dim, keepdim)[0]
    if not can_cast(self._dtype, out._dtype):
        raise RuntimeError(
            f"result type {SCALAR_TYPE_NAMES[self._dtype]} can't be cast to the desired output type "
            f"{SCALAR_TYPE_NAMES[out._dtype]}"
        )
    resize_output(out, sizes)
    return _std_var(name, out, self, dim, correction, keepdim)


def _std_var(name: str, out: Tensor, self: Tensor, dim: Dims, correction: Number | None, keepdim: bool) -> Tensor:
    _require_floating_point("std and var", self)
    correction = 1.0 if correction is None else float(correction)
    _warn_of_degrees_of_freedom(name, self, dim, correction)
    if 0 in self._sizes:
        fill_stub.kernels[out._storage.device.type](out, math.nan)
        return out
    stub = std_var_stub.kernels[self._storage.device.type]
    stub(make_reduction(out, self, dim, keepdim, out._dtype), correction, name == "std")
    return out


def _std_var_mean(name: str, self: Tensor, dim: Dims, correction: Number | None, keepdim: bool) -> Pair:
    _require_floating_point(name, self)
    first, second = (new_reduction(self, dim, keepdim, self._dtype) for _ in range(2))
    correction = 1.0 if correction is None else float(correction)
    _warn_of_degrees_of_freedom(name, self, dim, correction)
    if 0 in self._sizes:
        for output in (first, second):
            fill_stub.kernels[output._storage.device.type](output, math.nan)
        return first, second
    stub = std_var_mean_stub.kernels[self._storage.device.type]
    stub(make_reductions(first, second, self, dim, keepdim), correction, name == "std_mean")
    return first, second


def _require_floating_point(name: str, self: Tensor) -> None:
    if not self._dtype.is_floating_point:
        raise RuntimeError(f"{name} only support floating point and complex dtypes")


def _warn_of_degrees_of_freedom(name: str, self: Tensor, dim: Dims, correction: float) -> None:
    mask = make_dim_mask(dim, len(self._sizes))
    count = math.prod(size for size, is_reduced in zip(self._sizes, mask, strict=True) if is_reduced)
    kept = math.prod(size for size, is_reduced in zip(self._sizes, mask, strict=True) if not is_reduced)
    if (count if kept else 0) - correction <= 0:
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            "(input numel divided by output numel).",
            stacklevel=2,
        )
