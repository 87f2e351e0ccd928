"""Points, comments and lateness in nbgrader's gradebook, read for a whole lab in a few queries."""

import json
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy.orm import joinedload, undefer

from autograder.grading import extra_credit, lateness


class Standing(NamedTuple):
    """A student's points for one lab in the gradebook, and the number of cells that wait for manual grading.

    `score` is without `extra`, the extra credit: nbgrader's own score is the sum. `penalty` is off that sum.
    `due`, `class_due`, `submitted`: in the course's time zone, "" where not known. `digest` changes with anything that
    a page of feedback shows.
    """

    score: float
    max_score: float
    penalty: float
    to_do: int
    overridden: int
    digest: str
    due: str = ""
    submitted: str = ""
    seconds_late: float = 0.0
    class_due: str = ""
    extra: float = 0.0

    @property
    def own_due(self) -> str:
        """The due date of a student with an extension, "" for any other."""
        return self.due if self.due != self.class_due else ""

    @property
    def kept(self) -> tuple[float, float]:
        """Score and extra credit after the penalty, which reduces both by the same percentage."""
        return extra_credit.after_penalty(self.score, self.extra, self.penalty)


class Enrolled(NamedTuple):
    """A student's name and email address in the gradebook; "" if either is missing."""

    name: str = ""
    email: str = ""


def enrolled(book: Gradebook) -> dict[str, Enrolled]:
    """Return everybody in the gradebook, by id, whether they submitted or not."""
    rows = book.db.query(Student.id, Student.first_name, Student.last_name, Student.email).order_by(Student.id)
    return {
        student: Enrolled(" ".join(filter(None, (first, last))), email or "") for student, first, last, email in rows
    }


def read(book: Gradebook, root: Path, lab: str, students: Collection[str] | None = None) -> dict[str, Standing]:
    """Return the standings for a lab by student: of the given students only, or of everybody in the gradebook.

    Args:
        root: the course's folder, whose course.yaml names the time zone.
    """
    submissions = (
        book.db.query(SubmittedAssignment)
        .join(Assignment)
        .filter(Assignment.name == lab)
        .options(undefer(SubmittedAssignment.late_submission_penalty), joinedload(SubmittedAssignment.assignment))
    )
    if students is not None:
        submissions = submissions.filter(SubmittedAssignment.student_id.in_(students))
    found = submissions.all()
    if not found:
        return {}
    most = book.db.query(Assignment.max_score).filter(Assignment.name == lab).scalar()
    only = None if students is None else [submission.id for submission in found]
    graded = (Grade.score, Grade.auto_score, Grade.manual_score, Grade.extra_credit, Grade.needs_manual_grade)
    grades = _by_submission(book, lab, Grade, graded, only)
    comments = _by_submission(book, lab, Comment, (Comment.comment,), only)
    return {
        submission.student_id: _standing(submission, most, grades[submission.id], comments[submission.id], root)
        for submission in found
    }


def _by_submission(
    book: Gradebook, lab: str, kind: type[Grade | Comment], columns: tuple[Any, ...], only: Collection[str] | None
) -> dict[str, list[Any]]:
    """Return rows of the cell's `name` and these columns, by the submission's id."""
    rows = (
        book.db.query(SubmittedNotebook.assignment_id, BaseCell.name, *columns)
        .select_from(kind)
        .join(SubmittedNotebook, kind.notebook_id == SubmittedNotebook.id)
        .join(BaseCell, kind.cell_id == BaseCell.id)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
        .filter(Assignment.name == lab)
    )
    if only is not None:
        rows = rows.filter(SubmittedAssignment.id.in_(only))
    found = defaultdict(list)
    for row in rows:
        found[row.assignment_id].append(row)
    return found


def _standing(
    submission: SubmittedAssignment, most: float, grades: list[Any], comments: list[Any], root: Path
) -> Standing:
    shown = sorted((grade.name, grade.score) for grade in grades), sorted((c.name, c.comment) for c in comments)
    penalty = submission.late_submission_penalty or 0.0
    times = lateness.times(root, submission)
    extra = extra_credit.of(grades)
    return Standing(
        sum(grade.score for grade in grades) - extra, most, penalty,
        sum(grade.needs_manual_grade for grade in grades),
        sum(grade.manual_score is not None and grade.auto_score is not None for grade in grades),
        json.dumps([shown, penalty, times if times.due != times.class_due else times[:3]]), *times, extra,
    )  # fmt: skip
