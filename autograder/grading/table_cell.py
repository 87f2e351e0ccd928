"""Cells of the tables that we write: text in every spreadsheet, whichever character it takes for a separator.

A program that splits a line at semicolons makes two cells of `x;=1+1`, in quotes or not; so what follows a separator
inside a text is guarded like its beginning.
"""

import re
from typing import Any

BEGINS = r"(^|[,;|\t\r\n])"  # a cell, in some program
RUNS = r"""[\s"'\u2018-\u201f\u200b\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20\u2212]|[\t\r\n]"""  # as a formula, or may
NUMBER = r" *[+-]?\d+(?:[.,]\d+)? *(?:[,;|\t\r\n]|$)"
FORMULA = re.compile(f"{BEGINS}(?!{NUMBER})(?={RUNS})")
GUARDED = re.compile(f"{BEGINS}'(?={RUNS})")


def guarded(value: Any) -> Any:
    """Return what to write for `value`: "" for None, and in a text an apostrophe before whatever would be a formula.

    Numbers stay as they are, also those in a text. A carriage return becomes the end of a line.

    >>> [guarded(value) for value in ("=1+1", "Ada;=1+1", "-1.5", -1.5, "half-life", None)]
    ["'=1+1", "Ada;'=1+1", '-1.5', -1.5, 'half-life', '']
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        return value
    return FORMULA.sub(r"\1'", re.sub(r"\r\n?", "\n", value))  # Python's writer puts no quotes around \r


def unguarded(text: str) -> str:
    """Return the text that `guarded` has written as `text`.

    >>> unguarded(guarded("x; @sum(1)"))
    'x; @sum(1)'
    """
    return GUARDED.sub(r"\1", text)
