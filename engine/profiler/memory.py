"""The memory of storages in a profile: what is taken and what is given back, while it is on.

Only memory that was taken while it is on is seen when it is given back, as in PyTorch.
Mirrors reportMemoryUsage (c10/core/CPUAllocator.cpp, torch/csrc/autograd/profiler_kineto.cpp).
"""

import dataclasses
import importlib
import weakref
from threading import get_ident
from time import perf_counter_ns
from typing import Any

import numpy as np

from ..aten import empty_tensor
from ..backend import BACKENDS
from . import recorder
from .events import Allocation, DeviceType, Recording
from .places import PLACES, Function, Place
from .recorder import Recorder

Change = tuple[int, int, int, DeviceType, int]
"""time, bytes, thread as Python calls it, device, address."""


class Memory:
    """The recorder source that records allocations and frees.

    Attributes:
        changes: in the order in which they came.
        alive: address -> what tells when an array of NumPy's, which is the memory of a storage, goes.
    """

    def __init__(self, owner: Recorder):
        self.owner = owner
        self.changes: list[Change] = []
        self.alive: dict[int, weakref.ref[np.ndarray]] = {}
        if owner.config.cuda:
            device_memory().watch(self.on_device)

    def taken(self, cells: np.ndarray) -> np.ndarray:
        """Record the allocation of an array, and its free when the array is deleted; return the array."""
        owner = cells if cells.base is None else cells.base
        nbytes, address = cells.nbytes, owner.__array_interface__["data"][0]
        if nbytes:
            self.changes.append((perf_counter_ns(), nbytes, get_ident(), DeviceType.CPU, address))

            def gone(_: Any) -> None:
                self.changes.append((perf_counter_ns(), -nbytes, get_ident(), DeviceType.CPU, address))

            self.alive[address] = weakref.ref(owner, gone)
        return cells

    def on_device(self, nbytes: int) -> None:
        """Record an allocation by the device's allocator, or a free if `nbytes` is negative."""
        self.changes.append((perf_counter_ns(), nbytes, get_ident(), DeviceType.CUDA, 0))

    def discard(self) -> None:
        """Discard the allocations recorded so far; their frees are not recorded either."""
        self.changes.clear()
        self.alive.clear()

    def stop(self, recording: Recording) -> Recording:
        """Stop recording memory, and return the recording with its allocations."""
        global _memory
        _memory = None
        self.alive.clear()
        if self.owner.config.cuda:
            device_memory().unwatch(self.on_device)
        numbers = {thread: number for thread, (number, _, _) in self.owner.threads.items()}
        return dataclasses.replace(recording, allocations=allocations_of(self.changes, numbers))


def allocations_of(changes: list[Change], threads: dict[int, int]) -> list[Allocation]:
    """Return the changes on the recording's threads as Allocations, each with the total bytes in use after it.

    Args:
        changes: in any order.
        threads: thread as Python calls it -> its number. The changes of others count for what is in use only.
    Returns:
        in the order of time. `total` counts the bytes of its own device.
    """
    totals = dict.fromkeys(DeviceType, 0)
    found = []
    for time, nbytes, thread, device, address in sorted(changes, key=lambda change: change[0]):
        totals[device] += nbytes
        if thread in threads:
            found.append(Allocation(time, nbytes, threads[thread], device, address, totals[device]))
    return found


_memory: Memory | None = None  # of the recorder that is on, if it looks at memory


def around_allocation(owner: Recorder, allocate: Function) -> Function:
    """Wrap the function that allocates the memory of a storage, so that each allocation is recorded."""
    if not owner.config.profile_memory:
        return allocate

    def noted(*arguments: Any) -> np.ndarray:
        cells = allocate(*arguments)
        return cells if _memory is None else _memory.taken(cells)

    return noted


def watch(owner: Recorder) -> Memory | None:
    """Start noting allocations, and return their source; None if the recorder does not profile memory."""
    global _memory
    _memory = Memory(owner) if owner.config.profile_memory else None
    return _memory


def device_memory() -> Any:
    """Import and return the module of the device's allocator, which initializes CUDA."""
    return importlib.import_module("..cuda.memory", __package__)


PLACES += [
    Place(BACKENDS["cpu"], "allocate", around_allocation),
    Place(empty_tensor, "allocate", around_allocation),
    Place(empty_tensor, "_empty", around_allocation),
]
recorder.SOURCES.append(watch)
