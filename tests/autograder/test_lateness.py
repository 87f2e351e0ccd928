"""Lateness is the same behind every door, whenever it becomes known, and a slip of the pen stops nobody's grading."""

import contextlib
import csv
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from handed_in import LAB, REPOSITORY, RIGHT, copied, hand_in, write_answer, write_course
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory

from autograder.grading import course_file, gradebook, lateness, run
from autograder.grading.class_page import page as class_page
from autograder.grading.submission_record import Settings, run_submission

pytestmark = [
    pytest.mark.usefixtures("isolation"),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # nbgrader's own
]
DUE = "timezone: Europe/Berlin\ndue:\n  01-strides: 2026-10-12 23:59\n"
TENTH = DUE + "late:\n  percent_per_day: 10\n"
LATE = "2026-10-12 22:59 UTC"  # an hour after it was due
PENALTIES = {"": 0.0, "late: none\n": 0.0, "late: zero\n": 20.0, "late:\n  percent_per_day: 10\n": 2.0}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A course in which ada was given her 20 points, without a word on when she handed in."""
    root = write_course(tmp_path_factory.mktemp("course"))
    hand_in(root, "ada", change=write_answer("It repeats."))
    enter(root)
    return root


@pytest.fixture
def root(graded, tmp_path):
    """A copy of it, under the same gradebook's name."""
    return copied(graded, tmp_path / "course")


def enter(root):
    record = run_submission("ada", LAB, Settings(root=root))
    gradebook.enter(root, record)
    return record


def write(root, course=TENTH, timestamp=LATE):
    (root / "course.yaml").write_text(course)
    if timestamp is not None:
        (root / "autograder" / "submitted" / "ada" / LAB / "timestamp.txt").write_text(timestamp)


def standing(root):
    return gradebook.standing(root, {"student": "ada", "lab": LAB})


def nbgrader(root, *arguments):
    command = [str(Path(sys.executable).with_name("nbgrader")), *arguments]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)


@contextlib.contextmanager
def submission(root):
    with Gradebook(gradebook.prepare(root).CourseDirectory.db_url) as book:
        yield book.find_submission(LAB, "ada")
        book.db.commit()


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "penalty"), PENALTIES.items())
def test_a_timestamp_that_comes_later_counts(root, policy, penalty):
    assert standing(root).penalty == 0
    write(root, DUE + policy)
    enter(root)
    assert (standing(root).penalty, standing(root).seconds_late) == (penalty, 3600)


def test_a_changed_due_date_and_a_removed_timestamp_count(root):
    write(root)
    enter(root)
    write(root, TENTH.replace("10-12 23:59", "10-13"), None)
    enter(root)
    assert (standing(root).penalty, standing(root).seconds_late) == (0, 0)
    write(root, timestamp=None)
    enter(root)
    assert standing(root).penalty == 2
    (root / "autograder" / "submitted" / "ada" / LAB / "timestamp.txt").unlink()
    enter(root)
    assert (standing(root).penalty, standing(root).submitted) == (0, "")


def test_formgrader_s_button_takes_off_the_same(root, tmp_path):
    write(root)
    by_button = copied(root, tmp_path / "button")
    enter(root)
    course = gradebook.prepare(by_button)
    assert NbGraderAPI(CourseDirectory(config=course), config=course).autograde(LAB, "ada")["success"]
    assert standing(root)[:4] == standing(by_button)[:4] == (20, 100, 2, 1)


@pytest.mark.slow
def test_nbgrader_s_command_takes_off_the_same(root, tmp_path):
    write(root)
    by_command = copied(root, tmp_path / "command")
    enter(root)
    nbgrader(by_command, "autograde", LAB)
    assert standing(root)[:4] == standing(by_command)[:4] == (20, 100, 2, 1)


@pytest.mark.slow
def test_nbgrader_s_own_penalty_method_counts_under_both_where_the_course_file_names_none(root, tmp_path):
    write(root, DUE)
    with open(root / "nbgrader_config.py", "a") as file:
        file.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')
    by_command = copied(root, tmp_path / "command")
    enter(root)
    nbgrader(by_command, "autograde", LAB, "--force")
    assert (standing(root).penalty, standing(by_command).penalty) == (20, 20)


def test_points_given_by_hand_are_late_too(root):
    write(root)
    enter(root)
    with submission(root) as given:
        grade = next(grade for grade in given.notebooks[0].grades if grade.name == "reflect-stride-zero")
        grade.manual_score, grade.needs_manual_grade = 60, False
    lateness.refresh(gradebook.prepare(root), LAB, "ada")
    assert (standing(root).score, standing(root).penalty) == (80, 8)


@pytest.mark.slow
def test_nbgrader_s_export_holds_what_the_files_say_now(root):
    write(root)
    nbgrader(root, "export")
    row = next(csv.DictReader(io.StringIO((root / "grades.csv").read_text())))
    assert (row["duedate"], row["timestamp"]) == ("2026-10-12 21:59:00", "2026-10-12 22:59:00")
    assert (row["raw_score"], row["late_submission_penalty"], row["score"]) == ("20.0", "2.0", "18.0")


def test_table_report_and_feedback_say_it(root, isolation):
    write(root)
    gradebook.write_feedback(root, enter(root))
    lab = run.lab_file.load(root / "course" / LAB)
    rows = run.rows_of(lab, Settings(root=root))
    row = next(csv.DictReader(io.StringIO(run.report.grades_csv([(lab, rows)]))))
    assert (row["due"], row["submitted"]) == ("2026-10-12 23:59:00+02:00", "2026-10-13 00:59:00+02:00")
    assert (row["seconds_late"], row["late_penalty"], row["total"]) == ("3600", "2.0", "18.0")
    report = class_page.html([(lab, rows)], isolation)
    assert "due 2026-10-12 23:59:00+02:00, 1 late" in report and "1 h, 2 points off" in report
    feedback = (root / "autograder" / "feedback" / "ada" / LAB / "lab.html").read_text()
    assert "18 of 100 points" in feedback and "after 2 taken off" in feedback
    assert "handed in 2026-10-13 00:59:00+02:00, 1 h after it was due" in feedback


def test_a_course_file_that_can_not_be_read_changes_nothing_and_is_named(root, isolation, capsys):
    write(root)
    enter(root)
    write(root, "late:\n  percent_per_day: lots", "2026-10-20 00:00 UTC")
    enter(root)
    assert standing(root).penalty == 2
    assert "course.yaml, line 2: percent_per_day: 'lots'" in capsys.readouterr().err
    lab = run.lab_file.load(root / "course" / LAB)
    rows = run.rows_of(lab, Settings(root=root))
    assert "course.yaml, line 2" in class_page.html([(lab, rows)], isolation, course_file.problem(root))


@pytest.mark.parametrize("text", ["9" * 30 + " h", "2026-11-21 08:00 XYZ", "\xff"])
def test_a_malformed_timestamp_refuses_one_submission_in_a_sentence(root, text):
    write(root, timestamp=text)
    record = enter(root)
    assert record["status"] == "refused" and record["reason"].startswith("timestamp.txt ")
    assert "expected" in record["reason"] and standing(root).score == 0


def test_a_refused_submission_is_graded_once_its_timestamp_is_corrected(root):
    write(root, timestamp="soon")
    enter(root)
    write(root)
    enter(root)
    assert (standing(root).score, standing(root).penalty) == (20, 2)


def test_an_answer_that_changed_is_late_too(root):
    hand_in(root, "ada", RIGHT | {"strides.view_strides": "def view_strides(a, b, c):\n    return None"})
    write(root)
    enter(root)
    assert (standing(root).score, standing(root).penalty) == (11, 1.1)
