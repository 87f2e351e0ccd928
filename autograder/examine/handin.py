"""The form of a submission: names, limits, and the cells of a notebook as plain data.

The student's `submit` command, the collecting of archives and the grader's intake all read a notebook here, so what
one of them takes, the others take too. Nothing in a notebook is believed but the text of its cells.
"""

import json
import re
from typing import Any, NamedTuple

from autograder.examine.answer_text import name_of

FILE = "lab.ipynb"
CLEAR = "clear its outputs (Edit > Clear Outputs of All Cells)"
LARGEST = 10_000_000  # bytes of the notebook
MOST_CELLS = 1000
LONGEST_CELL = 200_000  # characters
LARGEST_DOCUMENT = 200_000  # bytes
LONGEST_PRINTED = 4000  # characters of a cell's outputs
STUDENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@-]{0,63}")
STUDENT_MEANS = "letters, digits, _ . @ - (64 at most)"
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[^\S\n\t ]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
SURROGATE = re.compile("[\ud800-\udfff]")


class Refused(Exception):
    """The submission is not graded; `reason` says what was expected, what was found and what to do."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


class Cell(NamedTuple):
    """A cell as handed in: its text, and the name it claims ("strides-permute-answer", or "").

    `printed`: of a code cell, what its outputs say as text; a claim of the student's, for a person to read.
    """

    kind: str
    source: str
    name: str
    printed: str = ""


def parse(data: bytes) -> Any:
    """The notebook's JSON data.

    Raises:
        Refused: it is not JSON.
    """
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is no UTF-8"
    except json.JSONDecodeError as error:
        reason = f"line {error.lineno}: {error.msg}"
    except (RecursionError, MemoryError, ValueError) as error:
        reason = f"{type(error).__name__}: nested too deeply, or too large"
    raise Refused(f"{FILE} is not JSON ({reason}): save the notebook again in JupyterLab and hand that in")


def cells_of(notebook: Any) -> tuple[Cell, ...]:
    """The cells of a notebook's JSON data, whatever is in it.

    Raises:
        Refused: it is not a notebook, or too large.
    """
    if type(notebook) is not dict or type(notebook.get("cells")) is not list:
        _refuse_shape("an object with a list of cells", notebook)
    version = notebook.get("nbformat")
    if type(version) is not int or version != 4:
        raise Refused(f"{FILE} has notebook format {ascii(version)[:40]}, expected 4: save it again in JupyterLab")
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
    return Cell(kind, SURROGATE.sub("\ufffd", source), name_of(cell), _printed(cell) if kind == "code" else "")


def _refuse_shape(expected: str, got: Any) -> None:
    raise Refused(f"{FILE} is no notebook: expected {expected}, got {type(got).__name__}: save it again in JupyterLab")


def _printed(cell: dict) -> str:
    """A code cell's outputs as plain text, cut off where it is too long; pictures and HTML are left out.

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
