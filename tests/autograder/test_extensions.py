"""A student with an extension is late by a date of the student's own, behind every door and without judging again."""

import csv
import datetime as dt
import io
import re
from zoneinfo import ZoneInfo

import pytest
from handed_in import LAB, copied, hand_in, write_answer, write_course
from nbgrader.api import Gradebook

from autograder.department.exports.__main__ import _options, export
from autograder.grading import course_file, extensions, feedback, gradebook, lateness, up_to_date
from autograder.grading.course_file import CourseFileError
from autograder.grading.extensions import BadExtension, of, parse
from autograder.grading.submission_record import Settings, run_submission

LABS = ("01-strides", "02-dispatch")
BERLIN = ZoneInfo("Europe/Berlin")
UTC = dt.datetime  # the gradebook's times are UTC, and name no zone
DUE = {"01-strides": UTC(2026, 10, 12, 21, 59)}
HEAD = "id,lab,due\n"

WHEN = {
    "ada,01-strides,2026-10-20 23:59": UTC(2026, 10, 20, 21, 59),
    "ada,1,2026-10-20": UTC(2026, 10, 20, 22),  # the whole day
    "ada,01,2026-10-20 23:59 UTC": UTC(2026, 10, 20, 23, 59),
    "ada,all,+7 days": UTC(2026, 10, 19, 21, 59),
    "ada,ALL,+2 weeks": UTC(2026, 10, 26, 22, 59),  # the clock has changed: still 23:59
    "ada,all,+7 days\nada,01,+1 day": UTC(2026, 10, 13, 21, 59),  # the lab's line counts
    "ada,02,+7 days": None,
    "bob,all,+7 days": None,
}


@pytest.mark.parametrize(("lines", "when"), WHEN.items(), ids=WHEN)
def test_an_extension_is_exact_to_the_second(lines, when):
    given = parse(HEAD + lines, BERLIN, DUE | {"02-dispatch": DUE[LAB]}, LABS)
    assert of(given, LAB, "ada", DUE[LAB], BERLIN) == when


def test_the_table_may_be_what_a_spreadsheet_makes_of_the_roster():
    text = "name;Due;ID;lab;reason\r\nLovelace, Ada;+1 day;ada;01;ill\r\n;;;;\r\n"
    assert parse(text, BERLIN, DUE, LABS) == {(LAB, "ada"): dt.timedelta(days=1)}


BAD = {
    "student,lab,due\n": "line 1: no column id; expected a first line id,lab,due",
    "": "line 1: no column id, lab, due",
    HEAD + "ada,09,+1 day": "line 2: no lab '09'; there are: 01-strides, 02-dispatch",
    HEAD + "a/b,01,+1 day": "line 2: the id is 'a/b', expected letters",
    HEAD + "ada,01,soon": "line 2: due is 'soon', expected a time such as 2027-02-05 23:59, or +7 days",
    HEAD + "ada,01,": "line 2: due is ''",
    HEAD + "ada,01": "line 2: due is ''",
    HEAD + "ada,01,-1 day": "line 2: due is '-1 day'",
    HEAD + "ada,01,+48 hours": "line 2: due is '+48 hours'",
    HEAD + "\nada,01,2026-10-01 12:00": "line 3: due 2026-10-01 12:00:00+02:00 is before the class's date, 2026-10-12",
    HEAD + "ada,02,+1 day": "line 2: 02-dispatch has no due date in course.yaml: add the date, or remove this line",
    HEAD + "ada,all,2026-10-20": "line 2: one date for all labs",
    HEAD + "ada,01,+1 day\nada,1,+2 days": "line 3: ada has a line for 01-strides already",
    HEAD + "ada,01," + "9" * 200_000: "line 2: field larger than field limit",
}


@pytest.mark.parametrize(("text", "message"), BAD.items(), ids=[text[:40] for text in BAD])
def test_a_mistake_in_the_table_is_named_with_its_line(text, message):
    with pytest.raises(BadExtension, match=re.escape(f"extensions.csv, {message}")):
        parse(text, BERLIN, DUE, LABS)


def test_a_table_that_is_no_text_is_a_mistake_too(tmp_path):
    (tmp_path / extensions.FILE).write_bytes(b"id,lab,due\n\xff")
    with pytest.raises(CourseFileError, match=r"extensions\.csv can't be read"):
        course_file.load(tmp_path)


# ---- in a course


pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # nbgrader's own
graded_here = pytest.mark.usefixtures("isolation")
YAML = "timezone: Europe/Berlin\ndue:\n  01-strides: 2026-10-12 23:59\nlate:\n  percent_per_day: 10\n"
LATE = "2026-10-14 12:00 UTC"  # two days begun


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A course in which ada and bob handed in the same, two days late."""
    root = write_course(tmp_path_factory.mktemp("course"))
    (root / "course.yaml").write_text(YAML)
    for student in ("ada", "bob"):
        hand_in(root, student, change=write_answer("It repeats.")).with_name("timestamp.txt").write_text(LATE)
        record = run_submission(student, LAB, Settings(root=root))
        gradebook.enter(root, record)
        gradebook.write_feedback(root, record)
    return root


@pytest.fixture
def root(graded, tmp_path):
    return copied(graded, tmp_path / "course")


def standing(root, student="ada"):
    return gradebook.standing(root, {"student": student, "lab": LAB})


def extend(root, *lines):
    (root / extensions.FILE).write_text(HEAD + "\n".join(lines))
    lateness.refresh_all(gradebook.prepare(root))


@graded_here
def test_an_extension_moves_one_student_s_date_and_the_table_alone_decides(root, capsys):
    assert (standing(root).penalty, standing(root, "bob").penalty) == (4, 4)
    extend(root, "ada,01,+1 day")
    assert (standing(root).penalty, standing(root, "bob").penalty) == (2, 4)
    extend(root, "ada,all,+7 days")
    assert (standing(root).penalty, standing(root).seconds_late, standing(root, "bob").penalty) == (0, 0, 4)
    extend(root)
    assert (standing(root).penalty, standing(root).own_due) == (4, "")
    assert "the extension of ada in 01-strides, 7 d, no longer counts" in capsys.readouterr().err


@graded_here
def test_a_table_that_can_not_be_used_changes_nothing_and_is_named_everywhere(root, capsys):
    extend(root, "ada,01,+7 days")
    extend(root, "ada,01,yesterday")
    assert standing(root).penalty == 0
    assert "extensions.csv, line 2: due is 'yesterday'" in capsys.readouterr().err
    assert "extensions.csv, line 2" in course_file.problem(root)
    with pytest.raises(CourseFileError):
        export(_options(["--to", "csv", "--lab", "01"]), root)


@graded_here
def test_an_extension_to_a_date_that_is_gone_stops_nobody(root):
    extend(root, "ada,01,+7 days")
    (root / "course.yaml").write_text(YAML.replace("  01-strides: 2026-10-12 23:59\n", "  01-strides: none\n"))
    (root / extensions.FILE).unlink()
    lateness.refresh_all(gradebook.prepare(root))
    assert (standing(root).due, standing(root).penalty, standing(root).seconds_late) == ("", 0, 0)


@graded_here
def test_without_the_table_an_extension_of_the_gradebook_s_counts(root):
    with Gradebook(gradebook.prepare(root).CourseDirectory.db_url) as book:
        book.grant_extension(LAB, "ada", days=1)
    lateness.refresh_all(gradebook.prepare(root))
    assert (standing(root).penalty, standing(root, "bob").penalty) == (2, 4)


@graded_here
def test_a_second_run_is_about_the_students_whose_date_changed(root):
    settings = Settings(root=root)
    jobs = up_to_date.handed_in(settings, [(LAB, "ada"), (LAB, "bob")])
    (root / extensions.FILE).write_text(HEAD)
    seen = up_to_date.seen_now(root, jobs)
    before = up_to_date.of_submissions(settings, jobs, seen)
    (root / extensions.FILE).write_text(HEAD + "ada,all,+7 days\n")
    after = up_to_date.of_submissions(settings, jobs, seen)
    assert {name for name in before if before[name] != after[name]} == {f"{LAB}/ada"}


@graded_here
def test_make_feedback_says_it_to_everybody_and_judges_nobody(root, capsys):
    records = {path: path.read_bytes() for path in (root / "autograder" / "records").glob("*/*.json")}
    (root / "roster.csv").write_text("id,name,email\nada,Ada Lovelace,lovelace@example.org\ncarla,Carla C,\n")
    lines = ["ada,01,2026-10-20 23:59", "lovelace@example.org,01,+1 day", "bbo,all,+1 day", "carla,01,+2 days"]
    (root / extensions.FILE).write_text(HEAD + "\n".join(lines))
    assert feedback.main(["--root", str(root)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "1 of 2 pages changed" in said, said
    assert "lovelace@example.org has not handed in anything and is in no roster: is ada meant?" in said
    assert "bbo has not handed in anything and is in no roster: is bob meant?" in said and "carla" not in said
    assert {path: path.read_bytes() for path in records} == records
    pages = {name: (root / "autograder" / "feedback" / name / LAB / "lab.html").read_text() for name in ("ada", "bob")}
    assert "due for you: 2026-10-20 23:59:00+02:00 (for the class: 2026-10-12 23:59:00+02:00)" in pages["ada"]
    assert "due for you" not in pages["bob"] and "2 d" not in pages["ada"].partition("<ul")[0]
    page = (root / "autograder" / "report.html").read_text()
    assert "due 2026-10-12 23:59:00+02:00, 1 late, 1 with an extension" in page
    assert "extension: due 2026-10-20 23:59:00+02:00" in page
    table = csv.DictReader(io.StringIO((root / "autograder" / "grades.csv").read_text()))
    rows = {row["student"]: row for row in table}
    assert (rows["ada"]["due"], rows["ada"]["late_penalty"]) == ("2026-10-20 23:59:00+02:00", "0.0")
    assert (rows["bob"]["due"], rows["bob"]["late_penalty"]) == ("2026-10-12 23:59:00+02:00", "4.0")
