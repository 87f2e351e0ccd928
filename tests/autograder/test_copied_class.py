"""Copies of graded students are students like any other: nothing is judged again, and the class page has them all."""

import csv

import pytest
from handed_in import RIGHT, VIEW, hand_in, write_answer, write_course

from autograder.grading import gradebook, run, store
from autograder.proof.copied_class import copy_class

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("isolation"),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # nbgrader's own
]


def test_copies_keep_record_grade_and_page_and_are_not_judged_again(tmp_path, capsys):
    root = write_course(tmp_path)
    hand_in(root, "ada", change=write_answer("It repeats."))
    hand_in(root, "bob", answers={VIEW: RIGHT[VIEW]})
    assert run.main(["--root", str(root), "--jobs", "1"]) == 0
    copies = copy_class(root, 6)
    assert len(copies) == 4
    before = {path: path.read_bytes() for path in store.paths(root, "*")}
    assert len(before) == 6
    assert run.main(["--root", str(root), "--jobs", "1"]) == 0
    assert {path: path.read_bytes() for path in store.paths(root, "*")} == before
    with (root / "autograder/grades.csv").open() as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    known = {(rows[name]["points"], rows[name]["total"], rows[name]["still_by_hand"]) for name in ("ada", "bob")}
    assert {(rows[name]["points"], rows[name]["total"], rows[name]["still_by_hand"]) for name in copies} <= known
    assert all(gradebook.enrolled(root)[name].email == f"{name}@example.org" for name in copies)
    capsys.readouterr()
    assert run.main(["--root", str(root), "--jobs", "1"]) == 0
    assert "6 of 6 submissions are as the last run left them" in capsys.readouterr().out
