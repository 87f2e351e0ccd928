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
from autograder.examine import lab_file
from autograder.examine.answer_text import answer_id, name_of
from autograder.examine.verdict import RIGHT as VERDICT_RIGHT
from autograder.grading.rebuild import is_solution
from autograder.grading.submission_record import Settings, run_submission
from autograder.student import validate

CHECKS = {name: f'check("{name}")' for name in (CONTIGUOUS, ACCESSOR, VIEW)}
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
    """Run Validate on a copy of the submission `path` in `folder`; returns by failed cell the error's last line."""
    folder.mkdir()
    shutil.copyfile(path, folder / "lab.ipynb")
    for file in (path.parents[4] / "course" / folder.name).glob("*.*"):
        if not (folder / file.name).exists():
            shutil.copyfile(file, folder / file.name)
    return failures(folder)


def failures(folder):
    validate.install()
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


# ---- marks that are lost or doubled


def strip(notebook):
    """A change: no marks and no ids, as another program saves it."""
    for number, cell in enumerate(notebook["cells"]):
        cell |= {"id": f"c{number}", "metadata": {}}


def remove_checks(notebook):
    """A change: the cells that check are gone."""
    notebook["cells"] = [cell for cell in notebook["cells"] if "check(" not in "".join(cell["source"])]


def copy_answers(notebook):
    """A change: each cell of an answer comes twice, with its marks, under an id of its own."""
    copied = []
    for cell in notebook["cells"]:
        is_answer = "-answer" in cell["id"] or cell["id"].startswith("reflect-")
        copied += [cell, cell | {"id": f"copy-{len(copied)}"}] if is_answer else [cell]
    notebook["cells"] = copied


CHANGES = [strip, remove_checks, copy_answers]


def asked_of(path):
    """The cells that Validate asks for, sorted, after marks are restored."""
    notebook = nbformat.read(path, as_version=4)
    validate.unmark_copies(notebook)
    validate.mark_lost(notebook, lab_file.load(path.parents[4] / "course" / LAB))
    nbformat.validate(notebook)
    return sorted((name_of(cell), cell.source) for cell in notebook.cells if utils.is_grade(cell))


@pytest.mark.parametrize("change", CHANGES)
def test_validate_asks_for_the_same_where_marks_are_lost_or_doubled(root, change):
    whole = hand_in(root, "whole", MIXED)
    assert {source for _, source in asked_of(whole)} == {*CHECKS.values(), "YOUR ANSWER HERE (stride-zero)"}
    assert asked_of(hand_in(root, change.__name__, MIXED, change)) == asked_of(whole)


def test_of_a_written_answer_that_was_copied_the_written_one_is_asked_for(root):
    def write_first(notebook):
        copy_answers(notebook)
        next(cell for cell in notebook["cells"] if cell["id"] == "reflect-stride-zero")["source"] = "It repeats."

    assert asked_of(hand_in(root, "first", change=write_first))[1] == ("reflect-stride-zero", "It repeats.")


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_validate_agrees_with_the_grade_where_marks_are_lost_or_doubled(root, tmp_path, change):
    failed = validated(hand_in(root, "unfinished", MIXED, change), tmp_path / LAB)
    assert set(failed) == {CHECKS[ACCESSOR], CHECKS[VIEW], "YOUR ANSWER HERE (stride-zero)"}
    (tmp_path / "again").mkdir()
    path = hand_in(root, "complete", change=lambda notebook: (write_answer("It repeats.")(notebook), change(notebook)))
    assert validated(path, tmp_path / "again" / LAB) == {}
