"""A file made from the roster, where the vendor has given none: only students with a grade are in it.

A cell without a grade would erase one that the LMS has (`formats.py`).
"""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from autograder.department.exports import ExportError
from autograder.department.exports.formats import CANVAS, MADE, Format
from autograder.department.exports.grades import Grade, graded
from autograder.department.exports.sheet import written
from autograder.examine.lab_file import Lab
from autograder.grading.collect.roster import Person, folded
from autograder.grading.table_cell import guarded

PLAIN_COLUMNS = (
    "id", "name", "email", "login", "lab", "grade", "max_grade", "score", "extra", "late_penalty", "note",
)  # fmt: skip
MARK = "\ufeff"  # without it, Excel takes UTF-8 for the system's own encoding


def vendors(
    to: str, people: Mapping[str, Person], grades: Mapping[str, Grade], most: float, column: str, by: str
) -> tuple[str, dict[str, str]]:
    """Return the text of a file that `to` imports, and for each student without a grade in it the reason.

    Args:
        most: the maximum of the grades. column: the heading of the grades.
        by: the field of the roster that identifies students there; "" for the usual ones.
    Raises:
        ExportError: `to` does not know students by that, or would not take the column for one of grades.
    """
    kind = MADE[to]
    if by and by not in kind.by:
        raise ExportError(f"--by {by}: {kind.called} knows students by one of {', '.join(kind.by)}")
    if kind.not_grades.search(folded(column)):
        raise ExportError(f"COLUMN={column!r}: {kind.called} would not take it for a column of grades")
    fields = (by,) if by else kind.default_by
    ids = {student: {field: _id(person, field) for field in fields} for student, person in people.items()}
    shared = _shared(ids.values())
    left, rows = {}, []
    for student, points in sorted(graded(grades).items()):
        if why := _unknown(kind, student, ids, shared):
            left[student] = why
        else:
            rows.append([*_identity(kind, people[student], ids[student]), written(points)])
    headings = (
        ["Student", *CANVAS.who, "Section"] if kind is CANVAS else [*(kind.by[field] for field in fields), "Full name"]
    )
    maxima = [["    Points Possible", *[""] * (len(headings) - 1), written(most)]] * (kind is CANVAS)
    return table([[*headings, column], *maxima, *rows]), left


def _id(person: Person, field: str) -> str:
    given = {"id": person.id, "login": person.login, "email": person.email} | dict(person.numbers)
    return given.get(field, "")


def _shared(ids: Iterable[Mapping[str, str]]) -> set[tuple[str, str]]:
    """Return the ids that several students have."""
    counts = Counter((field, folded(value)) for each in ids for field, value in each.items() if value)
    return {key for key, count in counts.items() if count > 1}


def _unknown(kind: Format, student: str, ids: Mapping[str, Mapping[str, str]], shared: set[tuple[str, str]]) -> str:
    """Return the reason that the vendor could not tell who is meant, "" if it can."""
    if student not in ids:
        return "not on the roster"
    given = {field: value for field, value in ids[student].items() if value}
    if not given:
        return f"the roster has no {' or '.join(ids[student])}, by which {kind.called} knows students"
    for field, value in given.items():
        if (field, folded(value)) in shared:
            return f"its {field} {value!r} is also somebody else's"
        if guarded(value) != value:
            return f"its {field} {value!r} is a formula to a spreadsheet"
    return ""


def _identity(kind: Format, person: Person, ids: Mapping[str, str]) -> list[str]:
    if kind is not CANVAS:
        return [*ids.values(), guarded(f"{person.first} {person.last}".strip())]
    name = ", ".join(filter(None, (person.last, person.first)))
    return [guarded(name), *(ids.get(field, "") for field in kind.by), ""]


def plain(people: Mapping[str, Person], grades: Mapping[str, Grade], most: float, lab: Lab) -> str:
    """Return a table of everybody, for a spreadsheet or a registrar; a missing grade is empty, with the reason."""
    rows = []
    for student, grade in sorted(grades.items()):
        person, standing = people.get(student, Person(student)), grade.standing
        score, extra = standing.kept if standing and grade.points is not None else ("", "")
        points = "" if grade.points is None else written(grade.points)
        numbers = [points, written(most), score, extra, standing.penalty if standing else ""]
        texts = (student, f"{person.first} {person.last}".strip(), person.email, person.login, lab.id)
        rows.append([*map(guarded, texts), *numbers, guarded(grade.why)])
    return MARK + table([PLAIN_COLUMNS, *rows])


def table(rows: Sequence[Sequence[object]]) -> str:
    """Return the rows as CSV text."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
