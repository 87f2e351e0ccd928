"""A running course takes a corrected check: its exercise is judged again, and what else there was stays.

docs/upgrading.md says how an instructor does it.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from handed_in import CONTIGUOUS, LAB, REPOSITORY, RIGHT, STUB, VIEW, hand_in, write_answer, write_course
from nbgrader.api import Gradebook

from autograder import labs
from autograder.author.course_config import config
from autograder.grading import submission_record

KEPT = "kept by the test"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.handed_out,
    pytest.mark.usefixtures("isolation"),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # nbgrader's own
]
CLASS = {"ada": RIGHT, "bob": RIGHT | {VIEW: "def view_strides(*_): return None"}, "carla": STUB}


def grade(root, code=REPOSITORY):
    command = [sys.executable, "-W", "ignore", "-m", "autograder.grading", "--root", str(root), "--jobs", "1"]
    environment = os.environ | {"PYTHONPATH": str(code), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=code, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def grades(path):
    with open(path, newline="") as table:
        return {row["student"]: row for row in csv.DictReader(table)}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course that was graded, with a score, a comment and extra credit given by a person."""
    root = write_course(tmp_path_factory.mktemp("course"))
    for student, answers in CLASS.items():
        hand_in(root, student, answers, write_answer("It repeats."))
    grade(root)
    with Gradebook(config(root).CourseDirectory.db_url) as book:
        given = book.find_submission_notebook("lab", LAB, "ada")
        grades_of = {one.name: one for one in given.grades}
        grades_of["reflect-stride-zero"].manual_score = 60
        given.grades[0].extra_credit = 1.5
        given.comments[0].manual_comment = "Say which stride."
        book.find_submission_notebook("lab", LAB, "bob").grades[0].manual_score = 4
        book.db.commit()
    grade(root)
    return root


def by_hand(root):
    """Return scores and comments that a person gave, by student."""
    with Gradebook(config(root).CourseDirectory.db_url) as book:
        return {
            student: (
                {one.name: (one.manual_score, one.extra_credit) for one in notebook.grades},
                [one.manual_comment for one in notebook.comments],
            )
            for student in CLASS
            for notebook in [book.find_submission_notebook("lab", LAB, student)]
        }


def test_a_second_run_has_nothing_to_do(course):
    assert "3 of 3 submissions are as the last run left them" in grade(course)


@pytest.fixture
def corrected(tmp_path):
    """A copy of this version in which one check has changed."""
    for name in ("autograder", "engine"):
        tracked = subprocess.run(["git", "ls-files", name], cwd=REPOSITORY, capture_output=True, text=True, check=True)
        for path in tracked.stdout.splitlines():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(REPOSITORY / path, tmp_path / path)
    check = tmp_path / Path(*labs.MODULE_OF[VIEW].split(".")).with_suffix(".py")
    check.write_text(check.read_text() + "\n# corrected\n")
    return tmp_path


def test_a_corrected_check_judges_its_exercise_again_and_no_other(course, corrected):
    before, given = grades(course / "autograder" / "grades.csv"), by_hand(course)
    assert given["ada"][0]["reflect-stride-zero"][0] == 60  # else this tests nothing
    for student in CLASS:
        record = submission_record.read(course, LAB, student)
        for result in record["exercises"].values():  # a verdict that is made anew does not say this
            result["message"] = KEPT
        submission_record.write(course, record)
    grade(course, corrected)
    for student in CLASS:
        record = json.loads(submission_record.path_of(course, LAB, student).read_text())
        messages = {name: result["message"] for name, result in record["exercises"].items()}
        assert messages[CONTIGUOUS] == KEPT and messages[VIEW] != KEPT, student
    assert grades(course / "autograder" / "grades.csv") == before
    assert by_hand(course) == given
