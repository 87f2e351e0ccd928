"""Profiling: time of operators and kernels and memory of a block of code, and the time that a statement takes.

    with engine.profiler.profile(activities=[ProfilerActivity.CPU]) as prof: ...
    print(prof.key_averages().table(sort_by="self_cpu_time_total"))

Mirrors torch/profiler; `Timer` and `Compare` mirror torch/utils/benchmark. Nothing of it is imported before one of
its names is asked for.
"""

from ..utils.lazy_names import lazy_names

NAMES = {
    **dict.fromkeys(("DeviceType", "ProfilerActivity", "RecordScope"), ".events"),
    **dict.fromkeys(("ProfilerAction", "schedule"), ".actions"),
    **dict.fromkeys(("profile", "supported_activities", "tensorboard_trace_handler"), ".stepwise"),
    "record_function": ".autograd_profiler",
    "Measurement": ".measurement",
    "Timer": ".timer",
    "Compare": ".compare",
}
"""Public name -> the module that has it, seen from this package."""
__getattr__, __dir__ = lazy_names(__name__, NAMES)

__all__ = [*NAMES]  # noqa: PLE0604
