"""Due dates, extensions, times of handing in and penalties in nbgrader's gradebook, as the course's files say now.

Every door calls `refresh`: `make grade`, `nbgrader autograde`, formgrader's button, `make feedback`, `nbgrader export`.
The penalty is nbgrader's own step, AssignLatePenalties, with the policy of `course.yaml` as its plugin.
"""

import datetime as dt
import difflib
import functools
import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import BasePlugin
from nbgrader.preprocessors import AssignLatePenalties
from traitlets import Float
from traitlets.config import Config

from autograder.author.course_config import STEPS
from autograder.author.lab_text import NOTEBOOK
from autograder.examine.handin import STUDENT, Refused
from autograder.grading import course_file, extensions, intake
from autograder.grading.collect import roster
from autograder.grading.collect.roster import RosterError
from autograder.grading.course_file import Course, CourseFileError, Policy
from autograder.grading.timestamps import span


class CoursePenalty(BasePlugin):
    """The late policy of `course.yaml`, as a plugin for nbgrader's AssignLatePenalties."""

    percent_per_day = Float(Policy.percent_per_day).tag(config=True)
    at_most_percent = Float(Policy.at_most_percent).tag(config=True)
    grace_minutes = Float(Policy.grace_minutes).tag(config=True)
    zero_after_days = Float(Policy.zero_after_days).tag(config=True)

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float | None:
        """Return the points to deduct, or None if there is no penalty, so that nbgrader enters nothing."""
        policy = Policy(self.percent_per_day, self.at_most_percent, self.grace_minutes, self.zero_after_days)
        return policy.penalty(score, total_seconds_late) or None


def refresh(course: Config, lab: str, student: str) -> None:
    """Enter a submission's due date, submission time and penalty; do nothing if the gradebook does not have it.

    While `course.yaml` or `extensions.csv` can't be read, everything stays as it is, and that is said once.
    """
    root = Path(course.CourseDirectory.root)
    try:
        dates = course_file.load(root)
    except CourseFileError as error:
        _tell(f"{error}\nDue dates and penalties stay as they were: correct the file, then `make feedback`.")
        return
    with Gradebook(course.CourseDirectory.db_url, course.CourseDirectory.course_id) as gradebook:
        try:
            submission = gradebook.find_submission(lab, student)
        except MissingEntry:
            return
        _enter_due(submission, dates)
        submission.timestamp = handed_in(root, lab, student)
        concerned = submission.total_seconds_late > 0 or bool(submission.late_submission_penalty)
        gradebook.db.commit()
    if concerned:
        where = {"notebook": NOTEBOOK, "assignment": lab, "student": student, "db_url": course.CourseDirectory.db_url}
        AssignLatePenalties(config=course, log=_log()).preprocess(nbformat.v4.new_notebook(), {"nbgrader": where})


def _enter_due(submission: SubmittedAssignment, dates: Course) -> None:
    """Enter the class's due date, and how much later the student's own is; an extension that goes is named."""
    lab, student = submission.assignment.name, submission.student.id
    if dates.due is not None:
        submission.assignment.duedate = dates.due.get(lab)
    due, before = submission.assignment.duedate, submission.extension
    if due is None:
        submission.extension = None  # of no date; nbgrader would fail to add it
    elif dates.extensions is not None:
        own = extensions.of(dates.extensions, lab, student, due, dates.timezone)
        submission.extension = own - due if own and own > due else None
    if before and not submission.extension:
        why = f"{extensions.FILE} has none" if due else "the lab has no due date"
        say(f"the extension of {student} in {lab}, {span(before.total_seconds())}, no longer counts: {why}")


def refresh_all(course: Config) -> None:
    """Call `refresh` for every submission in the gradebook."""
    with Gradebook(course.CourseDirectory.db_url, course.CourseDirectory.course_id) as gradebook:
        pairs = gradebook.db.query(SubmittedAssignment).all()
        names = [(submission.assignment.name, submission.student.id) for submission in pairs]
    for lab, student in names:
        refresh(course, lab, student)


def handed_in(root: Path, lab: str, student: str) -> dt.datetime | None:
    """Return the time in the submission's `timestamp.txt`, in UTC; None if there is none, or it can't be read."""
    if not STUDENT.fullmatch(student):
        return None
    try:
        return intake.timestamp(root / STEPS["submitted_directory"], student, lab)
    except Refused:
        return None


def existing_timestamp(directory: CourseDirectory, folder: str) -> dt.datetime | None:
    """Read `timestamp.txt` with the grader's own parser: nbgrader's reads +0200 as 200 seconds and XYZ as UTC."""
    path = Path(directory.root, folder)
    return handed_in(Path(directory.root), path.name, path.parent.name)


class Times(NamedTuple):
    """The times at which a submission was due and submitted, in the course's time zone, and its lateness in seconds.

    `due` is the student's own date, `class_due` everybody's.
    """

    due: str
    submitted: str
    seconds_late: float
    class_due: str


def times(root: Path, submission: SubmittedAssignment) -> Times:
    """Return the times of a submission according to the gradebook."""
    try:
        course = course_file.load(root)
    except CourseFileError:
        course = Course()
    submitted, due = course.shown(submission.timestamp), submission.assignment.duedate
    if due is None:  # nbgrader would fail to add an extension to it
        return Times("", submitted, 0.0, "")
    own, late = course.shown(submission.duedate), float(submission.total_seconds_late)
    return Times(own, submitted, late, course.shown(due))


def warnings(root: Path) -> Iterator[str]:
    """Yield a warning about each id in `extensions.csv` that matches no student, with similar ids that may be meant."""
    try:
        given = course_file.load(root).extensions
        people = roster.of_course(None, root)
    except (CourseFileError, RosterError):
        return  # told where the file is needed
    if not given:
        return
    known = {*people.people, *intake.folders(root / STEPS["submitted_directory"])}
    for student in extensions.nobodys(given, known):
        like = [*sorted(people.find("word", student)), *difflib.get_close_matches(student, known)]
        meant = f": is {' or '.join(dict.fromkeys(like))} meant?" if like else ""
        yield f"{extensions.FILE}: {student} has not handed in anything and is in no roster{meant}"


def _print(message: str) -> None:
    print(message, file=sys.stderr)


say: Callable[[str], None] = _print  # to whoever grades; a process of the pool has another way


@functools.cache
def _tell(message: str) -> None:
    say(message)


@functools.cache
def _log() -> logging.Logger:
    log = logging.getLogger("autograder.lateness")
    log.setLevel(logging.CRITICAL)
    log.propagate = False
    return log
