"""A lab enters nbgrader's gradebook, and a lab that has changed does: nothing that a person gave is removed.

nbgrader's own step (SaveCells) refuses a lab that gained or lost a cell after something was handed in. Here the rows
change in one transaction: a new cell gets an empty grade in every submission, and what a person gave for a cell that
is gone is set aside in the table `set_aside` of the same database. It comes back if the cell does. Before rows of
submissions change, the gradebook is copied to `autograder/backups/`.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    GradeCell,
    Notebook,
    SolutionCell,
    SourceCell,
    SubmittedNotebook,
)
from nbgrader.converters.base import NbGraderException
from sqlalchemy import and_

from autograder.author import weave
from autograder.author.course_config import STEPS, gradebook_url
from autograder.author.lab_text import NOTEBOOK, LabText
from autograder.examine.answer_text import name_of
from autograder.grading import database_copy, extra_credit, gradebook
from autograder.grading.gradebook import GradebookError
from autograder.grading.lock import only_writer
from autograder.grading.own_tables import SET_ASIDE
from autograder.grading.rebuild import is_extra, released
from autograder.labs import CHECKS

BY_HAND = {Grade: ("manual_score", "extra_credit"), Comment: ("manual_comment",)}  # what only a person writes
Fields = dict[str, Any]
Kind = type[Grade] | type[Comment]


class Cells(NamedTuple):
    """The gradebook's rows for a notebook's cells, by name; `extra` holds the check cells of optional exercises."""

    grade: dict[str, Fields]
    solution: dict[str, Fields]
    source: dict[str, Fields]
    extra: set[str]


def cells_of(notebook: NotebookNode) -> Cells:
    """Return a released notebook's cells in the form in which nbgrader's SaveCells enters them."""
    cells = Cells({}, {}, {}, {name_of(cell) for cell in notebook.cells if is_extra(cell)})
    for cell in (cell for cell in notebook.cells if "nbgrader" in cell.metadata):
        marks, name = cell.metadata.nbgrader, cell.metadata.nbgrader.grade_id
        if utils.is_grade(cell):
            cells.grade[name] = {"max_score": float(marks.points), "cell_type": cell.cell_type}
        if utils.is_solution(cell):
            cells.solution[name] = {}
        cells.source[name] = {
            "cell_type": cell.cell_type,
            "locked": utils.is_locked(cell),
            "source": cell.source,
            "checksum": marks.get("checksum"),
        }
    return cells


def release(lab: LabText, root: Path) -> list[str]:
    """Weave the lab and enter it into the gradebook; if either fails, do neither.

    Returns:
        what an instructor should read about the change of a lab that was graded before.
    Raises:
        GradebookError: nbgrader does not make the release.
    """
    try:
        with weave.woven(lab, CHECKS, root) as fresh:
            return enter_lab(root, lab.id, released(fresh / STEPS["release_directory"], lab.id))
    except NbGraderException as error:
        raise GradebookError(f"{lab.id} can't be released: {error}. Nothing was changed.") from error


def enter_lab(root: Path, lab: str, notebook: NotebookNode) -> list[str]:
    """Make the gradebook's rows match the released `notebook`; return messages for the instructor."""
    cells = cells_of(notebook)
    with only_writer(root), gradebook.opened(root) as book:
        SET_ASIDE.create(book.db.connection(), checkfirst=True)
        entry = _entry(book, lab, notebook)
        said = [_sentence(entry, cells)] if entry.submissions and _sentence(entry, cells) else []
        if said:
            kept = database_copy.keep(root, gradebook_url(root))
            said.append(f"The gradebook as it was: {kept.relative_to(root)}.")
        said += _migrate(book, entry, cells)
        book.db.commit()
    return said


def _entry(book: Gradebook, lab: str, notebook: NotebookNode) -> Notebook:
    assignment = book.db.query(Assignment).filter_by(name=lab).one_or_none()
    if assignment is None:
        assignment = Assignment(name=lab, course_id=book.course_id)
        book.db.add(assignment)
    entry = next((each for each in assignment.notebooks if each.name == NOTEBOOK), None)
    if entry is None:
        entry = Notebook(name=NOTEBOOK, assignment=assignment)
        book.db.add(entry)
    entry.kernelspec = json.dumps(notebook.metadata.get("kernelspec", {}))
    book.db.flush()
    return entry


def _sentence(entry: Notebook, cells: Cells) -> str:
    """Return the difference that a grader should know of, "" if there is none."""
    before = {cell.name: cell.max_score for cell in entry.grade_cells}
    after = {name: fields["max_score"] for name, fields in cells.grade.items()}
    changes = [f"{name} is new" for name in after.keys() - before.keys()]
    changes += [f"{name} is gone" for name in before.keys() - after.keys()]
    changes += [
        f"the {before[name]:g} points of {name} are extra credit now"
        if name in cells.extra
        else f"{name} has {after[name]:g} points instead of {before[name]:g}"
        for name in before.keys() & after.keys()
        if before[name] != after[name]
    ]
    solutions = {cell.name for cell in entry.solution_cells}
    changes += [f"the answer {name} is new or gone" for name in (solutions ^ cells.solution.keys())]
    return f"{entry.assignment.name} has changed since it was graded: {'; '.join(sorted(changes))}." if changes else ""


def _migrate(book: Gradebook, entry: Notebook, cells: Cells) -> list[str]:
    said: list[str] = []
    kinds: tuple[tuple[type[BaseCell], Kind, dict[str, Fields]], ...] = (
        (GradeCell, Grade, cells.grade),
        (SolutionCell, Comment, cells.solution),
    )
    for cell_kind, kind, wanted in kinds:
        known = {cell.name: cell for cell in entry._base_cells if isinstance(cell, cell_kind)}
        for name in known.keys() - wanted.keys():
            said += _remove(book, known[name], kind)
        for name, fields in wanted.items():
            cell = known.get(name) or cell_kind(name=name, notebook=entry)
            was = cell.max_score if kind is Grade else None
            _update(cell, fields)
            if name not in known:
                book.db.add(cell)
                said += [_add(book, cell, kind, submitted) for submitted in entry.submissions]
            if kind is Grade:
                _move(book, cell, was, name in cells.extra)
                said += _above_maximum(cell)
    sources = {cell.name: cell for cell in entry.source_cells}
    for name in sources.keys() - cells.source.keys():
        book.db.delete(sources[name])
    for name, fields in cells.source.items():
        cell = sources.get(name) or SourceCell(name=name, notebook=entry)
        book.db.add(cell)
        _update(cell, fields)
    return [line for line in said if line]


def _move(book: Gradebook, cell: GradeCell, was: float | None, is_extra: bool) -> None:
    """Make points extra credit where an exercise became optional; if it no longer is, the next verdict gives them.

    Args:
        was: the maximum before, 0 of an optional exercise; None if the cell is new.
    """
    for grade in cell.grades:
        if is_extra and was != 0:
            extra_credit.move(book, grade)
        elif was == 0 and not is_extra:
            extra_credit.forget(book, grade)


def _update(row: Any, fields: Fields) -> None:
    for name, value in fields.items():
        if getattr(row, name) != value:
            setattr(row, name, value)


def _remove(book: Gradebook, cell: BaseCell, kind: Kind) -> Iterator[str]:
    """Remove a cell and its grades or comments; what a person gave is set aside first."""
    rows = list(cell.grades if kind is Grade else cell.comments)
    by_hand = 0
    for row in rows:
        if kind is Grade:
            extra_credit.forget(book, row)
        given = {name: getattr(row, name) for name in BY_HAND[kind] if getattr(row, name) is not None}
        if given:
            by_hand += 1
            given["max_score"] = getattr(cell, "max_score", None)
            book.db.execute(SET_ASIDE.delete().where(_key(cell, kind, row.notebook)))
            book.db.execute(SET_ASIDE.insert().values(**given, **_names(cell, kind, row.notebook)))
        book.db.delete(row)
    book.db.flush()
    book.db.delete(cell)
    if by_hand:
        yield (
            f"{cell.name}: {by_hand} {kind.__name__.lower()}{'s' * (by_hand != 1)} given by hand no longer "
            f"count{'s' * (by_hand == 1)}. Kept in the gradebook's table set_aside until the cell comes back."
        )


def _add(book: Gradebook, cell: BaseCell, kind: Kind, submitted: SubmittedNotebook) -> str:
    """Add an empty grade or comment for one submission, or what was set aside."""
    row = kind(cell=cell, notebook=submitted)
    book.db.add(row)
    aside = book.db.execute(SET_ASIDE.select().where(_key(cell, kind, submitted))).mappings().one_or_none()
    if aside is None:
        return ""
    _update(row, {name: aside[name] for name in BY_HAND[kind]})
    book.db.execute(SET_ASIDE.delete().where(_key(cell, kind, submitted)))
    return f"{submitted.student.id}: {cell.name} has again what was given by hand before."


def _above_maximum(cell: GradeCell) -> Iterator[str]:
    for grade in cell.grades:
        if grade.manual_score is not None and grade.manual_score > cell.max_score:
            yield (
                f"{grade.student.id}: {cell.name} has {grade.manual_score:g} of {cell.max_score:g} points, given by "
                "hand. Change it in formgrader if it should be less."
            )


def _names(cell: BaseCell, kind: Kind, submitted: SubmittedNotebook) -> dict[str, str]:
    return {
        "assignment": cell.notebook.assignment.name,
        "student": submitted.student.id,
        "cell": cell.name,
        "kind": kind.__name__,
    }


def _key(cell: BaseCell, kind: Kind, submitted: SubmittedNotebook) -> Any:
    return and_(*(SET_ASIDE.c[name] == value for name, value in _names(cell, kind, submitted).items()))
