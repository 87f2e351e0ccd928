"""The lines of tables and logs that are a student's; all other lines stay as they are, byte for byte."""

import csv
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from autograder.department.exports.formats import CANVAS, WORKSHEET
from autograder.files import write_whole
from autograder.grading.collect.archive import Budget, Unreadable, opened
from autograder.grading.collect.roster import HEADINGS, Person, Roster, folded, loose, spellings
from autograder.grading.table_cell import unguarded

TEXTS, ARCHIVES = (".csv", ".tsv", ".txt", ".log"), (".zip", ".xlsx", ".ods")
IN_ARCHIVES = (*TEXTS, ".xml")  # .xml: the cells of a spreadsheet
NUMBERS = ("moodle", "canvas")
SHORTEST_NUMBER = 4  # digits; a shorter one names nobody outside its column


def without(path: Path, person: Person, everyone: Roster) -> Callable[[], None] | None:
    """Return a function that rewrites the table without the person's rows, or None if there are none.

    Args:
        everyone: all people of the course, so that nobody is taken for somebody else.
    """
    text = read(path)
    numbers = {number for lines in lines_of(text, person, everyone) for number in lines}
    return partial(_write_without, path, text, numbers) if numbers else None


def without_lines(path: Path, person: Person) -> Callable[[], None] | None:
    """Return a function that rewrites the log without the lines that name the person, or None if there are none."""
    text, naming = read(path), names(person)
    numbers = {number for number, line in enumerate(text.splitlines(True), 1) if naming.search(line)}
    return partial(_write_without, path, text, numbers) if numbers else None


def _write_without(path: Path, text: str, numbers: set[int]) -> None:
    lines = enumerate(text.splitlines(True), 1)
    write_whole(path, "".join(line for number, line in lines if number not in numbers))


def read(path: Path) -> str:
    """Read the text of a regular file with its line endings unchanged; return "" if it is not valid UTF-8."""
    if path.is_symlink() or not path.is_file():
        return ""
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        return ""


def lines_of(text: str, person: Person, everyone: Roster) -> list[range]:
    """Return the range of line numbers, from 1, of each row of a CSV text that belongs to the person."""
    first = text.partition("\n")[0]
    reader = csv.reader(text.splitlines(True), delimiter=max(",;\t", key=first.count))
    found = []
    with suppress(csv.Error):  # no table
        columns = _columns(next(reader, []))
        begin = reader.line_num + 1
        for row in reader:
            cells = {
                kind: unguarded(row[at].strip()).removeprefix("'") for at, kind in columns.items() if at < len(row)
            }
            if _is_theirs(cells, person, everyone):
                found.append(range(begin, reader.line_num + 1))
            begin = reader.line_num + 1
    return found


def _columns(headings: list[str]) -> dict[int, str]:
    """Return the field of the roster that each column is, by the column."""
    there = [folded(heading.removeprefix("\ufeff")) for heading in headings]
    fields = {spelling: field for field, spelled in HEADINGS.items() for spelling in spelled}
    for kind in (CANVAS, WORKSHEET):  # in Canvas's file "ID" is its own number
        if any({folded(heading) for heading in group}.issubset(there) for group in kind.has):
            fields |= {folded(heading): field for heading, field in kind.who.items()}
    return {at: fields[heading] for at, heading in enumerate(there) if heading in fields}


def _is_theirs(cells: dict[str, str], person: Person, everyone: Roster) -> bool:
    given = {"id": person.id, "login": person.login, "email": person.email} | dict(person.numbers)
    others = False
    for kind in ("id", "login", "email", *NUMBERS):
        value = cells.get(kind, "")
        value = re.sub(r"\D", "", value) if kind in NUMBERS else folded(value)
        if value and value == folded(given.get(kind, "")):
            return True
        others = others or bool(everyone.find(kind if kind in NUMBERS else "word", value) - {person.id})
    name = cells.get("name") or f"{cells.get('first', '')} {cells.get('last', '')}"
    return not others and everyone.find("name", name) == {person.id}


# ---- files that only name somebody


def names(person: Person) -> re.Pattern[str]:
    """Return a regular expression for whole words that name the person: ids, email, and the name in its usual forms."""
    full = spellings(person.first, person.last) if person.first and person.last else []
    words = [person.id, person.login, person.email, *full, *map(loose, full)]
    words += [number for _, number in person.numbers if len(number) >= SHORTEST_NUMBER]
    either = "|".join(re.escape(word) for word in sorted(set(words), key=len, reverse=True) if word)
    return re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])", re.IGNORECASE)


def is_named(path: Path, naming: re.Pattern[str]) -> bool:
    """Return True if the file's name, its text, or the name of a file inside an archive names the person."""
    if naming.search(path.name):
        return True
    if path.suffix.lower() in TEXTS:
        return bool(naming.search(path.read_bytes().decode("utf-8", "replace")))
    return path.suffix.lower() in ARCHIVES and _is_named_inside(path, naming)


def _is_named_inside(path: Path, naming: re.Pattern[str]) -> bool:
    with suppress(Unreadable), opened(path) as entries:
        for entry in entries:
            if naming.search(entry.path):
                return True
            if entry.name.lower().endswith(IN_ARCHIVES) and naming.search(
                entry.read(Budget()).decode("utf-8", "replace")
            ):
                return True
    return False
