"""The peak memory of a piece of work: what the process holds beyond what it held before.

Linux only: the high-water mark of a process can be set back there.
"""

import ctypes
import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def peak_bytes(work: Callable[[], Any]) -> int:
    """Peak bytes of one call of `work`, its result included.

    Raises:
        OSError: this system does not tell.
    """
    work()  # what is made once, such as a compiled kernel, is not of the work
    return height(work)


def height(work: Callable[[], Any]) -> int:
    """Peak bytes that one call of `work` takes from the system, beyond what the process holds already.

    Raises:
        OSError: this system does not tell.
    """
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    CLEAR.write_text("5")
    before = _kilobytes("VmRSS")
    result = work()
    after = _kilobytes("VmHWM")
    del result
    return max(0, after - before) * 1024


def _kilobytes(field: str) -> int:
    lines = STATUS.read_text(encoding="utf-8").splitlines()
    return int(next(line for line in lines if line.startswith(f"{field}:")).split()[1])
