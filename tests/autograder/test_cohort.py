"""The cohort says what it deserves without contradiction, and hands in what it says."""

import json
import stat

import nbformat
import pytest

from autograder.checks import CHECKS
from autograder.cohort import CohortError, compare, deserved, lost_aspects, make, submitted_source, tamper
from autograder.cohort.student import ALL, GRADED, Student, load

STUDENTS = load()
AUTOMATIC = sum(check.points for check in CHECKS.values())
EVERYONE = pytest.mark.parametrize("name", STUDENTS)


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory):
    target = tmp_path_factory.mktemp("submitted")
    make(target, only=[name for name in STUDENTS if name != "fifty-megabytes"])
    return target


def lesson(tmp_path, *exercises):
    """A course in the folder `tmp_path` whose notebook asks for `exercises`."""
    cells = []
    for exercise in exercises:
        name = exercise.replace(".", "-")
        marks = {"grade_id": f"{name}-answer", "solution": True, "grade": False, "schema_version": 3}
        cells.append(nbformat.v4.new_code_cell("...", id=f"{name}-answer", metadata={"nbgrader": marks}))
    (tmp_path / "course" / "01-strides").mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "course" / "01-strides" / "lab.ipynb")
    return tmp_path


def cells_of(target, name):
    notebook = json.loads((target / name / "01-strides" / "lab.ipynb").read_text(encoding="utf-8"))
    return {cell["id"]: cell for cell in notebook["cells"]}


def earned(student: Student) -> int:
    points = 0
    for exercise, check in CHECKS.items():
        lost = lost_aspects(student, STUDENTS, exercise)
        points += sum(aspect.points for aspect in check.aspects if ALL not in lost and aspect.name not in lost)
    return points


@EVERYONE
def test_deserved_points_are_all_points_less_the_lost_ones(name):
    student = STUDENTS[name]
    assert student.points == (earned(student) if student.status == GRADED else 0)


@EVERYONE
def test_lost_aspects_are_aspects_of_the_check(name):
    for exercise, loss in STUDENTS[name].wrong.items():
        assert set(loss.aspects) <= {ALL, *(aspect.name for aspect in CHECKS[exercise].aspects)}, exercise


@EVERYONE
def test_what_builds_on_a_lost_aspect_is_lost_too(name):
    for exercise, loss in STUDENTS[name].wrong.items():
        falling = {aspect.name for aspect in CHECKS[exercise].aspects if aspect.needs in loss.aspects}
        assert falling <= set(loss.aspects), exercise


@EVERYONE
def test_cells_answer_exercises_of_the_lab(name):
    assert set(STUDENTS[name].cells) <= set(CHECKS)


def test_right_solutions_deserve_everything():
    full = {name for name, (status, points) in deserved().items() if (status, points) == (GRADED, AUTOMATIC)}
    assert {"ada-reference", "emmy-recursive", "karl-enumerates", "leonhard-formulas"} <= full


def test_each_right_solution_answers_every_exercise_in_its_own_words():
    for exercise in CHECKS:
        texts = {
            submitted_source(STUDENTS[name], STUDENTS, exercise)
            for name in ("ada-reference", "emmy-recursive", "karl-enumerates", "leonhard-formulas")
        }
        assert len(texts) == 4, exercise


def test_equal_grades_do_not_differ():
    assert compare(deserved()) == []


def test_a_grade_that_is_not_deserved_is_named():
    given = deserved() | {"zoe-untouched": (GRADED, 3)}
    assert compare(given) == ["zoe-untouched: 3 points, graded; deserves 0, graded"]


def test_a_missing_grade_is_named():
    given = deserved()
    del given["broken-json"]
    assert compare(given) == ["broken-json: not graded at all; deserves 0 points, refused"]


def test_a_patch_for_a_cell_that_is_gone_names_student_and_cell(tmp_path):
    course = lesson(tmp_path, "strides.permute")
    with pytest.raises(CohortError, match="syntax-error: .*no cell strides-expand-answer"):
        make(tmp_path / "submitted", root=course, only=["syntax-error"])


def test_a_submission_is_never_overwritten(tmp_path):
    course = lesson(tmp_path, "strides.permute")
    make(tmp_path / "submitted", root=course, only=["zoe-untouched"])
    with pytest.raises(FileExistsError):
        make(tmp_path / "submitted", root=course, only=["zoe-untouched"])


def test_the_reference_is_handed_in_by_who_says_so(handed_in):
    source = cells_of(handed_in, "ada-reference")["strides-permute-answer"]["source"]
    assert source.startswith("def permute(") and "raise NotImplementedError" not in source


def test_the_stub_is_handed_in_by_who_says_so(handed_in):
    cells = cells_of(handed_in, "zoe-untouched")
    for exercise in CHECKS:
        assert "raise NotImplementedError" in cells[f"{exercise.replace('.', '-')}-answer"]["source"], exercise


@EVERYONE
def test_cells_are_handed_in_as_the_file_has_them(name, handed_in):
    student = STUDENTS[name]
    if student.status != GRADED:
        return
    cells = cells_of(handed_in, name)
    for exercise, source in student.cells.items():
        if source is not None:
            assert cells[f"{exercise.replace('.', '-')}-answer"]["source"] == source


@EVERYONE
def test_operations_are_in_the_table(name):
    assert {operation for operation, _ in STUDENTS[name].tamper} <= set(tamper.NOTEBOOK) | set(tamper.FOLDER)


def test_a_deleted_cell_is_gone(handed_in):
    assert "strides-permute-answer" not in cells_of(handed_in, "deleted-cells")


def test_a_cut_off_upload_is_no_json(handed_in):
    text = (handed_in / "broken-json" / "01-strides" / "lab.ipynb").read_text(encoding="utf-8", errors="replace")
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)


def test_a_link_is_handed_in_as_a_link(handed_in):
    link = handed_in / "symlink-notebook" / "01-strides" / "lab.ipynb"
    assert link.is_symlink() and link.resolve() == handed_in / "ada-reference" / "01-strides" / "lab.ipynb"


def test_a_pipe_is_handed_in_as_a_pipe(handed_in):
    assert stat.S_ISFIFO((handed_in / "named-pipe" / "01-strides" / "lab.ipynb").stat().st_mode)


def test_fifty_megabytes_are_made_not_kept(tmp_path):
    (folder,) = make(tmp_path, only=["fifty-megabytes"])
    assert (folder / "lab.ipynb").stat().st_size > 50_000_000


def test_forged_outputs_stand_under_every_check(handed_in):
    cells = cells_of(handed_in, "forged-nan")
    for exercise in CHECKS:
        (output,) = cells[exercise.replace(".", "-")]["outputs"]
        assert output["data"]["text/plain"] == "nan"
