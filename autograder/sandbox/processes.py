"""Measure a tree of processes from outside: memory for the watchdog, CPU time for the record."""

import contextlib
import os
import stat
from collections.abc import Iterator

import psutil

SMALLEST = 4096  # bytes that a file costs


def descendants(pid: int) -> Iterator[int]:
    """Yield `pid` and all of its descendants; on Linux this does not scan all processes of the machine."""
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
    """Return the bytes of memory that `pid` and its descendants use, including shared memory but not mapped files."""
    return sum(map(memory_of_one, descendants(pid)))


def memory_of_one(pid: int) -> int:
    """Return the bytes of memory that one process uses, counted as in `memory`; 0 if the process has ended."""
    try:
        with open(f"/proc/{pid}/status", "rb") as status:
            held = [line.split()[1] for line in status if line.startswith((b"RssAnon:", b"RssShmem:"))]
        return sum(map(int, held)) << 10
    except FileNotFoundError:
        return _psutil_memory(pid)
    except OSError:
        return 0


def _psutil_memory(pid: int) -> int:
    try:
        return psutil.Process(pid).memory_info().rss
    except psutil.Error:
        return 0


def size_of(folder: str) -> int:
    """Return the bytes that a folder occupies, counting each file as at least one page."""
    total, waiting = 0, [folder]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                total += max(status.st_blocks * 512, SMALLEST)
                if stat.S_ISDIR(status.st_mode):
                    waiting.append(entry.path)
    return total


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of `pid`, its descendants, and the child processes that they have waited for."""
    seconds = 0.0
    for process in descendants(pid):
        with contextlib.suppress(psutil.Error):
            seconds += sum(psutil.Process(process).cpu_times()[:4])
    return seconds
