"""A time limit on code of this process that may never return.

What numba needs to compile a kernel does not count: it happens once on a machine, and no answer can help it. Nor does
the time in which the code is ready to run while other programs have all processors, where the system tells it (Linux).
"""

import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TypeVar

from numba.core import event

from autograder.examine.questions import Stopped
from autograder.examine.verdict import TIMED_OUT
from engine.utils.async_exceptions import raise_in, withdraw

LOOKS = 0.05  # seconds between two looks at a clock that may stand still
Value = TypeVar("Value")


def clock(thread: int = 0) -> float:
    """Return the seconds that a thread has run, without waits for a processor or the main thread's compile time.

    Args:
        thread: its native id; by default the thread that asks.
    """
    now = _not_waiting(thread)
    return now - _compiling.seconds - (now - _compiling.began if _compiling.depth else 0.0)


def _not_waiting(thread: int = 0) -> float:
    """Return seconds that have passed, without those in which the thread was ready and had no processor.

    Source: schedstat in proc_pid_task (Linux, Documentation/scheduler/sched-stats.rst): nanoseconds on a processor,
    nanoseconds of waiting for one, turns.
    """
    try:
        with open(f"/proc/self/task/{thread or threading.get_native_id()}/schedstat", "rb") as file:
            return time.monotonic() - int(file.read().split()[1]) * 1e-9
    except (OSError, IndexError, ValueError):
        return time.monotonic()


class _Compiling(event.Listener):
    """Halts the clock while numba compiles in the main thread."""

    def __init__(self):
        self.depth = 0
        self.began = 0.0
        self.seconds = 0.0

    def on_start(self, event: event.Event | None = None) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        if self.depth == 0:
            self.began = _not_waiting()
        self.depth += 1

    def on_end(self, event: event.Event | None = None) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        self.depth -= 1
        if self.depth == 0:
            self.seconds += _not_waiting() - self.began


_compiling = _Compiling()
event.register("numba:compiler_lock", _compiling)


@contextmanager
def halted() -> Iterator[None]:
    """Stop the clock while another process works for the main thread, under a limit of its own."""
    _compiling.on_start()
    try:
        yield
    finally:
        _compiling.on_end()


def within(seconds: float, body: Callable[[], Value]) -> Value:
    """Return what `body` returns; interrupt it after `seconds`, as `clock` counts them.

    The interruption is a KeyboardInterrupt, which neither `except Exception` nor a probe holds back; one that the
    user sends passes as it is. A call into C that never looks at signals is not stopped.

    This is not for `with`: an interruption at the first instruction of an `__exit__` in Python would pass it. Here
    `close`, which is C, resumes the limit inside its `try`, and what comes up on the way is caught as in the body.

    Raises:
        Stopped: TIMED_OUT.
    """
    expired = False

    def expire() -> None:
        nonlocal expired
        expired = True

    compiled = _compiling.seconds
    is_main = threading.current_thread() is threading.main_thread()
    limit = (_alarm if is_main and hasattr(signal, "setitimer") else _watched)(seconds, expire)
    try:
        try:
            next(limit)
            return body()
        finally:
            limit.close()
    except KeyboardInterrupt as interruption:
        if not expired:
            raise
        said = f"no answer after {seconds:.2g} seconds"
        if (compiling := _compiling.seconds - compiled) >= 1:
            said += f", besides {compiling:.0f} seconds in which kernels were compiled"
        raise Stopped(TIMED_OUT, said) from interruption  # it knows the line


def _alarm(seconds: float, expire: Callable[[], None]) -> Generator[None, None, None]:
    """Limit by the interval timer what runs until `close`; put back an alarm that was already set."""

    deadline = clock() + seconds
    is_over = False

    def ring(*_: object) -> None:
        if is_over:  # it rang as the body ended: an alarm set now would meet the process's own handler, and kill it
            return
        if (left := deadline - clock()) > 0:
            signal.setitimer(signal.ITIMER_REAL, max(left, LOOKS))
            return
        expire()
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, ring)
    left, interval = signal.getitimer(signal.ITIMER_REAL)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        is_over = True
        signal.setitimer(signal.ITIMER_REAL, left, interval)
        signal.signal(signal.SIGALRM, previous)


def _watched(seconds: float, expire: Callable[[], None]) -> Generator[None, None, None]:
    """Limit by a second thread: on Windows (no interval timer), or where the body is not in the main thread."""
    body, thread, is_over, lock = threading.get_ident(), threading.get_native_id(), threading.Event(), threading.Lock()
    deadline = clock() + seconds
    has_raised = False

    def watch() -> None:
        nonlocal has_raised
        while not is_over.wait(max(deadline - clock(thread), LOOKS if _compiling.depth else 0.0)):
            with lock:
                if clock(thread) >= deadline and not is_over.is_set():
                    expire()
                    has_raised = True
                    raise_in(body, KeyboardInterrupt)
                    return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        with lock:
            is_over.set()
        if has_raised:
            withdraw()  # what came too late for the body must not reach what follows it
