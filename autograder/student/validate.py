"""JupyterLab's Validate for a notebook whose marks are lost or doubled: it asks for all that the grade counts.

nbgrader asks only for cells with its marks, so a notebook that lost them "passes all the tests", and it stops at a cell
that was copied or split. Here each graded part of `lab.json`, beside the notebook, gets its mark once.
"""

from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import CheckCellMetadata, ClearOutput, Execute
from nbgrader.validator import Validator

from autograder.examine import lab_file
from autograder.examine.answer_text import UNANSWERED, grade_id, name_of
from autograder.examine.lab_file import Lab, Reflection

SCHEMA = 3  # of nbgrader's marks


class WholeMarks(CheckCellMetadata):
    """A check of nbgrader's cell metadata that restores it first; the notebook's file stays unchanged."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        unmark_copies(nb)
        try:
            mark_lost(nb, lab_file.load(Path.cwd()))
        except (OSError, ValueError):
            self.log.warning("%s is missing or damaged: lost marks are not looked for", Path.cwd() / lab_file.FILE)
        return super().preprocess(nb, resources)


def install() -> None:
    """Make every Validator in this process restore nbgrader's cell metadata first."""
    Validator.preprocessors = [WholeMarks, ClearOutput, Execute]


def unmark_copies(nb: NotebookNode) -> None:
    """Keep nbgrader's metadata on one cell of each name only: the last one with an answer, or else the last."""
    of_name: dict[str, list[NotebookNode]] = {}
    for cell in nb.cells:
        if "nbgrader" in cell.metadata:
            of_name.setdefault(name_of(cell), []).append(cell)
    for cells in of_name.values():
        written = [cell for cell in cells if not cell.source.strip().startswith(UNANSWERED)]
        for cell in cells:
            if cell is not (written or cells)[-1]:
                del cell.metadata["nbgrader"]


def mark_lost(nb: NotebookNode, lab: Lab) -> None:
    """Restore missing metadata of graded parts: on a check cell, appended if it is gone, or on an unwritten answer."""
    marked = {name_of(cell) for cell in nb.cells if "nbgrader" in cell.metadata}
    for part in lab.parts:
        if isinstance(part, Reflection):
            stub = f"{UNANSWERED} ({part.name})"
            cell = next((cell for cell in nb.cells if cell.source.strip() == stub), None)
            if cell is not None and f"reflect-{part.name}" not in marked:
                _mark(cell, f"reflect-{part.name}", part.points, solution=True)
        elif grade_id(part.name) not in marked:
            call = f'check("{part.name}")'
            cell = next((cell for cell in nb.cells if cell.source.strip() == call and cell.cell_type == "code"), None)
            if cell is None:
                cell = nbformat.v4.new_code_cell(call)
                nb.cells.append(cell)
            _mark(cell, grade_id(part.name), 0 if part.name in lab.optional else part.points, solution=False)


def _mark(cell: NotebookNode, name: str, points: int, solution: bool) -> None:
    marks: dict[str, Any] = {"grade": True, "grade_id": name, "locked": False, "points": points, "solution": solution}
    marks |= {"schema_version": SCHEMA, "task": False, "cell_type": cell.cell_type}
    cell.metadata["nbgrader"] = NotebookNode(marks)
    cell.metadata.nbgrader["checksum"] = utils.compute_checksum(cell)
