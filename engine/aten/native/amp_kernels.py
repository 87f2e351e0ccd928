"""The operators of gradient scaling: gradients unscaled and checked, and the scale adapted.

Neither reads a number back, so that a GPU's queue is not waited for.
Mirrors aten/src/ATen/native/AmpKernels.cpp and aten/src/ATen/native/cuda/AmpKernels.cu.
"""

from collections.abc import Sequence
from typing import Any

from ...dtypes import dtype, float32, float64, int32
from ...tensor_impl import Tensor
from ..at import at


def _amp_foreach_non_finite_check_and_unscale_(self: Sequence[Tensor], found_inf: Tensor, inv_scale: Tensor) -> None:
    """Multiply each gradient by `inv_scale`, in place; write 1 into `found_inf` if an element is infinite or NaN.

    Args:
        found_inf, inv_scale: float32, of one element.
    Raises:
        RuntimeError: they are something else.
        NotImplementedError: a gradient is not floating-point.
    """
    _require_one_element(inv_scale=inv_scale, found_inf=found_inf)
    _require_dtype(float32, "a float", inv_scale=inv_scale, found_inf=found_inf)
    for grad in self:
        if not grad._dtype.is_floating_point:
            name = f"_amp_foreach_non_finite_check_and_unscale_{grad._storage.device.type}"
            raise NotImplementedError(f"\"{name}\" not implemented for '{grad._dtype.scalar_type}'")
        is_bad = at.logical_not(at.all(at.isfinite(grad)))
        at.copy_(found_inf, at.maximum(found_inf, at.to_dtype(is_bad, float32)))
        at.mul__Tensor(grad, inv_scale)


def _amp_update_scale_(
    self: Tensor,
    growth_tracker: Tensor,
    found_inf: Tensor,
    scale_growth_factor: float,
    scale_backoff_factor: float,
    growth_interval: int,
) -> Tensor:
    """Adapt the scale: reduced if `found_inf` is not 0, larger after `growth_interval` calls in a row where it is.

    A scale that would become infinite stays.

    Args:
        self: the scale, float32, of one element.
        growth_tracker: the number of calls in a row, int32, of one element.
    Raises:
        RuntimeError: they are something else.
    """
    _require_one_element(growth_tracker=growth_tracker, current_scale=self, found_inf=found_inf)
    _require_dtype(int32, "an int", growth_tracker=growth_tracker)
    _require_dtype(float32, "a float", current_scale=self, found_inf=found_inf)
    is_bad = at.ne_Scalar(found_inf, 0)
    wide, count = at.to_dtype(self, float64), at.add_Scalar(growth_tracker, 1)  # the factors have float64's digits
    grows = at.logical_and(at.logical_not(is_bad), at.eq_Scalar(count, growth_interval))
    grown = at.to_dtype(at.mul_Scalar(wide, scale_growth_factor), float32)
    grown = at.where_self(at.isfinite(grown), grown, self)
    reduced = at.to_dtype(at.mul_Scalar(wide, scale_backoff_factor), float32)
    at.copy_(self, at.where_self(is_bad, reduced, at.where_self(grows, grown, self)))
    at.copy_(growth_tracker, at.masked_fill_Scalar(count, at.logical_or(is_bad, grows), 0))
    return self


def _amp_foreach_non_finite_check_and_unscale_meta(
    self: Sequence[Tensor], found_inf: Tensor, inv_scale: Tensor
) -> None:
    """Leave gradients without elements as they are."""


def _amp_update_scale_meta(self: Tensor, *_: Any) -> Tensor:
    """Return a scale without an element unchanged."""
    return self


def _require_one_element(**tensors: Tensor) -> None:
    for name, tensor in tensors.items():
        if tensor.numel() != 1:
            raise RuntimeError(f"{name} must be a 1-element tensor.")


def _require_dtype(expected: dtype, article_and_name: str, **tensors: Tensor) -> None:
    for name, tensor in tensors.items():
        if tensor._dtype is not expected:
            raise RuntimeError(f"{name} must be {article_and_name} tensor.")
