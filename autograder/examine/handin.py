"""The form of a submission: names, limits, and the cells of a notebook as plain data.

The student's `submit` command, the collecting of archives and the grader's intake all read a notebook here, so what
one of them takes, the others take too. Nothing in a notebook is believed but the text of its cells.
"""

import base64
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from autograder.examine.answer_text import name_of

FILE = "lab.ipynb"
CLEAR = "clear its outputs (Edit > Clear Outputs of All Cells)"
LARGEST = 10_000_000  # bytes of the notebook, not counting large outputs
LARGEST_FILE = 50_000_000  # bytes of the notebook's file
MOST_CELLS = 1000
LONGEST_CELL = 200_000  # characters
LARGEST_DOCUMENT = 200_000  # bytes
LONGEST_PRINTED = 4000  # characters of a cell's outputs
STUDENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@-]{0,63}")
STUDENT_MEANS = "letters, digits, _ . @ - (64 at most)"
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[^\S\n\t ]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
SURROGATE = re.compile("[\ud800-\udfff]")
PICTURES = {
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
    "image/gif": b"GIF8",
}  # and how they begin
PICTURE_NAME = re.compile(r"[\w.-]{1,100}")
MERGE = re.compile(r"^<{7} ", re.M)  # as git writes it
TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.S)  # of JSON: a string, or a bracket
OPENS = re.compile(rb"\s*:\s*\[")
CELL_DEPTH = 3  # brackets around what a cell has
LEFT_OUT = b'{"text": "%d bytes of output are left out here."}'


class Refused(Exception):
    """The error raised if a submission is not graded; `reason` says what was expected and found, and what to do."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


class Unreadable(Refused):
    """The error raised if a file exists but can't be opened: the student is not at fault, and gets no zero."""


class Cell(NamedTuple):
    """A cell as handed in: its text, and the name in its metadata ("strides-permute-answer", or "").

    `pictures`: of a written answer, those that were pasted into it, by name and kind, as base64.
    `printed`: of a code cell, what its outputs say as text; a claim of the student's, for a person to read.
    """

    kind: str
    source: str
    name: str
    printed: str = ""
    pictures: Mapping[str, Mapping[str, str]] = {}


def parse(data: bytes) -> Any:
    """Return the notebook's JSON data from UTF-8, UTF-16 or UTF-32; drop large outputs of a large notebook.

    Raises:
        Refused: it is not JSON, or too large.
    """
    if len(data) > LARGEST:
        data = without_outputs(data)
    if len(data) > LARGEST:
        said = f"{FILE} has {len(data):,} bytes beside its outputs, {LARGEST:,} are allowed"
        raise Refused(f"{said}: take out large pictures, and cells that are not answers")
    text = ""
    try:
        text = data.decode(json.detect_encoding(data))
        return json.loads(text.removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is no {error.encoding.upper()}"
    except json.JSONDecodeError as error:
        if merge := MERGE.search(text):
            raise Refused(_unmerged(text.count("\n", 0, merge.start()) + 1)) from None
        reason = f"line {error.lineno}: {error.msg}"
    except (RecursionError, MemoryError, ValueError) as error:
        reason = f"{type(error).__name__}: nested too deeply, or too large"
    raise Refused(f"{FILE} is not JSON ({reason}): save the notebook again in JupyterLab and hand that in")


def _unmerged(line: int) -> str:
    return (
        f"{FILE} is not JSON (line {line}: a conflict of git's that is not resolved): take one of the two versions, by "
        f"git checkout --ours {FILE}, or --theirs, look at it in JupyterLab and hand that in"
    )


def without_outputs(data: bytes) -> bytes:
    """Return a notebook's text without outputs that are larger than what is shown of them, otherwise unchanged.

    Read piece by piece: as JSON data a large text would take many times its size.
    """
    kept: list[bytes] = []
    begin = start = depth = 0
    for token in TOKEN.finditer(data):
        sign = data[token.start()]
        if sign in b"[{":
            depth += 1
        elif sign in b"]}":
            depth -= 1
            if start and depth == CELL_DEPTH:
                if token.start() - start > LONGEST_PRINTED:
                    kept += [data[begin:start], LEFT_OUT % (token.start() - start)]
                    begin = token.start()
                start = 0
        elif depth == CELL_DEPTH and token[0] == b'"outputs"' and (opens := OPENS.match(data, token.end())):
            start = opens.end()
    return b"".join([*kept, data[begin:]])


def cells_of(notebook: Any) -> tuple[Cell, ...]:
    """Return the cells of a notebook's JSON data, whatever its contents.

    Raises:
        Refused: it is not a notebook, or too large.
    """
    if type(notebook) is not dict:
        _refuse_shape("an object with a list of cells", notebook)
    version = notebook.get("nbformat")
    if type(version) is not int or version != 4:
        is_old = type(version) is int and version < 4
        remedy = "open it in JupyterLab, which converts it," if is_old else "open it in the course's JupyterLab"
        raise Refused(f"{FILE} has notebook format {ascii(version)[:40]}, expected 4: {remedy} and save it there")
    if type(notebook.get("cells")) is not list:
        _refuse_shape("a list of cells", notebook.get("cells"))
    cells = notebook["cells"]
    if len(cells) > MOST_CELLS:
        raise Refused(f"{FILE} has {len(cells):,} cells, {MOST_CELLS:,} are allowed: remove what is not an answer")
    return tuple(_cell(number, cell) for number, cell in enumerate(cells, 1))


def _cell(number: int, cell: Any) -> Cell:
    if type(cell) is not dict:
        _refuse_shape(f"cell {number} to be an object", cell)
    source = cell.get("source", "")
    if type(source) is list and all(type(line) is str for line in source):
        source = "".join(source)
    if type(source) is not str:
        _refuse_shape(f"the source of cell {number} to be text", source)
    if len(source) > LONGEST_CELL:
        raise Refused(f"cell {number} has {len(source):,} characters, {LONGEST_CELL:,} are allowed: shorten it")
    kind = cell.get("cell_type")
    kind = kind if type(kind) is str else ""
    printed, pictures = (_printed(cell), {}) if kind == "code" else ("", _pictures(cell))
    return Cell(kind, SURROGATE.sub("\ufffd", source), name_of(cell), printed, pictures)


def _pictures(cell: dict) -> dict[str, dict[str, str]]:
    """Return the pictures that a cell holds, of the kinds that run nothing and load nothing: SVG does."""
    attached, found = cell.get("attachments"), {}
    for name, kinds in attached.items() if type(attached) is dict else ():
        for kind, data in kinds.items() if type(kinds) is dict and PICTURE_NAME.fullmatch(name) else ():
            data = "".join(data.split()) if type(data) is str else ""
            try:
                begins = base64.b64decode(data, validate=True)[:8]
            except ValueError:
                continue
            if kind in PICTURES and begins.startswith(PICTURES[kind]):
                found[name] = {kind: data}
    return found


def _refuse_shape(expected: str, got: Any) -> None:
    raise Refused(f"{FILE} is no notebook: expected {expected}, got {type(got).__name__}: save it again in JupyterLab")


def _printed(cell: dict) -> str:
    """Return a code cell's outputs as plain text, cut off where it is too long; pictures and HTML are left out.

    >>> _printed({"outputs": [{"text": ["1\\n", "\\x1b[31m2"]}, {"data": {"text/plain": "3", "text/html": "<b>"}}]})
    '1\\n2\\n3'
    """
    outputs = cell.get("outputs")
    texts = [_text(output) for output in outputs] if type(outputs) is list else []
    said = "\n".join(text.strip("\n") for text in texts if text.strip())
    said = CONTROL.sub("", SURROGATE.sub("\ufffd", said))
    return said if len(said) <= LONGEST_PRINTED else f"{said[:LONGEST_PRINTED]}\n... {len(said):,} characters in all"


def _text(output: Any) -> str:
    if type(output) is not dict:
        return ""
    data = output.get("data")
    text = output.get("text", data.get("text/plain") if type(data) is dict else None)
    if type(text) is list and all(type(line) is str for line in text):
        text = "".join(text)
    return text if type(text) is str else ""
