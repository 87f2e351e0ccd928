# Written by `python -m engine.utils.pyi`; do not edit.
from .actions import ProfilerAction as ProfilerAction
from .actions import schedule as schedule
from .autograd_profiler import record_function as record_function
from .compare import Compare as Compare
from .events import DeviceType as DeviceType
from .events import ProfilerActivity as ProfilerActivity
from .events import RecordScope as RecordScope
from .measurement import Measurement as Measurement
from .stepwise import profile as profile
from .stepwise import supported_activities as supported_activities
from .stepwise import tensorboard_trace_handler as tensorboard_trace_handler
from .timer import Timer as Timer
