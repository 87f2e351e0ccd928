"""The notebook that is graded: the released one, with the student's answers in their places.

Cells are matched by name (`strides-permute-answer`), so a submission made from last week's release loses nothing; where
a program has dropped the names, `lost_names.py` finds the cells. Of a cell only its text counts: kind, marks, tags and
outputs are the release's, whatever was handed in. What a cell of the student's own printed is shown as text, to the
person who grades the words about it.
A document that was handed in is shown below its check, and its prose in the reflection that is about it.
"""

import copy
import functools
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode

from autograder.documents import without_comments
from autograder.examine.answer_text import UNANSWERED, is_unwritten, joined, name_of, open_functions, parts_of
from autograder.examine.guess import without_guess
from autograder.examine.handin import FILE, Cell
from autograder.examine.lab_file import EXTRA_POINTS
from autograder.grading.lost_names import is_solution, restored
from autograder.grading.markup import PLAIN, as_typed, safe_markdown

GIVEN = "given-"  # begins the id that the weave gives to prose and given code
EXTRA = "extra-"  # begins the id of a cell that the student added
ROOM = 200_000  # characters of a student's code and Markdown that pages set in colors and type; plain text beyond
MARKDOWN_WEIGHS = 4  # a character of Markdown may become an element of the page, and counts as 4
LONGEST_COLORED = 20_000  # characters of one cell
MOST_EXTRA = 1_000_000  # characters of cells that the student added; the rest stays in what was handed in
MOST_COPIES = 50  # of an answer's cell, each with another text
LONGEST_DOCSTRING = 20_000  # characters that the stub of another release may have more than this one's
LEFT_OUT = "*{cells:,} more cells, with {characters:,} characters, are left out here; they are in what was handed in.*"
PRINTED = "*Its output as handed in; the cell was not run again:*"
DOCUMENT = "document-"  # begins the id of the cell that shows a document


class Rebuilt(NamedTuple):
    """The notebook rebuilt for grading, and the student's answers by solution cell name, None if the cell was deleted.

    `repeated`: names of answers that are on more than one cell; `found`: names of answers that were found without their
    name; `extra`: how many cells the student added or changed.
    """

    notebook: NotebookNode
    answers: dict[str, str | None]
    repeated: tuple[str, ...]
    found: tuple[str, ...]
    extra: int


def released(course: Path, lab: str) -> NotebookNode:
    """Return the released notebook `course/<lab>/lab.ipynb`, which the caller must not modify."""
    path = course / lab / FILE
    return _read(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=2)
def _read(path: Path, _: int) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def rebuild(
    release: NotebookNode, cells: Iterable[Cell], documents: Mapping[str, str] = {}, prose: Mapping[str, str] = {}
) -> Rebuilt:
    """Return the released notebook with the student's answers; the student's other cells stay in order, as plain text.

    Args:
        documents: by name, the text of the files that were handed in.
        prose: by name, the part of a document that a person grades, without the template's own words.
    """
    names = {name_of(cell): cell for cell in release.cells}
    candidates: dict[str, list[str]] = {}
    pictures: dict[str, dict[str, Mapping[str, str]]] = {}
    added: list[tuple[str, Cell]] = []  # after the cell of that name
    place = ""
    cells, found = restored(release, list(cells))
    for cell in cells:
        of_release = names.get(cell.name)
        if of_release is not None:
            place = cell.name
            if is_solution(of_release):
                shown = pictures.setdefault(cell.name, {})
                candidates.setdefault(cell.name, []).append(_with_pictures(cell, shown))
            if is_marked(of_release) or is_same(cell.source, of_release.source):
                continue
        if is_given(cell) or not cell.source.strip():
            continue
        added.append((place, cell))
    answers = {name: answer(cell, candidates.get(name, [])) for name, cell in names.items() if is_solution(cell)}
    extras = _extras(added, ROOM - sum(len(text) for text in answers.values() if text is not None))
    for name, cell in names.items():
        about = cell.metadata.get("document", "")
        if is_solution(cell) and prose.get(about):
            answers[name] = with_prose(cell, answers[name], prose[about])
        elif is_marked(cell) and not is_solution(cell) and about in documents:
            extras.setdefault(name, []).insert(0, document_cell(about, documents[about]))
    notebook = copy.deepcopy(release)
    notebook.cells = [*extras.pop("", []), *_interleaved(notebook.cells, answers, extras, pictures)]
    repeated = tuple(name for name, texts in candidates.items() if len(texts) > 1)
    return Rebuilt(notebook, answers, repeated, found, len(added))


def _with_pictures(cell: Cell, shown: dict[str, Mapping[str, str]]) -> str:
    """Return the text of one part of an answer; add its pictures to `shown`, under another name where one is taken."""
    text = cell.source
    for name, data in cell.pictures.items():
        own = name
        while shown.get(own, data) != data:
            own = f"other-{own}"
        text = text.replace(f"(attachment:{name})", f"(attachment:{own})")
        shown[own] = data
    return text


def is_marked(cell: NotebookNode) -> bool:
    """Return whether nbgrader tracks the cell, because it is an answer or a check."""
    return "nbgrader" in cell.metadata


def is_extra(cell: NotebookNode) -> bool:
    """Return whether the cell checks an optional exercise."""
    return EXTRA_POINTS in cell.metadata


def answer(stub: NotebookNode, texts: list[str]) -> str | None:
    """Merge the texts of cells with one name (see `answer_text.py`); return the stub if unwritten, None without cells.

    Of prose nothing replaces anything: a person reads it all. Of very many cells only the last ones are looked at.
    """
    if not texts:
        return None
    if len(texts) > MOST_COPIES:
        texts = list(dict.fromkeys(reversed(texts)))[:MOST_COPIES][::-1]
    if stub.cell_type == "markdown":
        written = [text for text in dict.fromkeys(texts) if not is_stub(stub, text)]
        return "\n\n".join(written) or stub.source
    places = parts_of(texts, functools.partial(is_stub, stub))
    return joined(texts[place] for place in places) if places else stub.source


def is_stub(stub: NotebookNode, text: str) -> bool:
    """Return whether the answer is unwritten: this release's stub, or another release's with another docstring.

    >>> is_stub(nbformat.v4.new_code_cell('def f(x):\\n    "Is f."\\n    raise NotImplementedError'),
    ...         'def f(x):\\n    "Is not f."\\n    raise NotImplementedError')
    True
    """
    if text.strip() in (stub.source.strip(), UNANSWERED):
        return True
    if len(text) > len(stub.source) + LONGEST_DOCSTRING:
        return False
    return stub.cell_type == "code" and is_unwritten(text, open_functions(stub.source))


def is_same(text: str, given: str) -> bool:
    """Return whether a text is the released one, ignoring a guess above it."""
    return text.strip() == given.strip() or without_guess(text).strip() == without_guess(given).strip()


def is_given(cell: Cell) -> bool:
    """Return whether the cell is unchanged from some release: its id has the digest of its text without the guess."""
    of_text = GIVEN + digest(cell.kind, without_guess(cell.source))
    return cell.name.startswith(GIVEN) and cell.name[: len(GIVEN) + 10] == of_text


def digest(kind: str, source: str) -> str:
    """Return the digest of a given cell's text, which is part of its id."""
    return hashlib.sha256(f"{kind}\n{source}".encode()).hexdigest()[:10]


def _extras(added: list[tuple[str, Cell]], room: int) -> dict[str, list[NotebookNode]]:
    """Return the student's own cells by what they followed; `room`: characters that may be more than plain text."""
    extras: dict[str, list[NotebookNode]] = {}
    shown = weight = 0
    for number, (place, cell) in enumerate(added, 1):
        shown += len(cell.source) + len(cell.printed)
        weight += len(cell.source) * (MARKDOWN_WEIGHS if cell.kind == "markdown" else 1) + len(cell.printed)
        if shown > MOST_EXTRA:
            rest = [len(other.source) + len(other.printed) for _, other in added[number - 1 :]]
            said = LEFT_OUT.format(cells=len(rest), characters=sum(rest))
            extras.setdefault(place, []).append(nbformat.v4.new_markdown_cell(said, id=f"{EXTRA}{number}"))
            break
        extras.setdefault(place, []).extend(extra_cells(cell, number, plain=weight > room))
    return extras


def extra_cells(cell: Cell, number: int, plain: bool = False) -> list[NotebookNode]:
    """Convert a student's own cell to inert cells: sanitized Markdown, or code as text that is never executed.

    What such code printed when the student ran it follows as text: his word for what he measured, which earns no point
    by itself. Pictures and HTML are left out.

    Args:
        plain: nothing of it is set in colors or type.
    """
    name = f"{EXTRA}{number}"
    if cell.kind == "markdown":
        text = as_typed(cell.source) if plain else safe_markdown(cell.source)
        return [nbformat.v4.new_markdown_cell(text, id=name)]
    code = nbformat.v4.new_code_cell(cell.source, id=name)
    if plain or len(cell.source) > LONGEST_COLORED:
        code.metadata[PLAIN] = True
    if not cell.printed:
        return [code]
    return [code, nbformat.v4.new_markdown_cell(f"{PRINTED}\n\n{as_typed(cell.printed)}", id=f"{name}-output")]


def document_cell(name: str, text: str) -> NotebookNode:
    """Return a cell that shows the text of a document."""
    return nbformat.v4.new_markdown_cell(
        safe_markdown(without_comments(text)), id=f"{DOCUMENT}{name.removesuffix('.md')}"
    )


def with_prose(stub: NotebookNode, written: str | None, prose: str) -> str:
    """Return the text that a person grades: the document's prose, followed by the student's text in the notebook."""
    return prose if written is None or is_stub(stub, written) else f"{prose}\n\n{written}"


def _interleaved(
    cells: list[NotebookNode],
    answers: dict[str, str | None],
    extras: dict[str, list[NotebookNode]],
    pictures: Mapping[str, Mapping[str, Mapping[str, str]]],
) -> list[NotebookNode]:
    out: list[NotebookNode] = []
    room = ROOM
    for cell in cells:
        name = name_of(cell)
        text = answers.get(name)
        if text is not None:
            shown = pictures.get(name, {}) if cell.cell_type == "markdown" else {}
            cell.source = text if cell.cell_type == "code" or text == cell.source else safe_markdown(text, shown)
            if shown:
                cell.attachments = {each: dict(data) for each, data in shown.items()}
            room -= len(text)
            if cell.cell_type == "code" and (room < 0 or len(text) > LONGEST_COLORED):
                cell.metadata[PLAIN] = True
        out += [cell, *extras.pop(name, [])]
    return out
