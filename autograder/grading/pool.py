"""Many submissions at a time, each in a process of ours; what crosses between processes is JSON text, never objects."""

import contextlib
import json
import os
import signal
import threading
from collections.abc import Generator, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from multiprocessing import forkserver, get_context, parent_process, util
from pathlib import Path

from autograder.grading import records
from autograder.grading.records import Record, Settings
from autograder.sandbox import Limits

SECONDS_TO_END = 1.0  # for a process that is told to
Job = tuple[str, str]  # lab, student


def warm_up() -> None:
    """Begin to import, beside this process, what every process of the pool needs: it takes seconds."""
    forkserver.set_forkserver_preload(["autograder.grading.records"])
    forkserver.ensure_running()


def run_all(jobs: Iterable[Job], settings: Settings, processes: int = 2) -> Generator[Record]:
    """The records of `jobs`, each as soon as it is there and kept.

    A process that dies takes nobody's verdict with it: whoever was not finished is tried once more, alone.
    """
    waiting = list(jobs)
    try:
        with contextlib.closing(_run(waiting, settings, processes)) as records_made:
            for record in records_made:
                waiting.remove((record["lab"], record["student"]))
                yield record
    except BrokenProcessPool:
        for job in waiting:
            yield _alone(job, settings)


def _alone(job: Job, settings: Settings) -> Record:
    try:
        return next(_run([job], settings, processes=1))
    except BrokenProcessPool:
        lab, student = job
        return records.not_graded(student, lab, "the process that graded it died, twice", settings)


def _run(jobs: list[Job], settings: Settings, processes: int) -> Generator[Record]:
    given = asdict(settings) | {"root": str(settings.root)}
    texts = [json.dumps({"lab": lab, "student": student, "settings": given}) for lab, student in jobs]
    pool = ProcessPoolExecutor(
        max(1, min(processes, len(jobs))), get_context("forkserver"), initializer=_end_with_parent
    )
    try:
        for done in as_completed([pool.submit(work, text) for text in texts]):
            yield json.loads(done.result())
    except BaseException:  # Ctrl-C too: nobody waits for what runs, and every record that is made is kept
        _kill(pool)
        raise
    pool.shutdown()


def _kill(pool: ProcessPoolExecutor) -> None:
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(SECONDS_TO_END)
        process.kill()


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


def work(job: str) -> str:
    """One submission, in a process of the pool: a job as JSON in, its record as JSON out."""
    given = json.loads(job)
    fields = given["settings"]
    settings = Settings(**fields | {"root": Path(fields["root"]), "limits": Limits(**fields["limits"])})
    try:
        record = records.run_submission(given["student"], given["lab"], settings)
    except Exception as error:  # the reason is ours to look into; the others go on
        record = records.not_graded(given["student"], given["lab"], f"{type(error).__name__}: {error}", settings)
    return json.dumps(record)
