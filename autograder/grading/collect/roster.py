"""The people of the course, from a CSV file, and who a name, login or number means."""

import csv
import datetime as dt
import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from autograder.examine.handin import STUDENT, STUDENT_MEANS
from autograder.grading import course_file
from autograder.grading.course_file import Course
from autograder.grading.table_cell import unguarded
from autograder.grading.timestamps import BadTime, read_moment

FILE = "roster.csv"  # in the repository's root
HEADINGS = {
    "id": ("id", "student id", "student_id", "id number", "student number", "sis user id"),
    "name": ("name", "full name", "fullname", "student", "student name"),
    "first": ("first name", "first", "firstname", "first_name", "given name"),
    "last": ("last name", "last", "lastname", "last_name", "surname", "family name"),
    "email": ("email", "email address", "e-mail", "mail"),
    "login": ("login", "username", "login id", "sis login id"),
    "moodle": ("moodle", "identifier"),
    "canvas": ("canvas", "canvas id", "canvas user id"),
    "submitted": ("submitted", "last modified (submission)"),
}


class RosterError(ValueError):
    """The roster can't be read; the message begins with the file and line."""


@dataclass(frozen=True)
class Person:
    """One line of the roster; `submitted` is the submission time that the LMS states, in UTC."""

    id: str
    first: str = ""
    last: str = ""
    email: str = ""
    login: str = ""
    numbers: tuple[tuple[str, str], ...] = ()
    submitted: dt.datetime | None = None


@dataclass
class Roster:
    """The people on the roster, indexed by name, id and login; if it is empty (`is_open`), any valid id is accepted."""

    people: dict[str, Person] = field(default_factory=dict)
    source: str = ""
    _index: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for person in self.people.values():
            for key in _keys(person):
                self._index.setdefault(key, set()).add(person.id)

    @property
    def is_open(self) -> bool:
        """True if no roster was given."""
        return not self.source

    def find(self, kind: str, value: str) -> set[str]:
        """Return the ids that match `value`; `kind`: "word" (id, login, email, name), "name", "moodle" or "canvas"."""
        for key in ((kind, folded(value)), (kind, loose(value))):
            if key[1] and (found := self._index.get(key)):
                return found
        return set()


def folded(text: str) -> str:
    """Return the text in a normal form: Unicode NFKC, case folded, whitespace collapsed."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def loose(text: str) -> str:
    """Return only the letters and digits of a text, case folded and without accents, as systems that sanitize names do.

    >>> loose("O'Brien, Zoë"), loose("obrienzoe")
    ('obrienzoe', 'obrienzoe')
    """
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in apart if letter.isalnum())


def _keys(person: Person) -> Iterator[tuple[str, str]]:
    for word in filter(None, (person.id, person.login, person.email, person.email.partition("@")[0])):
        yield "word", folded(word)
    for spelling in spellings(person.first, person.last):
        for kind in ("word", "name"):
            yield kind, folded(spelling)
            if key := loose(spelling):
                yield kind, key
    yield from person.numbers


def spellings(first: str, last: str) -> list[str]:
    """Return the forms in which systems write a name: given name first or last, split at any word."""
    tokens = f"{first} {last}".split()
    return list(dict.fromkeys(" ".join(tokens[at:] + tokens[:at]) for at in range(len(tokens))))


def of_course(path: Path | None, root: Path) -> Roster:
    """Read the roster at `path`, or else `roster.csv` in the repository's root; without either it is empty."""
    path = path or (root / FILE if (root / FILE).is_file() else None)
    return read(path, course_file.load(root)) if path else Roster()


def read(path: Path, course: Course) -> Roster:
    """Read the roster in the CSV file `path`; its times are in the course's time zone.

    Raises:
        RosterError: it can't be read.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise RosterError(f"{path} is missing: a CSV file with the columns id,name (and email, login)") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RosterError(f"{path} can't be read: {error}: save it as CSV in UTF-8") from None
    first_line = text.split("\n", 1)[0]
    rows = csv.reader(text.splitlines(), delimiter=max(",;\t", key=first_line.count))
    columns = _columns(next(rows, []))
    if not columns.keys() & {"id", "login", "email"}:
        raise RosterError(f"{path}, line 1: {first_line.strip()[:60]!r} names no column id (or login, or email)")
    people: dict[str, Person] = {}
    for row in rows:
        values = {name: unguarded(row[at].strip()) for name, at in columns.items() if at < len(row)}
        if any(values.values()):
            person = _person(values, course, f"{path}, line {rows.line_num}")
            if person.id in people:
                raise RosterError(f"{path}, line {rows.line_num}: {person.id} is there twice")
            people[person.id] = person
    return Roster(people, path.name)


def _columns(headings: Iterable[str]) -> dict[str, int]:
    at = {folded(heading): number for number, heading in enumerate(headings)}
    found = ((name, next((at[known] for known in names if known in at), None)) for name, names in HEADINGS.items())
    return {name: number for name, number in found if number is not None}


def _person(values: dict[str, str], course: Course, where: str) -> Person:
    student = next((values[name] for name in ("id", "login", "email") if values.get(name)), "")
    if not STUDENT.fullmatch(student):
        raise RosterError(f"{where}: the id is {ascii(student)}, expected {STUDENT_MEANS}")
    first, last = values.get("first", ""), values.get("last", "")
    if not (first or last):
        last, comma, first = values.get("name", "").partition(",")
        if not comma:
            first, _, last = last.rpartition(" ")
    numbers = ((kind, re.sub(r"\D", "", values.get(kind, ""))) for kind in ("moodle", "canvas"))
    given = tuple((kind, number) for kind, number in numbers if number)
    try:
        submitted = moment(values.get("submitted", ""), course)
    except BadTime as error:
        raise RosterError(f"{where}: the time of {student} {error}") from None
    return Person(
        student, first.strip(), last.strip(), values.get("email", ""), values.get("login", ""), given, submitted
    )


def moment(text: str, course: Course) -> dt.datetime | None:
    """Parse a time as `course.yaml` writes it, or as Moodle's worksheet spells it out; return None for "" and "-".

    Raises:
        BadTime: the text is not a time, or could mean two.

    >>> moment("Monday, 23 November 2026, 3:58 PM", Course())
    datetime.datetime(2026, 11, 23, 15, 58)
    """
    if text in ("", "-"):
        return None
    try:
        return read_moment(text, course.timezone)
    except BadTime as bad:
        from dateutil import parser

        # A field that is missing is taken from the default, and 3/11 is read in two ways: all four must agree.
        defaults = (dt.datetime(2000, 1, 1, 1, 1), dt.datetime(2003, 2, 2, 2, 2))
        try:
            read = {
                parser.parse(text, dayfirst=order, default=default)
                for order, default in itertools.product((False, True), defaults)
            }
        except Exception:  # dateutil raises what decimal, int and datetime do
            raise bad from None
        if len(read) > 1:
            raise bad from None
        return read_moment(read.pop().isoformat(), course.timezone)
