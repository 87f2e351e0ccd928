"""The device in a profile: which kernels ran, their times, and the operators that launched them.

A launch returns before its kernel has run, so the clock of the host cannot time the kernel. The profiler puts an event
of CUDA on the stream before and after each launch, and reads their times when the profile ends. A kernel that has not
run by then has no time, and none is made up.
Mirrors torch/csrc/profiler/stubs/cuda.cpp, which does the same where CUPTI is missing.
"""

import dataclasses
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

from . import recorder
from .events import CUDA_RUNTIME, Event, Kernel, Recording, RecordScope
from .recorder import KERNEL, Recorder

LAUNCH = "cudaLaunchKernel"
UNSYNCHRONIZED = (
    "expected the device to have run all kernels when the profile ended, but some had not: their times are not known. "
    "Call cuda.synchronize() inside the profiled region, as its last line"
)


@dataclass(frozen=True)
class Launch:
    """A recorded kernel launch: the name and launch configuration, and the CUDA events before and after it."""

    name: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    stream: int
    before: Any
    after: Any


def as_tuple(extent: Any) -> tuple[int, ...]:
    """Return the extent of a grid or block as a tuple of three."""
    extents = tuple(extent) if isinstance(extent, (tuple, list)) else (extent,)
    return (*extents, 1, 1)[:3]


def kernels_of(launches: Sequence[Launch], events: Sequence[Event], base: Any, base_time: int) -> list[Kernel]:
    """Return the launched kernels, each with its start, its end, and the event that launched it.

    A kernel ran between the two marks around it, `launch.before` and `launch.after`. A mark is an event of CUDA:
    `mark.query()` is True if the device has passed it, and `base.elapsed_time(mark)` is how many milliseconds after
    `base` that was; for a mark that the device has not passed, it raises an error. A stream passes its marks in order;
    other streams may be ahead or behind. This function never waits.

    Args:
        launches: in their order. Each has `name`, `grid`, `block`, `stream`, `before` and `after`.
        events: of the recording. The event that launched `launches[k]` has `event.kernel` k; events that launched
            nothing have None. They are in the order of their starts, so with several threads the launches of the
            events may be in another order.
        base: a mark that the device passed when the clock of the host showed `base_time`, in nanoseconds.
    Returns:
        a Kernel(name, start, end, grid, block, stream, event) for each launch, in their order. `start` and `end` are
        ns on the clock of the host: `base_time` plus the ns since `base`, rounded to an int for each; both are None if
        the device has not passed the mark after the kernel. `event` is the index in `events`.
    """
    launchers = {event.kernel: number for number, event in enumerate(events)}
    kernels = []
    for number, launch in enumerate(launches):
        start = end = None
        if launch.after.query():
            start, end = (
                base_time + round(base.elapsed_time(mark) * 1_000_000) for mark in (launch.before, launch.after)
            )
        kernels.append(Kernel(launch.name, start, end, launch.grid, launch.block, launch.stream, launchers[number]))
    return kernels


class Device:
    """The recorder source that records kernel launches.

    Args:
        owner: the recorder.
        runtime, launches: `engine.cuda.runtime` and `engine.cuda.launch`.
    """

    def __init__(self, owner: Recorder, runtime: Any, launches: Any):
        self.owner, self.runtime, self.launches = owner, runtime, launches
        self.seen: list[Launch] = []
        runtime.synchronize()
        self.base = runtime.Event(enable_timing=True)
        self.base.record()
        self.base.synchronize()
        self.base_time = perf_counter_ns()
        launches.watch(self.launched)

    def launched(self, name: str, grid: Any, block: Any, stream: Any, run: Any) -> None:
        """Launch a kernel by calling `run`, and record the launch as a host event with a CUDA event on either side."""
        record = self.owner.begin(LAUNCH, CUDA_RUNTIME, RecordScope.FUNCTION)
        if record is None:
            return run()
        before, after = (self.runtime.Event(enable_timing=True) for _ in range(2))
        record[KERNEL] = len(self.seen)
        self.seen.append(Launch(name, as_tuple(grid), as_tuple(block), getattr(stream, "number", 0), before, after))
        try:
            before.record(stream)
            run()
            after.record(stream)
        finally:
            self.owner.end(record)

    def discard(self) -> None:
        """Discard the launches recorded so far."""
        self.seen.clear()

    def stop(self, recording: Recording) -> Recording:
        """Stop recording launches, and return the recording with its kernels."""
        self.launches.unwatch(self.launched)
        kernels = kernels_of(self.seen, recording.events, self.base, self.base_time)
        return dataclasses.replace(recording, kernels=kernels)


def watch(owner: Recorder) -> Device | None:
    """Return a new Device source if the recorder profiles CUDA, which initializes CUDA, else None."""
    if not owner.config.cuda:
        return None
    package = __package__.rpartition(".")[0]
    return Device(owner, *(importlib.import_module(f"{package}.cuda.{name}") for name in ("runtime", "launch")))


recorder.SOURCES.append(watch)
