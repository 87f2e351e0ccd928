"""A time limit on code of this process that may never return."""

import _thread
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from autograder.verdict import TIMED_OUT, Stopped


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop the body after `seconds`.

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
