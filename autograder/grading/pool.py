"""Many submissions at a time, each in a process of ours that is watched; what crosses between them is JSON text.

All work for a student is done there: reading and judging, the gradebook's entry, the page of feedback. A process that
uses more than its budget, or dies, is replaced by another, and takes nobody else's work with it.
"""

import contextlib
import gc
import json
import os
import signal
import tempfile
import threading
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing import forkserver, get_context, parent_process, util
from multiprocessing.connection import Connection, wait
from typing import NamedTuple

from autograder.grading import pipeline, submission_record
from autograder.grading.budget import Meter
from autograder.grading.disk import DiskError
from autograder.grading.pipeline import Message
from autograder.grading.submission_record import Record, Settings
from autograder.sandbox import processes

SECONDS_BETWEEN_LOOKS = 0.1
SECONDS_TO_END = 1.0  # for a process that has nothing left to do
OVER = object()  # there is no further job
TRIES = 2  # of a stage in which the process died
SHORTEN = "remove cells and outputs that are no answers, and hand it in again"


class Job(NamedTuple):
    """One student's work on a lab: `record` if it is already judged, the `stages` to run, and their input `given`."""

    lab: str
    student: str
    record: Record | None = None
    stages: tuple[str, ...] = pipeline.ALL
    given: Message = {}


class Outcome(NamedTuple):
    """The result of a job: the record, failures, notes for the user, and what reading and judging produced (`made`)."""

    record: Record
    failures: list[str]
    notes: list[str]
    made: Message = {}


@dataclass
class _Task:
    """A job as far as it is done."""

    lab: str
    student: str
    record: Record | None
    left: tuple[str, ...]
    given: Message = field(default_factory=dict)
    made: Message = field(default_factory=dict)
    plain: bool = False
    deaths: int = 0
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def warm_up() -> None:
    """Start importing, in the fork server, the modules that every pool process needs, since that takes seconds."""
    forkserver.set_forkserver_preload(["autograder.grading.pipeline"])
    if threading.current_thread() is not threading.main_thread():  # of a cluster's worker, which has no terminal
        forkserver.ensure_running()
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # inherited: Ctrl-C is for this process alone
    try:
        forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGINT, before)


def run_all(jobs: Iterable[Job | tuple[str, str] | None], settings: Settings, count: int = 2) -> Generator[Outcome]:
    """Yield the outcomes of `jobs`, each as soon as it is available, from at most `count` processes.

    Args:
        jobs: is asked for the next one when a process is free; None says that none is there yet.
    Raises:
        DiskError: something can't be written; what is done is kept.
    """
    source, again = iter(jobs), deque[_Task]()
    workers: list[_Worker] = []
    is_over = False
    try:
        while not is_over or again or any(worker.task for worker in workers):
            workers = [worker for worker in workers if worker.is_usable()]
            while sum(worker.task is not None for worker in workers) < max(1, count):
                task = again.popleft() if again else _next(source)
                is_over = task is OVER
                if not isinstance(task, _Task):
                    break
                free = next((worker for worker in workers if worker.task is None), None)
                if free is None:
                    workers.append(free := _Worker(settings))
                free.begin(task)
            for worker in _heard_of(workers):
                task = worker.task
                if task is None or not worker.is_done():
                    continue
                worker.task = None
                if task.left:
                    again.append(task)
                else:
                    yield _outcome(task)
    except BaseException:  # Ctrl-C too: nobody waits for what runs, and every record that is made is kept
        for worker in workers:
            worker.kill()
        raise
    for worker in workers:
        worker.end()


def _next(source: Iterator[Job | tuple[str, str] | None]) -> _Task | object | None:
    """Return the next job, OVER after the last."""
    given = next(source, OVER)
    if given is None or given is OVER:
        return given
    job = Job(*given)  # type: ignore[misc]
    return _Task(job.lab, job.student, job.record, job.stages, dict(job.given))


def _outcome(task: _Task) -> Outcome:
    record = task.record or {"lab": task.lab, "student": task.student}  # without one, only verdicts were asked for
    return Outcome(record, task.failures, task.notes, task.made)


def _heard_of(workers: list["_Worker"]) -> list["_Worker"]:
    """Wait until one of the workers says something or it is time to look after them; return all of them."""
    busy = [worker.connection for worker in workers if worker.task]
    if busy:
        wait(busy, SECONDS_BETWEEN_LOOKS)
    else:
        time.sleep(SECONDS_BETWEEN_LOOKS)
    return workers


class Single:
    """A single process that runs one job after another, for a cluster's worker."""

    def __init__(self, settings: Settings):
        self._settings = settings
        self._worker: _Worker | None = None

    def run(self, job: Job) -> Outcome:
        """Run a job and return its outcome."""
        task = _Task(job.lab, job.student, job.record, job.stages, dict(job.given))
        while task.left:
            if self._worker is None or not self._worker.is_usable():
                self._worker = _Worker(self._settings)
            self._worker.begin(task)
            while not self._worker.is_done():
                wait([self._worker.connection], SECONDS_BETWEEN_LOOKS)
            self._worker.task = None
        return _outcome(task)

    def close(self) -> None:
        """End the process if there is one."""
        if self._worker is not None and self._worker.is_usable():
            self._worker.end()


class _Worker:
    """A process of the pool, and the task that it has."""

    def __init__(self, settings: Settings):
        context = get_context("forkserver")
        self._settings = settings
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, tempfile.gettempdir()), daemon=True)
        self._process.start()
        theirs.close()
        self.task: _Task | None = None
        self._meter = Meter(self._process.pid or 0, settings.budget)

    def begin(self, task: _Task) -> None:
        """Hand it a task."""
        self.task = task
        self._meter = Meter(self._process.pid or 0, self._settings.budget)
        text = pipeline.job_text(task.lab, task.student, task.record, task.left, task.plain, task.given, self._settings)
        with contextlib.suppress(OSError):  # it has died: that is seen by `is_done`
            self.connection.send_bytes(text)

    def is_usable(self) -> bool:
        """Return False once it was killed or has died; it holds no task then."""
        return not self.connection.closed

    def is_done(self) -> bool:
        """Return True if it does no more for its task, whose `left` says what remains to be done.

        Raises:
            DiskError: it could not write something.
        """
        assert self.task is not None
        try:
            while self.connection.poll():
                message = json.loads(self.connection.recv_bytes())
                if not message:
                    self.task.left = ()
                    if self._meter.is_swollen():
                        self.kill()
                    return True
                _take(self.task, message)
        except (EOFError, OSError):
            self.kill()
            _died(self.task, self._settings)
            return True
        if excess := self._meter.excess():
            self.kill()
            _exceeded(self.task, excess, self._settings)
            return True
        return False

    def end(self) -> None:
        """Let it end by itself: it removes what it has made in the file system."""
        self.connection.close()
        self._process.join(SECONDS_TO_END)
        self.kill()

    def kill(self) -> None:
        """End it and everything it has started, at once."""
        self.connection.close()
        if self._process.is_alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid or 0, signal.SIGSTOP)  # it starts nothing more
                for pid in [*processes.descendants(self._process.pid or 0)]:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
        self._process.join(SECONDS_TO_END)


def _take(task: _Task, message: Message) -> None:
    """Note what a process says of its task."""
    if "disk" in message:
        raise DiskError(message["disk"])
    if "stage" in message:
        task.left = task.left[task.left.index(message["stage"]) :]
    task.record = message.get("record", task.record)
    task.made |= {name: message[name] for name in ("work", "verdicts") if name in message}
    task.notes += [message["note"]] if "note" in message else []
    task.failures += [message["failure"]] if "failure" in message else []


def _died(task: _Task, settings: Settings) -> None:
    """Let the stage in which the process died be tried again, then go on without it."""
    task.deaths += 1
    if task.deaths < TRIES:
        return
    stage, *rest = task.left
    said = f"the process died twice while {pipeline.DOING[stage]}"
    if stage in ("judge", "read") and task.record is None:
        task.record = submission_record.not_graded(task.student, task.lab, said, settings)
    else:
        task.failures.append(said)
    task.deaths, task.left, task.plain = 0, tuple(rest), True


def _exceeded(task: _Task, excess: str, settings: Settings) -> None:
    """Go on after the stage that was too much; feedback is tried once more, with the verdicts alone."""
    stage, *rest = task.left
    said = f"{pipeline.DOING[stage]} took {excess}"
    if stage in ("judge", "read") and task.record is None:
        task.record = submission_record.refused(task.student, task.lab, f"{said}: {SHORTEN}", settings)
    elif stage == "verdict":
        task.made["too_much"] = f"{said}: {SHORTEN}"
    elif stage == "show" and not task.plain:
        task.notes.append(f"the page of feedback shows verdicts alone: {said}")
        rest = [stage]
    else:
        task.failures.append(said)
    task.left, task.plain = tuple(rest), True


# ---- in a process of the pool


def serve(connection: Connection, temporary_folder: str) -> None:
    """Run one job after another until the other end of the connection is closed."""
    tempfile.tempdir = os.environ["TMPDIR"] = temporary_folder
    _end_with_parent()
    gc.freeze()  # what is imported stays, so nobody has to look for garbage among it
    with contextlib.suppress(EOFError, OSError):
        while True:
            pipeline.perform(
                connection.recv_bytes(), lambda message: connection.send_bytes(json.dumps(message).encode())
            )


def _end_with_parent() -> None:
    """Let a process of the pool end with a run that was killed, leave Ctrl-C to the parent, and clean up when told."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _end(*_: object) -> None:
    util._exit_function()  # type: ignore[attr-defined]  # removes what the sandbox has made in the file system
    os._exit(1)
