"""Grading by hand: rubric and measurements beside the answer, comments that render, pages that take what was given."""

import contextlib
import csv
import re
from types import SimpleNamespace

import pytest
from handed_in import LAB, cell_of, hand_in, write_answer, write_course
from nbconvert.exporters import HTMLExporter
from nbgrader.api import Gradebook
from nbgrader.server_extensions.formgrader import handlers
from written_lab import write_lab

from autograder.examine import handin, verdict
from autograder.examine.verdict import ExerciseResult
from autograder.grading import feedback, formgrader, gradebook, nbgrader_hooks
from autograder.grading.rebuild import PRINTED
from autograder.grading.submission_record import Settings, run_submission

pytestmark = [
    pytest.mark.usefixtures("isolation"),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # nbgrader's own
]
RUBRIC = "The index counts for nothing: every index reads the same element."
OUTPUT = {"output_type": "stream", "name": "stdout", "text": ["10 1.2 us\n", "\x1b[31m<script>alert(1)</script>"]}
SOURCE = "print(measured)"


def measure(notebook):
    """The student measures in a cell of her own, and then answers."""
    cell = {"cell_type": "code", "id": "mine", "metadata": {}, "source": SOURCE, "outputs": [OUTPUT]}
    cells = notebook["cells"]
    cells.insert(cells.index(cell_of(notebook, "reflect-stride-zero")), cell)
    write_answer("It repeats: see what I measured.")(notebook)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A course in which ada's answer waits for a person."""
    root = write_course(tmp_path_factory.mktemp("course"))
    hand_in(root, "ada", change=measure)
    gradebook.enter(root, run_submission("ada", LAB, Settings(root=root)))
    return root


@contextlib.contextmanager
def by_hand(root):
    """The answer's grade and comment, open to change."""
    with Gradebook(gradebook.prepare(root).CourseDirectory.db_url) as book:
        notebook = book.find_submission_notebook("lab", LAB, "ada")
        [grade] = [grade for grade in notebook.grades if grade.name == "reflect-stride-zero"]
        [comment] = [comment for comment in notebook.comments if comment.name == "reflect-stride-zero"]
        yield grade, comment
        book.db.commit()


@pytest.fixture(scope="module")
def shown(root):
    """The page of formgrader that a person grades ada's answer on, made by its own exporter and template."""
    course = gradebook.prepare(root)
    course.HTMLExporter.update(template_name="formgrade", extra_template_basedirs=[handlers.template_path])
    resources = {
        "assignment_id": LAB,
        "notebook_id": "lab",
        "submission_id": "1",
        "index": 0,
        "total": 1,
        "base_url": "",
    }
    path = root / "autograder" / "autograded" / "ada" / LAB / "lab.ipynb"
    return HTMLExporter(config=course).from_filename(str(path), resources=resources)[0]


def page(root):
    return (root / "autograder" / "feedback" / "ada" / LAB / "lab.html").read_text()


def test_measurements_answer_and_rubric_stand_together(shown):
    assert shown.index(PRINTED.strip("*")) < shown.index("It repeats: see what I measured") < shown.index(RUBRIC)
    assert "10 1.2 us" in shown and re.sub("<[^>]*>", "", shown).count(SOURCE) == 1


def test_what_a_cell_printed_is_text_to_the_grader(shown):
    assert "&lt;script&gt;alert(1)" in shown and "<script>alert(1)" not in shown and "\x1b" not in shown


def test_no_student_reads_the_rubric(root):
    assert feedback.main(["--root", str(root)]) == 0
    autograded = (root / "autograder" / "autograded" / "ada" / LAB / "lab.ipynb").read_text()
    assert RUBRIC not in page(root) and RUBRIC not in autograded


def test_points_and_comments_reach_page_table_and_report(root, capsys):
    with by_hand(root) as (grade, comment):
        grade.manual_score, grade.needs_manual_grade = 60, False
        comment.manual_comment = "Good: `a < b` is *so*, and `x.stride()` too."
    assert feedback.main(["--root", str(root)]) == 0
    assert "1 of 1 pages changed" in capsys.readouterr().out
    assert "<code>a &lt; b</code> is <em>so</em>, and <code>x.stride()</code>" in page(root)
    assert "80 of 100 points" in page(root)
    with open(root / "autograder" / "grades.csv", newline="") as file:
        [row] = csv.DictReader(file)
    assert (row["still_by_hand"], row["total"]) == ("0", "80.0")
    assert "ada" in (root / "autograder" / "report.html").read_text()
    assert feedback.main(["--root", str(root)]) == 0
    assert "0 of 1 pages changed" in capsys.readouterr().out


@pytest.mark.parametrize("waits", [True, False])
def test_what_waits_for_a_person_waits_until_a_person_has_looked(waits):
    """A grading that changes nothing does not count as a look."""
    override = SimpleNamespace(manual_score=4, auto_score=9, max_score=9, needs_manual_grade=waits)
    nbgrader_hooks.enter_verdict(override, ExerciseResult("strides.view_strides", verdict.RIGHT, 9, 9))
    written = SimpleNamespace(manual_score=60, auto_score=None, needs_manual_grade=waits)
    nbgrader_hooks.enter_written(written, unwritten=False, unchanged=True)
    assert (override.needs_manual_grade, written.needs_manual_grade) == (waits, waits)


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "[a](javascript:alert(1))", "<img src=x onerror=alert(1)>"]
)
def test_a_comment_runs_nothing(root, text):
    with by_hand(root) as (_, comment):
        comment.manual_comment = text
    feedback.main(["--root", str(root)])
    assert not re.search(r"<script|<img|href=.javascript", page(root))


def test_a_due_date_that_changed_is_on_the_page(root):
    (root / "course.yaml").write_text("due:\n  01: 2026-10-12\nlate:\n  percent_per_day: 50\n")
    (root / "autograder" / "submitted" / "ada" / LAB / "timestamp.txt").write_text("2026-10-13 05:00 UTC")
    assert feedback.main(["--root", str(root)]) == 0
    assert "5 h after it was due" in page(root)
    (root / "course.yaml").unlink()


def test_a_mistake_in_the_course_file_is_a_failure(root, capsys):
    (root / "course.yaml").write_text("due:\n  01: soon\n")
    assert feedback.main(["--root", str(root)]) == 1
    (root / "course.yaml").unlink()
    said = capsys.readouterr().out
    assert "course.yaml, line 2" in said and "due dates and penalties stay as they were" in said


def test_as_long_as_only_the_sample_class_is_graded_it_is_shown(tmp_path):
    assert feedback.graded_root(tmp_path) == tmp_path
    for place in ("build/sample", "."):
        record = tmp_path / place / "autograder" / "records" / LAB / "ada.json"
        record.parent.mkdir(parents=True)
        record.write_text("{}")
        assert feedback.graded_root(tmp_path) == (tmp_path / place).resolve()


def test_without_grades_the_commands_say_what_comes_first(tmp_path, capsys):
    write_lab(tmp_path)
    assert feedback.main(["--root", str(tmp_path)]) == 1 and formgrader.main(["--root", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert "Nothing is graded yet" in said.out and "`make grade` first" in said.err


OUTPUTS = {
    "nothing": ([], ""),
    "text": ([{"text": "a\n"}, {"text": ["b", "\n"]}], "a\nb"),
    "a result": ([{"data": {"text/plain": "(3, 1)", "text/html": "<b>"}}], "(3, 1)"),
    "a picture": ([{"data": {"image/png": "iVBOR"}}], ""),
    "colors and tricks": ([{"text": "\x1b[31mred\x1b[0m\u202e\x00\r\ud800"}], "red\ufffd"),
    "no outputs at all": (7, ""),
    "outputs that are none": ([7, {"text": 7}, {"text": [7]}, {"data": 7}, {"data": {"text/plain": {}}}], ""),
    "too much": ([{"text": "x" * 5000}], "x" * handin.LONGEST_PRINTED + "\n... 5,000 characters in all"),
}


@pytest.mark.parametrize(("outputs", "text"), OUTPUTS.values(), ids=OUTPUTS)
def test_of_outputs_plain_text_is_read(outputs, text):
    cell = {"cell_type": "code", "source": "x", "outputs": outputs}
    [read] = handin.cells_of({"cells": [cell], "nbformat": 4})
    assert read.printed == text
