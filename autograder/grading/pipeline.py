"""The work for one submission, stage by stage, in a process of the pool. What comes in and goes out is JSON data.

judge   read, judged in the sandbox, its record kept: read, verdict and keep in one
read    read, and what is to be judged set apart
verdict what was set apart is judged; nothing of the course's is needed for that
keep    its record, with verdicts that were made elsewhere
enter   its points in the gradebook
late    its due date and penalty, as the files say now
show    its page of feedback

An error of a stage is this student's alone: it is reported, and the next stage does what it can. Only a disk that
can't be written to ends the run.
"""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from autograder.grading import disk, gradebook, judging, lateness, submission_record
from autograder.grading.budget import Budget
from autograder.grading.lock import only_writer
from autograder.grading.submission_record import Record, Settings
from autograder.sandbox import Limits

ALL = ("judge", "enter", "show")
DOING = {
    "judge": "reading and judging it", "read": "reading it", "verdict": "judging it", "keep": "keeping its record",
    "enter": "entering it into the gradebook", "late": "entering its lateness", "show": "writing its feedback",
}  # fmt: skip
Message = dict[str, Any]
Send = Callable[[Message], None]


def job_text(
    lab: str, student: str, record: Record | None, stages: tuple[str, ...], plain: bool, given: Message,
    settings: Settings,
) -> bytes:  # fmt: skip
    """Return a job for `perform`, as encoded JSON.

    Args:
        record: of a submission that is judged already, or read.
        plain: the feedback is to show verdicts alone.
        given: "work" for the stage verdict, "verdicts" for the stage keep.
    """
    options = asdict(settings) | {"root": str(settings.root)}
    job = {"lab": lab, "student": student, "record": record, "stages": stages, "plain": plain}
    job |= {"given": given, "settings": options}
    return json.dumps(job).encode()


def perform(text: bytes, send: Send) -> None:
    """Perform a job, and send each of its results as a message.

    {"stage"} when one begins; {"record"}, {"work"}, {"verdicts"}; {"note"}, {"failure"}, {"disk"}; at the end {}.
    """
    job = json.loads(text)
    fields = job["settings"]
    parts = {"root": Path(fields["root"]), "limits": Limits(**fields["limits"]), "budget": Budget(**fields["budget"])}
    work = _Work(job, Settings(**fields | parts), send)
    lateness.say = work.note
    for stage in job["stages"]:
        send({"stage": stage})
        try:
            getattr(work, stage)()
        except Exception as error:
            if said := disk.sentence(error, work.settings.root):
                send({"disk": said})
                return
            send({"failure": f"{DOING[stage]} failed: {type(error).__name__}: {error}"})
            work.plain = True  # nothing but the record is needed for that
    send({})


class _Work:
    """One job's state; a method for each stage."""

    def __init__(self, job: Message, settings: Settings, send: Send):
        self.lab, self.student = job["lab"], job["student"]
        self.record: Record | None = job["record"]
        self.plain: bool = job["plain"]
        self.given: Message = job["given"]
        self.settings, self.send = settings, send

    def note(self, said: str) -> None:
        """Report something that is not a failure but should be known."""
        self.send({"note": said})

    def judge(self) -> None:
        try:
            self.record = submission_record.run_submission(self.student, self.lab, self.settings, self.note)
        except Exception as error:
            if disk.sentence(error, self.settings.root):
                raise
            reason = f"{type(error).__name__}: {error}"
            self.record = submission_record.not_graded(self.student, self.lab, reason, self.settings)
        self.send({"record": self.record})

    def read(self) -> None:
        try:
            self.record, work = submission_record.read_submission(self.student, self.lab, self.settings, self.note)
        except Exception as error:
            if disk.sentence(error, self.settings.root):
                raise
            reason = f"{type(error).__name__}: {error}"
            self.record, work = submission_record.not_graded(self.student, self.lab, reason, self.settings), None
        self.send({"record": self.record, "work": work and work.to_json()})

    def verdict(self) -> None:
        work = judging.Work.from_json(self.given["work"])
        self.send({"verdicts": judging.judge(work, self.given["seed"], self.settings.isolation)})

    def keep(self) -> None:
        self.record = submission_record.finish(self._judged(), self.given["verdicts"], self.settings)
        self.send({"record": self.record})

    def enter(self) -> None:
        with only_writer(self.settings.root):
            gradebook.enter(self.settings.root, self._judged())

    def late(self) -> None:
        with only_writer(self.settings.root):
            gradebook.enter_lateness(self.settings.root, self._judged())

    def show(self) -> None:
        if not self.plain:
            try:
                return gradebook.write_feedback(self.settings.root, self._judged())
            except Exception as error:
                if disk.sentence(error, self.settings.root):
                    raise
                self.note(f"the page of feedback shows verdicts alone: {type(error).__name__}: {error}")
        gradebook.write_plain_feedback(self.settings.root, self._judged())

    def _judged(self) -> Record:
        if self.record is None:
            raise RuntimeError("it was not judged")
        return self.record
