"""The checks of lab 3, operators, in the order of the lab."""

from autograder.checks.aten import iteration, promotion, shapes, views
from autograder.checks.model import in_order

ORDER: tuple[str, ...] = (
    "aten.type_promotion.result_type",
    "strides.broadcast_shapes",
    "aten.reduction.make_dim_mask",
    "aten.native.linear_algebra.mm_meta",
    "aten.iterator_geometry.reorder_dimensions",
    "strides.coalesce_dims",
    "aten.native.tensor_transpose.permute",
)
CHECKS = in_order(ORDER, (iteration, promotion, shapes, views))
