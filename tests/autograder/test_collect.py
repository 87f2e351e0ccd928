"""From an LMS's download to the folders that are graded: everyone's own work, whatever is in the archive."""

import csv
import io
import json
import os
import stat
import unicodedata
import zipfile
from pathlib import Path

import pytest

from autograder.grading import intake, lock
from autograder.grading.collect import __main__ as command
from autograder.grading.collect import archive, place, roster
from autograder.grading.course_file import Course
from autograder.grading.timestamps import BadTime
from autograder.student import submit

LAB, OTHER = "01-strides", "02-dispatch"
ROSTER = """id,name,email,login,canvas
ada,Ada Lovelace,ada@example.org,al815,12345
jorg,"Müller, Jörg",jm@example.org,,
obrien,Zoë O'Brien,zoe@example.org,zob,
李四,x,,,
"""
PEOPLE = ROSTER.replace("李四,x,,,", "li4,李 四,li@example.org,,777")


def notebook(lab=LAB, text="x"):
    cells = {LAB: "strides-permute-answer", OTHER: "dispatch-keys-bits-answer"}
    cell = {"cell_type": "code", "id": cells[lab], "metadata": {}, "source": text, "outputs": []}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


@pytest.fixture
def root(tmp_path):
    for lab in (LAB, OTHER):
        for folder in ("course", "solutions"):
            (tmp_path / folder / lab).mkdir(parents=True)
        (tmp_path / "solutions" / lab / "lab.md").write_text("# A lab")
        (tmp_path / "course" / lab / "lab.ipynb").write_bytes(notebook(lab))
    (tmp_path / "course" / OTHER / "TRACE.md").write_text("# Trace")
    (tmp_path / "roster.csv").write_text(PEOPLE, encoding="utf-8")
    return tmp_path


ENROLL = command.enroll


@pytest.fixture(autouse=True)
def _no_gradebook(monkeypatch):
    monkeypatch.setattr(command, "enroll", lambda known, root: None)


def zipped(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            info = zipfile.ZipInfo(name) if isinstance(name, str) else name
            info.compress_type = zipfile.ZIP_DEFLATED
            made.writestr(info, data)
    return path


def collect(root, files, *arguments):
    path = files if isinstance(files, Path) else zipped(root / "submissions.zip", files)
    return command.main([str(path), "--root", str(root), *arguments])


def handed_in(root):
    submitted = root / "autograder" / "submitted"
    return {path.relative_to(submitted).as_posix() for path in submitted.rglob("*") if path.is_file()}


def text_of(root, student, lab=LAB, name="lab.ipynb"):
    return (root / "autograder" / "submitted" / student / lab / name).read_bytes()


def kept(root):
    aside = root / "autograder" / "collected"
    return {path.relative_to(aside).as_posix(): path.read_bytes() for path in aside.rglob("*") if path.is_file()}


PATHS = {
    "Ada Lovelace_1234567_assignsubmission_file_/lab.ipynb": "ada",
    "Ada Lovelace_1234567_assignsubmission_file/sub/my lab.ipynb": "ada",
    "Ada Lovelace_1234567_assignsubmission_file_lab.ipynb": "ada",
    "Group 7-Ada Lovelace_1234567_assignsubmission_file_/lab.ipynb": "ada",
    "Jörg Müller_1_assignsubmission_file_/lab.ipynb": "jorg",
    unicodedata.normalize("NFD", "Jörg Müller") + "_1_assignsubmission_file_/lab.ipynb": "jorg",
    "Zoe OBrien_1_assignsubmission_file_/lab.ipynb": "obrien",
    "李 四_1_assignsubmission_file_/实验.ipynb": "li4",
    "lovelaceada_12345_67890_lab.ipynb": "ada",
    "lovelaceada_LATE_12345_67890_lab-1.ipynb": "ada",
    "renamed_12345_67890_lab.ipynb": "ada",
    "müllerjörg_99_67890_lab.ipynb": "jorg",
    "obrienzoë_99_67890_lab.ipynb": "obrien",
    "李四_777_1_lab.ipynb": "li4",
    "submissions/lovelaceada_12345_67890_lab.ipynb": "ada",
    "ada/final_2026_10_lab.ipynb": "ada",
    "ada/lab.ipynb": "ada",
    "class/ada/01-strides/lab.ipynb": "ada",
    "submissions/AL815/final version.ipynb": "ada",
    "ada.ipynb": "ada",
    "lab_ada (1).ipynb": "ada",
    "01-strides-ada.ipynb": "ada",
    "zoe@example.org.ipynb": "obrien",
    "Jörg Müller/lab.ipynb": "jorg",
    "../../ada/lab.ipynb": "ada",
    "C:\\class\\ada\\lab.ipynb": "ada",
}


@pytest.mark.parametrize(("path", "student"), PATHS.items(), ids=PATHS)
def test_a_path_finds_its_student(root, path, student):
    assert collect(root, {path: notebook()}) == 0
    assert handed_in(root) == {f"{student}/{LAB}/lab.ipynb"}


NOBODY = {
    "Ada Byron_1_assignsubmission_file_/lab.ipynb": "'Ada Byron' is nobody in roster.csv",
    "ada/obrien.ipynb": "ada and obrien may be meant",
    "lab.ipynb": "no name in it is nobody",
    "someone/lab.ipynb": "'someone' is nobody",
}


@pytest.mark.parametrize(("path", "reason"), NOBODY.items(), ids=NOBODY)
def test_what_fits_nobody_is_listed_and_kept(root, capsys, path, reason):
    assert collect(root, {path: notebook()}) == 1
    assert reason in capsys.readouterr().out and handed_in(root) == set()
    assert notebook() in kept(root).values()


def test_names_that_are_missing_come_as_a_roster_to_complete(root):
    collect(
        root, {"Ada Byron_1_assignsubmission_file_/lab.ipynb": notebook(), "=cmd_2_assignsubmission_file_/l.ipynb": b""}
    )
    table = next(data for name, data in kept(root).items() if name.endswith("roster.csv"))
    assert list(csv.reader(io.StringIO(table.decode()))) == [["id", "name"], ["", "Ada Byron"], ["", "'=cmd"]]
    completed = table.decode().replace(",'=cmd", "cmd1,'=cmd")
    (root / "completed.csv").write_text(completed.replace(",Ada", "ada1,Ada"))
    assert roster.of_course(root / "completed.csv", root).people["cmd1"].last == "=cmd"


def test_two_people_of_one_name_are_not_guessed(root, capsys):
    (root / "roster.csv").write_text("id;name;moodle\na1;Kim Lee;11\na2;Kim Lee;12\n")
    files = {"Kim Lee_12_assignsubmission_file_/lab.ipynb": notebook(), "Kim Lee/lab.ipynb": notebook()}
    assert collect(root, files) == 1
    assert handed_in(root) == {f"a2/{LAB}/lab.ipynb"} and "a1 and a2 may be meant" in capsys.readouterr().out


def made_by_submit(student, text="x", lab=OTHER):
    files = {"lab.ipynb": notebook(lab, text), "TRACE.md": b"# Trace of ada"}
    return submit.archive(submit.Submission(lab, files, (), ()), student)


@pytest.mark.parametrize(
    "path",
    ["Ada Lovelace_1_assignsubmission_file_/02-dispatch-ada.zip", "lovelaceada_12345_9_02-dispatch-ada-1.zip",
     "02-dispatch-ada.zip", "ada/anything.zip", "renamed.zip"],
)  # fmt: skip
def test_the_student_s_own_zip_is_taken(root, path):
    assert collect(root, {path: made_by_submit("ada")}) == 0
    assert handed_in(root) == {f"ada/{OTHER}/lab.ipynb", f"ada/{OTHER}/TRACE.md"}


@pytest.mark.parametrize("with_roster", [True, False])
def test_the_student_s_zip_is_taken_alone(root, with_roster):
    if not with_roster:
        (root / "roster.csv").unlink()
    path = root / "02-dispatch-ada (1).zip"
    path.write_bytes(made_by_submit("ada"))
    assert collect(root, path) == 0 and f"ada/{OTHER}/TRACE.md" in handed_in(root)


def test_the_lms_is_believed_and_not_the_student(root, capsys):
    assert collect(root, {"Ada Lovelace_1_assignsubmission_file_/02-dispatch-jorg.zip": made_by_submit("jorg")}) == 0
    assert handed_in(root) == {f"ada/{OTHER}/lab.ipynb", f"ada/{OTHER}/TRACE.md"}
    assert "says that it is jorg's" in capsys.readouterr().out


def test_what_collect_places_the_grader_admits(root):
    collect(root, {"ada/x.zip": made_by_submit("ada")})
    admitted = intake.admit(root / "autograder" / "submitted", "ada", OTHER, ["TRACE.md"])
    assert admitted.documents == {"TRACE.md": "# Trace of ada"} and admitted.cells[0].source == "x"


def test_documents_are_found_under_the_names_that_systems_give_them(root):
    files = {
        "lovelaceada_12345_1_lab.ipynb": notebook(OTHER),
        "lovelaceada_12345_2_TRACE.md": b"first",
        "lovelaceada_12345_3_trace-1.md": b"second",
        "Zoe OBrien_1_assignsubmission_file_TRACE.md": b"zoe's",
        "Zoe OBrien_1_assignsubmission_file_lab.ipynb": notebook(OTHER),
    }
    assert collect(root, files) == 0
    assert text_of(root, "ada", OTHER, "TRACE.md") == b"second"
    assert text_of(root, "obrien", OTHER, "TRACE.md") == b"zoe's"


def test_of_two_uploads_the_newest_counts_and_the_older_is_kept(root, capsys):
    files = {
        "lovelaceada_12345_900_lab-1.ipynb": notebook(text="second"),
        "lovelaceada_12345_70_lab.ipynb": notebook(text="first"),
    }
    assert collect(root, files) == 0
    assert text_of(root, "ada") == notebook(text="second")
    assert kept(root) == {f"attempts/ada/{LAB}/1/lab.ipynb": notebook(text="first")}
    assert "older attempt lovelaceada_12345_70_lab.ipynb kept in" in capsys.readouterr().out


def test_a_later_download_keeps_what_was_there_and_an_earlier_one_changes_nothing(root, capsys):
    target = root / "autograder" / "submitted" / "ada" / LAB
    first, second = ({"ada/lab.ipynb": notebook(text=text)} for text in ("first", "second"))
    collect(root, first)
    (target / "timestamp.txt").write_text("2026-10-12 10:00 UTC")
    collect(root, second)
    assert handed_in(root) == {f"ada/{LAB}/lab.ipynb"}  # the time was the first one's
    assert kept(root)[f"attempts/ada/{LAB}/1/timestamp.txt"] == b"2026-10-12 10:00 UTC"
    before = kept(root)
    collect(root, second)
    collect(root, first)
    assert (text_of(root, "ada"), kept(root)) == (notebook(text="second"), before)
    assert "the newer one stays" in capsys.readouterr().out


def test_a_notebook_goes_to_the_lab_that_its_cells_name(root, capsys):
    files = {
        "ada/a.ipynb": notebook(LAB),
        "ada/b.ipynb": notebook(OTHER),
        "jorg/lab.ipynb": b"[",
        "jorg/cases.json": b"",
    }
    assert collect(root, files) == 1
    assert handed_in(root) == {f"ada/{LAB}/lab.ipynb", f"ada/{OTHER}/lab.ipynb"}
    assert "jorg's notebook is of no lab: say which, LAB=01" in capsys.readouterr().out


def test_one_that_can_not_be_read_is_placed_where_the_instructor_says(root):
    assert collect(root, {"jorg/lab.ipynb": b"["}, "--lab", "01") == 0
    assert text_of(root, "jorg") == b"["  # the grader refuses it, with a page that says why


def test_another_lab_s_notebook_is_not_filed_under_this_one(root, capsys):
    assert collect(root, {"ada/lab.ipynb": notebook(OTHER)}, "--lab", "1") == 1
    assert "ada's notebook is of 02-dispatch: collect it with LAB=02" in capsys.readouterr().out


def test_what_is_not_graded_is_named_and_kept(root, capsys):
    files = {
        "ada/lab.ipynb": notebook(),
        "ada/notes.pdf": b"%PDF",
        "__MACOSX/ada/._lab.ipynb": b"",
        "jorg/a.txt": b"hi",
    }
    assert collect(root, files) == 1
    said = capsys.readouterr().out
    assert "ada's file is nothing that is graded" in said and "jorg's file came without a notebook" in said
    assert "__MACOSX" not in said and {b"%PDF", b"hi"} <= set(kept(root).values())


def test_a_time_in_the_archive_is_no_time_of_handing_in(root):
    info = zipfile.ZipInfo("ada/lab.ipynb", (2020, 1, 2, 3, 4, 6))
    collect(root, {info: notebook(), "ada/timestamp.txt": b"1999-01-01 00:00 UTC"})
    assert handed_in(root) == {f"ada/{LAB}/lab.ipynb"}


def test_the_time_that_the_lms_tells_in_the_roster_is_written(root, capsys):
    (root / "course.yaml").write_text("timezone: Europe/Berlin")
    headings = "Identifier,Full name,ID number,Last modified (submission)"
    (root / "grades.csv").write_text(f'{headings}\nParticipant 7,Ada L,ada,"Monday, 23 November 2026, 3:58 PM"')
    files = {"Ada L_7_assignsubmission_file_/lab.ipynb": notebook()}
    assert collect(root, files, "--roster", str(root / "grades.csv")) == 0
    stamp = root / "autograder" / "submitted" / "ada" / LAB / "timestamp.txt"
    assert stamp.read_text() == "2026-11-23 14:58:00 UTC\n"
    stamp.write_text("2026-11-22 10:00 UTC")
    collect(root, files, "--roster", str(root / "grades.csv"))
    assert stamp.read_text() == "2026-11-22 10:00 UTC" and "left as it is" in capsys.readouterr().out


def test_canvas_s_mark_without_a_time_is_passed_on(root, capsys):
    collect(root, {"lovelaceada_LATE_12345_67890_lab.ipynb": notebook()})
    assert "marked late, without a time: write timestamp.txt" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["3/11/2026, 3:58 PM", "Monday 3:58 PM", "9" * 40, "23 November 2026"])
def test_a_time_that_could_be_two_is_refused(text):
    with pytest.raises(BadTime):
        roster.moment(text, Course())


def test_without_a_roster_ids_are_taken_from_plain_paths_alone(root, capsys):
    (root / "roster.csv").unlink()
    files = {
        "class/ada/lab.ipynb": notebook(), "bob/02-dispatch/lab.ipynb": notebook(OTHER), "bob/TRACE.md": b"bob's",
        "eve/final.ipynb": notebook(), "Ada L_1_assignsubmission_file_/lab.ipynb": notebook(),
    }  # fmt: skip
    assert collect(root, files) == 1
    assert handed_in(root) == {f"ada/{LAB}/lab.ipynb", f"bob/{OTHER}/lab.ipynb", f"bob/{OTHER}/TRACE.md"}
    said = capsys.readouterr().out
    assert "'Ada L' has no id: give a roster" in said and "eve/final.ipynb: no student's id" in said


def test_a_folder_that_the_browser_unpacked_is_collected(root):
    folder = root / "download" / "Ada Lovelace_1_assignsubmission_file_"
    folder.mkdir(parents=True)
    (folder / "lab.ipynb").write_bytes(notebook())
    (folder / "passwd.ipynb").symlink_to("/etc/passwd")
    assert collect(root, root / "download") == 1
    assert handed_in(root) == {f"ada/{LAB}/lab.ipynb"} and len(kept(root)) == 0


# ---- archives that mean harm


def test_no_name_in_an_archive_becomes_a_path(root):
    files = {
        "../../../evil/lab.ipynb": b"1",
        "/etc/evil.ipynb": b"2",
        "..\\..\\evil.ipynb": b"3",
        "ada/\x1b[2J\x00.txt": b"4",
    }
    before = set(root.parent.rglob("*"))
    collect(root, files)
    new = {path for path in set(root.parent.rglob("*")) - before if path.is_file()}
    new -= {root / "submissions.zip", root / lock.RUN}
    unmatched = root / "autograder" / "collected" / "unmatched"
    assert len(new) >= 4 and all(path.is_relative_to(unmatched) and path.name.isprintable() for path in new)


def test_a_link_in_a_zip_is_not_followed(root, capsys):
    info = zipfile.ZipInfo("ada/lab.ipynb")
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    assert collect(root, {info: b"/etc/passwd"}) == 1
    assert "it is a link" in capsys.readouterr().out and handed_in(root) == set()


def test_a_file_that_unpacks_to_too_much_is_left_in_the_archive(root, capsys, monkeypatch):
    monkeypatch.setattr(archive, "LARGEST_ENTRY", 1000)
    assert collect(root, {"ada/lab.ipynb": b" " * 1001, "jorg/lab.ipynb": notebook()}) == 1
    assert "more than 1,000 bytes" in capsys.readouterr().out and handed_in(root) == {f"jorg/{LAB}/lab.ipynb"}


@pytest.fixture
def small_budgets(monkeypatch):
    """5,000 bytes for each student's files."""
    monkeypatch.setattr(archive.Budget.__init__, "__defaults__", (5000,))


@pytest.mark.usefixtures("small_budgets")
def test_many_small_bombs_are_one(root, capsys):
    files = {f"ada/{number}.txt": b" " * 1000 for number in range(10)}
    assert collect(root, files) == 1
    assert capsys.readouterr().out.count("more than 5,000 bytes") == 5


def inner_zip(files):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in files.items():
            opened.writestr(name, data)
    return made.getvalue()


def with_a_wrong_sum():
    data = bytearray(inner_zip({"lab.ipynb": notebook()}))
    data[data.index(b"PK\x01\x02") + 16] ^= 1  # of the sum in the list at the end
    return bytes(data)


def encrypted():
    data = bytearray(inner_zip({"lab.ipynb": notebook()}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


BAD_ZIPS = {
    "a bomb of notebooks": lambda: inner_zip({f"{number}.ipynb": b" " * 1000 for number in range(10)}),
    "a notebook that is a bomb": lambda: inner_zip({"lab.ipynb": b" " * 10_000}),
    "a manifest that is a bomb": lambda: inner_zip({"submission.json": b" " * 50_000, "lab.ipynb": b" " * 5001}),
    "a wrong sum": with_a_wrong_sum,
    "an encrypted notebook": encrypted,
    "half of a zip": lambda: inner_zip({"lab.ipynb": notebook()})[:60],
}


@pytest.mark.usefixtures("small_budgets")
@pytest.mark.parametrize("make", BAD_ZIPS.values(), ids=BAD_ZIPS)
def test_a_bad_archive_costs_its_own_student_alone(root, capsys, make):
    bad = make()
    files = {"ada/work.zip": bad, "jorg/lab.ipynb": notebook(), "obrien/work.zip": inner_zip({"l.ipynb": notebook()})}
    assert collect(root, files) == 1
    assert handed_in(root) == {f"jorg/{LAB}/lab.ipynb", f"obrien/{LAB}/lab.ipynb"}
    assert "ada" in capsys.readouterr().out and bad in kept(root).values()


@pytest.mark.usefixtures("small_budgets")
def test_what_nobody_grades_in_a_students_zip_is_not_unpacked(root):
    files = {"lab.ipynb": notebook(), "data.bin": b" " * 100_000, "my_engine/x.ipynb": b" " * 100_000}
    assert collect(root, {"ada/work.zip": inner_zip(files)}) == 0
    assert handed_in(root) == {f"ada/{LAB}/lab.ipynb"}


@pytest.mark.parametrize(
    "folder", ["", ".", "..", "course", "autograder/submitted", "autograder", "solutions/01-strides"]
)
def test_the_course_itself_is_not_collected(root, folder, capsys):
    (root / "roster.csv").unlink()
    (root / "autograder" / "submitted" / "ada" / LAB).mkdir(parents=True)
    before = set(root.rglob("*"))
    assert command.main([str(root / folder) if folder else "", "--root", str(root)]) == 1
    assert set(root.rglob("*")) - {root / lock.RUN} == before
    said = capsys.readouterr().err
    assert "expected" in said and "Traceback" not in said


def test_files_that_nobody_grades_are_no_failure(root, capsys):
    assert collect(root, {"ada/lab.ipynb": notebook(), "ada/notes.pdf": b"%PDF"}) == 0
    assert "none of them anybody's work" in capsys.readouterr().out


def test_a_file_name_is_not_offered_as_a_persons(root, capsys):
    assert collect(root, {"Homework 1_al9_attempt_2026-10-01-10-00-00_lab.ipynb": notebook()}) == 1
    assert "put it as <id>/lab.ipynb" in capsys.readouterr().out
    assert not any(name.endswith("roster.csv") for name in kept(root))


def test_a_notebook_without_ids_goes_to_the_lab_whose_functions_it_defines(root):
    bare = json.loads(notebook(OTHER, "def bits(mask):\n    return []"))
    bare["cells"][0]["id"] = "1a"
    assert collect(root, {"ada/lab.ipynb": json.dumps(bare).encode()}) == 0
    assert handed_in(root) == {f"ada/{OTHER}/lab.ipynb"}


def test_a_zip_in_a_zip_in_a_zip_stays_closed(root, capsys):
    inner, middle = io.BytesIO(), io.BytesIO()
    for target, name, data in ((inner, "lab.ipynb", notebook()), (middle, "more.zip", None)):
        with zipfile.ZipFile(target, "w") as made:
            made.writestr(name, inner.getvalue() if data is None else data)
    assert collect(root, {"ada/work.zip": middle.getvalue()}) == 1
    assert "ada's zip has no notebook in it" in capsys.readouterr().out and middle.getvalue() in kept(root).values()


@pytest.mark.parametrize("data", [b"no zip", b"PK\x03\x04" + b"\x00" * 50])
def test_a_damaged_zip_is_named_and_kept(root, capsys, data):
    assert collect(root, {"ada/work.zip": data}) == 1
    assert "is no zip archive" in capsys.readouterr().out and data in kept(root).values()


def test_an_archive_that_is_none_is_a_sentence(root, capsys):
    (root / "x.zip").write_text("<html>Please log in")
    assert collect(root, root / "x.zip") == 1 and "is no zip archive" in capsys.readouterr().err
    assert collect(root, root / "none.zip") == 1 and "is missing" in capsys.readouterr().err


def test_what_stands_in_the_way_is_not_removed(root, capsys):
    submitted = root / "autograder" / "submitted"
    submitted.mkdir(parents=True)
    (submitted / "ada").symlink_to(root / "course")
    assert collect(root, {"ada/lab.ipynb": notebook()}) == 1
    assert "NOT collected" in capsys.readouterr().out and os.readlink(submitted / "ada")


BAD_ROSTERS = {
    "name,place\nAda,London": "names no column id",
    "id\nada\nada": "line 3: ada is there twice",
    "id\n../ada": "line 2: the id is '../ada'",
    "id,submitted\nada,soon": "line 2: the time of ada holds 'soon'",
    ROSTER: "line 5: the id is",
}


@pytest.mark.parametrize(("text", "said"), BAD_ROSTERS.items(), ids=BAD_ROSTERS.values())
def test_a_mistake_in_the_roster_is_named_before_anything_is_written(root, capsys, text, said):
    (root / "roster.csv").write_text(text, encoding="utf-8")
    assert collect(root, {"ada/lab.ipynb": notebook()}) == 1
    assert said in capsys.readouterr().err and handed_in(root) == set()


@pytest.mark.slow
def test_the_roster_s_people_are_entered_into_the_gradebook(root, monkeypatch):
    from nbgrader.api import Gradebook

    from autograder.grading import gradebook

    monkeypatch.setattr(command, "enroll", ENROLL)
    collect(root, {"ada/lab.ipynb": notebook()})
    with Gradebook(gradebook.prepare(root).CourseDirectory.db_url) as book:
        people = {person.id: (person.first_name, person.last_name, person.email) for person in book.students}
    assert people["jorg"] == ("Jörg", "Müller", "jm@example.org") and len(people) == 4


# ---- alone on the course


def test_while_another_command_runs_nothing_is_collected(root, capsys):
    with lock.only_run(root, "make forget"):
        assert collect(root, {"ada/lab.ipynb": notebook()}) == 1
    assert "This course is in use by make forget" in capsys.readouterr().err
    assert handed_in(root) == set()
    assert collect(root, {"ada/lab.ipynb": notebook()}) == 0
    assert handed_in(root) == {f"ada/{LAB}/lab.ipynb"}


def test_while_it_collects_no_other_command_runs(root, monkeypatch):
    usual, refused = place.place, []

    def meanwhile(*arguments):
        with pytest.raises(lock.InUse, match="in use by make collect"), lock.only_run(root, "make grade"):
            pass
        refused.append(True)
        return usual(*arguments)

    monkeypatch.setattr(place, "place", meanwhile)
    assert collect(root, {"ada/lab.ipynb": notebook()}) == 0
    assert refused == [True]
