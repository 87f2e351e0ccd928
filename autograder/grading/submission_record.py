"""One submission's record: its verdicts made (`judging.py`), kept (`store.py`), found again.

A record is found again by its key, the digest of all that decides a verdict: the student's answers, the checks, the
engine with its tables, the sandbox and its limits, the versions of Python, NumPy and numba. So a run that was killed
goes on where it was, and a run without changes judges nobody again. Where nothing but some checks has changed, the
exercises that these do not concern keep their verdicts.
"""

import hashlib
import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from autograder import documents, sandbox
from autograder.author import lab_text
from autograder.author.course_config import STEPS
from autograder.examine import lab_file, verdict
from autograder.examine.answer_text import answer_id, name_of
from autograder.examine.lab_file import EXTRA_POINTS, Lab
from autograder.examine.verdict import OUR_FAULT, REFUSED, ExerciseResult
from autograder.grading import code_digest, intake
from autograder.grading.budget import Budget
from autograder.grading.judging import GRADED, MISSING, Verdicts, Work, judge, one_line
from autograder.grading.rebuild import Rebuilt, is_extra, is_marked, rebuild, released
from autograder.grading.store import FORMAT, Record, look, path_of, read, write
from autograder.sandbox.isolation import TIERS

__all__ = ["GRADED", "MISSING", "Record", "Settings", "look", "path_of", "read", "run_submission", "write"]

LONGEST_REASON = 1000  # characters: it may contain names of files
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Settings:
    """The options of grading; a `seed` of None draws one, and `force` judges everything again.

    The seed is drawn once: whoever is judged in the same run is asked the same cases, and the reference answers them
    once. Nobody sees a case before the run is over, and a later submission is asked others.
    """

    root: Path = lab_text.ROOT
    force: bool = False
    accept_no_isolation: bool = False
    seed: int | None = None
    drawn: int = field(default_factory=lambda: secrets.randbits(48))  # where `seed` is None and no verdict has one
    limits: sandbox.Limits = sandbox.Limits()
    isolation: str = ""  # the tier; the strongest that there is
    scheduler: str = ""  # the address of dask's scheduler, whose workers judge; "" to judge here
    budget: Budget = Budget()

    @property
    def submitted(self) -> Path:
        """The folder of submissions."""
        return self.root / STEPS["submitted_directory"]


def key_of(lab: str, answers: Mapping[str, str | None], limits: sandbox.Limits) -> str:
    """Return the digest of everything that determines the verdicts on `answers`, texts by exercise or document."""
    return _digest([basis_of(lab, answers, limits), code_digest.of_lab(lab)])


def basis_of(lab: str, answers: Mapping[str, str | None], limits: sandbox.Limits) -> str:
    """Return the digest of `key_of` without the files that affect single exercises of the lab."""
    return _digest([FORMAT, lab, sorted(answers.items()), code_digest.for_all(), asdict(limits)])


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()


# ---- made


def run_submission(student: str, lab: str, settings: Settings, tell: Tell = lambda said: None) -> Record:
    """Return the record of a submission: the saved one if it is still valid, or else a new one, which is then saved.

    Args:
        tell: is told why a record that is there does not count.
    Raises:
        NoIsolation: students' code can't be shut in here, and that was not accepted.
    """
    record, work = read_submission(student, lab, settings, tell)
    if work is None:
        return record
    return finish(record, judge(work, record["seed"], settings.isolation, settings.accept_no_isolation), settings)


def read_submission(student: str, lab: str, settings: Settings, tell: Tell) -> tuple[Record, Work | None]:
    """Return the record before judging, and the work to be judged, or None if there is nothing to judge.

    The record is then whole and kept: of what is refused, or the one on disk, which still holds. Else it has the
    verdicts on disk that hold, and the seed for the others.
    """
    begun = time.time()
    found, problem = look(settings.root, lab, student)
    if problem:
        tell(problem)
    kept = None if settings.force else found
    try:
        submission = intake.admit(settings.submitted, student, lab, names_of_documents(lab, settings.root))
        rebuilt = rebuilt_from(submission, settings.root)
        work = work_of(released_lab(lab, settings.root), rebuilt, submission, settings.limits)
        _require_answers(work, submission)
    except intake.Unreadable as unreadable:
        return not_graded(student, lab, unreadable.reason, settings), None
    except intake.Refused as refused:
        record = refused_for(refused.reason, student, lab, settings)
        return _still_right(kept, record, settings) or _keep(record, settings, begun), None
    unread: dict[str, str | None] = {f"{name} is unread": reason for name, reason in work.unread.items()}
    everything = {**work.answers, **unread}
    record = _new(student, lab, GRADED, "", settings) | {
        "key": key_of(lab, everything, settings.limits),
        "basis": basis_of(lab, everything, settings.limits),
        "checks": {name: code_digest.of_exercise(name) for name in work.exercises},
        "submission": submission.digest,
        "release": release_digest(rebuilt),
        "repeated": list(rebuilt.repeated),
        "found": list(rebuilt.found),
        "extra_cells": rebuilt.extra,
    }
    if still := _still_right(kept, record, settings):
        return still, None
    record |= _unconcerned(kept, record)
    seeds = (settings.seed, record["seed"], _seed_of(kept, record), settings.drawn)
    record |= {"seed": next(seed for seed in seeds if seed is not None), "begun": begun}
    return record, replace(work, asked=tuple(name for name in work.asked if name not in record["exercises"]))


def finish(record: Record, verdicts: Verdicts, settings: Settings) -> Record:
    """Merge the verdicts into the record from before judging; save and return the complete record."""
    found = record["exercises"] | verdicts["exercises"]
    order = [part.name for part in released_lab(record["lab"], settings.root).checked]
    whole = record | verdicts | {
        "cpu_seconds": round(record["cpu_seconds"] + verdicts["cpu_seconds"], 3),
        "exercises": {name: found[name] for name in order},
    }  # fmt: skip
    return _keep(whole, settings, whole.pop("begun"))


def work_of(lab: Lab, rebuilt: Rebuilt, submission: intake.Submission, limits: sandbox.Limits) -> Work:
    """Return everything in a submission that is to be judged."""
    answers = answers_of(lab, rebuilt) | {part.name: submission.documents.get(part.name) for part in lab.documents}
    return Work(
        lab.id, {exercise.name: exercise.methods for exercise in lab.exercises},
        tuple(part.name for part in lab.checked), answers, submission.unread,
        limits,
    )  # fmt: skip


def _require_answers(work: Work, submission: intake.Submission) -> None:
    """Refuse what answers nothing of the lab, which else is graded 0 without a word."""
    if any(answer is not None for answer in work.answers.values()) or work.unread:
        return
    of_others = any(cell.name.endswith("-answer") for cell in submission.cells)
    found = "the answers of another lab" if of_others else "no cell that answers one of its exercises"
    raise intake.Refused(f"expected the notebook of {work.lab}, found {found}: hand in the lab's own {intake.FILE}")


def released_lab(lab: str, root: Path) -> Lab:
    """Load the released lab: its exercises, documents and reflections."""
    return lab_file.load(root / STEPS["release_directory"] / lab)


def names_of_documents(lab: str, root: Path) -> tuple[str, ...]:
    """Return the names of the documents that the lab requires beside the notebook."""
    return tuple(document.name for document in released_lab(lab, root).documents)


def rebuilt_from(submission: intake.Submission, root: Path) -> Rebuilt:
    """Rebuild the notebook to be graded from the submission."""
    prose = {}
    for name, text in submission.documents.items():
        heading = documents.of_lab(submission.lab)[name].prose
        template = (root / STEPS["release_directory"] / submission.lab / name).read_text(encoding="utf-8")
        written = documents.section(text, heading) if heading else ""
        prose[name] = written if written != documents.section(template, heading) else ""
    release = released(root / STEPS["release_directory"], submission.lab)
    return rebuild(release, submission.cells, submission.documents, prose)


def release_digest(rebuilt: Rebuilt) -> str:
    """Return the digest of the parts of the release that the gradebook stores: its graded cells and their points."""
    marks = [cell.metadata.nbgrader for cell in rebuilt.notebook.cells if is_marked(cell)]
    extra = [(name_of(cell), cell.metadata[EXTRA_POINTS]) for cell in rebuilt.notebook.cells if is_extra(cell)]
    return _digest(sorted((mark.grade_id, mark.get("points")) for mark in marks) + sorted(extra))[:16]


def not_graded(student: str, lab: str, reason: str, settings: Settings) -> Record:
    """Save a record of a submission that we failed to judge: it gets no zero, and the next run judges it again."""
    return _keep(_new(student, lab, OUR_FAULT, one_line(reason), settings), settings, time.time())


def refused(student: str, lab: str, reason: str, settings: Settings) -> Record:
    """Save a record of a submission that is refused because of its content."""
    return _keep(refused_for(reason, student, lab, settings), settings, time.time())


def refused_for(reason: str, student: str, lab: str, settings: Settings) -> Record:
    """Return the record of a refused submission without saving it."""
    return _new(student, lab, REFUSED, reason, settings) | {"key": _digest([FORMAT, lab, reason])}


def answers_of(lab: Lab, rebuilt: Rebuilt) -> dict[str, str | None]:
    """Return the text of each exercise's solution cell, or None if the student deleted the cell."""
    return {exercise.name: rebuilt.answers[answer_id(exercise.name)] for exercise in lab.exercises}


def results_of(record: Record) -> dict[str, ExerciseResult]:
    """Return the record's verdicts by exercise."""
    fields = ExerciseResult.__dataclass_fields__
    return {
        name: verdict.from_json({field: kept[field] for field in fields}) for name, kept in record["exercises"].items()
    }


def _new(student: str, lab: str, status: str, reason: str, settings: Settings) -> Record:
    tier = TIERS[-2] if settings.scheduler else sandbox.canary(settings.isolation).tier  # at least that, elsewhere
    return {
        "format": FORMAT, "student": student, "lab": lab, "status": status, "reason": shorten(reason), "key": "",
        "tier": tier, "seed": None, "cpu_seconds": 0.0, "points": 0, "max_points": 0,
        "extra": 0, "max_extra": 0, "exercises": {},
    }  # fmt: skip


def shorten(reason: str) -> str:
    """Return the reason, truncated if it is too long to read."""
    return reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]} ..."


def _still_right(kept: Record | None, record: Record, settings: Settings) -> Record | None:
    """Return the record on disk if it answers the same question, and was made in this tier or in a stronger one."""
    if kept is None or kept["key"] != record["key"] or not _holds(kept, record):
        return None
    # The same code can come in another notebook, with other written answers.
    names = ("submission", "release", "repeated", "found", "extra_cells")
    of_notebook: Record = {name: record[name] for name in names if name in record}
    of_notebook |= totals(kept, released_lab(kept["lab"], settings.root))
    if kept != kept | of_notebook:
        kept |= of_notebook
        write(settings.root, kept)
    return kept


def _holds(kept: Record, record: Record) -> bool:
    """Return True unless we failed to judge it, or judged it in a weaker tier than this one."""
    return kept["status"] != OUR_FAULT and TIERS.index(kept["tier"]) <= TIERS.index(record["tier"])


def _keep(record: Record, settings: Settings, begun: float) -> Record:
    record |= totals(record, released_lab(record["lab"], settings.root))
    record["seconds"] = round(time.time() - begun, 2)
    record["graded_at"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    record = json.loads(json.dumps(record))  # as it is read again
    write(settings.root, record)
    return record


def of_points(record: Record) -> str:
    """Format the automatic points: "80 of 83", or with optional exercises "80 of 83, extra 7 of 12"."""
    extra = f", extra {record['extra']} of {record['max_extra']}" if record["max_extra"] else ""
    return f"{record['points']} of {record['max_points']}{extra}"


def totals(record: Record, lab: Lab) -> dict[str, int]:
    """Return the record's points, and separately the points earned in the lab's optional exercises."""
    earned = {name: result["points"] for name, result in record["exercises"].items()}
    extra = sum(points for name, points in earned.items() if name in lab.optional)
    return {
        "points": sum(earned.values()) - extra, "max_points": lab.checked_points, "extra": extra, "max_extra": lab.extra
    }  # fmt: skip


def _seed_of(kept: Record | None, record: Record) -> int | None:
    """Return the seed of the last verdict on this very file, so that a changed grader draws the same cases."""
    if kept is None or kept.get("submission") != record["submission"] or not _holds(kept, record):
        return None
    seed: int | None = kept["seed"]
    return seed


def _unconcerned(kept: Record | None, record: Record) -> Record:
    """Return the verdicts on disk that hold, where answers are the same and some checks are not; with their seed."""
    if kept is None or kept.get("basis") != record["basis"] or not _holds(kept, record):
        return {}
    same = {name for name, digest in record["checks"].items() if kept["checks"].get(name) == digest}
    exercises = {name: found for name, found in kept["exercises"].items() if name in same}
    return {"seed": kept["seed"], "cpu_seconds": kept["cpu_seconds"], "exercises": exercises}
