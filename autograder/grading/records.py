"""One submission's verdicts: made, kept (`store.py`), found again.

A record is found again by its key, the digest of all that decides a verdict: the student's answers, the checks, the
engine with its tables, the sandbox and its limits, the versions of Python, NumPy and numba. So a run that was killed
goes on where it was, and a run without changes judges nobody again.
"""

import contextlib
import functools
import hashlib
import json
import platform
import secrets
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np

from autograder import documents, sandbox
from autograder.author import lab_text
from autograder.author.course_config import STEPS
from autograder.examine import cell_rules, lab_file, verdict
from autograder.examine.answer_text import answer_id, name_of
from autograder.examine.handin import Cell
from autograder.examine.lab_file import EXTRA_POINTS, Lab
from autograder.examine.verdict import OUR_FAULT, REFUSED, WRONG, ExerciseResult
from autograder.grading import intake
from autograder.grading.budget import Budget
from autograder.grading.rebuild import Rebuilt, is_extra, is_marked, rebuild, released
from autograder.grading.store import FORMAT, Record, look, path_of, read, write
from autograder.labs import CHECKS
from autograder.sandbox.isolation import TIERS
from engine.overlay import former_names

__all__ = ["GRADED", "MISSING", "Record", "Settings", "look", "path_of", "read", "run_submission", "write"]

GRADED = "graded"
MISSING = "the solution cell is missing: it was deleted from the notebook"
FIRST_EDITION = (
    "the notebook is of the first edition of the labs, where this exercise was {former}; this course grades the second "
    "edition: put the answer into the cell of {now} in its notebook, under the new name"
)
PACKAGE = Path(__file__).resolve().parents[1]
DECIDING = ("examine", "labs", "documents", "sandbox", "../engine")
NOT_DECIDING = ("wrong.py", "right.py", "cohort")  # beside the checks
SUFFIXES = (".py", ".yaml", ".txt")  # of code, and of the tables that it reads
VERSIONS = (platform.python_version(), np.__version__, numba.__version__)
LONGEST_REASON = 1000  # characters: it may contain names of files
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Settings:
    """The options of grading: `seed` None draws one, `force` judges again what is judged already."""

    root: Path = lab_text.ROOT
    force: bool = False
    accept_no_isolation: bool = False
    seed: int | None = None
    limits: sandbox.Limits = sandbox.Limits()
    isolation: str = ""  # the tier; the strongest that there is
    budget: Budget = Budget()

    @property
    def submitted(self) -> Path:
        """The folder of submissions."""
        return self.root / STEPS["submitted_directory"]


def key_of(lab: str, answers: Mapping[str, str | None], limits: sandbox.Limits) -> str:
    """The digest of all that decides the verdicts on `answers` (text by exercise and by document)."""
    return _digest([FORMAT, lab, sorted(answers.items()), _deciding_sources(), VERSIONS, asdict(limits)])


@functools.cache
def _deciding_sources() -> str:
    return _digest([(str(path.relative_to(PACKAGE.parent)), path.read_text("utf-8")) for path in deciding_files()])


def deciding_files() -> list[Path]:
    """The files of code and tables that decide a verdict."""
    inside = (path for name in DECIDING for path in (PACKAGE / name).resolve().rglob("*"))
    return sorted(path for path in inside if path.suffix in SUFFIXES and not {*path.parts[-2:]} & {*NOT_DECIDING})


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()


# ---- made


def run_submission(student: str, lab: str, settings: Settings, tell: Tell = lambda said: None) -> Record:
    """The record of one submission: the one that is kept if it still holds, else a new one, which is then kept.

    Args:
        tell: is told why a record that is there does not count.
    Raises:
        NoIsolation: students' code can't be shut in here, and that was not accepted.
    """
    begun = time.time()
    found, problem = look(settings.root, lab, student)
    if problem:
        tell(problem)
    kept = None if settings.force else found
    try:
        submission = intake.admit(settings.submitted, student, lab, names_of_documents(lab, settings.root))
    except intake.Refused as refused:
        record = refused_for(refused.reason, student, lab, settings)
        return _still_right(kept, record, settings) or _keep(record, settings, begun)
    rebuilt = rebuilt_from(submission, settings.root)
    text = released_lab(lab, settings.root)
    answers = answers_of(text, rebuilt) | {part.name: submission.documents.get(part.name) for part in text.documents}
    unread: dict[str, str | None] = {f"{name} is unread": reason for name, reason in submission.unread.items()}
    renamed = of_first_edition(answers, submission.cells)
    record = _new(student, lab, GRADED, "", settings.isolation) | {
        "key": key_of(lab, answers | unread | {message: name for name, message in renamed.items()}, settings.limits),
        "submission": submission.digest,
        "release": release_digest(rebuilt),
        "repeated": list(rebuilt.repeated),
        "extra_cells": rebuilt.extra,
    }
    return _still_right(kept, record, settings) or _keep(
        _judged(record, text, answers, renamed, submission.unread, settings), settings, begun
    )


def of_first_edition(answers: Mapping[str, str | None], cells: Iterable[Cell]) -> dict[str, str]:
    """The message for each exercise whose answer is missing, but has a cell under its name in the first edition."""
    handed_in = {cell.name for cell in cells}
    return {
        now: FIRST_EDITION.format(former=former, now=now)
        for former, now in former_names.RENAMED.items()
        if now in answers and answers[now] is None and answer_id(former) in handed_in
    }


def released_lab(lab: str, root: Path) -> Lab:
    """The released lab: its exercises, documents and reflections."""
    return lab_file.load(root / STEPS["release_directory"] / lab)


def names_of_documents(lab: str, root: Path) -> tuple[str, ...]:
    """The files that the lab asks for, beside the notebook."""
    return tuple(document.name for document in released_lab(lab, root).documents)


def rebuilt_from(submission: intake.Submission, root: Path) -> Rebuilt:
    """The notebook that is graded, made of the submission."""
    prose = {}
    for name, text in submission.documents.items():
        heading = documents.of_lab(submission.lab)[name].prose
        template = (root / STEPS["release_directory"] / submission.lab / name).read_text(encoding="utf-8")
        written = documents.section(text, heading) if heading else ""
        prose[name] = written if written != documents.section(template, heading) else ""
    release = released(root / STEPS["release_directory"], submission.lab)
    return rebuild(release, submission.cells, submission.documents, prose)


def release_digest(rebuilt: Rebuilt) -> str:
    """The digest of what the gradebook knows of the release: its graded cells and their points."""
    marks = [cell.metadata.nbgrader for cell in rebuilt.notebook.cells if is_marked(cell)]
    extra = [(name_of(cell), cell.metadata[EXTRA_POINTS]) for cell in rebuilt.notebook.cells if is_extra(cell)]
    return _digest(sorted((mark.grade_id, mark.get("points")) for mark in marks) + sorted(extra))[:16]


def not_graded(student: str, lab: str, reason: str, settings: Settings) -> Record:
    """The record of a submission that we failed to judge: never a zero, and tried again by the next run."""
    return _keep(_new(student, lab, OUR_FAULT, _one_line(reason), settings.isolation), settings, time.time())


def refused(student: str, lab: str, reason: str, settings: Settings) -> Record:
    """The record of a submission that is not graded for what it is."""
    return _keep(refused_for(reason, student, lab, settings), settings, time.time())


def refused_for(reason: str, student: str, lab: str, settings: Settings) -> Record:
    """The same, not kept."""
    return _new(student, lab, REFUSED, reason, settings.isolation) | {"key": _digest([FORMAT, lab, reason])}


def answers_of(lab: Lab, rebuilt: Rebuilt) -> dict[str, str | None]:
    """Text of the solution cell by exercise, None where it was deleted."""
    return {exercise.name: rebuilt.answers[answer_id(exercise.name)] for exercise in lab.exercises}


def results_of(record: Record) -> dict[str, ExerciseResult]:
    """The record's verdicts by exercise."""
    fields = ExerciseResult.__dataclass_fields__
    return {
        name: verdict.from_json({field: kept[field] for field in fields}) for name, kept in record["exercises"].items()
    }


def _new(student: str, lab: str, status: str, reason: str, isolation: str) -> Record:
    return {
        "format": FORMAT, "student": student, "lab": lab, "status": status, "reason": shorten(reason), "key": "",
        "tier": sandbox.canary(isolation).tier, "seed": None, "cpu_seconds": 0.0, "points": 0, "max_points": 0,
        "extra": 0, "max_extra": 0, "exercises": {},
    }  # fmt: skip


def shorten(reason: str) -> str:
    """A reason that a reader can take in, whatever names it contains."""
    return reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]} ..."


def _still_right(kept: Record | None, record: Record, settings: Settings) -> Record | None:
    """The record on disk if it answers the same question, and was made in this tier or in a stronger one."""
    if kept is None or kept["key"] != record["key"] or kept["status"] == OUR_FAULT:
        return None
    if TIERS.index(kept["tier"]) > TIERS.index(record["tier"]):
        return None
    # The same code can come in another notebook, with other written answers.
    names = ("submission", "release", "repeated", "extra_cells")
    of_notebook: Record = {name: record[name] for name in names if name in record}
    of_notebook |= totals(kept, released_lab(kept["lab"], settings.root))
    if kept != kept | of_notebook:
        kept |= of_notebook
        write(settings.root, kept)
    return kept


def _keep(record: Record, settings: Settings, begun: float) -> Record:
    record |= totals(record, released_lab(record["lab"], settings.root))
    record["seconds"] = round(time.time() - begun, 2)
    record["graded_at"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    record = json.loads(json.dumps(record))  # as it is read again
    write(settings.root, record)
    return record


def of_points(record: Record) -> str:
    """The automatic points in words: "80 of 83", or with optional exercises "80 of 83, extra 7 of 12"."""
    extra = f", extra {record['extra']} of {record['max_extra']}" if record["max_extra"] else ""
    return f"{record['points']} of {record['max_points']}{extra}"


def totals(record: Record, lab: Lab) -> dict[str, int]:
    """Points of the record, and apart from them what is earned in the lab's optional exercises."""
    earned = {name: result["points"] for name, result in record["exercises"].items()}
    extra = sum(points for name, points in earned.items() if name in lab.optional)
    return {
        "points": sum(earned.values()) - extra, "max_points": lab.checked_points, "extra": extra, "max_extra": lab.extra
    }  # fmt: skip


def _judged(
    record: Record, lab: Lab, answers: Mapping[str, str | None], renamed: Mapping[str, str],
    unread: Mapping[str, str], settings: Settings,
) -> Record:  # fmt: skip
    seed = secrets.randbits(48) if settings.seed is None else settings.seed
    exercises = {exercise.name: exercise.methods for exercise in lab.exercises}
    results: dict[str, ExerciseResult] = {}
    box = None
    with contextlib.suppress(sandbox.BrokenSandbox):
        box = sandbox.Sandbox(lab.id, settings.limits, settings.accept_no_isolation, exercises, settings.isolation)
    with box or contextlib.nullcontext():
        for name in exercises:
            results[name] = _judge(box, name, answers[name], seed, renamed.get(name, MISSING))
    for document in lab.documents:
        results[document.name] = _judge_document(lab.id, document.name, answers[document.name], unread)
    faults = [result.message for result in results.values() if result.verdict == OUR_FAULT]
    return record | {
        "status": OUR_FAULT if faults else GRADED,
        "reason": _one_line(faults[0]) if faults else "",
        "seed": seed,
        "cpu_seconds": round(box.cpu_seconds, 3) if box else 0.0,
        "exercises": {part.name: _with_flags(results[part.name], answers[part.name]) for part in lab.checked},
    }


def _judge(box: sandbox.Sandbox | None, exercise: str, source: str | None, seed: int, missing: str) -> ExerciseResult:
    check = CHECKS[exercise]
    if source is None:
        return ExerciseResult(exercise, WRONG, 0, check.points, message=missing)
    if box is None:
        return ExerciseResult(exercise, OUR_FAULT, 0, check.points, message="the sandbox does not start")
    try:
        return sandbox.grade_cell(box, check, source, seed)
    except Exception as error:  # of ours: whatever a student's code does ends in a verdict
        said = "".join(traceback.format_exception_only(error)).strip()
        return ExerciseResult(exercise, OUR_FAULT, 0, check.points, message=f"{exercise}: {said}")


def _judge_document(lab: str, name: str, text: str | None, unread: Mapping[str, str]) -> ExerciseResult:
    document = documents.of_lab(lab)[name]
    if name in unread:
        return ExerciseResult(name, WRONG, 0, document.points, message=unread[name])
    try:
        return documents.judge(document, text)
    except Exception as error:  # of ours: a text is only read
        said = "".join(traceback.format_exception_only(error)).strip()
        return ExerciseResult(name, OUR_FAULT, 0, document.points, message=f"{name}: {said}")


def _one_line(text: str) -> str:
    """First and last line of what may be a traceback."""
    lines = text.strip().splitlines()
    return " ... ".join(dict.fromkeys([*lines[:1], *lines[-1:]]))


def _with_flags(result: ExerciseResult, source: str | None) -> dict[str, Any]:
    is_code = source is not None and not documents.is_document(result.exercise)
    same = is_code and cell_rules.same_as_reference(source, result.exercise)  # type: ignore[arg-type]
    return verdict.to_json(result) | {"same_as_reference": same}
