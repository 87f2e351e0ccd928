"""Submissions are judged by the workers of a dask scheduler, which `course.yaml` or the option --scheduler names.

A worker gets JSON text, a submission's answers, and gives JSON text back, its verdicts (`judging.py`); it needs no file
of the course. Everything else happens here, in the local pool, as for a run without a cluster: reading, keeping the
record when its verdicts arrive, gradebook, feedback. A worker that dies is replaced by another one; a run that dies
has kept what it has got, and the same command goes on.

Plain tcp is for this machine alone. For tls the certificates come from dask's own configuration
(`distributed.comm.tls`).
"""

import hashlib
import json
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from autograder.department.worker import REFUSES, judged
from autograder.grading import code_digest, course_file, pool, scheduler_address, submission_record
from autograder.grading.pipeline import Message
from autograder.grading.pool import Job, Outcome
from autograder.grading.scheduler_address import HERE
from autograder.grading.submission_record import Record, Settings

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_SECONDS = 20
WAIT_SECONDS = 120  # for the first worker, or for the next one after the last has died
SECONDS_BETWEEN_LOOKS = 5
KEPT, ENTERED = ("keep", "enter", "show"), ("enter", "show")  # stages of what was judged now, and of what was before
INSTALL = "install the packages of a cluster: `.venv/bin/python -m pip install -c constraints.txt -e .[cluster]`"
GONE = "The scheduler is gone. What is judged is kept: start one, then give the same command again."
Tell = Callable[[str], None]


class ClusterError(RuntimeError):
    """The cluster can't be used; the message says why and what to do."""


def run_all(
    jobs: Iterable[tuple[str, str]], settings: Settings, count: int, scheduler: str, tell: Tell
) -> Generator[Outcome]:
    """Yield the outcomes of `jobs` (lab and student) as they become available, like `pool.run_all`, but use a cluster.

    Args:
        count: of the local processes, which read, enter and write the feedback.
        tell: is called with a sentence for each worker that refuses work.
    Raises:
        ClusterError: there is no such scheduler, or it went away; what is judged is kept.
    """
    with connected(scheduler) as client:
        run = _Run(client, jobs, settings, tell)
        for outcome in pool.run_all(run.jobs(), settings, count):
            if not run.is_read(outcome):
                yield run.with_what_was_said(outcome)


def scheduler_of(asked: str, root: Path) -> str:
    """Return the scheduler's address, or "" to judge on this machine.

    Args:
        asked: the option; "" for what `course.yaml` in `root` says, "none" for here.
    Raises:
        CourseFileError: the file names a scheduler and can't be read.
    """
    address = asked or course_file.scheduler(root)
    return "" if address == HERE else address


def connected(scheduler: str) -> "Client":
    """Return a dask client that is connected to the scheduler.

    Raises:
        ClusterError: the address can't be read, would send answers unencrypted, or nobody answers there.
    """
    require_safe(scheduler)
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError(f"dask.distributed is missing: {INSTALL}") from None
    try:
        return Client(scheduler, timeout=CONNECT_SECONDS, name="inside-the-tensor", set_as_default=False)
    except (OSError, ValueError, TypeError) as error:  # TypeError: tls without certificates
        raise ClusterError(
            f"no scheduler answers at {scheduler} ({type(error).__name__}: {error}): start one with `dask scheduler`, "
            "and for tls say where the certificates are in dask's configuration (distributed.comm.tls)"
        ) from None


def require_safe(scheduler: str) -> None:
    """Raise ClusterError if the address is malformed, or is plain tcp to another machine."""
    if said := scheduler_address.problem(scheduler):
        raise ClusterError(said.replace("expected ", "expected --scheduler ", 1))


class _Run:
    """The work of one run: what is to be read, what is being judged elsewhere, what has come back."""

    def __init__(self, client: "Client", jobs: Iterable[tuple[str, str]], settings: Settings, tell: Tell):
        self._client, self._settings, self._tell = client, settings, tell
        self._next = deque(Job(lab, student, None, ("read",)) for lab, student in jobs)
        self._reading = len(self._next)
        self._running: dict[Future, _Sent] = {}
        self._said: dict[tuple[str, str], Outcome] = {}
        self._refusing: dict[str, str] = {}
        self._looked = self._seen = time.monotonic()

    def jobs(self) -> Iterator[Job | None]:
        """Yield a job for the local pool; None while everything is elsewhere."""
        while self._next or self._reading or self._running:
            for future in [future for future in self._running if future.done()]:
                self._take(future, self._running.pop(future))
            if self._next:
                yield self._next.popleft()
                continue
            self._require_scheduler(self._client.status in ("running", "connecting"))
            self._require_workers()
            yield None

    def is_read(self, outcome: Outcome) -> bool:
        """Return True if a submission was read; then send it to be judged, or enter it if its record is still valid."""
        if "work" not in outcome.made:
            return False
        self._reading -= 1
        record, work = outcome.record, outcome.made["work"]
        self._said[record["lab"], record["student"]] = outcome
        if work is None:
            self._next.append(Job(record["lab"], record["student"], record, ENTERED))
        else:
            self._send(_Sent(record, work))
        return True

    def with_what_was_said(self, outcome: Outcome) -> Outcome:
        """Return the outcome with what was to be known of the reading, too."""
        before = self._said.pop((outcome.record["lab"], outcome.record["student"]))
        return outcome._replace(failures=before.failures + outcome.failures, notes=before.notes + outcome.notes)

    def _send(self, sent: "_Sent") -> None:
        able = [address for address in self._client.scheduler_info(-1)["workers"] if address not in self._refusing]
        if self._refusing and not able:
            self._give_up(sent, f"no worker takes it: {'; '.join(sorted(set(self._refusing.values())))}")
            return
        future = self._client.submit(
            judged, sent.text(), key=sent.key(), pure=True,
            workers=able if self._refusing else None, allow_other_workers=False,
        )  # fmt: skip
        self._running[future] = sent

    def _take(self, future: "Future", sent: "_Sent") -> None:
        """Queue what is to be done with verdicts, or send the work to another worker."""
        self._require_scheduler(future.status not in ("lost", "cancelled"))
        if future.status == "error":
            error = future.exception()
            self._give_up(sent, f"it was not judged: {type(error).__name__}: {error}")
            return
        answer = json.loads(future.result())
        if REFUSES in answer:
            if answer["worker"] not in self._refusing:
                self._refusing[answer["worker"]] = answer[REFUSES]
                self._tell(f"the worker {answer['worker']} refuses work: {answer[REFUSES]}")
            self._send(sent._replace(tries=sent.tries + 1))
            return
        record = sent.record
        if "too_much" in answer:
            record = submission_record.refused(record["student"], record["lab"], answer["too_much"], self._settings)
            self._next.append(Job(record["lab"], record["student"], record, ENTERED))
        elif "verdicts" in answer:
            self._next.append(Job(record["lab"], record["student"], record, KEPT, {"verdicts": answer["verdicts"]}))
        else:
            self._give_up(sent, "; ".join(answer["failures"]))

    def _require_workers(self) -> None:
        """Raise ClusterError where no worker was seen for a while; looks now and then."""
        now = time.monotonic()
        if now < self._looked + SECONDS_BETWEEN_LOOKS:
            return
        self._looked = now
        if self._client.scheduler_info(-1)["workers"]:
            self._seen = now
        elif now > self._seen + WAIT_SECONDS:
            raise ClusterError(
                f"no worker for {WAIT_SECONDS} s: start some with `python -m autograder.department.worker "
                f"{self._client.scheduler.address}`, then give the same command again. What is judged is kept."
            )

    def _require_scheduler(self, is_there: bool) -> None:
        if not is_there:
            raise ClusterError(
                "The scheduler is gone. What is judged is kept; start it and give the same command again."
            )

    def _give_up(self, sent: "_Sent", reason: str) -> None:
        record = submission_record.not_graded(sent.record["student"], sent.record["lab"], reason, self._settings)
        self._next.append(Job(record["lab"], record["student"], record, ENTERED))


class _Sent(NamedTuple):
    """A submission that is judged elsewhere: its record so far, and the work."""

    record: Record
    work: Message
    tries: int = 0

    def text(self) -> str:
        """Return all that a worker needs, as JSON."""
        lab = self.record["lab"]
        code = [code_digest.for_all(), code_digest.of_lab(lab)]
        return json.dumps({"work": self.work, "seed": self.record["seed"], "code": code})

    def key(self) -> str:
        """Return the name of the task: the same work has the same, and is done once."""
        asked = hashlib.sha256(" ".join(self.work["asked"]).encode()).hexdigest()[:8]
        return f"judged-{self.record['key']}-{asked}-{self.tries}"
