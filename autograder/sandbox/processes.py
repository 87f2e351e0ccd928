"""What a tree of processes uses, measured from outside: memory for the watchdog, CPU time for the record."""

import contextlib
import os
from collections.abc import Iterator

import psutil

PAGE = os.sysconf("SC_PAGE_SIZE")


def descendants(pid: int) -> Iterator[int]:
    """`pid` and every process below it. On Linux without a walk over all processes of the machine."""
    if not os.path.isdir("/proc/self/task"):
        yield pid
        yield from (child.pid for child in psutil.Process(pid).children(recursive=True))
        return
    waiting = [pid]
    while waiting:
        process = waiting.pop()
        yield process
        try:
            for thread in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{thread}/children") as children:
                    waiting += map(int, children.read().split())
        except OSError:  # it ended meanwhile
            continue


def memory(pid: int) -> int:
    """Bytes that the processes below `pid` hold for themselves; files and shared memory are not counted."""
    total = 0
    for process in descendants(pid):
        try:
            with open(f"/proc/{process}/statm") as statm:
                _, resident, shared, *_ = map(int, statm.read().split())
            total += (resident - shared) * PAGE
        except FileNotFoundError:
            total += _psutil_memory(process)
        except OSError:
            continue
    return total


def _psutil_memory(pid: int) -> int:
    try:
        return psutil.Process(pid).memory_info().rss
    except psutil.Error:
        return 0


def cpu_seconds(pid: int) -> float:
    """CPU seconds of the processes below `pid` and of those that they have waited for."""
    seconds = 0.0
    for process in descendants(pid):
        with contextlib.suppress(psutil.Error):
            seconds += sum(psutil.Process(process).cpu_times()[:4])
    return seconds
