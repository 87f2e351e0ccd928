"""Beside a written answer in formgrader: model answer and rubric, answers to calibrate by, comments to give again."""

import random
from functools import cache
from pathlib import Path

import jinja2
import nbformat
from markupsafe import Markup
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from traitlets import Bool, Unicode

from autograder.author import calibration, lab_text
from autograder.author.calibration import Sample
from autograder.author.lab_text import LabText
from autograder.examine.answer_text import name_of
from autograder.grading import comment_bank, database

TEMPLATE = "beside_answer.md"
SCRIPT = "comment_bank.html"
Bank = dict[str, list[tuple[str, int]]]


class BesideRubric(Preprocessor):
    """Follows each written answer with the material that helps to grade it, in formgrader only."""

    enabled = Bool(True).tag(config=True)
    root = Unicode(help="The course's folder, whose labs hold the rubrics.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        lab = resources.get("assignment_id")  # formgrader's page alone says it there
        if lab in lab_text.lab_ids(Path(self.root)):
            url = self.config.CourseDirectory.get("db_url") or database.chosen(Path(self.root))
            bank = comment_bank.given(database.checked(url, Path(self.root)), lab)
            rubrics = rubrics_of(lab_text.load(lab, Path(self.root)), bank)
            nb.cells = [each for cell in nb.cells for each in (cell, *rubrics.get(name_of(cell), ()))]
            nb.cells.append(
                nbformat.v4.new_markdown_cell(Markup(_templates().get_template(SCRIPT).render()), id="comment-bank")
            )
        return nb, resources


def rubrics_of(lab: LabText, bank: Bank) -> dict[str, list[NotebookNode]]:
    """Return the cells for graders by name of the written answer's cell: model answer, rubric, samples, comments."""
    written = {f"reflect-{cell.metadata['reflect']}": cell for cell in lab.cells if "reflect" in cell.metadata}
    samples = calibration.samples_of(lab)
    template = _templates().get_template(TEMPLATE)
    cells = {}
    for name, cell in written.items():
        of_name = list(samples.get(cell.metadata["reflect"], {}).values())
        text = template.render(
            name=name,
            rubric=cell.source,
            most=cell.metadata["points"],
            samples=_shuffled(name, of_name),
            comments=_offered(bank.get(name, []), of_name),
        )
        cells[name] = [nbformat.v4.new_markdown_cell(Markup(text), id=f"rubric-{name}")]
    return cells


def _shuffled(name: str, samples: list[Sample]) -> list[Sample]:
    """Return the samples in an order that does not tell which is the strong one, and is the same each time."""
    return random.Random(name).sample(samples, len(samples))


def _offered(given: list[tuple[str, int]], samples: list[Sample]) -> list[tuple[str, int]]:
    """Return comments with how often each was given: the graders' own, then the samples', perhaps never used."""
    own = {comment for comment, _ in given}
    return given + [(sample.comment, 0) for sample in samples if sample.comment not in own]


@cache
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
