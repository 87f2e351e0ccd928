"""A lab that changes after it was graded: what a person gave stays, and what cannot count any more is set aside."""

import json
import sqlite3

import nbformat
import pytest
from handed_in import LAB, RIGHT, hand_in, write_answer, write_course
from nbgrader.api import Gradebook, GradeCell, SolutionCell, SourceCell
from nbgrader.preprocessors import SaveCells
from written_lab import TEXT, write_lab

from autograder.grading import gradebook, intake, migration
from autograder.grading.migration import release
from autograder.grading.submission_record import Settings, run_submission

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("isolation"),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # nbgrader's own
]
ONE_MORE = """
```{code-cell}
:solution: engine.strides:is_contiguous
```

What does a stride of 0 mean?
"""
LONGER = TEXT.replace("\nWhat does a stride of 0 mean?\n", ONE_MORE).replace('"points": 80', '"points": 72')
VIEW_CELL = "```{code-cell}\n:solution: engine.strides:view_strides\n```\n"
SHORTER = LONGER.replace(VIEW_CELL, "").replace('"points": 72', '"points": 81')


def grade(root, text=TEXT):
    """Release the lab as `text` has it now and judge who has handed in, as `make grade` does; returns what is said."""
    said = release(write_lab(root, text), root)
    for student in intake.students(root / "autograder" / "submitted", LAB):
        gradebook.enter(root, run_submission(student, LAB, Settings(root=root)))
    return said


def by_hand(root, student):
    """By name of the cell, what a person gave: score, extra credit, comment."""
    with Gradebook(gradebook.prepare(root).CourseDirectory.db_url) as book:
        notebook = book.find_submission_notebook("lab", LAB, student)
        found = {grade.name: (grade.manual_score, grade.extra_credit) for grade in notebook.grades}
        found |= {f"{comment.name} comment": comment.manual_comment for comment in notebook.comments}
        return {name: given for name, given in found.items() if given not in (None, (None, None))}


def give(root, student):
    """The grader's entries in formgrader: a score for the reflection, an override, extra credit, two comments."""
    with Gradebook(gradebook.prepare(root).CourseDirectory.db_url) as book:
        notebook = book.find_submission_notebook("lab", LAB, student)
        grades = {grade.name: grade for grade in notebook.grades}
        comments = {comment.name: comment for comment in notebook.comments}
        grades["reflect-stride-zero"].manual_score = 60
        grades["reflect-stride-zero"].needs_manual_grade = False
        grades["strides-view_strides"].manual_score = 0  # a 0 is a score, too
        grades["strides-contiguous_strides"].extra_credit = 1.5
        comments["strides-view_strides-answer"].manual_comment = "half of the idea"
        comments["reflect-stride-zero"].manual_comment = "well put"
        book.db.commit()


GIVEN = {
    "reflect-stride-zero": (60, None),
    "strides-view_strides": (0, None),
    "strides-contiguous_strides": (None, 1.5),
    "strides-view_strides-answer comment": "half of the idea",
    "reflect-stride-zero comment": "well put",
}


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """A person's entries and the command's messages, after each change of a graded lab."""
    root = write_course(tmp_path_factory.mktemp("course"))
    hand_in(root, "ada", RIGHT, write_answer("It repeats."))
    hand_in(root, "bob", {})
    seen = {}
    grade(root)
    give(root, "ada")
    for step, text in (("longer", LONGER), ("shorter", SHORTER), ("longer again", LONGER)):
        said = " ".join(grade(root, text))
        seen[step] = by_hand(root, "ada"), gradebook.standing(root, {"lab": LAB, "student": "ada"}), said
    return root, seen


def test_a_lab_that_gains_an_exercise_keeps_what_was_given_by_hand(history):
    assert history[1]["longer"][0] == GIVEN


def test_a_new_exercise_is_judged_in_what_was_handed_in_before(history):
    _, standing, _ = history[1]["longer"]
    # contiguous 5 + 1.5 extra, accessor 6, view 0 by hand, is_contiguous 0 (not in the notebook), reflection 60
    assert (standing.score, standing.max_score) == (71, 100)


def test_of_an_exercise_that_is_gone_nothing_counts(history):
    given, standing, said = history[1]["shorter"]
    assert set(given) == {"reflect-stride-zero", "strides-contiguous_strides", "reflect-stride-zero comment"}
    assert (standing.score, standing.max_score) == (71, 100)
    assert "strides-view_strides: 1 grade given by hand no longer counts" in said and "autograder/backups/" in said


def test_an_exercise_that_comes_back_has_what_was_given_by_hand(history):
    assert history[1]["longer again"][0] == GIVEN


def test_the_gradebook_of_before_is_kept(history):
    copies = sorted((history[0] / "autograder" / "backups").glob("*/gradebook.db"))
    with sqlite3.connect(copies[0]) as first:
        names = {name for (name,) in first.execute("SELECT name FROM base_cell WHERE type = 'GradeCell'")}
    assert len(copies) == 3 and "strides-is_contiguous" not in names


@pytest.mark.slow
def test_a_migration_that_fails_leaves_all_as_it_was(tmp_path, monkeypatch):
    root = write_course(tmp_path)
    hand_in(root, "ada")
    grade(root)
    give(root, "ada")
    folder = {path.name: path.read_bytes() for path in (root / "course" / LAB).iterdir()}
    monkeypatch.setattr(migration, "_add", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        release(write_lab(root, LONGER), root)
    assert {path.name: path.read_bytes() for path in (root / "course" / LAB).iterdir()} == folder
    assert by_hand(root, "ada") == GIVEN


@pytest.mark.slow
def test_a_release_that_did_not_change_touches_no_row(tmp_path):
    root = write_course(tmp_path)
    before = (root / "autograder" / "gradebook.db").read_bytes()
    assert release(write_lab(root), root) == []
    assert (root / "autograder" / "gradebook.db").read_bytes() == before


def rows(url):
    with Gradebook(url, "inside-the-tensor") as book:
        notebook = book.find_notebook("lab", LAB)
        cells = [cell.to_dict() for kind in (GradeCell, SolutionCell, SourceCell) for cell in book.db.query(kind)]
        for cell in cells:
            del cell["id"]
        return json.loads(notebook.kernelspec), sorted(map(repr, cells))


@pytest.mark.slow
def test_the_rows_are_those_of_nbgraders_own_step(tmp_path):
    root = write_course(tmp_path)
    notebook = nbformat.read(root / "course" / LAB / "lab.ipynb", as_version=4)
    url = f"sqlite:///{tmp_path / 'theirs.db'}"
    with Gradebook(url, "inside-the-tensor") as book:
        book.add_assignment(LAB)
    place = {"notebook": "lab", "assignment": LAB, "db_url": url}
    SaveCells().preprocess(notebook, {"nbgrader": place})
    assert rows(gradebook.prepare(root).CourseDirectory.db_url) == rows(url)
