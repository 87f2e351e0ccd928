"""The gradebook and its copies, rid of a student."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import sqlalchemy
from nbgrader.api import Grade, Gradebook, MissingEntry, SubmittedAssignment, SubmittedNotebook
from sqlalchemy.exc import DatabaseError

from autograder.author import backups
from autograder.grading import gradebook
from autograder.grading.collect.roster import Person
from autograder.grading.extra_credit import EARNED
from autograder.grading.gradebook import GradebookError
from autograder.grading.lock import only_writer
from autograder.grading.migration import SET_ASIDE

OF_SQLITE = ("-journal", "-wal", "-shm")  # which it makes and removes by itself


def everywhere(root: Path) -> list[Path]:
    """The gradebook, the copies that `nbgrader db upgrade` leaves beside it, and those in the backups."""
    main = root / gradebook.FILE
    found = [*main.parent.glob(f"{main.name}*"), *(root / backups.FOLDER).glob(f"*/{main.name}*")]
    return sorted(path for path in found if path.is_file() and not path.name.endswith(OF_SQLITE))


def people(book: Path) -> dict[str, Person]:
    """The students of whom a gradebook has anything.

    Raises:
        GradebookError: it can't be read.
    """
    known = _rows(book, "student", "id, first_name, last_name, email")
    aside = [row[0] for row in _rows(book, SET_ASIDE.name, "student")]
    named = {name: Person(name, first or "", last or "", email or "") for name, first, last, email in known}
    return {name: Person(name) for name in aside} | named


def _rows(book: Path, table: str, columns: str) -> list[tuple]:
    try:
        with closing(sqlite3.connect(book)) as connection:
            if connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [table]).fetchone() is None:
                return []
            return connection.execute(f"SELECT {columns} FROM {table}").fetchall()
    except sqlite3.Error as error:
        raise GradebookError(_unusable(book, error)) from None


def _unusable(book: Path, error: object) -> str:
    return (
        f"{book} can't be used: {error}. Close what has it open (formgrader, for example), or move the file away if "
        "it is damaged; then give the same command again."
    )


def remove(root: Path, path: Path, name: str) -> None:
    """Remove the student from a gradebook, and from the pages of its file that are free.

    Raises:
        GradebookError: it is in use, or can't be read.
    """
    course = gradebook.prepare(root).CourseDirectory.course_id
    try:
        with only_writer(root), Gradebook(f"sqlite:///{path}", course) as book:
            _remove_from_our_tables(book, name)
            with suppress(MissingEntry):
                book.remove_student(name)
            book.db.remove()
            with book.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.exec_driver_sql("VACUUM")
    except DatabaseError as error:
        raise GradebookError(_unusable(path, error.orig)) from None


def _remove_from_our_tables(book: Gradebook, name: str) -> None:
    tables = sqlalchemy.inspect(book.engine).get_table_names()
    grades = (
        sqlalchemy.select(Grade.id)
        .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .where(SubmittedAssignment.student_id == name)
    )
    if EARNED.name in tables:
        book.db.execute(EARNED.delete().where(EARNED.c.grade.in_(grades)))
    if SET_ASIDE.name in tables:
        book.db.execute(SET_ASIDE.delete().where(SET_ASIDE.c.student == name))
    book.db.commit()
