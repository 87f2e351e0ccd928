"""The checks of lab 2, dispatch, in the order of the lab."""

from autograder.checks.dispatch import entries, factories, graphs, guards, keys, resolving, schemas, stacks, table
from autograder.checks.model import in_order

ORDER: tuple[str, ...] = (
    "dispatch.keys.bits",
    "dispatch.keys.highest_key",
    "dispatch.boxing.key_set_of_stack",
    "dispatch.schema.parse_type",
    "dispatch.schema.parse_arguments",
    "dispatch.function_schema.schema_text",
    "dispatch.table.computed_kernel",
    "dispatch.dispatcher.dispatch_key_set",
    "dispatch.local.DispatchKeyGuard",
    "dispatch.boxing.stack_of",
    "dispatch.dispatcher.OperatorEntry",
    "dispatch.backend_select.compute_dispatch_key",
    "dispatch.tracer.general_trace_function",
)
CHECKS = in_order(ORDER, (entries, factories, graphs, guards, keys, resolving, schemas, stacks, table))
