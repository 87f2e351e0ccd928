"""An optional exercise is extra credit: apart from the lab's 100 points, from the text to nbgrader's own score."""

import csv
import datetime as dt
import os
import shutil

import nbformat
import pytest
from handed_in import LAB, REPOSITORY, RIGHT, VIEW, copied, hand_in, write_answer, write_course
from nbgrader.api import Gradebook
from nbgrader.validator import Validator
from tiers import fast_first
from written_lab import TEXT, write_lab

from autograder.examine import lab_file
from autograder.grading import feedback, gradebook, intake, submission_record
from autograder.grading.course_file import Policy
from autograder.grading.extra_credit import after_penalty
from autograder.grading.migration import release
from autograder.grading.submission_record import Settings, run_submission
from autograder.student import submit
from autograder.student.draw_points import draw_points

pytestmark = [
    pytest.mark.usefixtures("isolation"),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # nbgrader's own
]
OPTIONAL = TEXT.replace(":view_strides\n", ":view_strides\n:optional: true\n").replace('"points": 80', '"points": 89')
CELL = "strides-view_strides"
WRONG_VIEW = "def view_strides(sizes, strides, new_sizes):\n    return None"


def grade(root, text=OPTIONAL, force=False):
    """Release the lab as `text` has it now, judge who has handed in, and write every page."""
    said = release(write_lab(root, text), root)
    for student in intake.students(root / "autograder" / "submitted", LAB):
        record = run_submission(student, LAB, Settings(root=root, force=force))
        gradebook.enter(root, record)
        gradebook.write_feedback(root, record)
    return said


def entry(root, student="ada", **change):
    """The student's grade of the optional exercise as data, after `change`."""
    with Gradebook(gradebook.prepare(root).CourseDirectory.db_url) as book:
        grade = book.find_grade(CELL, "lab", LAB, student)
        for name, value in change.items():
            setattr(grade, name, value)
        book.db.commit()
        return grade.to_dict()


def standing(root, student="ada"):
    return gradebook.standing(root, {"lab": LAB, "student": student})


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The lab with view_strides optional, and ada, who answers everything."""
    root = write_course(tmp_path_factory.mktemp("course"))
    release(write_lab(root, OPTIONAL), root)
    hand_in(root, "ada")
    grade(root)
    return root


@pytest.fixture(scope="module")
def course(graded, tmp_path_factory):
    """The lab with view_strides optional; ada answers everything, bob not the optional exercise."""
    root = copied(graded, tmp_path_factory.mktemp("both") / "course")
    hand_in(root, "bob", {name: text for name, text in RIGHT.items() if name != VIEW})
    grade(root)
    return root


def test_the_check_cell_is_worth_nothing_and_says_its_extra_points(course):
    notebook = nbformat.read(course / "course" / LAB / "lab.ipynb", as_version=4)
    cell = next(cell for cell in notebook.cells if cell.id == CELL)
    assert (cell.metadata.nbgrader.points, cell.metadata[lab_file.EXTRA_POINTS]) == (0, 9)
    assert sum(cell.metadata.get("nbgrader", {}).get("points", 0) for cell in notebook.cells) == 100


def test_what_is_earned_is_nbgraders_extra_credit(course):
    ada, bob = entry(course), entry(course, "bob")
    assert (ada["max_score"], ada["auto_score"], ada["extra_credit"]) == (0, 0, 9)
    assert (bob["auto_score"], bob["extra_credit"]) == (0, 0)


def test_nbgraders_own_score_is_the_sum_and_its_maximum_100(course):
    with Gradebook(gradebook.prepare(course).CourseDirectory.db_url) as book:
        submission = book.find_submission(LAB, "ada")
        assert (submission.score, submission.max_score) == (20, 100)
    assert (standing(course).score, standing(course).extra, standing(course).max_score) == (11, 9, 100)


def test_table_and_report_show_extra_points_apart(course):
    assert feedback.main(["--root", str(course)]) == 0
    with open(course / "autograder" / "grades.csv", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    names = ("points", "max_points", "extra", "max_extra", "total", "max_total", "total_extra", VIEW)
    assert [rows["ada"][name] for name in names] == ["11", "11", "9", "9", "11.0", "100.0", "9.0", "9"]
    assert [rows["bob"][name] for name in names] == ["11", "11", "0", "9", "11.0", "100.0", "0.0", "0"]
    page = (course / "autograder" / "report.html").read_text()
    assert "median 11 of 11 automatic points" in page and ">Extra</th>" in page
    assert f"{VIEW}, of 9 extra" in page


def test_formgraders_comment_on_an_answer_says_that_its_points_are_extra(course):
    with Gradebook(gradebook.prepare(course).CourseDirectory.db_url) as book:
        optional, core = (
            book.find_comment(f"{cell}-answer", "lab", LAB, "ada").comment
            for cell in (CELL, "strides-contiguous_strides")
        )
    assert optional.startswith("right, 9 of 9 extra points (seed ")
    assert core.startswith("right, 5 of 5 points (seed ")


@pytest.mark.parametrize(("student", "extra"), [("ada", 9), ("bob", 0)])
def test_the_feedback_page_says_both(course, student, extra):
    page = (course / "autograder" / "feedback" / student / LAB / "lab.html").read_text()
    assert f"11 of 100 points, extra {extra} of 9</strong>" in page and f"extra {extra} / 9" in page


def test_the_page_of_verdicts_alone_says_both(course):
    record = submission_record.read(course, LAB, "ada")
    assert submission_record.of_points(record) == "11 of 11, extra 9 of 9"
    gradebook.write_plain_feedback(course, record)
    text = gradebook.page_of(course, record).read_text()
    assert "11 of 11, extra 9 of 9 points" in text and "view_strides   9 of 9 extra points" in text


def test_the_students_summary_counts_optional_parts_apart(course):
    now = dt.datetime(2026, 1, 1)
    text = submit.summary(submit.gather(folder_of(course, "bob")), now, now)
    assert "not written yet (optional)" in text and "2 of 3 parts are written, extra 0 of 1" in text


def folder_of(course, student):
    """The student's folder with the file that describes the lab."""
    folder = course / "autograder" / "submitted" / student / LAB
    (folder / "lab.json").write_text((course / "course" / LAB / "lab.json").read_text())
    return folder


def test_the_picture_of_the_points_adds_them_apart():
    rows = [("strides.permute", "right", 5, 5), ("strides.expand", "wrong", 2, 6)]
    assert draw_points("01", rows, extra={"strides.expand"}).text.startswith("01: 5 of 5 points, extra 2 of 6\n")


def test_a_penalty_takes_the_same_share_of_both():
    penalty = Policy(percent_per_day=10).penalty(100 + 8, 1.0)
    assert after_penalty(100, 8, penalty) == (90, 7.2)
    assert after_penalty(100, 8, 108) == (0, 0) and after_penalty(0, 0, 0) == (0, 0)


DAYS_LATE = [(1, "9.9", "8.1"), (0, "11.0", "9.0"), (20, "0.0", "0.0")]


@pytest.mark.parametrize(("days", "score", "extra"), fast_first(1, [pytest.param(*row) for row in DAYS_LATE]))
def test_a_late_submission_loses_the_same_share_of_both(ada, days, score, extra):
    (ada / "course.yaml").write_text(f"timezone: UTC\ndue:\n  {LAB}: 2026-10-01 12:00\nlate:\n  percent_per_day: 10\n")
    stamp = ada / "autograder" / "submitted" / "ada" / LAB / "timestamp.txt"
    stamp.write_text(f"2026-10-{1 + days:02} 12:00 UTC")
    assert feedback.main(["--root", str(ada)]) == 0
    with open(ada / "autograder" / "grades.csv", newline="") as file:
        row = next(csv.DictReader(file))
    assert [row[name] for name in ("total", "total_extra", "points", "extra")] == [score, extra, "11", "9"]
    page = (ada / "autograder" / "feedback" / "ada" / LAB / "lab.html").read_text()
    assert f"{float(score):g} of 100 points, extra {float(extra):g} of 9</strong>" in page


# ---- by hand


@pytest.fixture
def ada(graded, tmp_path):
    return copied(graded, tmp_path / "course")


def test_extra_credit_given_by_hand_survives_another_verdict(ada):
    entry(ada, extra_credit=11.0)
    grade(ada, force=True)
    assert (entry(ada)["extra_credit"], entry(ada)["needs_manual_grade"]) == (11, False)
    hand_in(ada, "ada", RIGHT | {VIEW: WRONG_VIEW})
    grade(ada)
    assert (entry(ada)["extra_credit"], entry(ada)["needs_manual_grade"]) == (2, True)


def test_extra_credit_taken_by_hand_does_not_come_back(ada):
    entry(ada, extra_credit=None)
    grade(ada, force=True)
    assert entry(ada)["extra_credit"] == 0


def test_a_refused_submission_has_only_what_was_given_by_hand(ada):
    entry(ada, extra_credit=10.0)
    (ada / "autograder" / "submitted" / "ada" / LAB / "lab.ipynb").write_text("[")
    gradebook.enter(ada, run_submission("ada", LAB, Settings(root=ada)))
    assert (standing(ada).score, standing(ada).extra) == (0, 1)


# ---- a lab that changes


MOVED = [(4.0, None, 4), (None, None, 9), (None, 1.5, 10.5)]


@pytest.mark.parametrize(("manual", "given", "extra"), fast_first(1, [pytest.param(*row) for row in MOVED]))
def test_points_move_to_extra_credit_when_an_exercise_becomes_optional(tmp_path, manual, given, extra):
    root = write_course(tmp_path)
    hand_in(root, "ada", change=write_answer("It repeats."))
    grade(root, TEXT)
    entry(root, manual_score=manual, extra_credit=given)
    before = standing(root).score + standing(root).extra
    said = " ".join(release(write_lab(root, OPTIONAL), root))
    assert "the 9 points of strides-view_strides are extra credit now" in said and "backups" in said
    assert (standing(root).extra, standing(root).score + standing(root).extra) == (extra, before)
    grade(root)
    assert (standing(root).score, standing(root).extra, entry(root)["manual_score"]) == (11, extra, None)
    grade(root, TEXT)
    assert standing(root).score + standing(root).extra == before


def test_a_verdict_that_is_kept_counts_as_the_lab_says_now(tmp_path):
    root = write_course(tmp_path)
    hand_in(root, "ada")
    grade(root, TEXT)
    seed = submission_record.read(root, LAB, "ada")["seed"]
    grade(root)
    record = submission_record.read(root, LAB, "ada")
    assert (record["seed"], record["points"], record["extra"]) == (seed, 11, 9)


@pytest.mark.slow
@pytest.mark.parametrize(("text", "failed"), [(OPTIONAL, []), (TEXT, [f'check("{VIEW}")'])])
def test_validate_asks_for_no_optional_exercise(tmp_path, monkeypatch, text, failed):
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY), prepend=os.pathsep)
    root = write_course(tmp_path)
    release(write_lab(root, text), root)
    core = {name: answer for name, answer in RIGHT.items() if name != VIEW}
    folder = hand_in(root, "bob", core, write_answer("It repeats.")).parent
    for name in ("cases.json", "lab.json"):
        shutil.copyfile(root / "course" / LAB / name, folder / name)
    found = Validator().validate(str(folder / "lab.ipynb"))
    assert [cell["source"] for cell in found.get("failed", []) if "payoff" not in cell["source"]] == failed
