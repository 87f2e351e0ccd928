"""Where the time goes: operators, kernels and memory of a block of code, and how long a statement takes.

Mirrors torch/profiler; `Timer` and `Compare` mirror torch/utils/benchmark.
"""

from . import backward, device, memory  # each enters what it looks at
from .autograd_profiler import record_function
from .compare import Compare
from .events import DeviceType, ProfilerActivity, RecordScope
from .measurement import Measurement
from .profile import ExperimentalConfig, profile, supported_activities, tensorboard_trace_handler
from .schedule import ProfilerAction, schedule
from .timer import Timer

__all__ = [
    "Compare", "DeviceType", "ExperimentalConfig", "Measurement", "ProfilerAction", "ProfilerActivity", "RecordScope",
    "Timer", "backward", "device", "memory", "profile", "record_function", "schedule", "supported_activities",
    "tensorboard_trace_handler",
]  # fmt: skip
