"""The gradebook and its copies, rid of a student. A book is named by its database's address."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import sqlalchemy
from nbgrader.api import Grade, Gradebook, MissingEntry, SubmittedAssignment, SubmittedNotebook
from sqlalchemy.exc import DatabaseError

from autograder.author import backups
from autograder.author.course_config import gradebook_url
from autograder.grading import database
from autograder.grading.collect.roster import Person
from autograder.grading.gradebook import GradebookError
from autograder.grading.lock import only_writer
from autograder.grading.own_tables import EARNED, SET_ASIDE, TABLES

NO_BOOKS = ("-journal", "-wal", "-shm", ".lock")  # made beside a book: by SQLite, which removes them itself, and by us
WAIT_SECONDS = 10  # until a server lets tables be rewritten


def everywhere(root: Path) -> list[str]:
    """Return the URLs of the gradebook, the copies that `nbgrader db upgrade` makes beside it, and the backups."""
    url, own = gradebook_url(root), root / database.FILE
    main = database.file_of(url) or own
    places = [(path.parent, path.name) for path in {main, own}]
    found = {path for folder, name in places for path in folder.glob(f"{name}*")}
    found |= {path for _, name in places for path in (root / backups.FOLDER).glob(f"*/{name}*")}
    files = [database.url_of(path) for path in sorted(found) if path.is_file() and not path.name.endswith(NO_BOOKS)]
    return files if database.file_of(url) else [url, *files]


def people(book: str) -> dict[str, Person]:
    """Return the students that a gradebook has any data about.

    Raises:
        GradebookError: it can't be read.
    """
    known = _rows(book, "student", ("id", "first_name", "last_name", "email"))
    aside = [row[0] for row in _rows(book, SET_ASIDE.name, ("student",))]
    named = {name: Person(name, first or "", last or "", email or "") for name, first, last, email in known}
    return {name: Person(name) for name in aside} | named


def _rows(book: str, table: str, columns: Sequence[str]) -> Sequence[sqlalchemy.Row]:
    query: sqlalchemy.Select = sqlalchemy.select(*map(sqlalchemy.column, columns)).select_from(sqlalchemy.table(table))
    engine = database.engine(book)
    try:
        with engine.connect() as connection:
            is_there = sqlalchemy.inspect(connection).has_table(table)
            return connection.execute(query).all() if is_there else []
    except DatabaseError as error:
        raise GradebookError(_unusable(book, error.orig)) from None
    finally:
        engine.dispose()


def _unusable(book: str, error: object) -> str:
    damaged = " (or, if it is damaged, move the file away)" if database.file_of(book) else ""
    return (
        f"{database.shown(book)} can't be used: {error}. Close what has it open, for example formgrader{damaged}; then "
        "give the same command again."
    )


def remove(root: Path, book: str, name: str) -> None:
    """Delete the student from a gradebook, and erase the free pages of its file.

    Raises:
        GradebookError: it is in use, or can't be read.
    """
    try:
        with only_writer(root), Gradebook(book, database.COURSE) as opened:
            _remove_from_our_tables(opened, name)
            with suppress(MissingEntry):
                opened.remove_student(name)
            opened.db.remove()
            _compact(opened.engine)
    except DatabaseError as error:
        raise GradebookError(_unusable(book, error.orig)) from None


def _compact(engine: sqlalchemy.Engine) -> None:
    """Write the tables anew, so that nothing of what was removed is left in their files."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("VACUUM")
            return
        connection.exec_driver_sql(f"SET lock_timeout = '{WAIT_SECONDS}s'")
        known = set(sqlalchemy.inspect(connection).get_table_names())
        for table in (table.name for table in TABLES if table.name in known):
            connection.exec_driver_sql(f"VACUUM (FULL, ANALYZE) {table}")
        connection.exec_driver_sql("RESET lock_timeout")


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
