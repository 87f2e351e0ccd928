"""Cases that are asked in a forked child: compiled code, and kernels on memory whose geometry the answer decides.

Such an answer may end its process, and that must not be the notebook's. One child serves all these cases of a check.
Only Linux forks a process with threads safely; elsewhere these cases are asked in the notebook's own process.
"""

import contextlib
import faulthandler
import gc
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from autograder.examine import deaths
from autograder.examine.model import Case
from autograder.examine.plain_data import NotPlain, blemish
from autograder.examine.questions import Observation
from autograder.examine.student_error import NOWHERE, Place
from autograder.examine.timelimit import halted
from autograder.examine.verdict import TIMED_OUT

WALL_SECONDS = 60.0  # for an answer and all that is compiled for it, which its own limit does not count


class Answered(NamedTuple):
    """The outcome of a case: an observation or why there is none, the printed text, and the seconds it took."""

    got: Observation
    stopped: tuple[str, str, Place] | None = None
    printed: str = ""
    seconds: float = 0.0
    is_dead: bool = False  # the process in which it was asked


Answer = Callable[[Case, float], Answered]  # called with the seconds that are left


def can_fork() -> bool:
    """Return True if this process can fork a child now."""
    return sys.platform == "linux" and threading.current_thread() is threading.main_thread()


@contextlib.contextmanager
def forked(answer: Answer) -> Iterator[Answer]:
    """Yield a function that runs `answer` in a child process, which is forked at the first call."""
    with contextlib.ExitStack() as stack:
        child: list[_Child] = []

        def ask(case: Case, seconds: float) -> Answered:
            if not child:
                child.append(_Child(answer))
                stack.callback(child[0].close)
            return child[0].ask(case, seconds)

        yield ask


class _Child:
    def __init__(self, answer: Answer):
        context = multiprocessing.get_context("fork")
        self._here, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, answer), daemon=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads: it needs none of theirs
            self._process.start()
        there.close()

    def ask(self, case: Case, seconds: float) -> Answered:
        """Return what comes of a case; the clock of this process stands still meanwhile."""
        stopped = TIMED_OUT, f"no answer after {WALL_SECONDS:.0f} seconds"
        with halted():
            try:
                self._here.send((case, seconds))
                if self._here.poll(WALL_SECONDS):
                    return self._here.recv()
            except (EOFError, OSError):
                self._process.join()
                death = deaths.of_signal(-(self._process.exitcode or 0))
                stopped = death.kind, death.message
        return Answered(Observation(), (*stopped, NOWHERE), is_dead=True)

    def close(self) -> None:
        self._process.kill()
        self._process.join()
        self._here.close()


def _serve(there: Any, answer: Answer) -> None:
    """Answer what is asked until the other end is closed, or this process killed."""
    import resource

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted, and ends this process
    faulthandler.disable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.freeze()  # going over what the parent left would copy all of it
    with contextlib.suppress(EOFError):
        while True:
            answered = answer(*there.recv())
            if reason := blemish(answered.got.value):
                answered = answered._replace(got=Observation(NotPlain(reason)))
            there.send(answered)
    os._exit(0)
