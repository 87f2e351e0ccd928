"""What a kernel finds under the name `cuda` while it is recorded: indices, barriers, shared memory, atomics.

All that neither waits nor touches memory (popc, fma, fp16, vector types, ...) is taken from numba's simulator.
Mirrors numba/cuda/simulator/kernelapi.py.
"""

import sys
from collections.abc import Callable
from types import FrameType, SimpleNamespace
from typing import Any, Protocol

import numpy as np

from .arrays import RecordedArray
from .block import CudaThread, Dim3

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
    """What the names below need of the recording: see recording.py."""

    grid: Dim3
    block: Dim3

    @property
    def current(self) -> CudaThread: ...

    def barrier(self, frame: FrameType, vote: Any = None) -> list[Any]: ...
    def new_array(self, space: str, shape: Any, dtype: Any, frame: FrameType) -> RecordedArray: ...
    def constant(self, values: np.ndarray) -> RecordedArray: ...


class KernelCuda:
    """The module `cuda` as seen from within a kernel.

    Args:
        run: the recording that this is part of.
        simulated: numba's own, for all other names.
    """

    warpsize = 32

    def __init__(self, run: Run, simulated: Any):
        self._run = run
        self._simulated = simulated
        self.gridDim = run.grid
        self.blockDim = run.block
        self.atomic = SimpleNamespace(**{name: _atomic(change) for name, change in ATOMICS.items()})
        self.atomic.compare_and_swap = _compare_and_swap
        self.shared = SimpleNamespace(array=self._allocator("shared"))
        self.local = SimpleNamespace(array=self._allocator("local"))
        self.const = SimpleNamespace(array_like=run.constant)
        self.cg = SimpleNamespace(this_grid=self._this_grid)

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._simulated, name)
        except AttributeError:
            raise AttributeError(
                f"cuda.{name} cannot be recorded: numba's simulator, on which the recorder rests, does not have it"
            ) from None

    @property
    def threadIdx(self) -> Dim3:
        return self._run.current.threadIdx

    @property
    def blockIdx(self) -> Dim3:
        return self._run.current.blockIdx

    @property
    def laneid(self) -> int:
        return self._run.current.number % self.warpsize

    def grid(self, ndim: int) -> Any:
        """The thread's place in the whole grid: an int, or a tuple of two or three."""
        thread = self._run.current
        places = [b * n + t for b, n, t in zip(thread.blockIdx, self.blockDim, thread.threadIdx, strict=True)]
        return _first(places, ndim)

    def gridsize(self, ndim: int) -> Any:
        """How many threads the whole grid has, in each of the first dimensions."""
        return _first([b * n for b, n in zip(self.gridDim, self.blockDim, strict=True)], ndim)

    def syncthreads(self) -> None:
        self._run.barrier(sys._getframe(1))

    def syncthreads_count(self, value: Any) -> int:
        return sum(bool(vote) for vote in self._run.barrier(sys._getframe(1), value))

    def syncthreads_and(self, value: Any) -> int:
        return int(all(self._run.barrier(sys._getframe(1), value)))

    def syncthreads_or(self, value: Any) -> int:
        return int(any(self._run.barrier(sys._getframe(1), value)))

    def threadfence(self) -> None:
        """Nothing to do: each access is seen by all at once."""

    threadfence_block = threadfence_system = threadfence

    def _this_grid(self) -> SimpleNamespace:
        if tuple(self.gridDim) != (1, 1, 1):
            raise RuntimeError(
                f"a barrier of the whole grid can be recorded with one block only, the grid is {self.gridDim}"
            )
        return SimpleNamespace(sync=lambda: self._run.barrier(sys._getframe(1)))

    def _allocator(self, space: str) -> Callable[..., RecordedArray]:
        def array(shape: Any, dtype: Any, alignment: int | None = None) -> RecordedArray:
            return self._run.new_array(space, shape, dtype, sys._getframe(1))

        return array


def _first(values: list[int], ndim: int) -> Any:
    if ndim not in (1, 2, 3):
        raise ValueError(f"expected 1, 2 or 3 dimensions of a grid, got {ndim}")
    return values[0] if ndim == 1 else tuple(values[:ndim])


def _atomic(change: Callable[..., Any]) -> Callable[..., Any]:
    def operation(array: RecordedArray, index: Any, *operands: Any) -> Any:
        return array.update(index, lambda old: change(old, *operands), sys._getframe(1))

    return operation


def _compare_and_swap(array: RecordedArray, expected: Any, value: Any) -> Any:
    return array.update((0,) * array.ndim, lambda old: value if old == expected else old, sys._getframe(1))
