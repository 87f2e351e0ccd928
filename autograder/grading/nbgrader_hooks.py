"""nbgrader's autograde and feedback on top of the records, behind every door: `nbgrader autograde`, formgrader, us.

Nothing of a student's runs here, and no output of a notebook counts: scores come from the verdict records, and
where none is kept yet, the sandbox makes one.
"""

import contextlib
import copy
import functools
import warnings
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import Grade, Gradebook
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors.base import NbGraderPreprocessor
from sqlalchemy.exc import SAWarning
from traitlets import Bool, Type
from traitlets.config import Config

from autograder.examine.answer_text import IN_DOCUMENT, grade_id, name_of
from autograder.examine.rendering import render, stated
from autograder.examine.verdict import OUR_FAULT, REFUSED, RIGHT, ExerciseResult
from autograder.grading import database, extra_credit, formgrader_policy, intake, lateness, submission_record
from autograder.grading.feedback_page import RecordedFeedback
from autograder.grading.rebuild import is_extra, is_solution
from autograder.grading.submission_record import Record, Settings
from autograder.student import validate

FAILED = "CheckFailed"
EXCHANGE = "autograder/exchange"


class RebuiltExporter(NotebookExporter):
    """Reads the notebook that its converter has rebuilt, instead of the student's file that nbgrader would read."""

    def from_filename(self, filename: str, resources: Any = None, **options: Any) -> tuple[NotebookNode, dict]:
        converter: Any = self.parent
        if converter._sanitizing:
            return self.from_notebook_node(copy.deepcopy(converter.rebuilt), resources, **options)
        resources["nbgrader"] |= {"record": converter.record, "unchanged": converter.unchanged}
        return super().from_filename(filename, resources, **options)


class RecordedAutograde(Autograde):
    """nbgrader's Autograde with verdicts from records; judges before nbgrader copies the submission's files."""

    exporter_class = Type(RebuiltExporter, klass=NotebookExporter)
    accept_no_isolation = Bool(False, help="Run students' code where it can't be shut in.").tag(config=True)
    judged: Record | None = None  # the record to enter, where it was made already

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        if student_id in self.coursedir.student_id_exclude.split(","):
            return False
        settings = Settings(root=Path(self.coursedir.root), accept_no_isolation=self.accept_no_isolation)
        self.record = self.judged or submission_record.run_submission(student_id, assignment_id, settings, self._tell)
        if self.record["status"] == REFUSED:
            self._refuse(assignment_id, student_id)
            return False
        names = submission_record.names_of_documents(assignment_id, settings.root)
        try:
            submission = intake.admit(settings.submitted, student_id, assignment_id, names)
        except intake.Unreadable as unreadable:  # nothing of it is known, so nothing is entered
            self._tell(f"{student_id}: not graded: {unreadable.reason}")
            return False
        self.rebuilt = submission_record.rebuilt_from(submission, settings.root).notebook
        before = graded_before(Path(self._format_dest(assignment_id, student_id)))
        self.unchanged = {name_of(cell): cell.source for cell in before.cells if is_solution(cell)}
        outdated = before.metadata.get("verdicts") != stamp(self.record)
        with utils.temp_attrs(self, force=self.force or outdated):  # no score outlives what it was given for
            if super().init_destination(assignment_id, student_id):
                return True
        lateness.refresh(self.config, assignment_id, student_id)  # graded as it is, but perhaps later than it was
        return False

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        with utils.temp_attrs(self.coursedir, ignore=["*"]):  # no other file of a submission is copied
            super().init_assignment(assignment_id, student_id)

    def convert_single_notebook(self, notebook_filename: str) -> None:
        super().convert_single_notebook(notebook_filename)
        lateness.refresh(self.config, self.record["lab"], self.record["student"])

    def convert_notebooks(self) -> None:
        self.refused: list[str] = []
        super().convert_notebooks()
        if self.refused:
            raise NbGraderException("\n".join(self.refused))

    def _tell(self, said: str) -> None:
        self.log.warning(said)

    def _refuse(self, lab: str, student: str) -> None:
        reason = f"{student}: refused: {self.record['reason']}"
        self.log.error(reason)
        self.refused.append(reason)
        with contextlib.suppress(FileNotFoundError):
            utils.rmtree(self._format_dest(lab, student))
        if intake.STUDENT.fullmatch(student):
            enter_refused(self.coursedir.db_url, self.record)
            lateness.refresh(self.config, lab, student)


def graded_before(folder: Path) -> NotebookNode:
    """Read the notebook of the last grading, so that hand-graded answers that have not changed stay graded."""
    with contextlib.suppress(OSError, ValueError):
        notebook = nbformat.read(folder / intake.FILE, as_version=4)
        if "verdicts" in notebook.metadata:  # else that grading was killed before its end
            return notebook
    return nbformat.v4.new_notebook()


def stamp(record: Record) -> str:
    """Return a text that differs between any two gradings of a submission."""
    return " ".join(str(record.get(part)) for part in ("key", "seed", "status", "submission", "release"))


def enter_refused(db_url: str, record: Record) -> None:
    """Enter zero in the gradebook for a refused submission, with the reason; points given by hand are kept."""
    with Gradebook(db_url) as gradebook:
        gradebook.update_or_create_student(record["student"])
        submission = gradebook.update_or_create_submission(record["lab"], record["student"])
        for notebook in submission.notebooks:
            for grade in notebook.grades:
                if extra_credit.earned(gradebook, grade):
                    extra_credit.enter(gradebook, grade, 0.0)
                grade.auto_score, grade.needs_manual_grade = 0.0, False
            for comment in notebook.comments:
                comment.auto_comment = f"refused: {record['reason']}"
        gradebook.db.commit()


class Replay(NbGraderPreprocessor):
    """Puts the recorded verdicts into the outputs of the check cells; nothing is executed."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        verdicts = verdicts_of(resources)
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
                result = verdicts.get(name_of(cell))
                if result is not None and utils.is_grade(cell):
                    cell.outputs = [output_of(result, is_extra(cell))]
        return nb, resources


def output_of(result: ExerciseResult, optional: bool = False) -> NotebookNode:
    """Return the verdict as a cell output: an error output if the answer is not right, so that failures stand out."""
    text = render(result, optional)
    if result.verdict in (RIGHT, OUR_FAULT):
        name = "stdout" if result.verdict == RIGHT else "stderr"
        return nbformat.v4.new_output("stream", name=name, text=f"{text}\n")
    first = f"{result.exercise}: {stated(result, optional)}"
    return nbformat.v4.new_output("error", ename=FAILED, evalue=first, traceback=text.split("\n"))


def verdicts_of(resources: dict) -> dict[str, ExerciseResult]:
    """Return the record's verdicts by the name of their check cell."""
    return {
        grade_id(name): result for name, result in submission_record.results_of(resources["nbgrader"]["record"]).items()
    }


class SaveVerdicts(NbGraderPreprocessor):
    """Enters the record's points; grades, comments and overrides that a person entered in formgrader are kept.

    Replaces nbgrader's SaveAutoGrades, which calls `determine_grade`, and that believes a cell's outputs.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        given, verdicts = resources["nbgrader"], verdicts_of(resources)
        with Gradebook(given["db_url"]) as gradebook:
            entry = gradebook.find_submission_notebook(given["notebook"], given["assignment"], given["student"])
            grades = {grade.name: grade for grade in entry.grades}
            comments = {comment.name: comment for comment in entry.comments}
            optional = {name_of(cell) for cell in nb.cells if is_extra(cell)}
            for cell in nb.cells:
                name = name_of(cell)
                if name in comments:
                    check = name.removesuffix("-answer")
                    comments[name].auto_comment = comment_on(
                        cell, verdicts.get(check), given["record"], check in optional
                    )
                if name in grades and utils.is_solution(cell):
                    unchanged = given["unchanged"].get(name) == cell.source
                    enter_written(grades[name], is_unwritten(cell), unchanged)
                elif name in grades and is_extra(cell):
                    enter_extra(gradebook, grades[name], verdicts.get(name))
                elif name in grades:
                    enter_verdict(grades[name], verdicts.get(name))
            gradebook.db.commit()
        nb.metadata["verdicts"] = stamp(given["record"])
        return nb, resources


def is_unwritten(cell: NotebookNode) -> bool:
    """Return True if a written answer is unchanged since release; one that is read in a document has no checksum."""
    if "document" in cell.metadata:
        return cell.source == IN_DOCUMENT.format(document=cell.metadata["document"])
    return cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)


def enter_written(grade: Grade, unwritten: bool, unchanged: bool) -> None:
    """Mark a written answer for manual grading, unless it is empty or a person has already graded this exact text."""
    grade.auto_score = 0.0 if unwritten else None
    waits = bool(grade.needs_manual_grade)  # for a text that came before this grading
    grade.needs_manual_grade = waits or not unchanged if grade.manual_score is not None else not unwritten


def enter_verdict(grade: Grade, result: ExerciseResult | None) -> None:
    """Enter the verdict's points; mark unjudged answers, and overrides of an outdated verdict, for manual grading."""
    before = grade.auto_score
    unjudged = result is None or result.verdict == OUR_FAULT
    grade.auto_score = None if result is None or unjudged else min(float(result.points), float(grade.max_score))
    waits = bool(grade.needs_manual_grade)  # for a verdict that came before this one
    grade.needs_manual_grade = waits or grade.auto_score != before if grade.manual_score is not None else unjudged


def enter_extra(gradebook: Gradebook, grade: Grade, result: ExerciseResult | None) -> None:
    """Enter the verdict's points as extra credit; nbgrader only counts them beside a score, so that is set to 0."""
    before, by_hand = extra_credit.earned(gradebook, grade), extra_credit.by_hand(gradebook, grade)
    unjudged = result is None or result.verdict == OUR_FAULT
    grade.auto_score = None if unjudged else 0.0
    extra_credit.enter(gradebook, grade, 0.0 if result is None or unjudged else float(result.points))
    is_new = bool(grade.needs_manual_grade) or extra_credit.earned(gradebook, grade) != before
    grade.needs_manual_grade = unjudged or (by_hand is not None and is_new)


def comment_on(cell: NotebookNode, result: ExerciseResult | None, record: Record, optional: bool) -> str | None:
    """Return the automatic comment on an answer, which shows if no person has written one."""
    if result is None:
        return "No response." if is_unwritten(cell) else None
    return f"{result.verdict}, {stated(result, optional)} (seed {record['seed']}, isolation {record['tier']})"


def configure(course: Config) -> Config:
    """Configure autograde's steps in `course` to take verdicts from the records, and return `course`."""
    course.Autograde.sanitize_preprocessors = ["nbgrader.preprocessors.OverwriteCells"]
    course.Autograde.autograde_preprocessors = [
        "autograder.grading.nbgrader_hooks.Replay",
        "autograder.grading.nbgrader_hooks.SaveVerdicts",
    ]  # penalties are assigned afterwards, by lateness.refresh
    course.Exchange.root = str(Path(course.CourseDirectory.root, EXCHANGE))  # else formgrader warns that it has none
    course.ExchangeFactory.collect = "autograder.department.exchange.PlainCollect"
    course.ExchangeFactory.release_feedback = "autograder.department.exchange.PagesRelease"
    course.HTMLExporter.preprocessors = ["autograder.grading.rubric.BesideRubric"]
    course.Exporter.optimistic_validation = True  # after the last preprocessor, not after each
    course.HTMLExporter.filters = {
        "highlight_code": "autograder.grading.markup.highlighted",
        "markdown2html": "autograder.grading.markup.markdown2html",
    }
    course.BesideRubric.root = course.CourseDirectory.root
    course.ExportApp.plugin_class = "autograder.grading.gradebook.CourseExport"
    return course


@functools.cache
def install() -> None:
    """Replace the converters that `nbgrader autograde`, `generate_feedback` and formgrader use by the grader's own."""
    import nbgrader.api
    from nbgrader.apps import api, autogradeapp, generatefeedbackapp

    validate.install()
    formgrader_policy.install()
    api.Autograde = autogradeapp.Autograde = RecordedAutograde
    api.GenerateFeedback = generatefeedbackapp.GenerateFeedback = RecordedFeedback
    CourseDirectory.get_existing_timestamp = lateness.existing_timestamp
    nbgrader.api.create_engine = database.engine
    nbgrader.api.get_alembic_version = database.newest_version
    # nbgrader adds a submission's rows before the submission itself, and is warned of it for each.
    warnings.filterwarnings("ignore", category=SAWarning)
