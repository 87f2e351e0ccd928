"""A line of a lab's text is at most 120 characters long, outside tables, code and links."""

import re

import pytest

from autograder.author import lab_text

LONGEST = 120
LINK = re.compile(r"\]\([^)]*\)|https?://\S+")


def long_lines(cells):
    """The numbers of the lines of prose that are too long."""
    return [
        cell.line + at
        for cell in cells
        if cell.kind == "markdown"
        for at, line in prose(cell.source)
        if len(LINK.sub("]", line)) > LONGEST
    ]


def prose(source):
    """(number, line) of all lines that are neither in a table nor in a block of code."""
    fenced = False
    for at, line in enumerate(source.split("\n")):
        is_fence = line.lstrip().startswith("```")
        fenced ^= is_fence
        if not (fenced or is_fence or line.lstrip().startswith("|")):
            yield at, line


@pytest.mark.parametrize("lab", lab_text.LABS)
def test_no_line_is_too_long(lab):
    assert long_lines(lab_text.load(lab).cells) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (f"short\n{'x' * 121}", [8]),
        ("x" * 120, []),
        (f"| {'x' * 121} |", []),
        (f"```\n{'x' * 121}\n```\n{'y' * 121}", [10]),
        (f"[a link](https://example.org/{'x' * 121})", []),
    ],
)
def test_long_lines_of_prose_are_found(source, found):
    assert long_lines([lab_text.Cell("markdown", source, {}, 7)]) == found
