"""All the places of a course's folder where something of one student is, each with how it is removed.

No path is made of a student's name: folders are listed, and an entry that has the name is the student's.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from nbgrader.utils import notebook_hash

from autograder.author.course_config import STEPS
from autograder.author.lab_text import LABS, NOTEBOOK
from autograder.department.exports.__main__ import FOLDER as EXPORTS
from autograder.department.forget import books, tables
from autograder.department.similarity import FILE as SIMILAR
from autograder.grading import database, gradebook, intake, store, up_to_date
from autograder.grading.class_page import predictions
from autograder.grading.collect import claims, place
from autograder.grading.collect.roster import Person, Roster
from autograder.grading.submission_record import Settings

RECORDS = "autograder/records"
ATTEMPTS, UNMATCHED = (f"{place.COLLECTED}/{name}" for name in ("attempts", "unmatched"))
OF_STUDENTS = {  # folders with an entry for each student
    STEPS["submitted_directory"]: "submission", ATTEMPTS: "earlier uploads",
    STEPS["autograded_directory"]: "autograded notebooks", STEPS["feedback_directory"]: "feedback",
}  # fmt: skip
LOG = ".nbgrader.log"


class Trace(NamedTuple):
    """Data about a student, and a function that removes it, which can be called again if it was interrupted.

    `path`: for a server's database, its address as a reader sees it.
    """

    what: str
    path: Path | str
    remove: Callable[[], object]


def find(root: Path, person: Person, everyone: Roster, is_begun: bool) -> list[Trace]:
    """Find everything that can be removed, ordered so that nothing is removed while a later removal needs it.

    Args:
        everyone: all people of the course, so that nobody is taken for somebody else.
        is_begun: a run was stopped: gradebooks may have the student in free pages alone.
    """
    whole = [Trace(what, path, partial(_delete, path)) for what, path in _whole(root, person, everyone)]
    found = [*whole, *_in_files(root, person, everyone), *_in_books(root, person.id, is_begun)]
    guesses = root / predictions.FILE  # nobody's name is in it; the report's run reads the others' again
    return [*([Trace("guesses", guesses, partial(_delete, guesses))] if found and guesses.is_file() else []), *found]


def known(root: Path) -> set[str]:
    """Return the names of all students who have an entry in one of the folders."""
    return {path.name for folder in OF_STUDENTS for path in _entries(root / folder) if not path.name.startswith(".")}


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else []


def _delete(path: Path) -> None:
    """Remove a file, a link itself or a folder; the folder of an archive also when its last file goes."""
    with suppress(FileNotFoundError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    if path.parent.parent.name == Path(UNMATCHED).name:
        with suppress(OSError):  # others' files are in it
            path.parent.rmdir()


# ---- files and folders that are the student's alone


def _whole(root: Path, person: Person, everyone: Roster) -> Iterator[tuple[str, Path]]:
    exchanges = [path for path in _entries(Path(gradebook.prepare(root).Exchange.root)) if path.is_dir()]
    own = [(what, path) for folder, what in OF_STUDENTS.items() for path in _entries(root / folder)]
    own = [(what, path) for what, path in own if path.name == person.id]
    inbound = (path for each in exchanges for path in _entries(each / "inbound"))
    own += [("exchange", path) for path in inbound if path.name.startswith(f"{person.id}+")]
    yield from (("exchange", page) for page in _released(exchanges, [path for _, path in own]))
    yield from (("collected", path) for path in _unmatched(root, person.id, everyone))
    yield from own
    for folder in _entries(root / RECORDS):
        if (record := store.path_of(root, folder.name, person.id)).is_file():
            yield "record", record
    similar = root / SIMILAR
    if similar.is_file() and person.id in similar.read_text("utf-8", "replace"):
        yield "answers that are alike; make similarity writes the page again", similar
    yield from (("left by a run that was killed", draft) for draft in _drafts(root))


def _released(exchanges: Iterable[Path], own: Iterable[Path]) -> Iterator[Path]:
    """Yield the student's pages of feedback, whose names say nothing of the student."""
    files = [path for folder in own if not folder.is_symlink() for path in folder.rglob("*")]
    files = [path for path in files if path.is_file() and not path.is_symlink()]
    secrets = {path.read_text("utf-8", "replace") for path in files if path.name == intake.SECRET}
    digests = {notebook_hash(secret=secret, notebook_id=NOTEBOOK) for secret in secrets if secret}
    pages = {path.read_bytes() for path in files if path.suffix == ".html"}
    for page in (page for each in exchanges for page in _entries(each / "feedback") if page.is_file()):
        if page.stem.removesuffix("-tmp") in digests or page.read_bytes() in pages:
            yield page


def _unmatched(root: Path, name: str, everyone: Roster) -> Iterator[Path]:
    """Yield the folder of an archive that is named after the student, and the student's files in another folder."""
    for folder in _entries(root / UNMATCHED):
        claimed = {path: _claimed(path.name.partition(" ")[2], everyone) for path in _entries(folder)}
        archive = f"{folder.name.rpartition(' ')[0]}.zip"
        if _claimed(archive, everyone) == name and set(claimed.values()) <= {name, ""}:
            yield folder
        else:
            yield from (path for path, student in claimed.items() if student == name)


def _claimed(kept: str, everyone: Roster) -> str:
    """Return the student whom a name made by `place.Unmatched` means; "" for nobody or several."""
    parts = tuple(part for part in kept.split(" - ") if part)
    return claims.student(claims.read(parts, LABS), everyone)[0] if parts else ""


def _drafts(root: Path) -> Iterator[Path]:
    """Yield drafts of reports, tables and records: nobody writes them now, and anybody may be in them."""
    reports = [path for folder in ("autograder", EXPORTS, RECORDS) for path in (root / folder).glob(".*.tmp")]
    yield from (path for path in reports if not path.name.startswith(".gradebook-"))  # which is a key
    yield from (root / RECORDS).glob("*/*.tmp")


# ---- parts of files that are the class's


def _in_files(root: Path, person: Person, everyone: Roster) -> Iterator[Trace]:
    for path in sorted([*(root / EXPORTS).glob("*.csv"), *(root / UNMATCHED).glob("*/roster.csv")]):
        if remove := tables.without(path, person, everyone):
            yield Trace("the row", path, remove)
    if remove := tables.without_lines(root / LOG, person):
        yield Trace("lines of nbgrader's log", root / LOG, remove)
    if gone := {key: None for key in up_to_date.read(root) if key.partition("/")[2] == person.id}:
        keep = up_to_date.Settled(Settings(root)).keep
        yield Trace("entries", root / up_to_date.FILE, partial(keep, {**gone, "report": None}))


def _in_books(root: Path, name: str, is_begun: bool) -> Iterator[Trace]:
    for book in books.everywhere(root):
        if is_begun or name in books.people(book):
            shown = database.file_of(book) or database.shown(book)
            yield Trace("rows", shown, partial(books.remove, root, book, name))


# ---- what stays


def left(root: Path, person: Person, going: Iterable[Path | str]) -> list[Path]:
    """Return the files that name the student but stay because they include others: archives, the instructor's tables.

    Args:
        going: what is removed, or rewritten.
    """
    naming, gone = tables.names(person), set(going)
    aside = {root / ATTEMPTS}
    places = [*(root / place.COLLECTED).glob("*"), *_entries(root / EXPORTS)]
    found = [path for folder in places if folder not in aside for path in (folder, *folder.rglob("*"))]
    found += [path for path in _entries(root) if path.suffix in (*tables.TEXTS, *tables.ARCHIVES)]
    return [
        path
        for path in sorted(found)
        if path.is_file() and not path.is_symlink() and gone.isdisjoint((path, *path.parents))
        if tables.is_named(path, naming)
    ]
