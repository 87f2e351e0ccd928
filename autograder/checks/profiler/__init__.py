"""The checks of lab 7, the profiler, in the order of the lab."""

from types import ModuleType

from autograder.checks.model import in_order
from autograder.checks.profiler import device, recording, steps, tables, timing, trace, training, trees

ORDER: tuple[str, ...] = (
    "profiler.recorder.around_call",
    "profiler.autograd_profiler.record_function",
    "profiler.event_tree.parents_of",
    "profiler.event_tree.self_times",
    "profiler.averages.key_averages",
    "profiler.table.build_table",
    "profiler.event_tree.memory_of",
    "profiler.actions.schedule",
    "profiler.chrome_trace.event_json",
    "profiler.chrome_trace.forward_backward_arrows",
    "profiler.device.kernels_of",
    "profiler.timer.estimate_block_size",
    "profiler.timer.measured",
    "profiler.measurement.quantile",
    "profiler.averages.above",
    "utils.training.train_epoch",
)
MODULES: tuple[ModuleType, ...] = (device, recording, steps, tables, timing, trace, training, trees)
CHECKS = in_order(ORDER, MODULES)
