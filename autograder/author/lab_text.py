"""The labs as they are written: `solutions/<lab>/lab.md`, a notebook as text (jupytext md:myst) with three directives.

A code cell with the option `:solution: engine.strides:view_strides` (of a class: the methods that the student
writes, `engine.accessor:TensorAccessor[__getitem__]`) is an exercise; with `:optional: true` its points are extra, with
`:empty: true` the student begins with an empty cell. `:solution: tiny_tensor:name` is a function of lab 0's own file,
`solutions/00-tensor/tiny_tensor.py`.
A block that begins with `+++ {"reflect": "stride-zero", "points": 5}` is a reflection: its text is the rubric, its
question is above. An empty code cell with `:document: TRACE.md` checks a file that is handed in beside the notebook,
whose template is `solutions/<lab>/TRACE.md`; with `"document": "TRACE.md"` a reflection is about the prose of that
file. The checks of exercises and documents hold their points; `stated_points.py` writes them into the prose.
Everything else is prose, and code that is given.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

from autograder import labs
from autograder.examine.answer_text import grade_id as grade_id
from autograder.examine.lab_file import Attached, Exercise, Lab, Part, Reflection
from autograder.labs import number_of

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = "lab"
SOLUTION = re.compile(
    r"(?:engine\.(?P<module>\w+(?:\.\w+)*)|(?P<file>tiny_tensor)):(?P<qualname>\w+)(?:\[(?P<methods>[\w, ]+)\])?"
)

HEADING = re.compile(r"^## (.+)$", re.M)
DOCUMENT = re.compile(r"[A-Z][A-Z0-9_-]*\.md")


class LabError(ValueError):
    """A lab's text can't be read; the message begins with the file and line."""


class HasPoints(Protocol):
    """An aspect of a check or of a document: anything with a name and points."""

    @property
    def name(self) -> str: ...
    @property
    def points(self) -> int: ...


class Cell(NamedTuple):
    """One cell of a lab's text: `kind` is "markdown", "code" or "raw", and `line` its first line's number, from 1."""

    kind: str
    source: str
    metadata: dict
    line: int


@dataclass(frozen=True)
class LabText(Lab):
    """A lab as its author wrote it; `number` is its short number, such as "1"."""

    number: str
    cells: tuple[Cell, ...]
    path: Path

    @property
    def is_from_scratch(self) -> bool:
        """True if students begin with empty cells and the notebook is one program that grows from top to bottom."""
        return any(cell.metadata.get("empty") for cell in self.cells)


def lab_ids(root: Path = ROOT) -> tuple[str, ...]:
    """Return the names of the folders in `solutions/` that contain a lab, sorted."""
    return tuple(sorted(text.parent.name for text in (root / "solutions").glob("*/lab.md")))


LABS = lab_ids()


def find(name: str, labs: tuple[str, ...] = LABS) -> str:
    """Return the lab that `name` refers to: "01-strides", "01" or "1".

    Raises:
        LabError: there is no such lab.
    """
    for lab in labs:
        if name == lab or number_of(name) == number_of(lab):
            return lab
    raise LabError(f"no lab {name!r}; there are: {', '.join(labs) or 'none'}")


@lru_cache
def load(lab: str, root: Path = ROOT) -> LabText:
    """Load the lab `lab` ("01-strides") from `root/solutions`.

    Raises:
        LabError: there is no such lab, or its text is malformed: named by file and line.
    """
    path = root / "solutions" / lab / "lab.md"
    if not path.is_file():
        raise LabError(f"{path}: no such lab")
    title, cells = read_cells(path)
    parts: list[Part] = []
    heading = ""
    for cell in cells:
        if cell.kind == "markdown" and "reflect" not in cell.metadata:
            heading = next(reversed(HEADING.findall(cell.source)), heading)
        elif "solution" in cell.metadata:
            parts.append(_exercise(path, cell, heading))
        elif "reflect" in cell.metadata:
            parts.append(_reflection(path, cell))
        elif "document" in cell.metadata and cell.kind == "code":
            parts.append(_attached(path, cell, lab))
    loaded = LabText(lab, title or lab, tuple(parts), number_of(lab), cells, path)
    seen: dict[str, int] = {}
    for part in parts:
        if part.name in seen:
            raise LabError(f"{path}:{part.line}: {part.name} is already defined in line {seen[part.name]}")
        seen[part.name] = part.line
    for cell in cells:
        about = cell.metadata.get("document")
        if about is not None and about not in {document.name for document in loaded.documents}:
            raise LabError(f"{path}:{cell.line}: there is no code cell with :document: {about}")
    return loaded


def read_cells(path: Path) -> tuple[str, tuple[Cell, ...]]:
    """Read the title and the cells of a text notebook."""
    return _cells_of(path.read_text(encoding="utf-8"), path)


@lru_cache
def _cells_of(text: str, path: Path) -> tuple[str, tuple[Cell, ...]]:
    from jupytext.myst import MystMetadataParsingError, myst_to_notebook  # here, since `make lab` reads no text

    try:
        notebook = myst_to_notebook(text, add_source_map=True)
    except MystMetadataParsingError as error:
        raise LabError(f"{path}: {error}") from None
    lines = notebook.metadata.pop("source_map")
    cells = tuple(
        Cell(cell.cell_type, cell.source, dict(cell.metadata), line + (cell.cell_type == "markdown"))
        for cell, line in zip(notebook.cells, lines, strict=True)
    )
    heading = next((re.search(r"^# (.+)$", cell.source, re.M) for cell in cells if cell.kind == "markdown"), None)
    return notebook.metadata.get("title") or (heading[1] if heading else ""), cells


def _exercise(path: Path, cell: Cell, heading: str) -> Exercise:
    directive = str(cell.metadata["solution"])
    match = SOLUTION.fullmatch(directive)
    if cell.kind != "code" or match is None:
        raise LabError(
            f"{path}:{cell.line}: expected a code cell with :solution: engine.module:name, "
            f"engine.module:Class[method, ...] or tiny_tensor:name, got {directive!r}"
        )
    name = f"{match['module'] or match['file']}.{match['qualname']}"
    if name not in labs.CHECKS:
        raise LabError(f"{path}:{cell.line}: unknown exercise {name}: it has no check in autograder/labs/")
    aspects = _aspects(path, cell, labs.CHECKS[name].aspects)
    methods = tuple(method.strip() for method in (match["methods"] or "").split(",") if method.strip())
    for option in ("optional", "empty"):
        if type(cell.metadata.get(option, False)) is not bool:
            raise LabError(f"{path}:{cell.line}: expected :{option}: true or false, got {cell.metadata[option]!r}")
    optional = cell.metadata.get("optional", False)
    return Exercise(name, sum(aspects.values()), methods, aspects, heading, optional, cell.line)


def _attached(path: Path, cell: Cell, lab: str) -> Attached:
    from autograder import documents  # here, since `make lab` reads no text

    name = str(cell.metadata["document"])
    if cell.source.strip() or not DOCUMENT.fullmatch(name):
        raise LabError(f"{path}:{cell.line}: expected an empty code cell with :document: NAME.md, got {name!r}")
    if not path.with_name(name).is_file():
        raise LabError(f"{path}:{cell.line}: the template of {name} is missing: expected {path.with_name(name)}")
    if name not in documents.of_lab(lab):
        raise LabError(f"{path}:{cell.line}: unknown document {name} of {lab}: it has no check in autograder/labs/")
    aspects = _aspects(path, cell, documents.of_lab(lab)[name].aspects)
    return Attached(name, sum(aspects.values()), aspects, cell.line)


def _reflection(path: Path, cell: Cell) -> Reflection:
    name, points = str(cell.metadata["reflect"]), cell.metadata.get("points")
    if cell.kind != "markdown" or not re.fullmatch(r"[\w-]+", name):
        raise LabError(f'{path}:{cell.line}: expected a block +++ {{"reflect": "a-name", "points": 5}}, got {name!r}')
    if type(points) is not int or points < 1:
        raise LabError(f"{path}:{cell.line}: expected points: a positive whole number, got {points!r}")
    return Reflection(name, points, str(cell.metadata.get("document", "")), cell.line)


def _aspects(path: Path, cell: Cell, aspects: Iterable[HasPoints]) -> dict[str, int]:
    if "points" in cell.metadata:
        raise LabError(f"{path}:{cell.line}: the check holds the points, aspect by aspect: remove :points: here")
    return {aspect.name: aspect.points for aspect in aspects}
