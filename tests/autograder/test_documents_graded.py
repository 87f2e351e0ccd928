"""A document's way from the text of a lab to the gradebook: released, handed in, judged, read by a person."""

import functools
import hashlib
import json
import os
import shutil
import zipfile
from pathlib import Path

import nbformat
import pytest
from handed_in import LAB, RIGHT, cell_of, hand_in, notebook_of
from nbgrader.api import Gradebook
from written_lab import TEXT, write_lab

from autograder import documents
from autograder.author import bundle, lab_text
from autograder.author.weave import stale, validate
from autograder.documents.checked_document import Aspect, Document
from autograder.grading import gradebook, intake, report, submission_record
from autograder.grading.class_page import page as class_page
from autograder.grading.migration import release
from autograder.grading.submission_record import Settings
from autograder.labs import CHECKS, name_of
from autograder.student import notebook, open_lab

LIST = Document(
    "LIST.md", ("name", "size"), ("name",),
    (Aspect("order", 5, ("name",), "compare", in_order=True), Aspect("sizes", 3, ("size",), "measure")),
    lambda: {"one": [("a", "1"), ("b", "2")]}, prose="In words",
)  # fmt: skip
TEMPLATE = "## one\n\n| name | size |\n|---|---|\n|  |  |\n\n## In words\n\n<!-- Say why. -->\n"
SOLVED = documents.solved(LIST, TEMPLATE)
HALF = SOLVED.replace("`2`", "`3`")
WITH_DOCUMENT = TEXT.replace(
    '+++ {"reflect": "stride-zero", "points": 80}',
    '+++ {"reflect": "stride-zero", "points": 72, "document": "LIST.md"}',
).replace("## Payoff", "```{code-cell}\n:document: LIST.md\n```\n\n## Payoff")


@pytest.fixture(scope="module", autouse=True)
def known():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(documents.DOCUMENTS, name_of(LAB), {"LIST.md": LIST})
        yield


def written(root, text=WITH_DOCUMENT):
    (root / "solutions" / LAB).mkdir(parents=True, exist_ok=True)
    (root / "solutions" / LAB / "LIST.md").write_text(TEMPLATE)
    return write_lab(root, text)


@pytest.fixture(scope="module")
def root(known, tmp_path_factory):
    """A course whose lab asks for LIST.md, released and entered into a new gradebook."""
    root = tmp_path_factory.mktemp("course")
    release(written(root), root)
    return root


@pytest.fixture
def name(request):
    """A student's, another one in each test."""
    return hashlib.sha256(request.node.name.encode()).hexdigest()[:12]


def attach(root, student, text, change=lambda released: None):
    path = hand_in(root, student, RIGHT, change)
    if text is not None:
        (path.parent / "LIST.md").write_bytes(text if isinstance(text, bytes) else text.encode())
    return path.parent


def graded(root, student, text, change=lambda released: None):
    attach(root, student, text, change)
    return submission_record.run_submission(student, LAB, Settings(root))


# ---- the text and the release


def test_a_document_earns_points_in_the_order_of_the_text(tmp_path):
    loaded = written(tmp_path)
    assert [part.name for part in loaded.checked][-1] == "LIST.md" and loaded.points == 100


REFUSED = {
    ":document: LIST.md\n": (":document: LIST.md\n:points: 8\n", "the check holds the points"),
    ":document: LIST.md": (":document: OTHER.md", "the template of OTHER.md is missing"),
    '"document": "LIST.md"}': ('"document": "OTHER.md"}', "there is no code cell with :document: OTHER.md"),
    "LIST.md\n```": ("LIST.md\n\nx = 1\n```", "expected an empty code cell"),
}


@pytest.mark.parametrize(("old", "new"), REFUSED.items(), ids=REFUSED)
def test_what_is_wrong_with_a_document_is_named(tmp_path, old, new):
    assert WITH_DOCUMENT.count(old) == 1
    with pytest.raises(lab_text.LabError, match=new[1]):
        validate(written(tmp_path, WITH_DOCUMENT.replace(old, new[0])))


def test_a_document_without_a_check_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(documents.DOCUMENTS, name_of(LAB), {})
    with pytest.raises(lab_text.LabError, match="unknown document LIST.md"):
        validate(written(tmp_path))


@pytest.mark.slow
def test_the_template_is_released_beside_the_notebook(root):
    assert (root / "course" / LAB / "LIST.md").read_text() == TEMPLATE
    check = cell_of(notebook_of(root), "LIST-md")
    assert "".join(check["source"]) == 'check("LIST.md")' and check["metadata"]["nbgrader"]["points"] == 8


@pytest.mark.slow
def test_a_template_that_was_changed_makes_the_release_stale(root):
    released = root / "course" / LAB / "LIST.md"
    assert stale(lab_text.load(LAB, root), CHECKS, root) == []
    released.write_text("another")
    try:
        assert stale(lab_text.load(LAB, root), CHECKS, root) == [f"course/{LAB}/LIST.md"]
    finally:
        released.write_text(TEMPLATE)


def test_what_the_student_wrote_is_never_overwritten(root, tmp_path):
    open_lab.prepare(root / "course", tmp_path / "work")
    (tmp_path / "work" / LAB / "LIST.md").write_text(SOLVED)
    open_lab.prepare(root / "course", tmp_path / "work")
    assert (tmp_path / "work" / LAB / "LIST.md").read_text() == SOLVED


def test_the_hand_out_holds_the_template_and_asks_for_it(root, tmp_path):
    wheel = tmp_path / "inside_the_tensor-0.whl"
    wheel.touch()
    archive = zipfile.ZipFile(bundle.bundle(LAB, wheel, tmp_path / "dist", root / "course"))
    assert archive.read(f"{bundle.TOP}/{LAB}/LIST.md").decode() == TEMPLATE
    assert f"`{LAB}/lab.ipynb` and `{LAB}/LIST.md`" in archive.read(f"{bundle.TOP}/{LAB}/SUBMIT.md").decode().replace(
        "\n   ", " "
    )


# ---- in the notebook


@pytest.fixture
def here(root, monkeypatch, tmp_path):
    folder = Path(shutil.copytree(root / "course" / LAB, tmp_path / LAB))
    monkeypatch.setattr(notebook, "HERE", folder)
    return folder


def test_the_notebook_judges_the_file_as_it_is_saved(here, capsys):
    (here / "LIST.md").write_text(SOLVED)
    notebook.check("LIST.md")
    assert capsys.readouterr().out.startswith("ok LIST.md   8 of 8 points\n")


def test_the_notebook_names_the_line(here, capsys):
    (here / "LIST.md").write_text(SOLVED.replace("| `b` |", "| `b` | x |"))
    with pytest.raises(notebook.CheckFailed, match=r"LIST\.md: 0 of 8 points"):
        notebook.check("LIST.md")
    assert "LIST.md, line 6: expected a row of 2 cells" in capsys.readouterr().out


@pytest.mark.parametrize("content", [None, b"\xff\xfe"], ids=["missing", "no text"])
def test_the_notebook_says_what_it_can_not_read(here, capsys, content):
    (here / "LIST.md").unlink()
    if content:
        (here / "LIST.md").write_bytes(content)
    with pytest.raises(notebook.CheckFailed, match="not checked"):
        notebook.check("LIST.md")
    assert ("no UTF-8" if content else "beside the notebook") in capsys.readouterr().out


def test_a_document_that_no_lab_asks_for_is_not_checked(here):
    with pytest.raises(notebook.CheckFailed, match="not checked"):
        notebook.check("OTHER.md")


# ---- handed in


@pytest.mark.slow
@pytest.mark.parametrize(("text", "points"), [(SOLVED, 28), (HALF, 25), (TEMPLATE, 20), (None, 20)])
def test_the_attached_file_decides_its_points(root, name, text, points):
    record = graded(root, name, text)
    assert (record["status"], record["points"], record["max_points"]) == ("graded", points, 28)


UNREAD = {
    "no text": (b"## one\n\xff", "byte 7 is no UTF-8"),
    "too large": (b"x" * (intake.LARGEST_DOCUMENT + 1), "200,001 bytes, 200,000 are allowed"),
}


@pytest.mark.parametrize(("content", "said"), UNREAD.values(), ids=UNREAD)
def test_a_file_that_can_not_be_read_costs_its_own_points(root, name, content, said):
    record = graded(root, name, content)
    assert record["points"] == 20 and said in record["exercises"]["LIST.md"]["message"]


def test_a_folder_in_its_place_costs_its_own_points(root, name):
    folder = attach(root, name, None)
    (folder / "LIST.md").mkdir()
    record = submission_record.run_submission(name, LAB, Settings(root))
    assert record["points"] == 20 and "is not a plain file" in record["exercises"]["LIST.md"]["message"]


def test_a_link_is_refused_unopened(root, name):
    folder = attach(root, name, None)
    (folder / "LIST.md").symlink_to(root / "solutions" / LAB / "LIST.md")
    assert "'LIST.md' is a link" in submission_record.run_submission(name, LAB, Settings(root))["reason"]


def test_a_pipe_is_refused_unopened(root, name):
    os.mkfifo(attach(root, name, None) / "LIST.md")
    assert "'LIST.md' is a pipe" in submission_record.run_submission(name, LAB, Settings(root))["reason"]


@pytest.mark.slow
def test_another_text_is_judged_again_and_the_same_is_not(root, name):
    first = graded(root, name, HALF)
    assert submission_record.run_submission(name, LAB, Settings(root)) == first
    (root / "autograder" / "submitted" / name / LAB / "LIST.md").write_text(SOLVED)
    assert submission_record.run_submission(name, LAB, Settings(root))["points"] == 28


def test_a_document_is_never_the_same_as_the_reference(root, name):
    assert not graded(root, name, SOLVED)["exercises"]["LIST.md"]["same_as_reference"]


# ---- read by a person


def as_released(released):
    """No change."""


@functools.cache
def entered(root, text, change=as_released):
    """A student's name, the notebook that is graded, and its grades by name; the same of the same text."""
    student = hashlib.sha256(f"{text} {change.__name__}".encode()).hexdigest()[:12]
    record = graded(root, student, text, change)
    gradebook.enter(root, record)
    gradebook.write_feedback(root, record)
    course = gradebook.prepare(root).CourseDirectory
    with Gradebook(course.db_url, course.course_id) as book:
        (of_student,) = book.find_submission(LAB, student).notebooks
        grades = {grade.name: (grade.auto_score, bool(grade.needs_manual_grade)) for grade in of_student.grades}
    path = root / "autograder" / "autograded" / student / LAB / "lab.ipynb"
    return student, nbformat.read(path, as_version=4), grades


def source_of_cell(released, name):
    return next(cell.source for cell in released.cells if cell.id == name)


def test_the_gradebook_has_the_points_of_a_document(root):
    _, _, grades = entered(root, HALF)
    assert grades["LIST-md"] == (5.0, False)


def test_the_document_stands_below_its_check(root):
    _, shown, _ = entered(root, SOLVED)
    at = [cell.id for cell in shown.cells].index("LIST-md")
    assert shown.cells[at + 1].source == SOLVED.replace("<!-- Say why. -->\n", "")


def test_its_prose_is_graded_where_the_reflection_stands(root):
    _, shown, grades = entered(root, SOLVED + "Because it is so.\n")
    assert source_of_cell(shown, "reflect-stride-zero") == "Because it is so." and grades["reflect-stride-zero"][1]


def test_what_the_notebook_adds_to_the_prose_is_kept(root):
    def add(released):
        cell_of(released, "reflect-stride-zero").update(source="And more.")

    _, shown, _ = entered(root, SOLVED + "Because it is so.\n", add)
    assert source_of_cell(shown, "reflect-stride-zero") == "Because it is so.\n\nAnd more."


def test_without_prose_nobody_has_to_read_anything(root):
    _, _, grades = entered(root, SOLVED)
    assert grades["reflect-stride-zero"] == (0.0, False)


def test_a_document_runs_nothing_in_the_reader_s_browser(root):
    name, *_ = entered(root, SOLVED + "<script>alert(1)</script>\n[a](javascript:alert(2))\n")
    page = (root / "autograder" / "feedback" / name / LAB / "lab.html").read_text()
    assert "<script>alert" not in page and 'href="javascript' not in page and "alert(1)" in page


def test_feedback_and_report_show_the_line(root, isolation):
    name, *_ = entered(root, HALF)
    page = (root / "autograder" / "feedback" / name / LAB / "lab.html").read_text()
    assert "line 6: `one`, row 2: b" in page
    assert "LIST.md as it was handed in" in page and "<code>3</code></td>" in page
    row = report.Row(
        submission_record.read(root, LAB, name),
        submission_record.results_of(submission_record.read(root, LAB, name)),
        None,
    )
    table = report.grades_csv([(lab_text.load(LAB, root), [row])]).splitlines()
    assert table[0].endswith(f",{LAB}/LIST.md") and table[1].endswith(",5")
    assert "LIST.md" in class_page.html([(lab_text.load(LAB, root), [row])], isolation)


def test_no_file_of_a_submission_is_copied(root):
    name, *_ = entered(root, SOLVED)
    assert os.listdir(root / "autograder" / "autograded" / name / LAB) == ["lab.ipynb"]


def test_a_record_holds_no_text_of_the_document(root, name):
    assert "Because it is so" not in json.dumps(graded(root, name, SOLVED + "Because it is so.\n"))
