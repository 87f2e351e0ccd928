"""Settings that PyTorch keeps under torch._C._profiler._ExperimentalConfig, as far as they mean something here."""

from typing import NamedTuple


class ExperimentalConfig(NamedTuple):
    """Experimental settings of a recording.

    Attributes:
        profile_all_threads: operators of other threads than the one that starts the profile too.
        capture_overload_names: events have the overloads of their operators.
        verbose: taken; stacks are complete without it.
    """

    profile_all_threads: bool = False
    capture_overload_names: bool = False
    verbose: bool = False
