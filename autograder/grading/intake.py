"""The limits of a submission. Nothing else opens anything of `autograder/submitted/` before it passes here.

No link is followed and nothing but plain files and folders is touched: every step of the path is opened by name
under the folder before it. Of the notebook only the text of its cells is kept, with the name that each goes by (and
what its outputs say as plain text, for a person to read), of the documents that the lab asks for only their text;
tags, marks and any other file of the submission never leave this module.
"""

import contextlib
import datetime as dt
import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from autograder.author.lab_text import LABS
from autograder.examine.handin import (
    CLEAR,
    FILE,
    LARGEST_DOCUMENT,
    LARGEST_FILE,
    STUDENT,
    STUDENT_MEANS,
    Cell,
    Refused,
    Unreadable,
    cells_of,
    parse,
)
from autograder.grading.timestamps import BadTime, read_moment

TIMESTAMP = "timestamp.txt"
SECRET = "submission_secret.txt"  # nbgrader's exchange names a page of feedback by it
MOST_ENTRIES, DEEPEST = 2000, 12  # of the folder
AGAIN = f"{CLEAR} and hand it in again"
OURS = "make it readable for the account that grades, then the same command again"
LINKS = (errno.ELOOP, errno.ENXIO)  # of a link, and of a pipe or device: the student's
ALONE = f"hand in {FILE} and the documents that the lab asks for, nothing else"


class Submission(NamedTuple):
    """The parts of a submission that grading uses.

    `digest` is the SHA-256 of the notebook's file, and of the documents' texts if there are any. `documents`: by name,
    the text of those that were handed in. `unread`: by name, why one that was handed in can't be read.
    """

    student: str
    lab: str
    cells: tuple[Cell, ...]
    digest: str
    documents: Mapping[str, str] = {}
    unread: Mapping[str, str] = {}


def students(submitted: Path, lab: str) -> list[str]:
    """Return the names of all who submitted `lab`, or submitted something that is not a lab at all."""
    return sorted(entry.name for entry in _entries(submitted) if not _is_stray(entry) and _concerns(entry, lab))


def folders(submitted: Path) -> list[str]:
    """Return the names of all entries that may be students' folders."""
    return sorted(entry.name for entry in _entries(submitted) if not _is_stray(entry))


def strays(submitted: Path) -> list[str]:
    """Return the names of the files that lie among the students' folders and belong to no submission."""
    return sorted(entry.name for entry in _entries(submitted) if _is_stray(entry))


def _entries(submitted: Path) -> list[os.DirEntry]:
    if not submitted.is_dir():
        return []
    with os.scandir(submitted) as entries:
        return [entry for entry in entries if not entry.name.startswith(".")]


def _is_stray(entry: os.DirEntry) -> bool:
    return entry.is_file(follow_symlinks=False)


def _concerns(entry: os.DirEntry, lab: str) -> bool:
    if not entry.is_dir(follow_symlinks=False):
        return True
    try:
        inside = set(os.listdir(entry.path))
    except OSError:
        return True
    return lab in inside or not inside & set(LABS)


def admit(submitted: Path, student: str, lab: str, documents: Iterable[str] = ()) -> Submission:
    """Read the submission `submitted/<student>/<lab>/lab.ipynb`, and the given documents in its folder.

    Raises:
        Unreadable: a file can't be opened, which is ours to repair.
        Refused: it is not what may be graded.
    """
    require_name(student)
    with contextlib.ExitStack() as stack:
        folder = _open_submission(stack, submitted, student, lab)
        _require_plain_files(folder)
        _timestamp(folder)
        data = _read(folder, FILE, LARGEST_FILE)
        texts, unread = _documents(folder, documents)
    digest = hashlib.sha256(data)
    for name in sorted(texts):
        digest.update(f"{name}\n{texts[name]}".encode())
    return Submission(student, lab, cells_of(parse(data)), digest.hexdigest(), texts, unread)


def timestamp(submitted: Path, student: str, lab: str) -> dt.datetime | None:
    """Return the submission time, in UTC, from the `timestamp.txt` beside the notebook; None if there is no such file.

    Raises:
        Refused: it can't be read.
    """
    require_name(student)
    with contextlib.ExitStack() as stack:
        return _timestamp(_open_submission(stack, submitted, student, lab))


def secret(submitted: Path, student: str, lab: str) -> str:
    """Return the secret in the feedback page's name in nbgrader's exchange; "" if the submission came another way.

    Raises:
        Refused: it can't be read.
    """
    require_name(student)
    with contextlib.ExitStack() as stack:
        folder = _open_submission(stack, submitted, student, lab)
        if SECRET not in os.listdir(folder):
            return ""
        return _read(folder, SECRET, 200, "submit the lab again").decode("utf-8", "replace")


def require_name(student: str) -> None:
    """Raise Refused for a student's name with a special meaning in a shell, a glob, a path or a page."""
    if not STUDENT.fullmatch(student):
        raise Refused(f"the folder's name is {ascii(student)}, expected {STUDENT_MEANS}: rename the folder")


def shown(student: str) -> str:
    """Return the student's name for display; an invalid name is escaped, since it may contain control characters.

    >>> shown("ada"), shown("\\x1b[31mada\\udcff")
    ('ada', "'\\\\x1b[31mada\\\\udcff'")
    """
    return student if STUDENT.fullmatch(student) else ascii(student)


# ---- the folder


def _open_submission(stack: contextlib.ExitStack, submitted: Path, student: str, lab: str) -> int:
    folder = _open_folder(stack, str(submitted), None, "")
    for name in (student, lab):
        folder = _open_folder(stack, name, folder, f"{student}/{lab}"[: len(student) * (name == student) or None])
    return folder


def _open_folder(stack: contextlib.ExitStack, name: str, parent: int | None, shown: str) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | (os.O_NOFOLLOW if parent is not None else 0)
    try:
        descriptor = os.open(name, flags, dir_fd=parent)
    except FileNotFoundError:
        found = ", ".join(ascii(entry) for entry in sorted(os.listdir(parent if parent is not None else "."))[:5])
        raise Refused(f"expected the folder {shown}, found {found or 'nothing'}: hand in {shown}/{FILE}") from None
    except NotADirectoryError:  # also what O_DIRECTORY says of a link
        raise Refused(f"expected the folder {shown}, which is a file or a link: hand in {shown}/{FILE}") from None
    except OSError as error:
        raise Unreadable(f"the folder {shown} can't be opened: {error.strerror}: {OURS}") from None
    stack.callback(os.close, descriptor)
    return descriptor


def _require_plain_files(folder: int) -> None:
    for count, (path, mode) in enumerate(_walk(folder, "", DEEPEST), 1):
        if count > MOST_ENTRIES:
            raise Refused(f"more than {MOST_ENTRIES:,} files: {ALONE}")
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            kind = "a link" if stat.S_ISLNK(mode) else "a pipe, socket or device"
            raise Refused(f"{ascii(path)} is {kind}, expected plain files: {ALONE}")


def _walk(folder: int, prefix: str, depth: int) -> Iterator[tuple[str, int]]:
    if depth == 0:
        raise Refused(f"folders nested more than {DEEPEST} deep: {ALONE}")
    with os.scandir(folder) as entries:
        for entry in entries:
            mode = entry.stat(follow_symlinks=False).st_mode
            yield prefix + entry.name, mode
            if stat.S_ISDIR(mode):
                with contextlib.ExitStack() as stack:
                    inner = _open_folder(stack, entry.name, folder, ascii(prefix + entry.name))
                    yield from _walk(inner, f"{prefix}{entry.name}/", depth - 1)


def _read(folder: int, name: str, largest: int, remedy: str = AGAIN) -> bytes:
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        found = ", ".join(ascii(entry) for entry in sorted(os.listdir(folder))[:5])
        raise Refused(f"expected {name}, found {found or 'an empty folder'}: hand it in under that name") from None
    except OSError as error:
        if error.errno in LINKS:
            raise Refused(f"{name} can't be opened: {error.strerror}") from None
        raise Unreadable(f"{name} can't be opened: {error.strerror}: {OURS}") from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise Refused(f"{name} is not a plain file: hand in the file itself")
    with open(descriptor, "rb") as file:
        data = b"" if status.st_size > largest else file.read(largest + 1)
    if status.st_size > largest or len(data) > largest:
        raise Refused(f"{name} has {status.st_size:,} bytes, {largest:,} are allowed: {remedy}")
    return data


def _timestamp(folder: int) -> dt.datetime | None:
    """Read the time of handing in from a file beside the notebook, as nbgrader does for the late policy."""
    if TIMESTAMP not in os.listdir(folder):
        return None
    try:
        return read_moment(_read(folder, TIMESTAMP, 200, "remove it").decode("utf-8", "replace"))
    except BadTime as error:
        raise Refused(f"{TIMESTAMP} {error}") from None


def _documents(folder: int, names: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return texts by name, and for what can't be read why: the notebook is graded all the same."""
    texts, unread = {}, {}
    present = set(os.listdir(folder))
    for name in present.intersection(names):
        try:
            texts[name] = _read(folder, name, LARGEST_DOCUMENT, "shorten it and hand it in again").decode("utf-8-sig")
        except UnicodeDecodeError as error:
            unread[name] = f"{name} is no text: byte {error.start} is no UTF-8: save it as UTF-8 and hand it in again"
        except Unreadable:
            raise
        except Refused as refused:
            unread[name] = refused.reason
    return texts, unread
