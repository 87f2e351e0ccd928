"""The gradebook's database: SQLite's file in the course's folder, or what an address names.

The address is SQLAlchemy's, `postgresql+psycopg://grader@host/gradebook` or `sqlite:////a/path.db`. In this order it
is nbgrader's option `CourseDirectory.db_url` in `nbgrader_config.py`, the environment variable `GRADEBOOK_URL`, or the
file `autograder/gradebook.db`.
"""

import contextlib
import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy
from alembic.script import ScriptDirectory
from nbgrader import api, dbutil
from sqlalchemy import Connection, Engine
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

FILE = "autograder/gradebook.db"
VARIABLE = "GRADEBOOK_URL"
COURSE = "inside-the-tensor"  # nbgrader's course_id
DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgresql+psycopg": "postgresql+psycopg"}
EXPECTED = "expected postgresql+psycopg://user@host/database or sqlite:////path/to/gradebook.db"
INSTALL = "install it: `.venv/bin/python -m pip install -c constraints.txt -e .[postgres]`"
CONNECT_SECONDS = 10
# Of a session that holds the lock: a machine that is gone is noticed after a minute, and a long wait is allowed.
SETTINGS = {
    "tcp_keepalives_idle": "30", "tcp_keepalives_interval": "10", "tcp_keepalives_count": "3",
    "idle_in_transaction_session_timeout": "0",
}  # fmt: skip
LOCK = sqlalchemy.text("SELECT pg_advisory_xact_lock(hashtext('inside-the-tensor ' || current_schema()))")
# What psycopg says where the server can't be reached, is stopped, or takes no more; other errors have other names.
GONE = re.compile(
    r"\(psycopg\.(?:OperationalError|errors\.(?:AdminShutdown|CrashShutdown|CannotConnectNow|TooManyConnections"
    r"|DiskFull|ReadOnlySqlTransaction))\) ([^\n]+)"
)
_ready: set[str] = set()


class GradebookError(RuntimeError):
    """The gradebook can't be used, or nbgrader failed; the message says why."""


def chosen(root: Path) -> str:
    """Return the gradebook's address from the environment, or the default SQLite file's."""
    return os.environ.get(VARIABLE) or url_of(root.resolve() / FILE)


def url_of(path: Path) -> str:
    """Return the URL of an SQLite file, with `?` and `%` in its path escaped.

    >>> url_of(Path("/what?/a.db"))
    'sqlite:////what%3F/a.db'
    """
    return URL.create("sqlite", database=str(path)).render_as_string()


def checked(url: str, root: Path) -> str:
    """Validate a database URL and return it, with a relative SQLite path resolved against `root`.

    Raises:
        GradebookError: it can't be read, or names a kind of database that is neither of the two.
    """
    try:
        parts = make_url(url)
    except (ArgumentError, ValueError):
        parts = None
    if parts is None or not parts.database or parts.drivername not in DRIVERS or parts.database == ":memory:":
        raise GradebookError(f"The gradebook's address: {EXPECTED}, got {_hidden(url)!r}. Nothing was changed.")
    if parts.drivername == "sqlite":
        return url if Path(parts.database).is_absolute() else url_of(root.resolve() / parts.database)
    return _normal(url)


def _normal(url: str) -> str:
    """Return the one spelling of a server's address: two engines of one database would wait for each other's lock."""
    parts = make_url(url)
    driver = DRIVERS.get(parts.drivername, parts.drivername)
    return url if driver == "sqlite" else parts.set(drivername=driver).render_as_string(hide_password=False)


def file_of(url: str) -> Path | None:
    """Return the path of an SQLite database's file; None for a database server."""
    parts = make_url(url)
    return Path(parts.database or "") if parts.get_backend_name() == "sqlite" else None


def shown(url: str) -> str:
    """Return the URL for display: without its password, or for SQLite just the path."""
    return str(file_of(url) or make_url(url).render_as_string(hide_password=True))


def _hidden(url: str) -> str:
    """Return an address that can't be read, without what may be a password."""
    return re.sub(r"(://[^:/@]*:).*@", r"\1***@", url)[:200]


def engine(url: str, **_: object) -> Engine:
    """Return this process's only engine for a database. It replaces nbgrader's `create_engine`.

    A server's database is made ready at the first use: two processes that made its tables at once would fail.

    Raises:
        GradebookError: the server can't be reached, or lets nobody create tables.
    """
    url = _normal(url)
    made = _engine(url)
    if url not in _ready and file_of(url) is None:
        _ready.add(url)
        try:
            with made.begin() as connection:
                _lock(connection)
                for course in ((), (COURSE,)):  # both are used, and each is a row
                    api.Gradebook(url, *course).close()
        except DBAPIError as error:
            _ready.discard(url)
            raise GradebookError(unusable(url, error.orig)) from error
        except BaseException:
            _ready.discard(url)
            raise
    return made


@functools.cache
def _engine(url: str) -> Engine:
    """Return one engine for all: nbgrader makes one for each preprocessor, a fifth of its time."""
    try:
        if file_of(url) is not None:
            return sqlalchemy.create_engine(url)
        made = sqlalchemy.create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": CONNECT_SECONDS})
    except ImportError as error:
        raise GradebookError(f"The gradebook is {shown(url)}, and {error.name} is missing: {INSTALL}") from None
    made.dispose = _keep  # type: ignore[method-assign]
    return made


def _keep(close: bool = True) -> None:
    """Leave connections open: this replaces a server's `Engine.dispose`, which each Gradebook calls at its end."""


def newest_version() -> str:
    """Return the version of nbgrader's schema; nbgrader itself starts a process to find it, which takes a second."""
    return ScriptDirectory(dbutil.ALEMBIC_DIR).get_current_head() or ""


def unusable(url: str, error: object) -> str:
    """Return a message about a database server that can't be used."""
    said = " ".join(str(error).split())
    return (
        f"The gradebook {shown(url)} can't be used: {said}. Start the server, or correct the address in {VARIABLE} or "
        "nbgrader_config.py; then give the same command again."
    )


@contextlib.contextmanager
def exclusive(url: str) -> Iterator[None]:
    """Wait for exclusive write access to a database server, and hold it until the context ends.

    The server lets go if this process or its connection ends. A file has a lock of its own (`lock.py`).
    """
    if file_of(url) is not None:
        yield
        return
    with engine(url).begin() as connection:
        _lock(connection)
        yield


def _lock(connection: Connection) -> None:
    for name, value in SETTINGS.items():
        connection.execute(sqlalchemy.select(sqlalchemy.func.set_config(name, value, True)))
    connection.execute(LOCK)
