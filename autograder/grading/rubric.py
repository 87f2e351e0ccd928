"""The model answer and rubric of each written answer, for the person who grades it in formgrader."""

from pathlib import Path

import nbformat
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from traitlets import Bool, Unicode

from autograder.author import lab_text
from autograder.author.lab_text import LabText
from autograder.examine.answer_text import name_of


class BesideRubric(Preprocessor):
    """In formgrader, and nowhere else, each written answer is followed by its model answer and rubric."""

    enabled = Bool(True).tag(config=True)
    root = Unicode(help="The course's folder, whose labs hold the rubrics.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        lab = resources.get("assignment_id")  # formgrader's page alone says it there
        rubrics = rubrics_of(lab_text.load(lab, Path(self.root))) if lab in lab_text.lab_ids(Path(self.root)) else {}
        nb.cells = [each for cell in nb.cells for each in (cell, *rubrics.get(name_of(cell), ()))]
        return nb, resources


def rubrics_of(lab: LabText) -> dict[str, list[NotebookNode]]:
    """By name of the written answer, the cell that shows the model answer and the rubric."""
    written = [cell for cell in lab.cells if "reflect" in cell.metadata]
    names = [f"reflect-{cell.metadata['reflect']}" for cell in written]
    text = '<div class="alert alert-info">\n\n**For the grader only.** {}\n\n</div>'
    return {
        name: [nbformat.v4.new_markdown_cell(text.format(cell.source), id=f"rubric-{name}")]
        for name, cell in zip(names, written, strict=True)
    }
