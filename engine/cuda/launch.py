"""The one place where kernels start: how many blocks and threads, on which stream, and who wants to know.

Mirrors the launch macros of aten/src/ATen/native/cuda (CUDALoops.cuh, launch_kernel) and c10/cuda/CUDAException.h.
"""

import threading
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from .driver import is_simulated
from .runtime import Stream, current_stream

Dim = int | tuple[int, ...]


class Shape(NamedTuple):
    """The launch configuration for one kind of kernel.

    Args:
        threads: of a block; a power of two.
        blocks: of a grid at most; a kernel that has more to do goes on in steps of the grid.
    """

    threads: int
    blocks: int


# fmt: off
ON_DEVICE = {
    "elementwise": Shape(256, 1 << 20),
    "reduction":   Shape(256, 1 << 16),  # one block an output, or a part of one; a row of softmax
    "row":         Shape(256, 1 << 16),  # one block a row: layer_norm
    "tile":        Shape(16, 1 << 16),   # threads of a side of a square block
}
# A thread of the simulator costs more than the element that it computes: few threads, and still several blocks.
ON_SIMULATOR = {
    "elementwise": Shape(4, 2),
    "reduction":   Shape(4, 4),
    "row":         Shape(4, 4),
    "tile":        Shape(4, 4),
}
# fmt: on
SHAPES = ON_SIMULATOR if is_simulated() else ON_DEVICE

Listener = Callable[[str, Dim, Dim, Stream, Callable[[], None]], None]
_listeners: tuple[Listener, ...] = ()
_simulator = threading.RLock()  # it runs one kernel at a time


def grid_of(kind: str, count: int) -> tuple[int, int]:
    """Return (blocks, threads per block) for `count` indices: one per thread, or a grid-stride loop if they are many.

    Args:
        kind: a row of `SHAPES`.
    """
    threads, blocks = SHAPES[kind]
    return max(1, min(blocks, -(-count // threads))), threads


def blocks_of(kind: str, count: int) -> tuple[int, int]:
    """Return (blocks, threads per block) for `count` pieces: one per block, or a grid-stride loop if they are many."""
    threads, blocks = SHAPES[kind]
    return max(1, min(blocks, count)), threads


def launch(kernel: Any, grid: Dim, block: Dim, *arguments: Any) -> None:
    """Launch a kernel on the current stream; on a GPU this is asynchronous.

    Args:
        kernel: a function under `@cuda.jit`.
        grid, block: how many blocks, how many threads of each; an int or up to three.
    Raises:
        RuntimeError: numba or the driver refused; with the kernel's name and its shape.
    """
    stream = current_stream()
    if _listeners:
        return _told(kernel, grid, block, stream, arguments)
    _start(kernel, grid, block, stream, arguments)


def _start(kernel: Any, grid: Dim, block: Dim, stream: Stream, arguments: tuple) -> None:
    if not is_simulated():
        kernel[grid, block, stream.queue](*arguments)
        return
    with _simulator, warnings.catch_warnings():
        # Where a GPU gives inf or nan in silence, NumPy warns, in threads that no np.errstate reaches.
        warnings.simplefilter("ignore", RuntimeWarning)
        kernel[grid, block](*arguments)


def _told(kernel: Any, grid: Dim, block: Dim, stream: Stream, arguments: tuple) -> None:
    def run() -> None:
        _start(kernel, grid, block, stream, arguments)

    for listener in _listeners:
        run = _around(listener, kernel.py_func.__qualname__, grid, block, stream, run)
    run()


def _around(
    listener: Listener, name: str, grid: Dim, block: Dim, stream: Stream, run: Callable[[], None]
) -> Callable[[], None]:
    return lambda: listener(name, grid, block, stream, run)


def watch(listener: Listener) -> None:
    """Call `listener(name, grid, block, stream, run)` around each later launch; it must call `run()` once."""
    global _listeners
    _listeners = (*_listeners, listener)


def unwatch(listener: Listener) -> None:
    """Stop calling `listener` around launches."""
    global _listeners
    _listeners = tuple(other for other in _listeners if other is not listener)
