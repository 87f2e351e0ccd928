"""`python -m autograder.department.forget ada [--roster roster.csv] [--dry-run] [--yes]`."""

import argparse
import difflib
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from autograder.author import lab_text
from autograder.author.lab_text import LabError
from autograder.department.forget import books, tables, traces
from autograder.department.forget.traces import Trace
from autograder.examine import lab_file
from autograder.files import write_whole
from autograder.grading import course_file, extensions, intake, report, run
from autograder.grading.collect import roster as of_people
from autograder.grading.collect.roster import Person, Roster, RosterError
from autograder.grading.command_line import on_course, printable
from autograder.grading.course_file import CourseFileError
from autograder.grading.gradebook import GradebookError
from autograder.grading.submission_record import Settings
from autograder.progress_bar import begin

BEGUN = "autograder/forgetting.json"  # the people whose removal has begun, as they were known then
AGAIN = ", or the next `make collect` enters the student again"
REPORTS = ("autograder/report.html", "autograder/grades.csv")
CLOSE = 0.5  # of difflib's ratio: more alike than not
STOPPED = "what is printed as removed is gone; the same command removes the rest"


class UnknownStudent(ValueError):
    """Nothing in the course's folder belongs to a student of this name; the message suggests similar names."""


KNOWN = (UnknownStudent, RosterError, LabError, CourseFileError, GradebookError)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 0 if it has removed everything of the student's that it can, 1 if not."""
    options = _options(arguments)
    root = options.root.resolve()
    begin(f"looking for {printable(options.student)} ...", STOPPED)
    return on_course(root, "make forget", KNOWN, lambda: forget(options, root))


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make forget", description="Remove every trace of a student.")
    parser.add_argument("student", help="the student's id, as in autograder/submitted/")
    parser.add_argument("--roster", type=Path, help="as for make collect (default: roster.csv)")
    parser.add_argument("--dry-run", action="store_true", help="print what would be removed, and remove nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--root", type=Path, default=lab_text.ROOT, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def forget(options: argparse.Namespace, root: Path) -> int:
    """Print what there is, ask for confirmation, remove it, and print what stays.

    Raises:
        UnknownStudent, RosterError, CourseFileError, GradebookError: before anything was removed.
        GradebookError: also later, where a gradebook is in use; the next run goes on.
    """
    roster, begun = of_people.of_course(options.roster, root), _begun(root)
    people = _people(root, roster, begun)
    if options.student not in people:
        raise UnknownStudent(_unknown(options.student, Roster(people, "the course")))
    person = people[options.student]
    everyone = Roster(people, "the course")
    found = traces.find(root, person, everyone, person.id in begun)
    reports = [root / name for name in REPORTS if found and (root / name).is_file()]
    _print_plan(root, found, reports)
    print_left(root, options.roster, person, everyone, [*(trace.path for trace in found), *reports])
    if options.dry_run or not found:
        return 0
    if not (options.yes or _agreed(person.id)):
        print("Nothing was removed.")
        return 1
    _keep_begun(root, begun | {person.id: person})
    for trace in found:
        line = _line(root, trace.what, trace.path)
        trace.remove()
        print(f"removed: {line}", flush=True)
    failures = _write_reports(root) if reports else []
    for path in reports:
        print(f"written again: {path.relative_to(root)}")
    print_left(root, options.roster, person, everyone, [])
    _keep_begun(root, {student: each for student, each in begun.items() if student != person.id})
    for failure in failures:
        print(printable(failure), file=sys.stderr)
    return 1 if failures else 0


# ---- who is meant


def _people(root: Path, roster: Roster, begun: dict[str, Person]) -> dict[str, Person]:
    """Return all people whom the course's folder knows; the gradebook fills the fields that the roster leaves empty."""
    found = {name: Person(name) for name in traces.known(root)}
    for source in (*map(books.people, reversed(books.everywhere(root))), begun, roster.people):
        found |= {name: _joined(person, found.get(name)) for name, person in source.items()}
    return found


def _joined(person: Person, before: Person | None) -> Person:
    given = {name: value for name, value in vars(person).items() if value}
    return replace(before, **given) if before else person


def _unknown(student: str, everyone: Roster) -> str:
    """Return a sentence with the names that may be meant."""
    if not student:
        return "Say who: make forget STUDENT=ada"
    like = difflib.get_close_matches(student, everyone.people, cutoff=CLOSE)
    close = list(dict.fromkeys([*sorted(everyone.find("word", student)), *like]))
    named = f"closest: {', '.join(map(intake.shown, close))}" if close else "no name is close to it"
    return f"Nothing here is of a student {intake.shown(student)}: {named}. Nothing was removed."


def _begun(root: Path) -> dict[str, Person]:
    try:
        kept = json.loads((root / BEGUN).read_text(encoding="utf-8"))
        return {name: Person(**fields) for name, fields in kept.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _keep_begun(root: Path, people: dict[str, Person]) -> None:
    """Keep who is being removed; a run that goes on finds nothing of them in gradebook and folders."""
    kept = {name: asdict(replace(person, submitted=None)) for name, person in people.items()}
    if kept:
        write_whole(root / BEGUN, json.dumps(kept, indent=1) + "\n")
    else:
        (root / BEGUN).unlink(missing_ok=True)


# ---- what is printed


def _print_plan(root: Path, found: Sequence[Trace], reports: Iterable[Path]) -> None:
    print("To be removed:" if found else "There is nothing to remove.")
    for trace in found:
        print(f"   {_line(root, trace.what, trace.path)}")
    for path in reports:
        print(f"   {path.relative_to(root)}: written again, without the student")


def _line(root: Path, what: str, path: Path | str) -> str:
    if isinstance(path, str):
        return printable(f"{path}: {what}")
    shown = path.relative_to(root) if path.is_relative_to(root) else path
    return printable(f"{shown}{'/' * (path.is_dir() and not path.is_symlink())}: {what}")


def print_left(root: Path, roster: Path | None, person: Person, everyone: Roster, going: Sequence[Path | str]) -> None:
    """Print the files that mention the student but stay because they include others; a person has to edit them."""
    yours = {(roster or root / of_people.FILE).resolve(): AGAIN, root / extensions.FILE: ""}
    kept = traces.left(root, person, going)
    for path, otherwise in yours.items():
        if numbers := [lines.start for lines in tables.lines_of(tables.read(path), person, everyone)]:
            print(f"{path}, line {', '.join(map(str, numbers))}: remove it yourself{otherwise}.")
            kept = [other for other in kept if other != path]
    if kept:
        print("Kept whole, because others may be in it, and it names the student: look at it yourself.")
    for path in kept:
        print(f"   {printable(str(path.relative_to(root)))}")


def _agreed(student: str) -> bool:
    print(f"Remove all of this? It can't be undone. Type {intake.shown(student)} to go on: ", end="", flush=True)
    answer = sys.stdin.readline().strip()
    if not answer:
        print()
    return answer == student


def _write_reports(root: Path) -> list[str]:
    """Write `report.html` and `grades.csv` from what there is now; return what went wrong."""
    failures: list[str] = []
    classes = run.classes_of(lab_file.released(root), Settings(root), failures)
    run.write_report(classes, root, report.isolation_of(classes), course_file.problem(root), failures)
    return failures


if __name__ == "__main__":
    sys.exit(main())
