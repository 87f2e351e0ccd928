"""numba's simulator with the recorder's way to run a block: the same results, and far sooner where threads wait.

The simulator starts an OS thread for each CUDA thread and asks them in a loop whether they wait at a barrier: a sum of
8 threads takes it 40 ms of processor time, and 2 ms this way. What is lost: threads that wait for each other in a loop
of their own, without a barrier, wait for ever.
"""

import functools
import math
import sys
from collections.abc import Callable
from typing import Any

from .block import Dim3, KernelFailed, Scheduler, threads_of


class BlockManager:
    """A replacement for `BlockManager` of numba/cuda/simulator/kernel.py, with the same arguments.

    It is also what the simulator's `cuda` asks the current OS thread for: indices and barriers.
    """

    numbas: Any = None  # the one that this one replaces

    def __init__(self, f: Callable[..., None], grid_dim: Any, block_dim: Any, debug: bool):
        self._function = f
        self._block_dim = Dim3(*block_dim)
        self._scheduler: Scheduler

    def run(self, grid_point: Any, *args: Any) -> None:
        """Run the block at `grid_point` of the grid.

        Raises:
            What the kernel raises, of the same type; with thread and block before the message.
        """
        self._scheduler = Scheduler(functools.partial(self._function, *args), self, math.inf)
        try:
            self._scheduler.run_block(threads_of(0, Dim3(*grid_point), self._block_dim))
        except KernelFailed as failure:
            error, thread = failure.error or failure, failure.thread
            where = f"tid={list(thread.threadIdx)} ctaid={list(thread.blockIdx)}"
            kind: type = type(error)
            raise kind(f"{where}: {error}").with_traceback(error.__traceback__) from None
        finally:
            self._scheduler.close()

    @property
    def threadIdx(self) -> Dim3:
        return self._scheduler.current.threadIdx

    @property
    def blockIdx(self) -> Dim3:
        return self._scheduler.current.blockIdx

    @property
    def thread_id(self) -> int:
        return self._scheduler.current.number

    def syncthreads(self) -> None:
        self._scheduler.wait()

    def syncthreads_count(self, value: Any) -> int:
        return sum(map(bool, self._scheduler.wait(value)))

    def syncthreads_and(self, value: Any) -> int:
        return int(all(self._scheduler.wait(value)))

    def syncthreads_or(self, value: Any) -> int:
        return int(any(self._scheduler.wait(value)))


def shared_arrays(numbas: Any) -> Any:
    """Return a subclass of numba's class for shared memory, with one array for each call instead of each line."""

    class SharedArrays(numbas):  # type: ignore[valid-type, misc]
        def __init__(self, nbytes: int):
            super().__init__(nbytes)
            self._of_call: dict[tuple[Any, int], Any] = {}

        def array(self, shape: Any, dtype: Any, *alignment: Any) -> Any:
            if shape == 0:  # dynamic shared memory, which all calls share
                return super().array(shape, dtype, *alignment)
            caller = sys._getframe(1)
            call = caller.f_code, caller.f_lasti
            if call not in self._of_call:
                self._allocations.clear()  # by line
                self._of_call[call] = super().array(shape, dtype, *alignment)
            return self._of_call[call]

    return SharedArrays


def install() -> None:
    """Make numba's simulator in this process run blocks with this `BlockManager`."""
    from numba.cuda.simulator import kernel, kernelapi

    if kernel.BlockManager is not BlockManager:
        BlockManager.numbas = kernel.BlockManager
        kernel.BlockManager = BlockManager  # type: ignore[assignment, misc]
        kernelapi.FakeCUDAShared = shared_arrays(kernelapi.FakeCUDAShared)  # type: ignore[misc]
