"""The checks of lab 3, operators, in the order of the lab."""

from autograder.checks.aten import (
    arguments,
    composites,
    entries,
    iteration,
    outputs,
    promotion,
    shapes,
    switches,
    views,
    wrappers,
)
from autograder.checks.model import in_order

ORDER: tuple[str, ...] = (
    "aten.type_promotion.result_type",
    "strides.broadcast_shapes",
    "aten.reduction.make_dim_mask",
    "aten.native.linear_algebra.mm_meta",
    "aten.iterator_geometry.reorder_dimensions",
    "strides.coalesce_dims",
    "aten.native.tensor_transpose.permute",
    "aten.native_functions.parse_entry",
    "aten.codegen.wrapper_source",
    "aten.structured.GivenOutputs",
    "aten.native.layer_norm.rms_norm_composite",
    "aten.stubs.DispatchSwitch",
    "aten.python_arg_parser.match",
)
CHECKS = in_order(
    ORDER,
    (
        iteration, promotion, shapes, views,
        arguments, composites, entries, outputs, switches, wrappers,
    ),
)  # fmt: skip
