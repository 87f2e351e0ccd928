"""A grade for each student of a lab as nbgrader's gradebook has it now, or the reason that there is none."""

import datetime as dt
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from autograder.author.course_config import STEPS
from autograder.examine.verdict import OUR_FAULT, REFUSED
from autograder.grading import gradebook, intake, lateness, store, submission_record
from autograder.grading.lock import only_writer
from autograder.grading.standings import Standing
from autograder.grading.submission_record import Record

AGAIN = "`make grade` judges it"
EXTRA: dict[str, Callable[[float, float, float], float]] = {  # of score, extra credit and the lab's maximum
    "cap": lambda score, extra, most: max(score, min(score + extra, most)),
    "add": lambda score, extra, most: score + extra,
    "none": lambda score, extra, most: score,
}


class Choices(NamedTuple):
    """Options: `extra` is a key of `EXTRA`, `provisional` exports unfinished grades, `zero` grades nonsubmitters 0."""

    extra: str = "cap"
    provisional: bool = False
    zero: bool = False


class Grade(NamedTuple):
    """A grade, or `points` None and the reason in `why`; `cut` is extra credit that did not count."""

    points: float | None
    why: str = ""
    submitted: bool = True
    standing: Standing | None = None
    cut: float = 0.0


def graded(grades: Mapping[str, Grade]) -> dict[str, float]:
    """Return the points by student, for the students who have a grade."""
    return {student: grade.points for student, grade in grades.items() if grade.points is not None}


def submitted(root: Path, lab: str) -> list[str]:
    """Return everyone who submitted, including students with a record whose submission folder is gone."""
    kept = (store.look_at(root, path)[0] for path in store.paths(root, lab))
    names = {record["student"] for record in kept if record is not None}
    return sorted(names.union(intake.students(root / STEPS["submitted_directory"], lab)))


def read(root: Path, lab: str, everyone: Collection[str], choices: Choices) -> dict[str, Grade]:
    """Return the grades of `everyone`, with the current due dates and penalties."""
    handed_in = set(submitted(root, lab))
    course = gradebook.prepare(root)
    with only_writer(root):
        for student in gradebook.standings_of(root, lab):
            lateness.refresh(course, lab, student)
    standings = gradebook.standings_of(root, lab)
    absent = Grade(0.0 if choices.zero else None, "did not submit", submitted=False)
    return {
        student: _grade(root, lab, student, standings, choices) if student in handed_in else absent
        for student in everyone
    }


def _grade(root: Path, lab: str, student: str, standings: Mapping[str, Standing], choices: Choices) -> Grade:
    record, problem = store.look(root, lab, student)
    standing = standings.get(student)
    if record is None:
        return Grade(None, problem.replace("judged again", AGAIN) or f"not graded yet: {AGAIN}")
    why = _not_settled(root, record, standing)
    if why or standing is None:
        return Grade(None, why, standing=standing)
    why = _waits(record, standing)
    if why and not choices.provisional:
        return Grade(None, why, standing=standing)
    score, extra = standing.kept
    points = round(EXTRA[choices.extra](score, extra, standing.max_score), 2)
    return Grade(points, why, standing=standing, cut=round(score + extra - points, 2))


def _not_settled(root: Path, record: Record, standing: Standing | None) -> str:
    """Return the reason that the gradebook's points are not this submission's, "" if they are."""
    if record["status"] == OUR_FAULT:
        return f"{OUR_FAULT} ({record['reason']}): {AGAIN}"
    if standing is None:
        return f"the gradebook does not have it: {AGAIN}"
    if submitted_again(root, record):
        return f"submitted again since it was graded: {AGAIN}"
    if record["status"] != REFUSED and not gradebook.has_verdicts(root, record):
        return f"the gradebook does not have its last verdict: {AGAIN}"
    return ""


def submitted_again(root: Path, record: Record) -> bool:
    """Return True if the submission has changed since it was recorded; a missing folder does not count as a change."""
    place, student, lab = root / STEPS["submitted_directory"], record["student"], record["lab"]
    if not (place / student / lab).is_dir():
        return False
    try:
        digest = intake.admit(place, student, lab, submission_record.names_of_documents(lab, root)).digest
    except intake.Refused as refused:
        return record["status"] != REFUSED or submission_record.shorten(refused.reason) != record["reason"]
    if record["status"] != REFUSED:
        return bool(digest != record["submission"])
    # Refused for the time or memory that reading it took: only its age tells whether it is still the same.
    graded_at = dt.datetime.fromisoformat(record["graded_at"]).timestamp()
    return (place / student / lab / intake.FILE).stat().st_ctime > graded_at


def _waits(record: Record, standing: Standing) -> str:
    """Return the reason that more points may come, "" if none may."""
    if not standing.to_do:
        return ""
    results = submission_record.results_of(record).values()
    faults = [result.exercise for result in results if result.verdict == OUR_FAULT]
    if faults:
        return f"{', '.join(faults)} {OUR_FAULT}: {AGAIN}"
    one = standing.to_do == 1
    return f"{standing.to_do} answer{'' if one else 's'} wait{'s' if one else ''} to be graded by hand: make formgrader"
