"""`python -m autograder.grading.collect submissions.zip [--lab 01] [--roster roster.csv]`."""

import argparse
import csv
import hashlib
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from autograder.author import lab_text
from autograder.author.lab_text import LabError
from autograder.grading import gradebook, lock
from autograder.grading.collect import attempts, place, roster
from autograder.grading.collect.archive import Entry, Unreadable, opened, read_file
from autograder.grading.collect.attempts import Attempt, Found
from autograder.grading.collect.roster import Roster, RosterError
from autograder.grading.command_line import on_course, printable
from autograder.grading.course_file import CourseFileError
from autograder.grading.gradebook import GradebookError
from autograder.grading.table_cell import guarded
from autograder.student.submit import MANIFEST

OWN = ("autograder", "course", "engine", "solutions", "tests", "docs", ".git", ".venv")  # of the root
KNOWN = (Unreadable, RosterError, LabError, CourseFileError, GradebookError)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 0 if all work was matched to a student, 1 if something is left to do."""
    parser = argparse.ArgumentParser(prog="make collect", description="Collect an LMS's download.")
    parser.add_argument("archive", help="a zip of Moodle's, Canvas's or your own, or a folder")
    parser.add_argument("--lab", help="01-strides, or 01; default: each notebook says it by its cells")
    parser.add_argument("--roster", type=Path, help="CSV with the columns id,name,email,login (default: roster.csv)")
    parser.add_argument("--root", type=Path, default=lab_text.ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    return on_course(root, "make collect", KNOWN, lambda: collect(options.archive, options.lab, options.roster, root))


def collect(given: str, lab: str | None, people: Path | None, root: Path) -> int:
    """Sort the archive's files into the students' submission folders, and print what was done with each file.

    Raises:
        Unreadable, RosterError, LabError, CourseFileError, GradebookError: before anything was written.
    """
    archive = require_download(given, root)
    known = roster.of_course(people, root)
    lab = lab_text.find(lab, lab_text.lab_ids(root)) if lab else None
    labs = attempts.released(root / "course")
    with opened(archive) as entries:
        files, strangers = attempts.by_student(_of_one(archive, entries), known, labs)
        if not known.is_open:
            enroll(known, root)
        unmatched = place.Unmatched(root, f"{archive.stem} {_digest(entries)}")
        students = notebooks = failed = 0
        for student in sorted(files):
            found = attempts.find(student, files[student], known, labs, lab)
            students += bool(found.attempts)
            notebooks += len(found.attempts)
            failed += put(found, known, root)
            for note in found.notes:
                print(f"   {printable(note)}")
            for file in found.left:
                unmatched.keep(file)
        for claimed, reason in strangers:
            unmatched.keep(attempts.stranger(claimed, reason))
    print(f"{printable(archive.name)}: {students} students, {notebooks} notebooks")
    say_left(unmatched, [claimed.claim.person for claimed, _ in strangers if claimed.claim.person])
    if notebooks:
        print("Next: make grade")
    return 1 if failed or any(file.is_work for file in unmatched.files) else 0


def require_download(given: str, root: Path) -> Path:
    """Return the path of the archive or folder, after checking that it is not one of the course's own folders.

    Raises:
        Unreadable: it is, or nothing was given.
    """
    if not given.strip():
        raise Unreadable("expected a download, got nothing: make collect ZIP=submissions.zip")
    archive, folder = Path(given), Path(given).resolve()
    own = [root / name for name in OWN]
    is_own = any(path.is_relative_to(folder) or folder.is_relative_to(path) for path in own)
    if archive.is_dir() and is_own and not folder.is_relative_to(root / place.COLLECTED):
        raise Unreadable(
            f"{archive} is the course itself, or a part of it: expected what your LMS gave you, a zip or a folder "
            "with nothing else in it"
        )
    return archive


def say_left(unmatched: place.Unmatched, names: Sequence[str]) -> None:
    """Print the files that were not collected, and where they are kept; `names` are people missing from the roster."""
    if not unmatched.files:
        return
    work = sum(file.is_work for file in unmatched.files)
    said = f", {work} of them to be looked at" if work else ", none of them anybody's work"
    print(f"not collected: {len(unmatched.files)} files{said}; kept in {unmatched.shown}/")
    for file in unmatched.files:
        print(f"   {printable(file.path)}: {printable(file.reason)}")
    if names:
        offer(unmatched.folder / roster.FILE, list(dict.fromkeys(names)))
        print(f"   {unmatched.shown}/{roster.FILE} lists their names: add the ids and put them into your roster")


def _of_one(archive: Path, entries: list[Entry]) -> list[Entry]:
    """Return the entries; the file that `submit` makes, given alone, is one entry of its own."""
    if archive.is_dir() or not any(entry.name == MANIFEST and len(entry.parts) == 2 for entry in entries):
        return entries
    return [Entry(archive.name, (), partial(read_file, archive))]


def _digest(entries: Iterable[Entry]) -> str:
    """Return a digest that tells two downloads of the same name apart."""
    listed = "\n".join(f"{entry.path} {entry.modified}" for entry in entries)
    return hashlib.sha256(listed.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def put(found: Found, known: Roster, root: Path) -> int:
    """Place all attempts, printing a line for each student; return the number that could not be placed."""
    of_student: dict[tuple[str, str], list[Attempt]] = {}
    for attempt in found.attempts:
        of_student.setdefault((attempt.lab, attempt.student), []).append(attempt)
    failed = 0
    for (lab, student), parts in sorted(of_student.items()):
        person = known.people.get(student)
        submitted = person.submitted if person else None
        try:
            said = place.place(root, parts, submitted)
        except (place.Occupied, OSError) as error:
            said, failed = f"NOT collected: {error}", failed + 1
        if parts[-1].late and submitted is None:
            said += "; marked late, without a time: write timestamp.txt beside it"
        print(f"   {lab}  {student}  {printable(said)}")
    return failed


def enroll(known: Roster, root: Path) -> None:
    """Add the people on the roster to the gradebook, with their names and email addresses."""
    with lock.only_writer(root), gradebook.opened(root) as book:
        for person in known.people.values():
            names = {"first_name": person.first, "last_name": person.last, "email": person.email}
            book.update_or_create_student(person.id, **{name: value for name, value in names.items() if value})


def offer(path: Path, names: list[str]) -> None:
    """Write a roster template that lists the students who are not on the roster yet, with the ids left blank."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "name"])
        writer.writerows(["", guarded(name)] for name in names)


if __name__ == "__main__":
    sys.exit(main())
