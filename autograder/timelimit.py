"""A time limit on code of this process that may never return.

What numba needs to compile a kernel does not count: it happens once on a machine, and no answer can help it.
"""

import _thread
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from numba.core import event

from autograder.verdict import TIMED_OUT, Stopped


def clock() -> float:
    """Seconds that have passed; it stands still while this process's main thread compiles."""
    return time.monotonic() - _compiling.seconds


class _Compiling(event.Listener):
    """Halts the clock, and the alarm that is set, while numba compiles in the main thread."""

    def __init__(self):
        self.depth = 0
        self.began = 0.0
        self.seconds = 0.0
        self.alarm = 0.0

    def on_start(self, event: event.Event) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        if self.depth == 0:
            self.began = time.monotonic()
            self.alarm = signal.setitimer(signal.ITIMER_REAL, 0)[0] if hasattr(signal, "setitimer") else 0.0
        self.depth += 1

    def on_end(self, event: event.Event) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.monotonic() - self.began
            if self.alarm:
                signal.setitimer(signal.ITIMER_REAL, self.alarm)


_compiling = _Compiling()
event.register("numba:compiler_lock", _compiling)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop the body after `seconds`, as `clock` counts them.

    The interruption is a KeyboardInterrupt, which neither `except Exception` nor a probe holds back; one that the
    user sends passes as it is. A call into C that never looks at signals is not stopped.

    Raises:
        Stopped: TIMED_OUT.
    """
    expired = False

    def expire(*_: object) -> None:
        nonlocal expired
        expired = True
        raise KeyboardInterrupt

    def interrupt() -> None:
        nonlocal expired
        expired = True
        _thread.interrupt_main()

    try:
        if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
            with _alarm(seconds, expire):
                yield
        else:
            timer = threading.Timer(seconds, interrupt)
            timer.daemon = True
            timer.start()
            try:
                yield
            finally:
                timer.cancel()
    except KeyboardInterrupt:
        if not expired:
            raise
        raise Stopped(TIMED_OUT, f"no answer after {seconds:.1g} seconds") from None


@contextmanager
def _alarm(seconds: float, handler) -> Iterator[None]:
    """`handler` runs in this thread after `seconds`; an alarm that was already set is put back."""
    previous = signal.signal(signal.SIGALRM, handler)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left, interval)
        signal.signal(signal.SIGALRM, previous)
