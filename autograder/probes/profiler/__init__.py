"""The probes of lab 7, the profiler."""

from . import device as device
from . import timing as timing
from . import trace as trace
from . import training as training
