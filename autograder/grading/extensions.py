"""`extensions.csv` in the repository's root: students who have more time than the class.

    id,lab,due
    ada,01-strides,2027-02-05 23:59
    bob,all,+7 days

A table beside the roster and not a section of `course.yaml`: `course.yaml` is kept in git, where a student's name could
never be removed again, and the offices that grant extensions to a class of a thousand send tables.
"""

import csv
import datetime as dt
import re
from collections.abc import Collection, Iterator, Mapping
from zoneinfo import ZoneInfo

from autograder.author import lab_text
from autograder.examine.handin import STUDENT, STUDENT_MEANS
from autograder.grading.timestamps import BadTime, in_words, read_moment

FILE = "extensions.csv"
COLUMNS = ("id", "lab", "due")
ALL = "all"
LATER = re.compile(r"\+\s*(?P<count>\d{1,4})\s*(?P<unit>day|week)s?", re.IGNORECASE)
EXAMPLE = "2027-02-05 23:59, or +7 days"
Due = dt.datetime | dt.timedelta  # in UTC, or how much later than the class
Extensions = Mapping[tuple[str, str], Due]  # by lab (or ALL) and student


class BadExtension(ValueError):
    """The table of extensions is invalid; the message begins with the file and line."""


def parse(
    text: str, zone: ZoneInfo, due: Mapping[str, dt.datetime] | None, known: tuple[str, ...]
) -> dict[tuple[str, str], Due]:
    """Parse the extensions in a CSV text; columns other than id, lab and due are ignored.

    Args:
        zone: of times that name none.
        due: when the class's labs are due, in UTC; None if that is known only to the gradebook.
        known: the existing labs.
    Raises:
        BadExtension: with the line, what was found there and what was expected.
    """
    found: dict[tuple[str, str], Due] = {}
    for line, cells in _rows(text):
        student, lab, when = (cells.get(name, "") for name in COLUMNS)
        try:
            key = _lab(lab, known), _student(student)
            if key in found:
                raise BadExtension(f"{student} has a line for {key[0]} already: remove one of the two")
            found[key] = _due(when, zone)
            _require_later(key[0], found[key], zone, due)
        except (BadExtension, lab_text.LabError) as error:
            raise BadExtension(f"{FILE}, line {line}: {error}") from None
    return found


def of(given: Extensions, lab: str, student: str, due: dt.datetime, zone: ZoneInfo) -> dt.datetime | None:
    """Return the time (UTC) at which a lab is due for a student with an extension; None for a student without one.

    A line for the lab counts before one for all labs. Days are the calendar's: "+7 days" ends at the same time of day,
    also where the clock changes in between.
    """
    own = given.get((lab, student), given.get((ALL, student)))
    if not isinstance(own, dt.timedelta):
        return own
    local = due.replace(tzinfo=dt.UTC).astimezone(zone) + own
    return local.astimezone(dt.UTC).replace(tzinfo=None)


def nobodys(given: Extensions, people: Collection[str]) -> list[str]:
    """Return the ids in the table that are not in `people`."""
    return sorted({student for _, student in given} - set(people))


# ---- the table and its cells


def _rows(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each row that is not empty with the number of its last line, by heading."""
    first = text.partition("\n")[0]
    rows = csv.reader(text.splitlines(), delimiter=max(",;\t", key=first.count))
    try:
        headings = [heading.strip().casefold() for heading in next(rows, [])]
        if lacking := [name for name in COLUMNS if name not in headings]:
            expected = f"expected a first line {','.join(COLUMNS)}"
            raise BadExtension(f"{FILE}, line 1: no column {', '.join(lacking)}; {expected}")
        for row in rows:
            if any(map(str.strip, row)):
                yield rows.line_num, dict(zip(headings, map(str.strip, row), strict=False))
    except csv.Error as error:
        raise BadExtension(f"{FILE}, line {rows.line_num}: {error}: save it as CSV") from None


def _lab(text: str, known: tuple[str, ...]) -> str:
    return ALL if text.casefold() == ALL else lab_text.find(text, known)


def _student(text: str) -> str:
    if not STUDENT.fullmatch(text):
        raise BadExtension(f"the id is {ascii(text)}, expected {STUDENT_MEANS}")
    return text


def _due(text: str, zone: ZoneInfo) -> Due:
    if later := LATER.fullmatch(text):
        return dt.timedelta(**{f"{later['unit'].lower()}s": int(later["count"])})
    try:
        moment = read_moment(text, zone, whole_day=True)
    except BadTime:
        moment = None
    if moment is None:
        raise BadExtension(f"due is {ascii(text[:40])}, expected a time such as {EXAMPLE}")
    return moment


def _require_later(lab: str, own: Due, zone: ZoneInfo, due: Mapping[str, dt.datetime] | None) -> None:
    if lab == ALL and isinstance(own, dt.datetime):
        raise BadExtension("one date for all labs: write how much later than the class, such as +7 days, or name a lab")
    if due is None or lab == ALL:
        return
    if lab not in due:
        raise BadExtension(f"{lab} has no due date in course.yaml: add the date, or remove this line (nobody is late)")
    if isinstance(own, dt.datetime) and own < due[lab]:
        raise BadExtension(
            f"due {in_words(own, zone)} is before the class's date, {in_words(due[lab], zone)}: an extension is later"
        )
