"""`python -m autograder.department.exports --to canvas --lab 01 [--from gradebook.csv] [--roster roster.csv]`."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from autograder.author import lab_text
from autograder.author.lab_text import LabError
from autograder.department.exports import ExportError, grades, made, sheet
from autograder.department.exports.formats import MADE, PLAIN
from autograder.department.exports.grades import EXTRA, Choices, Grade, graded
from autograder.examine.lab_file import Lab
from autograder.files import write_whole
from autograder.grading import course_file, gradebook, intake
from autograder.grading.collect import roster
from autograder.grading.collect.roster import Person, Roster, RosterError
from autograder.grading.command_line import on_course, printable
from autograder.grading.course_file import CourseFileError
from autograder.grading.feedback import graded_root
from autograder.grading.gradebook import GradebookError
from autograder.grading.submission_record import released_lab
from autograder.progress_bar import begin

FOLDER = "autograder/exports"
KNOWN = (ExportError, RosterError, LabError, CourseFileError, GradebookError)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 0 if everyone who submitted has a grade in the file, 1 if not."""
    options = _options(arguments)
    root = graded_root(options.root.resolve())
    begin("reading the gradebook ...", "no file was written")
    return on_course(root, "make export", KNOWN, lambda: export(options, root))


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make export", description="Write grades as a file that an LMS imports.")
    parser.add_argument("--to", required=True, choices=[*MADE, PLAIN], help="what the file is for")
    parser.add_argument("--lab", default="", help="01-strides, or 01; default: the only one that is graded")
    parser.add_argument("--from", dest="vendors", type=Path, help="Canvas's or Moodle's own file, to be filled in")
    parser.add_argument("--roster", type=Path, help="as for make collect (default: roster.csv)")
    parser.add_argument("--column", default="", help="the column of grades: its heading, title or Canvas's number")
    parser.add_argument("--by", default="", help="without --from: email, id, login or canvas identifies students")
    parser.add_argument("--extra", choices=EXTRA, default="cap", help="extra credit: %(choices)s (default: cap)")
    parser.add_argument("--scale", action="store_true", help="scale points to the vendor's maximum")
    parser.add_argument("--provisional", action="store_true", help="export what waits to be graded by hand as it is")
    parser.add_argument("--zero-for-missing", action="store_true", help="0 for those who did not submit")
    parser.add_argument("--out", type=Path, help=f"the file (default: {FOLDER}/LAB-TO.csv)")
    parser.add_argument("--root", type=Path, default=lab_text.ROOT, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def export(options: argparse.Namespace, root: Path) -> int:
    """Write the file and print a summary of its contents.

    Raises:
        ExportError, RosterError, LabError, CourseFileError, GradebookError: before anything was written.
    """
    lab = released_lab(_lab(options.lab, root), root)
    out = options.out or root / FOLDER / f"{lab.id}-{options.to}.csv"
    course_file.load(root)  # a penalty that can't be read is not exported as none
    roster = _roster(options.roster, root)
    vendors = _vendors(options, out, lab)
    given = Choices(options.extra, options.provisional, options.zero_for_missing)
    everyone = {*roster.people, *grades.submitted(root, lab.id)}
    found = grades.read(root, lab.id, everyone, given)
    most = next((grade.standing.max_score for grade in found.values() if grade.standing), None)
    if most is None:
        raise ExportError(f"Nobody's {lab.id} is graded yet: `make grade` first.")
    left: dict[str, str] = {}
    strays: list[str] = []
    if vendors:
        matched = sheet.match(vendors, roster)
        strays = [*matched.strays]
        text, left = sheet.fill(vendors, matched, found, _scale(vendors, most, options.scale))
    elif options.to == PLAIN:
        text = made.plain(roster.people, found, most, lab)
    else:
        column = options.column or lab.title.partition(":")[0]
        text, left = made.vendors(options.to, roster.people, found, most, column, options.by)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, text)
    _say(out, lab, found, left, strays, options.extra)
    if options.to in MADE:
        print(f"Next: {(vendors.format if vendors else MADE[options.to]).upload}.")
    return 1 if left or any(grade.submitted and grade.why for grade in found.values()) else 0


def _lab(asked: str, root: Path) -> str:
    if asked:
        return lab_text.find(asked, lab_text.lab_ids(root))
    known = [path.name for path in sorted((root / "autograder" / "records").glob("*/"))]
    if len(known) != 1:
        raise ExportError(f"Say which lab: LAB=01. Graded: {', '.join(known) or 'none'}")
    return known[0]


def _roster(path: Path | None, root: Path) -> Roster:
    """Return the roster, or without one the students whom the gradebook knows."""
    known = roster.of_course(path, root)
    if not known.is_open:
        return known
    with gradebook.opened(root) as book:
        people = [
            Person(each.id, each.first_name or "", each.last_name or "", each.email or "") for each in book.students
        ]
    return Roster({person.id: person for person in people}, "the gradebook (no roster is given)")


def _vendors(options: argparse.Namespace, out: Path, lab: Lab) -> sheet.Sheet | None:
    if options.vendors is None:
        return None
    if options.by:
        raise ExportError("--by is for a file made from the roster: with --from, all ids in the file count")
    if options.to == PLAIN:
        raise ExportError("--from is Canvas's or Moodle's own file: with TO=canvas or TO=moodle")
    if out.resolve() == options.vendors.resolve():
        raise ExportError(f"{out} would be overwritten: write to another file, and keep the vendor's")
    return sheet.read(options.vendors, options.to, lab, options.column)


def _scale(vendors: sheet.Sheet, most: float, asked: bool) -> Callable[[float], float]:
    """Return a function from the lab's points to the vendor's; never guess the scale."""
    theirs = vendors.most
    if theirs is None or theirs == most:
        return lambda points: points
    if not asked or theirs == 0:
        raise ExportError(
            f"{vendors.source}: the maximum of {vendors.headings[vendors.at]!r} is {theirs:g}, the lab's is {most:g}: "
            "change it there and download the file again, or scale the points: ARGS=--scale"
        )
    return lambda points: points * theirs / most


def _say(
    out: Path, lab: Lab, found: Mapping[str, Grade], left: Mapping[str, str], strays: Sequence[str], extra: str
) -> None:
    """Print what is in the file and everything that is not."""
    points = graded(found)
    print(f"{out}: {lab.id}, {len(points.keys() - left.keys())} grades")
    cut = sum(grade.cut > 0 for student, grade in found.items() if student in points)
    if cut and extra == "cap":
        print(f"   extra credit fills up to the maximum: {cut} have more of it (--extra add counts it all)")
    waiting = {student: grade.why for student, grade in found.items() if grade.submitted and grade.why}
    absent = [student for student, grade in found.items() if not grade.submitted and student not in left]
    zero = any(student in points for student in absent)
    _list("without a grade", {student: why for student, why in waiting.items() if student not in points})
    _list("provisional", {student: why for student, why in waiting.items() if student in points})
    _list("with a grade that is not in the file", left)
    if absent:
        print(f"   did not submit, {'0' if zero else 'no grade'}: {len(absent)}")
    if strays:
        print(f"rows of no student, left as they are: {len(strays)}")
    for stray in strays:
        print(f"   {printable(stray)}")


def _list(what: str, students: Mapping[str, str]) -> None:
    """Print the students of each reason on one line."""
    if students:
        print(f"{what}: {len(students)}")
    of_reason: dict[str, list[str]] = {}
    for student, why in sorted(students.items()):
        of_reason.setdefault(why, []).append(intake.shown(student))
    for why, names in of_reason.items():
        print(f"   {printable(why)}: {', '.join(names)}")


if __name__ == "__main__":
    sys.exit(main())
