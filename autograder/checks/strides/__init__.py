"""The checks of lab 1, strides, in the order of the lab."""

from autograder.checks.model import in_order
from autograder.checks.strides import accessor, layout, order, shapes, views

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
CHECKS = in_order(ORDER, (accessor, layout, order, shapes, views))
