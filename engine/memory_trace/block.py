"""Runs the threads of a kernel, one at a time: each until it ends or waits at a barrier, then the next one.

numba's simulator starts an OS thread for each CUDA thread of a block, and polls them. Here an OS thread runs one CUDA
thread after another and only stays with one that waits at a barrier. The order is always the same, so a trace is too.
Mirrors numba/cuda/simulator/kernel.py, BlockManager.
"""

import itertools
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..utils.async_exceptions import raise_in, withdraw

STACK = 512 * 1024  # bytes of an OS thread: a block may have 1,024, and an address space may be limited


class Dim3(NamedTuple):
    """Sizes or indices in three dimensions, as of `cuda.threadIdx` and `cuda.blockDim`."""

    x: int
    y: int
    z: int


class CudaThread:
    """A thread of the grid: its indices, and how often it has executed each instruction."""

    __slots__ = ("block", "number", "blockIdx", "threadIdx", "executed", "vote")

    def __init__(self, block: int, number: int, block_index: Dim3, thread_index: Dim3):
        self.block = block
        self.number = number
        self.blockIdx = block_index
        self.threadIdx = thread_index
        self.executed: dict[int, int] = {}
        self.vote: Any = None  # what it brought to a barrier that counts


class KernelFailed(Exception):
    """The error raised when a thread of the kernel raises or does not end; `place` is the file and line."""

    def __init__(self, thread: CudaThread, place: tuple[str, int], error: BaseException | None):
        super().__init__(error)
        self.thread = thread
        self.place = place
        self.error = error


class _Stopped(BaseException):
    """Ends what an OS thread runs; no `except Exception` of a kernel catches it."""


class BlockThread(threading.Thread):
    """An OS thread with the attributes of numba's simulator threads: `threading.current_thread().syncthreads()`."""

    def __init__(self, target: Callable[["Worker"], None], worker: "Worker", kernel_cuda: Any):
        self._kernel_cuda = kernel_cuda
        super().__init__(target=target, args=(worker,), daemon=True)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_kernel_cuda"], name)


class Worker:
    """An OS thread, and the lock on which it waits for its turn."""

    __slots__ = ("turn", "thread", "runs")

    def __init__(self, target: Callable[["Worker"], None], kernel_cuda: Any):
        self.turn = threading.Lock()
        self.turn.acquire()
        self.runs: CudaThread | None = None
        self.thread = BlockThread(target, self, kernel_cuda)
        before = threading.stack_size(STACK)
        try:
            self.thread.start()
        finally:
            threading.stack_size(before)


class Scheduler:
    """A scheduler that lets the threads of a block run one at a time.

    Args:
        body: runs the kernel for the thread that has the turn, `current`.
        kernel_cuda: what the kernel sees as `cuda`.
        seconds: how long all blocks together may take.
    """

    def __init__(self, body: Callable[[], None], kernel_cuda: Any, seconds: float):
        self._body = body
        self._kernel_cuda = kernel_cuda
        self._until = time.monotonic() + seconds
        self._waiting: list[Worker] = []  # at the barrier
        self._released: deque[Worker] = deque()  # past it, until they have had their turn
        self._idle: list[Worker] = []
        self._workers: list[Worker] = []
        self._new: Iterator[CudaThread] = iter(())
        self._next: CudaThread | None = None
        self._block_done = threading.Lock()
        self._block_done.acquire()
        self._failure: KernelFailed | None = None
        self._stopping = False
        self._votes: list[Any] = []
        self.current: CudaThread = None  # type: ignore[assignment]  # there is none between blocks
        self._running: Worker = None  # type: ignore[assignment]

    def run_block(self, threads: Iterator[CudaThread]) -> None:
        """Run all threads of a block until they end.

        Raises:
            KernelFailed: one of them raised, or time is up.
        """
        self._new = threads
        self._next = next(self._new)
        self._pass_on()
        left = max(0.0, self._until - time.monotonic())
        try:
            if not self._block_done.acquire(timeout=min(left, threading.TIMEOUT_MAX)):
                self._failure = self._unfinished()
        except KeyboardInterrupt as stop:
            raise stop from self._unfinished()
        if self._failure is not None:
            raise self._failure

    def _unfinished(self) -> KernelFailed:
        """Return the failure of the thread that runs now, which has not come to its end."""
        place = innermost(sys._current_frames().get(self._running.thread.ident or 0))
        return KernelFailed(self.current, place, None)

    def wait(self, vote: Any = None) -> list[Any]:
        """Block the current thread until all threads of its block that have not ended wait, too; return their votes."""
        thread, worker = self.current, self._running
        thread.vote = vote
        self._waiting.append(worker)
        self._pass_on()
        worker.turn.acquire()
        if self._stopping:
            raise _Stopped
        self.current, self._running = thread, worker
        return self._votes

    def close(self) -> None:
        """Stop all OS threads, even in the middle of a kernel."""
        self._stopping = True
        has_raised = False
        for worker in self._workers:
            if worker.runs is not None and worker is self._running:
                raise_in(worker.thread.ident or 0, _Stopped)
                has_raised = True
            if worker.turn.locked():
                worker.turn.release()
        for worker in self._workers:
            worker.thread.join(timeout=1.0)
        if has_raised:
            withdraw()  # from a thread that ended before it came up

    def _pass_on(self) -> None:
        """Give the turn to a thread that has not begun, else to one past the barrier, else let all past it."""
        if self._next is not None:
            worker = self._idle.pop() if self._idle else self._hire()
        else:
            if not self._released:
                self._votes = [worker.runs.vote for worker in self._waiting if worker.runs]
                self._released.extend(self._waiting)
                self._waiting.clear()
            if not self._released:
                self._block_done.release()
                return
            worker = self._released.popleft()
        worker.turn.release()

    def _hire(self) -> Worker:
        worker = Worker(self._work, self._kernel_cuda)
        self._workers.append(worker)
        return worker

    def _work(self, worker: Worker) -> None:
        try:
            with np.errstate(all="ignore"):  # a GPU gives inf and nan in silence
                while True:
                    worker.turn.acquire()
                    self._run_new_threads(worker)
                    self._idle.append(worker)
                    self._pass_on()
        except _Stopped:
            pass

    def _run_new_threads(self, worker: Worker) -> None:
        while self._next is not None:
            if self._stopping:
                raise _Stopped
            self.current = worker.runs = self._next
            self._running = worker
            self._next = next(self._new, None)
            try:
                self._body()
            except Exception as error:
                self._failure = KernelFailed(self.current, innermost_frame(error), error)
                worker.runs = None
                self._block_done.release()
                raise _Stopped from None
            worker.runs = None
        if self._stopping:
            raise _Stopped


def threads_of(block: int, block_index: Dim3, sizes: Dim3) -> Iterator[CudaThread]:
    """Yield the threads of a block in linear order, x fastest."""
    ranges = itertools.product(range(sizes.z), range(sizes.y), range(sizes.x))
    for number, (z, y, x) in enumerate(ranges):
        yield CudaThread(block, number, block_index, Dim3(x, y, z))


def innermost(frame: Any) -> tuple[str, int]:
    """Return the file and line of the innermost frame outside of this package."""
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith(__package__ or ""):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return "", 0


def innermost_frame(error: BaseException, file: str = "") -> tuple[str, int]:
    """Return the file and line where an error was raised or, if it passed through `file`, the innermost line there."""
    place, own, traceback = ("", 0), ("", 0), error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        if not frame.f_globals.get("__name__", "").startswith(__package__ or ""):
            place = frame.f_code.co_filename, traceback.tb_lineno
            own = place if place[0] == file else own
        traceback = traceback.tb_next
    return own if own[1] else place
