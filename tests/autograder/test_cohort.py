"""The cohort says what it deserves without contradiction, and hands in what it says."""

import json
import stat

import nbformat
import pytest

from autograder import documents
from autograder.author import lab_text
from autograder.labs import CHECKS
from autograder.made_up.answers import RIGHT_ANSWERS
from autograder.made_up.cohort import CohortError, compare, deserved, lost_aspects, make, submitted_source, tamper
from autograder.made_up.student import ALL, GRADED, Student, load
from autograder.overlay import source_of

LAB = "01-strides"
STUDENTS = load(LAB)
COHORTS = {lab: load(lab) for lab in lab_text.LABS}
EACH_LAB = pytest.mark.parametrize("lab", COHORTS)
FEWEST, FEWEST_OF_LAB_0 = 15, 6


def exercises(lab):
    return [exercise.name for exercise in lab_text.load(lab).exercises]


def judged(lab):
    """Everything that the grader judges in a lab: the check of each exercise, and the documents."""
    return {name: CHECKS[name] for name in exercises(lab)} | documents.of_lab(lab)


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory):
    target = tmp_path_factory.mktemp("submitted")
    make(target, LAB, only=[name for name in STUDENTS if name != "fifty-megabytes"])
    return target


def lesson(tmp_path, *exercises):
    """A course in the folder `tmp_path` whose notebook asks for `exercises`."""
    cells = []
    for exercise in exercises:
        name = exercise.replace(".", "-")
        marks = {"grade_id": f"{name}-answer", "solution": True, "grade": False, "schema_version": 3}
        cells.append(nbformat.v4.new_code_cell("...", id=f"{name}-answer", metadata={"nbgrader": marks}))
    (tmp_path / "course" / LAB).mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "course" / LAB / "lab.ipynb")
    return tmp_path


def cells_of(target, name, lab=LAB):
    notebook = json.loads((target / name / lab / "lab.ipynb").read_text(encoding="utf-8"))
    return {cell["id"]: cell for cell in notebook["cells"]}


def earned(lab: str, student: Student) -> tuple[int, int]:
    """Points of the core, and of the optional exercises."""
    points = {False: 0, True: 0}
    for name, check in judged(lab).items():
        lost = lost_aspects(student, COHORTS[lab], name)
        kept = sum(aspect.points for aspect in check.aspects if not {ALL, aspect.name} & set(lost))
        points[name in lab_text.load(lab).optional] += kept
    return points[False], points[True]


@EACH_LAB
def test_deserved_points_are_all_points_less_the_lost_ones(lab):
    stated = {name: (student.points, student.extra) for name, student in COHORTS[lab].items()}
    assert stated == {
        name: earned(lab, student) if student.status == GRADED else (0, 0) for name, student in COHORTS[lab].items()
    }


def losses(lab):
    """Each student's name, what it got wrong, and the names of the aspects that it lost."""
    for name, student in COHORTS[lab].items():
        for part, loss in student.wrong.items():
            yield name, part, set(loss.aspects)


@EACH_LAB
def test_lost_aspects_are_aspects_of_the_check(lab):
    checks = judged(lab)
    for name, part, lost in losses(lab):
        assert lost <= {ALL, *(aspect.name for aspect in checks[part].aspects)}, (name, part)


@EACH_LAB
def test_what_builds_on_a_lost_aspect_is_lost_too(lab):
    for name, exercise, lost in losses(lab):
        if exercise in documents.of_lab(lab):
            continue  # each aspect of a document stands for itself
        falling = {aspect.name for aspect in CHECKS[exercise].aspects if aspect.needs in lost}
        assert falling <= lost, (name, exercise)


@EACH_LAB
def test_cells_answer_exercises_of_the_lab(lab):
    known = set(exercises(lab))
    assert {
        name: set(student.cells) - known for name, student in COHORTS[lab].items() if set(student.cells) - known
    } == {}


@EACH_LAB
def test_a_lab_has_a_class(lab):
    assert len(COHORTS[lab]) >= (FEWEST_OF_LAB_0 if lab_text.load(lab).is_from_scratch else FEWEST)
    full = lab_text.load(lab).checked_points
    assert sum(student.points >= full for student in COHORTS[lab].values()) >= 2


@EACH_LAB
def test_a_class_hands_in_what_its_files_say(lab, tmp_path):
    plain = [name for name, student in COHORTS[lab].items() if not student.tamper]
    written = plain[:4]
    make(tmp_path, lab, only=written)
    for name in written:
        cells = cells_of(tmp_path, name, lab)
        for exercise in exercises(lab):
            source = submitted_source(COHORTS[lab][name], COHORTS[lab], exercise)
            found = cells[f"{exercise.replace('.', '-')}-answer"]["source"]
            assert found == source if source is not None else "raise NotImplementedError" in found


def test_right_solutions_deserve_everything():
    lab = lab_text.load(LAB)
    full = {name for name, each in deserved(LAB).items() if each == (GRADED, lab.checked_points, lab.extra)}
    assert {"ada-reference", "emmy-recursive", "karl-enumerates", "leonhard-formulas"} <= full


@pytest.mark.parametrize("lab", COHORTS)
def test_every_exercise_is_answered_rightly_in_other_words_too(lab):
    """By `right.py` beside its check, or by a made-up student who loses nothing."""
    right = [student for student in COHORTS[lab].values() if student.status == GRADED and not student.wrong]
    for exercise in exercises(lab):
        answers = {student.cells[exercise] for student in right if exercise in student.cells}
        answers.update(RIGHT_ANSWERS.get(exercise, ()))
        assert answers - {None, source_of(exercise).rstrip("\n")}, exercise


def test_equal_grades_do_not_differ():
    assert compare(LAB, deserved(LAB)) == []


def test_a_grade_that_is_not_deserved_is_named():
    given = deserved(LAB) | {"zoe-untouched": (GRADED, 3, 2)}
    assert compare(LAB, given) == ["zoe-untouched: 3 points, extra 2, graded; deserves 0 points, graded"]


def test_a_missing_grade_is_named():
    given = deserved(LAB)
    del given["broken-json"]
    assert compare(LAB, given) == ["broken-json: not graded at all; deserves 0 points, refused"]


def test_a_patch_for_a_cell_that_is_gone_names_student_and_cell(tmp_path):
    course = lesson(tmp_path, "strides.permute")
    with pytest.raises(CohortError, match="syntax-error: .*no cell strides-expand-answer"):
        make(tmp_path / "submitted", LAB, root=course, only=["syntax-error"])


def test_a_submission_is_never_overwritten(tmp_path):
    course = lesson(tmp_path, "strides.permute")
    make(tmp_path / "submitted", LAB, root=course, only=["zoe-untouched"])
    with pytest.raises(FileExistsError):
        make(tmp_path / "submitted", LAB, root=course, only=["zoe-untouched"])


def test_the_reference_is_handed_in_by_who_says_so(handed_in):
    source = cells_of(handed_in, "ada-reference")["strides-permute-answer"]["source"]
    assert source.startswith("def permute(") and "raise NotImplementedError" not in source


def test_the_stub_is_handed_in_by_who_says_so(handed_in):
    cells = cells_of(handed_in, "zoe-untouched")
    for exercise in exercises(LAB):
        assert "raise NotImplementedError" in cells[f"{exercise.replace('.', '-')}-answer"]["source"], exercise


def test_cells_are_handed_in_as_the_file_has_them(handed_in):
    for student in (student for student in STUDENTS.values() if student.status == GRADED):
        cells = cells_of(handed_in, student.name)
        for exercise, source in student.cells.items():
            if source is not None:
                assert cells[f"{exercise.replace('.', '-')}-answer"]["source"] == source, student.name


def test_operations_are_in_the_table():
    asked = {operation for student in STUDENTS.values() for operation, _ in student.tamper}
    assert asked <= {*tamper.NOTEBOOK, *tamper.FOLDER}


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
    (folder,) = make(tmp_path, LAB, only=["fifty-megabytes"])
    assert (folder / "lab.ipynb").stat().st_size > 50_000_000


def test_forged_outputs_stand_under_every_check(handed_in):
    cells = cells_of(handed_in, "forged-nan")
    for exercise in exercises(LAB):
        (output,) = cells[exercise.replace(".", "-")]["outputs"]
        assert output["data"]["text/plain"] == "nan"
