"""A gradebook copied to another database: a server's into a file for the backups, a file's into a server's.

    python -m autograder.grading.database_copy --to postgresql+psycopg://grader@host/gradebook

All rows come from one moment, whoever else writes, and arrive in one transaction. The target has to be empty.
"""

import argparse
import sys
from pathlib import Path

import sqlalchemy
from nbgrader.api import Base, Course
from sqlalchemy import Connection, Engine, Table, Text
from sqlalchemy.exc import SQLAlchemyError

from autograder.author import backups, lab_text
from autograder.author.course_config import OWN_CONFIG, gradebook_url
from autograder.grading import database
from autograder.grading.command_line import on_course
from autograder.grading.database import GradebookError
from autograder.grading.own_tables import OWN, TABLES

VERSION = Table("alembic_version", sqlalchemy.MetaData(), sqlalchemy.Column("version_num", Text))


def keep(root: Path, url: str) -> Path:
    """Copy a consistent snapshot of the gradebook to `autograder/backups/<time>/gradebook.db`.

    Returns:
        the copy, an SQLite file whatever the gradebook is.
    """
    if file := database.file_of(url):
        return backups.keep_database(root, file)
    copy = backups.place(root, Path(database.FILE).name)
    target = sqlalchemy.create_engine(database.url_of(copy))
    try:
        rows(database.engine(url), target)
    finally:
        target.dispose()
    return copy


def rows(source: Engine, target: Engine) -> dict[str, int]:
    """Copy all rows of every table; return the number of rows by table.

    Raises:
        GradebookError: the source is of another version of nbgrader, or the target is not empty. Nothing was changed.
    """
    with source.connect() as given, target.begin() as taken:
        if given.dialect.name == "postgresql":
            given.execution_options(isolation_level="REPEATABLE READ")  # one moment for all queries
        version, theirs = _version(given), _version(taken)
        if not version or theirs not in ("", version):
            raise GradebookError(
                f"{database.shown(str(source.url))} has the tables of {version or 'no'} version of nbgrader, expected "
                f"{theirs or 'some'}: `nbgrader db upgrade` first. Nothing was changed."
            )
        Base.metadata.create_all(taken)
        OWN.create_all(taken)
        if not theirs:
            VERSION.create(taken)
            taken.execute(VERSION.insert().values(version_num=version))
        if filled := [table.name for table in TABLES if table is not Course.__table__ and _first(taken, table)]:
            raise GradebookError(
                f"{database.shown(str(target.url))} is not empty: expected a new database, got rows in "
                f"{', '.join(filled)}. Nothing was changed."
            )
        taken.execute(Course.__table__.delete())  # which an empty gradebook has, too
        known = set(sqlalchemy.inspect(given).get_table_names())
        return {table.name: _copied(given, taken, table) for table in TABLES if table.name in known}


def _version(connection: Connection) -> str:
    """Return the version of nbgrader's tables; "" where there are none."""
    if VERSION.name not in sqlalchemy.inspect(connection).get_table_names():
        return ""
    return connection.execute(VERSION.select()).scalar() or ""


def _first(connection: Connection, table: Table) -> object:
    return connection.execute(table.select().limit(1)).first()


def _copied(given: Connection, taken: Connection, table: Table) -> int:
    found = [dict(row) for row in given.execute(table.select()).mappings()]
    if found:
        taken.execute(table.insert(), found)
    return len(found)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 0 if everything was copied."""
    parser = argparse.ArgumentParser(prog="python -m autograder.grading.database_copy", description="Copy a gradebook.")
    parser.add_argument("--to", required=True, help=f"the address of an empty database: {database.EXPECTED}")
    parser.add_argument("--from", dest="source", default="", help="an address, or a file (default: the gradebook)")
    parser.add_argument("--root", type=Path, default=lab_text.ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    return on_course(root, "copying the gradebook", (GradebookError,), lambda: copy(options.source, options.to, root))


def copy(source: str, target: str, root: Path) -> int:
    """Copy the gradebook from one address to another, and print what was copied.

    Args:
        source: an address, a file, or "" for the course's gradebook.
    Raises:
        GradebookError: one of them can't be read or used; the target is as it was.
    """
    if source and "://" not in source:
        source = database.url_of(Path(source).resolve())
    given, taken = database.checked(source or gradebook_url(root), root), database.checked(target, root)
    if (file := database.file_of(given)) and not file.is_file():
        raise GradebookError(f"{file} is not there: expected a gradebook to copy. Nothing was changed.")
    try:
        counts = rows(database.engine(given), database.engine(taken))
    except SQLAlchemyError as error:
        said = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise GradebookError(
            f"{database.shown(given)} can't be copied to {database.shown(taken)}: {said}. Nothing was changed."
        ) from error
    print(f"{database.shown(taken)}: {sum(counts.values()):,} rows of {counts['student']:,} students")
    print(f"Next: set {database.VARIABLE} to this address, or c.CourseDirectory.db_url in {OWN_CONFIG}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
