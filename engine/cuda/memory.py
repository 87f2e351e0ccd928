"""Memory of the GPU: cells for storages out of the caching allocator, and how much of it there is.

Mirrors torch/cuda/memory.py and c10/cuda/CUDACachingAllocator.cpp.
"""

import threading
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from . import runtime
from .caching_allocator import Block, CachingAllocator
from .driver import cuda


class OutOfMemoryError(RuntimeError):
    """The device has too little free memory for a request."""


def _reserve(nbytes: int) -> Any:
    try:
        return cuda.device_array(nbytes, np.uint8)
    except Exception as error:
        if isinstance(error, MemoryError) or "OUT_OF_MEMORY" in str(error):
            raise MemoryError(str(error)) from error
        raise


_lock = threading.RLock()
_freed: deque[Block] = deque()  # by storages that died, maybe while the allocator was at work
_allocator = CachingAllocator(_reserve, lambda memory: None)  # numba frees what nobody holds any more
_watchers: list[Callable[[int], None]] = []


def _take_back() -> None:
    while _freed:
        _allocator.free(_freed.popleft())


def _died(block: Block) -> None:
    _freed.append(block)
    for watcher in _watchers:
        watcher(-block.nbytes)


def allocate(nbytes: int) -> Any:
    """Allocate uninitialized device memory, a 1-D uint8 array; reuse it once nothing refers to the array.

    Raises:
        OutOfMemoryError: there is no room; with what was asked, is in use, and is reserved.
    """
    if not nbytes:
        return np.empty(0, np.uint8)  # numba has no slices without elements on a device
    with _lock:
        _take_back()
        try:
            block = _allocator.malloc(nbytes, runtime.current_stream().number)
        except MemoryError as error:
            raise OutOfMemoryError(
                f"CUDA out of memory. Tried to allocate {_mib(nbytes)}. {_mib(_allocator.allocated)} are allocated by "
                f"tensors, {_mib(_allocator.reserved)} reserved by the allocator; the device has no more. Free "
                "tensors, or call empty_cache() if other programs need what is reserved."
            ) from error
        cells = block.segment.memory[block.offset : block.offset + nbytes]
    weakref.finalize(cells, _died, block).atexit = False
    for watcher in _watchers:
        watcher(block.nbytes)
    return cells


def _mib(nbytes: int) -> str:
    return f"{nbytes / 2**20:.2f} MiB"


def watch(watcher: Callable[[int], None]) -> None:
    """Call `watcher` with the bytes of each allocation, and with negative bytes at each free."""
    _watchers.append(watcher)


def unwatch(watcher: Callable[[int], None]) -> None:
    """Stop calling `watcher`."""
    _watchers.remove(watcher)


def memory_allocated(device: Any = None) -> int:
    """Return the bytes of blocks that tensors hold; the size of each block is a multiple of 512."""
    with _lock:
        _take_back()
        return _allocator.allocated


def max_memory_allocated(device: Any = None) -> int:
    """Return the peak of `memory_allocated` since the start, or since `reset_peak_memory_stats`."""
    return _allocator.max_allocated


def memory_reserved(device: Any = None) -> int:
    """Return the bytes that the allocator has reserved on the device, including those that no tensor holds."""
    return _allocator.reserved


def max_memory_reserved(device: Any = None) -> int:
    """Return the peak of `memory_reserved` since the start, or since `reset_peak_memory_stats`."""
    return _allocator.max_reserved


def reset_peak_memory_stats(device: Any = None) -> None:
    """Reset the peaks of `max_memory_allocated` and `max_memory_reserved` to the current numbers."""
    with _lock:
        _take_back()
        _allocator.reset_peak()


def empty_cache() -> None:
    """Free all unused segments, so that other programs can use the memory."""
    with _lock:
        _take_back()
        _allocator.empty_cache()


def memory_stats(device: Any = None) -> dict[str, int]:
    """Return the allocator's statistics in bytes and counts, by PyTorch's names."""
    return {
        "allocated_bytes.all.current": memory_allocated(),
        "allocated_bytes.all.peak": max_memory_allocated(),
        "reserved_bytes.all.current": memory_reserved(),
        "reserved_bytes.all.peak": max_memory_reserved(),
        "segment.all.current": len(_allocator.segments),
        "active.all.current": sum(not block.is_free for segment in _allocator.segments for block in segment.blocks),
    }


def memory_summary(device: Any = None) -> str:
    """Return the numbers of `memory_stats` as a table."""
    return "\n".join(f"{name:<30}{value:>16,}" for name, value in memory_stats().items())
