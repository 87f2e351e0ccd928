"""A file that the vendor has written: whose each row is, which column holds the grades, and the grades filled in.

Nothing else is changed: not the order of rows and columns, not an id, not a grade that we do not have. Only what
people type and no import reads (names, groups) is guarded against formulas.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.department.exports import ExportError
from autograder.department.exports.formats import VENDORS, Format
from autograder.department.exports.grades import Grade, graded
from autograder.examine.lab_file import Lab
from autograder.grading.collect.roster import Person, Roster, folded, loose
from autograder.grading.table_cell import guarded, unguarded

NUMBERS = ("canvas", "moodle")  # fields of the roster that are an LMS's own numbers


class Sheet(NamedTuple):
    """A vendor's file; `at` is the index of the grade column, and `most` its maximum, None if the file has none."""

    source: str
    format: Format
    headings: Sequence[str]
    rows: Sequence[list[str]]
    delimiter: str
    at: int
    most: float | None

    def cell(self, row: Sequence[str], heading: str) -> str:
        """Return the cell of `row` under `heading`, or "" if there is none."""
        return _cell(self.headings, row, heading)

    def name(self, row: Sequence[str]) -> str:
        """Return the student's name in this row, as the file has it."""
        groups = (" ".join(self.cell(row, part) for part in group).strip() for group in self.format.names)
        return unguarded(next((name for name in groups if name), ""))


class Match(NamedTuple):
    """The row index of each student, and the reasons that other rows match no student."""

    row_of: Mapping[str, int]
    strays: Sequence[str]


def read(path: Path, to: str, lab: Lab, column: str = "") -> Sheet:
    """Read the vendor's file at `path`.

    Args:
        column: the heading of the grades, its title, or its number; "" for the one that is named like the lab.
    Raises:
        ExportError: it can't be read, is not one of the vendor's, or has no such column.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise ExportError(f"{path} can't be read: {error}: give the CSV file in UTF-8 as it was downloaded") from None
    first_line = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first_line.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise ExportError(f"{path} is not a CSV file: {error}: download it again") from None
    headings, rows = (rows[0], rows[1:]) if rows else ([], [])
    kind = _format(path, to, headings)
    at = _column(path, kind, headings, rows, lab, column)
    return Sheet(path.name, kind, headings, rows, delimiter, at, _most(path, kind, headings, rows, at))


def _format(path: Path, to: str, headings: Sequence[str]) -> Format:
    there = {folded(heading) for heading in headings}
    ours = [kind for kind in VENDORS if kind.to == to]
    for kind in ours:
        if any(there.issuperset(map(folded, group)) for group in kind.has):
            return kind
    expected = "; or ".join(f"{', '.join(group)} ({kind.called})" for kind in ours for group in kind.has)
    raise ExportError(f"{path}: the columns are {', '.join(headings[:12])!r}, expected {expected}, in English")


def _cell(headings: Sequence[str], row: Sequence[str], heading: str) -> str:
    wanted = folded(heading)
    at = next((number for number, there in enumerate(headings) if wanted and folded(there) == wanted), len(row))
    return row[at].strip() if at < len(row) else ""


def _is_of_maxima(kind: Format, row: Sequence[str]) -> bool:
    """Return True for Canvas's line "Points Possible"."""
    return bool(kind.maximum and row and row[0].strip() == kind.maximum)


# ---- the column of grades


def _column(path: Path, kind: Format, headings: Sequence[str], rows: Sequence[list[str]], lab: Lab, asked: str) -> int:
    columns = {number: heading for number, heading in enumerate(headings) if _holds_grades(kind, heading)}
    for row in rows:
        if _is_of_maxima(kind, row):
            columns = {at: heading for at, heading in columns.items() if "read only" not in "".join(row[at : at + 1])}
    wanted = {loose(asked)} if asked else names_of(lab)
    found = [at for at, heading in columns.items() if wanted & _spellings(kind, heading)]
    if kind.grade and not asked:
        found = [at for at, heading in columns.items() if folded(heading) == folded(kind.grade)]
    if len(found) == 1:
        return found[0]
    means = f"called {asked!r}" if asked else f"named like {lab.id}"
    there = ", ".join(repr(heading) for heading in columns.values()) or "none"
    number = f"{len(found)} columns" if found else "no column"
    raise ExportError(f"{path}: {number} of grades {means}; there are: {there}. Say which one: COLUMN='...'")


def _holds_grades(kind: Format, heading: str) -> bool:
    known = {folded(name) for name in (*kind.who, *kind.text, kind.maximum, kind.changeable)}
    return bool(heading) and folded(heading) not in known and not kind.not_grades.search(folded(heading))


def _spellings(kind: Format, heading: str) -> set[str]:
    """Return the heading, its title and its number, letters and digits alone."""
    titled = kind.title.fullmatch(heading.strip())
    return {loose(text) for text in (heading, *(titled.groups() if titled else ())) if text}


def names_of(lab: Lab) -> set[str]:
    """Return the names that identify a lab's column, reduced to letters and digits.

    >>> sorted(names_of(Lab("01-strides", "Lab 1. Strides: a tensor is a view", ())))
    ['01strides', 'lab01', 'lab1', 'lab1strides', 'lab1stridesatensorisaview']
    """
    number = lab.id.partition("-")[0]
    title = lab.title.partition(":")[0]
    return {loose(name) for name in (lab.id, f"lab {number}", f"lab {int(number)}", title, lab.title)}


def _most(path: Path, kind: Format, headings: Sequence[str], rows: Sequence[list[str]], at: int) -> float | None:
    """Return the maximum that the file states, None if none."""
    lines = ["".join(row[at : at + 1]) for row in rows if _is_of_maxima(kind, row)]
    cells = [_cell(headings, row, kind.maximum) for row in rows]
    found = {number for text in (*lines, *cells) if (number := number_in(text)) is not None}
    if len(found) > 1:
        raise ExportError(f"{path} has several maxima of one grade: {', '.join(f'{most:g}' for most in sorted(found))}")
    if kind.grade and not found:
        raise ExportError(f"{path} says no {kind.maximum}: let Moodle grade the assignment by points, not by a scale")
    return found.pop() if found else None


def number_in(text: str) -> float | None:
    """Parse the number in a cell, with a decimal point or comma; return None if it is not a number.

    >>> number_in("100.00"), number_in("87,5"), number_in("1.000,5"), number_in("-"), number_in("nan")
    (100.0, 87.5, 1000.5, None, None)
    """
    if not re.fullmatch(r"\d[\d.,]*", text.strip()):
        return None
    whole, _, fraction = text.strip().replace(",", ".").rpartition(".")
    return float(f"{whole.replace('.', '')}.{fraction}") if whole else float(fraction)


# ---- whose a line is


def match(sheet: Sheet, roster: Roster) -> Match:
    """Find each student's row by the ids in it, or by name if none of the ids belongs to a student."""
    rows_of: dict[str, list[int]] = {}
    strays = []
    for number, row in enumerate(sheet.rows):
        ids = [(kind, sheet.cell(row, heading)) for heading, kind in sheet.format.who.items()]
        name = sheet.name(row)
        if not (name or any(value for _, value in ids)) or _is_of_maxima(sheet.format, row):
            continue  # not of a student: maxima, "Manual Posting"
        found = set().union(*(_by_id(roster, kind, value) for kind, value in ids if value))
        found = found or {student for student in roster.find("name", name) if not _differs(roster.people[student], ids)}
        label = f"row {number + 2}, {name or next(value for _, value in ids if value)!r}"
        if len(found) == 1:
            rows_of.setdefault(found.pop(), []).append(number)
        elif found:
            strays.append(f"{label}: {' and '.join(sorted(found))} may be meant: add a number or login to the roster")
        else:
            strays.append(f"{label}: nobody in {roster.source}")
    for student, numbers in rows_of.items():
        if len(numbers) > 1:
            places = ", ".join(str(number + 2) for number in numbers)
            strays.append(f"rows {places}: all are {student}'s: none of them is filled in")
    return Match({student: numbers[0] for student, numbers in rows_of.items() if len(numbers) == 1}, strays)


def _by_id(roster: Roster, kind: str, value: str) -> set[str]:
    """Return the students with this number, id, login or email; a login that only looks like a name is not theirs."""
    if kind in NUMBERS:
        return roster.find(kind, re.sub(r"\D", "", value))
    return {student for student in roster.find("word", value) if folded(value) in _ids(roster.people[student])}


def _ids(person: Person) -> set[str]:
    return {folded(word) for word in (person.id, person.login, person.email, person.email.partition("@")[0])}


def _differs(person: Person, ids: Iterable[tuple[str, str]]) -> bool:
    """Return True if the row's number or login is another than the roster's: somebody else of the same name.

    Email addresses say nothing, for people have several, and neither do Moodle's numbers: each assignment has its own.
    """
    known = {"canvas": dict(person.numbers).get("canvas"), "login": person.login}
    return any(value and known.get(kind) and folded(value) != folded(known[kind] or "") for kind, value in ids)


# ---- filled in


def fill(
    sheet: Sheet, match: Match, grades: Mapping[str, Grade], scaled: Callable[[float], float]
) -> tuple[str, dict[str, str]]:
    """Return the file's text with the grades filled in, and for each student without a grade in it the reason.

    Args:
        scaled: points on the vendor's scale.
    """
    left = {student: f"in no row of {sheet.source}" for student in graded(grades) if student not in match.row_of}
    filled: dict[int, str] = {}
    for student, number in match.row_of.items():
        grade, row = grades.get(student), sheet.rows[number]
        if grade is None or grade.points is None:
            continue
        if why := _refuses(sheet, row, points := scaled(grade.points)):
            left[student] = why
        else:
            filled[number] = written(points)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=sheet.delimiter, lineterminator="\n")
    writer.writerow(sheet.headings)
    for number, row in enumerate(sheet.rows):
        if number in filled:
            row = [*row, *[""] * (sheet.at + 1 - len(row))]
            row[sheet.at] = filled[number]
        elif sheet.format.erases:
            continue
        writer.writerow(_guarded(sheet, row))
    return out.getvalue(), left


def _refuses(sheet: Sheet, row: Sequence[str], points: float) -> str:
    """Return the reason that the vendor would not take this grade, or means something else by the cell; else ""."""
    before = row[sheet.at].strip() if sheet.at < len(row) else ""
    if before.upper() in sheet.format.keeps:
        return f"{sheet.source} has {before} for it, which stays"
    if folded(sheet.cell(row, sheet.format.changeable)) == "no":
        return f"{sheet.source} says that its grade can't be changed"
    if sheet.format.changeable and sheet.most is not None and points > sheet.most:
        return f"Moodle passes over {points:g}, which is above the maximum {sheet.most:g}"
    return ""


def written(points: float) -> str:
    """Format points as the text of a cell.

    >>> written(87.0), written(87.25), written(0.1 + 0.2)
    ('87', '87.25', '0.3')
    """
    return f"{round(points, 2):.10g}"


def _guarded(sheet: Sheet, row: Sequence[str]) -> list[str]:
    typed = {folded(heading) for heading in sheet.format.text}
    padded = [*sheet.headings, *[""] * (len(row) - len(sheet.headings))]
    return [guarded(cell) if folded(heading) in typed else cell for heading, cell in zip(padded, row, strict=False)]
