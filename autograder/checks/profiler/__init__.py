"""The checks of lab 7, the profiler, in the order of the lab."""

from types import ModuleType

from autograder.checks.model import in_order
from autograder.checks.profiler import device, timing, trace, training

ORDER: tuple[str, ...] = (
    "profiler.chrome_trace.event_json",
    "profiler.chrome_trace.forward_backward_arrows",
    "profiler.device.kernels_of",
    "profiler.timer.estimate_block_size",
    "profiler.timer.measured",
    "profiler.measurement.quantile",
    "profiler.averages.above",
    "utils.training.train_epoch",
)
MODULES: tuple[ModuleType, ...] = (device, timing, trace, training)
CHECKS = in_order(ORDER, MODULES)
