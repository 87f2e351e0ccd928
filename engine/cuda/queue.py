"""The queues between a program and a device, as a model in whole numbers: which waits for which, and until when.

A launch puts a kernel at the end of a stream and returns; the device runs it when all that is before it in the
stream is done. So the clock of the host says when kernels were *given*, and only events say when they *ran*. A program
is a list of calls here, and `schedule` says when each of them returns and when its work runs. Times are microseconds.
PyTorch has no counterpart; the rules come from the CUDA C++ Programming Guide, "Asynchronous Concurrent Execution",
for streams that do not wait for the default stream.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

Call = tuple
"""("launch", stream, duration), ("record", stream, event), ("wait", stream, event), ("synchronize", stream or None)
or ("host", duration)."""


class Times(NamedTuple):
    """The times of one call of a program.

    Attributes:
        returned: when the host has the call behind it.
        begin, end: from when to when its work runs on the device; of what gives the device nothing to do, `returned`.
    """

    returned: int
    begin: int
    end: int


def schedule(calls: Sequence[Call], overhead: int) -> list[Times]:
    """Return the times at which each call of a program returns, begins on the device, and ends there.

    The host makes the calls one after the other, from time 0 on. Each costs it `overhead`, and reaches the device when
    this is over.

        ("launch", s, d)        a kernel that runs for d. It begins when the call has reached the device and all earlier
                                work of stream s is done. The host does not wait.
        ("record", s, e)        event e happens when all earlier work of s is done, and no earlier than the call has
                                reached the device. The host does not wait.
        ("wait", s, e)          later work of s does not begin before event e, as it was recorded last before this call.
                                If it never was, there is nothing to wait for. The host does not wait.
        ("synchronize", s)      the host waits until all work of s is done; None: all work of all streams.
        ("host", d)             the host works for d by itself, without overhead.

    Args:
        calls: the program; it may have thousands of calls, and is not changed. Streams are ints, events any names, also
            ints; durations are ints, at least 0, in microseconds, never bools or floats.
        overhead: of each call but "host", in microseconds; an int, at least 0.
    Returns:
        A list of the `Times` of each call, all ints. `begin` and `end` of a record are when the event happens. Both of
        a wait are the earliest time at which later work of the stream can begin: the call has reached the device, all
        earlier work of the stream is done, and the event has happened. Both of a call that gives the device nothing to
        do (`synchronize`, `host`) are `returned`.

    Source: none in PyTorch; CUDA C++ Programming Guide, "Asynchronous Concurrent Execution".

    >>> schedule([("launch", 0, 100), ("launch", 0, 50), ("synchronize", None)], 5)[1:]
    [Times(returned=10, begin=105, end=155), Times(returned=155, begin=155, end=155)]
    """
    now = 0
    free: dict[int, int] = defaultdict(int)  # stream -> when all that it was given is done
    happens: dict[object, int] = defaultdict(int)  # event -> when
    times = []
    for call in calls:
        match call:
            case "launch", stream, duration:
                now += overhead
                begin = max(now, free[stream])
                end = free[stream] = begin + duration
            case "record", stream, event:
                now += overhead
                begin = end = free[stream] = happens[event] = max(now, free[stream])
            case "wait", stream, event:
                now += overhead
                begin = end = free[stream] = max(now, free[stream], happens[event])
            case "synchronize", None:
                begin = end = now = max([now + overhead, *free.values()])
            case "synchronize", stream:
                begin = end = now = max(now + overhead, free[stream])
            case "host", duration:
                now += duration
                begin = end = now
        times.append(Times(now, begin, end))
    return times


def elapsed_time(calls: Iterable[Call], times: Iterable[Times], start: object, end: object) -> int:
    """Return the time between two events of a program, each taken at its last record.

    Raises:
        KeyError: one of them was not recorded.
    """
    happens = {call[2]: time.end for call, time in zip(calls, times, strict=True) if call[0] == "record"}
    return happens[end] - happens[start]
