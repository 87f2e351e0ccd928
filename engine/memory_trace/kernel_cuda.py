"""The module `cuda` that a kernel sees while it is recorded: indices, barriers, shared memory, atomics.

All that neither waits nor touches memory (popc, fma, fp16, vector types, ...) is taken from numba's simulator.
Mirrors numba/cuda/simulator/kernelapi.py.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

import numpy as np

from .arrays import RecordedArray, update
from .block import CudaThread, Dim3
from .frozen import namespace

# operation -> what the cell holds afterwards, from what it held and the operands (CUDA C++ Programming Guide, atomics)
ATOMICS: dict[str, Callable[..., Any]] = {
    "add":    lambda old, value: old + value,
    "sub":    lambda old, value: old - value,
    "and_":   lambda old, value: old & value,
    "or_":    lambda old, value: old | value,
    "xor":    lambda old, value: old ^ value,
    "inc":    lambda old, value: 0 if old >= value else old + 1,
    "dec":    lambda old, value: value if old == 0 or old > value else old - 1,
    "exch":   lambda old, value: value,
    "max":    lambda old, value: max(old, value),
    "min":    lambda old, value: min(old, value),
    "nanmax": lambda old, value: np.fmax(old, value),
    "nanmin": lambda old, value: np.fmin(old, value),
    "cas":    lambda old, expected, value: value if old == expected else old,
}  # fmt: skip


class Run(Protocol):
    """The parts of a recording that the functions below need: see recording.py."""

    grid: Dim3
    block: Dim3

    @property
    def current(self) -> CudaThread: ...

    def barrier(self, frame: FrameType, vote: Any = None) -> list[Any]: ...
    def new_array(self, space: str, shape: Any, dtype: Any, frame: FrameType) -> RecordedArray: ...
    def constant(self, values: np.ndarray) -> RecordedArray: ...


WARP_SIZE = 32


def kernel_cuda(run: Run, simulated: Any) -> Any:
    """Return the `cuda` module that a recorded kernel sees; its attributes expose nothing of the recorder.

    Args:
        run: the recording that this is part of.
        simulated: numba's own, for all other names.
    """

    def other(name: str) -> Any:
        try:
            return getattr(simulated, name)
        except AttributeError:
            raise AttributeError(
                f"cuda.{name} cannot be recorded: numba's simulator, on which the recorder rests, does not have it"
            ) from None

    made = {
        "warpsize": WARP_SIZE,
        "atomic": namespace("atomic", _atomics()),
        "shared": namespace("shared", {"array": _allocator(run, "shared")}),
        "local": namespace("local", {"array": _allocator(run, "local")}),
        "const": namespace("const", {"array_like": lambda values: run.constant(values)}),
        "cg": namespace("cg", {"this_grid": lambda: _this_grid(run)}),
    }
    return namespace("cuda", made | _places(run) | _barriers(run), other)


def _places(run: Run) -> dict[str, Any]:
    def grid(ndim: int) -> Any:
        """Return the thread's place in the whole grid: an int, or a tuple of two or three."""
        thread = run.current
        places = [b * n + t for b, n, t in zip(thread.blockIdx, run.block, thread.threadIdx, strict=True)]
        return _first(places, ndim)

    def gridsize(ndim: int) -> Any:
        """Return the number of threads of the whole grid, in each of the first dimensions."""
        return _first([b * n for b, n in zip(run.grid, run.block, strict=True)], ndim)

    return {
        "grid": grid,
        "gridsize": gridsize,
        "gridDim": run.grid,
        "blockDim": run.block,
        "threadIdx": property(lambda _: run.current.threadIdx),
        "blockIdx": property(lambda _: run.current.blockIdx),
        "laneid": property(lambda _: run.current.number % WARP_SIZE),
    }


def _barriers(run: Run) -> dict[str, Callable]:
    def syncthreads() -> None:
        run.barrier(sys._getframe(1))

    def syncthreads_count(value: Any) -> int:
        return sum(bool(vote) for vote in run.barrier(sys._getframe(1), value))

    def syncthreads_and(value: Any) -> int:
        return int(all(run.barrier(sys._getframe(1), value)))

    def syncthreads_or(value: Any) -> int:
        return int(any(run.barrier(sys._getframe(1), value)))

    def threadfence() -> None:
        """Do nothing: each access is seen by all at once."""

    waiting = (syncthreads, syncthreads_count, syncthreads_and, syncthreads_or)
    fences = dict.fromkeys(("threadfence", "threadfence_block", "threadfence_system"), threadfence)
    return {function.__name__: function for function in waiting} | fences


def _this_grid(run: Run) -> Any:
    if tuple(run.grid) != (1, 1, 1):
        raise RuntimeError(f"a barrier of the whole grid can be recorded with one block only, the grid is {run.grid}")

    def sync() -> None:
        run.barrier(sys._getframe(1))

    return namespace("this_grid", {"sync": sync})


def _allocator(run: Run, space: str) -> Callable[..., RecordedArray]:
    def array(shape: Any, dtype: Any, alignment: int | None = None) -> RecordedArray:
        return run.new_array(space, shape, dtype, sys._getframe(1))

    return array


def _atomics() -> dict[str, Callable]:
    return {name: _atomic(change) for name, change in ATOMICS.items()} | {"compare_and_swap": _compare_and_swap}


def _first(values: list[int], ndim: int) -> Any:
    if ndim not in (1, 2, 3):
        raise ValueError(f"expected 1, 2 or 3 dimensions of a grid, got {ndim}")
    return values[0] if ndim == 1 else tuple(values[:ndim])


def _atomic(change: Callable[..., Any]) -> Callable[..., Any]:
    def operation(array: RecordedArray, index: Any, *operands: Any) -> Any:
        return update(array, index, lambda old: change(old, *operands), sys._getframe(1))

    return operation


def _compare_and_swap(array: RecordedArray, expected: Any, value: Any) -> Any:
    return update(array, (0,) * array.ndim, lambda old: value if old == expected else old, sys._getframe(1))
