"""An error as plain data: its type, a sentence, and where in the exercise's own text it came up."""

import builtins
import itertools
import re
import types

NOWHERE = (0, 0, 0)
MOST_FRAMES, MOST_CAUSES, MOST_CAUGHT, LONGEST_TEXT = 5000, 8, 32, 100_000
NUMBAS_HEAD = re.compile(r"Failed in \w+ mode pipeline \(step: [^)\n]*\)\n")
NUMBAS_ENDS = re.compile(r'\n\s*(?:File "|During: |There (?:are|is) \d|$)')
NO_IMPLEMENTATION = re.compile(r"No implementation of function .*? found for signature:\s*>>> (.+)")
REASON = re.compile(r"raised a specific error:\s*(?:\w+Error: )?([^\n]+)")
OF_ERRORS = vars(BaseException)  # a student's class may have other attributes of these names

exercise = ""  # asked about now
caught: tuple[str, tuple[int, int, int]] = ("", NOWHERE)  # text and place of the error that a probe caught last
earlier: list[tuple[str, tuple[int, int, int]]] = []  # of those that it caught before


def begin(name: str) -> None:
    """Start to look for error places in the text of the exercise `name`."""
    global exercise, caught
    exercise, caught = name, ("", NOWHERE)
    earlier.clear()


def type_name(error: BaseException) -> str:
    """Return the exact name of the error's type, with its module unless it is a builtin.

    So a class of a student's that is called IndexError is not taken for IndexError.
    Probes that catch an error ask for its name, so its text and place are kept here as well.
    """
    global caught
    kind = type(error)
    name = str(kind.__name__)
    name = name if getattr(builtins, name, None) is kind else f"{kind.__module__}.{name}"
    if caught[0] and len(earlier) < MOST_CAUGHT:
        earlier.append(caught)
    caught = f"{name}: {message(error)}", place(error)
    return name


def leave(text: str) -> None:
    """Keep a text to show beside a wrong value (`Check.makes`), or a probe's finding.

    A finding is for a `Mistake` to look for, in the message of the observation.
    """
    global caught
    caught = text, NOWHERE


def message(error: BaseException, limit: int = 500) -> str:
    """Return at most `limit` characters of the error's text, "" if it is unreadable; only one sentence of numba's."""
    return _sentence(_text(error))[:limit]


def _text(error: BaseException) -> str:
    try:
        # A student's __str__ may raise, or return a subclass of str, which is not plain data.
        return str.__getitem__(str(error), slice(LONGEST_TEXT))
    except Exception:
        return ""


def _sentence(text: str) -> str:
    """Return the sentence of numba's long report that says what is wrong; any other text as it is.

    >>> _sentence('Failed in nopython mode pipeline (step: nopython frontend)\\nUnknown attribute \\'x\\' of type int64'
    ...           '\\n\\nFile "cell.py", line 3:\\n    a.x\\n    ^\\n')
    "Unknown attribute 'x' of type int64"
    """
    head = NUMBAS_HEAD.search(text)
    if head is None:
        return text
    before, said = text[: head.start()], text[head.end() :]
    if nested := NUMBAS_HEAD.match(said):
        said = said[nested.end() :]
    missing, reason = NO_IMPLEMENTATION.match(said), REASON.search(said)
    if missing:
        said = f"there is no {missing[1]} in compiled code" + (f": {reason[1]}" if reason else "")
    return before + " ".join(NUMBAS_ENDS.split(said, maxsplit=1)[0].split())


def place(error: BaseException) -> tuple[int, int, int]:
    """Return (line, first column, column after the last) of an error in the exercise's text, or `NOWHERE`.

    Lines count from 1, columns from 0 in bytes of UTF-8; 0 and 0 where only the line is known.
    The innermost frame of the text counts, of the error or else of what caused it; where numba compiles, its report.
    """
    file = f"<{exercise}>"
    seen: BaseException | None = error
    for _ in range(MOST_CAUSES):
        if seen is None:
            break
        traceback = OF_ERRORS["__traceback__"].__get__(seen)
        if (found := _place_in(traceback, file)) != NOWHERE:
            return found
        seen = OF_ERRORS["__cause__"].__get__(seen) or OF_ERRORS["__context__"].__get__(seen)
    if issubclass(type(error), SyntaxError):
        return NOWHERE  # it names a line of the text that was compiled
    line = re.search(rf'(?:{re.escape(file)}(?:", line |:| \()|, line )(\d{{1,7}})', _text(error))
    return (int(line[1]), 0, 0) if line else NOWHERE


def _place_in(traceback: types.TracebackType | None, file: str) -> tuple[int, int, int]:
    found = NOWHERE
    for _ in range(MOST_FRAMES):
        if traceback is None:
            break
        code = traceback.tb_frame.f_code
        if code.co_filename == file:
            found = (traceback.tb_lineno, *_columns(code, traceback.tb_lasti, traceback.tb_lineno))
        traceback = traceback.tb_next
    return found


def _columns(code: types.CodeType, instruction: int, line: int) -> tuple[int, int]:
    """Return the columns of an instruction, (0, 0) where they are unknown or in several lines."""
    positions = next(itertools.islice(code.co_positions(), instruction // 2, None), (None,) * 4)
    first_line, last_line, first, last = positions
    if first_line != line or last_line != line or first is None or last is None:
        return 0, 0
    return first, last
