"""Where in a student's cell something happened: the line with its number, two lines around it, a mark below.

Everything is cut from the text of the cell, which the judging side has; from where the code ran come three numbers.
"""

import ast
import re
from collections.abc import Collection
from types import TracebackType

from autograder.examine.plain_data import show_text

Place = tuple[int, int, int]  # as of `raised.place`
NOWHERE: Place = (0, 0, 0)
AROUND = 2  # lines before and after
WIDEST = 92  # characters of a line that are shown
MARKED = re.compile(r"^-> +(\d+) \|", re.MULTILINE)
UNDEFINED = re.compile(r"name '(\w+)' is not defined")


def as_place(given: object) -> Place:
    """Return `given` if it has the form of a place, three small ints, else `NOWHERE`."""
    if type(given) is tuple and len(given) == 3 and all(type(n) is int and 0 <= n < 1 << 24 for n in given):
        return given
    return NOWHERE


def as_caught(given: object, longest: int) -> tuple[tuple[str, Place], ...]:
    """Return `given` if it is a tuple of (text, place) pairs, with the texts cut to `longest`, else ()."""
    if type(given) is not tuple or not all(type(each) is tuple and len(each) == 2 for each in given):
        return ()
    return tuple((text[:longest], as_place(place)) for text, place in given if type(text) is str)


def located(source: str, place: Place, message: str) -> Place:
    """Return the place or, if there is none, the place where the code first reads the name that is not defined."""
    undefined = UNDEFINED.search(message)
    return place if place != NOWHERE or undefined is None else place_of_name(source, undefined[1])


def place_of_name(source: str, name: str) -> Place:
    """Return the first place where the code reads a name; strings and attributes do not count.

    >>> place_of_name("text = 'y'\\na.y = y\\n", "y")
    (2, 6, 7)
    """
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return NOWHERE
    places = [
        (node.lineno, node.col_offset, node.end_col_offset or 0)
        for node in nodes
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]
    return min(places, default=NOWHERE)


def excerpt(source: str, place: Place) -> str:
    """Return the line of a cell at a place, with its number, neighboring lines, and a mark below; "" if there is none.

    >>> print(excerpt("def half(n):\\n    return n / none\\n", (2, 15, 19)))
         1 | def half(n):
    ->   2 |     return n / none
                            ^^^^
    """
    lines = source.splitlines()
    number, first, last = place
    if not 1 <= number <= len(lines):
        return ""
    shown = []
    for at in range(max(1, number - AROUND), min(len(lines), number + AROUND) + 1):
        line = show_text(lines[at - 1].replace("\t", "    "), WIDEST)
        shown.append(f"{'->' if at == number else '  '} {at:3} | {line}".rstrip())
        if at == number:
            shown.append(" " * 9 + _mark(lines[at - 1], first, last))
    return "\n".join(line for line in shown if line.strip())


def number_in(excerpt: str) -> int:
    """Return the line number that an excerpt marks, even if the lines themselves contain arrows.

    >>> number_in(excerpt("def half(n) -> int:\\n    return n / none\\n", (2, 15, 19)))
    2
    """
    return int(MARKED.findall(excerpt)[0])


def _mark(line: str, first: int, last: int) -> str:
    """Draw carets below the columns, or below the line's first character; the columns count bytes."""
    text = line.encode("utf-8", "replace")
    if not first < last <= len(text):
        begin = len(line) - len(line.lstrip())
        before, marked = line[:begin], "^"
    else:
        before, marked = (part.decode("utf-8", "replace") for part in (text[:first], text[first:last]))
    return " " * len(before.replace("\t", "    ")) + "^" * len(marked) if len(before) < WIDEST else ""


def line_of(traceback: TracebackType | None, files: Collection[str]) -> tuple[str, Place]:
    """Return (file, place) of the innermost frame of a traceback that is in one of the files, or ("", NOWHERE)."""
    found = "", NOWHERE
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if file in files:
            found = file, (traceback.tb_lineno, 0, 0)
        traceback = traceback.tb_next
    return found


def stopped(source: str, place: Place) -> str:
    """Return a message for an interruption by the user, with the lines around the one that ran."""
    if place == NOWHERE:
        return "stopped before an answer came"
    lines = excerpt(source, place).replace("\n", "\n   ")
    return f"stopped in line {place[0]} of your cell:\n   {lines}"
