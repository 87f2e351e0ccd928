"""`python -m autograder.grading.collect submissions.zip [--lab 01] [--roster roster.csv]`."""

import argparse
import csv
import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path

from autograder.author import lab_text
from autograder.grading import course_file
from autograder.grading.collect import attempts, place, roster
from autograder.grading.collect.archive import Budget, Entry, Unreadable, opened
from autograder.grading.collect.attempts import Attempt, Found
from autograder.grading.collect.roster import Roster, RosterError
from autograder.student.submit import MANIFEST

ROSTER = "roster.csv"


def main(arguments: list[str] | None = None) -> int:
    """The command; 0 if everything found its student, 1 if something is left to do."""
    parser = argparse.ArgumentParser(prog="make collect", description="Collect an LMS's download.")
    parser.add_argument("archive", type=Path, help="a zip of Moodle's, Canvas's or your own, or a folder")
    parser.add_argument("--lab", help="01-strides, or 01; default: each notebook says it by its cells")
    parser.add_argument("--roster", type=Path, help="CSV with the columns id,name,email,login (default: roster.csv)")
    parser.add_argument("--root", type=Path, default=lab_text.ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        return collect(options.archive, options.lab, options.roster, options.root)
    except (Unreadable, RosterError, lab_text.LabError, course_file.CourseFileError) as error:
        print(printable(str(error)), file=sys.stderr)
        return 1


def collect(archive: Path, lab: str | None, people: Path | None, root: Path) -> int:
    """Place what the archive holds, and say what was done with each file of it.

    Raises:
        Unreadable, RosterError, LabError, CourseFileError: before anything was written.
    """
    known = roster_of(people, root)
    lab = lab_text.find(lab, lab_text.lab_ids(root)) if lab else None
    budget = Budget()
    with opened(archive, budget) as entries:
        found = attempts.find(_of_one(archive, entries, budget), known, root / "course", lab, budget)
        name = f"{archive.stem} {_digest(entries)}"
    if not known.is_open:
        enroll(known, root)
    students = {attempt.student for attempt in found.attempts}
    print(f"{printable(archive.name)}: {len(students)} students, {len(found.attempts)} notebooks")
    failed = put(found, known, root)
    for note in found.notes:
        print(f"   {printable(note)}")
    if found.left:
        folder = place.keep_left(root, name, found.left)
        print(f"not collected: {len(found.left)} files, kept in {folder.relative_to(root)}/")
        for file in found.left:
            print(f"   {printable(file.path)}: {printable(file.reason)}")
        if found.nameless:
            offer(folder / ROSTER, found.nameless)
            print(
                f"   {folder.relative_to(root)}/{ROSTER} lists their names: add the ids and put them into your roster"
            )
    if found.attempts:
        print("Next: make grade")
    return 1 if found.left or failed else 0


def roster_of(path: Path | None, root: Path) -> Roster:
    """The roster that was named, or `roster.csv` in the repository's root, or none."""
    path = path or (root / ROSTER if (root / ROSTER).is_file() else None)
    return roster.read(path, course_file.load(root)) if path else Roster()


def _of_one(archive: Path, entries: list[Entry], budget: Budget) -> list[Entry]:
    """The entries; the file that `submit` makes, given alone, is one entry of its own."""
    if archive.is_dir() or not any(entry.name == MANIFEST and len(entry.parts) == 2 for entry in entries):
        return entries
    return [Entry(archive.name, (), lambda: budget.take(archive.read_bytes()))]


def _digest(entries: Iterable[Entry]) -> str:
    """Tells two downloads of the same name apart."""
    listed = "\n".join(f"{entry.path} {entry.modified}" for entry in entries)
    return hashlib.sha256(listed.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def put(found: Found, known: Roster, root: Path) -> int:
    """Place all attempts, a line for each student; returns how many could not be placed."""
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
    """Enter the roster's people into the gradebook, with their names."""
    from nbgrader.api import Gradebook

    from autograder.grading import gradebook

    course = gradebook.prepare(root).CourseDirectory
    with Gradebook(course.db_url, course.course_id) as book:
        for person in known.people.values():
            names = {"first_name": person.first, "last_name": person.last, "email": person.email}
            book.update_or_create_student(person.id, **{name: value for name, value in names.items() if value})


def offer(path: Path, names: list[str]) -> None:
    """A roster of those who are not in it yet, to be completed."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "name"])
        writer.writerows(["", name if name[0] not in "=+-@\t\r" else f"'{name}"] for name in names)


def printable(text: str) -> str:
    """`text` without what would steer a terminal."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


if __name__ == "__main__":
    sys.exit(main())
