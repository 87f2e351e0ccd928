"""Exported grades: what Canvas and Moodle read from the file is what the gradebook has, and nobody else's."""

import csv
import io
import shutil
from pathlib import Path

import pytest
from handed_in import LAB, RIGHT, STUB, copied, hand_in, write_answer, write_course
from lms_imports import CanvasCourse, ImportFails, Worksheet, moodle_gradebook
from nbgrader.api import Gradebook

from autograder.department.exports import ExportError, made, sheet
from autograder.department.exports.__main__ import main
from autograder.department.exports.grades import EXTRA, Grade
from autograder.examine.lab_file import Lab
from autograder.grading import gradebook, store, submission_record
from autograder.grading.collect import roster
from autograder.grading.collect.roster import Person, Roster
from autograder.grading.course_file import Course
from autograder.grading.submission_record import Settings, run_submission

STRIDES = Lab(LAB, "Lab 1. Strides: a tensor is a view of a storage", ())
PEOPLE = (
    Person("ada", "Ada", "Lovelace", "ada@example.org", "al815", (("canvas", "12345"), ("moodle", "71"))),
    Person("jorg", "Jörg", "Müller", "jm@example.org", "jm2", (("canvas", "12346"), ("moodle", "72"))),
    Person("kim1", "Kim", "Lee", "kim1@example.org", "kl1", (("canvas", "12347"), ("moodle", "73"))),
    Person("kim2", "Kim", "Lee", "kim2@example.org", "kl2", (("canvas", "12348"), ("moodle", "74"))),
)
ROSTER = Roster({person.id: person for person in PEOPLE}, "roster.csv")
ALL = {person.id: Grade(points) for person, points in zip(PEOPLE, (87.25, 0.0, 100.0, 61.5), strict=True)}

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Notes,Lab 1. Strides (4321),Lab 2 (4322),Labs Current Score,Final Score
,,,,,,Manual Posting,,,
    Points Possible,,,,,,100.00,100.00,(read only),(read only)
"Lovelace, Ada",12345,0007,al815,"A, B",=mine,,55.00,1,1
"Müller, Jörg",12346,0008,jm2,A,,20.00,,1,1
"Lee, Kim",12347,0009,kl1,A,,,,1,1
"Lee, Kim",12348,0010,kl2,A,,EX,,1,1
"Student, Test",99999,,x,A,,,,1,1
"""
WORKSHEET = """\
Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Last modified (submission),\
Online text,Last modified (grade),Feedback comments
Participant 71,Ada Lovelace,ada@example.org,Submitted for grading,,100.00,Yes,"Monday, 23 November 2026, 3:58 PM",\
=cmd(),-,"=good,
two lines"
Participant 72,Jörg Müller,jm@example.org,No submission,5.00,100.00,Yes,-,,-,
Participant 73,Kim Lee,kim1@example.org,No submission,,100.00,No,-,,-,
Participant 74,Kim Lee,kim2@example.org,No submission,,100.00,Yes,-,,-,
"""
MOODLE = """\
First name,Last name,ID number,Institution,Email address,Assignment: Lab 1 (Real),Course total (Real),\
Last downloaded from this course
Ada,Lovelace,0007,,ada@example.org,-,5.00,1760000000
Jörg,Müller,0008,,jm@example.org,20.00,5.00,1760000000
Kim,Lee,0009,,kim1@example.org,-,5.00,1760000000
Kim,Lee,0010,,kim2@example.org,-,5.00,1760000000
"""
USERS = {person.email: person.id for person in PEOPLE}


def course(**scores):
    users = [
        (12345 + at, f"{at + 7:04}", person.login, f"{person.last}, {person.first}") for at, person in enumerate(PEOPLE)
    ]
    users.append((99999, "", "x", "Student, Test"))
    return CanvasCourse(users, {4321: "Lab 1. Strides", 4322: "Lab 2"}, **scores)


def filled(tmp_path, text, to, grades=ALL, known=ROSTER, column="", scaled=lambda points: points):
    """Text, those left out, and rows of nobody."""
    path = tmp_path / "vendor.csv"
    path.write_text(text, encoding="utf-8")
    given = sheet.read(path, to, STRIDES, column)
    matched = sheet.match(given, known)
    return *sheet.fill(given, matched, grades, scaled), matched.strays


def table(text, delimiter=","):
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter))


def without(*names):
    return Roster({name: person for name, person in ROSTER.people.items() if name not in names}, "roster.csv")


# ---- a file of the vendor's


def test_canvas_reads_the_grades_from_its_own_file_and_keeps_all_else(tmp_path):
    text, left, strays = filled(tmp_path, CANVAS, "canvas")
    canvas = course(scores={(12345, 4322): "55.0", (12346, 4321): "20.0", (12348, 4321): "EX"})
    canvas.upload(text)
    assert canvas.scores == {
        (12345, 4321): "87.25", (12345, 4322): "55.0", (12346, 4321): "0.0", (12347, 4321): "100.0",
        (12348, 4321): "EX",
    }  # fmt: skip
    assert left == {"kim2": "vendor.csv has EX for it, which stays"}
    assert strays == ["row 8, 'Student, Test': nobody in roster.csv"]
    assert canvas.new == []


def test_nothing_changes_but_the_grades(tmp_path):
    text, *_ = filled(tmp_path, CANVAS, "canvas")
    before, after = table(CANVAS), table(text)
    changed = {
        (at, column) for at, row in enumerate(after) for column, cell in enumerate(row) if before[at][column] != cell
    }
    assert changed == {(3, 6), (4, 6), (5, 6)}
    assert [len(row) for row in after] == [len(row) for row in before]


def test_someone_without_a_grade_keeps_the_cell_that_canvas_wrote(tmp_path):
    text, left, _ = filled(
        tmp_path, CANVAS, "canvas", ALL | {"jorg": Grade(None, "waits"), "ada": Grade(None, "waits")}
    )
    canvas = course(scores={(12346, 4321): "20.0"})
    canvas.upload(text)
    assert (canvas.scores.get((12345, 4321)), canvas.scores[12346, 4321]) == (None, "20.0")
    assert set(left) == {"kim2"}


def test_a_file_with_semicolons_and_decimal_commas_stays_one(tmp_path):
    theirs = CANVAS.replace(",", ";").replace('"A; B"', '"A, B"').replace("; ", ", ").replace("100.00", "100,00")
    text, left, _ = filled(tmp_path, theirs, "canvas")
    canvas = course()
    canvas.upload(text, ";")
    assert canvas.scores[12345, 4321] == "87.25"
    assert set(left) == {"kim2"}


def test_the_worksheet_takes_the_grades_and_its_feedback_is_untouched(tmp_path):
    text, left, strays = filled(tmp_path, WORKSHEET, "moodle")
    moodle = Worksheet({71, 72, 73, 74}, 100, locked={73})
    moodle.upload(text)
    assert moodle.grades == {71: 87.25, 72: 0.0, 74: 61.5}
    assert moodle.feedback[71] == "=good,\ntwo lines"
    assert left == {"kim1": "vendor.csv says that its grade can't be changed"}
    assert not strays


def test_the_worksheet_that_was_filled_in_is_still_a_roster(tmp_path):
    path = tmp_path / "filled.csv"
    path.write_text(filled(tmp_path, WORKSHEET, "moodle")[0], encoding="utf-8")
    before, after = (roster.read(each, Course()).people for each in (tmp_path / "vendor.csv", path))
    assert before == after
    assert dict(after["ada@example.org"].numbers) == {"moodle": "71"}


def test_moodle_s_gradebook_gets_no_row_that_would_erase_a_grade(tmp_path):
    text, left, _ = filled(tmp_path, MOODLE, "moodle", ALL | {"jorg": Grade(None, "waits")})
    given_since = {"jorg": 25.0}
    after = moodle_gradebook(text, USERS, "Email address", "Assignment: Lab 1 (Real)", given_since)
    assert after == {"ada": 87.25, "jorg": 25.0, "kim1": 100.0, "kim2": 61.5}
    assert not left


def test_a_mark_at_the_beginning_of_a_vendor_s_file_is_read_and_not_written(tmp_path):
    text, left, _ = filled(tmp_path, "\ufeff" + WORKSHEET, "moodle")
    assert text.startswith("Identifier,")
    assert set(left) == {"kim1"}


# ---- who is who


def test_two_of_one_name_are_told_apart_by_an_id_and_never_by_a_guess(tmp_path):
    nameless = CANVAS.replace("12347,0009,kl1", ",,")
    text, left, strays = filled(tmp_path, nameless, "canvas")
    assert left["kim1"] == "in no row of vendor.csv"
    assert "row 6, 'Lee, Kim': kim1 and kim2 may be meant: add a number or login to the roster" in strays
    assert table(text)[5][6] == ""


def test_ids_that_contradict_each_other_are_two_people(tmp_path):
    _, left, strays = filled(tmp_path, CANVAS.replace("12345,0007,al815", "12345,0007,jm2"), "canvas")
    assert "row 4, 'Lovelace, Ada': ada and jorg may be meant: add a number or login to the roster" in strays
    assert left["ada"] == "in no row of vendor.csv"


def test_two_rows_of_one_student_are_both_left(tmp_path):
    again = '"Lovelace, A.",,,al815,A,,33,,1,1\n'
    text, left, strays = filled(tmp_path, CANVAS + again, "canvas")
    assert "rows 4, 9: all are ada's: none of them is filled in" in strays
    assert (table(text)[3][6], table(text)[8][6], left["ada"]) == ("", "33", "in no row of vendor.csv")


def test_a_login_that_only_looks_like_a_name_is_not_its_bearer_s(tmp_path):
    known = Roster({"ada": Person("ada", "Ada", "Lovelace")}, "roster.csv")
    stranger = CANVAS.replace('"Lovelace, Ada",12345,0007,al815', '"King, A.",5,6,adalovelace')
    _, left, strays = filled(tmp_path, stranger, "canvas", {"ada": Grade(1.0)}, known)
    assert left == {"ada": "in no row of vendor.csv"}
    assert "row 4, 'King, A.': nobody in roster.csv" in strays


@pytest.mark.parametrize("ids", ["5,6,other", "5,6,", ",,other"])
def test_somebody_else_of_the_same_name_is_told_by_number_or_login(tmp_path, ids):
    text, left, strays = filled(tmp_path, CANVAS.replace("12345,0007,al815", ids), "canvas")
    assert (table(text)[3][6], left["ada"]) == ("", "in no row of vendor.csv")
    assert "row 4, 'Lovelace, Ada': nobody in roster.csv" in strays


def test_another_email_address_and_another_assignment_s_number_are_still_the_student_s(tmp_path):
    theirs = WORKSHEET.replace("Participant 71", "Participant 171").replace("ada@example.org", "lovelace@example.org")
    assert table(filled(tmp_path, theirs, "moodle")[0])[1][4] == "87.25"


def test_a_roster_of_names_alone_is_enough_where_they_differ(tmp_path):
    known = Roster({"ada": Person("ada", "Ada", "Lovelace"), "jorg": Person("jorg", "Jorg", "Muller")}, "roster.csv")
    text, left, _ = filled(tmp_path, CANVAS, "canvas", {name: ALL[name] for name in known.people}, known)
    assert ([row[6] for row in table(text)[3:5]], left) == (["87.25", "0"], {})


# ---- the column and its maximum

LISTED = "there are: 'Notes', 'Lab 1. Strides (4321)', 'Lab 2 (4322)'. Say which one: COLUMN="
COLUMNS = {"Lab 1. Strides (4321)": 6, "4321": 6, "lab 2": 7, "4322": 7}


@pytest.mark.parametrize(("asked", "at"), COLUMNS.items())
def test_a_column_is_found_by_heading_title_or_number(tmp_path, asked, at):
    text, *_ = filled(tmp_path, CANVAS, "canvas", column=asked)
    assert table(text)[3][at] == "87.25"


@pytest.mark.parametrize("title", ["Lab 1", "lab 01", "01-strides", STRIDES.title, "Lab 1 - Strides"])
def test_a_column_is_recognized_by_the_lab_s_names(tmp_path, title):
    text, *_ = filled(tmp_path, CANVAS.replace("Lab 1. Strides (", f"{title} ("), "canvas")
    assert table(text)[3][6] == "87.25"


@pytest.mark.parametrize("other", ["Homework (4321)", "Lab 10 (4321)"])
def test_no_column_is_guessed(tmp_path, other):
    with pytest.raises(ExportError, match=r"no column of grades named like 01-strides; there are: 'Notes', "):
        filled(tmp_path, CANVAS.replace("Lab 1. Strides (4321)", other), "canvas")
    with pytest.raises(ExportError) as error:
        filled(tmp_path, CANVAS, "canvas", column="Final Score")
    assert LISTED in str(error.value)


def test_two_columns_of_one_name_are_not_guessed(tmp_path):
    with pytest.raises(ExportError, match="2 columns of grades named like 01-strides"):
        filled(tmp_path, CANVAS.replace("Lab 2 (", "Lab 1 ("), "canvas")


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "Student,ID\n", '"Student,ID\n'])
def test_what_is_no_file_of_the_vendor_s_is_refused(tmp_path, text):
    with pytest.raises(ExportError):
        filled(tmp_path, text, "canvas")


def test_a_worksheet_of_words_is_refused(tmp_path):
    with pytest.raises(ExportError, match="by points, not by a scale"):
        filled(tmp_path, WORKSHEET.replace("Maximum Grade", "Scale").replace("100.00", "Good;Bad"), "moodle")


def test_above_the_maximum_of_a_worksheet_moodle_would_say_nothing_so_we_do(tmp_path):
    text, left, _ = filled(tmp_path, WORKSHEET, "moodle", ALL | {"ada": Grade(107.0)})
    assert left["ada"] == "Moodle passes over 107, which is above the maximum 100"
    assert table(text)[1][4] == ""


# ---- a file of our own


def vendors(to, grades=ALL, people=ROSTER.people, by="", column="Lab 1"):
    return made.vendors(to, people, grades, 100.0, column, by)


@pytest.mark.parametrize("column", ["Lab 1. Strides (4321)", "Lab 1. Strides"])
def test_canvas_reads_a_file_made_from_the_roster(column):
    text, left = vendors("canvas", ALL | {"jorg": Grade(None, "waits")}, column=column)
    canvas = course(scores={(12346, 4321): "20.0"})
    canvas.upload(text)
    assert canvas.scores == {
        (12345, 4321): "87.25",
        (12346, 4321): "20.0",
        (12347, 4321): "100.0",
        (12348, 4321): "61.5",
    }
    assert (left, canvas.new) == ({}, [])
    assert table(text)[1] == ["    Points Possible", "", "", "", "", "100"]


def test_canvas_knows_students_by_login_where_the_roster_has_no_number():
    people = {
        name: Person(name, person.first, person.last, login=person.login) for name, person in ROSTER.people.items()
    }
    canvas = course()
    canvas.upload(vendors("canvas", people=people, column="Lab 1. Strides")[0])
    assert len(canvas.scores) == 4


@pytest.mark.parametrize(("by", "heading"), [("", "Email address"), ("id", "ID number"), ("login", "Username")])
def test_moodle_reads_a_file_made_from_the_roster(by, heading):
    field = by or "email"
    users = {getattr(person, field): person.id for person in PEOPLE}
    text, left = vendors("moodle", by=by)
    assert moodle_gradebook(text, users, heading, "Lab 1") == {name: grade.points for name, grade in ALL.items()}
    assert not left


def test_no_row_is_without_an_identity_for_moodle_gives_it_to_the_student_before():
    people = ROSTER.people | {"jorg": Person("jorg", "Jörg", "Müller")}
    text, left = vendors("moodle", people=people)
    assert left == {"jorg": "the roster has no email, by which Moodle's gradebook knows students"}
    assert "jorg" not in moodle_gradebook(text, USERS, "Email address", "Lab 1")


def test_an_email_address_of_two_is_nobody_s():
    people = ROSTER.people | {"jorg": Person("jorg", "Jörg", "Müller", "ADA@example.org")}
    assert set(vendors("moodle", people=people)[1]) == {"ada", "jorg"}


def test_someone_who_is_not_on_the_roster_is_named():
    assert vendors("canvas", ALL | {"eve": Grade(5.0)})[1] == {"eve": "not on the roster"}


@pytest.mark.parametrize(("to", "by"), [("canvas", "email"), ("moodle", "canvas")])
def test_an_identity_that_the_vendor_does_not_know_is_refused(to, by):
    with pytest.raises(ExportError, match=f"--by {by}: .* knows students by one of"):
        vendors(to, by=by)


def test_a_column_that_canvas_takes_for_a_total_is_refused():
    with pytest.raises(ExportError, match="would not take it for a column of grades"):
        vendors("canvas", column="Final Score of lab 1")


def test_a_column_that_canvas_computes_is_not_filled_in(tmp_path):
    text, *_ = filled(tmp_path, CANVAS.replace("Final Score", "Lab 1 (4329)"), "canvas")
    assert table(text)[3][6] == "87.25" and table(text)[3][9] == "1"


# ---- formulas

EVIL = "=HYPERLINK(1)"


def test_a_formula_in_a_name_is_text_and_no_id_is_changed(tmp_path):
    people = {"ada": Person("ada", "", EVIL, "ada@example.org", "al815", (("canvas", "12345"),))}
    for text in (vendors("canvas", {"ada": Grade(5.0)}, people)[0], vendors("moodle", {"ada": Grade(5.0)}, people)[0]):
        assert all(not cell.startswith("=") for row in table(text) for cell in row)
        assert f"'{EVIL}" in table(text)[-1]
    text, *_ = filled(tmp_path, CANVAS.replace('"Lovelace, Ada"', f'"{EVIL}"'), "canvas")
    assert table(text)[3][:5] == [f"'{EVIL}", "12345", "0007", "al815", "A, B"]
    canvas = course()
    canvas.upload(text)
    assert canvas.scores[12345, 4321] == "87.25"


def test_what_students_typed_into_a_worksheet_is_text(tmp_path):
    assert table(filled(tmp_path, WORKSHEET, "moodle")[0])[1][8] == "'=cmd()"


def test_an_id_that_is_a_formula_is_left_out_and_not_changed():
    people = ROSTER.people | {"jorg": Person("jorg", "Jörg", "Müller", "=1+2@example.org")}
    text, left = vendors("moodle", people=people)
    assert left == {"jorg": "its email '=1+2@example.org' is a formula to a spreadsheet"}
    assert "=1+2" not in text


def test_the_plain_table_runs_nothing_and_says_why_a_grade_is_missing():
    people = {"ada": Person("ada", "", EVIL, "+1@example.org", "@x"), "bob": Person("bob")}
    text = made.plain(people, {"ada": Grade(5.0), "bob": Grade(None, "waits")}, 100.0, STRIDES)
    assert text.startswith("\ufeffid,name")
    assert table(text)[1][:7] == ["ada", f"'{EVIL}", "'+1@example.org", "'@x", LAB, "5", "100"]
    assert table(text)[2] == ["bob", "", "", "", LAB, "", "100", "", "", "", "waits"]


# ---- extra credit

POINTS = {"cap": (100.0, 93.0, 104.0), "add": (107.0, 93.0, 106.0), "none": (95.0, 90.0, 104.0)}


@pytest.mark.parametrize(("extra", "points"), POINTS.items())
def test_extra_credit_counts_as_chosen(extra, points):
    assert tuple(EXTRA[extra](*each, 100.0) for each in ((95.0, 12.0), (90.0, 3.0), (104.0, 2.0))) == points


# ---- a class that was graded


@pytest.fixture(scope="module")
def graded_class(isolation, tmp_path_factory):
    """ada is graded and has 3 points extra, jorg waits for a person, kim1 is refused, fay is our fault, eve has 0."""
    root = write_course(tmp_path_factory.mktemp("course"))
    for student in ("ada", "jorg"):
        hand_in(root, student, RIGHT, write_answer("It repeats."))
    hand_in(root, "kim1").write_text("[")
    hand_in(root, "eve", STUB)
    hand_in(root, "fay")
    for student in ("ada", "jorg", "kim1", "eve"):
        gradebook.enter(root, run_submission(student, LAB, Settings(root=root)))
    gradebook.enter(root, submission_record.not_graded("fay", LAB, "the sandbox died", Settings(root=root)))
    by_hand(root, "ada", 60, 3.0)
    lines = [[p.id, f"{p.first} {p.last}", p.email, p.login, dict(p.numbers)["canvas"]] for p in PEOPLE]
    lines += [["eve", "Eve", "eve@example.org", "ev", "12349"], ["fay", "Fay", "fay@example.org", "fa", "12350"]]
    (root / "roster.csv").write_text(made.table([["id", "name", "email", "login", "canvas"], *lines]), encoding="utf-8")
    (root / "canvas.csv").write_text(CANVAS, encoding="utf-8")
    return root


def by_hand(root, student, points, extra=0.0):
    with Gradebook(gradebook.prepare(root).CourseDirectory.db_url) as book:
        grades = book.find_submission(LAB, student).notebooks[0].grades
        grade = next(grade for grade in grades if grade.name == "reflect-stride-zero")
        grade.manual_score, grade.extra_credit, grade.needs_manual_grade = points, extra, False
        book.db.commit()


@pytest.fixture
def root(graded_class, tmp_path):
    return copied(graded_class, tmp_path / "course")


def export(root, *arguments):
    """Exit status, and by student the row of the plain table or what Canvas has."""
    status = main(["--root", str(root), *arguments])
    to = arguments[arguments.index("--to") + 1]
    path = root / "autograder" / "exports" / f"{LAB}-{to}.csv"
    return status, path.read_text(encoding="utf-8") if path.is_file() else ""


def points(text):
    return {row[0]: row[5] for row in table(text)[1:]}


def test_the_class_is_exported_and_whoever_has_no_grade_is_named(root, capsys):
    status, text = export(root, "--to", "csv")
    assert points(text) == {"ada": "83", "eve": "0", "fay": "", "jorg": "", "kim1": "0", "kim2": ""}
    said = capsys.readouterr().out
    assert "without a grade: 2\n" in said
    assert "not graded: our fault (the sandbox died): `make grade` judges it: fay" in said
    assert "1 answer waits to be graded by hand: make formgrader: jorg" in said
    assert "did not submit, no grade: 1" in said
    assert status == 1


def test_it_is_done_when_all_who_submitted_have_a_grade(root):
    by_hand(root, "jorg", 20)
    shutil.rmtree(root / "autograder" / "submitted" / "fay")
    store.path_of(root, LAB, "fay").unlink()
    status, text = export(root, "--to", "csv")
    assert (status, points(text)["jorg"], points(text)["fay"]) == (0, "40", "")


def test_who_waits_or_did_not_submit_gets_points_only_when_asked(root):
    _, text = export(root, "--to", "csv", "--provisional", "--zero-for-missing")
    assert points(text) == {"ada": "83", "eve": "0", "fay": "", "jorg": "20", "kim1": "0", "kim2": "0"}


def test_penalty_and_due_date_are_today_s_and_extra_credit_is_late_too(root):
    (root / "course.yaml").write_text("due:\n  01-strides: 2026-10-12\nlate:\n  percent_per_day: 10\n")
    (root / "autograder" / "submitted" / "ada" / LAB / "timestamp.txt").write_text("2026-10-13 10:00 UTC")
    _, text = export(root, "--to", "csv")
    assert table(text)[1][5:10] == ["74.7", "100", "72.0", "2.7", "8.3"]


def test_a_course_file_that_can_not_be_read_ends_it(root, capsys):
    (root / "course.yaml").write_text("late: sometimes\n")
    (root / "roster.csv").unlink()
    assert export(root, "--to", "csv") == (1, "")
    assert "course.yaml, line 1" in capsys.readouterr().err


def test_what_was_submitted_since_is_not_exported_with_the_old_grade(root, capsys):
    hand_in(root, "ada", STUB)
    hand_in(root, "kim1", RIGHT)
    hand_in(root, "eve").write_text("[")
    _, text = export(root, "--to", "csv")
    assert {points(text)[student] for student in ("ada", "eve", "kim1")} == {""}
    assert "submitted again since it was graded: `make grade` judges it: ada, eve, kim1" in capsys.readouterr().out


def test_a_verdict_that_never_reached_the_gradebook_is_not_exported(root, capsys):
    record = store.read(root, LAB, "ada")
    store.write(root, record | {"seed": record["seed"] + 1})
    assert points(export(root, "--to", "csv")[1])["ada"] == ""
    assert "the gradebook does not have its last verdict: `make grade` judges it: ada" in capsys.readouterr().out


def test_a_record_that_was_changed_by_hand_gives_no_grade(root):
    path = store.path_of(root, LAB, "ada")
    path.write_text(path.read_text().replace('"points": 20', '"points": 90'))
    assert points(export(root, "--to", "csv")[1])["ada"] == ""


def test_submissions_that_were_put_away_are_not_missing(root):
    shutil.rmtree(root / "autograder" / "submitted")
    _, text = export(root, "--to", "csv", "--zero-for-missing")
    assert (points(text)["ada"], points(text)["jorg"], points(text)["kim2"]) == ("83", "", "0")


def test_canvas_s_file_is_filled_in_by_the_command(root, capsys):
    status, text = export(root, "--to", "canvas", "--from", str(root / "canvas.csv"), "--column", "4321")
    canvas = course(scores={(12346, 4321): "20.0"})
    canvas.upload(text)
    assert canvas.scores == {
        (12345, 4321): "83.0", (12345, 4322): "55.0", (12346, 4321): "20.0", (12347, 4321): "0.0", (12348, 4321): "EX",
    }  # fmt: skip
    said = capsys.readouterr().out
    assert "in no row of canvas.csv: eve" in said
    assert "row 8, 'Student, Test': nobody in roster.csv" in said
    assert "Next: Canvas: Grades, Import" in said
    assert status == 1


def test_another_maximum_is_scaled_only_when_asked(root, capsys):
    book = root / "canvas.csv"
    book.write_text(CANVAS.replace("100.00,100.00", "10.00,100.00"), encoding="utf-8")
    arguments = ("--to", "canvas", "--from", str(book), "--column", "4321")
    assert export(root, *arguments) == (1, "")
    assert "the maximum of 'Lab 1. Strides (4321)' is 10, the lab's is 100" in capsys.readouterr().err
    _, text = export(root, *arguments, "--scale")
    assert table(text)[3][6] == "8.3"


def test_without_a_roster_those_whom_the_gradebook_knows_are_matched(root):
    (root / "roster.csv").unlink()
    _, text = export(root, "--to", "moodle", "--by", "id")
    assert moodle_gradebook(text, {name: name for name in ("ada", "eve", "kim1")}, "ID number", "Three views") == {
        "ada": 83.0, "eve": 0.0, "kim1": 0.0,
    }  # fmt: skip


def test_a_file_with_a_stranger_would_end_moodle_s_import():
    with pytest.raises(ImportFails):
        moodle_gradebook(vendors("moodle")[0], {}, "Email address", "Lab 1")


NOT_DONE = {
    ("--to", "csv", "--from", "canvas.csv"): "--from is Canvas's or Moodle's own file",
    ("--to", "canvas", "--from", "canvas.csv", "--out", "canvas.csv"): "would be overwritten",
    ("--to", "canvas", "--from", "nothing.csv"): "nothing.csv can't be read",
    ("--to", "moodle", "--from", "canvas.csv"): "expected Identifier, Grade",
    ("--to", "canvas", "--from", "canvas.csv", "--by", "id"): "--by is for a file made from the roster",
    ("--to", "canvas", "--lab", "2"): "no lab '2'",
}


@pytest.mark.parametrize(("arguments", "said"), NOT_DONE.items(), ids=" ".join)
def test_what_can_not_be_done_is_said_in_one_sentence_and_nothing_is_written(
    graded_class, monkeypatch, capsys, arguments, said
):
    monkeypatch.chdir(graded_class)
    before = (graded_class / "canvas.csv").read_bytes()
    assert export(graded_class, *arguments) == (1, "")
    captured = capsys.readouterr()
    assert said in captured.err.splitlines()[-1]
    assert (graded_class / "canvas.csv").read_bytes() == before


def test_nothing_is_written_before_anybody_is_graded(tmp_path, capsys):
    for folder in ("course", "solutions"):
        Path(tmp_path, folder, LAB).mkdir(parents=True)
    assert export(tmp_path, "--to", "csv") == (1, "")
    assert "Say which lab: LAB=01. Graded: none" in capsys.readouterr().err
