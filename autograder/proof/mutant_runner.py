"""The verdicts on many answers to one exercise, each in a forked process with limits of its own.

The program is the `Examiner` that judges a submission, on the part grafted into the engine here. `verify` and the
tests of the checks ask it of thousands of mutants; what numba compiles of these is not kept on disk.
"""

import gc
import math
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

import psutil

from autograder import labs
from autograder.examine import deaths
from autograder.examine.cell_rules import CellRefused
from autograder.examine.examiner import Cases, Examiner
from autograder.examine.model import Aspect, Check
from autograder.examine.verdict import (
    REFUSED,
    AspectResult,
    ExerciseResult,
    from_json,
    to_json,
)
from engine.compiled import numba_cache

USUAL_CPU_SECONDS = 2  # for the answers to all cases of an exercise, unless the limits.yaml of its lab says otherwise
COMPILE_SECONDS = 10  # besides, for the cases that have numba compile the answer
WALL_SECONDS = 60.0  # for a mutant that waits; generous, since one stopped by a busy machine would count as killed
BYTES = 1 << 31  # address space, beyond this process's own
Judge = Callable[[Check, Cases, str], ExerciseResult]
_FORK = multiprocessing.get_context("fork")


def in_full(check: Check, asked: Cases, source: str) -> ExerciseResult:
    """Return the verdict on all of the questions."""
    return Examiner().examine(check, source, asked)


def lost_aspects(check: Check, asked: Cases, source: str) -> ExerciseResult:
    """Return the verdict, but skip the remaining questions about an aspect once it has lost its points."""
    return Examiner().examine(check, source, asked, in_full=False)


def until_lost(check: Check, asked: Cases, source: str) -> ExerciseResult:
    """Return the verdict up to the first wrong answer, which is all that has to be known about a mutant.

    Aspects that have numba compile the answer come last, so that few mutants are compiled; these have more time.
    """
    return Examiner().until_lost(check, source, asked, begin=_more_time_to_compile)


def _more_time_to_compile(aspect: Aspect) -> None:
    if aspect.compiled:
        _limit_time(COMPILE_SECONDS)


def judged_apart(
    check: Check, asked: Cases, sources: Iterable[str], judged: Judge = in_full
) -> Iterator[tuple[int, ExerciseResult]]:
    """Judge each source in a process of its own; yield (position, verdict) pairs in order of completion."""
    waiting = list(enumerate(sources))[::-1]
    running: dict[Connection, tuple[int, BaseProcess, float]] = {}
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            position, source = waiting.pop()
            receiver, sender = _FORK.Pipe(duplex=False)
            given = check, asked, source, sender, judged
            process: BaseProcess = _FORK.Process(target=_answer_apart, args=given, daemon=True)
            _start(process)
            sender.close()
            running[receiver] = position, process, time.monotonic() + WALL_SECONDS
        soonest = min(deadline for _, _, deadline in running.values())
        done = wait(list(running), timeout=max(soonest - time.monotonic(), 0))
        for receiver, (position, process, deadline) in list(running.items()):
            if receiver in done or time.monotonic() > deadline:
                yield position, _collected(check, receiver, process, receiver in done)
                del running[receiver]


def _start(process: BaseProcess) -> None:
    """Start a process that Ctrl-C does not reach: it ends the parent, which ends this one.

    In the parent it waits for the fork to be over: Python drops what is raised in a function of `os.register_at_fork`.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _answer_apart(check: Check, asked: Cases, source: str, sender: Connection, judged: Judge) -> None:
    _limit()
    _limit_time(_seconds_of(check, compiles=judged is not until_lost))
    sender.send(to_json(_verdict(check, asked, source, judged)))
    os._exit(0)


def _limit() -> None:
    numba_cache.keeps_replaced = False
    gc.freeze()  # going over what the parent left would copy all of it, and cost more than the answers
    most = psutil.Process().memory_info().vms + BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _seconds_of(check: Check, compiles: bool) -> int:
    seconds = labs.limits(labs.LAB_OF.get(check.exercise, "")).get("mutant_cpu_seconds", USUAL_CPU_SECONDS)
    return seconds + COMPILE_SECONDS * (compiles and any(aspect.compiled for aspect in check.aspects))


def _limit_time(seconds: int) -> None:
    """Leave this process the given number of CPU seconds from now on."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time()) + seconds, most))


def _verdict(check: Check, asked: Cases, source: str, judged: Judge) -> ExerciseResult:
    try:
        return judged(check, asked, source)
    except CellRefused as refused:
        return ExerciseResult(check.exercise, REFUSED, 0, check.points, message=refused.reason)


def _collected(check: Check, receiver: Connection, process: BaseProcess, has_answered: bool) -> ExerciseResult:
    try:
        if has_answered:
            return from_json(receiver.recv())
    except EOFError:  # it ended without an answer
        pass
    finally:
        process.kill()
        process.join()
        receiver.close()
    aspects = tuple(AspectResult(aspect.name, 0, aspect.points, 0, 0) for aspect in check.aspects)
    ended = deaths.of_signal(-(process.exitcode or 0))
    return ExerciseResult(check.exercise, ended.kind, 0, check.points, aspects, ended.message)
