"""Streams and events: the order of the device's work, and when it is done. Mirrors torch/cuda/streams.py.

A kernel's launch returns before the kernel has run. Work in one stream runs in its order; `synchronize` waits for it.
The simulator runs each kernel before the launch returns: its events hold the time of the host's clock. Still an event
has happened, for those who ask, only when someone has waited for it, so that a program that forgets to is found out
without a GPU.
"""

import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .driver import cuda, is_simulated

_numbers = itertools.count(1)
_marks = itertools.count(1)
_waited_for = [0]
"""The order of the last event that someone has waited for."""
new_event: Any = cuda.event


def note_wait(order: int | None = None) -> None:
    """Record that the host has waited for an event or, if `order` is None, for all work so far."""
    _waited_for[0] = max(_waited_for[0], next(_marks) if order is None else order)


def to_host(cells: Any) -> np.ndarray:
    """Copy a device array to host memory, after all earlier work is done."""
    copied = cells.copy_to_host()
    note_wait()
    return copied


class Stream:
    """A queue of work on the device.

    Attributes:
        number: 0 for the default stream, 1, 2, ... for those that programs make.
        queue: numba's stream.
    """

    def __init__(self, device: Any = None, priority: int = 0):
        self.number = next(_numbers)
        self.queue: Any = cuda.stream()

    @classmethod
    def default(cls) -> "Stream":
        """Return the default stream."""
        made = cls.__new__(cls)
        made.number, made.queue = 0, 0 if is_simulated() else cuda.default_stream()
        return made

    def synchronize(self) -> None:
        """Wait until all work in the stream is done."""
        if self.queue:
            self.queue.synchronize()
        else:
            cuda.synchronize()
        note_wait()

    def query(self) -> bool:
        """Return True if all work in the stream is done."""
        return is_simulated() or self.record_event().query()

    def record_event(self, event: "Event | None" = None) -> "Event":
        """Record an event, a new one by default, after the work so far, and return it."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: "Event") -> None:
        """Make later work in the stream wait for an event."""
        event.wait(self)

    def wait_stream(self, stream: "Stream") -> None:
        """Make later work in the stream wait for everything queued on another stream so far."""
        self.wait_event(stream.record_event())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other.number == self.number

    def __hash__(self) -> int:
        return hash(self.number)

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream number={self.number}>"


class Event:
    """A mark in a stream that is reached when all work before it is done.

    Args:
        enable_timing: whether `elapsed_time` may be asked.
    Attributes:
        is_host_clock: whether its time is the host's, as on the simulator, where work is done before a launch returns.
        order: which of all that were recorded it is.
    """

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False):
        self.enable_timing = enable_timing
        self.is_host_clock = is_simulated()
        self._mark: Any = None if self.is_host_clock else new_event(timing=enable_timing)
        self._recorded, self.order = False, 0

    def record(self, stream: Stream | None = None) -> None:
        """Record the event in a stream, behind all work queued so far."""
        if self.is_host_clock:
            self._mark = time.perf_counter()
        else:
            self._mark.record((stream or current_stream()).queue)
        self._recorded, self.order = True, next(_marks)

    def query(self) -> bool:
        """Return True if the event has happened, or was never recorded, as in PyTorch."""
        if not self._recorded:
            return True
        return self.order <= _waited_for[0] if self.is_host_clock else bool(self._mark.query())

    def synchronize(self) -> None:
        """Wait until the event has happened."""
        if self._recorded and not self.is_host_clock:
            self._mark.synchronize()
        note_wait(self.order)

    def wait(self, stream: Stream | None = None) -> None:
        """Make later work in a stream wait for the event."""
        if self._recorded and not self.is_host_clock:
            self._mark.wait((stream or current_stream()).queue)

    def elapsed_time(self, end_event: "Event") -> float:
        """Return the milliseconds from this event to another one.

        Raises:
            ValueError: one of the two was made without enable_timing, or is not recorded.
            RuntimeError: one of the two has not happened yet.
        """
        for event in (self, end_event):
            if not event.enable_timing:
                raise ValueError("Both events must be created with argument 'enable_timing=True'.")
            if not event._recorded:
                raise ValueError("Both events must be recorded before calculating elapsed time.")
        if not (self.query() and end_event.query()):
            raise RuntimeError(
                "Both events must be completed before calculating elapsed time: call synchronize() first"
            )
        if self.is_host_clock:
            return (end_event._mark - self._mark) * 1e3
        return float(self._mark.elapsed_time(end_event._mark))

    def __repr__(self) -> str:
        return f"<torch.cuda.Event{' of the host clock' if self.is_host_clock else ''}>"


_default = Stream.default()


class _Current(threading.local):
    stream = _default


_current = _Current()


def default_stream(device: Any = None) -> Stream:
    """Return the default stream."""
    return _default


def current_stream(device: Any = None) -> Stream:
    """Return the stream to which this thread's work goes now."""
    return _current.stream


@contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """Send this thread's work to a stream inside a `with` block; None changes nothing."""
    before = _current.stream
    _current.stream = stream or before
    try:
        yield
    finally:
        _current.stream = before


def synchronize(device: Any = None) -> None:
    """Wait until the device has finished all work."""
    cuda.synchronize()
    note_wait()
