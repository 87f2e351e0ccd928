"""A disk that is full or read-only, or a database that is gone, ends a run in one sentence with what to do."""

import errno
import re
from collections.abc import Iterator
from pathlib import Path

from nbgrader.api import InvalidEntry
from sqlalchemy.exc import SQLAlchemyError

from autograder.grading import database
from autograder.grading.database import GradebookError

ADVICE = {
    errno.ENOSPC: "The disk is full: free some space",
    errno.EDQUOT: "The quota of this account is used up: free some space",
    errno.EROFS: "The disk is read-only: let this account write there, or work on a copy of the course elsewhere",
    errno.EACCES: "Let this account write there",
    errno.EPERM: "Let this account write there",
}
AFTERWARDS = (
    "then give the same command again: every verdict that is printed above is kept, and it goes on with the rest."
)
# What SQLite says, which has no number of the system's: the same in its words.
OF_SQLITE = {
    "database or disk is full": errno.ENOSPC,
    "attempt to write a readonly database": errno.EROFS,
    "unable to open database file": errno.EACCES,
}
OF_A_DATABASE = (SQLAlchemyError, InvalidEntry, GradebookError)
NUMBER = re.compile(r"\[Errno (\d+)\][^\n:]*(?:: '([^'\n]*)')?")


class DiskError(RuntimeError):
    """A file can't be written; the message says which one, and what to do."""


def sentence(error: BaseException, root: Path) -> str:
    """Return a message that says which file or database can't be written and what to do; "" for an unrelated error."""
    for number, path in (found for one in _chain(error) for found in _told(one)):
        if number in ADVICE and not _is_handed_in(path, root):
            what = f"{path} can't be written" if path else f"A file below {root} can't be written"
            return f"{what}. {ADVICE[number]}, {AFTERWARDS}"
    gone = database.GONE.search("\n".join(str(one) for one in _chain(error) if isinstance(one, OF_A_DATABASE)))
    return f"The gradebook's server: {gone[1].strip()}. Start it again, {AFTERWARDS}" if gone else ""


def _is_handed_in(path: str, root: Path) -> bool:
    """Return True for a submission's path: a submission that can't be read is its student's trouble."""
    return bool(path) and Path(path).is_relative_to(root / "autograder" / "submitted")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _told(error: BaseException) -> Iterator[tuple[int, str]]:
    """Yield number and path of an error of the system's, and of the errors that another error's text quotes."""
    if isinstance(error, OSError):
        has_path = isinstance(error.filename, str | bytes)
        yield error.errno or 0, str(error.filename) if has_path else ""
        return
    text = str(error)
    yield from ((int(number), path) for number, path in NUMBER.findall(text))
    yield from ((number, "The gradebook") for said, number in OF_SQLITE.items() if said in text)
