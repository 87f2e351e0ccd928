"""Submissions, a gradebook, notebooks and a `my_engine/` of the first edition (commit 037d68f) are still good.

`before/` holds what that commit wrote: two submissions to the lab of `written_lab.py`, their records and gradebook (as
SQL), the imports of its seven notebooks, the names of its exercises, and a part of each lab.
"""

import csv
import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from handed_in import LAB, REPOSITORY, write_course
from nbgrader.api import Gradebook

from autograder import sandbox
from autograder.author import lab_text
from autograder.grading import gradebook
from engine.overlay import former_names

BEFORE = Path(__file__).with_name("before")
ISOLATION = sandbox.canary()
EXERCISES = (BEFORE / "exercises.txt").read_text().split()


@pytest.mark.slow
@pytest.mark.skipif(ISOLATION.tier == "none", reason=f"not run: isolation ({ISOLATION.reason})")
@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # nbgrader's own
def test_submissions_and_gradebook_of_before_are_graded_as_before(tmp_path):
    root = write_course(tmp_path)
    book = root / "autograder" / "gradebook.db"
    book.unlink()
    with sqlite3.connect(book) as database:
        database.executescript((BEFORE / "gradebook.sql").read_text().replace("{root}", str(root)))
    shutil.copytree(BEFORE / "autograder", root / "autograder", dirs_exist_ok=True)
    command = [sys.executable, "-m", "autograder.grading", "--root", str(root), "--jobs", "1"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    with open(root / "autograder" / "grades.csv", newline="") as table:
        points = {row["student"]: float(row["points"]) for row in csv.DictReader(table)}
    before = {
        student: json.loads((BEFORE / "autograder" / "records" / LAB / f"{student}.json").read_text())["points"]
        for student in points
    }
    assert points == before == {"ada": 20, "bob": 11}
    with Gradebook(f"sqlite:///{book}") as entered:
        (notebook,) = entered.find_submission(LAB, "ada").notebooks
        assert [grade.manual_score for grade in notebook.grades if grade.manual_score is not None] == [3.5]
        assert [one.manual_comment for one in notebook.comments if one.manual_comment] == ["Say which stride."]
    assert gradebook.page_of(root, {"student": "ada", "lab": LAB}).is_file()


def test_every_exercise_of_before_keeps_its_name_or_is_found_under_its_present_one():
    now = [exercise.name for lab in lab_text.LABS for exercise in lab_text.load(lab).exercises]
    assert [name for name in EXERCISES if former_names.current(name, "")[0] not in now] == []


def test_every_import_of_a_notebook_of_before_works():
    program = (BEFORE / "imports.txt").read_text()
    done = subprocess.run(
        [sys.executable, "-W", "ignore::UserWarning", "-W", "default::DeprecationWarning", "-c", program],
        cwd=REPOSITORY, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "engine.recorder is now engine.memory_trace" in done.stderr


def test_parts_of_before_are_live():
    program = "import engine; print(*(f'{name}: {reason}' for name, reason in engine.use_parts(%r)), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program % str(BEFORE / "my_engine")],
        cwd=REPOSITORY, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    outcome = dict(line.split(": ", 1) if ": " in line else (line.rstrip(":"), "") for line in done.stdout.splitlines())
    assert len(outcome) == len(list((BEFORE / "my_engine").rglob("*.py"))) and not any(outcome.values()), outcome
