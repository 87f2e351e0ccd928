"""The probes of lab 7, the profiler."""

from . import device as device
from . import modules as modules
from . import recording as recording
from . import steps as steps
from . import tables as tables
from . import timing as timing
from . import trace as trace
from . import training as training
from . import trees as trees
