"""Ctrl-C ends a run at once, in every phase, with one sentence.

A KeyboardInterrupt unwinds what the main thread does, so that it cleans up. What swallows it, as a probe or a library
may, does not matter: a second later the process ends all the same.
"""

import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from multiprocessing import util
from types import FrameType

from rich.console import Console

from autograder.sandbox import processes

STOPPED_BY_CTRL_C = 130
SECONDS_TO_UNWIND = 1.0


@contextlib.contextmanager
def at_once(console: Console, sentence: str) -> Iterator[None]:
    """Let Ctrl-C end the process immediately while the context is active."""
    pressed = threading.Event()

    def end() -> None:
        _end_others()
        console.show_cursor()
        _say(sentence)
        os._exit(STOPPED_BY_CTRL_C)

    def press(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        logging.disable()  # nbgrader's word for it
        sys.unraisablehook = lambda unraisable: None  # a callback of the collector may be what is interrupted
        pressed.set()
        timer.start()
        raise KeyboardInterrupt

    timer = threading.Timer(SECONDS_TO_UNWIND, end)
    timer.daemon = True
    before = signal.signal(signal.SIGINT, press)
    try:
        yield
    except BaseException:
        if not pressed.is_set():
            raise
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN if pressed.is_set() else before)
    if pressed.is_set():  # also where something on the way took the interrupt for an error of its own
        timer.cancel()
        util._run_finalizers()  # type: ignore[attr-defined]  # folders; Python's own end would wait, or die of SIGINT
        end()


def _end_others() -> None:
    """End all that this process has started; what still imports would hold the terminal for seconds."""
    for pid in [*processes.descendants(os.getpid())][1:]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _say(sentence: str) -> None:
    print(f"\n{sentence}", flush=True)
