"""nbgrader's gradebook, driven from one process: verdicts entered, feedback written, standings read."""

import contextlib
import functools
import hashlib
import io
import json
import logging
import os
import shutil
from collections.abc import Collection, Iterator
from html import escape
from pathlib import Path

from nbgrader.api import Assignment, BaseCell, Gradebook, GradeCell, Notebook
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import CsvExportPlugin
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from traitlets.config import Config

from autograder.author.course_config import STEPS, config, with_own
from autograder.examine.rendering import render
from autograder.examine.verdict import OUR_FAULT, REFUSED
from autograder.files import write_whole
from autograder.grading import intake, lateness, standings
from autograder.grading.database import GradebookError
from autograder.grading.feedback_page import RecordedFeedback
from autograder.grading.lock import only_writer
from autograder.grading.nbgrader_hooks import (
    EXCHANGE,
    RecordedAutograde,
    configure,
    enter_refused,
    install,
    stamp,
)
from autograder.grading.standings import Enrolled, Standing
from autograder.grading.submission_record import Record, of_points, released_lab, results_of

PLAIN_PAGE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<body style="font: 15px/1.5 system-ui, sans-serif; max-width: 45rem; margin: 2rem auto; padding: 0 1rem">
<h1 style="font-size: 1.5rem">{title}</h1><p>{said}</p>{more}</body></html>
"""


def prepare(root: Path) -> Config:
    """Return nbgrader's configuration for the course, with the grader's own steps and `nbgrader_config.py` merged in.

    Raises:
        GradebookError: that file can't be run, or the gradebook's address can't be read.
    """
    install()
    (root / EXCHANGE).mkdir(parents=True, exist_ok=True)
    return with_own(configure(config(root)), root)


def enter(root: Path, record: Record) -> None:
    """Enter the record's points in the gradebook with nbgrader's autograde; do nothing if they are already there.

    Raises:
        GradebookError: with what nbgrader logged.
    """
    student, lab = record["student"], record["lab"]
    if intake.STUDENT.fullmatch(student) is None:
        return  # no name that nbgrader could hold
    if record["status"] == REFUSED:
        shutil.rmtree(root / STEPS["autograded_directory"] / student / lab, ignore_errors=True)
        enter_refused(prepare(root).CourseDirectory.db_url, record)
    elif not is_entered(root, record):
        _convert(RecordedAutograde, root, record)
        return
    enter_lateness(root, record)


def enter_lateness(root: Path, record: Record) -> None:
    """Enter the submission's due date, submission time and penalty, according to the current files."""
    lateness.refresh(prepare(root), record["lab"], record["student"])


def is_entered(root: Path, record: Record) -> bool:
    """Return whether nbgrader has already processed exactly this record."""
    return has_verdicts(root, record) and standing(root, record) is not None


def has_verdicts(root: Path, record: Record) -> bool:
    """Return True if the autograded notebook contains the verdicts of this record; the notebook is not validated."""
    path = root / STEPS["autograded_directory"] / record["student"] / record["lab"] / intake.FILE
    try:
        seen = json.loads(path.read_text(encoding="utf-8"))["metadata"].get("verdicts")
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False
    return bool(seen == stamp(record))


def write_feedback(root: Path, record: Record) -> None:
    """Write the student's feedback page to `autograder/feedback/`; do nothing if the page is up to date.

    Raises:
        GradebookError: with what nbgrader logged.
    """
    if intake.STUDENT.fullmatch(record["student"]) is None:
        return
    page = page_of(root, record)
    if record["status"] == REFUSED:
        write_plain_feedback(root, record)
        return
    place = standing(root, record)
    if is_shown(root, record, place):
        return
    _convert(RecordedFeedback, root, record)
    with page.open("ab") as file:
        file.write(mark_of(record, place))


def is_shown(root: Path, record: Record, place: Standing | None) -> bool:
    """Return whether the student's page is complete and shows this record and this gradebook entry."""
    if record["status"] == REFUSED:
        return page_of(root, record).is_file()
    mark = mark_of(record, place)
    try:
        with page_of(root, record).open("rb") as file:
            file.seek(-len(mark), os.SEEK_END)
            return file.read() == mark
    except OSError:  # no page, or one that is shorter than the mark
        return False


def mark_of(record: Record, place: Standing | None) -> bytes:
    """Return the last line of a page, a digest of what the page shows."""
    return f"<!-- {hashlib.sha256(f'{stamp(record)} {place and place.digest}'.encode()).hexdigest()} -->\n".encode()


def write_plain_feedback(root: Path, record: Record) -> None:
    """Write a page with only the verdicts, or the reason that there are none, and none of the student's text."""
    if intake.STUDENT.fullmatch(record["student"]) is None:
        return
    if record["status"] in (REFUSED, OUR_FAULT):
        said, more = "This submission could not be graded.", f"<p>{escape(record['reason'])}</p>"
    else:
        said = f"{of_points(record)} points are judged by the machine."
        optional = released_lab(record["lab"], root).optional
        texts = (render(result, name in optional) for name, result in results_of(record).items())
        more = "".join(f"<pre>{escape(text)}</pre>" for text in texts)
    page = page_of(root, record)
    page.parent.mkdir(parents=True, exist_ok=True)
    write_whole(page, PLAIN_PAGE.format(title=f"{record['lab']}: {record['student']}", said=said, more=more))


def page_of(root: Path, record: Record) -> Path:
    """Return the path of the student's feedback page."""
    return root / STEPS["feedback_directory"] / record["student"] / record["lab"] / "lab.html"


def standing(root: Path, record: Record) -> Standing | None:
    """Return the student's gradebook entry for this submission, or None if the gradebook does not have one."""
    student = record["student"]
    return standings_of(root, record["lab"], [student]).get(student)


def standings_of(root: Path, lab: str, students: Collection[str] | None = None) -> dict[str, Standing]:
    """Return the gradebook entries for a lab by student: for `students`, or for all of them."""
    with opened(root) as book:
        return standings.read(book, root, lab, students)


def standings_if_whole(root: Path, lab: str) -> dict[str, Standing] | None:
    """Return the gradebook entries for a lab, or None if one of them can't be read and the caller must try each."""
    try:
        return standings_of(root, lab)
    except Exception:  # said of the student whose entry fails
        return None


def enrolled(root: Path) -> dict[str, Enrolled]:
    """Return everybody in the gradebook, by id; nobody if it can't be read, which reading the standings reports too."""
    try:
        with opened(root) as book:
            return standings.enrolled(book)
    except Exception:  # said of each student whose entry can't be read
        return {}


def cells_of(root: Path, lab: str) -> list[list]:
    """Return the gradebook's cells of a lab with their points, for comparison; [] if the gradebook can't be read now.

    Raises:
        GradebookError: its server can't be reached.
    """
    base, graded = BaseCell.__table__, GradeCell.__table__
    query = (
        select(base.c.name, base.c.type, graded.c.max_score)
        .select_from(base)
        .join(Notebook.__table__, base.c.notebook_id == Notebook.id)
        .join(Assignment.__table__, Notebook.assignment_id == Assignment.id)
        .outerjoin(graded, graded.c.id == base.c.id)
        .where(Assignment.name == lab)
    )
    try:
        with opened(root) as book:
            return sorted([name, kind, points or 0.0] for name, kind, points in book.db.execute(query))
    except SQLAlchemyError:  # said by whoever writes to it next
        return []


class CourseExport(CsvExportPlugin):
    """nbgrader's table of grades, with the current due dates and penalties."""

    def export(self, gradebook: Gradebook) -> None:
        """Write the table of grades."""
        root = Path(self.parent.coursedir.root)
        with only_writer(root):
            lateness.refresh_all(prepare(root))
        gradebook.db.expire_all()
        super().export(gradebook)


def _convert(kind: type[BaseConverter], root: Path, record: Record) -> None:
    course = prepare(root)
    course.CourseDirectory.update(assignment_id=record["lab"], student_id=record["student"])
    said = io.StringIO()
    log = _log()
    log.handlers = [logging.StreamHandler(said)]
    converter = kind(coursedir=CourseDirectory(config=course, log=log), config=course, log=log, force=True)
    converter.judged = record
    try:
        converter.start()
    except NbGraderException as error:
        raise GradebookError(f"{record['student']}: {said.getvalue().strip() or error}") from error


@functools.cache
def _log() -> logging.Logger:
    log = logging.getLogger("autograder.nbgrader")
    log.setLevel(logging.ERROR)
    log.propagate = False
    return log


@contextlib.contextmanager
def opened(root: Path) -> Iterator[Gradebook]:
    """Open the course's gradebook as a context manager; uncommitted changes are rolled back."""
    course = prepare(root).CourseDirectory
    with Gradebook(course.db_url, course.course_id) as gradebook:
        yield gradebook
