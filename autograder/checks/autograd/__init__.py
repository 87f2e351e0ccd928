"""The checks of lab 4, autograd, in the order of the lab."""

from autograder.checks.autograd import (
    differences,
    functions,
    gradients,
    graphs,
    hooks,
    modes,
    recording,
    saved,
    writes,
)
from autograder.checks.model import in_order

ORDER: tuple[str, ...] = (
    "autograd.variable.gradient_edge",
    "autograd.variable_type_manual.mul",
    "autograd.functions_manual.elementary.Derivatives",
    "aten.expand_utils.sum_to",
    "autograd.accumulate_grad.accumulate_grad",
    "autograd.engine.compute_dependencies",
    "autograd.engine.evaluate_function",
    "autograd.engine.thread_main",
    "autograd.saved_variable.SavedVariable",
    "autograd.variable.check_inplace",
    "autograd.copy_slices.CopySlices",
    "autograd.copy_slices.rebase_view",
    "autograd.grad_mode.set_grad_enabled",
    "autograd.python_variable.register_hook",
    "autograd.function.record",
    "autograd.jacobians.directional_derivatives",
)
CHECKS = in_order(ORDER, (differences, functions, gradients, graphs, hooks, modes, recording, saved, writes))
