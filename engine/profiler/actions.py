"""Which steps of a training loop are profiled. Mirrors torch/profiler/profiler.py (schedule, ProfilerAction)."""

import warnings
from collections.abc import Callable
from enum import Enum


class ProfilerAction(Enum):
    """The profiler's action in one step. RECORD_AND_SAVE: the step is the last one of a cycle."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


Schedule = Callable[[int], ProfilerAction]


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Schedule:
    """Return a function that maps a step number to the profiler's action in that step.

    After `skip_first` steps of NONE, cycles follow each other: `wait` steps of NONE, `warmup` steps of WARMUP, whose
    events are thrown away, and `active` steps of RECORD, the last of which is RECORD_AND_SAVE. `schedule` itself warns
    once, with a UserWarning, if `warmup` is 0 (if it refuses its numbers, it may warn or not).

    Args:
        repeat: the number of cycles; 0: until the end.
        skip_first_wait: not 0: the first cycle has no `wait`. `repeat` cycles then end `wait` steps earlier.
    Returns:
        f(step) -> ProfilerAction, for any step, in any order.
    Raises:
        AssertionError: a number is negative (`skip_first_wait` is not looked at), or `active` is 0; from the function:
            a negative step.

    Source: schedule (torch/profiler/profiler.py).

    >>> plan = schedule(wait=1, warmup=1, active=2)
    >>> [plan(step).name for step in range(5)]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    if not warmup:
        warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
    length = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step += (wait if skip_first_wait else 0) - skip_first
        if repeat and step >= repeat * length:
            return ProfilerAction.NONE
        place = step % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def always(_: int) -> ProfilerAction:
    """Return RECORD for every step: the default if there is no schedule."""
    return ProfilerAction.RECORD
