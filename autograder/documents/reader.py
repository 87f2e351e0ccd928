"""Tables out of a Markdown text, or the line at which it is malformed and what was expected there."""

import html
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

MOST_ROWS = 200
LONGEST_CELL = 300  # characters; what comes after them is not looked at
HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*)$")
COMMENT = re.compile(r"<!--.*?(-->\n?|\Z)", re.S)
FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
RULE = re.compile(r"\s*:?-+:?\s*")


class Malformed(Exception):
    """The error raised if the text can't be parsed; the message begins with the line number, counted from 1."""

    def __init__(self, line: int, said: str):
        super().__init__(f"line {line}: {said}")
        self.line = line


class Row(NamedTuple):
    """A row of a table: its line number, and the text of its cells without Markdown markup."""

    line: int
    cells: tuple[str, ...]


class Table(NamedTuple):
    """The table under a heading; `line` is the line of the heading."""

    line: int
    rows: tuple[Row, ...]


class _Line(NamedTuple):
    number: int
    text: str


def read(text: str, headings: Iterable[str], columns: Sequence[str]) -> dict[str, Table]:
    """Parse the table under each of the headings, all with these columns. Empty rows are left out.

    Raises:
        Malformed: a heading is missing or occurs twice, no table follows it, or a line of a table is none of a table
            with these columns.
    """
    lines = _visible(text)
    found: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        if match := HEADING.match(line.text):
            found.setdefault(_folded(match[2]), []).append(at)
    tables = {}
    for heading in headings:
        places = found.get(_folded(heading), [])
        if not places:
            last = lines[-1].number if lines else 1
            others = ", ".join(f"`{other}`" for other in list(found)[:9]) or "none"
            raise Malformed(last, f"the text ends without the heading `## {heading}`; its headings are: {others}")
        if len(places) > 1:
            first, second = (lines[place].number for place in places[:2])
            raise Malformed(second, f"the heading `## {heading}` stands in line {first} already")
        begin = places[0]
        rest = range(begin + 1, len(lines))
        end = next((at for at in rest if HEADING.match(lines[at].text)), len(lines))
        tables[heading] = Table(lines[begin].number, _rows(lines[begin:end], columns))
    return tables


def section(text: str, heading: str) -> str:
    """Return the text under a heading, up to the next one at least as high; "" if there is no such heading."""
    taken: list[str] = []
    level = 0
    hidden = {line.number for line in _visible(text)}
    for number, line in enumerate(text.splitlines(), 1):
        found = HEADING.match(line) if number in hidden else None
        if found and level and len(found[1]) <= level:
            break
        if level:
            taken.append(line)
        elif found and _folded(found[2]) == _folded(heading):
            level = len(found[1])
    return without_comments("\n".join(taken)).strip()


def without_comments(text: str) -> str:
    """Return the text without HTML comments, as a page shows it."""
    return COMMENT.sub("", text)


def _visible(text: str) -> list[_Line]:
    """Return the lines with their numbers, without comments and without blocks of code."""
    without = COMMENT.sub(lambda comment: re.sub(r"[^\n]", "", comment[0]), text)
    lines: list[_Line] = []
    fence = ""
    for number, line in enumerate(without.lstrip("\ufeff").splitlines(), 1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = ""
            continue
        if mark:
            fence = mark[1]
            continue
        lines.append(_Line(number, line))
    return lines


def _rows(lines: Sequence[_Line], columns: Sequence[str]) -> tuple[Row, ...]:
    """Return the rows of the one table in the lines of a section, the first of which is its heading."""
    wanted = "| " + " | ".join(columns) + " |"
    begin = next((at for at, line in enumerate(lines) if line.text.lstrip().startswith("|")), None)
    if begin is None:
        raise Malformed(lines[0].number, f"expected a table below this heading, beginning with `{wanted}`")
    head = lines[begin]
    if [_folded(cell) for cell in _cells(head.text)] != [_folded(column) for column in columns]:
        raise Malformed(head.number, f"expected the columns `{wanted}`, got `{head.text.strip()[:80]}`")
    rule = lines[begin + 1] if begin + 1 < len(lines) else _Line(head.number + 1, "")
    marks = rule.text.strip().strip("|").split("|")
    if len(marks) != len(columns) or not all(RULE.fullmatch(mark) for mark in marks):
        raise Malformed(rule.number, f"expected `|{'---|' * len(columns)}` below the names of the columns")
    rows: list[Row] = []
    is_over = False
    for line in lines[begin + 2 :]:
        text = line.text.strip()
        if not text:
            is_over = True
        elif is_over and text.startswith("|"):
            raise Malformed(line.number, "a row after the end of the table: remove the empty line before it")
        elif not is_over:
            cells = _cells(text)
            if not text.startswith("|") or len(cells) != len(columns):
                said = f"expected a row of {len(columns)} cells, `{wanted}`, got {len(cells)}: `{text[:60]}`"
                raise Malformed(line.number, said if text.startswith("|") else f"{said} (end a table by an empty line)")
            if any(cells):
                rows.append(Row(line.number, cells))
            if len(rows) > MOST_ROWS:
                raise Malformed(line.number, f"more than {MOST_ROWS} rows")
    return tuple(rows)


def _cells(row: str) -> tuple[str, ...]:
    """Return the cells of a row; `\\|` is a bar inside a cell.

    >>> _cells("| `aten::add.Tensor` | **CPU** | a\\\\|b |  |")
    ('aten::add.Tensor', 'CPU', 'a|b', '')
    """
    inside = re.sub(r"(?<!\\)\|$", "", row.strip().removeprefix("|"))
    return tuple(_bare(cell) for cell in re.split(r"(?<!\\)\|", inside))


def _bare(cell: str) -> str:
    """Return a cell's text without what only sets it in another type."""
    text = re.sub(r"\\([^A-Za-z0-9\s])", r"\1", html.unescape(cell.strip()[:LONGEST_CELL].replace("`", ""))).strip()
    return text.strip("*").strip()


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", _bare(text.rstrip().rstrip("#"))).casefold()
