"""engine.utils.benchmark: how long statements take. Mirrors torch/utils/benchmark."""

from ..profiler.compare import Compare
from ..profiler.measurement import Measurement, TaskSpec, select_unit
from ..profiler.timer import Timer, timer

__all__ = ["Compare", "Measurement", "TaskSpec", "Timer", "select_unit", "timer"]
