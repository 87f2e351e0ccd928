"""JupyterLab's Validate agrees with the grade: a finished notebook passes, an unfinished one says what is open."""

import json
import os
import shutil

import nbformat
import pytest
from handed_in import ACCESSOR, CONTIGUOUS, LAB, RIGHT, VIEW, cell_of, hand_in, write_answer, write_course
from nbgrader import utils
from nbgrader.validator import Validator

from autograder import documents
from autograder.author import lab_text
from autograder.author.weave import instructor_notebook
from autograder.examine.answer_text import answer_id, name_of
from autograder.examine.verdict import RIGHT as VERDICT_RIGHT
from autograder.grading.rebuild import is_solution
from autograder.grading.records import Settings, run_submission

MIXED = {CONTIGUOUS: RIGHT[CONTIGUOUS], VIEW: "def view_strides(sizes, strides, new_sizes):\n    return (1,)\n"}
IN_WORDS = "\n1. Its key.\n"


@pytest.fixture(autouse=True)
def kernels_find_the_packages(monkeypatch):
    """Also where the distribution is not installed: a kernel starts in the notebook's folder, not in ours."""
    monkeypatch.setenv("PYTHONPATH", str(lab_text.ROOT), prepend=os.pathsep)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return write_course(tmp_path_factory.mktemp("course"))


def validated(path, folder):
    """Run Validate on a copy of `path` in `folder`; returns by failed cell the error's last line."""
    folder.mkdir()
    shutil.copyfile(path, folder / "lab.ipynb")
    for file in (lab_text.ROOT / "course" / folder.name).glob("*.*"):
        if not (folder / file.name).exists():
            shutil.copyfile(file, folder / file.name)
    return failures(folder)


def failures(folder):
    found = Validator().validate(str(folder / "lab.ipynb"))
    assert set(found) <= {"failed"}, found
    return {cell["source"]: cell["raw_error"].splitlines()[-1] for cell in found.get("failed", [])}


@pytest.mark.slow
def test_a_finished_notebook_passes(root, tmp_path):
    path = hand_in(root, "finished", change=write_answer("It repeats."))
    assert validated(path, tmp_path / LAB) == {}


def with_a_right_answer_elsewhere(notebook):
    """A change: another cell, which is not handed in as an answer, defines `view_strides` rightly."""
    place = notebook["cells"].index(cell_of(notebook, answer_id(VIEW)))
    notebook["cells"].insert(place + 1, nbformat.v4.new_code_cell(RIGHT[VIEW], id="scratch"))


def test_an_unfinished_notebook_says_what_is_open_and_the_grade_agrees(root, tmp_path):
    path = hand_in(root, "mixed", MIXED, with_a_right_answer_elsewhere)
    failed = validated(path, tmp_path / LAB)
    assert failed == {
        f'check("{ACCESSOR}")': f"CheckFailed: {ACCESSOR}: not written yet, 0 of 6 points",
        f'check("{VIEW}")': f"CheckFailed: {VIEW}: 0 of 9 points",
        "YOUR ANSWER HERE (stride-zero)": "You did not provide a response.",
    }
    record = run_submission("mixed", LAB, Settings(root=root, accept_no_isolation=True))
    lost = {name for name, result in record["exercises"].items() if result["verdict"] != VERDICT_RIGHT}
    assert {f'check("{name}")' for name in lost} == {source for source in failed if source.startswith("check(")}


@pytest.mark.parametrize("lab", lab_text.LABS)
def test_validate_asks_for_every_written_answer_but_those_that_stand_in_a_document(lab):
    notebook = nbformat.read(lab_text.ROOT / "course" / lab / "lab.ipynb", as_version=4)
    written = {name_of(cell): cell for cell in notebook.cells if is_solution(cell) and cell.cell_type == "markdown"}
    is_open = {name: utils.determine_grade(cell)[0] == 0 for name, cell in written.items()}
    assert is_open == {name: "document" not in cell.metadata for name, cell in written.items()}


@pytest.fixture
def solved(request, tmp_path):
    """A lab of the course, all of it done; what a document holds is left alone in the notebook, as the text says."""
    lab = request.param
    folder = shutil.copytree(lab_text.ROOT / "course" / lab, tmp_path / lab)
    solution = instructor_notebook(lab_text.load(lab))
    answers = {name_of(cell): cell.source for cell in solution.cells if is_solution(cell)}
    notebook = json.loads((folder / "lab.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if name_of(cell) in answers and "document" not in cell["metadata"]:
            cell["source"] = answers[name_of(cell)]
    (folder / "lab.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    documents.write_solved(lab, folder)
    for path in folder.glob("*.md"):
        path.write_text(path.read_text(encoding="utf-8").replace("\n1.\n", IN_WORDS), encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("solved", ["01-strides", "02-dispatch"], indirect=True)
def test_a_finished_lab_passes(solved):
    assert failures(solved) == {}


@pytest.mark.slow
@pytest.mark.parametrize("solved", ["02-dispatch"], indirect=True)
def test_a_document_whose_prose_is_open_is_named(solved):
    path = solved / "TRACE.md"
    path.write_text(path.read_text(encoding="utf-8").replace(IN_WORDS, "\n1.\n"), encoding="utf-8")
    assert failures(solved) == {'check("TRACE.md")': 'CheckFailed: TRACE.md: "In words" is open'}
