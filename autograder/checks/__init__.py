"""All checks, by exercise, in the order of the lab."""

from autograder.checks import accessor, layout, order, shapes, views
from autograder.checks.model import Aspect, Case, Check

__all__ = ["CHECKS", "Aspect", "Case", "Check"]

ORDER = (
    "strides.contiguous_strides",
    "accessor.TensorAccessor",
    "strides.compute_storage_nbytes",
    "strides.is_contiguous",
    "strides.permute",
    "strides.slice_dim",
    "strides.expand",
    "strides.infer_size",
    "strides.view_strides",
    "strides.unfold",
    "strides.has_internal_overlap",
    "strides.strided_offsets",
    "strides.infer_dense_strides",
)
_BY_NAME = {check.exercise: check for module in (accessor, layout, order, shapes, views) for check in module.CHECKS}

CHECKS: dict[str, Check] = {name: _BY_NAME[name] for name in ORDER if name in _BY_NAME}
