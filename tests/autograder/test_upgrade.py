"""A running course moves to this version: every score stays, and later a corrected check judges one exercise again.

`before/second_edition/` holds a course that commit 9cba0ef9 has graded: submissions to the lab of `written_lab.py`,
their records (signed with `KEY`), autograded notebooks, the gradebook as SQL with scores, a comment, extra credit and
an override given by hand, a due date, and the table of grades. docs/upgrading.md says how an instructor does the same.
"""

import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from handed_in import CONTIGUOUS, LAB, REPOSITORY, VIEW, write_course
from nbgrader.api import Gradebook

from autograder import labs, sandbox
from autograder.grading import database, gradebook, records, signature

BEFORE = Path(__file__).with_name("before") / "second_edition"
KEY = b"the tests' key, which everyone h"
STUDENTS = ("ada", "bob", "carla")
KEPT = "kept by the test"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sandbox.canary().tier == "none", reason="not run: bubblewrap is needed to grade"),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # nbgrader's own
]


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
    """The course of before, graded by this version, and what the command said."""
    root = write_course(tmp_path_factory.mktemp("course"))
    shutil.copytree(BEFORE / "autograder", root / "autograder", dirs_exist_ok=True)
    shutil.copyfile(BEFORE / "course.yaml", root / "course.yaml")
    (root / signature.FILE).write_bytes(KEY)
    (root / database.FILE).unlink()
    with sqlite3.connect(root / database.FILE) as book:
        book.executescript((BEFORE / "gradebook.sql").read_text())
    assert all(records.read(root, LAB, student) for student in STUDENTS)  # else this tests nothing
    return root, grade(root)


def test_every_score_seed_and_penalty_is_what_it_was(course):
    before, after = grades(BEFORE / "grades.csv"), grades(course[0] / "autograder" / "grades.csv")
    assert {name: {column: after[name][column] for column in row} for name, row in before.items()} == before
    assert (after["ada"]["total"], after["bob"]["total"]) == ("72.0", "15.0")


def test_nothing_is_told_where_nothing_is_lost(course):
    assert "judged again" not in course[1] and "no longer count" not in course[1]


def test_what_a_person_gave_stays(course):
    with Gradebook(gradebook.prepare(course[0]).CourseDirectory.db_url) as book:
        ada, bob = (book.find_submission_notebook("lab", LAB, name) for name in ("ada", "bob"))
        assert {grade.name: grade.manual_score for grade in ada.grades if grade.manual_score is not None} == {
            "reflect-stride-zero": 60
        }
        assert [grade.extra_credit for grade in ada.grades if grade.extra_credit] == [1.5]
        assert [one.manual_comment for one in ada.comments if one.manual_comment] == ["Say which stride."]
        assert [grade.manual_score for grade in bob.grades if grade.manual_score is not None] == [4]


def test_a_second_run_has_nothing_to_do(course):
    assert "3 of 3 submissions are as the last run left them" in grade(course[0])


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


def test_a_corrected_check_judges_its_exercise_again_and_no_other(course, corrected, tmp_path_factory):
    root = shutil.copytree(course[0], tmp_path_factory.mktemp("upgraded") / "course")
    before = grades(root / "autograder" / "grades.csv")
    for student in STUDENTS:
        record = records.read(root, LAB, student)
        for result in record["exercises"].values():  # a verdict that is made anew does not say this
            result["message"] = KEPT
        records.write(root, record)
    grade(root, corrected)
    for student in STUDENTS:
        record = json.loads(records.path_of(root, LAB, student).read_text())
        messages = {name: result["message"] for name, result in record["exercises"].items()}
        assert messages[CONTIGUOUS] == KEPT and messages[VIEW] != KEPT, student
    assert grades(root / "autograder" / "grades.csv") == before
