"""The student's page of feedback: nbgrader's, with standings, without a script and without a look at the network."""

from pathlib import Path
from typing import Any

import jinja2
from nbconvert.exporters import HTMLExporter, TemplateExporter
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import GetGrades
from traitlets import List, Type, Unicode
from traitlets.config import Config

from autograder.examine.lab_file import EXTRA_POINTS
from autograder.grading import extra_credit, lateness
from autograder.grading.markup import highlighted, markdown2html
from autograder.grading.rebuild import is_extra
from autograder.grading.timestamps import span

TEMPLATES = Path(__file__).with_name("templates")


class GetStandings(GetGrades):
    """Adds scores, comments and lateness to the page, and marks cells that still wait for manual grading."""

    root = Unicode(help="The course's folder, whose course.yaml names the time zone.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        nb, resources = super().preprocess(nb, resources)
        given = resources["nbgrader"]
        with Gradebook(given["db_url"]) as gradebook:
            submission = gradebook.find_submission(given["assignment"], given["student"])
            due, submitted, late, class_due = lateness.times(Path(self.root), submission)
            extra = extra_credit.of(grade for notebook in submission.notebooks for grade in notebook.grades)
            given["score"], given["extra"] = extra_credit.after_penalty(
                submission.score - extra, extra, given["late_penalty"]
            )
            given["max_extra"] = sum(cell.metadata[EXTRA_POINTS] for cell in nb.cells if is_extra(cell))
        given["own_due"] = f"due for you: {due} (for the class: {class_due})" if due != class_due else ""
        given["late"] = f"handed in {submitted}, {span(late)} after it was due ({due})" if late else ""
        return nb, resources

    def _get_score(self, cell: NotebookNode, resources: dict) -> None:
        super()._get_score(cell, resources)
        name = cell.metadata.nbgrader.grade_id
        grade = self.gradebook.find_grade(name, self.notebook_id, self.assignment_id, self.student_id)
        extra = extra_credit.of([grade])
        cell.metadata.nbgrader |= {"score": grade.score - extra, "extra": extra}
        cell.metadata.nbgrader["waiting"] = grade.needs_manual_grade and grade.manual_score is None


class FeedbackExporter(HTMLExporter):
    """Exports the student's page: verdicts and answers, self-contained, without scripts."""

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **options: Any) -> tuple[Any, dict]:
        """Export like HTMLExporter, but skip its second parse of the page for images and outputs: there are none."""
        self.register_filter("highlight_code", highlighted)
        self.register_filter("markdown2html", markdown2html)
        return TemplateExporter.from_notebook_node(self, nb, self._init_resources(resources), **options)

    def _create_environment(self) -> jinja2.Environment:
        environment = super()._create_environment()
        environment.bytecode_cache = COMPILED
        return environment


class _Compiled(jinja2.BytecodeCache):
    """Templates that this process has compiled: nbconvert makes an environment for each page."""

    def __init__(self) -> None:
        self._code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        self._code[bucket.key] = bucket.bytecode_to_string()


COMPILED = _Compiled()


class RecordedFeedback(GenerateFeedback):
    """nbgrader's GenerateFeedback without the script that it would load from the network to typeset formulas."""

    exporter_class = Type(FeedbackExporter, klass=HTMLExporter)
    preprocessors = List([GetStandings, CSSHTMLHeaderPreprocessor])

    def __init__(self, coursedir: CourseDirectory | None = None, **options: Any):
        super().__init__(coursedir=coursedir, **options)
        page = Config()
        page.FeedbackExporter.update(template_name="recorded", extra_template_basedirs=[str(TEMPLATES)])
        page.GetStandings.root = str(self.coursedir.root)
        page.CSSHTMLHeaderPreprocessor.update(enabled=True, style="tango")
        self.update_config(page)

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Copy nothing: the page needs no other file."""
