"""Many submissions at a time, each in a process of ours; what crosses between processes is JSON text, never objects."""

import json
import os
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from multiprocessing import forkserver, get_context, parent_process
from pathlib import Path

from autograder.grading import records
from autograder.grading.records import Record, Settings
from autograder.sandbox import Limits


def warm_up() -> None:
    """Begin to import, beside this process, what every process of the pool needs: it takes seconds."""
    forkserver.set_forkserver_preload(["autograder.grading.records"])
    forkserver.ensure_running()


def run_all(students: Iterable[str], lab: str, settings: Settings, jobs: int = 2) -> Iterator[Record]:
    """The records of `students`, each as soon as it is there and kept.

    A process that dies takes nobody's verdict with it: whoever was not finished is tried once more, alone.
    """
    waiting = list(students)
    try:
        for record in _run(waiting, lab, settings, jobs):
            waiting.remove(record["student"])
            yield record
    except BrokenProcessPool:
        for student in waiting:
            yield _alone(student, lab, settings)


def _alone(student: str, lab: str, settings: Settings) -> Record:
    try:
        return next(_run([student], lab, settings, jobs=1))
    except BrokenProcessPool:
        return records.not_graded(student, lab, "the process that graded it died, twice", settings)


def _run(students: list[str], lab: str, settings: Settings, jobs: int) -> Iterator[Record]:
    job = {"lab": lab, "settings": asdict(settings) | {"root": str(settings.root)}}
    processes = max(1, min(jobs, len(students)))
    with ProcessPoolExecutor(processes, get_context("forkserver"), initializer=_end_with_parent) as pool:
        try:
            for done in as_completed([pool.submit(work, json.dumps(job | {"student": name})) for name in students]):
                yield json.loads(done.result())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _end_with_parent() -> None:
    """A process of the pool does not outlive a run that was killed."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


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
