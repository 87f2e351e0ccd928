"""The labs as they are written: `solutions/<lab>/lab.md`, a notebook as text (jupytext md:myst) with three directives.

A code cell with the option `:solution: engine.strides:view_strides` (of a class: the methods that the student
writes, `engine.accessor:TensorAccessor[__getitem__]`) and `:points: 6` is an exercise. A block that begins with
`+++ {"reflect": "stride-zero", "points": 5}` is a reflection: its text is the rubric, its question is above. An
empty code cell with `:document: TRACE.md` and `:points: 8` checks a file that is handed in beside the notebook, whose
template is `solutions/<lab>/TRACE.md`; with `"document": "TRACE.md"` a reflection is about the prose of that file.
Everything else is prose, and code that is given.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from autograder.answer_text import grade_id as grade_id

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = "lab"
SOLUTION = re.compile(r"engine\.(?P<module>\w+(?:\.\w+)*):(?P<qualname>\w+)(?:\[(?P<methods>[\w, ]+)\])?")

DOCUMENT = re.compile(r"[A-Z][A-Z0-9_-]*\.md")


class LabError(ValueError):
    """A lab's text can't be read; the message begins with file and line."""


class Cell(NamedTuple):
    """One cell of a lab's text: `kind` is "markdown", "code" or "raw", `line` its first line, counted from 1."""

    kind: str
    source: str
    metadata: dict
    line: int


class Exercise(NamedTuple):
    """`name` as in `autograder.checks.CHECKS`; `methods` of a class that the student writes, else ()."""

    name: str
    points: int
    methods: tuple[str, ...]
    line: int = 0


class Attached(NamedTuple):
    """A document that is handed in beside the notebook; `name` is its file's, as in `autograder.documents`."""

    name: str
    points: int
    line: int = 0


class Reflection(NamedTuple):
    name: str
    points: int
    line: int = 0


@dataclass(frozen=True)
class Lab:
    """A lab as the course knows it; exercises, reflections and documents in the order of the text."""

    id: str
    number: int
    title: str
    exercises: tuple[Exercise, ...]
    reflections: tuple[Reflection, ...]
    cells: tuple[Cell, ...]
    path: Path
    documents: tuple[Attached, ...] = ()

    @property
    def checked(self) -> list[Exercise | Attached]:
        """All that earns points by machine, in the order of the text."""
        return sorted([*self.exercises, *self.documents], key=lambda part: part.line)

    @property
    def graded(self) -> list[Exercise | Attached | Reflection]:
        """All that earns points, by machine and by hand."""
        return [*self.checked, *self.reflections]

    @property
    def points(self) -> int:
        """Points of the whole lab."""
        return sum(part.points for part in self.graded)


def lab_ids(root: Path = ROOT) -> tuple[str, ...]:
    """Folders of `solutions/` that hold a lab, in order."""
    return tuple(sorted(text.parent.name for text in (root / "solutions").glob("*/lab.md")))


LABS = lab_ids()


def find(name: str, labs: tuple[str, ...] = LABS) -> str:
    """The lab that `name` means: "01-strides", "01" or "1".

    Raises:
        LabError: there is no such lab.
    """
    for lab in labs:
        if name == lab or (name.isdigit() and int(name) == int(lab.split("-")[0])):
            return lab
    raise LabError(f"no lab {name!r}; there are: {', '.join(labs) or 'none'}")


@lru_cache
def load(lab: str, root: Path = ROOT) -> Lab:
    """The lab `lab` ("01-strides") of `root/solutions`.

    Raises:
        LabError: there is no such lab, or its text is malformed: named by file and line.
    """
    path = root / "solutions" / lab / "lab.md"
    if not path.is_file():
        raise LabError(f"{path}: no such lab")
    title, cells = read_cells(path)
    exercises = tuple(_exercise(path, cell) for cell in cells if "solution" in cell.metadata)
    reflections = tuple(_reflection(path, cell) for cell in cells if "reflect" in cell.metadata)
    documents = tuple(_attached(path, cell) for cell in cells if "document" in cell.metadata and cell.kind == "code")
    number = re.match(r"\d+", lab)
    loaded = Lab(lab, int(number[0]) if number else 0, title or lab, exercises, reflections, cells, path, documents)
    seen: dict[str, int] = {}
    for part in loaded.graded:
        if part.name in seen:
            raise LabError(f"{path}:{part.line}: {part.name} is already defined in line {seen[part.name]}")
        seen[part.name] = part.line
    for cell in cells:
        about = cell.metadata.get("document")
        if about is not None and about not in {document.name for document in documents}:
            raise LabError(f"{path}:{cell.line}: there is no code cell with :document: {about}")
    return loaded


def read_cells(path: Path) -> tuple[str, tuple[Cell, ...]]:
    """Title and cells of a text notebook."""
    from jupytext.myst import MystMetadataParsingError, myst_to_notebook  # here, since `make lab` reads no text

    try:
        notebook = myst_to_notebook(path.read_text(encoding="utf-8"), add_source_map=True)
    except MystMetadataParsingError as error:
        raise LabError(f"{path}: {error}") from None
    lines = notebook.metadata.pop("source_map")
    cells = tuple(
        Cell(cell.cell_type, cell.source, dict(cell.metadata), line + (cell.cell_type == "markdown"))
        for cell, line in zip(notebook.cells, lines, strict=True)
    )
    heading = next((re.search(r"^# (.+)$", cell.source, re.M) for cell in cells if cell.kind == "markdown"), None)
    return notebook.metadata.get("title") or (heading[1] if heading else ""), cells


def _exercise(path: Path, cell: Cell) -> Exercise:
    directive = str(cell.metadata["solution"])
    match = SOLUTION.fullmatch(directive)
    if cell.kind != "code" or match is None:
        raise LabError(
            f"{path}:{cell.line}: expected a code cell with :solution: engine.module:name or "
            f"engine.module:Class[method, ...], got {directive!r}"
        )
    methods = tuple(method.strip() for method in (match["methods"] or "").split(",") if method.strip())
    return Exercise(f"{match['module']}.{match['qualname']}", _points(path, cell), methods, cell.line)


def _attached(path: Path, cell: Cell) -> Attached:
    name = str(cell.metadata["document"])
    if cell.source.strip() or not DOCUMENT.fullmatch(name):
        raise LabError(f"{path}:{cell.line}: expected an empty code cell with :document: NAME.md, got {name!r}")
    if not path.with_name(name).is_file():
        raise LabError(f"{path}:{cell.line}: the template of {name} is missing: expected {path.with_name(name)}")
    return Attached(name, _points(path, cell), cell.line)


def _reflection(path: Path, cell: Cell) -> Reflection:
    name = str(cell.metadata["reflect"])
    if cell.kind != "markdown" or not re.fullmatch(r"[\w-]+", name):
        raise LabError(f'{path}:{cell.line}: expected a block +++ {{"reflect": "a-name", "points": 5}}, got {name!r}')
    return Reflection(name, _points(path, cell), cell.line)


def _points(path: Path, cell: Cell) -> int:
    points = cell.metadata.get("points")
    if type(points) is not int or points < 1:
        raise LabError(f"{path}:{cell.line}: expected points: a positive whole number, got {points!r}")
    return points
