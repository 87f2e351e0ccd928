"""A document against the rows that the reference engine gives now: points by aspect, and the first wrong line."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from autograder.documents.checked_document import Aspect, Document, Rows
from autograder.documents.reader import Malformed, Row, Table, read
from autograder.examine.plain_data import show_text
from autograder.examine.verdict import RIGHT, WRONG, AspectResult, ExerciseResult, Failure

MISSING = "{} was not handed in: it belongs beside the notebook"
EMPTY = "not written yet: no row of its tables is filled in"


class _Finding(NamedTuple):
    """An expected row, None for a surplus row, and the student's row matched with it, None if it is missing.

    `counts`: how many rows of the table are expected, and how many there are. `is_after_gap`: the table has too few
    rows, and this one is expected further down. `is_turned`: the table has the right rows, from the last to the first.
    """

    table: str
    counts: tuple[int, int]
    line: int
    number: int
    wanted: dict[str, str] | None
    got: dict[str, str] | None
    is_after_gap: bool = False
    is_turned: bool = False


def judge(document: Document, text: str | None, expected: Mapping[str, Rows] | None = None) -> ExerciseResult:
    """Judge a document, and return the verdict.

    Args:
        text: None if it was not handed in.
        expected: the right rows by heading, where they are known already.
    """
    if text is None:
        return _nothing(document, MISSING.format(document.name))
    right = document.expected() if expected is None else expected
    try:
        tables = read(text, right, document.columns)
    except Malformed as malformed:
        return _nothing(document, f"{document.name}, {show_text(str(malformed))}")
    if not any(table.rows for table in tables.values()):
        return _nothing(document, EMPTY)
    aspects = tuple(_judge_aspect(document, aspect, tables, right) for aspect in document.aspects)
    points = sum(aspect.points for aspect in aspects)
    return ExerciseResult(
        document.name, RIGHT if points == document.points else WRONG, points, document.points, aspects
    )


def _nothing(document: Document, message: str) -> ExerciseResult:
    return ExerciseResult(document.name, WRONG, 0, document.points, message=message)


def _judge_aspect(
    document: Document, aspect: Aspect, tables: Mapping[str, Table], right: Mapping[str, Rows]
) -> AspectResult:
    passed, count, failure = 0, 0, None
    for heading, rows in right.items():
        wanted = [dict(zip(document.columns, row, strict=True)) for row in rows]
        pairs = _in_order if aspect.in_order else _matched
        for finding in pairs(document, heading, tables[heading], wanted):
            count += 1
            wrong = _wrong_column(aspect, finding)
            passed += wrong is None
            if wrong is not None and failure is None:
                failure = _failure(document, aspect, finding, wrong)
    return AspectResult(aspect.name, aspect.points if passed == count else 0, aspect.points, passed, count, failure)


def _plain(document: Document, row: Row) -> dict[str, str]:
    """Return the cells of a row by column, in the form of the expected ones."""
    cells = zip(document.columns, row.cells, strict=True)
    return {column: document.plain.get(column, str)(cell) for column, cell in cells}


def _in_order(document: Document, heading: str, table: Table, wanted: list[dict[str, str]]) -> Iterator[_Finding]:
    """Yield a finding for each row; one too many, or one too few, is a finding too."""
    all_got = [_plain(document, row) for row in table.rows]
    is_turned = all_got != wanted and _known(document, all_got) == _known(document, wanted[::-1])
    for at in range(max(len(wanted), len(table.rows))):
        row = table.rows[at] if at < len(table.rows) else None
        got = _plain(document, row) if row else None
        line = row.line if row else table.line
        counts = len(wanted), len(table.rows)
        is_after_gap = counts[1] < counts[0] and _is_about_one_of(document, got, wanted[at + 1 :])
        right = wanted[at] if at < len(wanted) else None
        yield _Finding(heading, counts, line, at + 1, right, got, is_after_gap, is_turned)


def _known(document: Document, rows: list[dict[str, str]]) -> list[list[str]]:
    """Return the cells that tell one row from another."""
    return [[row[column].casefold() for column in document.known_by] for row in rows]


def _is_about_one_of(document: Document, got: dict[str, str] | None, rows: list[dict[str, str]]) -> bool:
    """Return whether a row is there, and about the same as one of these."""
    return got is not None and any(all(row[column] == got[column] for column in document.known_by) for row in rows)


def _matched(document: Document, heading: str, table: Table, wanted: list[dict[str, str]]) -> Iterator[_Finding]:
    """Yield a finding for each expected row: with the row about the same thing, or else the next row left over."""
    rest = [(row.line, _plain(document, row)) for row in table.rows]
    taken: list[tuple[int, dict[str, str]] | None] = []
    for row in wanted:
        same = next((one for one in rest if all(one[1][column] == row[column] for column in document.known_by)), None)
        if same is not None:
            rest.remove(same)
        taken.append(same)
    left = iter(rest)
    for number, (row, found) in enumerate(zip(wanted, taken, strict=True), 1):
        line, got = found or next(left, None) or (table.line, None)
        yield _Finding(heading, (len(wanted), len(table.rows)), line, number, row, got)


def _wrong_column(aspect: Aspect, finding: _Finding) -> str | None:
    """Return the first column of the aspect that is not right, None if all are."""
    wanted, got = finding.wanted, finding.got
    if wanted is None or got is None:
        return aspect.columns[0]
    return next((column for column in aspect.columns if wanted[column].casefold() != got[column].casefold()), None)


def _failure(document: Document, aspect: Aspect, finding: _Finding, column: str) -> Failure:
    """Say what is wrong in a line, without the right answer: the student looks that up where the hint says."""
    place = f"line {finding.line}"
    wanted_rows, rows = (f"{count} rows" for count in finding.counts)
    if finding.got is None:
        missing = aspect.hint if aspect.in_order else f"a row is missing, and with it its {column}: {aspect.hint}"
        return Failure(f"`{finding.table}`", wanted_rows, rows, missing, place)
    about = " ".join(finding.got[known] for known in document.known_by)
    case = f"`{finding.table}`, row {finding.number}: {show_text(about) or 'empty'}"
    if said := next((document.left_out[cell] for cell in finding.got.values() if cell in document.left_out), ""):
        return Failure(case, "no such row", show_text(about), said, place)
    if finding.wanted is None:
        return Failure(case, wanted_rows, rows, aspect.hint, place)
    if finding.is_after_gap:
        return Failure(case, f"another row before this one, {wanted_rows} in all", rows, aspect.hint, place)
    got = show_text(finding.got[column]) or "an empty cell"
    words = document.words.get(column)
    if words and finding.got[column].casefold() not in (word.casefold() for word in words):
        return Failure(case, f"{column}: one of {', '.join(words)}", got, "", place)
    said = aspect.turned if finding.is_turned and aspect.turned else aspect.hint
    return Failure(case, f"another {column}", got, said, place)


def solved(document: Document, template: str) -> str:
    """Return the template with the right rows in its tables, as the reference hands it in."""
    lines = template.split("\n")
    for heading, rows in document.expected().items():
        table = read("\n".join(lines), [heading], document.columns)[heading]
        head = next(at for at in range(table.line, len(lines)) if lines[at].startswith("|"))
        end = next((at for at in range(head, len(lines)) if not lines[at].startswith("|")), len(lines))
        lines[head + 2 : end] = ["| " + " | ".join(f"`{cell}`" for cell in row) + " |" for row in rows]
    return "\n".join(lines)
